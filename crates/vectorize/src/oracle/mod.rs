//! The oracle: a random program before and after each stage, held against W runs of one thread.
//!
//! After canonicalization the program runs by W threads, freezing. After the divergent loop transform and later stages it also runs
//! obliviously, and no value that passive execution spoiled may matter (001 Def. 11). The linearized program must have no
//! divergent branch left. The widened program runs by one thread.

mod arrays;
mod asking;
mod carried;
mod counting;
pub mod executions;
pub mod lanes;
mod lives;
pub mod loops;
mod numbered;
mod places;
mod sketches;

use crate::calls::{Callee, Calls, vectorize_callees};
use crate::decline::Declined;
use crate::pipeline::{Pipeline, Stage, Statistics};
use crate::region::Region;
use crate::worth::Boscc;
use lw_divergence::oracle::programs::sources;
use lw_ir::generate::lockstep::STEPS;
use lw_ir::generate::{Inputs, Observed, Options, Param, Program, generate};
use lw_ir::interp::{ErrorKind, Run, RunError, Schedule, Semantics, Val};
use lw_ir::ops::CastOp;
use lw_ir::types::Type;
use lw_ir::{Builder, Function, Module, Op, Value};
use std::sync::Arc;

/// What became of a random program.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// All stages compute the same.
    Same(Box<Pipeline>),
    /// The region was declined, after so many stages that hold.
    Declined(Declined),
    /// There is nothing to compare.
    Nothing(String),
    /// A stage is wrong.
    Wrong(String),
}

/// The random program of a seed: every fourth has operations across threads, few are sketches.
pub fn program(seed: u64) -> Program {
    match seed % 64 {
        20 => return sketches::seldom_entered(seed),
        // With each width.
        52 | 53 => return sketches::fields(seed),
        54..58 => return sketches::lives(seed),
        _ => {}
    }
    let options = Options {
        threads: 16,
        indirect_branches: seed % 16 == 15,
        shared_atomic: seed % 8 == 7 && seed % 5 != 2,
        horizontal: seed % 4 == 2,
        calls: seed % 4 != 2,
        irreducible: seed % 8 == 1,
        records: true,
        undefined: if seed.is_multiple_of(2) { 0 } else { 8 },
        ..Options::default()
    };
    generate(seed, &options)
}

/// The region that the program of a seed is checked with: all widths, with and without gadgets, with and without a mask.
pub fn region_of(program: &Program) -> Region {
    let width = [2, 3, 4, 7, 8, 16][(program.seed % 6) as usize];
    let boscc = match program.seed % 4 {
        1 => Boscc::Always,
        3 => Boscc::Worthwhile,
        _ => Boscc::Never,
    };
    let masked = program.seed % 5 == 2;
    let mut calls = Calls::default();
    if program.seed % 7 < 6 {
        let functions = program.module.functions.iter();
        calls.bodies = functions.filter_map(|f| f.name.as_str().map(String::from)).collect();
    }
    Region { boscc, masked, calls: Arc::new(calls), ..region(program, width) }
}

/// What a fuzz target counts.
pub fn shares(statistics: &Statistics) -> Vec<(&'static str, u64)> {
    let one = |holds: bool| u64::from(holds);
    vec![
        ("vectorized", 1),
        ("with divergent loops", one(statistics.divergent_loops > 0)),
        ("with several exits", one(statistics.several_exits > 0)),
        ("with guarded loops", one(statistics.guarded_loops > 0)),
        ("with folded branches", one(statistics.folded_branches > 0)),
        ("with kept branches", one(statistics.kept_branches > 0)),
        ("with BOSCC gadgets", one(statistics.boscc > 0)),
        ("with interleaved stack objects", one(statistics.interleaved > 0)),
        ("with uniform accesses", one(statistics.widened.uniform > 0)),
        ("with contiguous accesses", one(statistics.widened.contiguous > 0)),
        ("with fields of records", one(statistics.widened.interleaved > 0)),
        ("with gathers", one(statistics.widened.gathers > 0)),
        ("with calls for each lane", one(statistics.widened.calls > 0)),
        ("with calls of vector functions", one(statistics.widened.together > 0)),
        ("with operations across lanes", one(statistics.widened.horizontal > 0)),
        ("with reductions", one(statistics.widened.reductions > 0)),
    ]
}

/// The region that a random program is.
pub fn region(program: &Program, width: u32) -> Region {
    Region {
        params: sources(program, width).params,
        ..Region::new(width, program.module.layout.clone())
    }
}

/// Runs all stages on a random program of `region.width` threads and compares.
pub fn check(program: &Program, region: &Region) -> Verdict {
    let Some(function) = program.module.function(&program.entry) else {
        return Verdict::Nothing("no entry".into());
    };
    let base = Run { step_limit: STEPS, ..Run::default() };
    let alone = executions::apart(program, region, &base);
    let mut wanted = match alone {
        Ok(seen) if seen.open => {
            return Verdict::Nothing("the program leaves something open".into());
        }
        Ok(seen) => seen,
        Err(error) => return Verdict::Nothing(error.to_string()),
    };
    let mut pipeline = match Pipeline::new(function, region) {
        Ok(pipeline) => pipeline,
        Err(declined) => return Verdict::Declined(declined),
    };
    for stage in Stage::ALL {
        let name = stage.name();
        if let Err(declined) = pipeline.run(stage) {
            return Verdict::Declined(declined);
        }
        if let Err(errors) = lw_ir::verify(&pipeline.function) {
            return Verdict::Wrong(format!("{name}: {}\n{}", errors[0], pipeline.function));
        }
        for callee in callees(program, &pipeline) {
            if let Err(errors) = lw_ir::verify(&callee.vector) {
                return Verdict::Wrong(format!("a callee: {}\n{}", errors[0], callee.vector));
            }
        }
        if stage == Stage::Canonicalize && sees_others(function) {
            // Who executes something together is only settled now.
            let module = with_function(program, &pipeline);
            let run = Run { step_limit: STEPS * u64::from(region.width), ..base.clone() };
            wanted = match executions::together(program, region, &module, &run) {
                Ok(seen) if seen.open => return Verdict::Nothing("something is open".into()),
                Ok(seen) => seen,
                Err(error) => return Verdict::Nothing(error.to_string()),
            };
        }
        if let Err(wrong) = check_stage(program, &pipeline, stage, &wanted) {
            return Verdict::Wrong(format!("{name}: {wrong}\n{}", pipeline.function));
        }
    }
    Verdict::Same(Box::new(pipeline))
}

/// Whether threads of a function see each other.
fn sees_others(function: &Function) -> bool {
    function.all_insts().any(|(_, inst)| matches!(function[inst].op, Op::Horizontal(_)))
}

fn with_function(program: &Program, pipeline: &Pipeline) -> Module {
    let mut module = program.module.clone();
    for function in &mut module.functions {
        if function.name.as_str() == Some(&program.entry) {
            *function = pipeline.function.clone();
        }
    }
    let made = callees(program, pipeline);
    module.functions.extend(made.into_iter().map(|callee| callee.vector));
    module
}

/// The vector functions that the widened function calls.
fn callees(program: &Program, pipeline: &Pipeline) -> Vec<Callee> {
    let Region { calls, layout, .. } = &pipeline.region;
    let import = |name: &str| program.module.function(name).cloned();
    vectorize_callees(&pipeline.function, calls, layout, |_| false, import)
}

fn check_stage(
    program: &Program,
    pipeline: &Pipeline,
    stage: Stage,
    wanted: &Observed,
) -> Result<(), String> {
    let module = with_function(program, pipeline);
    if stage == Stage::Linearize {
        let divergence = pipeline.analyze();
        if let Some(b) = divergence.divergent_branches().next() {
            let b = pipeline.function.display_block(b);
            return Err(format!("the branch of {b} is divergent"));
        }
    }
    let limit = plenty(wanted);
    if stage == Stage::Widen {
        let run = Run { step_limit: limit, ..Run::default() };
        return match executions::widened(program, &pipeline.region, &module, &run) {
            Ok(seen) => difference(wanted, &seen).map_or(Ok(()), Err),
            Err(error) => Err(error.to_string()),
        };
    }
    let mut semantics = vec![Semantics::Freezing];
    if stage > Stage::Canonicalize {
        semantics.push(Semantics::Oblivious);
    }
    for (seed, semantics) in semantics.into_iter().enumerate() {
        let schedule = Schedule::Greedy { seed: seed as u64 };
        let run = Run { step_limit: limit, semantics, schedule, ..Run::default() };
        match executions::together(program, &pipeline.region, &module, &run) {
            Ok(seen) => {
                if let Some(difference) = difference(wanted, &seen) {
                    return Err(format!("{semantics:?}: {difference}"));
                }
            }
            // Functions that are called are as they were. Where the program says poison, ⊤ will do: so does a masked function
            // on threads that are not in the mask.
            Err(RunError { kind: ErrorKind::PassiveUse(_), function, thread, .. })
                if function != pipeline.function.name.to_string()
                    || !program.defined
                    || thread.is_some_and(|t| !executions::is_active(&pipeline.region, t)) => {}
            Err(error) => return Err(format!("{semantics:?}: {error}")),
        }
    }
    Ok(())
}

/// As many steps as no program takes that has to do what was seen: blocks that no thread executed are executed once for each
/// iteration of the loops around them, some of their instructions for one lane after the other.
fn plenty(wanted: &Observed) -> u64 {
    50_000 + 1_000 * wanted.outcome.steps
}

/// A module in which the widened function took the place of the entry of a random program, and inputs with which one run of it
/// does what all threads of the program do.
pub fn widened_program(program: &Program, pipeline: &Pipeline) -> (Module, Inputs) {
    let (inputs, region) = (&program.inputs, &pipeline.region);
    let scalar = program.module.function(&program.entry).expect("the program has an entry");
    let types = &pipeline.function.signature.params;
    let one = |(i, param): (usize, &Param)| match param {
        Param::Thread => Param::Uniform(types[i], Val::i64(0)),
        Param::Varying(ty, values) => {
            let values: Vec<Val> =
                (0..region.width as usize).map(|t| values[t % values.len()].clone()).collect();
            Param::Uniform(types[i], lanes::packed(scalar, *ty, &values))
        }
        other => other.clone(),
    };
    let mut params: Vec<Param> = inputs.params.iter().enumerate().map(one).collect();
    if region.masked {
        let mask = (0..region.width as usize).map(|t| Val::bool(executions::is_active(region, t)));
        params.push(Param::Uniform(types[params.len()], Val::elems(mask)));
    }
    (with_function(program, pipeline), Inputs { params, ..inputs.clone() })
}

/// The first difference between what the program says and what was seen. What it leaves undefined may be anything.
fn difference(wanted: &Observed, seen: &Observed) -> Option<String> {
    let results = wanted.results.iter().zip(&seen.results).enumerate();
    if let Some((t, (x, y))) = results.into_iter().find(|(_, (x, y))| !x.refined_by(y)) {
        return Some(format!("thread {t} returns {x} alone and {y} here"));
    }
    let places =
        [("memory", &wanted.memory, &seen.memory), ("globals", &wanted.globals, &seen.globals)];
    places.into_iter().find_map(|(what, wanted, seen)| {
        let wrong = |i: &usize| wanted[*i].is_some() && wanted[*i] != seen[*i];
        let at = (0..wanted.len()).find(wrong)?;
        Some(format!("byte {at} of {what} is {:?} alone and {:?} here", wanted[at], seen[at]))
    })
}

/// A whole number in a type that may be narrower or wider.
fn fit(b: &mut Builder<'_>, value: Value, ty: Type) -> Value {
    match b.function.ty(value).int_bits().cmp(&ty.int_bits()) {
        std::cmp::Ordering::Less => b.cast(CastOp::ZExt, value, ty),
        std::cmp::Ordering::Equal => value,
        std::cmp::Ordering::Greater => b.cast(CastOp::Trunc, value, ty),
    }
}
