//! Runs of random programs: one thread after the other, all together, and the widened program.

use super::lanes;
use crate::region::Region;
use lw_ir::generate::{Observed, Program};
use lw_ir::interp::{Machine, Outcome, Ptr, Run, RunError, Val};
use lw_ir::types::Type;
use lw_ir::{Function, Module};

/// Whether a thread takes part: all do, unless the region has a mask.
pub fn is_active(region: &Region, thread: usize) -> bool {
    !region.masked || !(thread + region.width as usize).is_multiple_of(3)
}

fn scalar(program: &Program) -> &Function {
    program.module.function(&program.entry).expect("the program has an entry")
}

fn observe(
    program: &Program,
    machine: &Machine<'_>,
    memory: Ptr,
    results: Vec<Val>,
    outcome: Outcome,
) -> Result<Observed, RunError> {
    let fail = |kind| RunError::at_function(kind, program.entry.clone());
    let variables = program.module.globals.iter().filter(|global| !global.constant);
    let names = variables.filter_map(|global| global.name.as_str());
    Ok(Observed {
        results,
        memory: machine.read_bytes(memory, program.inputs.memory.len() as u64).map_err(fail)?,
        globals: names.flat_map(|name| machine.read_global(name).unwrap_or_default()).collect(),
        open: outcome.nondeterminism_used,
        outcome,
    })
}

/// Runs the program by the active threads, one after the other.
///
/// # Errors
/// As [`Machine::run`].
pub fn apart(program: &Program, region: &Region, run: &Run) -> Result<Observed, RunError> {
    let (mut machine, memory, table) = program.inputs.machine(&program.module)?;
    let mut results = Vec::new();
    let (mut open, mut steps) = (false, 0);
    let mut last = None;
    for t in 0..region.width as usize {
        if !is_active(region, t) {
            results.push(Val::Undef);
            continue;
        }
        let args = program.inputs.arguments(t, memory, table);
        let outcome = machine.run(&program.entry, &[args], &Run { threads: 1, ..run.clone() })?;
        open |= outcome.nondeterminism_used;
        steps += outcome.steps;
        results.extend(outcome.values());
        last = Some(outcome);
    }
    let outcome = match last {
        Some(outcome) => Outcome { nondeterminism_used: open, steps, ..outcome },
        None => return Err(RunError::at_function(lw_ir::interp::ErrorKind::Stuck, String::new())),
    };
    observe(program, &machine, memory, results, outcome)
}

/// Runs a function of the same signature, with a mask behind its parameters if the region has one, by all threads.
///
/// # Errors
/// As [`Machine::run`].
pub fn together(
    program: &Program,
    region: &Region,
    module: &Module,
    run: &Run,
) -> Result<Observed, RunError> {
    let (mut machine, memory, table) = program.inputs.machine(module)?;
    let width = region.width as usize;
    let mut args: Vec<Vec<Val>> =
        (0..width).map(|t| program.inputs.arguments(t, memory, table)).collect();
    if region.masked {
        for (t, args) in args.iter_mut().enumerate() {
            args.push(Val::bool(is_active(region, t)));
        }
    }
    let outcome = machine.run(&program.entry, &args, &Run { threads: width, ..run.clone() })?;
    let mut results = outcome.values();
    for (t, result) in results.iter_mut().enumerate() {
        if !is_active(region, t) {
            *result = Val::Undef;
        }
    }
    observe(program, &machine, memory, results, outcome)
}

/// Runs the widened function of a module by one thread, with the arguments of all threads.
///
/// # Errors
/// As [`Machine::run`].
pub fn widened(
    program: &Program,
    region: &Region,
    module: &Module,
    run: &Run,
) -> Result<Observed, RunError> {
    let width = region.width as usize;
    let scalar = scalar(program);
    let (mut machine, memory, table) = program.inputs.machine(module)?;
    let threads: Vec<Vec<Val>> =
        (0..width).map(|t| program.inputs.arguments(t, memory, table)).collect();
    let mut args: Vec<Val> = Vec::new();
    for (i, &ty) in scalar.signature.params.iter().enumerate() {
        let values: Vec<Val> = threads.iter().map(|list| list[i].clone()).collect();
        let stays = region.param(i).stride().is_some();
        args.push(if stays { values[0].clone() } else { lanes::packed(scalar, ty, &values) });
    }
    if region.masked {
        args.push(Val::elems((0..width).map(|t| Val::bool(is_active(region, t)))));
    }
    let outcome = machine.run(&program.entry, &[args], &Run { threads: 1, ..run.clone() })?;
    let returned = outcome.results[0].clone().unwrap_or(Val::Passive);
    let ret = scalar.signature.ret;
    let result = |t: usize| match ret {
        Type::Void => Val::Unit,
        _ => lanes::unpacked(scalar, ret, &returned, t),
    };
    let results = (0..width).map(result).collect();
    observe(program, &machine, memory, results, outcome)
}
