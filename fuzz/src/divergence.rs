//! The target of the divergence analysis.

use crate::{Subject, Target, Verdict};
use lw_divergence::oracle::programs::{self, Verdict as Claims};
use lw_ir::generate::Coverage;

/// Every claim of the divergence analysis, with each lattice, against lock-step executions and against several runs.
#[derive(Default)]
pub struct Divergence;

impl Target for Divergence {
    const NAME: &'static str = "divergence";
    const RUNS: u64 = 200_000;

    fn subject(&self, seed: u64) -> Subject {
        Subject::Program(Box::new(programs::program(seed)))
    }

    fn check(&mut self, subject: &Subject, coverage: &mut Coverage) -> Verdict {
        let Some(program) = subject.program() else { return Verdict::Same };
        match programs::check(program) {
            Claims::Holds(_) => Verdict::Same,
            Claims::Nothing(error) => {
                coverage.add_error(&error);
                Verdict::Nothing(error.to_string())
            }
            Claims::Wrong(wrong) => Verdict::Different(wrong),
        }
    }
}
