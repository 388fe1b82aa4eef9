//! The call graph against runs of programs that call through pointers, and engines against one another.

use crate::{Subject, Target, Verdict};
use lw_callgraph::{generate, oracle};
use lw_ir::generate::Coverage;

/// Random programs with function pointers in tables, structs, memory, parameters and results.
#[derive(Default)]
pub struct Callgraph;

impl Target for Callgraph {
    const NAME: &'static str = "callgraph";
    const RUNS: u64 = 10_000;

    fn subject(&self, seed: u64) -> Subject {
        Subject::Calls(generate::program(seed))
    }

    fn check(&mut self, subject: &Subject, _: &mut Coverage) -> Verdict {
        let Subject::Calls(text) = subject else { return Verdict::Nothing("no program".into()) };
        match oracle::sound(text) {
            Ok(_) => Verdict::Same,
            // While shrinking, a name may have lost its definition.
            Err(why) if why.starts_with("bad text") => Verdict::Nothing(why),
            Err(why) => Verdict::Different(why),
        }
    }
}
