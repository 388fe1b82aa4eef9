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
use rustc_hash::FxHashMap;

impl LoopShape {
    /// Computes merged values of header φs and of what does not change in the loop where they are merged, if all are computed alike.
    pub(super) fn compute_merged(&self, f: &mut Function) {
        let merges: Vec<Inst> = self
            .blocks
            .iter()
            .filter(|&&b| b != self.header)
            .flat_map(|&b| f.phis(b).collect::<Vec<_>>())
            .collect();
        let mut replaced: FxHashMap<Value, Value> = FxHashMap::default();
        for phi in merges {
            if let Some(data) = self.computed_alike(f, phi, &replaced) {
                let home = f.block_of(phi).expect("it is in a block");
                let one = f.insert(InsertAt::Start(home), data);
                replaced.insert(f.result(phi), f.result(one));
            }
        }
        edit::replace_all(f, &replaced);
    }

    /// What computes each value that a φ merges.
    fn computed_alike(
        &self,
        f: &Function,
        phi: Inst,
        replaced: &FxHashMap<Value, Value>,
    ) -> Option<InstData> {
        let (&first, others) = f[phi].args.split_first()?;
        let computed = |v: Value| f.def_inst(replaced.get(&v).copied().unwrap_or(v));
        let first = computed(first)?;
        let carried = |&v: &Value| self.is_header_phi(f, v) || !self.defines(f, v);
        let data = &f[first];
        // Each execution of a freeze chooses anew.
        if !edit::computes(f, first) || data.op == Op::Freeze || !data.args.iter().all(carried) {
            return None;
        }
        let mut flags = data.flags;
        for &other in others {
            let other = &f[computed(other)?];
            if (&other.op, other.ty, &other.args) != (&data.op, data.ty, &data.args) {
                return None;
            }
            flags = flags & other.flags;
        }
        Some(InstData::new(data.op.clone(), data.ty, &data.args).with_flags(flags).made_from(data))
    }
}
