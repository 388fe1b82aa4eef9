; RUN: lw divergence %s --format llvm | FileCheck-22 %s --check-prefixes=CHECK,OURS --allow-unused-prefixes
; Divergence that no operand shows: a branch inside of a loop decides who leaves.
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()

; CHECK-LABEL: UniformityInfo for function 'hidden_exit':
; CHECK: CYCLES WITH DIVERGENT EXIT:
; CHECK-LABEL: BLOCK end
; CHECK: DIVERGENT: %r = phi
define amdgpu_kernel void @hidden_exit(ptr addrspace(1) %out, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %early = icmp eq i32 %tid, %i
  br i1 %early, label %leave, label %latch
latch:
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %head, label %end
leave:
  br label %end
end:
  %r = phi i32 [ %i, %leave ], [ %next, %latch ]
  store i32 %r, ptr addrspace(1) %out
  ret void
}

; The inner branch decides by which latch an iteration ends, not who leaves.
; CHECK-LABEL: UniformityInfo for function 'hidden_join':
; CHECK-NOT: CYCLES WITH DIVERGENT EXIT:
; CHECK-LABEL: BLOCK join
; CHECK: DIVERGENT: %x = phi
; CHECK: {{^ +}}%same = phi
define amdgpu_kernel void @hidden_join(ptr addrspace(1) %out, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %join ]
  %c = icmp eq i32 %tid, 0
  br i1 %c, label %a, label %b
a:
  %p = add i32 %i, 3
  br label %join
b:
  %q = add i32 %i, 5
  br label %join
join:
  %x = phi i32 [ %p, %a ], [ %q, %b ]
  %same = phi i32 [ %n, %a ], [ %n, %b ]
  %next = add i32 %i, 1
  store i32 %x, ptr addrspace(1) %out
  %more = icmp slt i32 %next, %same
  br i1 %more, label %head, label %end
end:
  store i32 %next, ptr addrspace(1) %out
  ret void
}
