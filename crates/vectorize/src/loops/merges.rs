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
use crate::edit;
use lw_ir::{Function, InsertAt, Inst, InstData, Op, Value};

impl LoopShape {
    /// Computes merged values of header φs and of what does not change in the loop where they are merged, if all are computed alike.
    pub(super) fn compute_merged(&self, f: &mut Function) {
        let merges: Vec<Inst> = self
            .blocks
            .iter()
            .filter(|&&b| b != self.header)
            .flat_map(|&b| f.phis(b).collect::<Vec<_>>())
            .collect();
        for phi in merges {
            if let Some(data) = self.computed_alike(f, phi) {
                let home = f.block_of(phi).expect("it is in a block");
                let one = f.insert(InsertAt::Start(home), data);
                let (old, new) = (f.result(phi), f.result(one));
                f.replace_uses(old, new);
            }
        }
    }

    /// What computes each value that a φ merges.
    fn computed_alike(&self, f: &Function, phi: Inst) -> Option<InstData> {
        let (&first, others) = f[phi].args.split_first()?;
        let first = f.def_inst(first)?;
        let carried = |&v: &Value| {
            let by_header = f
                .def_inst(v)
                .is_some_and(|inst| f[inst].op == Op::Phi && f.block_of(inst) == Some(self.header));
            by_header || !self.defines(f, v)
        };
        let data = &f[first];
        // Each execution of a freeze chooses anew.
        if !edit::computes(f, first) || data.op == Op::Freeze || !data.args.iter().all(carried) {
            return None;
        }
        let mut flags = data.flags;
        for &other in others {
            let other = &f[f.def_inst(other)?];
            if (&other.op, other.ty, &other.args) != (&data.op, data.ty, &data.args) {
                return None;
            }
            flags = flags & other.flags;
        }
        Some(InstData::new(data.op.clone(), data.ty, &data.args).with_flags(flags).made_from(data))
    }
}
