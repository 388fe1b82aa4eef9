; RUN: not --exit 2 lw roundtrip %s -o %t.bc 2>&1 | FileCheck-22 %s
; RUN: test ! -e %t.bc
; A module that LLVM rejects is named with line and column, and no output is written.

; CHECK: broken.ll:[[#@LINE+2]]:{{[0-9]+}}: {{.*}}type
define i32 @f(i32 %x) {
  %y = add i64 %x, 1
  ret i32 %y
}
