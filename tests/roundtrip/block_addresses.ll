; RUN: lw roundtrip %s -o %t.ll
; RUN: FileCheck-22 %s < %t.ll
; Addresses of blocks, in tables and in the code of this and another function, name the new blocks.

; CHECK: @table = constant [2 x ptr] [ptr blockaddress(@f, %a), ptr blockaddress(@f, %b)]
; CHECK: store ptr blockaddress(@f, %b), ptr %p
; CHECK: indirectbr ptr %t, [label %a, label %b]
; CHECK: ret ptr blockaddress(@f, %a)
@table = constant [2 x ptr] [ptr blockaddress(@f, %a), ptr blockaddress(@f, %b)]
define i32 @f(i32 %i, ptr %p) {
entry:
  %s = getelementptr [2 x ptr], ptr @table, i32 0, i32 %i
  %t = load ptr, ptr %s, align 8
  store ptr blockaddress(@f, %b), ptr %p, align 8
  indirectbr ptr %t, [label %a, label %b]
a:
  ret i32 1
b:
  ret i32 2
}
define ptr @g() {
  ret ptr blockaddress(@f, %a)
}
