//! One computation instead of several that are merged.
//!
//! ```text
//! then:  %a = add i64 %i, 1                    join:  %next = add i64 %i, 1
//! else:  %b = add i64 %i, 1            becomes
//! join:  %next = phi i64 [ %a, %then ], [ %b, %else ]
//! ```
//!
//! LLVM's removal of partial redundancies hides so that a counter is one.

use super::shape::LoopShape;
use super::web::merged;
use crate::edit;
use lw_ir::ops::BinOp;
use lw_ir::{Flags, Function, InsertAt, Inst, InstData, Op, Value};
use rustc_hash::FxHashMap;

impl LoopShape {
    /// Computes merged values of header φs and of what does not change in the loop where they are merged, if all are computed alike.
    pub(super) fn compute_merged(&self, f: &mut Function) {
        let merges: Vec<Inst> = self
            .blocks
            .iter()
            .flat_map(|&b| f.insts(b).iter().copied())
            .filter(|&inst| !merged(f, inst).is_empty() && !self.is_header_phi(f, f.result(inst)))
            .collect();
        let mut replaced: FxHashMap<Value, Value> = FxHashMap::default();
        for merge in merges {
            if let Some(data) = self.computed_alike(f, merge, &replaced) {
                let at = match f[merge].op {
                    Op::Phi => InsertAt::Start(f.block_of(merge).expect("it is in a block")),
                    _ => InsertAt::Before(merge),
                };
                let one = f.insert(at, data);
                replaced.insert(f.result(merge), f.result(one));
            }
        }
        edit::replace_all(f, &replaced);
    }

    /// What computes each value that a φ or `select` merges.
    fn computed_alike(
        &self,
        f: &Function,
        merge: Inst,
        replaced: &FxHashMap<Value, Value>,
    ) -> Option<InstData> {
        let (&first, others) = merged(f, merge).split_first()?;
        let computed = |v: Value| f.def_inst(replaced.get(&v).copied().unwrap_or(v));
        let first = computed(first)?;
        let carried = |&v: &Value| self.is_header_phi(f, v) || !self.defines(f, v);
        let data = &f[first];
        // Each execution of a freeze chooses anew.
        if !edit::computes(f, first) || data.op == Op::Freeze || !data.args.iter().all(carried) {
            return None;
        }
        let (op, mut flags) = as_sum(data);
        for &other in others {
            let other = &f[computed(other)?];
            let (theirs, others_flags) = as_sum(other);
            if (theirs, other.ty, &other.args) != (op, data.ty, &data.args) {
                return None;
            }
            flags = flags & others_flags;
        }
        Some(InstData::new(op.clone(), data.ty, &data.args).with_flags(flags).made_from(data))
    }
}

/// What an instruction does; a disjunction of bits of which each is only in one operand is a sum that does not wrap around.
fn as_sum(data: &InstData) -> (&Op, Flags) {
    match data.op {
        Op::Binary(BinOp::Or) if data.flags.contains(Flags::DISJOINT) => {
            (&Op::Binary(BinOp::Add), Flags::NSW | Flags::NUW)
        }
        _ => (&data.op, data.flags),
    }
}
