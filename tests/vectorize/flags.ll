; What lanes do one after the other yields conditions, here the flags of compare-and-exchange. They are collected as bytes: where masks have
; registers, LLVM's fast instruction selection ends with an error on flags that become elements of a mask in a block that it finds dead.
; RUN: lw vectorize %s -f f -s 'v, v' -w 3 -o %t.ll
; RUN: FileCheck-22 %s < %t.ll
; RUN: llc-22 -O0 %t.ll -o /dev/null
; RUN: llc-22 -O2 %t.ll -o /dev/null
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define void @f(ptr %p, ptr %q) #0 {
  %dead = icmp sgt i64 0, 0
  br i1 %dead, label %exchange, label %end
exchange:
  %both = cmpxchg weak ptr %p, i32 0, i32 0 acq_rel monotonic, align 4
  %done = extractvalue { i32, i1 } %both, 1
  store i1 %done, ptr %q, align 1
  br label %end
end:
  ret void
}

attributes #0 = { nounwind "target-cpu"="x86-64-v4" }
; CHECK-LABEL: @f_v3(
; CHECK: %[[BOTH:.*]] = cmpxchg weak ptr
; CHECK: %[[DONE:.*]] = extractvalue { i32, i1 } %[[BOTH]], 1
; CHECK: %[[BYTE:.*]] = zext i1 %[[DONE]] to i8
; CHECK: insertelement <3 x i8> poison, i8 %[[BYTE]], i64 0
; CHECK: icmp ne <3 x i8>
