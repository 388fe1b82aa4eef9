; RUN: lw cfa %s --emit cps | FileCheck-22 %s
; Tail calls hand on their continuation, others make one (κ); labels say where an expression comes from.
(define (compose f g)
  (lambda (x) (f (g x))))
(define (add1 n) (+ n 1))
(display ((compose add1 add1) 3))

; CHECK: (fix ((compose.[[C:[0-9]+]] (λ{{[0-9]+}} (k.[[K:[0-9]+]] f.[[F:[0-9]+]] g.[[G:[0-9]+]])
; CHECK-NEXT: (k.[[K]] (λ{{[0-9]+}} (k.[[J:[0-9]+]] x.[[X:[0-9]+]])
; CHECK-NEXT: (g.[[G]] (κ{{[0-9]+}} (t.[[T:[0-9]+]])
; CHECK-NEXT: (f.[[F]] k.[[J]] t.[[T]]){{.}}{{[0-9]+}} 4:15}) x.[[X]]){{.}}{{[0-9]+}} 4:18})){{.*}}
; CHECK-NEXT: (add1.[[A:[0-9]+]] (λ{{[0-9]+}} (k.[[L:[0-9]+]] n.[[N:[0-9]+]])
; CHECK-NEXT: (prim + n.[[N]] '1 k.[[L]])
; CHECK: (compose.[[C]] (κ{{[0-9]+}} (t.[[R:[0-9]+]])
; CHECK: (prim display
; CHECK: (halt)
