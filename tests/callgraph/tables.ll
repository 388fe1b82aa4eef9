; RUN: lw callgraph %s --entry main | FileCheck-22 %s
; RUN: lw callgraph %s | FileCheck-22 %s --check-prefix=LIBRARY
; RUN: lw callgraph %s --entry main --format dot | FileCheck-22 %s --check-prefix=DOT
; RUN: lw callgraph %s --entry main --format json > %t.delta
; RUN: lw callgraph %s --entry main --format json --engine matrix > %t.matrix
; RUN: lw callgraph %s --entry main --format json --engine reference > %t.reference
; RUN: diff <(grep -v '"engine"' %t.delta) <(grep -v '"engine"' %t.matrix)
; RUN: diff <(grep -v '"engine"' %t.delta) <(grep -v '"engine"' %t.reference)
; RUN: lw callgraph %s --entry main --format json --engine cuda > %t.cuda 2> %t.said; echo "exit $?" >> %t.said
; RUN: if grep -q 'exit 0' %t.said; then diff <(grep -v '"engine"' %t.delta) <(grep -v '"engine"' %t.cuda); else FileCheck-22 %s --check-prefix=CUDA < %t.said; fi
; RUN: lw callgraph %s --entry main --format html | FileCheck-22 %s --check-prefix=HTML
; RUN: not --exit 2 lw callgraph %s --entry start 2>&1 | FileCheck-22 %s --check-prefix=ENTRY
; RUN: not --exit 2 lw callgraph %s %s 2>&1 | FileCheck-22 %s --check-prefix=TWICE
; RUN: printf '0 one\n1 plus\n' > %t.seen
; RUN: lw callgraph %s --entry main --observed %t.seen | FileCheck-22 %s --check-prefix=SEEN
; RUN: printf '0 plus\n' > %t.wrong
; RUN: not --exit 1 lw callgraph %s --entry main --observed %t.wrong | FileCheck-22 %s --check-prefix=WRONG
; RUN: lw callgraph %s --instrument %t.bc | FileCheck-22 %s --check-prefix=COUNT
; RUN: lw print %t.bc | FileCheck-22 %s --check-prefix=LOG
; Tables of functions, fields of structs, and functions that nobody calls.

%ops = type { ptr, ptr }

@table = internal constant [2 x ptr] [ptr @one, ptr @two]
@ops = internal global %ops { ptr @plus, ptr @minus }

define internal i32 @one() {
  ret i32 1
}
define internal i32 @two() {
  ret i32 2
}
define internal i32 @plus(i32 %a) {
  ret i32 %a
}
define internal i32 @minus(i32 %a) {
  %b = sub i32 0, %a
  ret i32 %b
}
define internal i32 @nobody() {
  %r = call i32 @only_nobody()
  ret i32 %r
}
define internal i32 @only_nobody() {
  ret i32 3
}
define i32 @main(i32 %argc, ptr %argv) {
  %i = zext i32 %argc to i64
  %p = getelementptr [2 x ptr], ptr @table, i64 0, i64 %i
  %f = load ptr, ptr %p
  %a = call i32 %f()
  %g = load ptr, ptr @ops
  %b = call i32 %g(i32 %a)
  ret i32 %b
}

; CHECK: 7 functions, 3 of them never called; 0 functions outside
; CHECK: 2 calls through pointers, 2 of them reached, 0 of these
; CHECK: 1.5 targets on average; 2.0 functions of the same type
; CHECK: in main: 2 targets
; CHECK-NEXT: one
; CHECK-NEXT: two
; CHECK: in main: 1 target (address taken and of this type: 2)
; CHECK-NEXT: plus
; CHECK: never called:
; CHECK-NEXT: minus
; CHECK-NEXT: nobody
; CHECK-NEXT: only_nobody

; LIBRARY: 3 of them never called

; DOT: digraph calls {
; DOT-NOT: nobody
; DOT: -> f{{[0-9]+}} [style=dashed];

; HTML: <!doctype html>
; HTML: <svg
; HTML: only_nobody

; ENTRY: --entry start: no module defines this function
; TWICE: given twice
; SEEN: 2 targets seen at 2 of 2 calls through pointers, 0 not in the graph
; WRONG: in main: plus was called, and is not in the graph
; COUNT: 2 calls through pointers
; LOG: @lw_indirect_call(i32 0, ptr %f)
; LOG: @lw_indirect_call(i32 1, ptr %g)

; CUDA: lw: {{.*}}; {{.*}}use another engine
; CUDA: exit 3
