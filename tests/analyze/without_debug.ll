; RUN: lw analyze %s --analysis ranges | FileCheck-22 %s
; RUN: lw analyze %s -a bounds -f store | FileCheck-22 %s --check-prefix=ONE
; RUN: lw analyze %s -a constants --format json | FileCheck-22 %s --check-prefix=JSON
; RUN: lw roundtrip %s -o %t.bc
; RUN: lw analyze %t.bc -a bounds -f store | FileCheck-22 %s --check-prefix=ONE
; Without debug information facts stand at the instructions.

; CHECK: @clamp
; CHECK-NEXT: 1 | func @clamp(i32 %x) -> i32 {
; CHECK: 3 |   %c = icmp ult i32 %x, 10
; CHECK-NEXT: · %x in [0, 9] if %c is true
; CHECK: 6 |   %y = add i32 %x, 1
; CHECK-NEXT: · %y in [1, 10]

; ONE-NOT: @clamp
; ONE: store i32 0, ptr %p
; ONE-NEXT: ? *%p (store) may be out of bounds
; ONE-NEXT: %p is a parameter

; JSON: "kind": "ir"
; JSON: "name": "@clamp"
define i32 @clamp(i32 %x) {
entry:
  %c = icmp ult i32 %x, 10
  br i1 %c, label %small, label %large
small:
  %y = add i32 %x, 1
  ret i32 %y
large:
  ret i32 10
}

define void @store(ptr %p) {
  store i32 0, ptr %p, align 4
  ret void
}
