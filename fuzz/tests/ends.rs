//! Programs that end the process: a finding where the target is to blame, counted where others end with them as well.
//!
//! This is a fuzz target of its own, as its child processes are what is tested; without arguments it is the test.

use lw_fuzz::{Subject, Target, Verdict};
use lw_ir::generate::Coverage;
use std::process::{Command, ExitCode, abort};

struct Ends;

/// With these others end, too.
const OTHERS: [u64; 2] = [3, 4];
/// With this only the check does.
const OURS: u64 = 7;

fn seed_of(subject: &Subject) -> u64 {
    match subject {
        Subject::Constraints(seed) => *seed,
        _ => unreachable!(),
    }
}

impl Target for Ends {
    const NAME: &'static str = "ends";
    const RUNS: u64 = 10;

    fn subject(&self, seed: u64) -> Subject {
        Subject::Constraints(seed)
    }

    fn check(&mut self, subject: &Subject, _: &mut Coverage) -> Verdict {
        let seed = seed_of(subject);
        if seed == OURS || OTHERS.contains(&seed) {
            abort();
        }
        Verdict::Same
    }

    fn as_it_is(&mut self, subject: &Subject) {
        if OTHERS.contains(&seed_of(subject)) {
            abort();
        }
    }
}

/// What a run prints, and whether it found nothing.
fn run(args: &[&str]) -> (String, bool) {
    let this = std::env::current_exe().expect("a program has a name");
    let output = Command::new(this).args(args).output().expect("it can be run");
    (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.success())
}

fn main() -> ExitCode {
    let is_target = |word: String| ["--runs", "--chunk", "--as-it-is"].contains(&word.as_str());
    if std::env::args().any(is_target) {
        return lw_fuzz::main(Ends);
    }
    let (said, nothing) = run(&["--runs", "10", "--brief"]);
    assert!(!nothing && said.contains("ends: seed 7, program 8: the process ended"), "{said}");
    let (said, nothing) = run(&["--runs", "7", "--brief"]);
    assert!(nothing && said.contains("ends: 7 programs, no failure"), "{said}");
    let counted = said.lines().find(|line| line.contains("others end with them"));
    assert!(counted.is_some_and(|line| line.trim_end().ends_with('2')), "{said}");
    println!("ends: ok");
    ExitCode::SUCCESS
}
