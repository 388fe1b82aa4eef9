// RUN: lw divergence %s --block 64 --why 37 | FileCheck-22 %s
// RUN: lw divergence %s --block 64 --why 39 | FileCheck-22 %s --check-prefix=SIDE
// RUN: lw divergence %s --block 64 --format sarif | FileCheck-22 %s --check-prefix=SARIF
// RUN: lw divergence %s --block 64 --format html | FileCheck-22 %s --check-prefix=HTML
// Chains of causes go into the functions that are called, and from their parameters back to the caller.

// CHECK: the branch on `bucket(…) > n` is divergent
// CHECK: `bucket(…)` is what `bucket` returns
// CHECK-NEXT: calls.cu:37 | if (bucket(i + 1) > n)
// CHECK-NEXT: in `bucket`: `(key & 7)` is computed from `key`
// CHECK-NEXT: calls.cu:25 | return key & 7;
// CHECK-NEXT: in `bucket`: `key` is given by the caller
// CHECK-NEXT: calls.cu:24 |
// CHECK-NEXT: `(i + 1)` is computed from `i`
// CHECK: `i` is the number of the thread in the launch
// CHECK-NEXT: calls.cu:36 |

// SIDE: `side(…)` is what `side` returns
// SIDE: in `side`: {{.*}} has another value on each way here, and threads part at `(threadIdx.x & 1) != 0` (line 29)
// SIDE: in `side`: `threadIdx.x` is the number of the thread
// HTML: in `bucket`: `(key &{{.*}} 7)` is computed from `key` — {{.*}}calls.cu:25 | return key
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
