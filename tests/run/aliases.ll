; RUN: lw run %s -f f 5 | FileCheck-22 %s
; RUN: lw print %s -o %t.lw
; RUN: lw run %t.lw -f f 5 | FileCheck-22 %s
; Another name of a function or of a place in a variable is that function or place.

; CHECK: thread 0: 52
@table = global [2 x i32] [i32 1, i32 2]
@second = alias i32, getelementptr ([2 x i32], ptr @table, i64 0, i64 1)
@times10 = alias i32 (i32), ptr @impl
define internal i32 @impl(i32 %x) {
  %r = mul i32 %x, 10
  ret i32 %r
}
define i32 @f(i32 %x) {
  %a = call i32 @times10(i32 %x)
  %b = load i32, ptr @second, align 4
  %r = add i32 %a, %b
  ret i32 %r
}
