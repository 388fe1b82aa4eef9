; RUN: lw divergence %s --format llvm | FileCheck-22 %s --check-prefixes=CHECK,OURS --allow-unused-prefixes
; Where LLVM is wrong: the exit is a successor of the branch at which threads part, and its φ has different constants.
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; CHECK-LABEL: UniformityInfo for function 'llvm_is_wrong':
; CHECK-LABEL: BLOCK end
; OURS: DIVERGENT: %r = phi
; LLVM: {{^ +}}%r = phi
define ptx_kernel void @llvm_is_wrong(ptr addrspace(1) %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %last = icmp eq i32 %i, %n
  br i1 %last, label %end, label %latch
latch:
  %next = add i32 %i, 1
  %c = icmp eq i32 %tid, %i
  br i1 %c, label %end, label %head
end:
  %r = phi i32 [ 1, %head ], [ 2, %latch ]
  store i32 %r, ptr addrspace(1) %out
  ret void
}
