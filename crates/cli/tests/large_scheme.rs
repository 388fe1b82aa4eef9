//! Scheme programs that are large or deep: an error with its place or success, never a crash.

use lw_cfa::generate::family;
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

/// What is found of N procedures that flow everywhere is about 3N² values and callees. They are written one after the other: all of them at
/// once, of 400, would take more than the memory that there is here.
#[test]
fn findings_larger_than_memory_are_written() {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (program, result) = (dir.join("family.scm"), dir.join("family.json"));
    let n = 400;
    std::fs::write(&program, family(n)).unwrap();
    for format in ["json", "text", "dot", "html"] {
        let limited = "ulimit -v 1200000; exec \"$0\" cfa \"$1\" --format \"$2\" -o \"$3\"";
        let output = Command::new("sh")
            .args(["-c", limited, env!("CARGO_BIN_EXE_lw")])
            .arg(&program)
            .arg(format)
            .arg(&result)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{format}: {}", said(&output));
        let text = std::fs::read_to_string(&result).unwrap();
        match format {
            "json" => {
                let found: serde_json::Value = serde_json::from_str(&text).unwrap();
                let count = |key: &str, inner: &str| -> usize {
                    let all = found[key].as_array().unwrap().iter();
                    all.map(|one| one[inner].as_array().unwrap().len()).sum()
                };
                // `id` gets all, and so do all that it yields and all parameters; each of them is called with another.
                assert_eq!(count("variables", "values"), 1 + n + 2 * n * n);
                assert_eq!(count("calls", "callees"), n + n * n);
            }
            "html" => assert!(text.contains("is not drawn; --format dot has it")),
            "dot" => assert_eq!(text.lines().filter(|line| line.contains(" -> ")).count(), n + 1),
            _ => assert!(text.contains("392 more")),
        }
    }
    std::fs::remove_file(&program).unwrap();
    std::fs::remove_file(&result).unwrap();
}
