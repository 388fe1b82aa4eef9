; RUN: not --exit 2 lw cfa %s 2>&1 | FileCheck-22 %s
; RUN: lw cfa %s --assume-unknown | FileCheck-22 %s --check-prefix=UNKNOWN
; RUN: lw cfa %s --assume-unknown --library | FileCheck-22 %s --check-prefix=LIBRARY
; RUN: printf '(define (f x)\n  (car x)' > %t.open
; RUN: not --exit 2 lw cfa %t.open 2>&1 | FileCheck-22 %s --check-prefix=OPEN
; RUN: printf '(car 1))' > %t.close
; RUN: not --exit 2 lw cfa %t.close 2>&1 | FileCheck-22 %s --check-prefix=CLOSE
; RUN: printf '(if)' > %t.let
; RUN: not --exit 2 lw cfa %t.let 2>&1 | FileCheck-22 %s --check-prefix=LET
; RUN: printf '#<what>' > %t.what
; RUN: not --exit 2 lw cfa %t.what 2>&1 | FileCheck-22 %s --check-prefix=WHAT
; RUN: not --exit 2 lw cfa absent.scm 2>&1 | FileCheck-22 %s --check-prefix=ABSENT
; RUN: mkdir -p %t.dir
; RUN: not --exit 2 lw cfa %t.dir 2>&1 | FileCheck-22 %s --check-prefix=DIRECTORY
; RUN: not --exit 2 lw cfa %s --emit cps --stats 2>&1 | FileCheck-22 %s --check-prefix=BOTH
; What is wrong is said with its place.
(defmacro swap! (a b) `(let ((old ,a)) (set! ,a ,b) (set! ,b old)))
(define x 1)
(define y 2.5)
(swap! x y)
(define (apart f) (f x))

; CHECK: errors.scm:17:11: error: only syntax-rules can define syntax
; UNKNOWN: x: INT, UNKNOWN
; UNKNOWN: never called:
; LIBRARY: apart: procedure apart
; LIBRARY-NOT: never called:
; OPEN: open:1:1: error:
; CLOSE: close:1:8: error:
; LET: let:1:
; WHAT: what:1:1: error:
; ABSENT: absent.scm:
; DIRECTORY: this is a directory
; BOTH: cannot be used with
