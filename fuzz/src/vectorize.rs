//! The target of the vectorizer.

use crate::{Subject, Target, Verdict};
use lw_ir::generate::Coverage;
use lw_llvm::differential::{Differential, Level};
use lw_vectorize::oracle::{self, Verdict as Stages};

/// Every stage of the vectorizer against scalar runs, and the machine code of what it yields against the interpreter.
#[derive(Default)]
pub struct Vectorize(Option<Differential>);

impl Target for Vectorize {
    const NAME: &'static str = "vectorize";
    const RUNS: u64 = 100_000;

    fn subject(&self, seed: u64) -> Subject {
        Subject::Program(Box::new(oracle::program(seed)))
    }

    fn check(&mut self, subject: &Subject, coverage: &mut Coverage) -> Verdict {
        let Some(program) = subject.program() else { return Verdict::Same };
        let pipeline = match oracle::check(program, &oracle::region_of(program)) {
            Stages::Same(pipeline) => pipeline,
            Stages::Declined(declined) => {
                coverage.add_feature(&format!("declined: {}", kind(&declined.reason)), 1);
                return Verdict::Nothing(declined.reason);
            }
            Stages::Nothing(why) => {
                coverage.add_feature("nothing to compare", 1);
                return Verdict::Nothing(why);
            }
            Stages::Wrong(wrong) => return Verdict::Different(wrong),
        };
        for (what, holds) in oracle::shares(&pipeline.statistics) {
            coverage.add_feature(what, holds);
        }
        let differential = self.0.get_or_insert_with(|| {
            Differential::new().unwrap_or_else(|error| panic!("no machine code here: {error}"))
        });
        let (module, inputs) = oracle::widened_program(program, &pipeline);
        let level = Level::of(program.seed);
        let entry = &program.entry;
        match differential.compare_module(&module, entry, &inputs, level, coverage) {
            Verdict::Different(why) | Verdict::Undefined(why) => {
                Verdict::Different(format!("machine code: {why}\n{}", pipeline.function))
            }
            _ => Verdict::Same,
        }
    }
}

/// A reason without the name of a block.
fn kind(reason: &str) -> String {
    let words = reason.split_whitespace().filter(|word| !word.starts_with('%'));
    words.collect::<Vec<_>>().join(" ")
}
