//! Every procedure of R7RS, of R5RS and of SRFI 69 is known, as a value and by its number of arguments.

mod common;
use common::analyze;

/// R7RS, appendix A, library by library; then what R5RS has besides, and hash tables.
const NAMES: &str = "
    * + - / < <= = > >= abs append apply assoc assq assv binary-port? boolean=? boolean? bytevector bytevector-append
    bytevector-copy bytevector-copy! bytevector-length bytevector-u8-ref bytevector-u8-set! bytevector? caar cadr
    call-with-current-continuation call-with-port call-with-values call/cc car cdar cddr cdr ceiling char->integer
    char-ready? char<=? char<? char=? char>=? char>? char? close-input-port close-output-port close-port complex?
    cons current-error-port current-input-port current-output-port denominator dynamic-wind eof-object eof-object?
    eq? equal? eqv? error error-object-irritants error-object-message error-object? even? exact exact-integer-sqrt
    exact-integer? exact? expt features file-error? floor floor-quotient floor-remainder floor/ flush-output-port
    for-each gcd get-output-bytevector get-output-string inexact inexact? input-port-open? input-port? integer->char
    integer? lcm length list list->string list->vector list-copy list-ref list-set! list-tail list? make-bytevector
    make-list make-parameter make-string make-vector map max member memq memv min modulo negative? newline not null?
    number->string number? numerator odd? open-input-bytevector open-input-string open-output-bytevector
    open-output-string output-port-open? output-port? pair? peek-char peek-u8 positive? procedure? quotient raise
    raise-continuable rational? rationalize read-bytevector read-bytevector! read-char read-error? read-line
    read-string read-u8 real? remainder reverse round set-car! set-cdr! square string string->list string->number
    string->symbol string->utf8 string->vector string-append string-copy string-copy! string-fill! string-for-each
    string-length string-map string-ref string-set! string<=? string<? string=? string>=? string>? string? substring
    symbol->string symbol=? symbol? textual-port? truncate truncate-quotient truncate-remainder truncate/ u8-ready?
    utf8->string values vector vector->list vector->string vector-append vector-copy vector-copy! vector-fill!
    vector-for-each vector-length vector-map vector-ref vector-set! vector? with-exception-handler write-bytevector
    write-char write-string write-u8 zero? char-alphabetic? char-ci<=? char-ci<? char-ci=? char-ci>=? char-ci>?
    char-downcase char-foldcase char-lower-case? char-numeric? char-upcase char-upper-case? char-whitespace?
    digit-value string-ci<=? string-ci<? string-ci=? string-ci>=? string-ci>? string-downcase string-foldcase
    string-upcase angle imag-part magnitude make-polar make-rectangular real-part caaaar caaadr caaar caadar caaddr
    caadr cadaar cadadr cadar caddar cadddr caddr cdaaar cdaadr cdaar cdadar cdaddr cdadr cddaar cddadr cddar cdddar
    cddddr cdddr environment eval call-with-input-file call-with-output-file delete-file file-exists?
    open-binary-input-file open-binary-output-file open-input-file open-output-file with-input-from-file
    with-output-to-file acos asin atan cos exp finite? infinite? log nan? sin sqrt tan force make-promise promise?
    load command-line emergency-exit exit get-environment-variable get-environment-variables read
    interaction-environment current-jiffy current-second jiffies-per-second display write write-shared write-simple
    exact->inexact inexact->exact null-environment scheme-report-environment make-hash-table hash-table?
    alist->hash-table hash-table-equivalence-function hash-table-hash-function hash-table-ref hash-table-ref/default
    hash-table-set! hash-table-delete! hash-table-exists? hash-table-update! hash-table-update!/default
    hash-table-size hash-table-keys hash-table-values hash-table-walk hash-table-fold hash-table->alist
    hash-table-copy hash-table-merge! hash string-hash string-ci-hash hash-by-identity
";

#[test]
fn every_procedure_is_known() {
    for name in NAMES.split_whitespace() {
        // It is a procedure: a call of it does not fail.
        let analysis = analyze(&format!("(define f {name}) (define (unused) (f))"));
        let f = analysis.core.vars.iter().position(|var| &*var.name == "f").unwrap();
        let lambdas = analysis.cps.lambdas.len() as u32;
        assert!(analysis.solution.store[f].iter().any(|value| value < lambdas), "{name}");
    }
}

/// The forms of R7RS, each in a program that runs: `tests/programs.rs` has more of each.
#[test]
fn every_form_is_known() {
    for (text, expected) in [
        (
            "(define (f . r) (let ((a 1)) (let* ((b a)) (letrec ((c (lambda () b))) (letrec* ((d c)) (d)))))) (display (f))",
            "1",
        ),
        ("(display (let loop ((i 0)) (if (= i 3) i (loop (+ i 1)))))", "3"),
        ("(display (do ((i 0 (+ i 1))) ((= i 2) 'done)))", "done"),
        (
            "(display (list (cond (#f 1) ((memv 2 '(1 2)) => car) (else 3)) (case 2 ((1) 'a) ((2) 'b) (else 'c))))",
            "(2 b)",
        ),
        ("(display (list (and 1 2) (or #f 3) (when #t 4) (unless #f 5) (begin 6)))", "(2 3 4 5 6)"),
        ("(define x 1) (set! x `(1 ,@(list 2) ,(+ 1 2))) (display x)", "(1 2 3)"),
        (
            "(display (force (delay 1))) (display (force (delay-force (delay 2)))) (display (force (make-promise 3)))",
            "123",
        ),
        (
            "(define-record-type p (mk a) p? (a p-a set-p-a!)) (define r (mk 1)) (set-p-a! r 2) (display (p-a r))",
            "2",
        ),
        ("(let-values (((a b) (values 1 2)) (c (values 3))) (display (list a b c)))", "(1 2 (3))"),
        ("(let*-values (((a) (values 1)) ((b) (values a))) (display b))", "1"),
        ("(call-with-values (lambda () (values 1 2)) (lambda r (display r)))", "(1 2)"),
        ("(display (apply max 1 '(3 2)))", "3"),
        (
            "(display (+ 1 (call/cc (lambda (k) (dynamic-wind (lambda () 0) (lambda () (k 1)) (lambda () 0))))))",
            "2",
        ),
        ("(display (guard (e ((string? e) e) (else 'other)) (raise \"s\")))", "s"),
        (
            "(display (with-exception-handler (lambda (e) 1) (lambda () (+ 1 (raise-continuable 'c)))))",
            "2",
        ),
        (
            "(define p (make-parameter 1 (lambda (x) (* x 2)))) (display (list (p) (parameterize ((p 5)) (p))))",
            "(2 10)",
        ),
        (
            "(define-syntax swap (syntax-rules () ((_ a b) (let ((t a)) (set! a b) (set! b t))))) (define t 1) (define u 2) (swap t u) (display t)",
            "2",
        ),
        (
            "(define-library (l) (export f) (import (scheme base)) (begin (define (f) 1))) (import (l)) (display (f))",
            "1",
        ),
        ("(define f (case-lambda ((a) 1) ((a . r) 2))) (display (f 1 2))", "2"),
        ("(define-values (a . b) (values 1 2)) (display b)", "(2)"),
        (
            "(let-syntax ((m (syntax-rules () ((_) 1)))) (letrec-syntax ((n (syntax-rules () ((_) (m))))) (display (n))))",
            "1",
        ),
        ("(cond-expand (r7rs (display 1)) (else (display 2)))", "1"),
    ] {
        assert_eq!(common::output(text), expected, "{text}");
    }
}
