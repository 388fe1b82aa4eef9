//! What is given: the target, the shapes of parameters, the loop whose iterations are the threads.

use super::{Args, Lattice as Chosen, plain_name, shapes};
use crate::failure::Failure;
use crate::subject::Subject;
use crate::units::Unit;
use lw_divergence::targets::{Gpu, Target, table};
use lw_divergence::{Lattice, Options, Scope, Sources};
use lw_graph::{Loop, Node};
use lw_ir::ops::BinOp;
use lw_ir::{Flags, Function, Op, Value};
use lw_sparse::function::{block, node};
use std::collections::BTreeSet;

/// How functions are looked at.
pub(super) struct Setting<'a, 'u> {
    pub(super) args: &'a Args,
    pub(super) gpu: Option<Gpu>,
    pub(super) block: Option<[u32; 3]>,
    pub(super) all: &'u [Unit],
}

/// A function that asks for its thread number is for a GPU, whatever its module says.
pub(super) fn mentions_gpu(function: &Function) -> Option<Gpu> {
    let mut symbols = function.symbols.iter().filter_map(|(_, symbol)| symbol.name.as_str());
    symbols.find_map(|name| match name {
        _ if name.starts_with("llvm.nvvm.") => Some(Gpu::Nvptx),
        _ if name.starts_with("llvm.amdgcn.") => Some(Gpu::Amdgpu),
        _ => table::call(name).map(|_| Gpu::OpenCl),
    })
}

impl Setting<'_, '_> {
    pub(super) fn target(&self, scope: Scope) -> Option<Target> {
        let mut target = Target::new(self.gpu?).with_scope(scope);
        target.block = self.block;
        target.warp = self.args.threads.unwrap_or(target.warp);
        Some(target)
    }

    /// The lattice that says most: strides, if the numbers of the threads of a warp have one.
    pub(super) fn best_lattice(&self) -> Chosen {
        let Some(target) = self.target(Scope::Warp) else { return Chosen::Stride };
        let line = target.number(table::Register::Thread(0)).and_then(|number| number.line);
        if line.is_some() { Chosen::Stride } else { Chosen::Affine }
    }

    pub(super) fn options(&self, subject: &Subject<'_>, scope: Scope) -> Options {
        let layout = Some(subject.unit.module.layout.clone());
        let plain = match self.target(scope) {
            Some(target) => target.options(layout),
            None => Options { threads: self.args.threads, layout, ..Options::default() },
        };
        Options { ranges: true, ..plain }
    }

    /// Where divergence starts in a function.
    pub(super) fn sources<L: Lattice>(
        &self,
        subject: &Subject<'_>,
        scope: Scope,
    ) -> Result<Sources<L>, Failure> {
        let function = subject.function;
        let mut sources = match self.target(scope) {
            Some(target) => {
                let mut sources = target.sources::<L>(function);
                self.all.iter().for_each(|unit| target.add_calls(&unit.function, &mut sources));
                sources
            }
            None => Sources::all_params(function, L::varying()),
        };
        if let Some(line) = self.args.line {
            let l = the_loop(subject, line)?;
            iterate(subject, l, self.args.threads, &mut sources);
        } else {
            let default = sources.params.clone();
            let name = |i: usize| subject.value(function.params()[i]);
            let default = |i: usize| default.get(i).cloned().unwrap_or_else(L::varying);
            let threads = self.options(subject, scope).threads;
            sources.params =
                shapes::params(&self.args.shapes, subject.unit, &name, threads, default)?;
        }
        Ok(sources)
    }

    /// What the verdicts are about, in a sentence.
    pub(super) fn about(&self, lattice: &str) -> String {
        let threads = match (self.target(Scope::Warp), self.args.line) {
            (_, Some(line)) => format!("The threads are iterations of the loop at line {line}"),
            (Some(target), _) => {
                let warp = target.warp;
                let block = match target.block {
                    Some([x, y, z]) => format!("blocks of {x} × {y} × {z} threads"),
                    None => "blocks of unknown shape (--block)".into(),
                };
                format!("The threads are those of a warp of {warp}, in {block}")
            }
            (None, None) => "Parameters without a shape (--shapes) differ between threads".into(),
        };
        format!("{threads}; the lattice is {lattice}.")
    }
}

/// The blocks of a loop that belong to no loop in it.
fn own_blocks(subject: &Subject<'_>, l: Loop) -> Vec<Node> {
    let loops = subject.code.loops();
    loops.blocks(l).iter().copied().filter(|&b| loops.innermost(b) == Some(l)).collect()
}

/// The lines at which a loop decides whether to go on.
fn lines(subject: &Subject<'_>, l: Loop) -> BTreeSet<u32> {
    let loops = subject.code.loops();
    let graph = subject.code.graph();
    let decides = |&b: &Node| {
        b == loops.header(l)
            || graph.successors(b).iter().any(|&to| to == loops.header(l) || !loops.contains(l, to))
    };
    let deciding = own_blocks(subject, l).into_iter().filter(decides);
    deciding.map(|b| subject.fork_place(b).line).filter(|&line| line > 0).collect()
}

/// The outermost loop that decides at a line.
pub(super) fn the_loop(subject: &Subject<'_>, line: u32) -> Result<Loop, Failure> {
    let loops = subject.code.loops();
    let depth = |l: Loop| std::iter::successors(Some(l), |&l| loops.parent(l)).count();
    let mut all: Vec<Loop> = loops.loops().collect();
    all.sort_by_key(|&l| depth(l));
    if let Some(&l) = all.iter().find(|&&l| lines(subject, l).contains(&line)) {
        return Ok(l);
    }
    let name = plain_name(subject.unit);
    let mut known: Vec<(u32, usize)> =
        all.iter().filter_map(|&l| Some((lines(subject, l).first().copied()?, depth(l)))).collect();
    known.sort_unstable();
    let known: Vec<String> =
        known.into_iter().map(|(line, depth)| format!("line {line} (depth {depth})")).collect();
    let there = match known.len() {
        0 => "it has none".to_string(),
        _ => format!("there are: {}", known.join(", ")),
    };
    Err(Failure::cannot(format!("{name} has no loop at line {line}; {there}")))
}

/// Makes the iterations of a loop the threads: what counts is strided, what else is carried over is varying, and all that was
/// computed before is uniform. The branch that counts iterations is uniform too: threads that have none left do not run.
fn iterate<L: Lattice>(
    subject: &Subject<'_>,
    l: Loop,
    threads: Option<u32>,
    sources: &mut Sources<L>,
) {
    let (function, loops) = (subject.function, subject.code.loops());
    let inside = |value: Value| {
        let at = function.def_inst(value).and_then(|inst| function.block_of(inst));
        at.is_some_and(|at| loops.contains(l, node(at)))
    };
    sources.params = vec![L::uniform(); function.params().len()];
    for (_, inst) in function.all_insts() {
        if let Some(result) = function[inst].result.expand()
            && !inside(result)
        {
            sources.values.insert(result, L::uniform());
        }
    }
    let mut counters = Vec::new();
    let header = block(loops.header(l));
    for phi in function.phis(header).collect::<Vec<_>>() {
        let Some(result) = function[phi].result.expand() else { continue };
        let step = step(subject, l, result);
        let (ty, layout) = (function.ty(result), &subject.unit.module.layout);
        let bits = ty.int_bits().or_else(|| ty.is_ptr().then(|| layout.pointer_bits(0)));
        let shape = match (step, bits.filter(|bits| (1..=64).contains(bits))) {
            (Some((stride, exact, next)), Some(bits)) => {
                counters.extend([result, next]);
                L::strided(bits, stride, 1, exact, threads)
            }
            _ => L::varying(),
        };
        sources.values.insert(result, shape);
    }
    for b in own_blocks(subject, l) {
        let graph = subject.code.graph();
        let leaves = graph.successors(b).iter().any(|&to| !loops.contains(l, to));
        let Some(terminator) = function.terminator(block(b)).filter(|_| leaves) else { continue };
        let Some(&condition) = function[terminator].args.first() else { continue };
        let Some(test) = function.def_inst(condition) else { continue };
        let data = &function[test];
        let counts = |value: &Value| counters.contains(&through_casts(function, *value));
        let still = |value: &Value| !inside(*value);
        if matches!(data.op, Op::ICmp(_))
            && data.args.iter().any(counts)
            && data.args.iter().any(still)
        {
            sources.values.insert(condition, L::uniform());
        }
    }
}

fn through_casts(function: &Function, mut value: Value) -> Value {
    while let Some(inst) = function.def_inst(value)
        && matches!(function[inst].op, Op::Cast(_))
    {
        value = function[inst].args[0];
    }
    value
}

/// By how much a φ grows in each iteration, if that is a constant; whether it does so without wrapping; and what it grows to.
fn step(subject: &Subject<'_>, l: Loop, phi: Value) -> Option<(i64, bool, Value)> {
    let (function, loops) = (subject.function, subject.code.loops());
    let mut found = None;
    for (value, from) in function[function.def_inst(phi)?].incoming() {
        if !loops.contains(l, node(from)) {
            continue;
        }
        let data = &function[function.def_inst(value)?];
        let constant = |i: usize| {
            let constant = function.as_constant(data.args[i])?.as_u128()?;
            let bits =
                function.ty(data.args[i]).int_bits().filter(|bits| (1..=64).contains(bits))?;
            Some(((constant as i128) << (128 - bits) >> (128 - bits)) as i64)
        };
        let by = match &data.op {
            Op::Binary(BinOp::Add) if data.args[0] == phi => constant(1)?,
            Op::Binary(BinOp::Add) if data.args[1] == phi => constant(0)?,
            Op::Binary(BinOp::Sub) if data.args[0] == phi => constant(1)?.checked_neg()?,
            Op::Gep(elem) if data.args[0] == phi && data.args.len() == 2 => {
                let layout = &subject.unit.module.layout;
                let size = i64::try_from(layout.alloc_size(&function.types, *elem)?).ok()?;
                constant(1)?.checked_mul(size)?
            }
            _ => return None,
        };
        let exact = data.flags.contains(Flags::NSW);
        if found.is_some_and(|(known, _, _)| known != by) {
            return None;
        }
        found = Some((by, exact, value));
    }
    found
}
