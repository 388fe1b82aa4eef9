//! Values of the iteration before: `x` in `y = a[i]; b[i] = y - x; x = y;`.
//!
//! ```text
//! loop:  %x = phi float [ %first, %entry ], [ %y, %loop ]         iteration    0     1     2     3  |  4     5     6     7
//!        …                                                        %y           y0 ─╮ y1 ─╮ y2 ─╮ y3 ┼─ y4 ─╮ y5 ─╮ y6 ─╮ y7
//!        %y = load float, ptr %p, align 4                         %x      first    y0 ╰─ y1 ╰─ y2   ╰─ y3  ╰─ y4 ╰─ y5 ╰─ y6
//!        %d = fsub float %y, %x
//! ```
//!
//! Each lane takes it from the lane before it, the first lane from the last one of the iterations before. That works if the value
//! is computed before it is needed: LLVM's removal of redundant loads makes such loops of `a[i] + a[i + 1]`, and a chain of them of
//! `a[i - 1] + a[i] + a[i + 1]`.

use super::recurrences::{HeaderPhi, Role, Users};
use super::shape::LoopShape;
use crate::callee;
use crate::edit;
use lw_graph::{DominatorTree, LoopForest};
use lw_ir::types::Type;
use lw_ir::{Block, Function, InsertAt, Inst, Op, Value};
use lw_sparse::function::node;
use rustc_hash::FxHashSet;
use std::collections::HashSet;

/// What is asked of header φs.
pub(super) struct Known<'a> {
    pub(super) f: &'a Function,
    pub(super) shape: &'a LoopShape,
    pub(super) loops: &'a LoopForest,
    pub(super) dominators: &'a DominatorTree,
    pub(super) users: &'a Users,
    /// Numbers that are 0 or 1.
    pub(super) truths: &'a HashSet<Value>,
}

impl Known<'_> {
    /// Whether what a header φ had in the last iteration is known behind the loop: it is at the top of it, or another φ took it on.
    pub(super) fn is_told(&self, phi: Value) -> bool {
        let Known { f, shape, .. } = *self;
        let takes = |other: Inst| edit::incoming(f, other, shape.latch) == phi;
        shape.tested_first() || f.phis(shape.header).any(takes)
    }

    /// Whether each iteration computes what the next one finds in a header φ before it needs what the φ has.
    pub(super) fn in_time(&self, phi: Value) -> bool {
        let Known { f, shape, .. } = *self;
        let unreachable = |&b: &Block| f.terminator(b).is_some_and(|t| f[t].op == Op::Unreachable);
        if !matches!(f.ty(phi), Type::Scalar(_)) || shape.blocks.iter().any(unreachable) {
            return false;
        }
        let Some(computed) = source(f, shape, phi) else { return false };
        let Some(inst) = f.def_inst(computed).filter(|_| shape.defines(f, computed)) else {
            return true;
        };
        let home = f.block_of(inst).expect("it is in the loop");
        let innermost = |b: Block| self.loops.innermost(node(b));
        if !self.dominators.dominates(node(home), node(shape.latch))
            || innermost(home) != innermost(shape.header)
        {
            return false;
        }
        let in_time = |&user: &Inst| {
            let at = f.block_of(user).expect("it is in the loop");
            if f[user].op == Op::Phi {
                let uses = f[user].args.iter().zip(&f[user].targets);
                let mut from = uses.filter(|&(&arg, _)| arg == phi).map(|(_, &from)| from);
                return at == shape.header
                    || from.all(|from| self.dominators.dominates(node(home), node(from)));
            }
            match at == home {
                true => f.position(inst) < f.position(user),
                false => self.dominators.dominates(node(home), node(at)),
            }
        };
        self.users.get(&phi).into_iter().flatten().all(in_time)
    }
}

/// What the next iteration finds in a header φ, or one later in another that takes it from there; `None` if such φs only have each
/// other's values.
fn source(f: &Function, shape: &LoopShape, phi: Value) -> Option<Value> {
    let mut at = phi;
    for _ in f.phis(shape.header) {
        let inst = f.def_inst(at)?;
        at = edit::incoming(f, inst, shape.latch);
        if !shape.is_header_phi(f, at) {
            return Some(at);
        }
    }
    None
}

impl LoopShape {
    /// Computes what is handed on to the next iteration at the start of its block, if that can be.
    pub(super) fn compute_early(&self, f: &mut Function) {
        let local = LocalObjects::of(f);
        let phis: Vec<Value> = f.phis(self.header).map(|inst| f.result(inst)).collect();
        for phi in phis {
            let Some(value) = source(f, self, phi).filter(|&v| self.defines(f, v)) else {
                continue;
            };
            let inst = f.def_inst(value).expect("the loop defines it");
            let home = f.block_of(inst).expect("it is in the loop");
            let early = |&user: &Inst| f[user].op != Op::Phi && f[user].args.contains(&phi);
            let mut before = f.insts(home).iter().take_while(|&&other| other != inst);
            let mut chain = Vec::new();
            if f[inst].op != Op::Phi
                && before.any(early)
                && can_move(f, &local, (home, phi), inst, &mut chain)
            {
                for inst in chain.into_iter().rev() {
                    f.move_inst(inst, InsertAt::Start(home));
                }
            }
        }
    }
}

/// Whether an instruction, and what it needs of its block, can be the first of it without the φ; those in order.
fn can_move(
    f: &Function,
    local: &LocalObjects,
    (home, phi): (Block, Value),
    inst: Inst,
    chain: &mut Vec<Inst>,
) -> bool {
    if chain.contains(&inst) {
        return true;
    }
    let data = &f[inst];
    let reads = matches!(data.op, Op::Load(access) if access.is_simple());
    if data.args.contains(&phi) || !reads && !edit::computes(f, inst) {
        return false;
    }
    // A load stays behind what may write what it reads, or not return.
    let harmless = |&before: &Inst| match f[before].op {
        Op::Phi => true,
        Op::Load(access) => access.is_simple(),
        Op::Store(access) => {
            let object = local.object(f, f[before].args[1]);
            access.is_simple() && object.is_some() && object != local.object(f, data.args[0])
        }
        _ => edit::computes(f, before) || callee::is_dropped(f, before),
    };
    if reads && !f.insts(home).iter().take_while(|&&other| other != inst).all(harmless) {
        return false;
    }
    let needed = |&arg: &Value| f.def_inst(arg).filter(|&i| f.block_of(i) == Some(home));
    for needed in data.args.iter().filter_map(needed) {
        if f[needed].op != Op::Phi && !can_move(f, local, (home, phi), needed, chain) {
            return false;
        }
    }
    chain.push(inst);
    true
}

/// The stack objects whose addresses stay in sight: nobody reaches them but by an address that is computed from theirs.
struct LocalObjects(FxHashSet<Value>);

impl LocalObjects {
    fn of(f: &Function) -> LocalObjects {
        let is_object = |inst: Inst| matches!(f[inst].op, Op::Alloca(_));
        let objects = f.all_insts().filter(|&(_, inst)| is_object(inst));
        let mut all = LocalObjects(objects.map(|(_, inst)| f.result(inst)).collect());
        if all.0.is_empty() {
            return all;
        }
        let mut known: Vec<Value> = Vec::new();
        for (_, inst) in f.all_insts() {
            let data = &f[inst];
            let stays = |at: usize| match data.op {
                Op::Gep(_) | Op::Load(_) => at == 0,
                Op::Store(_) => at == 1,
                _ => callee::is_dropped(f, inst),
            };
            let shown = data.args.iter().enumerate().filter(|&(at, _)| !stays(at));
            known.extend(shown.filter_map(|(_, &arg)| all.object(f, arg)));
        }
        known.iter().for_each(|object| _ = all.0.remove(object));
        all
    }

    /// The object that an address is in.
    fn object(&self, f: &Function, mut address: Value) -> Option<Value> {
        while let Some(inst) = f.def_inst(address).filter(|&inst| matches!(f[inst].op, Op::Gep(_)))
        {
            address = f[inst].args[0];
        }
        self.0.get(&address).copied()
    }
}

/// A φ that would take a partial result from another header φ.
pub(super) fn takes_partial(phis: &[HeaderPhi]) -> Option<Value> {
    let role = |value: Value| phis.iter().find(|phi| phi.value == value).map(|phi| &phi.role);
    let partial = |phi: &&HeaderPhi| {
        phi.role == Role::Before
            && !matches!(role(phi.next), None | Some(Role::Before | Role::Induction(_)))
    };
    phis.iter().find(partial).map(|phi| phi.value)
}
