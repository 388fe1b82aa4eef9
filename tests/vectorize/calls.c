// Calls: a function of the file is vectorized for its arguments, mathematical ones are taken from libmvec if
// asked for, unless they may set errno.
// RUN: clang-22 -O1 -S -emit-llvm %s -o %t.ll
// RUN: lw vectorize %t.ll -f f -s 'v, u -> v' -w 4 | FileCheck-22 %s
// RUN: lw vectorize %t.ll -f f -s 'v, u -> v' -w 4 --math libmvec | FileCheck-22 %s
// RUN: clang-22 -O1 -fno-math-errno -S -emit-llvm %s -o %t.pure.ll
// RUN: lw vectorize %t.pure.ll -f f -s 'v, u -> v' -w 4 --math libmvec | FileCheck-22 --check-prefix=MVEC %s
// RUN: lw vectorize %t.pure.ll -f f -s 'v, u -> v' -w 8 --math libmvec | FileCheck-22 --check-prefix=WIDE %s
// RUN: lw vectorize %t.ll -f clear -s 'u, v' -w 4 | FileCheck-22 --check-prefix=CLEAR %s
float sinf(float);
__attribute__((noinline)) static float halved(float x, float least) {
  while (x > least)
    x *= 0.5f;
  return x;
}
float f(float x, float least) {
  if (x > 1)
    return halved(x, least) + sinf(x);
  return x;
}
// CHECK: @f_v4(
// CHECK: call <4 x float> @lw._ZGVbM4vu_halved(<4 x float> {{.*}}, float {{.*}}, <4 x i1>
// CHECK: call float @sinf(
// CHECK: define internal <4 x float> @lw._ZGVbM4vu_halved(
// MVEC: select <4 x i1> {{.*}} splat (float 5.000000e-01)
// MVEC: call <4 x float> @_ZGVbN4v_sinf(<4 x float>
// WIDE-COUNT-2: call <4 x float> @_ZGVbN4v_sinf(<4 x float>

// All lanes write the same to the same place: once is enough, if a lane is active at all.
void clear(char *all, int x) {
  if (x > 3)
    __builtin_memset(all, 0, 1000);
}
// CLEAR: @clear_v4(
// CLEAR: %[[ANY:.*]] = call i1 @llvm.vector.reduce.or
// CLEAR: br i1 %[[ANY]]
// CLEAR: call void @llvm.memset
// CLEAR-NOT: call void @llvm.memset
