//! The target of the vectorizer.

use crate::{Subject, Target, Verdict};
use lw_ir::Module;
use lw_ir::generate::{Coverage, Inputs, Program};
use lw_llvm::differential::{Differential, Level};
use lw_vectorize::oracle::loops::{LoopProgram, LoopVerdict, loop_program};
use lw_vectorize::oracle::{self, Verdict as Stages};

/// Every stage of the vectorizer against scalar runs, and the machine code of what it yields against the interpreter.
#[derive(Default)]
pub struct Vectorize(Option<Differential>);

impl Target for Vectorize {
    const NAME: &'static str = "vectorize";
    const RUNS: u64 = 100_000;

    fn subject(&self, seed: u64) -> Subject {
        Subject::Program(Box::new(match seed % 4 {
            3 => loop_program(seed).program,
            _ => oracle::program(seed),
        }))
    }

    fn check(&mut self, subject: &Subject, coverage: &mut Coverage) -> Verdict {
        let Some(program) = subject.program() else { return Verdict::Same };
        if let Some(program) = LoopProgram::of(program.clone()) {
            return self.check_loop(&program, coverage);
        }
        let pipeline = match oracle::check(program, &oracle::region_of(program)) {
            Stages::Same(pipeline) => pipeline,
            other => return not_done(other, coverage),
        };
        for (what, holds) in oracle::shares(&pipeline.statistics) {
            coverage.add_feature(what, holds);
        }
        let (module, inputs) = oracle::widened_program(program, &pipeline);
        self.machine_code(program, &module, &inputs, coverage)
    }

    /// Random programs are rare ones, and LLVM's loop strength reduction ends the process with one in 300,000 of them.
    fn as_it_is(&mut self, subject: &Subject) {
        if let Some(program) = subject.program() {
            let compiled = self.differential().compile(&program.module, level(program));
            compiled.unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

/// How the machine code of a program is made.
fn level(program: &Program) -> Level {
    Level::of(program.seed / 4)
}

impl Vectorize {
    fn differential(&mut self) -> &Differential {
        self.0.get_or_insert_with(|| {
            Differential::new().unwrap_or_else(|error| panic!("no machine code here: {error}"))
        })
    }

    fn check_loop(&mut self, program: &LoopProgram, coverage: &mut Coverage) -> Verdict {
        let done = match program.check() {
            LoopVerdict::Same(done) => done,
            LoopVerdict::Other(other) => return not_done(other, coverage),
        };
        let (module, statistics) = *done;
        coverage.add_feature("loops", 1);
        for (what, holds) in oracle::shares(&statistics) {
            coverage.add_feature(what, holds);
        }
        let iterations = program.options.width as usize + 1;
        self.machine_code(&program.program, &module, &program.inputs(iterations), coverage)
    }

    /// The machine code of a module against the interpreter.
    fn machine_code(
        &mut self,
        program: &Program,
        module: &Module,
        inputs: &Inputs,
        coverage: &mut Coverage,
    ) -> Verdict {
        let level = level(program);
        let differential = self.differential();
        match differential.compare_module(module, &program.entry, inputs, level, coverage) {
            // Fewer iterations may be defined than these.
            Verdict::Undefined(why) if !program.defined => Verdict::Nothing(why),
            Verdict::Different(why) | Verdict::Undefined(why) => {
                Verdict::Different(format!("machine code: {why}\n{module}"))
            }
            _ => Verdict::Same,
        }
    }
}

/// What is said of a program that was not vectorized, or wrongly.
fn not_done(stages: Stages, coverage: &mut Coverage) -> Verdict {
    match stages {
        Stages::Same(_) => Verdict::Same,
        Stages::Declined(declined) => {
            coverage.add_feature(&format!("declined: {}", kind(&declined.reason)), 1);
            Verdict::Nothing(declined.reason)
        }
        Stages::Nothing(why) => {
            coverage.add_feature("nothing to compare", 1);
            Verdict::Nothing(why)
        }
        Stages::Wrong(wrong) => Verdict::Different(wrong),
    }
}

/// A reason without the name of a block.
fn kind(reason: &str) -> String {
    let words = reason.split_whitespace().filter(|word| !word.starts_with('%'));
    words.collect::<Vec<_>>().join(" ")
}
