// RUN: lw divergence %s --block 64 | FileCheck-22 %s
// RUN: lw divergence %s --block 64 --function plain --why 31 | FileCheck-22 %s --check-prefix=WHY
// RUN: lw divergence %s --block 8,8 | FileCheck-22 %s --check-prefix=SQUARE
// RUN: lw divergence %s --block 64 --lattice basic | FileCheck-22 %s --check-prefix=BASIC
// RUN: lw divergence %s --block 64 --format json | FileCheck-22 %s --check-prefix=JSON
// RUN: lw divergence %s --block 64 --format sarif | FileCheck-22 %s --check-prefix=SARIF
// RUN: lw divergence %s --block 64 --format html | FileCheck-22 %s --check-prefix=HTML
// A kernel without a CUDA toolkit: warps, barriers, coalescing, calls.

// CHECK: The threads are those of a warp of 32, in blocks of 64 × 1 × 1 threads; the lattice is stride.
// CHECK: plain ({{.*}}kernel.cu:[[#]]): 1 of 3 branches divergent, 1 of 2 loops divergent
// CHECK: barriers: 1 of 2 under divergent control
// CHECK: ✗ {{.*}}kernel.cu:35: __syncthreads is not reached by all threads of a block, which part at line 34
// CHECK: kernel.cu:31: depth 1: branch on `k < lengths[i]`: `i` is the number of the thread in the launch (line 26)
// CHECK: kernel.cu:31: depth 1: loop on
// CHECK-NOT: branch on `warp
// CHECK: memory accesses: 1 gather, 1 strided, 2 contiguous, 1 uniform
// CHECK: load `in[(i * 4)]` strided by 16 bytes
// BASIC: branch on `warp == 0`
// SQUARE: in blocks of 8 × 8 × 1 threads; the lattice is affine
#include <cuda_runtime.h>

static __device__ float half_of(float x) { return x * 0.5f; }

__global__ void plain(float *out, const float *in, const int *lengths, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int warp = threadIdx.x / 32;
  float sum = half_of(n);
  for (int k = 0; k < n; k++)
    sum += in[k];
  for (int k = 0; k < lengths[i]; k++)
    sum += in[i * 4];
  __syncthreads();
  if (warp == 0)
    __syncthreads();
  out[lengths[i]] = sum;
}
// WHY: kernel.cu:31: the branch on `k < lengths[i]` is divergent
// WHY: `i` is the number of the thread in the launch
// WHY-NEXT: kernel.cu:26 | int i = blockIdx.x * blockDim.x + threadIdx.x;
// JSON: "kind": "divergent-loop"
// SARIF: "ruleId": "divergent-barrier"
// HTML: <span class="mark strided"
