; A loop with two entries is made reducible on a copy; the function itself stays as it was.
; RUN: lw vectorize %s -f two_entries -s 'v, u -> v' -w 4 | FileCheck-22 %s
; CHECK: define i32 @two_entries(i32 %x, i32 %n)
; CHECK: define <4 x i32> @two_entries_v4(<4 x i32>
define i32 @two_entries(i32 %x, i32 %n) {
entry:
  %c = icmp sgt i32 %x, 5
  br i1 %c, label %a, label %b
a:
  %i = phi i32 [ %x, %entry ], [ %k, %b ]
  %j = add i32 %i, 1
  br label %b
b:
  %l = phi i32 [ 0, %entry ], [ %j, %a ]
  %k = add i32 %l, 2
  %more = icmp slt i32 %k, %n
  br i1 %more, label %a, label %out
out:
  ret i32 %k
}
