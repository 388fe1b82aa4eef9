; RUN: lw run %s -f reduce -t 4 f32:[1,2,3,4] 'f32*1' | FileCheck-22 %s
; RUN: lw roundtrip %s
; A CUDA kernel as clang writes it: thread ids, shared memory, barriers and atomics.

; CHECK: argument 2: f32:[10.0]
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
@tile = internal addrspace(3) global [4 x float] undef, align 4
@launches = addrspace(1) externally_initialized global i32 0, align 4

define ptx_kernel void @reduce(ptr %in, ptr %out) {
entry:
  %t = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %from = getelementptr inbounds float, ptr %in, i64 %i
  %v = load float, ptr %from, align 4
  %mine = getelementptr inbounds [4 x float], ptr addrspace(3) @tile, i64 0, i64 %i
  store float %v, ptr addrspace(3) %mine, align 4
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %loop
loop:
  %s = phi i32 [ 2, %entry ], [ %half, %next ]
  %works = icmp ult i32 %t, %s
  br i1 %works, label %add, label %next
add:
  %j = add i32 %t, %s
  %other = getelementptr inbounds [4 x float], ptr addrspace(3) @tile, i32 0, i32 %j
  %a = load float, ptr addrspace(3) %mine, align 4
  %b = load float, ptr addrspace(3) %other, align 4
  %sum = fadd float %a, %b
  store float %sum, ptr addrspace(3) %mine, align 4
  br label %next
next:
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %half = lshr i32 %s, 1
  %more = icmp ne i32 %half, 0
  br i1 %more, label %loop, label %done
done:
  %first = icmp eq i32 %t, 0
  br i1 %first, label %write, label %end
write:
  %r = load float, ptr addrspace(3) @tile, align 4
  store float %r, ptr %out, align 4
  %n = atomicrmw add ptr addrspace(1) @launches, i32 1 syncscope("agent") monotonic, align 4
  br label %end
end:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
