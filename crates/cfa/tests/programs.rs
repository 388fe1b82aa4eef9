//! Programs in Scheme: what they display, on an interpreter that holds every step against the solution all engines agree on.

mod common;
use common::output;

#[test]
fn definitions_and_loops() {
    assert_eq!(output("(define (f n) (if (= n 0) 1 (* n (f (- n 1))))) (display (f 5))"), "120");
    assert_eq!(output("(define x 1) (define x 2) (set! x (+ x 1)) (display x)"), "3");
    assert_eq!(output("(let loop ((i 0)) (when (< i 3) (display i) (loop (+ i 1))))"), "012");
    assert_eq!(output("(do ((i 0 (+ i 1)) (l '() (cons i l))) ((= i 3) (display l)))"), "(2 1 0)");
    assert_eq!(output("(define (f . r) r) (display (f)) (display (f 1 2))"), "()(1 2)");
    assert_eq!(output("(define ((adder n) m) (+ n m)) (display ((adder 2) 3))"), "5");
    assert_eq!(
        output(
            "(letrec ((ev? (lambda (n) (if (= n 0) #t (od? (- n 1))))) (od? (lambda (n) (if (= n 0) #f (ev? (- n 1)))))) (display (ev? 10)))"
        ),
        "#t"
    );
    assert_eq!(
        output("(define (f) (define a 1) (display a) (define b (+ a 1)) b) (display (f))"),
        "12"
    );
    assert_eq!(output("(let* ((x 1) (y (+ x 1))) (display y))"), "2");
    assert_eq!(output("(begin) (begin (define z 4)) (display z)"), "4");
}

#[test]
fn conditionals() {
    assert_eq!(output("(display (cond ((assv 2 '((1 . a) (2 . b))) => cdr) (else 'no)))"), "b");
    assert_eq!(output("(display (cond (#f 1))) (display (cond (3)))"), "#<Void>3");
    assert_eq!(
        output(
            "(define (f x) (case x ((1 2) 'low) ((3) => (lambda (y) (* y y))) (else 'high))) (display (list (f 1) (f 3) (f 9)))"
        ),
        "(low 9 high)"
    );
    assert_eq!(
        output("(display (list (and) (and 1 2) (or) (or #f 3) (unless #f 5) (when #t 6)))"),
        "(#t 2 #f 3 5 6)"
    );
}

#[test]
fn data() {
    assert_eq!(output("(display `(1 ,(+ 1 1) ,@(list 3 4) . 5))"), "(1 2 3 4 . 5)");
    assert_eq!(output("(display `(1 `(2 ,(3 ,(+ 1 3)))))"), "(1 (quasiquote (2 (unquote (3 4)))))");
    assert_eq!(output("(display `#(1 ,(+ 1 1)))"), "#(1 2)");
    assert_eq!(
        output(
            "(define v (make-vector 2 'a)) (vector-set! v 0 1) (display v) (display (vector-map (lambda (x) x) v))"
        ),
        "#(1 a)#(1 a)"
    );
    assert_eq!(
        output("(display (append '(1) '(2 3) 4)) (display (reverse '(1 2 3)))"),
        "(1 2 3 . 4)(3 2 1)"
    );
    assert_eq!(
        output("(define l (list 1 2)) (set-car! l 'x) (set-cdr! (cdr l) '(y)) (display l)"),
        "(x 2 y)"
    );
    assert_eq!(
        output(
            "(define t (make-hash-table)) (hash-table-set! t 'a 1) (hash-table-update! t 'a (lambda (x) (+ x 1))) (display (hash-table-ref/default t 'a 0)) (display (hash-table-ref t 'b (lambda () 'none)))"
        ),
        "2none"
    );
    assert_eq!(
        output("(display (sort '(3 1 2) <)) (display (sort (vector 3 1 2) <))"),
        "(1 2 3)#(1 2 3)"
    );
    assert_eq!(output("(string-for-each (lambda (c) (display (char-upcase c))) \"abc\")"), "ABC");
    assert_eq!(output("(display (map + '(1 2) '(10 20))) (for-each display '(1 2))"), "(11 22)12");
    assert_eq!(
        output("(display (fold-left cons '() '(1 2))) (display (fold-right cons '() '(1 2)))"),
        "((() . 1) . 2)(1 2)"
    );
}

/// Procedures that a table is made with are called with its keys and with those that are looked up; the interpreter has its own.
#[test]
fn procedures_of_tables_are_called() {
    let text = "(define (same? a b) (eqv? a b)) (define (code k) 1) (define t (make-hash-table same? code)) \
                (hash-table-set! t 'a 1) (display (hash-table-ref/default t \"b\" 0)) (define f (hash-table-equivalence-function t))";
    assert_eq!(output(text), "0");
    let analysis = common::analyze(text);
    let values = |name: &str| {
        let var = analysis.core.vars.iter().position(|var| &*var.name == name).unwrap();
        let values = analysis.solution.store[var].iter();
        let values = values.map(|value| &analysis.lowered.program.values[value as usize]);
        values.map(|value| format!("{value:?}")).collect::<Vec<_>>()
    };
    assert_eq!(values("k"), ["Basic(Str)", "Basic(Symbol)"]);
    assert_eq!(values("b"), ["Basic(Str)", "Basic(Symbol)"]);
    assert!(values("f").iter().any(|value| value.contains("Lambda")));
}

#[test]
fn tables_are_copied_and_merged() {
    assert_eq!(
        output(
            "(define t (alist->hash-table '((a . 1) (b . 2)))) (define u (hash-table-copy t)) (hash-table-delete! t 'a) \
             (hash-table-merge! t (alist->hash-table '((c . 3)))) \
             (display (list (hash-table-exists? t 'a) (hash-table-ref t 'c) (hash-table-count u) (hash-table-size t)))"
        ),
        "(#f 3 2 2)"
    );
}

#[test]
fn records() {
    let point =
        "(define-record-type point (make-point x y) point? (x point-x set-point-x!) (y point-y))";
    assert_eq!(
        output(&format!(
            "{point} (define p (make-point 1 2)) (set-point-x! p 5) (display (list (point-x p) (point-y p) (point? p) (point? 1)))"
        )),
        "(5 2 #t #f)"
    );
    assert_eq!(
        output(&format!("{point} (display (map point-x (map make-point '(1 2) '(3 4))))")),
        "(1 2)"
    );
    assert_eq!(
        output("(define-record-type <t> (make-t b) t? (a t-a) (b t-b)) (display (t-b (make-t 7)))"),
        "7"
    );
}

#[test]
fn control() {
    assert_eq!(output("(display (call/cc (lambda (k) (+ 1 (k 42)))))"), "42");
    assert_eq!(
        output(
            "(define k #f) (define n 0) (display (+ 1 (call/cc (lambda (c) (set! k c) 1)))) (set! n (+ n 1)) (if (< n 3) (k n))"
        ),
        "223"
    );
    assert_eq!(
        output("(call-with-values (lambda () (values 1 2)) (lambda (a b) (display (+ a b))))"),
        "3"
    );
    assert_eq!(
        output("(let-values (((a . r) (values 1 2 3)) ((b) (values 4))) (display (list a r b)))"),
        "(1 (2 3) 4)"
    );
    assert_eq!(
        output("(define-values (a b . c) (values 1 2 3)) (display (list a b c))"),
        "(1 2 (3))"
    );
    assert_eq!(output("(receive (a b) (values 1 2) (display b))"), "2");
    assert_eq!(output("(display (apply + 1 2 '(3 4))) (display (apply list '(1)))"), "10(1)");
    assert_eq!(
        output(
            "(define f (case-lambda ((a) 'one) ((a b) 'two) ((a . r) r))) (display (list (f 1) (f 1 2) (f 1 2 3)))"
        ),
        "(one two (2 3))"
    );
    assert_eq!(
        output(
            "(dynamic-wind (lambda () (display 'in)) (lambda () (display 'body)) (lambda () (display 'out)))"
        ),
        "inbodyout"
    );
    assert_eq!(
        output(
            "(call/cc (lambda (k) (dynamic-wind (lambda () (display 'in)) (lambda () (k 1)) (lambda () (display 'out))))) (display 'end)"
        ),
        "inoutend"
    );
    assert_eq!(
        output("(display (guard (e (#t (list 'caught e))) (raise 'boom)))"),
        "(caught boom)"
    );
    assert_eq!(
        output(
            "(display (guard (e ((symbol? e) 'sym)) (guard (e2 ((string? e2) 'str)) (raise 'x))))"
        ),
        "sym"
    );
    assert_eq!(
        output(
            "(display (guard (e ((error-object? e) (error-object-message e))) (error \"bad\" 1 2)))"
        ),
        "bad"
    );
    assert_eq!(
        output(
            "(display (with-exception-handler (lambda (e) 10) (lambda () (+ 1 (raise-continuable 'c)))))"
        ),
        "11"
    );
    assert_eq!(
        output("(define p (make-parameter 1)) (display (list (p) (parameterize ((p 2)) (p)) (p)))"),
        "(1 2 1)"
    );
    assert_eq!(
        output(
            "(define p (delay (begin (display 'once) 5))) (display (force p)) (display (force p))"
        ),
        "once55"
    );
    assert_eq!(output("(define x 1) (fluid-let ((x 2)) (display x)) (display x)"), "21");
}

#[test]
fn macros_are_hygienic() {
    assert_eq!(
        output(
            "(define-syntax swap! (syntax-rules () ((_ a b) (let ((tmp a)) (set! a b) (set! b tmp))))) (define tmp 1) (define y 2) (swap! tmp y) (display (list tmp y))"
        ),
        "(2 1)"
    );
    assert_eq!(
        output(
            "(define-syntax my-or (syntax-rules () ((_ a b) (let ((t a)) (if t t b))))) (define t 5) (display (my-or #f t))"
        ),
        "5"
    );
    assert_eq!(
        output(
            "(define-syntax my-if (syntax-rules () ((_ c a b) (cond (c a) (else b))))) (display (let ((else #f)) (my-if #f 1 2)))"
        ),
        "2"
    );
    assert_eq!(
        output(
            "(define-syntax my-let (syntax-rules () ((_ ((n v) ...) b ...) ((lambda (n ...) b ...) v ...)))) (display (my-let ((a 1) (b 2)) (+ a b)))"
        ),
        "3"
    );
    assert_eq!(
        output(
            "(define-syntax flat (syntax-rules () ((_ (a ...) ...) '(a ... ...)))) (display (flat (1 2) (3) ()))"
        ),
        "(1 2 3)"
    );
    assert_eq!(
        output("(define-syntax tail (syntax-rules () ((_ a ... z) 'z))) (display (tail 1 2 3))"),
        "3"
    );
    assert_eq!(
        output("(define-syntax dots (syntax-rules () ((_ a) '(a (... ...))))) (display (dots 1))"),
        "(1 ...)"
    );
    assert_eq!(
        output(
            "(define-syntax while (syntax-rules () ((_ c b ...) (let lp () (when c b ... (lp)))))) (define i 0) (while (< i 3) (display i) (set! i (+ i 1)))"
        ),
        "012"
    );
    assert_eq!(
        output(
            "(define-syntax for (syntax-rules (in) ((_ x in l b) (for-each (lambda (x) b) l)))) (for y in '(1 2) (display y))"
        ),
        "12"
    );
    assert_eq!(
        output("(let-syntax ((foo (syntax-rules () ((_ x) (* x 2))))) (display (foo 4)))"),
        "8"
    );
    assert_eq!(
        output(
            "(define-syntax def (syntax-rules () ((_ n v) (define n v)))) (def q 9) (display q)"
        ),
        "9"
    );
    assert_eq!(
        output(
            "(define (list . x) 'mine) (define-syntax m (syntax-rules () ((_) (list 1)))) (display (m)) (display `(1 ,2))"
        ),
        "mine(1 2)"
    );
    assert_eq!(
        output(
            "(define-syntax m (syntax-rules () ((_ #(a ...)) (+ a ...)))) (display (m #(1 2 3)))"
        ),
        "6"
    );
    assert_eq!(
        output(
            "(define-syntax my-define-getter (syntax-rules () ((_ name v) (begin (define tmp v) (define (name) tmp))))) (my-define-getter g1 1) (my-define-getter g2 2) (display (list (g1) (g2)))"
        ),
        "(1 2)"
    );
}

#[test]
fn libraries() {
    assert_eq!(
        output(
            "(define-library (my lib) (export f (rename g h)) (import (scheme base)) (begin (define (f) 1) (define (g) 2))) (import (scheme base) (prefix (my lib) m:)) (display (list (m:f) (m:h)))"
        ),
        "(1 2)"
    );
    assert_eq!(
        output("(import (rename (scheme base) (car first-of))) (display (first-of '(1 2)))"),
        "1"
    );
    assert_eq!(output("(cond-expand ((and r7rs (not foo)) (display 1)) (else (display 2)))"), "1");
}

#[test]
fn shadowing() {
    assert_eq!(output("(define (car x) 'mine) (display (car 1)) (display (cadr '(1 2)))"), "mine2");
    assert_eq!(output("(let ((if list)) (display (if 1 2 3)))"), "(1 2 3)");
    assert_eq!(output("(define (f list) (list 1)) (display (f (lambda (x) (+ x 1))))"), "2");
}
