; RUN: lw cfa %s --engine delta --format json | grep -v '"engine"' > %t.delta
; RUN: lw cfa %s --engine cuda --streams 1 --format json > %t.cuda 2> %t.said; echo "exit $?" >> %t.said
; RUN: if grep -q 'exit 0' %t.said; then grep -v '"engine"' %t.cuda | diff %t.delta -; else FileCheck-22 %s < %t.said; fi
; RUN: not --exit 2 lw cfa %s --engine cuda --streams 0 2>&1 | FileCheck-22 %s --check-prefix=STREAMS
; The engine cuda finds the same, with one stream or several; without a GPU it says so, and nothing else happens.
(define (twice f) (lambda (x) (f (f x))))
(display ((twice (lambda (n) (* n n))) 3))

; CHECK: lw: {{.*}}; {{.*}}use another engine
; CHECK: exit 3
; STREAMS: 0 is not in 1..=64
