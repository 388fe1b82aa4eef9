; RUN: lw divergence %s --format llvm | FileCheck-22 %s --check-prefixes=CHECK,OURS --allow-unused-prefixes
; Threads that never come back do not join.
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.trap()

; CHECK-LABEL: UniformityInfo for function 'no_return':
; CHECK-LABEL: BLOCK end
; CHECK: {{^ +}}%x = phi
define ptx_kernel void @no_return(ptr addrspace(1) %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = icmp slt i32 %tid, 7
  %q = icmp slt i32 %n, 7
  br i1 %q, label %a, label %b
a:
  br i1 %p, label %dead, label %end
b:
  br label %end
dead:
  call void @llvm.trap()
  unreachable
end:
  %x = phi i32 [ 1, %a ], [ 2, %b ]
  store i32 %x, ptr addrspace(1) %out
  ret void
}

; Nor do those that stay in a loop for ever.
; CHECK-LABEL: UniformityInfo for function 'for_ever':
; CHECK-LABEL: BLOCK end
; CHECK: {{^ +}}store i32 %n
define ptx_kernel void @for_ever(ptr addrspace(1) %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = icmp slt i32 %tid, 7
  br i1 %p, label %spin, label %end
spin:
  br label %spin
end:
  store i32 %n, ptr addrspace(1) %out
  ret void
}
