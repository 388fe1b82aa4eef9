; RUN: lw print %s -f sum | FileCheck-22 %s
; RUN: lw print %s -f sum --dot | FileCheck-22 %s --check-prefix=DOT
; An imported function shows its types, declarations, attributes, flags, and where each instruction came from.

; CHECK: %pair = type { i32, float }
; CHECK: declare @llvm.fabs.f32 : float (float) attrs(fn: {{.*}}memory(0)
; CHECK: func @sum(ptr %p, i32 %n) -> float attrs(0: noalias) {
; CHECK: %f = getelementptr inbounds{{( nusw)?}} %pair, ptr %p, i32 %n, i32 1 !0
; CHECK: %a = tail call fast float (float) @llvm.fabs.f32(float %v) !2
; DOT: digraph {
; DOT: label="@sum"
%pair = type { i32, float }
declare float @llvm.fabs.f32(float)
define float @sum(ptr noalias %p, i32 %n) {
  %f = getelementptr inbounds %pair, ptr %p, i32 %n, i32 1
  %v = load float, ptr %f, align 4
  %a = tail call fast float @llvm.fabs.f32(float %v)
  ret float %a
}
