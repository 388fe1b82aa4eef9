//! W threads in lock step compute what W runs of one thread compute, where threads do not see each other.

use super::Program;
use super::inputs::{Inputs, Observed};
use crate::entities::Value;
use crate::function::{Function, ValueDef};
use crate::inst::{InsertAt, InstData, Op};
use crate::interp::{ErrorKind, Machine, Run, RunError, Schedule, Semantics, Trace, Val};
use crate::module::Module;
use crate::ops::{Horizontal, ReduceOp};
use crate::types::{Scalar, Type};
use std::collections::HashMap;

/// What comparing runs of a program said.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// All runs agree.
    Same,
    /// There is nothing to compare: the program leaves something open, or takes too long.
    Nothing(String),
    /// There is nothing to compare: the program has undefined behaviour.
    Undefined(String),
    /// They differ.
    Different(String),
}

/// How many instructions a run may take.
pub const STEPS: u64 = 200_000;

/// Compares W threads with W runs, under greedy schedules and the reconvergence stack, freezing, and where the program is
/// well-formed for it obliviously.
pub fn compare(program: &Program, threads: usize) -> Verdict {
    let Program { module, entry, inputs, defined, .. } = program;
    compare_module(module, entry, inputs, threads).for_program(*defined)
}

impl Verdict {
    /// The verdict on a program: one that is defined by construction has no undefined behaviour.
    pub fn for_program(self, defined: bool) -> Verdict {
        match self {
            Verdict::Undefined(why) if defined => {
                Verdict::Different(format!("a defined program is called undefined: {why}"))
            }
            other => other,
        }
    }
}

/// The same for a module that may not be the program the inputs were made with.
pub fn compare_module(module: &Module, entry: &str, inputs: &Inputs, threads: usize) -> Verdict {
    let base = Run { step_limit: STEPS, ..Run::default() };
    let apart = match inputs.run_apart(module, entry, 0..threads, &base) {
        Ok(seen) => seen,
        Err(error) if error.kind.is_undefined_behaviour() || error.kind.is_limit() => {
            // Nothing is asked of the run but that it ends.
            let _ = inputs.run(module, entry, 0..threads, &base);
            let why = error.to_string();
            return if error.kind.is_limit() {
                Verdict::Nothing(why)
            } else {
                Verdict::Undefined(why)
            };
        }
        Err(error) => return Verdict::Different(format!("one thread: {error}")),
    };
    if let Some(branching) = without_predicates(module)
        && !apart.open
    {
        match inputs.run_apart(&branching, entry, 0..threads, &base) {
            Ok(seen) => {
                if let Some(difference) = difference(&apart, &seen) {
                    return Verdict::Different(format!("branches for predicates: {difference}"));
                }
            }
            Err(error) if error.kind.is_limit() => {}
            Err(error) => return Verdict::Different(format!("branches for predicates: {error}")),
        }
    }
    let schedules = [
        Schedule::Greedy { seed: 0 },
        Schedule::Greedy { seed: 1 },
        Schedule::Greedy { seed: 0x5eed },
        Schedule::ReconvergenceStack,
    ];
    let mut runs: Vec<(String, Run)> = schedules
        .into_iter()
        .map(|schedule| (format!("{schedule:?}"), Run { schedule, ..base.clone() }))
        .collect();
    runs[1].1.trace = true;
    let oblivious = Run { semantics: Semantics::Oblivious, ..base.clone() };
    runs.push(("oblivious".into(), oblivious));
    for (name, run) in &runs {
        let run = Run { step_limit: STEPS * threads as u64, ..run.clone() };
        let together = match inputs.run(module, entry, 0..threads, &run) {
            Ok(seen) => seen,
            Err(RunError { kind: ErrorKind::PassiveUse(_), .. })
                if run.semantics == Semantics::Oblivious =>
            {
                continue;
            }
            Err(error) if error.kind.is_limit() => return Verdict::Nothing(error.to_string()),
            Err(error) => return Verdict::Different(format!("{threads} threads, {name}: {error}")),
        };
        if apart.open || together.open {
            continue;
        }
        if let Some(difference) = difference(&apart, &together) {
            return Verdict::Different(format!("{threads} threads, {name}: {difference}"));
        }
    }
    if apart.open {
        Verdict::Nothing("the program leaves something open".into())
    } else {
        Verdict::Same
    }
}

/// The same program with branches around blocks that have a predicate; `None` if there are none, or if a block has
/// several successors or values that others use, so that a branch would mean something else.
fn without_predicates(module: &Module) -> Option<Module> {
    let mut module = module.clone();
    let mut found = false;
    for f in &mut module.functions {
        for block in f.blocks().to_vec() {
            let Some(predicate) = f.predicate(block) else { continue };
            let Some(terminator) = f.terminator(block) else { continue };
            let own = f.def_inst(predicate).filter(|&inst| f.block_of(inst) == Some(block));
            let phis = f.phis(block).count();
            let first = own.map_or(phis, |inst| phis.max(f.position(inst).1 + 1));
            let guarded = f.insts(block)[first..].to_vec();
            let results: Vec<Value> =
                guarded.iter().filter_map(|&inst| f[inst].result.expand()).collect();
            let leaks = f.all_insts().any(|(at, inst)| {
                at != block && f[inst].args.iter().any(|arg| results.contains(arg))
            });
            if f.successors(block).len() != 1 || leaks {
                return None;
            }
            let end = f.split_block(terminator);
            let body = match guarded.first().filter(|&&inst| inst != terminator) {
                Some(&inst) => f.split_block(inst),
                None => end,
            };
            for b in [block, body, end] {
                f.set_predicate(b, None);
            }
            if body != end {
                let jump = InstData::new(Op::Br, Type::Void, &[]).with_targets(&[end]);
                f.insert(InsertAt::End(body), jump);
            }
            let branch = InstData::new(Op::CondBr, Type::Void, &[predicate]);
            f.insert(InsertAt::End(block), branch.with_targets(&[body, end]));
            found = true;
        }
    }
    found.then_some(module)
}

/// The first difference between what two runs show.
pub fn difference(a: &Observed, b: &Observed) -> Option<String> {
    for (t, (x, y)) in a.results.iter().zip(&b.results).enumerate() {
        if !x.same_as(y) {
            return Some(format!("thread {t} returns {x} alone and {y} here"));
        }
    }
    let places = [("memory", &a.memory, &b.memory), ("globals", &a.globals, &b.globals)];
    for (what, x, y) in places {
        if let Some(at) = (0..x.len()).find(|&i| x[i] != y.get(i).copied().flatten()) {
            let (x, y) = (x[at], y.get(at).copied().flatten());
            return Some(format!("byte {at} of {what} is {x:?} alone and {y:?} here"));
        }
    }
    None
}

/// Checks every operation across threads in a run against its definition, from the trace. `None` if all are right.
pub fn check_horizontal(
    program: &Program,
    threads: usize,
    seed: u64,
) -> Result<Option<String>, RunError> {
    let (module, inputs) = (&program.module, &program.inputs);
    let schedule = Schedule::Greedy { seed };
    let run = Run { threads, trace: true, step_limit: STEPS, schedule, ..Run::default() };
    let (mut machine, memory, table) = inputs.machine(module)?;
    let args: Vec<Vec<Val>> = (0..threads).map(|t| inputs.arguments(t, memory, table)).collect();
    let outcome = Machine::run(&mut machine, &program.entry, &args, &run)?;
    let Some(trace) = &outcome.trace else { return Ok(None) };
    let Some(index) = module.functions.iter().position(|f| f.name.as_str() == Some(&program.entry))
    else {
        return Ok(None);
    };
    Ok(wrong_operation(&module.functions[index], &args, trace, threads))
}

fn wrong_operation(
    function: &Function,
    args: &[Vec<Val>],
    trace: &Trace,
    threads: usize,
) -> Option<String> {
    let mut known: HashMap<Value, Vec<Val>> = HashMap::new();
    for (i, &param) in function.params().iter().enumerate() {
        known.insert(param, args.iter().map(|list| list[i].clone()).collect());
    }
    for step in trace.top() {
        for (variable, values) in &step.values {
            let inst = function.def_inst(*variable)?;
            let data = &function[inst];
            if let Op::Horizontal(op) = data.op {
                let active: Vec<bool> =
                    if data.total { vec![true; threads] } else { step.active.clone() };
                let rows: Option<Vec<Vec<Val>>> = data
                    .args
                    .iter()
                    .map(|arg| match function.def(*arg) {
                        ValueDef::Const(c) => {
                            let value = Val::from_bits(
                                64,
                                match &c.kind {
                                    crate::constant::ConstantKind::Int(bits) => bits.clone(),
                                    _ => return None,
                                },
                            );
                            Some(vec![value; threads])
                        }
                        _ => known.get(arg).cloned(),
                    })
                    .collect();
                if let Some(rows) = rows {
                    for t in (0..threads).filter(|&t| active[t]) {
                        let Some(wanted) = expected(op, data.ty, &rows, &active, t) else {
                            continue;
                        };
                        if wanted != values[t] {
                            let shown = function.display_inst(inst);
                            return Some(format!(
                                "`{}` on thread {t} is {}, not {wanted}",
                                shown.trim(),
                                values[t]
                            ));
                        }
                    }
                }
            }
            known.insert(*variable, values.clone());
        }
    }
    None
}

/// The definition of an operation on one thread, for plain integers; `None` for what is not checked.
fn expected(
    op: Horizontal,
    ty: Type,
    rows: &[Vec<Val>],
    active: &[bool],
    thread: usize,
) -> Option<Val> {
    let threads: Vec<usize> = (0..active.len()).filter(|&t| active[t]).collect();
    let width = match ty {
        Type::Scalar(Scalar::Int(bits)) if bits <= 64 => bits,
        _ => return None,
    };
    let number = |row: usize, t: usize| rows.get(row)?.get(t)?.as_u128();
    let all =
        |row: usize| -> Option<Vec<u128>> { threads.iter().map(|&t| number(row, t)).collect() };
    let lane = |row: usize| number(row, thread);
    let signed = |x: u128| (x as i128) << (128 - width) >> (128 - width);
    let value = match op {
        Horizontal::Any => u128::from(all(0)?.contains(&1)),
        Horizontal::All => u128::from(!all(0)?.contains(&0)),
        Horizontal::Ballot => {
            let _ = all(0)?;
            threads.iter().filter(|&&t| number(0, t) == Some(1)).map(|&t| 1 << t).sum()
        }
        Horizontal::Popcount => all(0)?.iter().sum(),
        Horizontal::Lane => thread as u128,
        Horizontal::Lanes => active.len() as u128,
        Horizontal::Broadcast => number(0, *threads.first()?)?,
        Horizontal::Extract | Horizontal::Shuffle => {
            let from = usize::try_from(lane(1)?).ok()?;
            if !threads.contains(&from) {
                return Some(Val::Poison);
            }
            number(0, from)?
        }
        Horizontal::Insert => {
            if lane(1)? == thread as u128 {
                number(2, thread)?
            } else {
                number(0, thread)?
            }
        }
        Horizontal::Compact => {
            let flags = all(1)?;
            let chosen: Vec<usize> =
                threads.iter().zip(flags).filter(|(_, flag)| *flag == 1).map(|(&t, _)| t).collect();
            match chosen.get(thread) {
                Some(&from) => number(0, from)?,
                None => return Some(Val::Poison),
            }
        }
        Horizontal::Reduce(op) => {
            let all = all(0)?;
            let fold = |f: fn(u128, u128) -> u128| all.iter().copied().reduce(f);
            match op {
                ReduceOp::Add => fold(u128::wrapping_add)?,
                ReduceOp::Mul => fold(u128::wrapping_mul)?,
                ReduceOp::And => fold(|a, b| a & b)?,
                ReduceOp::Or => fold(|a, b| a | b)?,
                ReduceOp::Xor => fold(|a, b| a ^ b)?,
                ReduceOp::UMin => fold(u128::min)?,
                ReduceOp::UMax => fold(u128::max)?,
                ReduceOp::SMin => all.iter().copied().min_by_key(|&x| signed(x))?,
                ReduceOp::SMax => all.iter().copied().max_by_key(|&x| signed(x))?,
                _ => return None,
            }
        }
    };
    Some(Val::int(width, value as i128))
}
