; RUN: lw divergence %s --format llvm | FileCheck-22 %s --check-prefixes=CHECK,OURS --allow-unused-prefixes
; Threads that part in a loop meet at its exit over different edges.
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()

; CHECK-LABEL: UniformityInfo for function 'two_exits':
; CHECK-LABEL: BLOCK end
; CHECK: DIVERGENT: %r = phi
define amdgpu_kernel void @two_exits(ptr addrspace(1) %out, i32 %n, i32 %m) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  br label %parting
parting:
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
  %r = phi i32 [ %n, %left ], [ %m, %right ]
  store i32 %r, ptr addrspace(1) %out
  ret void
}

; All leave over one edge in the same iteration: the branch before it did not matter.
; CHECK-LABEL: UniformityInfo for function 'one_exit':
; CHECK-NOT: CYCLES WITH DIVERGENT EXIT:
; CHECK-LABEL: BLOCK end
; CHECK: {{^ +}}store i32 %i,
define amdgpu_kernel void @one_exit(ptr addrspace(1) %out, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %c = icmp slt i32 %tid, %n
  br i1 %c, label %left, label %latch
left:
  br label %latch
latch:
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %head, label %end
end:
  store i32 %i, ptr addrspace(1) %out
  ret void
}
