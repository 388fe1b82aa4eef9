; RUN: lw cfa %s | FileCheck-22 %s
; RUN: lw cfa %s --format json > %t.delta
; RUN: lw cfa %s --format json --engine matrix > %t.matrix
; RUN: lw cfa %s --format json --engine reference > %t.reference
; RUN: diff <(grep -v '"engine"' %t.delta) <(grep -v '"engine"' %t.matrix)
; RUN: diff <(grep -v '"engine"' %t.delta) <(grep -v '"engine"' %t.reference)
; RUN: lw cfa %s --engine eigen | FileCheck-22 %s --check-prefix=EIGEN
; RUN: lw cfa %s --format dot | FileCheck-22 %s --check-prefix=DOT
; RUN: lw cfa %s --format html | FileCheck-22 %s --check-prefix=HTML
; RUN: lw cfa %s --emit cps | FileCheck-22 %s --check-prefix=CPS
; RUN: lw cfa %s --stats | FileCheck-22 %s --check-prefix=STATS
; Procedures that make procedures.
(define (compose f g)
  (lambda (x) (f (g x))))
(define (add1 n) (+ n 1))
(define (square n) (* n n))
(define (unused n) (add1 n))
(define shape (compose square add1))
(display (if (pair? '()) (shape 3) (shape 4)))
(if (> (shape 1) 100) (square 1 2))

; CHECK: 8 calls, 6 reached, 5 with one callee
; CHECK: errors that must happen where they are reached:
; CHECK-NEXT: compose.scm:20:23: 2 arguments for a procedure that takes 1
; CHECK: compose.scm:14:15: square at {{.*}}compose.scm:16:1 (inlinable)
; CHECK: compose.scm:14:18: add1 at {{.*}}compose.scm:15:1 (inlinable)
; CHECK: compose.scm:17:20: never reached
; CHECK: compose.scm:13:18: f: procedure square at
; CHECK: compose.scm:14:12: x: INT
; CHECK: compose.scm:17:17: n: never has a value
; CHECK: never called:
; CHECK-NEXT: compose.scm:17:1: unused
; CHECK: never reached:
; CHECK-NEXT: compose.scm:19:26

; EIGEN-NOT: never called:

; DOT: digraph calls {
; DOT: label="top level"
; DOT: ->

; HTML: <!doctype html>
; HTML: <svg
; HTML: takes 1

; CPS: (fix
; STATS: operations
