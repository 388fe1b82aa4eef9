//! What a condition of an iteration decides about.

use super::recurrences::{HeaderPhi, Users};
use super::web::{Web, merged};
use crate::callee;
use crate::edit;
use lw_graph::PostDominatorTree;
use lw_ir::ops::BinOp;
use lw_ir::{Block, Function, Inst, Op, Value};
use lw_sparse::Program;
use lw_sparse::function::{block, node};
use rustc_hash::FxHashSet;

/// A condition and whether it holds.
pub(super) type Fact = (Value, bool);

/// Whether a comparison holds where a merge takes what is not in the web, or does not hold there.
pub(super) fn leaves_where(
    f: &Function,
    root: &HeaderPhi,
    merge: Inst,
    compare: Inst,
) -> Option<bool> {
    let holds = f.result(compare);
    let header = f.block_of(f.def_inst(root.value)?)?;
    let known =
        |way| leaves(f, &root.web, merge).all(|i| is_known(f, header, merge, i, &[(holds, way)]));
    leaves(f, &root.web, merge).next()?;
    [true, false].into_iter().find(|&way| known(way))
}

/// The operands of a merge that are not in the web.
pub(super) fn leaves(f: &Function, web: &Web, merge: Inst) -> impl Iterator<Item = usize> {
    let first = f[merge].args.len() - merged(f, merge).len();
    (first..f[merge].args.len()).filter(move |&i| !web.values.contains(&f[merge].args[i]))
}

/// Whether one of these facts holds where a merge takes an operand, in an iteration of the loop with this header.
pub(super) fn is_known(
    f: &Function,
    header: Block,
    merge: Inst,
    operand: usize,
    any: &[Fact],
) -> bool {
    let data = &f[merge];
    let home = f.block_of(merge).expect("it is in the loop");
    let (decided, from) = match data.op {
        Op::Select => (entails(f, data.args[0], operand == 1, any), home),
        _ => (branch_says(f, data.targets[operand], home, any), data.targets[operand]),
    };
    decided || holds_in(f, header, from, any)
}

/// Whether one of these facts holds wherever control comes to a block in an iteration, because branches say so.
fn holds_in(f: &Function, header: Block, b: Block, any: &[Fact]) -> bool {
    let graph = f.graph();
    let home = |&(condition, _): &Fact| f.block_of(f.def_inst(condition)?);
    // What branches said before that was of the values of an iteration before, of this loop or an inner one.
    let known_from: Vec<Block> = any.iter().filter_map(home).chain([header]).collect();
    let (mut seen, mut left) = (FxHashSet::from_iter([b]), vec![b]);
    while let Some(at) = left.pop() {
        let before = || graph.predecessors(node(at)).map(block);
        if known_from.contains(&at) || before().len() == 0 {
            return false;
        }
        let silent = before().filter(|&from| !branch_says(f, from, at, any));
        left.extend(silent.filter(|&from| seen.insert(from)));
    }
    true
}

/// Whether a branch only goes there if one of these facts holds.
fn branch_says(f: &Function, from: Block, to: Block, any: &[Fact]) -> bool {
    let branch = f.terminator(from).filter(|&branch| f[branch].op == Op::CondBr);
    branch.is_some_and(|branch| match f[branch].targets[..] {
        [yes, no] if yes != no => entails(f, f[branch].args[0], yes == to, any),
        _ => false,
    })
}

/// Whether one of these facts holds if a condition has this value.
fn entails(f: &Function, condition: Value, holds: bool, any: &[Fact]) -> bool {
    if any.contains(&(condition, holds)) {
        return true;
    }
    let Some(inst) = f.def_inst(condition) else { return false };
    let constant = |value: Value| f.as_constant(value).and_then(|c| c.as_u128());
    let (all, parts) = match (&f[inst].op, &f[inst].args[..]) {
        (Op::Binary(BinOp::Xor), &[a, one]) if constant(one) == Some(1) => {
            return entails(f, a, !holds, any);
        }
        (Op::Binary(BinOp::And), &[a, b]) => (holds, [a, b]),
        (Op::Binary(BinOp::Or), &[a, b]) => (!holds, [a, b]),
        (Op::Select, &[a, b, no]) if constant(no) == Some(0) => (holds, [a, b]),
        (Op::Select, &[a, yes, b]) if constant(yes) == Some(1) => (!holds, [a, b]),
        _ => return false,
    };
    let mut parts = parts.into_iter().map(|part| entails(f, part, holds, any));
    // Both have this value, or one of them has.
    if all { parts.any(|part| part) } else { parts.all(|part| part) }
}

/// Whether a condition is this one, or a conjunction or disjunction of it and another.
pub(super) fn has_part(f: &Function, condition: Value, part: Value) -> bool {
    let Some(inst) = f.def_inst(condition).filter(|_| condition != part) else {
        return condition == part;
    };
    let constant = |value: Value| f.as_constant(value).and_then(|c| c.as_u128());
    match (&f[inst].op, &f[inst].args[..]) {
        (Op::Binary(BinOp::And | BinOp::Or), args) => args.contains(&part),
        (Op::Select, &[c, t, e]) if constant(e) == Some(0) => c == part || t == part,
        (Op::Select, &[c, t, e]) if constant(t) == Some(1) => c == part || e == part,
        _ => false,
    }
}

/// Whether a comparison is only used to choose the values of these webs. Where that is so of what `may_read` says, more may be read than in the scalar loop.
pub(super) fn decides_nothing_else(
    f: &Function,
    users: &Users,
    compare: Inst,
    webs: &[&Web],
    may_read: &impl Fn(Inst) -> bool,
) -> bool {
    let merges = |inst: &Inst| webs.iter().any(|web| web.merges.contains(inst));
    let mut stack = vec![f.result(compare)];
    while let Some(condition) = stack.pop() {
        for &user in users.get(&condition).into_iter().flatten() {
            let data = &f[user];
            let fine = match &data.op {
                Op::Select if merges(&user) => {
                    data.args[0] == condition && !data.args[1..].contains(&condition)
                }
                Op::Select | Op::Binary(BinOp::And | BinOp::Or)
                    if has_part(f, f.result(user), condition) =>
                {
                    stack.push(f.result(user));
                    true
                }
                Op::CondBr => only_chooses(f, user, &merges, may_read),
                _ => false,
            };
            if !fine {
                return false;
            }
        }
    }
    true
}

/// Whether all a branch decides about is which values some merges take: between it and where its ways meet, things are only computed.
fn only_chooses(
    f: &Function,
    branch: Inst,
    merges: &impl Fn(&Inst) -> bool,
    may_read: &impl Fn(Inst) -> bool,
) -> bool {
    let computes = |&inst: &Inst| match &f[inst].op {
        Op::Load(access) => may_read(inst) && access.is_simple(),
        Op::Phi | Op::Br | Op::CondBr | Op::Switch => true,
        _ => edit::computes(f, inst) || callee::is_dropped(f, inst),
    };
    let Some(Ways { from, between, meet }) = Ways::of(f, branch) else { return false };
    let chosen = |phi: Inst| {
        let here = |b: Block| b == from || between.contains(&b);
        let mut taken = f[phi].incoming().filter(|&(_, at)| here(at)).map(|(value, _)| value);
        let first = taken.next();
        taken.all(|other| Some(other) == first) || merges(&phi)
    };
    between.iter().all(|&b| f.insts(b).iter().all(computes)) && f.phis(meet).all(chosen)
}

/// The blocks behind a branch that control comes to or not, by its condition.
struct Ways {
    from: Block,
    /// In an order in which each comes behind those that lead to it.
    between: Vec<Block>,
    meet: Block,
}

impl Ways {
    /// `None` if control comes to them in another way, or goes round in a loop there.
    fn of(f: &Function, branch: Inst) -> Option<Ways> {
        let graph = f.graph();
        let from = f.block_of(branch)?;
        let meet = block(PostDominatorTree::compute(&graph).immediate(node(from))?);
        let mut ways = Ways { from, between: Vec::new(), meet };
        let mut left: Vec<Block> = f.successors(from).to_vec();
        left.retain(|&b| b != meet);
        while !left.is_empty() {
            let known = |b: Block| b == from || ways.between.contains(&b);
            let reached = |b: Block| {
                let mut before = f.blocks().iter().filter(|&&p| f.successors(p).contains(&b));
                before.all(|&p| known(p))
            };
            let next = left.iter().position(|&b| reached(b))?;
            let next = left.swap_remove(next);
            left.retain(|&b| b != next);
            left.extend(f.successors(next).iter().filter(|&&b| b != meet));
            ways.between.push(next);
        }
        Some(ways)
    }
}
