// What a CUDA source needs to be compiled for the device without a CUDA toolkit: the words of the language, special
// registers, barriers, warp operations, atomics, and the mathematics that clang knows. Nothing here runs.
#pragma once
#if defined(__CUDA__) && !defined(__LANEWEAVER_CUDA__)
#define __LANEWEAVER_CUDA__
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __lw_device static inline __device__ __attribute__((always_inline, nodebug))

typedef decltype(sizeof(0)) __lw_size;
struct uint3 { unsigned x, y, z; };
struct int2 { int x, y; };
struct int3 { int x, y, z; };
struct int4 { int x, y, z, w; };
struct uint2 { unsigned x, y; };
struct uint4 { unsigned x, y, z, w; };
struct float2 { float x, y; };
struct float3 { float x, y, z; };
struct float4 { float x, y, z, w; };
struct double2 { double x, y; };
struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
#define __lw_make(T, ...) __VA_ARGS__
static inline __host__ __device__ float2 make_float2(float x, float y) { return float2{x, y}; }
static inline __host__ __device__ float3 make_float3(float x, float y, float z) { return float3{x, y, z}; }
static inline __host__ __device__ float4 make_float4(float x, float y, float z, float w) { return float4{x, y, z, w}; }
static inline __host__ __device__ int2 make_int2(int x, int y) { return int2{x, y}; }

#define __lw_register(name, reg)                                                                   \
  struct __lw_##name {                                                                             \
    __declspec(property(get = get_x)) unsigned x;                                                  \
    __declspec(property(get = get_y)) unsigned y;                                                  \
    __declspec(property(get = get_z)) unsigned z;                                                  \
    static __device__ __attribute__((always_inline, nodebug)) unsigned get_x() { return __nvvm_read_ptx_sreg_##reg##_x(); } \
    static __device__ __attribute__((always_inline, nodebug)) unsigned get_y() { return __nvvm_read_ptx_sreg_##reg##_y(); } \
    static __device__ __attribute__((always_inline, nodebug)) unsigned get_z() { return __nvvm_read_ptx_sreg_##reg##_z(); } \
  };                                                                                               \
  extern const __device__ __lw_##name name;
__lw_register(threadIdx, tid)
__lw_register(blockIdx, ctaid)
__lw_register(blockDim, ntid)
__lw_register(gridDim, nctaid)
enum : int { warpSize = 32 };

#define __syncthreads() __nvvm_bar_sync(0)
#define __syncwarp(...) __nvvm_bar_warp_sync(0xffffffffu)
#define __threadfence() __nvvm_membar_gl()
#define __threadfence_block() __nvvm_membar_cta()
#define __threadfence_system() __nvvm_membar_sys()
#define __any_sync(mask, p) __nvvm_vote_any_sync(mask, p)
#define __all_sync(mask, p) __nvvm_vote_all_sync(mask, p)
#define __ballot_sync(mask, p) __nvvm_vote_ballot_sync(mask, p)
__lw_device int __shfl_sync(unsigned m, int v, int lane, int = 32) { return __nvvm_shfl_sync_idx_i32(m, v, lane, 31); }
__lw_device int __shfl_down_sync(unsigned m, int v, unsigned d, int = 32) { return __nvvm_shfl_sync_down_i32(m, v, d, 31); }
__lw_device int __shfl_up_sync(unsigned m, int v, unsigned d, int = 32) { return __nvvm_shfl_sync_up_i32(m, v, d, 0); }
__lw_device int __shfl_xor_sync(unsigned m, int v, int x, int = 32) { return __nvvm_shfl_sync_bfly_i32(m, v, x, 31); }
__lw_device float __shfl_sync(unsigned m, float v, int lane, int = 32) { return __nvvm_shfl_sync_idx_f32(m, v, lane, 31); }
__lw_device float __shfl_down_sync(unsigned m, float v, unsigned d, int = 32) { return __nvvm_shfl_sync_down_f32(m, v, d, 31); }
__lw_device float __shfl_xor_sync(unsigned m, float v, int x, int = 32) { return __nvvm_shfl_sync_bfly_f32(m, v, x, 31); }
template <class T> __lw_device T __ldg(const T *p) { return *p; }

#define __lw_atomic(name, builtin)                                                                 \
  template <class T, class U> __lw_device T name(T *p, U v) { return builtin(p, (T)v, __ATOMIC_RELAXED); }
__lw_atomic(atomicAdd, __atomic_fetch_add)
__lw_atomic(atomicSub, __atomic_fetch_sub)
__lw_atomic(atomicMin, __atomic_fetch_min)
__lw_atomic(atomicMax, __atomic_fetch_max)
__lw_atomic(atomicAnd, __atomic_fetch_and)
__lw_atomic(atomicOr, __atomic_fetch_or)
__lw_atomic(atomicXor, __atomic_fetch_xor)
__lw_atomic(atomicExch, __atomic_exchange_n)
template <class T, class U, class V> __lw_device T atomicCAS(T *p, U expected, V desired) {
  T old = expected;
  __atomic_compare_exchange_n(p, &old, (T)desired, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return old;
}

#define __lw_math1(name)                                                                           \
  __lw_device float name##f(float x) { return __builtin_##name##f(x); }                            \
  __lw_device double name(double x) { return __builtin_##name(x); }                                \
  __lw_device float name(float x) { return __builtin_##name##f(x); }
#define __lw_math2(name)                                                                           \
  __lw_device float name##f(float x, float y) { return __builtin_##name##f(x, y); }                \
  __lw_device double name(double x, double y) { return __builtin_##name(x, y); }
__lw_math1(sqrt) __lw_math1(sin) __lw_math1(cos) __lw_math1(tan) __lw_math1(exp) __lw_math1(log) __lw_math1(exp2)
__lw_math1(log2) __lw_math1(fabs) __lw_math1(floor) __lw_math1(ceil) __lw_math1(round) __lw_math1(trunc)
__lw_math2(pow) __lw_math2(fmin) __lw_math2(fmax) __lw_math2(fmod) __lw_math2(atan2)
__lw_device float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
__lw_device float rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
__lw_device float __fdividef(float x, float y) { return x / y; }
__lw_device float __expf(float x) { return __builtin_expf(x); }
__lw_device float __logf(float x) { return __builtin_logf(x); }
__lw_device float __sinf(float x) { return __builtin_sinf(x); }
__lw_device float __cosf(float x) { return __builtin_cosf(x); }
__lw_device int min(int a, int b) { return a < b ? a : b; }
__lw_device int max(int a, int b) { return a > b ? a : b; }
__lw_device unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
__lw_device unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
__lw_device float min(float a, float b) { return a < b ? a : b; }
__lw_device float max(float a, float b) { return a > b ? a : b; }
__lw_device int abs(int a) { return a < 0 ? -a : a; }
__lw_device int __popc(unsigned x) { return __builtin_popcount(x); }
__lw_device int __clz(int x) { return x ? __builtin_clz(x) : 32; }
__lw_device int __ffs(int x) { return __builtin_ffs(x); }

// Enough of the host's side for sources that launch their kernels themselves; it is parsed, not compiled.
typedef enum cudaError { cudaSuccess = 0 } cudaError_t;
typedef struct CUstream_st *cudaStream_t;
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault };
extern "C" {
unsigned __cudaPushCallConfiguration(dim3, dim3, __lw_size = 0, void * = 0);
cudaError_t cudaConfigureCall(dim3, dim3, __lw_size = 0, cudaStream_t = 0);
cudaError_t cudaMemcpy(void *, const void *, __lw_size, cudaMemcpyKind);
cudaError_t cudaMemset(void *, int, __lw_size);
cudaError_t cudaFree(void *);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaGetLastError(void);
const char *cudaGetErrorString(cudaError_t);
}
template <class T> cudaError_t cudaMalloc(T **, __lw_size);
template <class T> cudaError_t cudaMallocManaged(T **, __lw_size, unsigned = 1);
#endif
