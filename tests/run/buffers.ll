; RUN: lw run %s -f saxpy -t 4 2.0 f32:[1,2,3,4]@lane f32:[10,20,30,40]@lane | FileCheck-22 %s
; RUN: not --exit 1 lw run %s -f saxpy -t 4 2.0 f32:[1,2,3]@lane 'f32*4@lane' | FileCheck-22 %s --check-prefix=BOUNDS
; Buffers on the command line are shown after the run; an access outside of them is an error at its instruction.

; CHECK: argument 2: f32:[1.0, 2.0, 3.0, 4.0]
; CHECK: argument 3: f32:[12.0, 24.0, 36.0, 48.0]
; BOUNDS: thread 3
define void @saxpy(float %a, ptr %x, ptr %y) {
  %xv = load float, ptr %x, align 4
  %yv = load float, ptr %y, align 4
  %ax = fmul float %a, %xv
  %r = fadd float %ax, %yv
  store float %r, ptr %y, align 4
  ret void
}
