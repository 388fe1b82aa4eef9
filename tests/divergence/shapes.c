// RUN: lw divergence %s --function f --shapes uniform:64,lane,uniform --threads 8 | FileCheck-22 %s
// RUN: lw divergence %s --function f --shapes i=strided:1:8,n=u,p=u --threads 8 --why half | FileCheck-22 %s --check-prefix=WHY
// RUN: not --exit 2 lw divergence %s --function g 2>&1 | FileCheck-22 %s --check-prefix=FUNCTION
// RUN: not --exit 2 lw divergence %s --function f --shapes u,u,u,u 2>&1 | FileCheck-22 %s --check-prefix=MANY
// RUN: not --exit 2 lw divergence %s --function f --shapes q=u 2>&1 | FileCheck-22 %s --check-prefix=NAME
// RUN: not --exit 2 lw divergence %s --function f --shapes lane 2>&1 | FileCheck-22 %s --check-prefix=FIT
// RUN: not --exit 2 lw divergence %s --function f --shapes diagonal 2>&1 | FileCheck-22 %s --check-prefix=WORD
// RUN: not --exit 2 lw divergence %s --shapes u 2>&1 | FileCheck-22 %s --check-prefix=WHICH
// RUN: not --exit 2 lw divergence %s --function f --why 1000 2>&1 | FileCheck-22 %s --check-prefix=LINE
// RUN: not --exit 2 lw divergence %s --function f --why nothing 2>&1 | FileCheck-22 %s --check-prefix=VALUE
// RUN: not --exit 2 lw divergence %s --block 0 2>&1 | FileCheck-22 %s --check-prefix=BLOCK
// RUN: not --exit 2 lw divergence %s --format llvm 2>&1 | FileCheck-22 %s --check-prefix=LLVM
// Shapes of parameters, and requests that cannot be carried out.

// CHECK: f ({{.*}}): 1 of 2 branches divergent
// CHECK: branch on `i < n`: `i` is a parameter that differs between threads
// CHECK: load `p[i]` contiguous; load `p[half]` uniform
// WHY: `half` is uniform: (0,1)
// FUNCTION: there is no function `g`; there are: f, other
// MANY: 4 shapes were given, but f has 3 parameters: ptr p, i32 i, i32 n
// NAME: there is no parameter `q`; f has 3 parameters: ptr p, i32 i, i32 n
// FIT: `lane` does not fit parameter p ptr, which is no integer of at most 64 bits
// WORD: `diagonal` is no shape; there are: uniform[:ALIGN], varying, strided:STRIDE[:ALIGN], lane
// WHICH: --shapes wants --function as well; there are: f, other
// LINE: nothing is computed at line 1000; there are the lines
// VALUE: there is no value `nothing`; there are: half, i, n, p, sum
// BLOCK: a block without threads
// LLVM: --format llvm wants a program for nvptx or amdgcn
int f(const int *p, int i, int n) {
  int half = i >> 3;
  int sum = 0;
  if (i < n)
    sum = p[i] + p[half];
  if (half > 0)
    sum++;
  return sum;
}

int other(void) { return 1; }
