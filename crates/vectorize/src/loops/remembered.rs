//! What belongs to the best so far, read again in each iteration: `a[best]` in `if (a[i] < a[best]) best = i;`.
//!
//! ```text
//! loop:  %best = phi i64 [ 0, %entry ], [ %next, %loop ]        %least = phi i32 [ %first, %entry ], [ %less, %loop ]
//!        %p = getelementptr i32, ptr %a, i64 %best
//!        %y = load i32, ptr %p                                  (nothing)
//!        %x = load i32, ptr %q          ; a[i]
//!        %c = icmp slt i32 %x, %y                               %c = icmp slt i32 %x, %least
//!        %next = select i1 %c, i64 %i, i64 %best                %less = select i1 %c, i32 %x, i32 %least
//! ```
//!
//! Nobody writes what is read, so it can be remembered beside the place: it is what the iteration that chose the place compared. Then
//! both are values that are set together (`groups`), and no lane has to know what another chose. The first one, `a[0]`, is read before the
//! loop, where the first iteration is sure to read it.

use super::alike::alike;
use super::shape::LoopShape;
use super::web::{copy_merges, merged};
use crate::callee;
use crate::edit;
use lw_graph::DominatorTree;
use lw_ir::constant::Constant;
use lw_ir::ops::CastOp;
use lw_ir::{Block, Flags, Function, InsertAt, Inst, InstData, Op, Value};
use lw_sparse::Program;
use lw_sparse::function::node;
use rustc_hash::{FxHashMap, FxHashSet};

impl LoopShape {
    /// Remembers what is read at places that iterations choose. With `parallel`, no iteration writes what another one reads.
    pub(super) fn remember(&mut self, f: &mut Function, parallel: bool) {
        for phi in f.phis(self.header).collect::<Vec<_>>() {
            let Some(place) = Place::of(f, self, phi) else { continue };
            for compared in place.compared(f) {
                if let Some(found) = place.candidates(f, self, compared)
                    && self.is_read_first(f, &place, parallel)
                    && let Some(first) = self.read_first(f, &place, compared)
                {
                    place.replace(f, self, compared, first, &found);
                }
            }
        }
    }

    /// Whether each iteration reads at the place, and nothing that it does before can keep it from doing so or change what it reads. If
    /// something is written later on, the next iteration may not see it.
    fn is_read_first(&self, f: &Function, place: &Place, parallel: bool) -> bool {
        let dominators = DominatorTree::compute(&f.graph());
        let before = |a: Inst, b: Inst| match (f.position(a), f.position(b)) {
            ((at, i), (b, j)) if at == b => i < j,
            ((a, _), (b, _)) => dominators.dominates(node(a), node(b)),
        };
        let loads = || place.reads.iter().copied().filter(|&i| matches!(f[i].op, Op::Load(_)));
        let always = |load: Inst| {
            let home = f.block_of(load).expect("it is in the loop");
            dominators.dominates(node(home), node(self.latch))
        };
        let harmless = |inst: Inst| match f[inst].op {
            Op::Phi | Op::Br | Op::CondBr | Op::Switch => true,
            Op::Load(access) => access.is_simple(),
            _ => is_computed(f, inst) || callee::is_dropped(f, inst),
        };
        let mut all = self.blocks.iter().flat_map(|&b| f.insts(b).iter().copied());
        loads().all(always)
            && all.all(|inst| harmless(inst) || parallel && loads().all(|load| before(load, inst)))
    }

    /// What is read at the place that is there when the loop begins, if control enters the body.
    fn read_first(&mut self, f: &mut Function, place: &Place, compared: Value) -> Option<Value> {
        let end = f.terminator(self.preheader).expect("it goes to the loop");
        if !self.tested_first() {
            return self.first(f, end, compared, place);
        }
        let test = f.terminator(self.exiting).expect("it is left from here");
        let goes_on = self.first(f, end, f[test].args[0], place)?;
        let before = std::mem::replace(&mut self.preheader, f.split_block(end));
        let read = edit::block_beside(f, before, "read");
        let ways = match self.contains(f[test].targets[0]) {
            true => [read, self.preheader],
            false => [self.preheader, read],
        };
        edit::branch(f, before, goes_on, ways);
        let back = edit::jump(f, read, self.preheader);
        f.place_blocks(&[(before, read)]);
        let value = self.first(f, back, compared, place).expect("it only reads and computes");
        let nothing = f.constant(Constant::zero(f.ty(compared)));
        let data = InstData::new(Op::Phi, f.ty(compared), &[value, nothing]);
        let data = data.with_targets(&[read, before]);
        let first = f.insert(InsertAt::Start(self.preheader), data);
        Some(f.result(first))
    }

    /// A value of the first iteration, computed in front of an instruction before the loop.
    fn first(&self, f: &mut Function, at: Inst, value: Value, place: &Place) -> Option<Value> {
        if !self.defines(f, value) {
            return Some(value);
        }
        let inst = f.def_inst(value)?;
        if self.is_header_phi(f, value) {
            return Some(edit::incoming(f, inst, self.preheader));
        }
        if !is_computed(f, inst) && !place.reads.contains(&inst) {
            return None;
        }
        let args: Option<Vec<Value>> =
            f[inst].args.clone().into_iter().map(|arg| self.first(f, at, arg, place)).collect();
        let data = &f[inst];
        let data = InstData::new(data.op.clone(), data.ty, &args?).with_flags(data.flags);
        let data = data.made_from(&f[inst]);
        let copy = f.insert(InsertAt::Before(at), data);
        Some(f.result(copy))
    }
}

/// A header φ that some iterations set, and what is read where it points to.
pub(super) struct Place {
    phi: Value,
    next: Value,
    /// φs and `select`s between it and something else.
    pub(super) merges: Vec<Inst>,
    /// It, and what they yield.
    pub(super) values: FxHashSet<Value>,
    /// What is read and computed from it and what does not change in the loop.
    pub(super) reads: FxHashSet<Inst>,
}

impl Place {
    /// `None` if nothing is read there, or something else is done with what it becomes.
    pub(super) fn of(f: &Function, shape: &LoopShape, phi: Inst) -> Option<Place> {
        let (value, next) = (f.result(phi), edit::incoming(f, phi, shape.latch));
        let mut place = Place {
            phi: value,
            next,
            merges: Vec::new(),
            values: FxHashSet::from_iter([value]),
            reads: FxHashSet::default(),
        };
        let insts = || shape.blocks.iter().flat_map(|&b| f.insts(b).iter().copied());
        loop {
            let known = place.values.len() + place.reads.len();
            for inst in insts().filter(|&inst| inst != phi) {
                if merged(f, inst).iter().any(|arg| place.values.contains(arg)) {
                    if place.values.insert(f.result(inst)) {
                        place.merges.push(inst);
                    }
                } else if place.is_read(f, shape, inst) {
                    place.reads.insert(inst);
                }
            }
            if known == place.values.len() + place.reads.len() {
                break;
            }
        }
        let at_header = |&merge: &Inst| f.block_of(merge) == Some(shape.header);
        let phis = place.merges.iter().filter(|&&merge| f[merge].op == Op::Phi);
        let loads = place.reads.iter().any(|&inst| matches!(f[inst].op, Op::Load(_)));
        let fits = loads && place.values.contains(&next) && !phis.into_iter().any(at_header);
        fits.then_some(place)
    }

    /// Whether an instruction reads at the place or computes something from what was read there, and from nothing else that changes.
    fn is_read(&self, f: &Function, shape: &LoopShape, inst: Inst) -> bool {
        let read = |&arg: &Value| {
            arg == self.phi || f.def_inst(arg).is_some_and(|inst| self.reads.contains(&inst))
        };
        let args = &f[inst].args;
        let fits = match f[inst].op {
            Op::Load(access) => access.is_simple(),
            Op::ICmp(_) | Op::FCmp(_) | Op::Select | Op::Freeze => false,
            _ => is_computed(f, inst),
        };
        fits && args.iter().any(read) && args.iter().all(|arg| read(arg) || !shape.defines(f, *arg))
    }

    /// What was read or computed from it that is compared.
    pub(super) fn compared(&self, f: &Function) -> Vec<Value> {
        let mut all: Vec<Value> = self.reads.iter().map(|&inst| f.result(inst)).collect();
        all.retain(|&value| self.compares(f, value).next().is_some());
        all.sort_unstable();
        all
    }

    /// What a value is compared with.
    pub(super) fn compares<'a>(
        &self,
        f: &'a Function,
        value: Value,
    ) -> impl Iterator<Item = Value> + 'a {
        let compares = |&(_, inst): &(Block, Inst)| matches!(f[inst].op, Op::ICmp(_) | Op::FCmp(_));
        let with = move |(_, inst): (Block, Inst)| match f[inst].args[..] {
            [x, y] if y == value && x != value => Some(x),
            [y, x] if y == value && x != value => Some(x),
            _ => None,
        };
        f.all_insts().filter(compares).filter_map(with)
    }

    /// For each value that the place is set to, what `compared` is there, which has to be known where it is set.
    fn candidates(
        &self,
        f: &Function,
        shape: &LoopShape,
        compared: Value,
    ) -> Option<FxHashMap<Value, Value>> {
        let dominators = DominatorTree::compute(&f.graph());
        let mut found = FxHashMap::default();
        for &merge in &self.merges {
            let data = &f[merge];
            let home = f.block_of(merge)?;
            let args: Vec<(Value, Block)> = match data.op {
                Op::Phi => data.incoming().collect(),
                _ => data.args[1..].iter().map(|&arg| (arg, home)).collect(),
            };
            for (place, at) in args.into_iter().filter(|(arg, _)| !self.values.contains(arg)) {
                let known = |x: Value| {
                    let inst = f.def_inst(x).filter(|_| shape.defines(f, x))?;
                    let (from, i) = f.position(inst);
                    let here = from == home && at == home && data.op != Op::Phi;
                    (!here || i < f.position(merge).1).then_some(())?;
                    dominators.dominates(node(from), node(at)).then_some(x)
                };
                let fits = |&x: &Value| self.is_same_at(f, shape, compared, x, place);
                let x = self.compares(f, compared).filter(fits).find_map(known)?;
                found.insert(place, x);
            }
        }
        (!found.is_empty()).then_some(found)
    }

    /// Whether `other` is what `value` would be if the φ had the value `place`.
    pub(super) fn is_same_at(
        &self,
        f: &Function,
        shape: &LoopShape,
        value: Value,
        other: Value,
        place: Value,
    ) -> bool {
        alike(f, value, other, &|value, other| {
            if value == self.phi || !shape.defines(f, value) {
                return Some(other == if value == self.phi { place } else { value });
            }
            let data = &f[f.def_inst(value)?];
            match (&data.op, &data.args[..]) {
                (Op::Cast(widen), &[from]) if from == self.phi && f.ty(other) == data.ty => {
                    is_cut(f, other, place, *widen).then_some(true)
                }
                _ => None,
            }
        })
    }

    /// Puts a φ in the place of what is read: it begins with `first`, and is set where the place is.
    fn replace(
        &self,
        f: &mut Function,
        shape: &LoopShape,
        compared: Value,
        first: Value,
        found: &FxHashMap<Value, Value>,
    ) {
        let ty = f.ty(compared);
        let mut new: FxHashMap<Value, Value> = found.clone();
        let data = InstData::new(Op::Phi, ty, &[first, first]);
        let data = data.with_targets(&[shape.preheader, shape.latch]);
        let phi = f.insert(InsertAt::Start(shape.header), data);
        new.insert(self.phi, f.result(phi));
        copy_merges(f, &self.merges, ty, &mut new);
        f[phi].args[1] = new[&self.next];
        f.replace_uses(compared, f.result(phi));
        edit::erase_unused(f, self.reads.iter().copied());
    }
}

/// Whether an instruction computes a number from numbers, here or elsewhere.
pub(super) fn is_computed(f: &Function, inst: Inst) -> bool {
    let intrinsic = |name: &str| {
        let memory = f.call_memory(inst);
        name.starts_with("llvm.") && !memory.reads && !memory.writes
    };
    edit::computes(f, inst)
        || matches!(f[inst].op, Op::Call(_)) && callee::name(f, inst).is_some_and(intrinsic)
}

/// Whether `narrow` is `wide` without bits that widening gives back.
fn is_cut(f: &Function, wide: Value, narrow: Value, widen: CastOp) -> bool {
    let Some(cut) = f.def_inst(narrow).filter(|&i| f[i].op == Op::Cast(CastOp::Trunc)) else {
        return false;
    };
    let kept = match widen {
        CastOp::SExt => Flags::NSW,
        CastOp::ZExt => Flags::NUW,
        _ => return false,
    };
    f[cut].args[0] == wide && f[cut].flags.contains(kept)
}
