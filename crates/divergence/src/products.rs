//! The reduced product with constants and ranges (000 §6.2, Fig. 3).
//!
//! The ranges of `lw-sparse` are computed first. What is one number is uniform, however it was computed; lanes that lie close
//! together did not wrap, and keep their stride where the program needs it as an integer of ℤ. Comparisons of strided values
//! that ranges decide are one number.
//!
//! Ranges hold for each thread on its own. A thread that executes a block passively goes where others go, whatever its own
//! condition says, so functions with predicates have none.

use crate::Options;
use crate::analysis::State;
use crate::fact::Fact;
use crate::lattice::Lattice;
use lw_ir::{Function, Op, Value};
use lw_sparse::analyses::Ranges;
use lw_sparse::function::{value, var};
use lw_sparse::{Analysis, Code, Def, Ssify, Var, solve_on};
use std::sync::Arc;

/// By variable: the least and the greatest value it may have, as signed integers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known(Vec<Option<(u32, i128, i128)>>);

impl Known {
    /// What ranges know of a function, if the options want to know.
    pub(crate) fn compute(function: &Function, code: &Arc<Code>, options: &Options) -> Known {
        if !options.ranges || is_lock_step_only(function) {
            return Known::default();
        }
        let strategy = |v| Analysis::<Function>::strategy(&Ranges, function, v);
        let view = Ssify::new(code.clone()).view_each(strategy);
        let solution = solve_on(function, &view, &mut Ranges, lw_sparse::Options::WIDENING);
        let mut known = vec![None; code.variable_count()];
        for version in view.versions() {
            if !matches!(view.def(version), Def::Instr(_)) {
                continue;
            }
            if let Some(range) = solution.of(version)
                && (1..=64).contains(&range.bits)
                && !range.is_full()
            {
                known[view.var(version).index()] = Some((range.bits, range.slo(), range.shi()));
            }
        }
        Known(known)
    }
}

/// Whether threads may execute something passively.
pub(crate) fn is_lock_step_only(function: &Function) -> bool {
    let passive =
        |data: &lw_ir::InstData| data.total || data.op == Op::Mask || data.shadow().is_some();
    function.blocks().iter().any(|&block| {
        function.predicate(block).is_some()
            || function.insts(block).iter().any(|&inst| passive(&function[inst]))
    })
}

impl<L: Lattice> State<'_, L> {
    /// Whether a value is known not to be negative.
    pub(crate) fn is_nonnegative(&self, of: Value) -> bool {
        let range = self.ranges.0.get(var(of).index()).copied().flatten();
        self.sources.nonnegative.contains(&of) || range.is_some_and(|(_, lo, _)| lo >= 0)
    }

    /// Lowers a fact about a variable to what its range leaves of it.
    pub(crate) fn reduce(&self, v: Var, fact: &mut Fact<L>) {
        let Some(&Some((bits, lo, hi))) = self.ranges.0.get(v.index()) else { return };
        if fact.own.is_empty() && self.bits(self.function.ty(value(v))) == Some(bits) {
            fact.shape.refine(bits, lo, hi, self.options.threads);
        }
    }
}
