//! What is wrong with a program is said with its place; nothing crashes.

mod common;
use common::{analyze, analyze_with};
use lw_cfa::Options;

fn error(text: &str) -> String {
    analyze_with(text, Options::default()).err().unwrap_or_else(|| panic!("{text}: no error"))
}

#[test]
fn errors_name_their_place() {
    for (text, expected) in [
        ("(display\n  (foo 1))", "t.scm:2:4: error: nothing defines foo"),
        ("(if)", "t.scm:1:1: error: this form is malformed: (if)"),
        ("()", "t.scm:1:1: error: () is not an expression"),
        ("(lambda (x x) 1)", "t.scm:1:9: error: x is bound twice"),
        ("(lambda (1) 1)", "t.scm:1:10: error: a name is expected here, not 1"),
        ("(set! y 1)", "t.scm:1:7: error: nothing defines y"),
        ("(set! car 1)", "t.scm:1:1: error: car is built in"),
        ("(display if)", "t.scm:1:10: error: if is syntax"),
        ("(+ 1 (define x 2))", "t.scm:1:6: error: define is a definition"),
        ("(f . x)", "t.scm:1:6: error: this list ends with a dot"),
        ("(define-syntax m (lambda (x) x))", "t.scm:1:18: error: only syntax-rules"),
        (
            "(define-syntax m (syntax-rules () ((_ a) a)))\n(m)",
            "t.scm:2:1: error: no rule of this macro matches (m)",
        ),
        (
            "(define-syntax m (syntax-rules () ((_ a ...) a)))\n(m 1)",
            "t.scm:1:46: error: a stands for several data",
        ),
        (
            "(define-syntax m (syntax-rules () ((_) (m))))\n(m)",
            "error: this macro expands without end",
        ),
        ("(import (no such lib))", "t.scm:1:9: error: no library is called (no such lib)"),
        ("#0=(f #0#)", "error: "),
        ("(quote)", "t.scm:1:1: error: this form is malformed"),
        ("(include-ci \"x\")", "t.scm:1:1: error: include is not followed"),
        (
            "(define-syntax m (syntax-rules () ((_ x) (syntax-error \"never\" x))))\n(m 1)",
            "error: never 1",
        ),
        ("(let ((x)) x", "t.scm:1:1: error: this parenthesis is never closed"),
    ] {
        let error = error(text);
        assert!(error.contains(expected), "{text}: {error}");
        assert!(error.contains("help: "), "{text}: {error}");
    }
}

#[test]
fn unknown_names_may_be_assumed() {
    let options = Options { assume_unknown: true, ..Options::default() };
    let text =
        "(define (f x) x) (define r (mystery f)) (set! other f) (display (+ r 1)) (if r 'a 'b)";
    let analysis = analyze_with(text, options).unwrap();
    common::engines_agree(&analysis);
    // Code outside may call f with anything.
    let x = analysis.core.vars.iter().position(|var| &*var.name == "x").unwrap();
    let unknown = analysis.lowered.program.basic(lw_cfa::prims::Class::Unknown).unwrap();
    assert!(analysis.solution.store[x].contains(unknown));
}

#[test]
fn deep_nesting_is_no_crash() {
    let n = 100_000;
    let nested = |open: &str, middle: &str, close: &str| {
        format!("{}{middle}{}", open.repeat(n), close.repeat(n))
    };
    for text in [
        nested("(+ 1 ", "1", ")"),
        nested("(lambda (x) ", "1", ")"),
        nested("(if #t ", "1", " 2)"),
        nested("(let ((x 1)) ", "x", ")"),
        nested("(begin ", "1", ")"),
        nested("(quasiquote ", "1", ")"),
        nested("`(1 ,", "1", ")"),
        nested("(", "", ")"),
        format!("(define-syntax m (syntax-rules () ((_ x) {})))", nested("(", "x", ")")),
        format!("(cond-expand ({} 1))", nested("(not ", "r7rs", ")")),
    ] {
        if let Err(error) = analyze_with(&text, Options::default()) {
            assert!(error.starts_with("t.scm:1:"), "{error}");
        }
    }
    // Data may be as deep as they like, and programs as long.
    analyze(&format!("(display '{})", nested("(", "x", ")")));
    analyze(&"(display 1)".repeat(n));
    analyze(&format!("(display (list {}))", "1 ".repeat(20_000)));
    analyze(&format!("(cond {})", "((= 1 2) 3)".repeat(2_000)));
    analyze(
        &(0..20_000)
            .map(|i| format!("(define (f{i} x) (f{} x))", (i + 1) % 20_000))
            .collect::<String>(),
    );
}

#[test]
fn forms_of_any_length_have_an_end() {
    let long =
        |open: &str, part: &str, close: &str| format!("{open}{}{close}", part.repeat(60_000));
    for text in [long("(and ", "#t ", ")"), long("(let* (", "(x 1) ", ") x)")] {
        let error = error(&text);
        assert!(error.starts_with("t.scm:1:"), "{error}");
        assert!(error.contains("macros make too much of this program"), "{error}");
    }
    analyze(&long("(begin ", "(display 1) ", ")"));
}
