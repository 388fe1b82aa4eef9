//! What a condition of an iteration decides about.

use super::recurrences::Users;
use super::web::Web;
use crate::callee;
use crate::edit;
use lw_graph::PostDominatorTree;
use lw_ir::ops::BinOp;
use lw_ir::{Block, Function, Inst, Op, Value};
use lw_sparse::Program;
use lw_sparse::function::{block, node};

/// Whether a comparison holds where a merge takes what is not in the web, or does not hold there.
pub(super) fn leaves_where(f: &Function, web: &Web, merge: Inst, compare: Inst) -> Option<bool> {
    let data = &f[merge];
    let holds = f.result(compare);
    let leaf = |value: &Value| !web.values.contains(value);
    let known: Vec<Option<bool>> = match data.op {
        Op::Select => {
            let here = || known_in(f, f.block_of(merge)?, holds);
            let known = says(f, data.args[0], holds).unwrap_or([None, None]);
            let ways = data.args[1..].iter().zip(known);
            ways.filter(|(arg, _)| leaf(arg)).map(|(_, known)| known.or_else(here)).collect()
        }
        _ => {
            let ways = data.incoming().filter(|(value, _)| leaf(value));
            ways.map(|(_, from)| known_in(f, from, holds)).collect()
        }
    };
    let first = (*known.first()?)?;
    known.iter().all(|&known| known == Some(first)).then_some(first)
}

/// Whether a condition holds in a block, if control only comes there by a branch that says so.
pub(super) fn known_in(f: &Function, mut b: Block, condition: Value) -> Option<bool> {
    loop {
        let mut before = f.blocks().iter().copied().filter(|&from| f.successors(from).contains(&b));
        let (from, None) = (before.next()?, before.next()) else { return None };
        let branch = f.terminator(from).filter(|&branch| f[branch].op == Op::CondBr);
        let way = branch.and_then(|branch| match f[branch].targets[..] {
            [to, other] if to == b && other != b => Some((branch, 0)),
            [other, to] if to == b && other != b => Some((branch, 1)),
            _ => None,
        });
        let says = way.and_then(|(branch, way)| says(f, f[branch].args[0], condition)?[way]);
        if says.is_some() {
            return says;
        }
        b = from;
    }
}

/// What a condition says of a part of it where it holds, and where it does not: a conjunction something where it holds, a disjunction where
/// it does not. `None` if it is no part.
pub(super) fn says(f: &Function, condition: Value, part: Value) -> Option<[Option<bool>; 2]> {
    const ALL: [Option<bool>; 2] = [Some(true), None];
    const ANY: [Option<bool>; 2] = [None, Some(false)];
    if condition == part {
        return Some([Some(true), Some(false)]);
    }
    let data = &f[f.def_inst(condition)?];
    let constant = |value: Value| f.as_constant(value).and_then(|c| c.as_u128());
    match (&data.op, &data.args[..]) {
        (Op::Binary(BinOp::And), args) => args.contains(&part).then_some(ALL),
        (Op::Binary(BinOp::Or), args) => args.contains(&part).then_some(ANY),
        (Op::Select, &[c, t, e]) if constant(e) == Some(0) => {
            (c == part || t == part).then_some(ALL)
        }
        (Op::Select, &[c, t, e]) if constant(t) == Some(1) => {
            (c == part || e == part).then_some(ANY)
        }
        _ => None,
    }
}

/// Whether a comparison is only used to choose the values of these webs. With `reads`, more may be read than in the scalar loop.
pub(super) fn decides_nothing_else(
    f: &Function,
    users: &Users,
    compare: Inst,
    webs: &[&Web],
    reads: bool,
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
                    if says(f, f.result(user), condition).is_some() =>
                {
                    stack.push(f.result(user));
                    true
                }
                Op::CondBr => only_chooses(f, user, &merges, reads),
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
fn only_chooses(f: &Function, branch: Inst, merges: &impl Fn(&Inst) -> bool, reads: bool) -> bool {
    let computes = |&inst: &Inst| match &f[inst].op {
        Op::Load(access) => reads && access.is_simple(),
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
