; A divergent loop with two exits. The test `vectorized` of lw-llvm compiles it and compares with the scalar function.
; RUN: lw vectorize %s -f escape -s 'v, v, u -> v' -w 8 | FileCheck-22 %s
; RUN: lw vectorize %s -f escape -s 'v, v, u -> v' -w 8 --emit s -o %t
; RUN: lw vectorize %s -f escape -s 'v, v, u -> v' -w 8 --emit o -o %t
; RUN: lw vectorize %s -f escape -s 'v, v, u -> v' -w 8 --masked --name masked | FileCheck-22 --check-prefix=MASKED %s
; RUN: lw vectorize %s -f escape -s 'v, v, u -> v' --stop-after divergent-loops --emit lw | FileCheck-22 --check-prefix=LOOPS %s
; RUN: lw vectorize %s -f escape -s 'v, v, u -> v' --stop-after linearize --emit lw | FileCheck-22 --check-prefix=LINES %s
; RUN: not --exit 1 lw vectorize %s -f escape -s 'v, v, u -> u' 2>&1 | FileCheck-22 --check-prefix=WHY %s
; RUN: not --exit 2 lw vectorize %s -f escape -s 'v, v' 2>&1 | FileCheck-22 --check-prefix=FEW %s
; RUN: not --exit 2 lw vectorize %s -f escape --stop-after linearize 2>&1 | FileCheck-22 --check-prefix=STOP %s

; The scalar function stays; the count of iterations stays scalar.
; CHECK: define i32 @escape(float
; CHECK: define <8 x i32> @escape_v8(<8 x float>{{.*}}, <8 x float>{{.*}}, i32
; CHECK-DAG: phi i32 [ 0,
; CHECK-DAG: phi <8 x float>
; CHECK: call i1 @llvm.vector.reduce.or.v8i1
; CHECK: add nuw nsw i32

; MASKED: define <8 x i32> @masked(<8 x float>{{.*}}, <8 x float>{{.*}}, i32{{.*}}, <8 x i1>

; LOOPS: phi i1 [ true, {{.*}} shadow false
; LOOPS: total any i1

; LINES: when %

; WHY: not vectorized: `ret i32 %{{.*}}`: the result differs between threads; declare the result varying
; FEW: 2 shapes for the 3 parameters of @escape
; STOP: use --emit lw

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

define i32 @escape(float %cx, float %cy, i32 %limit) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %x = phi float [ 0.0, %entry ], [ %nx, %body ]
  %y = phi float [ 0.0, %entry ], [ %ny, %body ]
  %more = icmp slt i32 %i, %limit
  br i1 %more, label %body, label %out
body:
  %xx = fmul float %x, %x
  %yy = fmul float %y, %y
  %d = fsub float %xx, %yy
  %nx = fadd float %d, %cx
  %xy = fmul float %x, %y
  %xy2 = fmul float %xy, 2.0
  %ny = fadd float %xy2, %cy
  %next = add nuw nsw i32 %i, 1
  %r = fadd float %xx, %yy
  %far = fcmp ogt float %r, 4.0
  br i1 %far, label %out, label %head
out:
  %n = phi i32 [ %i, %head ], [ %i, %body ]
  ret i32 %n
}
