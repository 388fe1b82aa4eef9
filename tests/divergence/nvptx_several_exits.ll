; RUN: lw divergence %s --format llvm | FileCheck-22 %s --check-prefixes=CHECK,OURS --allow-unused-prefixes
; One exit is left in different iterations, the other is not: LLVM does not tell them apart.
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; CHECK-LABEL: UniformityInfo for function 'both_kinds':
; CHECK-LABEL: BLOCK together
; CHECK: DIVERGENT: %a = add i32 %i
; CHECK-LABEL: BLOCK apart
; CHECK: DIVERGENT: %b = add i32 %i
define ptx_kernel void @both_kinds(ptr addrspace(1) %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %u = icmp eq i32 %i, %n
  br i1 %u, label %together, label %latch
latch:
  %next = add i32 %i, 1
  %v = icmp eq i32 %i, %tid
  br i1 %v, label %apart, label %head
together:
  %a = add i32 %i, 1
  store i32 %a, ptr addrspace(1) %out
  ret void
apart:
  %b = add i32 %i, 1
  store i32 %b, ptr addrspace(1) %out
  ret void
}
