// The part of CUDA that the kernels use, without NVIDIA's headers.
#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
struct ThreadIndex { __declspec(property(get = get_x)) int x; __declspec(property(get = get_y)) int y;
  __device__ static int get_x() { return __nvvm_read_ptx_sreg_tid_x(); } __device__ static int get_y() { return __nvvm_read_ptx_sreg_tid_y(); } };
struct BlockIndex { __declspec(property(get = get_x)) int x;
  __device__ static int get_x() { return __nvvm_read_ptx_sreg_ctaid_x(); } };
struct BlockSize { __declspec(property(get = get_x)) int x;
  __device__ static int get_x() { return __nvvm_read_ptx_sreg_ntid_x(); } };
__device__ ThreadIndex threadIdx; __device__ BlockIndex blockIdx; __device__ BlockSize blockDim;
