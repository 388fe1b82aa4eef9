; RUN: lw divergence %s --format llvm | FileCheck-22 %s --check-prefixes=CHECK,OURS --allow-unused-prefixes
; Thread numbers, lanes, blocks; parameters of kernels and of functions; calls.
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @unknown(i32)

; CHECK-LABEL: UniformityInfo for function 'kernel':
; CHECK-NOT: DIVERGENT ARGUMENTS
; CHECK: DIVERGENT: %x = call
; CHECK: DIVERGENT: %y = call
; CHECK: DIVERGENT: %l = call
; CHECK: DIVERGENT: %b = call
; CHECK: DIVERGENT: %m = call
; CHECK: DIVERGENT: %u = call
; CHECK: {{^ +}}%k = add i32 %n, 1
define ptx_kernel void @kernel(i32 %n) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %l = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %m = call i32 @llvm.smax.i32(i32 %n, i32 0)
  %u = call i32 @unknown(i32 %n)
  %k = add i32 %n, 1
  ret void
}

; CHECK-LABEL: UniformityInfo for function 'function':
; CHECK: DIVERGENT ARGUMENTS:
; CHECK-NEXT: DIVERGENT: i32 %n
; CHECK: DIVERGENT: %k = add i32 %n, 1
; CHECK: DIVERGENT: ret i32 %k
define i32 @function(i32 %n) {
  %k = add i32 %n, 1
  ret i32 %k
}
