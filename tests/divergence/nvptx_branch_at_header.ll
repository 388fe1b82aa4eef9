; RUN: lw divergence %s --format llvm | FileCheck-22 %s --check-prefixes=CHECK,OURS --allow-unused-prefixes
; Where LLVM is wrong: threads part in the header of a loop and leave it further down, in different iterations.
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; CHECK-LABEL: UniformityInfo for function 'llvm_is_wrong':
; OURS: CYCLES WITH DIVERGENT EXIT:
; LLVM-NOT: CYCLES WITH DIVERGENT EXIT:
; CHECK-LABEL: BLOCK end
; OURS: DIVERGENT: store i32 %i
; LLVM: {{^ +}}store i32 %i
define ptx_kernel void @llvm_is_wrong(ptr addrspace(1) %out, i32 %n, i32 %m) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %c = icmp slt i32 %tid, %n
  br i1 %c, label %left, label %right
left:
  %out1 = icmp eq i32 %i, %n
  br i1 %out1, label %end, label %latch
right:
  %out2 = icmp eq i32 %i, %m
  br i1 %out2, label %end, label %latch
latch:
  %next = add i32 %i, 1
  br label %head
end:
  store i32 %i, ptr addrspace(1) %out
  ret void
}
