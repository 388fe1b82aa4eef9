// RUN: lw divergence %s --block 64 --why 35 | FileCheck-22 %s
// RUN: lw divergence %s --block 64 --why 37 | FileCheck-22 %s --check-prefix=SIDE
// RUN: lw divergence %s --block 64 --format sarif | FileCheck-22 %s --check-prefix=SARIF
// Chains of causes go into the functions that are called, and from their parameters back to the caller.

// CHECK: the branch on `bucket(…) > n` is divergent
// CHECK: `bucket(…)` is what `bucket` returns
// CHECK-NEXT: calls.cu:35 | if (bucket(i + 1) > n)
// CHECK-NEXT: in `bucket`: `(key & 7)` is computed from `key`
// CHECK-NEXT: calls.cu:23 | return key & 7;
// CHECK-NEXT: in `bucket`: `key` is given by the caller
// CHECK-NEXT: calls.cu:22 |
// CHECK-NEXT: `(i + 1)` is computed from `i`
// CHECK: `i` is the number of the thread in the launch
// CHECK-NEXT: calls.cu:34 |

// SIDE: `side(…)` is what `side` returns
// SIDE: in `side`: {{.*}} has another value on each way here, and threads part at `(threadIdx.x & 1) != 0` (line 27)
// SIDE: in `side`: `threadIdx.x` is the number of the thread
// SARIF: in `bucket`: `key` is given by the caller
#include <cuda_runtime.h>
static __device__ __noinline__ int bucket(int key) {
  return key & 7;
}

static __device__ __noinline__ int side(int n) {
  if (threadIdx.x & 1)
    return n;
  return 2;
}

__global__ void count(int *out, int n) {
  __shared__ int total;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (bucket(i + 1) > n)
    out[0] = 1;
  if (side(n) > 3)
    total = 1;
  out[i] = n;
}
