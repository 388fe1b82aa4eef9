//! Everything that must hold before a change is merged, step by step.

use std::time::Instant;

use crate::args::Args;
use crate::run::{self, Failure, Result};
use crate::setup::{self, Need};
use crate::{corpus, doc, place};

pub(crate) const HELP: &str = "\
Sets up, then checks format, lints, tests, documentation and the round trip of real programs.

Usage: cargo xtask test [--quick] [--only STEP] [-- ARGUMENTS OF `cargo test`]

  --quick       leave out the real programs
  --only STEP   one step: fmt, clippy, tests, doc or corpus

What follows `--` goes to `cargo test`, and only the step `tests` is run.
Every step is run even if an earlier one failed; the closing line counts tests, real programs and the other steps.
Example: cargo xtask test --only tests -- -p lw-graph dominators
";

/// How much of a step held.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
}

impl Counts {
    const ONE: Counts = Counts { passed: 1, failed: 0 };
}

/// A step adds to the counts as it goes, so that what held before a failure is known as well.
type Step = fn(&[String], &mut Counts) -> Result;

const STEPS: &[(&str, Step)] = &[
    ("fmt", format),
    ("clippy", clippy),
    ("tests", tests),
    ("doc", documentation),
    ("corpus", real_programs),
];

pub(crate) fn main(arguments: Vec<String>) -> Result {
    let mut args = Args::new(arguments);
    let quick = args.flag("--quick");
    let for_tests = std::mem::take(&mut args.after);
    let only =
        args.value("--only")?.or_else(|| (!for_tests.is_empty()).then(|| "tests".to_owned()));
    args.none()?;
    if let Some(name) = only.as_deref().filter(|only| !STEPS.iter().any(|(name, _)| name == only)) {
        return Err(Failure::usage(format!("no step `{name}`; see --help")));
    }
    setup::ensure(Need::Test)?;
    let chosen = STEPS.iter().filter(|(name, _)| match &only {
        Some(only) => name == only,
        None => !(quick && *name == "corpus"),
    });
    let (mut total, mut failures, mut code) = (Counts::default(), Vec::new(), 1);
    for (name, step) in chosen {
        println!("\n== {name}");
        let start = Instant::now();
        let mut counts = Counts::default();
        let outcome = step(&for_tests, &mut counts);
        let seconds = start.elapsed().as_secs_f64();
        if let Err(failure) = outcome {
            // A step that failed before it counted anything, such as a crate that does not compile, counts as one.
            counts.failed = counts.failed.max(1);
            println!("== {name}: failed after {seconds:.1} s");
            failures.push(format!(
                "{name}: {}\n  repeat with: {}",
                failure.message,
                repeat(name, &for_tests)
            ));
            code = failure.code;
        } else {
            let word = if counts.passed == 0 { "done" } else { "passed" };
            println!("== {name}: {word} in {seconds:.1} s");
        }
        total.passed += counts.passed;
        total.failed += counts.failed;
    }
    println!("\n{} passed, {} failed", total.passed, total.failed);
    if failures.is_empty() {
        return Ok(());
    }
    Err(Failure { message: failures.join("\n"), code })
}

fn repeat(step: &str, for_tests: &[String]) -> String {
    let mut words = vec![format!("cargo xtask test --only {step}")];
    if !for_tests.is_empty() {
        words.push("--".to_owned());
        words.extend_from_slice(for_tests);
    }
    words.join(" ")
}

fn format(_: &[String], counts: &mut Counts) -> Result {
    if !setup::has_cargo("fmt") {
        println!("left out: `cargo fmt` is not installed");
        return Ok(());
    }
    run::echo(place::cargo().args(["fmt", "--all", "--check"]))?;
    *counts = Counts::ONE;
    Ok(())
}

fn clippy(_: &[String], counts: &mut Counts) -> Result {
    if !setup::has_cargo("clippy") {
        println!("left out: `cargo clippy` is not installed");
        return Ok(());
    }
    run::echo(place::cargo().args([
        "clippy",
        "--workspace",
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ]))?;
    *counts = Counts::ONE;
    Ok(())
}

fn documentation(_: &[String], counts: &mut Counts) -> Result {
    run::echo(&mut doc::command())?;
    *counts = Counts::ONE;
    Ok(())
}

fn tests(arguments: &[String], counts: &mut Counts) -> Result {
    let mut command = place::cargo();
    command.arg("test");
    if !arguments.iter().any(|argument| argument == "-p" || argument.starts_with("--package")) {
        command.arg("--workspace");
    }
    run::echo_lines(command.arg("--no-fail-fast").args(arguments), |line| {
        if let Some(result) = counted(line) {
            counts.passed += result.passed;
            counts.failed += result.failed;
        }
    })
}

fn real_programs(_: &[String], counts: &mut Counts) -> Result {
    corpus::check_all(counts)
}

/// Reads `test result: ok. 12 passed; 0 failed; …`.
fn counted(line: &str) -> Option<Counts> {
    let rest = line.strip_prefix("test result: ")?.split_once(". ")?.1;
    let number =
        |what: &str| rest.split("; ").find_map(|part| part.strip_suffix(what)?.trim().parse().ok());
    Some(Counts { passed: number("passed")?, failed: number("failed")? })
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn the_result_line_of_a_test_program_is_read() {
        let counts = counted(
            "test result: FAILED. 12 passed; 3 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s",
        );
        assert_eq!(counts.map(|counts| (counts.passed, counts.failed)), Some((12, 3)));
        assert!(counted("test graph::tests::one ... ok").is_none());
    }
}
