//! Numbers by sign: what that decides, and that it is right.

mod common;

use lw_cfa::findings::{Findings, findings};
use lw_cfa::oracle::sound_by_type_and_sign;
use lw_cfa::{Analysis, Constants, Engine, Options, Sources};

/// What is found of a program, by type or by sign.
fn found<T>(text: &str, constants: Constants, ask: impl Fn(&Findings<'_>, &Analysis) -> T) -> T {
    let mut sources = Sources::new();
    let file = sources.add("t.scm", text).unwrap();
    let options = Options { constants, ..Options::default() };
    let analysis = Analysis::run(&mut sources, &[file], options, Engine::Delta).unwrap();
    common::engines_agree(&analysis);
    ask(&findings(&analysis, &sources, &[file]), &analysis)
}

/// The values of a variable.
fn values(text: &str, name: &str, constants: Constants) -> String {
    found(text, constants, |found, analysis| {
        let is = |var: lw_cfa::expand::core::Var| &*analysis.core.vars[var.0 as usize].name == name;
        let (_, values) = found.variables().find(|(var, _)| is(*var)).unwrap();
        values.iter().map(|value| value.what.as_str()).collect::<Vec<_>>().join(" ")
    })
}

/// How many branches are never taken.
fn never_taken(text: &str, constants: Constants) -> usize {
    found(text, constants, |found, _| found.never_taken().len())
}

fn signs(text: &str, name: &str) -> String {
    values(text, name, Constants::Signs)
}

#[test]
fn constants_have_signs_if_asked_for() {
    let text = "(define a -3) (define b '(0 1/2 -2.5)) (define c (car b)) (define d 0.0)";
    assert_eq!(values(text, "a", Constants::Types), "INT");
    assert_eq!(values(text, "c", Constants::Types), "INT RATIO REAL");
    assert_eq!(signs(text, "a"), "INT<0");
    assert_eq!(signs(text, "c"), "INT=0 RATIO>0 REAL<0");
    assert_eq!(signs(text, "d"), "REAL=0");
}

#[test]
fn arithmetic_of_two_variables_looks_at_both() {
    let two = "(define (f p n) (define s (+ p p)) (define d (- n p)) (define m (* n p)) (define q (+ p n)) s) (f 2 -3) (f 5 -1/2)";
    assert_eq!(signs(two, "s"), "INT>0");
    assert_eq!(signs(two, "d"), "INT<0 RATIO<0");
    assert_eq!(signs(two, "m"), "INT<0 RATIO<0");
    assert_eq!(signs(two, "q"), "INT<0 INT=0 INT>0 RATIO<0 RATIO>0");
    // What is no number yields nothing.
    assert_eq!(signs("(define (f a b) (define s (+ a b)) s) (f 'x 1)", "s"), "");
}

#[test]
fn sums_of_any_number_of_arguments() {
    assert_eq!(signs("(define z (+)) (define u (*))", "z"), "INT=0");
    assert_eq!(signs("(define z (+)) (define u (*))", "u"), "INT>0");
    assert_eq!(signs("(define (f a b c) (define s (+ a b c)) s) (f 1 2 3)", "s"), "INT>0");
    assert_eq!(signs("(define s (apply + '(1 2 3)))", "s"), "INT=0 INT>0");
    // Through a list nobody knows how many there are.
    assert_eq!(signs("(define s (apply + 1 2 '(3)))", "s"), "INT=0 INT>0");
    assert_eq!(signs("(define s (apply - 1 '(2 3)))", "s"), "INT<0 INT=0 INT>0");
    assert_eq!(signs("(define s (apply - -1 '(2 3)))", "s"), "INT<0 INT>0");
    assert_eq!(signs("(define s (apply max -1 '(-2 -3)))", "s"), "INT<0");
    assert_eq!(signs("(define s (apply quotient '(7 2)))", "s"), "INT=0 INT>0");
}

#[test]
fn branches_are_decided() {
    let text = "(define (f n) (if (positive? n) 'a 'b)) (f 3) (f 1/2)";
    assert_eq!(never_taken(text, Constants::Types), 0);
    assert_eq!(never_taken(text, Constants::Signs), 1);
    let text = "(define (f n m) (if (< n m) 'a 'b)) (f -3 0) (f -1 7)";
    assert_eq!(never_taken(text, Constants::Types), 0);
    assert_eq!(never_taken(text, Constants::Signs), 1);
    let text = "(if (< (length '(1 2)) 0) 'a 'b)";
    assert_eq!(never_taken(text, Constants::Signs), 1);
}

/// A number times itself is not below zero; a variable that is assigned may be two numbers.
#[test]
fn a_variable_twice_is_one_number() {
    let twice = "(define (f x) (* x x)) (define r (f 5)) (define s (f -2))";
    assert_eq!(signs(twice, "r"), "INT>0");
    let same = "(define (f x) (define d (= x x)) d) (f 0)";
    assert_eq!(signs(same, "d"), "#t");
    let changed = "(define (f x) (* x (begin (set! x 5) x))) (define r (f -2))";
    assert_eq!(signs(changed, "r"), "INT<0 INT>0");
    sound_by_type_and_sign(changed, 1_000).unwrap();
}

/// Within a branch a variable has the values it has elsewhere: 0-CFA has one set for each.
#[test]
fn branches_do_not_narrow_variables() {
    let text = "(define (fact n) (if (<= n 0) 1 (* n (fact (- n 1))))) (define r (fact 5))";
    assert_eq!(values(text, "r", Constants::Types), "INT");
    assert_eq!(signs(text, "n"), "INT<0 INT=0 INT>0");
}

#[test]
fn names_that_nothing_defines_may_be_any_number() {
    let mut sources = Sources::new();
    let file = sources.add("t.scm", "(define x (mystery)) (define y (+ x 1))").unwrap();
    let options =
        Options { assume_unknown: true, constants: Constants::Signs, ..Options::default() };
    let analysis = Analysis::run(&mut sources, &[file], options, Engine::Delta).unwrap();
    common::engines_agree(&analysis);
    let found = findings(&analysis, &sources, &[file]);
    let (_, values) = found.variables().nth(1).unwrap();
    assert_eq!(values.len(), 10, "{values:?}");
}

#[test]
fn runs_stay_within_the_signs() {
    for text in [
        "(define (f a b) (list (+ a b) (- a b) (* a b) (/ a b) (max a b) (min a b) (< a b) (= a b)))
         (for-each (lambda (a) (for-each (lambda (b) (display (f a b))) '(1 -2 1/3 -5/2 0.5 -1e300 +inf.0))) '(3 -1 0 1/2 0.0 +nan.0))",
        "(define (f a) (list (abs a) (square a) (floor a) (round a) (- a) (zero? a) (1+ a)))
         (display (map f '(0 -3 7/2 -1/3 2.5 -0.0 +inf.0)))",
        "(define (g a b) (list (quotient a b) (remainder a b) (modulo a b) (gcd a b) (lcm a b)))
         (display (g 7 -2)) (display (g -7 2)) (display (g 0 3)) (display (quotient 6. 4))",
        "(display (apply + '(1 -2 0.5))) (display (apply * 2 '())) (display (apply - '(3))) (display (apply / 1 '(3 2)))",
        "(define (loop i sum) (if (>= i 10) sum (loop (+ i 1) (+ sum i)))) (display (loop 0 0))",
    ] {
        let end = sound_by_type_and_sign(text, 100_000).unwrap_or_else(|why| panic!("{text}: {why}"));
        assert_eq!(end, lw_cfa::interp::End::Done, "{text}");
    }
}
