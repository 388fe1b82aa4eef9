; RUN: lw divergence %s --format llvm | FileCheck-22 %s --check-prefixes=CHECK,OURS --allow-unused-prefixes
; More than two ways out of a block.
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()

; CHECK-LABEL: UniformityInfo for function 'cases':
; CHECK-LABEL: BLOCK entry
; CHECK: DIVERGENT: switch i32 %tid
; CHECK-LABEL: BLOCK both
; CHECK: {{^ +}}%x = phi
; CHECK-LABEL: BLOCK end
; CHECK: DIVERGENT: %y = phi
define amdgpu_kernel void @cases(ptr addrspace(1) %out, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  switch i32 %tid, label %default [ i32 0, label %both
                                    i32 1, label %both
                                    i32 2, label %two ]
both:
  %x = phi i32 [ %n, %entry ], [ %n, %entry ]
  br label %end
two:
  br label %end
default:
  br label %end
end:
  %y = phi i32 [ %x, %both ], [ 2, %two ], [ 3, %default ]
  store i32 %y, ptr addrspace(1) %out
  ret void
}

; CHECK-LABEL: UniformityInfo for function 'by_argument':
; CHECK: ALL VALUES UNIFORM
define amdgpu_kernel void @by_argument(ptr addrspace(1) %out, i32 %n) {
entry:
  switch i32 %n, label %default [ i32 0, label %one ]
one:
  br label %end
default:
  br label %end
end:
  %y = phi i32 [ 2, %one ], [ 3, %default ]
  store i32 %y, ptr addrspace(1) %out
  ret void
}
