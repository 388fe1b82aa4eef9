//! Random programs against the oracle: what fuzz targets and tests run.

use super::iterations::Iterations;
use super::sketches::{answer_unknown, is_sketch, sketch};
use super::{agree, check_run};
use crate::divergence::{Divergence, analyze};
use crate::lattice::Lattice;
use crate::sources::Sources;
use crate::summaries::Program as Callees;
use crate::{Affine, Basic, Options, Stride};
use lw_ir::generate::{self, Param, Program, generate};
use lw_ir::interp::{Run, RunError, Schedule, Tag, Trace, Val};
use lw_ir::{Function, Value};
use rustc_hash::FxHashMap;

/// The random program of a seed: threads that see each other and irreducible cycles, threads that do not, or plain programs
/// for [`check_across_runs`], every other with irreducible cycles. Every eighth is a [sketch](super::sketches).
pub fn program(seed: u64) -> Program {
    if is_sketch(seed) {
        return sketch(seed);
    }
    let everything = generate::Options::everything();
    let options = match seed % 4 {
        0 => everything,
        1 => generate::Options::lockstep(),
        2 => generate::Options { irreducible: false, ..everything },
        _ => generate::Options { irreducible: seed / 4 % 2 == 1, ..generate::Options::default() },
    };
    generate(seed, &options)
}

/// All that must hold of a [`program`].
pub fn check(program: &Program) -> Verdict {
    let seed = program.seed;
    let mut checked = 0;
    let one = |verdict: Verdict| match verdict {
        Verdict::Holds(seen) => Ok(seen),
        other => Err(other),
    };
    let mut all = || -> Result<(), Verdict> {
        // Sketches are small, and some of them show what they are for under few schedules.
        let schedules = if is_sketch(seed) { 12 } else { 2 };
        let seeds: Vec<u64> = (0..schedules).map(|i| seed.wrapping_add(i)).collect();
        checked += one(check_program::<Basic>(program, 4, &seeds))?;
        checked += one(check_program::<Stride>(program, 3, &[seed]))?;
        checked += one(check_program::<Affine<2>>(program, 4, &[seed]))?;
        if seed % 4 == 3 && !is_sketch(seed) {
            checked += one(check_across_runs(program, seed))?;
        }
        Ok(())
    };
    match all() {
        Ok(()) => Verdict::Holds(checked),
        Err(verdict) => verdict,
    }
}

/// Uniform values of several runs that agree on the uniform inputs, by instance (000 Def. 4.1).
#[derive(Default)]
struct Instances(FxHashMap<(Value, Tag), Val>);

impl Instances {
    fn add(
        &mut self,
        function: &Function,
        divergence: &Divergence<Basic>,
        trace: &Trace,
    ) -> Result<(), String> {
        let threads = trace.top().next().map_or(0, |step| step.cmask.len());
        let mut iterations = Iterations::new(threads);
        for step in trace.top() {
            iterations.enter(divergence.control(), step);
            for (of, values) in &step.values {
                if !divergence.is_uniform(*of) {
                    continue;
                }
                for t in (0..values.len()).filter(|&t| step.active[t]) {
                    let key = (*of, iterations.of(t).clone());
                    let known = self.0.entry(key).or_insert_with(|| values[t].clone());
                    if !agree(known, &values[t]) {
                        let shown =
                            function.def_inst(*of).map(|i| function.display_inst(i).to_string());
                        return Err(format!(
                            "across runs: `{}` is uniform, but {known} and {} at {}",
                            shown.unwrap_or_default().trim(),
                            values[t],
                            iterations.of(t)
                        ));
                    }
                }
            }
        }
        Ok(())
    }
}

/// The sources of a random program: what its inputs are.
pub fn sources<L: Lattice>(program: &Program, threads: u32) -> Sources<L> {
    let shape = |param: &Param| match param {
        Param::Memory | Param::Table | Param::Uniform(..) => L::uniform(),
        Param::Thread => L::lane(64, Some(threads)),
        Param::Varying(..) => L::varying(),
    };
    Sources::params(program.inputs.params.iter().map(shape))
}

fn run(
    program: &Program,
    threads: std::ops::Range<usize>,
    seed: u64,
) -> Result<(Vec<Vec<Val>>, Trace), RunError> {
    let schedule = Schedule::Greedy { seed };
    let step_limit = lw_ir::generate::lockstep::STEPS;
    let run = Run { threads: threads.len(), trace: true, step_limit, schedule, ..Run::default() };
    let (mut machine, memory, table) = program.inputs.machine(&program.module)?;
    answer_unknown(&mut machine);
    let args: Vec<Vec<Val>> = threads.map(|t| program.inputs.arguments(t, memory, table)).collect();
    let outcome = machine.run(&program.entry, &args, &run)?;
    Ok((args, outcome.trace.unwrap_or_default()))
}

/// What became of a random program.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// So many claims hold.
    Holds(usize),
    /// The program could not be run.
    Nothing(RunError),
    /// A claim is wrong.
    Wrong(String),
}

/// Analyses a random program with one lattice and runs it by `threads` threads under some greedy schedules.
pub fn check_program<L: Lattice>(program: &Program, threads: usize, seeds: &[u64]) -> Verdict {
    let Some(function) = program.module.function(&program.entry) else {
        return Verdict::Holds(0);
    };
    let options = Options {
        threads: Some(threads as u32),
        layout: Some(program.module.layout.clone()),
        ranges: program.seed % 8 > 3,
        ..Options::default()
    };
    let sources = sources::<L>(program, threads as u32);
    let callees = Callees::new(&program.module.functions, Sources::default(), options.clone());
    let divergence = callees.analyze(function, &sources);
    let mut checked = 0;
    for &seed in seeds {
        let (args, trace) = match run(program, 0..threads, seed) {
            Ok(seen) => seen,
            Err(error) => return Verdict::Nothing(error),
        };
        match check_run(function, &divergence, &options, &args, &trace) {
            Ok(seen) => checked += seen,
            Err(wrong) => return Verdict::Wrong(wrong),
        }
    }
    Verdict::Holds(checked)
}

/// Holds uniform values of a program against several runs at once: the same instance has the same value in all of them. For
/// programs without operations across threads, predicates, and writes to memory that threads share.
pub fn check_across_runs(program: &Program, seed: u64) -> Verdict {
    let Some(function) = program.module.function(&program.entry) else {
        return Verdict::Holds(0);
    };
    let divergence = analyze(function, &sources::<Basic>(program, 1), &Options::default());
    let mut instances = Instances::default();
    for threads in [0..2, 2..4] {
        match run(program, threads, seed) {
            Ok((_, trace)) => {
                if let Err(wrong) = instances.add(function, &divergence, &trace) {
                    return Verdict::Wrong(wrong);
                }
            }
            Err(error) => return Verdict::Nothing(error),
        }
    }
    Verdict::Holds(instances.0.len())
}
