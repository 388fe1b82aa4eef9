//! Conditions on elements: `if (x > max[k]) max[k] = x;`.
//!
//! ```text
//! %old = load i32, ptr %p, align 4                           %old = load i32, ptr %p, align 4
//! %c = icmp sgt i32 %x, %old                                 %c = icmp sgt i32 %x, %old
//! br i1 %c, label %yes, label %join                          %q = select i1 %c, ptr %p, ptr %nowhere
//! yes:                                                       store i32 %x, ptr %q, align 4
//!   store i32 %x, ptr %p, align 4                            …
//!   br label %join
//! ```

use super::{Arrays, accessed};
use crate::edit;
use lw_ir::constant::Constant;
use lw_ir::types::Type;
use lw_ir::{Block, InsertAt, Inst, InstData, Op, Value};

impl Arrays<'_> {
    /// Executes what a condition on elements decides about without it: `if (x > max[k]) max[k] = x;`. What must not happen happens
    /// nowhere.
    pub(super) fn fold_conditions(&mut self) {
        loop {
            let mut folded = false;
            for &b in &self.shape.blocks {
                if let Some(condition) = self.decided(b) {
                    folded |= self.fold(b, condition);
                }
            }
            if !folded {
                return;
            }
        }
    }

    /// The condition that a block ends with, if what it reads of the arrays decides.
    fn decided(&self, b: Block) -> Option<Value> {
        let terminator = self.f.terminator(b).filter(|&t| self.f[t].op == Op::CondBr)?;
        let condition = self.f[terminator].args[0];
        self.read_in(b).contains(&condition).then_some(condition)
    }

    /// Whether control comes to a block from another only, goes on to `to`, and does nothing else there than to update and compute.
    fn is_arm(&self, arm: Block, from: Block, to: Block) -> bool {
        let from_there = |&b: &Block| b == from || !self.f.successors(b).contains(&arm);
        let (last, rest) = self.f.insts(arm).split_last().expect("a block has a terminator");
        self.shape.contains(arm)
            && self.f[*last].op == Op::Br
            && self.f.successors(arm) == [to]
            && self.f.blocks().iter().all(from_there)
            && rest.iter().all(|&inst| self.accesses(inst) || self.computes(inst))
    }

    fn fold(&mut self, b: Block, condition: Value) -> bool {
        let &[yes, no] = self.f.successors(b) else { return false };
        let only = |arm: Block| self.f.successors(arm).first().copied();
        let (join, arms) = match () {
            _ if yes == no => return false,
            _ if self.is_arm(yes, b, no) => (no, [Some(yes), None]),
            _ if self.is_arm(no, b, yes) => (yes, [None, Some(no)]),
            _ => match only(yes) {
                Some(to) if self.is_arm(yes, b, to) && self.is_arm(no, b, to) => {
                    (to, [Some(yes), Some(no)])
                }
                _ => return false,
            },
        };
        if join == self.shape.header || !self.shape.contains(join) {
            return false;
        }
        let terminator = self.f.terminator(b).expect("it ends with a branch");
        for (arm, holds) in arms.into_iter().zip([true, false]) {
            let insts = arm.map_or(&[][..], |arm| self.f.insts(arm)).to_vec();
            for inst in insts {
                if self.f[inst].op == Op::Br {
                    continue;
                }
                self.f.move_inst(inst, InsertAt::Before(terminator));
                if accessed(self.f, inst).is_some() {
                    self.guard(inst, condition, holds);
                }
            }
        }
        let ways = arms.map(|arm| arm.unwrap_or(b));
        let from_here = |&p: &Block| ways.contains(&p) || !self.f.successors(p).contains(&join);
        let only_here = self.f.blocks().iter().all(from_here);
        for phi in self.f.phis(join).collect::<Vec<_>>() {
            let [yes, no] = ways.map(|from| edit::incoming(self.f, phi, from));
            let select = InstData::new(Op::Select, self.f[phi].ty, &[condition, yes, no]);
            let select = select.made_from(&self.f[phi]);
            let select = self.f.insert(InsertAt::Before(terminator), select);
            let (old, value) = (self.f.result(phi), self.f.result(select));
            if only_here {
                self.f.replace_uses(old, value);
                self.f.erase(phi);
            } else {
                let data = &mut self.f[phi];
                let from_here = data.args.iter_mut().zip(&data.targets);
                from_here.filter(|(_, from)| ways.contains(from)).for_each(|(arg, _)| *arg = value);
            }
            if self.addresses.contains(&old) {
                self.addresses.insert(value);
            }
        }
        // The ways are the same now.
        let always = self.f.constant(Constant::bool(true));
        self.f[terminator].args[0] = always;
        if only_here {
            self.sink(b, join);
        }
        true
    }

    /// Lets a block begin with what the one before it, which always goes there, does to the arrays.
    fn sink(&mut self, from: Block, to: Block) {
        let read = self.read_in(from);
        let moves = |&inst: &Inst| {
            self.accesses(inst) || self.f[inst].result.expand().is_some_and(|v| read.contains(&v))
        };
        let moved: Vec<Inst> = self.f.insts(from).iter().copied().filter(moves).collect();
        let end = self.f.terminator(from).expect("it goes on");
        if self.reads_too_late(&moved, end) {
            return;
        }
        for inst in moved.into_iter().rev() {
            self.f.move_inst(inst, InsertAt::Start(to));
        }
    }

    /// Lets an access happen only where a condition holds, or does not.
    fn guard(&mut self, inst: Inst, condition: Value, holds: bool) {
        let at = usize::from(matches!(self.f[inst].op, Op::Store(_)));
        let pointer = self.f[inst].args[at];
        let (yes, no) = if holds { (pointer, self.nowhere) } else { (self.nowhere, pointer) };
        let select = InstData::new(Op::Select, Type::PTR, &[condition, yes, no]);
        let select = self.f.insert(InsertAt::Before(inst), select.made_from(&self.f[inst]));
        let guarded = self.f.result(select);
        if self.addresses.contains(&pointer) {
            self.addresses.insert(guarded);
        }
        self.f[inst].args[at] = guarded;
    }
}
