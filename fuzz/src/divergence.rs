//! The target of the divergence analysis.

use crate::{Subject, Target, Verdict};
use lw_divergence::oracle::gpu;
use lw_divergence::oracle::programs::{self, Verdict as Claims};
use lw_ir::generate::Coverage;

/// Every claim of the divergence analysis, with each lattice, against lock-step executions and against several runs. Every third
/// program is a kernel, which reads special registers and is launched in blocks of some shape.
#[derive(Default)]
pub struct Divergence;

impl Target for Divergence {
    const NAME: &'static str = "divergence";
    const RUNS: u64 = 200_000;

    fn subject(&self, seed: u64) -> Subject {
        let program =
            if is_kernel(seed) { gpu::kernel(seed).program } else { programs::program(seed) };
        Subject::Program(Box::new(program))
    }

    fn check(&mut self, subject: &Subject, coverage: &mut Coverage) -> Verdict {
        let Some(program) = subject.program() else { return Verdict::Same };
        let checked = if is_kernel(program.seed) {
            let target = gpu::kernel(program.seed).target;
            gpu::check(&gpu::Kernel { program: (*program).clone(), target })
        } else {
            programs::check(program)
        };
        match checked {
            Claims::Holds(_) => Verdict::Same,
            Claims::Nothing(error) => {
                coverage.add_error(&error);
                Verdict::Nothing(error.to_string())
            }
            Claims::Wrong(wrong) => Verdict::Different(wrong),
        }
    }
}

fn is_kernel(seed: u64) -> bool {
    seed % 3 == 2
}
