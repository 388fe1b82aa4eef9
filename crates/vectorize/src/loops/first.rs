//! The first that is found: `if (at < 0 && a[i] > x) at = i;`.
//!
//! A φ that is set only while it is *empty*, which a comparison with a constant says, and to nothing that is empty, is set once. Each lane looks
//! for itself; what was found in the earliest iteration is taken. Where the φ is not empty before the loop, no lane sets it.

use super::comparisons::{Comparison, comparisons, negated};
use super::decisions::{Fact, is_known, leaves};
use super::recurrences::{Compare, HeaderPhi};
use lw_ir::constant::Constant;
use lw_ir::ops::IntPred;
use lw_ir::{Builder, Flags, Function, Value};
use lw_sparse::analyses::{Intervals, Ranges};
use lw_sparse::function::{inst, node};
use lw_sparse::{Options, solve};

/// When a φ is empty.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Empty {
    /// With the constant on the left.
    pub(super) pred: IntPred,
    pub(super) constant: u128,
}

impl Empty {
    /// Whether a value of the φ is empty.
    pub(super) fn holds(self, b: &mut Builder<'_>, value: Value) -> Value {
        let constant = Constant::int(b.function.ty(value), self.constant as i128);
        let constant = b.constant(constant);
        b.icmp(self.pred, constant, value)
    }
}

/// Whether a φ is set once at most.
pub(super) fn is_set_once(f: &Function, root: &HeaderPhi) -> bool {
    let Some(header) = f.def_inst(root.value).and_then(|phi| f.block_of(phi)) else { return false };
    let mut tests: Vec<(Empty, Fact)> = tests(f, root).collect();
    let same = |a: &(Empty, Fact), b: &(Empty, Fact)| a.0 == b.0;
    tests.sort_by_key(|(empty, _)| (empty.pred as u32, empty.constant));
    let once = tests.chunk_by(same).any(|tests| {
        let facts: Vec<Fact> = tests.iter().map(|&(_, fact)| fact).collect();
        let mut merges = root.web.merges.iter();
        merges.all(|&merge| {
            leaves(f, &root.web, merge).all(|i| is_known(f, header, merge, i, &facts))
        }) && is_filled(f, root, tests[0].0)
    });
    root.web.once && root.web.ops.is_empty() && once
}

/// Comparisons of a φ with constants: where they hold, and where they do not, it may be called empty.
pub(super) fn tests<'a>(
    f: &'a Function,
    root: &'a HeaderPhi,
) -> impl Iterator<Item = (Empty, Fact)> + 'a {
    let found = move |it: Comparison| {
        let constant = f.as_constant(it.new)?.as_u128().filter(|_| it.old == root.value)?;
        let when = move |holds: bool| {
            let pred = if holds { it.pred } else { negated(it.pred, Flags::NONE)? };
            match pred {
                Compare::Int(pred) => Some((Empty { pred, constant }, (f.result(it.inst), holds))),
                Compare::Float(_) => None,
            }
        };
        Some([when(true), when(false)].into_iter().flatten())
    };
    comparisons(f, root).filter_map(found).flatten()
}

/// Whether nothing that a φ is set to is empty, by its range.
pub(super) fn is_filled(f: &Function, root: &HeaderPhi, empty: Empty) -> bool {
    let Some(bits) = root.ty.int_bits() else { return false };
    let (view, ranges) = solve(f, &mut Ranges, Options::WIDENING);
    let constant = Intervals::single(bits, empty.constant);
    root.web.merges.iter().all(|&merge| {
        let home = node(f.block_of(merge).expect("it is in the loop"));
        let mut all = view.code().positions(home);
        let pos = all.find(|&pos| inst(view.code().instr(pos)) == merge);
        leaves(f, &root.web, merge).all(|i| {
            let range = pos.map(|pos| Ranges::at_use(f, &view, &ranges, pos, i));
            range.is_some_and(|range| range.is_none_or(|r| !constant.can(empty.pred, &r)))
        })
    })
}
