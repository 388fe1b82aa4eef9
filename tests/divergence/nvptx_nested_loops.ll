; RUN: lw divergence %s --format llvm | FileCheck-22 %s --check-prefixes=CHECK,OURS --allow-unused-prefixes
; Loops inside of each other: what is left, and how far out.
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; The inner loop is left in different iterations, the outer one is not.
; CHECK-LABEL: UniformityInfo for function 'inner':
; CHECK: CYCLES WITH DIVERGENT EXIT:
; CHECK-NEXT: depth=2: entries(inner)
; CHECK-NOT: depth=1
; CHECK-LABEL: BLOCK latch
; CHECK: DIVERGENT: %use = add i32 %j
; CHECK: {{^ +}}%next = add i32 %i
; CHECK-LABEL: BLOCK end
; CHECK: {{^ +}}store i32 %next
define ptx_kernel void @inner(ptr addrspace(1) %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %jnext, %inner ]
  %jnext = add i32 %j, 1
  %c = icmp slt i32 %jnext, %tid
  br i1 %c, label %inner, label %latch
latch:
  %use = add i32 %j, 1
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %outer, label %end
end:
  store i32 %next, ptr addrspace(1) %out
  ret void
}

; A branch in the inner loop leaves both.
; CHECK-LABEL: UniformityInfo for function 'both':
; CHECK: CYCLES WITH DIVERGENT EXIT:
; CHECK-DAG: depth=1: entries(outer) latch inner step
; CHECK-LABEL: BLOCK end
; CHECK: DIVERGENT: %r = phi
define ptx_kernel void @both(ptr addrspace(1) %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %jnext, %step ]
  %c = icmp eq i32 %j, %tid
  br i1 %c, label %end, label %step
step:
  %jnext = add i32 %j, 1
  %d = icmp slt i32 %jnext, %n
  br i1 %d, label %inner, label %latch
latch:
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %outer, label %end
end:
  %r = phi i32 [ %i, %inner ], [ %next, %latch ]
  store i32 %r, ptr addrspace(1) %out
  ret void
}
