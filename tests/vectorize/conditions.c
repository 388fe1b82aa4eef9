// A vectorized callee returns its conditions as bytes: code for them can be generated at any level, also where masks have registers.
// RUN: clang-22 -O1 -S -emit-llvm -march=x86-64-v4 %s -o %t.ll
// RUN: lw vectorize %t.ll -f f -s 'v, c' -w 8 -o %t.v.ll
// RUN: FileCheck-22 %s < %t.v.ll
// RUN: llc-22 -O0 %t.v.ll -o /dev/null
// RUN: llc-22 -O2 %t.v.ll -o /dev/null
__attribute__((noinline)) static _Bool prime(unsigned n) {
  for (unsigned d = 2; d * d <= n; d++)
    if (n % d == 0) return 0;
  return n > 1;
}
void f(unsigned n, _Bool *out) {
  *out = prime(n);
}
// CHECK: @f_v8(
// CHECK: call <8 x i8> @lw._ZGVeN8v_prime(
// CHECK: define internal <8 x i8> @lw._ZGVeN8v_prime(
