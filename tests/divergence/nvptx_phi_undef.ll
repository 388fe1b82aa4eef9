; RUN: lw divergence %s --format llvm | FileCheck-22 %s --check-prefixes=CHECK,OURS --allow-unused-prefixes
; A φ of one value and undef is as good as the value.
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; CHECK-LABEL: UniformityInfo for function 'undef':
; CHECK-LABEL: BLOCK end
; CHECK: {{^ +}}%x = phi i32 [ %n, %a ], [ undef, %entry ]
; CHECK: {{^ +}}%y = phi i32 [ poison, %a ], [ 4, %entry ]
; CHECK: DIVERGENT: %z = phi i32 [ %n, %a ], [ 4, %entry ]
define ptx_kernel void @undef(ptr addrspace(1) %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = icmp slt i32 %tid, 7
  br i1 %p, label %a, label %end
a:
  br label %end
end:
  %x = phi i32 [ %n, %a ], [ undef, %entry ]
  %y = phi i32 [ poison, %a ], [ 4, %entry ]
  %z = phi i32 [ %n, %a ], [ 4, %entry ]
  store i32 %x, ptr addrspace(1) %out
  ret void
}
