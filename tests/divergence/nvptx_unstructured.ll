; RUN: lw divergence %s --format llvm | FileCheck-22 %s --check-prefixes=CHECK,OURS --allow-unused-prefixes
; Branches that no structured program has: two ways into a block that is neither's end.
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; CHECK-LABEL: UniformityInfo for function 'crossing':
; CHECK-LABEL: BLOCK c
; CHECK: DIVERGENT: %x = phi
; CHECK-LABEL: BLOCK d
; CHECK: DIVERGENT: %y = phi
; CHECK-LABEL: BLOCK end
; CHECK: DIVERGENT: %z = phi
define ptx_kernel void @crossing(ptr addrspace(1) %out, i32 %n, i32 %m) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = icmp slt i32 %tid, 7
  %q = icmp slt i32 %n, 7
  br i1 %p, label %a, label %b
a:
  br i1 %q, label %c, label %d
b:
  br i1 %q, label %c, label %d
c:
  %x = phi i32 [ 1, %a ], [ 2, %b ]
  br label %end
d:
  %y = phi i32 [ 3, %a ], [ 4, %b ]
  br label %end
end:
  %z = phi i32 [ %n, %c ], [ %m, %d ]
  store i32 %z, ptr addrspace(1) %out
  ret void
}

; A jump past the end of an if.
; CHECK-LABEL: UniformityInfo for function 'past_the_end':
; CHECK-LABEL: BLOCK join
; CHECK: {{^ +}}%x = phi
; CHECK-LABEL: BLOCK end
; CHECK: DIVERGENT: %y = phi
define ptx_kernel void @past_the_end(ptr addrspace(1) %out, i32 %n, i32 %m) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = icmp slt i32 %tid, 7
  %q = icmp slt i32 %n, 7
  br i1 %q, label %a, label %b
a:
  br i1 %p, label %join, label %end
b:
  br label %join
join:
  %x = phi i32 [ 1, %a ], [ 2, %b ]
  br label %end
end:
  %y = phi i32 [ 3, %a ], [ %x, %join ]
  store i32 %y, ptr addrspace(1) %out
  ret void
}
