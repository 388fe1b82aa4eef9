//! Conditions that decide whether they are asked again: `all = all && a[i] > 0`.
//!
//! ```text
//! loop:  %all = phi i1 [ true, %entry ], [ %next, %join ]
//!        br i1 %all, label %ask, label %join
//! ask:   %x = load i32, ptr %p, align 4
//!        %test = icmp sgt i32 %x, 0
//!        br label %join
//! join:  %next = phi i1 [ false, %loop ], [ %test, %ask ]
//! ```
//!
//! Once it is false it stays false; before, it is what an iteration finds, whatever was found before. So it is a reduction by *and*,
//! or by *or* if it is true that stays. Each lane asks until it knows, which may be more than the iterations in order ask: where more is
//! done for that than to compute, somebody must have said that iterations may be done in any order. And nobody looks at poison in
//! iterations that are not asked any more: what a lane finds is frozen, and no branch depends on what is found on the way.

use super::before::Known;
use crate::{callee, edit};
use lw_graph::PostDominatorTree;
use lw_ir::ops::{BinOp, CastOp, ReduceOp};
use lw_ir::types::Type;
use lw_ir::{Block, Function, Inst, Op, Value};
use lw_sparse::analyses::{Constant, Constants};
use lw_sparse::function::{block, node, var};
use lw_sparse::{Options, Point, solve};
use rustc_hash::{FxHashMap, FxHashSet};

/// Such a condition.
pub(super) struct Logical {
    /// How the answers of lanes are combined.
    pub(super) op: ReduceOp,
    /// Whether nothing but its last answer is wanted behind the loop.
    pub(super) told: bool,
    /// Whether nothing is done for an answer but to compute it.
    pub(super) computes: bool,
}

impl Known<'_> {
    /// What a header φ is if it is such a condition.
    pub(super) fn logical(&self, phi: Inst) -> Option<Logical> {
        let Known { f, shape, .. } = *self;
        let (ty, init) = (f[phi].ty, edit::incoming(f, phi, shape.preheader));
        let next = edit::incoming(f, phi, shape.latch);
        let is_bit = |v: Value| f.as_constant(v).and_then(|c| c.as_u128()).is_some_and(|n| n < 2);
        if ty != Type::I1 && !(is_bit(init) && self.is_truth(next, &mut FxHashSet::default())) {
            return None;
        }
        let (asked, told) = self.asked(phi)?;
        let stays = |stays: i128| self.after(phi, next, stays) == Constant::Int(stays as u128);
        let op = match () {
            _ if stays(0) => ReduceOp::And,
            _ if stays(1) => ReduceOp::Or,
            _ => return None,
        };
        Some(Logical { op, told, computes: asked.iter().all(|&b| self.computes(b)) })
    }

    /// Whether a block only computes, once in an iteration, and decides nothing.
    fn computes(&self, b: Block) -> bool {
        let innermost = |b: Block| self.loops.innermost(node(b));
        let once = innermost(b) == innermost(self.shape.header);
        once && self.f.insts(b).iter().all(|&inst| {
            matches!(self.f[inst].op, Op::Phi | Op::Br) || edit::computes(self.f, inst)
        })
    }

    /// Whether a value is zero or one.
    fn is_truth(&self, value: Value, seen: &mut FxHashSet<Value>) -> bool {
        let f = self.f;
        if let Some(constant) = f.as_constant(value) {
            return constant.as_u128().is_some_and(|n| n < 2);
        }
        let Some(inst) = f.def_inst(value) else { return false };
        match &f[inst].op {
            _ if self.truths.contains(&value) || !seen.insert(value) => true,
            Op::Cast(CastOp::ZExt) => {
                let from = f[inst].args[0];
                f.ty(from) == Type::I1 || self.is_truth(from, seen)
            }
            Op::Phi | Op::Binary(BinOp::And | BinOp::Or | BinOp::Xor) => {
                f[inst].args.iter().all(|&arg| self.is_truth(arg, seen))
            }
            Op::Select => f[inst].args[1..].iter().all(|&arg| self.is_truth(arg, seen)),
            _ => false,
        }
    }

    /// The blocks that are executed or not depending on a header φ, if nothing in the loop depends on it but what it is next; and
    /// whether nothing else does behind the loop.
    fn asked(&self, phi: Inst) -> Option<(FxHashSet<Block>, bool)> {
        let Known { f, shape, users, .. } = *self;
        let (value, next) = (f.result(phi), edit::incoming(f, phi, shape.latch));
        let mut depends: FxHashSet<Value> = [value].into_iter().collect();
        let mut asked = FxHashSet::default();
        let mut postdominators = None;
        let mut stack = vec![value];
        while let Some(value) = stack.pop() {
            for &user in users.get(&value).into_iter().flatten() {
                let home = f.block_of(user)?;
                match &f[user].op {
                    _ if user == phi => {}
                    Op::Phi if home == shape.header => return None,
                    Op::CondBr if home != shape.exiting => {
                        let tree = postdominators.get_or_insert_with(|| {
                            PostDominatorTree::compute(&lw_sparse::Program::graph(f))
                        });
                        let join = block(tree.immediate(node(home))?);
                        let between = self.between(home, join)?;
                        for merged in between.iter().chain([&join]).flat_map(|&b| f.phis(b)) {
                            self.add(merged, &mut depends, &mut stack);
                        }
                        asked.extend(between);
                    }
                    Op::Phi => self.add(user, &mut depends, &mut stack),
                    _ if edit::computes(f, user) => self.add(user, &mut depends, &mut stack),
                    _ => return None,
                }
            }
        }
        let mut live_outs = shape.live_outs(f).into_iter();
        let told = live_outs.all(|(_, out)| out == next || !depends.contains(&out));
        Some((asked, told || shape.tested_first()))
    }

    fn add(&self, inst: Inst, depends: &mut FxHashSet<Value>, stack: &mut Vec<Value>) {
        let result = self.f.result(inst);
        if depends.insert(result) {
            stack.push(result);
        }
    }

    /// The blocks between a branch and where its ways meet, if they only find something out.
    fn between(&self, branch: Block, join: Block) -> Option<Vec<Block>> {
        let Known { f, shape, .. } = *self;
        if join == shape.header || !shape.contains(join) {
            return None;
        }
        let asks = |&inst: &Inst| {
            let data = &f[inst];
            match &data.op {
                Op::Load(access) => access.is_simple(),
                Op::Call(_) => {
                    let promised = |name| f.call_promises(inst).any(|attrs| attrs.has(name));
                    let returns = promised("willreturn") && promised("nounwind");
                    callee::is_dropped(f, inst) || returns && !f.call_memory(inst).writes
                }
                Op::Phi | Op::Binary(_) => true,
                op => op.is_terminator() || edit::computes(f, inst),
            }
        };
        let mut found: Vec<Block> = Vec::new();
        let mut stack = f.successors(branch).to_vec();
        while let Some(b) = stack.pop() {
            if b == join || found.contains(&b) {
                continue;
            }
            if b == shape.header || !shape.contains(b) || !f.insts(b).iter().all(asks) {
                return None;
            }
            found.push(b);
            stack.extend(f.successors(b));
        }
        Some(found)
    }

    /// What the φ is after an iteration that found it to be `now`.
    fn after(&self, phi: Inst, next: Value, now: i128) -> Constant {
        let mut f: Function = self.f.clone();
        let now = f.constant(lw_ir::Constant::int(f[phi].ty, now));
        let by: FxHashMap<Value, Value> = [(f.result(phi), now)].into_iter().collect();
        edit::replace_all(&mut f, &by);
        let (view, solution) = solve(&f, &mut Constants, Options::default());
        let end = Point::End(node(self.shape.latch));
        solution.at(&view, var(next), end).copied().unwrap_or(Constant::Bottom)
    }
}
