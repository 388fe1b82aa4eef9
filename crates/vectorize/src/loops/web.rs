//! The values a header φ becomes in an iteration, if nothing else is done with it than to combine, merge or compare it.

use super::recurrences::{Combine, Users};
use super::shape::LoopShape;
use crate::callee;
use lw_graph::LoopForest;
use lw_ir::ops::{BinOp, ReduceOp};
use lw_ir::types::Type;
use lw_ir::{Function, InsertAt, Inst, InstData, Op, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// The values that come from a header φ.
#[derive(Clone, Debug, Default)]
pub(super) struct Web {
    /// All of them, the φ included.
    pub(super) values: FxHashSet<Value>,
    /// Operations that combine one of them with something else.
    pub(super) ops: Vec<Inst>,
    /// φs and `select`s between them and something else.
    pub(super) merges: Vec<Inst>,
    /// Comparisons of one of them with something else.
    pub(super) compares: Vec<Inst>,
    /// Whether nothing of this is in an inner loop, so that it happens at most once in an iteration.
    pub(super) once: bool,
}

impl Web {
    /// `None` if something else is done with the φ than what is `ignored`.
    pub(super) fn of(
        f: &Function,
        shape: &LoopShape,
        loops: &LoopForest,
        users: &Users,
        phi: Value,
        ignored: &[Inst],
    ) -> Option<Web> {
        let mut web = Web { once: true, ..Web::default() };
        web.values.insert(phi);
        let mut stack = vec![phi];
        let header = f.def_inst(phi);
        while let Some(value) = stack.pop() {
            for &user in users.get(&value).into_iter().flatten() {
                if Some(user) == header || ignored.contains(&user) {
                    continue;
                }
                let data = &f[user];
                let list = match &data.op {
                    Op::Phi if f.block_of(user) == Some(shape.header) => return None,
                    Op::Phi => &mut web.merges,
                    Op::Select if data.args[0] != value => &mut web.merges,
                    Op::ICmp(_) | Op::FCmp(_) => {
                        if !web.compares.contains(&user) {
                            web.compares.push(user);
                        }
                        continue;
                    }
                    _ if accumulates(f, user, value) => &mut web.ops,
                    _ => return None,
                };
                let result = f.result(user);
                if web.values.insert(result) {
                    list.push(user);
                    stack.push(result);
                }
            }
        }
        // What is combined with a value of the web is not one itself.
        for &inst in web.ops.iter().chain(&web.compares) {
            if f[inst].args.iter().filter(|arg| web.values.contains(arg)).count() != 1 {
                return None;
            }
        }
        let innermost =
            |inst: Inst| f.block_of(inst).map(|b| loops.innermost(lw_sparse::function::node(b)));
        let here = header.and_then(innermost);
        let all = web.ops.iter().chain(&web.merges);
        web.once = all.into_iter().all(|&inst| innermost(inst) == here);
        Some(web)
    }

    /// Whether a merge takes something that does not come from the φ: a sum that begins anew.
    pub(super) fn is_set_anew(&self, f: &Function) -> bool {
        self.merges
            .iter()
            .any(|&merge| merged(f, merge).iter().any(|arg| !self.values.contains(arg)))
    }

    /// The operations, each behind those whose results it combines. They are not in inner loops.
    pub(super) fn ops_in_order(&self, f: &Function) -> Vec<Inst> {
        let (mut seen, mut list) = (FxHashSet::default(), Vec::new());
        self.ops.iter().for_each(|&op| self.list(f, op, &mut seen, &mut list));
        list
    }

    fn list(&self, f: &Function, inst: Inst, seen: &mut FxHashSet<Inst>, list: &mut Vec<Inst>) {
        let (merges, combines) = (self.merges.contains(&inst), self.ops.contains(&inst));
        if (merges || combines) && seen.insert(inst) {
            let own = f[inst].args.iter().filter(|arg| self.values.contains(arg));
            own.filter_map(|&arg| f.def_inst(arg)).for_each(|from| self.list(f, from, seen, list));
            list.extend(combines.then_some(inst));
        }
    }

    /// The operand of an operation or comparison of the web that is in it.
    pub(super) fn own(&self, f: &Function, inst: Inst) -> Option<Value> {
        f[inst].args.iter().copied().find(|arg| self.values.contains(arg))
    }

    /// The operand of an operation or comparison of the web that is not in it.
    pub(super) fn other(&self, f: &Function, inst: Inst) -> Option<Value> {
        let skip = usize::from(matches!(f[inst].op, Op::Call(_)));
        f[inst].args[skip..].iter().copied().find(|arg| !self.values.contains(arg))
    }
}

/// What a φ or `select` chooses from; nothing for others.
pub(super) fn merged(f: &Function, inst: Inst) -> &[Value] {
    match f[inst].op {
        Op::Phi => &f[inst].args[..],
        Op::Select => &f[inst].args[1..],
        _ => &[],
    }
}

/// Merges where others are merged, of values of another type: `new` says of which, and what became of the merges.
pub(super) fn copy_merges(
    f: &mut Function,
    merges: &[Inst],
    ty: Type,
    new: &mut FxHashMap<Value, Value>,
) {
    let mut copies = Vec::new();
    for &merge in merges {
        let data = &f[merge];
        let copy = InstData::new(data.op.clone(), ty, &data.args).with_targets(&data.targets);
        let copy = f.insert(InsertAt::Before(merge), copy.made_from(&f[merge]));
        new.insert(f.result(merge), f.result(copy));
        copies.push(copy);
    }
    for copy in copies {
        let chosen = usize::from(f[copy].op == Op::Select);
        for arg in &mut f[copy].args[chosen..] {
            *arg = new[arg];
        }
    }
}

/// Whether an instruction adds something to a value, or multiplies it, or the like.
fn accumulates(f: &Function, inst: Inst, value: Value) -> bool {
    match (&f[inst].op, &f[inst].args[..]) {
        (Op::Binary(BinOp::Sub | BinOp::FSub | BinOp::Shl), &[x, y]) => x == value && y != value,
        (Op::Call(_), args) => match callee::name(f, inst) {
            Some(name) if name.starts_with("llvm.fmuladd.") || name.starts_with("llvm.fma.") => {
                args[1] != value && args[2] != value && args[3] == value
            }
            Some(name) => extreme(name).is_some(),
            None => false,
        },
        _ => reduction_of(f, inst).is_some(),
    }
}

/// How the partial results of a web are combined; `None` if it has no operations, or different ones.
pub(super) fn combine_of(f: &Function, web: &Web) -> Option<Combine> {
    let mut all = web.ops.iter().map(|&op| reduction_of(f, op));
    let first = all.next()??;
    all.all(|other| other.as_ref() == Some(&first)).then_some(first)
}

/// How an operation combines values, if it does.
pub(super) fn reduction_of(f: &Function, inst: Inst) -> Option<Combine> {
    let op = match &f[inst].op {
        Op::Binary(BinOp::Add | BinOp::Sub) => ReduceOp::Add,
        // A shift is a product with a power of two.
        Op::Binary(BinOp::Mul | BinOp::Shl) => ReduceOp::Mul,
        Op::Binary(BinOp::And) => ReduceOp::And,
        Op::Binary(BinOp::Or) => ReduceOp::Or,
        Op::Binary(BinOp::Xor) => ReduceOp::Xor,
        Op::Binary(BinOp::FAdd | BinOp::FSub) => ReduceOp::FAdd,
        Op::Binary(BinOp::FMul) => ReduceOp::FMul,
        Op::Call(_) => match callee::name(f, inst)? {
            name if name.starts_with("llvm.fmuladd.") || name.starts_with("llvm.fma.") => {
                ReduceOp::FAdd
            }
            name => match extreme(name)? {
                Some(op) => op,
                None => return Some(Combine::Call(f[inst].args[0])),
            },
        },
        _ => return None,
    };
    // Vectors and wider things than numbers are combined as they are.
    f[inst].ty.lanes().is_none().then_some(Combine::Reduce(op))
}

/// Whether a name is that of a minimum or maximum; if so and it has one, the operation across threads.
fn extreme(name: &str) -> Option<Option<ReduceOp>> {
    let starts = |text: &str| name.strip_prefix("llvm.").is_some_and(|n| n.starts_with(text));
    Some(match () {
        _ if starts("smin.") => Some(ReduceOp::SMin),
        _ if starts("smax.") => Some(ReduceOp::SMax),
        _ if starts("umin.") => Some(ReduceOp::UMin),
        _ if starts("umax.") => Some(ReduceOp::UMax),
        _ if ["minnum.", "maxnum.", "minimum.", "maximum.", "minimumnum.", "maximumnum."]
            .iter()
            .any(|text| starts(text)) =>
        {
            None
        }
        _ => return None,
    })
}
