; The addresses of lanes that are a stride apart are numbers a stride apart. LLVM's instcombine breaks the program if differences are those of
; vectors of pointers that a scalar address is part of.
; RUN: lw vectorize %s -f f -s 'c, v' -w 2 -o %t.ll
; RUN: FileCheck-22 %s < %t.ll
; RUN: opt-22 -passes=instcombine -verify-each -disable-output %t.ll
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define i64 @f(ptr %p, ptr %q) {
  %at = getelementptr { [8 x i32], [4 x i64] }, ptr %p, i64 0, i32 1, i64 2
  %first = ptrtoaddr ptr %p to i64
  %second = ptrtoaddr ptr %at to i64
  %difference = sub i64 %first, %second
  store i64 %difference, ptr %q, align 8
  %x = load i64, ptr %at, align 8
  ret i64 %x
}
; CHECK-LABEL: @f_v2(
; CHECK: ptrtoaddr ptr %{{.*}} to i64
; CHECK-NOT: ptrtoaddr <2 x ptr>
