; RUN: lw divergence %s --format llvm | FileCheck-22 %s --check-prefixes=CHECK,OURS --allow-unused-prefixes
; What numbers threads, what is the same for a wave, what takes parameters in scalar registers.
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
declare i32 @llvm.amdgcn.readlane.i32(i32, i32)
declare i64 @llvm.amdgcn.ballot.i64(i1)
declare i64 @llvm.amdgcn.icmp.i64.i32(i32, i32, i32)
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @unknown(i32)

; CHECK-LABEL: UniformityInfo for function 'kernel':
; CHECK-NOT: DIVERGENT ARGUMENTS
; CHECK: DIVERGENT: %x = call
; CHECK: DIVERGENT: %y = call
; CHECK: {{^ +}}%g = call
; CHECK: DIVERGENT: %lane = call
; CHECK: {{^ +}}%first = call
; CHECK: {{^ +}}%read = call
; CHECK: {{^ +}}%votes = call
; CHECK: {{^ +}}%cmp = call
; CHECK: {{^ +}}%moved = call
; CHECK: {{^ +}}%m = call
; CHECK: DIVERGENT: %mx = call
; CHECK: DIVERGENT: %u = call
define amdgpu_kernel void @kernel(i32 %n) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %lane = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %first = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %x)
  %read = call i32 @llvm.amdgcn.readlane.i32(i32 %x, i32 3)
  %c = icmp slt i32 %x, %n
  %votes = call i64 @llvm.amdgcn.ballot.i64(i1 %c)
  %cmp = call i64 @llvm.amdgcn.icmp.i64.i32(i32 %x, i32 %n, i32 32)
  %moved = call i32 @llvm.amdgcn.ds.bpermute(i32 %n, i32 %n)
  %m = call i32 @llvm.smax.i32(i32 %n, i32 0)
  %mx = call i32 @llvm.smax.i32(i32 %n, i32 %x)
  %u = call i32 @unknown(i32 %n)
  ret void
}

; CHECK-LABEL: UniformityInfo for function 'function':
; CHECK: DIVERGENT ARGUMENTS:
; CHECK-NEXT: DIVERGENT: i32 %n
; CHECK-NOT: DIVERGENT: %s
; CHECK: BLOCK
define void @function(i32 %n, i32 inreg %s) {
  ret void
}
