//! What was read in the iteration before, of memory that iterations do not change for each other.
//!
//! ```text
//! before: %first = load ptr, ptr %a                            before: …
//! loop:   %p = phi ptr [ %first, %before ], [ %again, %loop ]   loop:   %p = load ptr, ptr %a
//!         … %p …                                                        … %p …
//!         call @f(…)                                                    call @f(…)
//!         %again = load ptr, ptr %a                                     (nothing)
//! ```
//!
//! The program reads `list->data` in each iteration, and LLVM saw that it need not read it twice: a call may change it, so it is read again
//! behind the call, for the next iteration. Where iterations are independent, each can read it for itself.

use super::plain::may_write;
use super::shape::LoopShape;
use crate::edit;
use lw_ir::{Function, InsertAt, Inst, InstData, Op, Value};
use rustc_hash::FxHashSet;

impl LoopShape {
    /// Reads in each iteration what would be handed on. Iterations are independent.
    pub(super) fn read_again(&self, f: &mut Function) {
        for phi in f.phis(self.header).collect::<Vec<_>>() {
            let init = edit::incoming(f, phi, self.preheader);
            let Some(first) = f.def_inst(init).filter(|&load| self.is_read_last(f, load)) else {
                continue;
            };
            let mut loads = FxHashSet::default();
            let mut seen = FxHashSet::from_iter([f.result(phi)]);
            let next = edit::incoming(f, phi, self.latch);
            if !self.is_reloaded(f, first, next, &mut loads, &mut seen) || loads.is_empty() {
                continue;
            }
            let data = &f[first];
            let copy = InstData::new(data.op.clone(), data.ty, &data.args).made_from(data);
            let phis = f.phis(self.header).count();
            let at = InsertAt::Before(f.insts(self.header)[phis]);
            let load = f.insert(at, copy);
            f.replace_uses(f.result(phi), f.result(load));
            edit::remove_unused_in(f, |b| self.contains(b));
            edit::erase_unused(f, loads.into_iter());
        }
    }

    /// Whether a load before the loop is followed by nothing that writes to memory.
    fn is_read_last(&self, f: &Function, load: Inst) -> bool {
        let simple = matches!(f[load].op, Op::Load(access) if access.is_simple());
        let (Some(home), false) = (f.block_of(load), self.defines(f, f.result(load))) else {
            return false;
        };
        let mut at = self.preheader;
        let mut left = f.blocks().len();
        while at != home && left > 0 {
            let mut before = f.blocks().iter().filter(|&&b| f.successors(b).contains(&at));
            let (Some(&one), None) = (before.next(), before.next()) else { return false };
            if f.insts(at).iter().any(|&inst| may_write(f, inst)) {
                return false;
            }
            (at, left) = (one, left - 1);
        }
        let behind = f.position(load).1 + 1;
        simple && at == home && !f.insts(home)[behind..].iter().any(|&inst| may_write(f, inst))
    }

    /// Whether a value is what was there at the start of the iteration, or is read from the same place in the loop; by which loads.
    fn is_reloaded(
        &self,
        f: &Function,
        first: Inst,
        value: Value,
        loads: &mut FxHashSet<Inst>,
        seen: &mut FxHashSet<Value>,
    ) -> bool {
        if !seen.insert(value) {
            return true;
        }
        let Some(inst) = f.def_inst(value).filter(|_| self.defines(f, value)) else { return false };
        let data = &f[inst];
        match data.op {
            Op::Load(access) => {
                loads.insert(inst);
                access.is_simple() && (data.ty, &data.args) == (f[first].ty, &f[first].args)
            }
            Op::Phi if f.block_of(inst) != Some(self.header) => {
                let args = data.args.clone();
                args.into_iter().all(|arg| self.is_reloaded(f, first, arg, loads, seen))
            }
            _ => false,
        }
    }
}
