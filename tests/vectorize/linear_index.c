// A linear `int` as an index: neighbours, although the index is extended, and although it is computed in 32 bits.
// RUN: clang-22 -O2 -S -emit-llvm %s -o %t.ll
// RUN: lw vectorize %t.ll -f blur -s 'u, c -> v' -w 8 | FileCheck-22 %s
// RUN: lw vectorize %t.ll -f blur -s 'u, s-1 -> v' -w 8 | FileCheck-22 --check-prefix=DOWN %s
// RUN: lw vectorize %t.ll -f blur -s 'u, c -> v' -w 8 --masked | FileCheck-22 --check-prefix=MASKED %s
// RUN: lw vectorize %t.ll -f modulo -s 'u, c -> v' -w 8 | FileCheck-22 --check-prefix=WRAPS %s
float blur(const float *p, int i) {
  return p[i - 1] + p[i] + p[i + 2];
}
// CHECK: @blur_v8(
// CHECK-NOT: gather
// CHECK: load <8 x float>
// CHECK: load <8 x float>
// CHECK: load <8 x float>
// CHECK-NOT: gather
// CHECK: ret <8 x float>
// DOWN: @blur_v8(
// DOWN-NOT: gather
// DOWN: shufflevector <8 x float> {{.*}} <i32 7, i32 6,
// MASKED: @blur_v8(
// MASKED-NOT: gather
// MASKED: @llvm.masked.load.v8f32
// MASKED-NOT: gather
// MASKED: ret <8 x float>

// What may wrap around is no row of neighbours.
float modulo(const float *p, unsigned i) {
  return p[i + 1u];
}
// WRAPS: @modulo_v8(
// WRAPS: @llvm.masked.gather.v8f32
