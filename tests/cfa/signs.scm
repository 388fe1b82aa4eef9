; RUN: lw cfa %s | FileCheck-22 %s
; RUN: lw cfa %s --constants signs | FileCheck-22 %s --check-prefix=SIGNS
; RUN: lw cfa %s --constants signs --format json > %t.delta
; RUN: lw cfa %s --constants signs --format json --engine matrix --threads 2 > %t.matrix
; RUN: lw cfa %s --constants signs --format json --engine reference > %t.reference
; RUN: diff <(grep -v '"engine"' %t.delta) <(grep -v '"engine"' %t.matrix)
; RUN: diff <(grep -v '"engine"' %t.delta) <(grep -v '"engine"' %t.reference)
; With signs, numbers decide branches.
(define (distance a b)
  (if (negative? b) (+ a (- b)) (fail)))
(define (fail) (display "no distance"))
(display (distance 3 -4))
(display (distance 1/2 -2.5))

; CHECK: signs.scm:9:19: a: INT, RATIO
; CHECK-NEXT: signs.scm:9:21: b: INT, REAL
; CHECK-NOT: never called
; SIGNS: signs.scm:10:33: never reached
; SIGNS: signs.scm:9:19: a: INT>0, RATIO>0
; SIGNS-NEXT: signs.scm:9:21: b: INT<0, REAL<0
; SIGNS: never called:
; SIGNS-NEXT: signs.scm:11:1: fail
