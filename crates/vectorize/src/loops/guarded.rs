//! The best so far, where there may be none yet: `if (at < 0 || x < best) { best = x; at = i; }`.
//!
//! Beside the best there is a φ that says whether there is one: it is *empty* at first, and set to nothing that is. Each lane begins without a best, if
//! there is none before the loop, and those that found none do not count in the end. An iteration must set both if there is none, or if what it
//! has is better, under the same conditions otherwise: `at < 0 ? c : d && x < best` asks lanes more than one iteration of the scalar loop.

use super::alike::alike;
use super::comparisons::{comparisons, negated, ordered, strictly};
use super::decisions::{Fact, is_known, leaves};
use super::first::{Empty, is_filled, tests};
use super::groups::together;
use super::plain::may_write;
use super::recurrences::{Better, Compare, HeaderPhi, Users};
use lw_ir::ops::BinOp;
use lw_ir::{Block, Flags, Function, Inst, Op, Value};

/// What is to be known of a best value that need not be there.
pub(super) struct Guarded {
    pub(super) better: Better,
    pub(super) empty: Empty,
    /// The comparison that is asked first: it decides about all that the other one does.
    pub(super) asked: Inst,
}

/// When a new value takes the place of `best`, and when there is none yet because `at` is empty. With `reorder`, it does not matter what becomes
/// of what is no number.
pub(super) fn guarded(
    f: &Function,
    users: &Users,
    best: &HeaderPhi,
    at: &HeaderPhi,
    reorder: bool,
) -> Option<Guarded> {
    let plain =
        |phi: &HeaderPhi| phi.web.once && phi.web.ops.is_empty() && phi.web.compares.len() == 1;
    if !plain(best) || !plain(at) {
        return None;
    }
    let header = f.block_of(f.def_inst(best.value)?)?;
    let compare = comparisons(f, best).find(|it| it.old == best.value)?;
    let flags = if reorder { Flags::NNAN } else { f[compare.inst].flags };
    // What is no number would stay the best, if it came first.
    if matches!(compare.pred, Compare::Float(_)) && !flags.contains(Flags::NNAN) {
        return None;
    }
    // It may be read again, as it was.
    let writes = users.values().flatten().any(|&inst| may_write(f, inst));
    let is_new = |merge: Inst, i: usize| {
        let known = |x: Value, y: Value| (x == y || writes).then_some(x == y);
        alike(f, compare.new, f[merge].args[i], &known)
    };
    [true, false].into_iter().find_map(|way| {
        let fact = (f.result(compare.inst), way);
        let pred = if way { ordered(compare.pred, flags) } else { negated(compare.pred, flags)? };
        let better = strictly(pred)?;
        tests(f, at).find_map(|(empty, none)| {
            let (first, either) = [(none, fact), (fact, none)]
                .into_iter()
                .find_map(|(first, second)| Some((first, either(f, users, first, second)?)))?;
            let all = best.web.merges.iter().all(|&merge| {
                leaves(f, &best.web, merge)
                    .all(|i| is_new(merge, i) && is_known(f, header, merge, i, &either))
            });
            let fits = all
                && (together(f, best, at) || is_told(f, best, at, none))
                && is_filled(f, at, empty);
            fits.then_some(Guarded { better, empty, asked: f.def_inst(first.0)? })
        })
    })
}

/// Whether a φ is set to one constant, which only says that there is a best value: it is set where the first one is, and else only where there
/// is one already.
fn is_told(f: &Function, best: &HeaderPhi, at: &HeaderPhi, none: Fact) -> bool {
    let web = &at.web;
    let mut set = web.merges.iter().flat_map(|&it| leaves(f, web, it).map(move |i| f[it].args[i]));
    let one = set.next().filter(|&one| f.as_constant(one).is_some());
    one.is_some_and(|one| set.all(|other| other == one))
        && sets_both(f, (best, best.next), (at, at.next), (none.0, !none.1))
}

fn sets_both(
    f: &Function,
    (best, a): (&HeaderPhi, Value),
    (at, b): (&HeaderPhi, Value),
    some: Fact,
) -> bool {
    match (best.web.values.contains(&a), at.web.values.contains(&b)) {
        (false, false) => return true,
        (true, true) if (a, b) == (best.value, at.value) => return true,
        (true, true) => {}
        _ => return false,
    }
    let (Some(x), Some(y)) = (f.def_inst(a), f.def_inst(b)) else { return false };
    let header = f.block_of(f.def_inst(best.value).expect("it is a φ")).expect("of the loop");
    let both = |(i, &from): (usize, &Block)| {
        let theirs = f[y].incoming().find(|&(_, other)| other == from);
        is_known(f, header, x, i, &[some])
            || theirs.is_some_and(|(b, _)| sets_both(f, (best, f[x].args[i]), (at, b), some))
    };
    let phis = f[x].op == Op::Phi && f[y].op == Op::Phi && f.block_of(x) == f.block_of(y);
    phis && f.block_of(x) != Some(header) && f[x].targets.iter().enumerate().all(both)
}

/// Where it is known that one of two facts holds, if they are only asked together, the first one first: the facts by which that is known.
pub(super) fn either(f: &Function, users: &Users, first: Fact, second: Fact) -> Option<Vec<Fact>> {
    let &[user] = &users.get(&first.0)?[..] else { return None };
    let all = &users.get(&second.0)?[..];
    if f[user].op != Op::CondBr {
        // Both are operands of one disjunction, or their opposites are those of a conjunction.
        let constant = |value: Value| f.as_constant(value).and_then(|c| c.as_u128());
        let joined = match (&f[user].op, &f[user].args[..]) {
            (Op::Binary(BinOp::Or), _) => true,
            (Op::Binary(BinOp::And), _) => false,
            (Op::Select, &[_, yes, _]) if constant(yes) == Some(1) => true,
            (Op::Select, &[_, _, no]) if constant(no) == Some(0) => false,
            _ => return None,
        };
        let fits = (first.1, second.1) == (joined, joined) && all == [user];
        return fits.then(|| vec![(f.result(user), joined)]);
    }
    let from = f.block_of(user)?;
    let [yes, no] = f[user].targets[..] else { return None };
    let (set, asked) = if first.1 { (yes, no) } else { (no, yes) };
    let entered = |b: Block, by: &[Block]| {
        f.blocks().iter().all(|p| !f.successors(*p).contains(&b) || by.contains(p))
    };
    if set == asked || !entered(asked, &[from]) {
        return None;
    }
    let fits = match *f.successors(asked) {
        [a, b] if a != b && f.terminator(asked).is_some_and(|branch| all == [branch]) => {
            let (way, other) = if second.1 { (a, b) } else { (b, a) };
            let empty = f.insts(way).len() == 1 && f.successors(way) == [set];
            // Control goes on as where the first one holds, or merely comes there on another way.
            way == set && entered(set, &[from, asked]) && f.phis(set).count() == 0
                || other == set && empty && entered(way, &[asked])
        }
        // It chooses what control brings to where both meet.
        [join] => {
            let chooses =
                |inst: &Inst| f[*inst].op == Op::Select && f.block_of(*inst) == Some(asked);
            join == set && all.iter().all(chooses)
        }
        _ => false,
    };
    fits.then(|| vec![first, second])
}
