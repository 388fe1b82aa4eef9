// What the command line cannot mean is said, with the exit code of bad input; the form that is written follows from the ending of the file.
// RUN: not --exit 2 lw vectorize %s -f sum -w 1 2>&1 | FileCheck-22 --check-prefix=ONE %s
// RUN: not --exit 2 lw vectorize %s -f sum -w 0 2>&1 | FileCheck-22 --check-prefix=ZERO %s
// RUN: not --exit 2 lw vectorize %s -f sum --name '' 2>&1 | FileCheck-22 --check-prefix=EMPTY %s
// RUN: not --exit 2 lw vectorize %s -f sum --name endless 2>&1 | FileCheck-22 --check-prefix=TWICE %s
// RUN: not --exit 2 lw vectorize %s.txt -f sum 2>&1 | FileCheck-22 --check-prefix=ENDING %s
// RUN: not --exit 2 lw vectorize %s -f sum -s 's99999999999999 -> v' 2>&1 | FileCheck-22 --check-prefix=STRIDE %s
// RUN: not --exit 2 lw vectorize %s -f sum -s varying 2>&1 | FileCheck-22 --check-prefix=SHAPE %s
// RUN: not --exit 1 lw vectorize %s -f endless 2>&1 | FileCheck-22 --check-prefix=ENDLESS %s
// RUN: lw vectorize %s -f sum -w 4 -o %t.o && llvm-nm-22 %t.o | FileCheck-22 --check-prefix=OBJECT %s
// RUN: lw vectorize %s -f sum -w 4 -o %t.bc && llvm-dis-22 -o - %t.bc | FileCheck-22 --check-prefix=BITCODE %s
// RUN: lw vectorize %s -f sum -w 4 -o %t.s && FileCheck-22 --check-prefix=ASSEMBLY %s < %t.s
int sum(int n) { return n * (n + 1) / 2; }
int endless(int n) {
  if (n > 3)
    for (;;) n++;
  return n;
}
// ONE: one lane is no vector; widths are between 2 and 4096
// ZERO: widths are between 2 and 4096
// EMPTY: a value is required for '--name <NEW>'
// TWICE: there is a function `endless` already; choose another --name
// ENDING: expected a file that ends in .ll, .bc, .lw, .c, .cc, .cpp, .cxx, .C or .cu
// STRIDE: the shape `s99999999999999`: 8 lanes with this stride do not fit 32 bits
// SHAPE: the shape `varying`: shapes are u, v, c, sN and aN
// ENDLESS: wrong_arguments.c:16:{{[0-9]+}}: not vectorized: the loop at {{.*}} never ends
// OBJECT: T sum_v4
// BITCODE: define {{.*}}<4 x i32> @sum_v4
// ASSEMBLY: sum_v4:
