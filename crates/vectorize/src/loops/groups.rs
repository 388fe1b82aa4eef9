//! φs that are set together: the best value so far with what belongs to it, and conditional values.
//!
//! Lanes choose on their own, so the comparison that decides must decide about nothing else.

use super::comparisons::{Comparison, comparisons, negated, ordered, strictly};
use super::decisions::{decides_nothing_else, leaves_where};
use super::first::is_set_once;
use super::guarded::{Guarded, guarded};
use super::recurrences::{
    Better, Compare, Group, Guard, HeaderPhi, Recurrences, Role, Stamp, Step, Taken, Users,
};
use super::web::{Web, merged};
use crate::callee;
use crate::decline::Declined;
use lw_ir::ops::{BinOp, CastOp, IntPred};
use lw_ir::{Flags, Function, Inst, Op, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Puts the φs of `chosen` into groups. With `reorder` it does not matter which of equal floats is taken.
pub(super) fn find(
    f: &Function,
    users: &Users,
    all: &mut Recurrences,
    chosen: &[usize],
    reorder: bool,
) -> Result<(), Declined> {
    let (mut roots, mut followers): (Vec<usize>, Vec<usize>) = chosen
        .iter()
        .partition(|&&i| !all.phis[i].web.compares.is_empty() || all.phis[i].look_up.is_some());
    let guards = guards(f, users, all, &roots, reorder);
    roots.retain(|&root| !guards.values().any(|(guard, _)| guard.phi == root));
    for root in roots {
        let declined = |help: &str| {
            let reason = "an iteration needs what the one before it computed";
            let inst = f.def_inst(all.phis[root].value).expect("it is a φ");
            Err(Declined::at(f, inst, reason, help))
        };
        let phi = &all.phis[root];
        let floats = phi.ty.float_kind().is_some();
        let help = match floats || phi.look_up.as_ref().is_some_and(|it| it.compares_floats(f)) {
            false => {
                "compare each value once with the best so far, and let the comparison decide about nothing else"
            }
            // What is no number would be the best in the other order.
            true => {
                "compare each value once with the best so far, and let the comparison decide about nothing else; write `x > best ? x : best`, or allow -fno-honor-nans"
            }
        };
        let same = |&&i: &&usize| together(f, phi, &all.phis[i]);
        let mut members = vec![root];
        members.extend(guards.get(&root).map(|(guard, _)| guard.phi));
        members.extend(followers.iter().filter(same));
        followers.retain(|i| !members.contains(i));
        let webs: Vec<&Web> = members.iter().map(|&i| &all.phis[i].web).collect();
        let taken = match (&phi.look_up, better(f, phi, reorder), guards.get(&root)) {
            (Some(look_up), ..) => match look_up.better(f, users, phi, &webs, reorder) {
                Some((better, empty)) => {
                    Taken::Best(root, better, empty.map(|empty| Guard { phi: root, empty }))
                }
                None => return declined(help),
            },
            (None, Some(better), _) => Taken::Best(root, better, None),
            (None, None, Some((guard, it))) => Taken::Best(root, it.better, Some(*guard)),
            (None, None, None) if is_set_once(f, phi) => Taken::First,
            (None, None, None) => return declined(help),
        };
        let asked = guards
            .get(&root)
            .map_or(&phi.web.compares[..], |(_, it)| std::slice::from_ref(&it.asked));
        let decide_nothing_else = |may_read: bool| {
            let mut asked = asked.iter();
            asked.all(|&asked| decides_nothing_else(f, users, asked, &webs, &|_| may_read))
        };
        if phi.look_up.is_none() && !decide_nothing_else(reorder) {
            return declined(match matches!(taken, Taken::First) && decide_nothing_else(true) {
                true => "read in each iteration what is only read until something is found",
                false => help,
            });
        }
        let shown_by = match (all.phis[root].web.ops.is_empty(), members.get(1)) {
            (true, _) => root,
            (false, Some(&follower)) => follower,
            (false, None) => return declined(help),
        };
        let stamp = match taken {
            Taken::Best(_, better, None)
                if members.len() == 1
                    && phi.look_up.is_none()
                    && (reorder || matches!(better.strict, Compare::Int(_))) =>
            {
                Stamp::None
            }
            // Only a value that is set is better than the first one; so of equals all are set, or none.
            Taken::Best(_, better, _) if !better.or_equal => {
                counter(f, all, &members).unwrap_or(Stamp::Time)
            }
            _ => Stamp::Time,
        };
        add(all, Group { members, shown_by, taken, stamp });
    }
    for alone in followers {
        let stamp = Stamp::Time;
        add(all, Group { members: vec![alone], shown_by: alone, taken: Taken::Last, stamp });
    }
    Ok(())
}

/// The roots of which there may be none yet, with the φs that say so.
fn guards(
    f: &Function,
    users: &Users,
    all: &Recurrences,
    roots: &[usize],
    reorder: bool,
) -> FxHashMap<usize, (Guard, Guarded)> {
    let mut found: FxHashMap<usize, (Guard, Guarded)> = FxHashMap::default();
    let value = |root: usize| all.phis[root].look_up.is_none();
    let alone = |&&root: &&usize| value(root) && better(f, &all.phis[root], reorder).is_none();
    for &root in roots.iter().filter(alone) {
        let free = |phi: usize| {
            phi != root && value(phi) && found.values().all(|(guard, _)| guard.phi != phi)
        };
        let guard = roots.iter().filter(|&&phi| free(phi)).find_map(|&phi| {
            let it = guarded(f, users, &all.phis[root], &all.phis[phi], reorder)?;
            Some((Guard { phi, empty: it.empty }, it))
        });
        found.extend(guard.map(|guard| (root, guard)));
    }
    found
}

fn add(all: &mut Recurrences, group: Group) {
    for &i in &group.members {
        all.phis[i].role = Role::Chosen(all.groups.len());
    }
    all.groups.push(group);
}

/// The φ of a group that is set to a counter.
fn counter(f: &Function, all: &Recurrences, members: &[usize]) -> Option<Stamp> {
    members.iter().find_map(|&i| {
        let web = &all.phis[i].web;
        let mut set = web.merges.iter().flat_map(|&merge| {
            merged(f, merge).iter().copied().filter(|arg| !web.values.contains(arg))
        });
        let value = set.next()?;
        let same = web.ops.is_empty() && set.all(|other| other == value);
        same.then(|| Some(Stamp::Counter(i, counts(f, all, value)?))).flatten()
    })
}

/// How the values of a counter of earlier iterations compare to those of later ones.
fn counts(f: &Function, all: &Recurrences, value: Value) -> Option<IntPred> {
    for phi in &all.phis {
        if let (true, Role::Induction(Step::Constant(step))) =
            (value == phi.value || value == phi.next, &phi.role)
        {
            let next = f.def_inst(phi.next)?;
            let flags = f[next].flags;
            let once = f[next].op == Op::Binary(BinOp::Add) && f[next].args.contains(&phi.value);
            return match (once, step.signum()) {
                (true, 1) if flags.contains(Flags::NSW) => Some(IntPred::Slt),
                (true, 1) if flags.contains(Flags::NUW) => Some(IntPred::Ult),
                (true, -1) if flags.contains(Flags::NSW) => Some(IntPred::Sgt),
                _ => None,
            };
        }
    }
    let cut = f.def_inst(value).filter(|&cut| f[cut].op == Op::Cast(CastOp::Trunc))?;
    let order = counts(f, all, f[cut].args[0])?;
    let kept = if order == IntPred::Ult { Flags::NUW } else { Flags::NSW };
    f[cut].flags.contains(kept).then_some(order)
}

/// When a new value takes the place of the root, if that is when it is better, wherever one does. With `reorder`, it does not matter what
/// becomes of what is no number.
fn better(f: &Function, root: &HeaderPhi, reorder: bool) -> Option<Better> {
    let web = &root.web;
    if !web.ops.is_empty() {
        // It may be done in some iterations only, on what is compared.
        let mut ways = web.ops.iter().map(|&op| of_operation(f, root, op).map(|(_, way)| way));
        let (first, _) = ways.next()??;
        let same = ways.all(|way| way.is_some_and(|(better, _)| better == first));
        return (same && !web.is_set_anew(f)).then_some(first);
    }
    // Each merge takes the new value if the comparison holds, or if it does not, and otherwise what was compared: in an inner loop, the
    // best of its iterations so far.
    let mut found = None;
    for &merge in &web.merges {
        let mut own = merged(f, merge).iter().copied().filter(|arg| web.values.contains(arg));
        let mut new = merged(f, merge).iter().copied().filter(|arg| !web.values.contains(arg));
        let Some(leaf) = new.next() else { continue };
        let old = own.next()?;
        if own.any(|other| other != old) || new.any(|other| other != leaf) {
            return None;
        }
        let better = comparisons(f, root).find_map(|it| {
            let holds = leaves_where(f, root, merge, it.inst)
                .filter(|_| (it.old, it.new) == (old, leaf))?;
            let flags = if reorder { Flags::NNAN } else { f[it.inst].flags };
            strictly(if holds { ordered(it.pred, flags) } else { negated(it.pred, flags)? })
        })?;
        if found.is_some_and(|found| found != better) {
            return None;
        }
        found = Some(better);
    }
    found
}

/// The comparison that a minimum or maximum is the outcome of, when it takes the new value, and whether that is where the comparison holds.
fn of_operation(f: &Function, root: &HeaderPhi, op: Inst) -> Option<(Inst, (Better, bool))> {
    let (old, new) = (root.web.own(f, op)?, root.web.other(f, op)?);
    let same = comparisons(f, root).find(|it| (it.old, it.new) == (old, new))?;
    Some((same.inst, extreme(f, op, same.pred)?))
}

/// When a minimum or maximum takes the new value of the two that are compared, and whether that is where the comparison holds.
fn extreme(f: &Function, op: Inst, pred: Compare) -> Option<(Better, bool)> {
    let name = callee::name(f, op)?.strip_prefix("llvm.")?;
    let fits = |pred: Compare| match pred {
        Compare::Int(IntPred::Slt | IntPred::Sle) => name.starts_with("smin."),
        Compare::Int(IntPred::Sgt | IntPred::Sge) => name.starts_with("smax."),
        Compare::Int(IntPred::Ult | IntPred::Ule) => name.starts_with("umin."),
        Compare::Int(IntPred::Ugt | IntPred::Uge) => name.starts_with("umax."),
        _ => false,
    };
    let other = negated(pred, Flags::NONE);
    let (pred, holds) = match other {
        _ if fits(pred) => (pred, true),
        Some(other) if fits(other) => (other, false),
        _ => return None,
    };
    Some((strictly(pred)?, holds))
}

/// Whether two φs are set in the same iterations.
pub(super) fn together(f: &Function, root: &HeaderPhi, other: &HeaderPhi) -> bool {
    let mut seen = FxHashSet::default();
    alike(f, root, other, root.next, other.next, &mut seen) || set_by_any(f, root, other)
}

/// Whether the other is set to one value wherever any of the comparisons of an iteration finds something better, as LLVM writes it where an
/// inner loop is unrolled.
fn set_by_any(f: &Function, root: &HeaderPhi, other: &HeaderPhi) -> bool {
    let chooses = |&merge: &Inst| {
        let decides = |it: Comparison| {
            let (c, new) = (f.result(it.inst), it.new);
            f[merge].op == Op::Select && f[merge].args[..] == [c, new, it.old]
        };
        comparisons(f, root).any(decides)
    };
    let set = f.def_inst(other.next).map(|inst| &f[inst]).filter(|set| set.op == Op::Select);
    let Some(&[any, new, old]) = set.map(|set| &set.args[..]) else { return false };
    let mut asked = FxHashSet::default();
    root.web.once
        && root.web.ops.is_empty()
        && root.web.merges.iter().all(chooses)
        && old == other.value
        && !other.web.values.contains(&new)
        && disjunction(f, root, any, &mut asked)
        && asked.len() == root.web.compares.len()
}

/// Whether a condition holds if one of the comparisons of a root does, and only then; which they are.
fn disjunction(f: &Function, root: &HeaderPhi, any: Value, asked: &mut FxHashSet<Inst>) -> bool {
    let Some(inst) = f.def_inst(any) else { return false };
    if root.web.compares.contains(&inst) {
        asked.insert(inst);
        return true;
    }
    let yes = |value: Value| f.as_constant(value).and_then(|c| c.as_u128()) == Some(1);
    match (&f[inst].op, &f[inst].args[..]) {
        (Op::Binary(BinOp::Or), &[a, b]) => {
            disjunction(f, root, a, asked) && disjunction(f, root, b, asked)
        }
        (Op::Select, &[a, t, b]) if yes(t) => {
            disjunction(f, root, a, asked) && disjunction(f, root, b, asked)
        }
        _ => false,
    }
}

fn alike(
    f: &Function,
    root: &HeaderPhi,
    other: &HeaderPhi,
    a: Value,
    b: Value,
    seen: &mut FxHashSet<(Value, Value)>,
) -> bool {
    match (root.web.values.contains(&a), other.web.values.contains(&b)) {
        (false, false) => return true,
        (true, true) => {}
        _ => return false,
    }
    if a == root.value || b == other.value {
        return a == root.value && b == other.value;
    }
    if !seen.insert((a, b)) {
        return true;
    }
    let (Some(x), Some(y)) = (f.def_inst(a), f.def_inst(b)) else { return false };
    let (dx, dy) = (&f[x], &f[y]);
    match (&dx.op, &dy.op) {
        (Op::Select, Op::Select) => {
            dx.args[0] == dy.args[0]
                && (1..3).all(|i| alike(f, root, other, dx.args[i], dy.args[i], seen))
        }
        (Op::Phi, Op::Phi) => {
            f.block_of(x) == f.block_of(y)
                && dx.incoming().all(|(value, from)| {
                    let there = dy.incoming().find(|&(_, b)| b == from);
                    there.is_some_and(|(theirs, _)| alike(f, root, other, value, theirs, seen))
                })
        }
        // The root is a minimum; the other is selected by the comparison.
        (Op::Call(_), Op::Select) => {
            of_operation(f, root, x).is_some_and(|(compare, (_, holds))| {
                let (new, old) = if holds { (1, 2) } else { (2, 1) };
                let best = root.web.own(f, x).expect("it is combined with something");
                dy.args[0] == f.result(compare)
                    && alike(f, root, other, best, dy.args[old], seen)
                    && !other.web.values.contains(&dy.args[new])
            })
        }
        _ => false,
    }
}
