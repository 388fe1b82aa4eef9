//! What is said about a program is about what somebody wrote.

use lw_cfa::findings::findings;
use lw_cfa::{Analysis, Engine, Options, Sources};

fn never(text: &str) -> (Vec<String>, Vec<String>) {
    let mut sources = Sources::new();
    let file = sources.add("t.scm", text).unwrap();
    let analysis = Analysis::run(&mut sources, &[file], Options::default(), Engine::Delta).unwrap();
    let found = findings(&analysis, &sources, &[file]);
    let place = |loc| sources.position(loc).to_string();
    (
        found.never_called().iter().map(|lam| place(analysis.core.lambda(*lam).loc)).collect(),
        found.never_taken().iter().map(|loc| place(*loc)).collect(),
    )
}

#[test]
fn code_of_the_prelude_is_not_reported() {
    let (called, taken) = never("(display (vector-map (lambda (x) x) #(1 2)))");
    assert_eq!((called.len(), taken.len()), (0, 0), "{called:?} {taken:?}");
}

#[test]
fn code_that_is_not_reached_is() {
    let (called, taken) = never("(define (f x) x)\n(define (g x) (if #t (f x) 2))\n(display 1)");
    assert_eq!(called, ["t.scm:1:1", "t.scm:2:1"]);
    assert_eq!(taken.len(), 0, "{taken:?}");
    let (called, taken) = never("(define (f x) (if x 1 2))\n(f #t)");
    assert_eq!(called.len(), 0, "{called:?}");
    assert_eq!(taken, ["t.scm:1:23"]);
}

#[test]
fn optional_arguments_are_no_errors() {
    let text = "(define h (make-hash-table)) (hash-table-set! h 'a 1)
        (display (hash-table-ref h 'a (lambda () 2))) (display (map (lambda () 1) '(1)))";
    let mut sources = Sources::new();
    let file = sources.add("t.scm", text).unwrap();
    let analysis = Analysis::run(&mut sources, &[file], Options::default(), Engine::Delta).unwrap();
    let found = findings(&analysis, &sources, &[file]);
    let errors: Vec<String> = found
        .calls()
        .filter(|call| call.error.is_some())
        .map(|call| sources.position(call.loc).to_string())
        .collect();
    // The procedure that `map` is given takes no argument.
    assert!(!errors.is_empty() && errors.iter().all(|place| place == "t.scm:2:64"), "{errors:?}");
}
