;; Procedures that make procedures: who is called where?
(define (compose f g)
  (lambda (x) (f (g x))))

(define (twice f) (compose f f))

(define (add1 n) (+ n 1))
(define (square n) (* n n))
(define (unused n) (add1 n))

(define step (twice add1))
(define shape (compose square step))

(display (shape 3))
(newline)

;; The empty list never gets a first element.
(define (first-or-zero list)
  (if (pair? list) (car list) 0))
(display (first-or-zero '()))

;; This cannot work, and the analysis says so.
(if (> (shape 1) 100)
    (square 1 2))
