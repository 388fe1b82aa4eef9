//! Scheme programs that are large or deep: an error with its place or success, never a crash.

use std::path::PathBuf;
use std::process::{Command, Output};

fn cfa(name: &str, text: String, arguments: &[&str]) -> Output {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    let output =
        Command::new(env!("CARGO_BIN_EXE_lw")).arg("cfa").arg(&path).args(arguments).output();
    std::fs::remove_file(&path).unwrap();
    output.unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn nesting_100_000_deep_has_an_end() {
    let deep =
        |open: &str, close: &str| format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
    for (name, open, close) in
        [("calls", "(car ", ")"), ("lets", "(let ((x 1)) ", ")"), ("lambdas", "(lambda () ", ")")]
    {
        let output = cfa(&format!("deep-{name}.scm"), deep(open, close), &[]);
        assert_eq!(output.status.code(), Some(2), "{name}: {}", said(&output));
        assert!(said(&output).contains("nest over"), "{name}: {}", said(&output));
    }
    // Data may nest as they like.
    let output =
        cfa("deep-data.scm", format!("(define x '{})", deep("(", ")")), &["--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
}

#[test]
fn parentheses_that_do_not_match_are_found_at_any_depth() {
    let output = cfa("open.scm", "(".repeat(100_000), &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("open.scm:1:"), "{}", said(&output));
}

#[test]
fn fifty_megabytes_are_read() {
    let form = "(define (f x) (if (pair? x) (f (cdr x)) \"text of some length that is only there to be long\")) ; and a comment\n";
    let mut text = form.to_string();
    let data = format!("'({})\n", "(a b . \"some text that takes room\") ".repeat(2000));
    while text.len() < 50 << 20 {
        text.push_str(&data);
    }
    let output = cfa("large.scm", text, &["--stats"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
}
