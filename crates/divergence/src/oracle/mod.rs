//! The oracle: what the analysis claims, held against executions.
//!
//! A trace shows, block by block, which threads executed it and what every variable was. A claim about a version must hold
//! for the threads that are *together* where it begins: same block, same step, same iterations of the loops around it (000 Def. 4.1
//! within a run, and 001 §6.2 for those that are active).
//!
//! ```text
//! φ                       the threads that enter the block
//! total, mask, shadow φ   all threads, whatever they execute
//! other instructions      the threads that execute them actively
//! φ of the view           as φ, for the variable it merges
//! σ of the view           the threads that take its edge, by the tag they come from
//! ```
//!
//! Left out are lanes whose value is undefined, and *stale* ones: a thread that executed a block passively has no value from
//! it, and what it computes from that later means nothing (001 Def. 10).

pub mod gpu;
mod iterations;
pub mod programs;
pub mod sketches;

use crate::Options;
use crate::divergence::Divergence;
use crate::fact::Fact;
use crate::lattice::{Lattice, Thread};
use iterations::Iterations;
use lw_graph::{Edge, Node};
use lw_ir::interp::{Step, Trace, Val};
use lw_ir::{Block, Function, Inst, Op, Value, ValueDef};
use lw_sparse::Version;
use lw_sparse::function::{node, value, var};

/// Holds the claims about a function against one run of it; yields how many were looked at. `args` are the arguments of each
/// thread.
///
/// # Errors
/// What was claimed and what was seen.
pub fn check_run<L: Lattice>(
    function: &Function,
    divergence: &Divergence<L>,
    options: &Options,
    args: &[Vec<Val>],
    trace: &Trace,
) -> Result<usize, String> {
    check_run_of(function, divergence, options, &Threads { args, numbers: None }, trace)
}

/// The threads of a run.
#[derive(Clone, Copy, Debug)]
pub struct Threads<'a> {
    /// The arguments of each.
    pub args: &'a [Vec<Val>],
    /// Their numbers in three dimensions; `None`: they are counted.
    pub numbers: Option<&'a [Thread]>,
}

/// Holds the claims about a function against one run of it by threads that have numbers.
///
/// # Errors
/// What was claimed and what was seen.
pub fn check_run_of<L: Lattice>(
    function: &Function,
    divergence: &Divergence<L>,
    options: &Options,
    threads: &Threads<'_>,
    trace: &Trace,
) -> Result<usize, String> {
    let mut watch = Watch::new(function, divergence, options, threads);
    for step in trace.top() {
        watch.step(step)?;
    }
    Ok(watch.checked)
}

/// The lanes of one claim.
type Lanes = Vec<usize>;

struct Watch<'a, L> {
    function: &'a Function,
    divergence: &'a Divergence<L>,
    options: &'a Options,
    threads: usize,
    numbers: Option<&'a [Thread]>,
    /// By variable, then by thread.
    now: Vec<Vec<Val>>,
    stale: Vec<Vec<bool>>,
    iterations: Iterations,
    checked: usize,
}

impl<'a, L: Lattice> Watch<'a, L> {
    fn new(
        function: &'a Function,
        divergence: &'a Divergence<L>,
        options: &'a Options,
        given: &Threads<'a>,
    ) -> Watch<'a, L> {
        let (args, numbers) = (given.args, given.numbers);
        let threads = args.len();
        let mut now = vec![vec![Val::Passive; threads]; function.value_count()];
        for (i, &param) in function.params().iter().enumerate() {
            now[var(param).index()] = args.iter().map(|list| list[i].clone()).collect();
        }
        let stale = vec![vec![false; threads]; function.value_count()];
        Watch {
            function,
            divergence,
            options,
            threads,
            numbers,
            now,
            stale,
            iterations: Iterations::new(threads),
            checked: 0,
        }
    }

    fn step(&mut self, step: &Step) -> Result<(), String> {
        let here = node(step.block);
        let entering = self.lanes(|t| step.cmask[t]);
        self.edges(step, here, &entering)?;
        self.iterations.enter(self.divergence.control(), step);
        let view = self.divergence.view();
        for group in by_key(&entering, |t| self.iterations.of(t)) {
            for &phi in view.phis_at(here) {
                self.check(view.phis()[phi as usize].result, &group)?;
            }
        }
        let phis = self.function.phis(step.block).count();
        let stale: Vec<Vec<bool>> = self
            .function
            .phis(step.block)
            .map(|phi| (0..self.threads).map(|t| self.phi_is_stale(phi, step, t)).collect())
            .collect();
        for (i, (variable, values)) in step.values.iter().enumerate() {
            let at = var(*variable).index();
            let defined =
                self.function.def_inst(*variable).ok_or("a value without an instruction")?;
            self.stale[at] = match stale.get(i).filter(|_| i < phis) {
                Some(stale) => stale.clone(),
                None => (0..self.threads).map(|t| self.is_stale(defined, step, t)).collect(),
            };
            self.now[at].clone_from(values);
            self.check_definition(defined, *variable, step)?;
        }
        Ok(())
    }

    fn lanes(&self, belongs: impl Fn(usize) -> bool) -> Lanes {
        (0..self.threads).filter(|&t| belongs(t)).collect()
    }

    /// What holds on the edges over which threads enter.
    fn edges(&mut self, step: &Step, here: Node, entering: &Lanes) -> Result<(), String> {
        let view = self.divergence.view();
        let graph = view.code().graph();
        let mut sources: Vec<Block> =
            entering.iter().filter_map(|&t| step.before[t].came_from).collect();
        sources.sort();
        sources.dedup();
        for from in sources {
            let edges: Vec<Edge> =
                graph.successor_edges(node(from)).filter(|&e| graph.target(e) == here).collect();
            let [edge] = edges[..] else { continue };
            let over: Lanes = entering
                .iter()
                .copied()
                .filter(|&t| step.before[t].came_from == Some(from))
                .collect();
            let groups = by_key(&over, |t| self.iterations.of(t));
            for group in groups {
                for &sigma in view.sigmas_at(node(from)) {
                    let mut results = view.sigma_results(sigma);
                    if let Some(result) = results.nth(graph.position(edge)).flatten() {
                        self.check(result, &group)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn check_definition(&mut self, at: Inst, of: Value, step: &Step) -> Result<(), String> {
        let Some(version) = self.divergence.own[var(of).index()] else { return Ok(()) };
        let data = &self.function[at];
        if data.total || data.op == Op::Mask || data.shadow().is_some() {
            let all = self.lanes(|_| true);
            let seen = self.numbers(of, &all, false);
            return self.compare(version, &seen);
        }
        let taking_part = match data.op {
            Op::Phi => self.lanes(|t| step.cmask[t]),
            _ => self.lanes(|t| step.active[t]),
        };
        for group in by_key(&taking_part, |t| self.iterations.of(t)) {
            self.check(version, &group)?;
        }
        Ok(())
    }

    fn check(&mut self, version: Version, lanes: &Lanes) -> Result<(), String> {
        let of = value(self.divergence.view().var(version));
        let seen = self.numbers(of, lanes, true);
        self.compare(version, &seen)
    }

    fn compare(&mut self, version: Version, seen: &[Option<u128>]) -> Result<(), String> {
        let fact = self.divergence.of(version);
        self.checked += 1;
        // Where an object lies is its owner's business.
        if !fact.own.is_empty() {
            return Ok(());
        }
        let of = value(self.divergence.view().var(version));
        let bits = self.options.bits(self.function.ty(of));
        let holds = match self.numbers {
            Some(numbers) => fact.shape.holds_for(bits, seen, numbers),
            None => fact.shape.holds(bits, seen),
        };
        if holds {
            return Ok(());
        }
        let shown = self.function.def_inst(of).map(|i| self.function.display_inst(i).to_string());
        let shown = shown.unwrap_or_else(|| of.to_string());
        let lanes: Vec<String> =
            seen.iter().map(|v| v.map_or("-".to_string(), |v| v.to_string())).collect();
        let def = self.divergence.view().def(version);
        Err(format!(
            "{} is wrong: `{}` is {fact} at {def:?}, but the lanes are [{}]",
            L::NAME,
            shown.trim(),
            lanes.join(", ")
        ))
    }

    /// The values of a variable as numbers, by lane. Values that are no numbers are numbered by equality.
    fn numbers(&self, of: Value, lanes: &Lanes, fresh: bool) -> Vec<Option<u128>> {
        let at = var(of).index();
        let mut numbers = vec![None; self.threads];
        let mut first: Option<&Val> = None;
        for &t in lanes {
            let value = &self.now[at][t];
            if value.is_undefined() || fresh && self.stale[at][t] {
                continue;
            }
            numbers[t] = Some(match value {
                Val::Int(number) => *number,
                Val::Ptr(ptr) => ptr.addr.into(),
                other => u128::from(!agree(first.get_or_insert(other), other)),
            });
        }
        numbers
    }

    fn operand_is_stale(&self, operand: Value, t: usize) -> bool {
        match self.function.def(operand) {
            ValueDef::Const(_) | ValueDef::Param(_) => false,
            ValueDef::Inst(_) => self.stale[var(operand).index()][t],
        }
    }

    fn phi_is_stale(&self, phi: Inst, step: &Step, t: usize) -> bool {
        let data = &self.function[phi];
        let old =
            || self.function[phi].result.expand().is_some_and(|v| self.operand_is_stale(v, t));
        if !step.cmask[t] {
            return data.shadow().map_or_else(old, |shadow| self.operand_is_stale(shadow, t));
        }
        let from = step.before[t].came_from;
        let taken = data.incoming().find(|&(_, b)| Some(b) == from);
        taken.is_some_and(|(operand, _)| self.operand_is_stale(operand, t))
    }

    fn is_stale(&self, at: Inst, step: &Step, t: usize) -> bool {
        let data = &self.function[at];
        match data.op {
            Op::Mask => false,
            // A thread that is elsewhere keeps what it has.
            _ if !data.total && !step.cmask[t] => {
                data.result.expand().is_some_and(|v| self.operand_is_stale(v, t))
            }
            _ if !data.total && !step.active[t] => true,
            Op::Horizontal(_) => false,
            _ => data.args.iter().any(|&operand| self.operand_is_stale(operand, t)),
        }
    }
}

/// Lanes with the same key.
fn by_key<'k, K: PartialEq + 'k>(lanes: &Lanes, key: impl Fn(usize) -> &'k K) -> Vec<Lanes> {
    let mut groups: Vec<Lanes> = Vec::new();
    for &t in lanes {
        match groups.iter_mut().find(|group| key(group[0]) == key(t)) {
            Some(group) => group.push(t),
            None => groups.push(vec![t]),
        }
    }
    groups
}

/// Whether two values may be the same as far as they are defined.
fn agree(a: &Val, b: &Val) -> bool {
    match (a, b) {
        (a, b) if a.is_undefined() || b.is_undefined() => true,
        (Val::Elems(a), Val::Elems(b)) => a.iter().zip(b.iter()).all(|(a, b)| agree(a, b)),
        (a, b) => a.refined_by(b),
    }
}

/// The claims of an analysis as text, for tests and messages: `value: shape`.
pub fn claims<L: Lattice>(function: &Function, divergence: &Divergence<L>) -> String {
    let mut text = String::new();
    for (_, at) in function.all_insts() {
        if let Some(result) = function[at].result.expand() {
            let fact: Fact<L> = divergence.fact(result);
            text += &format!("{fact:<12} {}\n", function.display_inst(at).to_string().trim());
        }
    }
    text
}
