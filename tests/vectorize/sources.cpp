// C and C++ are compiled first; flags behind `--` are for clang, and functions are named as in the source.
// RUN: lw vectorize %s -f clamp -s 'v, u -> v' -w 4 | FileCheck-22 %s
// RUN: lw vectorize %s -f clamp -s 'v, u -> v' -w 8 --emit s -o %t.s -- -DTWICE && FileCheck-22 --check-prefix=ASSEMBLY %s < %t.s
// RUN: lw vectorize %s -f clamp -w 4 --emit o -o %t.o && llvm-nm-22 %t.o | FileCheck-22 --check-prefix=OBJECT %s
// RUN: not --exit 2 lw vectorize %s -f clamp -- -DBROKEN 2>&1 | FileCheck-22 --check-prefix=BROKEN %s
// RUN: not --exit 2 lw vectorize %s -f other 2>&1 | FileCheck-22 --check-prefix=OTHER %s
// RUN: not --exit 2 lw vectorize %S/irreducible.ll -f two_entries -- -O2 2>&1 | FileCheck-22 --check-prefix=FLAGS %s
#ifdef BROKEN
int int;
#endif
int clamp(int x, int most) {
#ifdef TWICE
  x *= 2;
#endif
  while (x > most) x -= most / 2 + 1;
  return x;
}
// CHECK: define {{.*}}<4 x i32> @_Z5clampii_v4(<4 x i32> {{.*}}, i32
// ASSEMBLY: _Z5clampii_v8:
// OBJECT: T _Z5clampii_v4
// BROKEN: clang-22 failed on {{.*}}sources.cpp
// BROKEN: error:
// OTHER: there is no function `other`; there are: clamp(int, int)
// FLAGS: flags for clang go with C and C++
