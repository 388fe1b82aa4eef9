; Short vectors of conditions are put together as bytes. Of conditions LLVM would make shuffles, and of some of them (constants among the
; elements, AVX-512) LLVM 22 makes a shift of a mask that brings in bits from behind the vector.
; RUN: lw vectorize %s -f f -s 'c, v' -w 8 -o %t.ll
; RUN: FileCheck-22 %s < %t.ll
; RUN: opt-22 -O2 -mcpu=x86-64-v4 -S -o %t.opt.ll %t.ll
; RUN: FileCheck-22 --check-prefix=OPT %s < %t.opt.ll
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define void @f(ptr %p, i8 %x) {
  %bits = bitcast i8 %x to <8 x i1>
  %some = mul <8 x i1> %bits, <i1 true, i1 true, i1 true, i1 true, i1 false, i1 true, i1 true, i1 false>
  store <8 x i1> %some, ptr %p, align 1
  ret void
}
; CHECK-LABEL: @f_v8(
; CHECK-NOT: insertelement <8 x i1>
; CHECK: store <8 x i1>

; OPT-LABEL: @f_v8(
; OPT-NOT: shufflevector <8 x i1> <i1
; OPT-NOT: shufflevector <8 x i1> {{.*}}, <8 x i1> <i1
; OPT: ret void
