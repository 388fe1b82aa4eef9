; RUN: lw divergence %s --format llvm | FileCheck-22 %s --check-prefixes=CHECK,OURS --allow-unused-prefixes
; A counter of a loop that threads leave in different iterations is the same for all of them inside, not behind.
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; CHECK-LABEL: UniformityInfo for function 'counter':
; CHECK: CYCLES WITH DIVERGENT EXIT:
; CHECK-NEXT: depth=1: entries(loop)
; CHECK: TEMPORAL DIVERGENCE LIST:
; CHECK-NEXT: Value         :  %next = add i32 %i, 1
; CHECK-NEXT: Used by       :  %after = mul i32 %next, %n
; CHECK-NEXT: Outside cycle :depth=1: entries(loop)
; CHECK-LABEL: BLOCK loop
; CHECK-NOT: DIVERGENT: %i =
; CHECK-NOT: DIVERGENT: %next =
; CHECK: DIVERGENT: %c = icmp
; CHECK: DIVERGENT: br i1 %c
; CHECK-LABEL: BLOCK end
; CHECK: DIVERGENT: %after = mul
; CHECK: DIVERGENT: store i32 %after
define ptx_kernel void @counter(ptr addrspace(1) %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %c = icmp slt i32 %next, %tid
  br i1 %c, label %loop, label %end
end:
  %after = mul i32 %next, %n
  store i32 %after, ptr addrspace(1) %out
  ret void
}

; Leaving by an argument does no harm.
; CHECK-LABEL: UniformityInfo for function 'together':
; CHECK-NEXT: ALL VALUES UNIFORM
define ptx_kernel void @together(ptr addrspace(1) %out, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %c = icmp slt i32 %next, %n
  br i1 %c, label %loop, label %end
end:
  store i32 %next, ptr addrspace(1) %out
  ret void
}

; A closed form of the loop: the φ at the exit.
; CHECK-LABEL: UniformityInfo for function 'closed':
; CHECK-LABEL: BLOCK end
; CHECK: DIVERGENT: %last = phi
define ptx_kernel void @closed(ptr addrspace(1) %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %c = icmp slt i32 %next, %tid
  br i1 %c, label %loop, label %end
end:
  %last = phi i32 [ %next, %loop ]
  store i32 %last, ptr addrspace(1) %out
  ret void
}
