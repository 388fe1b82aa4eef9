//! The first that is found: `if (at < 0 && a[i] > x) at = i;`.
//!
//! A φ that is set only while it is *empty*, which a comparison with a constant says, and to nothing that is empty, is set once. Each lane looks
//! for itself; what was found in the earliest iteration is taken. Where the φ is not empty before the loop, no lane sets it.

use super::comparisons::{Comparison, comparisons, negated};
use super::decisions::leaves_where;
use super::recurrences::{Compare, HeaderPhi};
use super::web::merged;
use lw_ir::ops::IntPred;
use lw_ir::{Flags, Function, Inst};
use lw_sparse::analyses::{Intervals, Ranges};
use lw_sparse::function::{inst, node};
use lw_sparse::{Options, solve};

/// When a φ is empty.
#[derive(Clone, Copy, PartialEq)]
struct Empty {
    /// With the constant on the left.
    pred: IntPred,
    constant: u128,
}

/// Whether a φ is set once at most.
pub(super) fn is_set_once(f: &Function, root: &HeaderPhi) -> bool {
    let web = &root.web;
    let Some(bits) = root.ty.int_bits().filter(|_| web.once && web.ops.is_empty()) else {
        return false;
    };
    let sets = |&&merge: &&Inst| merged(f, merge).iter().any(|it| !web.values.contains(it));
    let setting: Vec<Inst> = web.merges.iter().filter(sets).copied().collect();
    let mut when = setting.iter().map(|&merge| {
        comparisons(f, root)
            .find_map(|it| empty(f, root, &it, leaves_where(f, web, merge, it.inst)?))
    });
    let Some(Some(first)) = when.next() else { return false };
    when.all(|other| other == Some(first)) && sets_full(f, root, first, bits, &setting)
}

/// What a comparison with a constant says where it holds, or where it does not.
fn empty(f: &Function, root: &HeaderPhi, it: &Comparison, holds: bool) -> Option<Empty> {
    let constant = f.as_constant(it.new)?.as_u128().filter(|_| it.old == root.value)?;
    let pred = if holds { it.pred } else { negated(it.pred, Flags::NONE)? };
    match pred {
        Compare::Int(pred) => Some(Empty { pred, constant }),
        Compare::Float(_) => None,
    }
}

/// Whether nothing that these merges set the φ to is empty, by its range.
fn sets_full(f: &Function, root: &HeaderPhi, empty: Empty, bits: u32, merges: &[Inst]) -> bool {
    let (view, ranges) = solve(f, &mut Ranges, Options::WIDENING);
    let constant = Intervals::single(bits, empty.constant);
    merges.iter().all(|&merge| {
        let home = node(f.block_of(merge).expect("it is in the loop"));
        let mut all = view.code().positions(home);
        let Some(pos) = all.find(|&pos| inst(view.code().instr(pos)) == merge) else {
            return false;
        };
        let first = f[merge].args.len() - merged(f, merge).len();
        let mut set =
            (first..f[merge].args.len()).filter(|&i| !root.web.values.contains(&f[merge].args[i]));
        set.all(|i| {
            let range = Ranges::at_use(f, &view, &ranges, pos, i);
            range.is_none_or(|range| !constant.can(empty.pred, &range))
        })
    })
}
