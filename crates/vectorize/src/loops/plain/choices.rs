//! Choices that LLVM wrote in other words: `max(x, best)`, and conditions that are carried.

use crate::callee;
use crate::edit;
use crate::loops::shape::LoopShape;
use crate::loops::web::merged;
use lw_ir::constant::Constant;
use lw_ir::ops::{BinOp, IntPred};
use lw_ir::types::Type;
use lw_ir::{Function, InsertAt, Inst, InstData, Op, Value};
use lw_sparse::registers::{negate, swap};
use rustc_hash::FxHashSet;

impl LoopShape {
    /// Lets comparisons choose where a φ has the maximum or minimum of two integers on one way, and the new one on another; and lets carried
    /// conditions be compared.
    pub(super) fn compute_choices(&self, f: &mut Function) {
        let all: Vec<Inst> = self.blocks.iter().flat_map(|&b| f.insts(b).iter().copied()).collect();
        for &inst in &all {
            if let Some(pred) = extreme(f, inst).filter(|_| is_taken_anyway(f, &all, inst)) {
                choose(f, inst, pred);
            }
        }
        for phi in f.phis(self.header).collect::<Vec<_>>() {
            let next = edit::incoming(f, phi, self.latch);
            if f[phi].ty == Type::I1 && is_told(f, f.result(phi), next) {
                compare(f, &all, f.result(phi));
            }
        }
    }
}

/// When the first operand of a minimum or maximum of integers is chosen.
fn extreme(f: &Function, inst: Inst) -> Option<IntPred> {
    let name = callee::name(f, inst)?.strip_prefix("llvm.")?;
    let (name, _) = name.split_once('.')?;
    let pred = match name {
        "smin" => IntPred::Slt,
        "smax" => IntPred::Sgt,
        "umin" => IntPred::Ult,
        "umax" => IntPred::Ugt,
        _ => return None,
    };
    f[inst].ty.lanes().is_none().then_some(pred)
}

/// Whether a φ has a minimum or maximum on one way, and an operand of it that is no φ on another.
fn is_taken_anyway(f: &Function, all: &[Inst], inst: Inst) -> bool {
    let result = f.result(inst);
    let new = |arg: &Value| {
        f[inst].args[1..].contains(arg) && f.def_inst(*arg).is_some_and(|it| f[it].op != Op::Phi)
    };
    all.iter().any(|&phi| {
        f[phi].op == Op::Phi && f[phi].args.contains(&result) && f[phi].args.iter().any(new)
    })
}

/// Whether a condition that is carried is only set to constants, under conditions: what is computed from it is something else.
fn is_told(f: &Function, carried: Value, next: Value) -> bool {
    let (mut seen, mut left) = (FxHashSet::from_iter([next]), vec![next]);
    while let Some(value) = left.pop() {
        let from = f.def_inst(value).map_or(&[][..], |inst| merged(f, inst));
        if value == carried || f.as_constant(value).is_some() {
            continue;
        }
        if from.is_empty()
            || f.def_inst(value)
                .is_some_and(|inst| f[inst].args[0] == carried && f[inst].op == Op::Select)
        {
            return false;
        }
        left.extend(from.iter().filter(|&&it| seen.insert(it)));
    }
    true
}

/// Makes a `select` of a minimum or maximum, by a comparison of its block if there is one.
fn choose(f: &mut Function, inst: Inst, pred: IntPred) {
    let (x, y) = (f[inst].args[1], f[inst].args[2]);
    let fits = |other: IntPred| other == pred || other == negate(swap(pred));
    let (home, end) = f.position(inst);
    let decides = |&it: &Inst| {
        let Op::ICmp(found) = f[it].op else { return None };
        let found = match f[it].args[..] {
            [a, b] if (a, b) == (x, y) => found,
            [b, a] if (a, b) == (x, y) => swap(found),
            _ => return None,
        };
        let values = match (fits(found), fits(negate(found))) {
            (true, _) => [x, y],
            (_, true) => [y, x],
            _ => return None,
        };
        Some((f.result(it), values))
    };
    let (condition, [then, otherwise]) =
        f.insts(home)[..end].iter().find_map(decides).unwrap_or_else(|| {
            let data = InstData::new(Op::ICmp(pred), Type::I1, &[x, y]).made_from(&f[inst]);
            let compare = f.insert(InsertAt::Before(inst), data);
            (f.result(compare), [x, y])
        });
    f[inst].op = Op::Select;
    f[inst].args = [condition, then, otherwise].into_iter().collect();
}

/// Compares a carried condition with `false` wherever it decides.
fn compare(f: &mut Function, all: &[Inst], carried: Value) {
    let no = f.constant(Constant::bool(false));
    for &inst in all {
        let decides = match f[inst].op {
            Op::CondBr | Op::Select => f[inst].args[0] == carried,
            Op::Binary(BinOp::And | BinOp::Or) => f[inst].args.contains(&carried),
            _ => false,
        };
        if decides {
            let data = InstData::new(Op::ICmp(IntPred::Ne), Type::I1, &[carried, no]);
            let compare = f.insert(InsertAt::Before(inst), data.made_from(&f[inst]));
            let compare = f.result(compare);
            let args = if f[inst].op == Op::Select { 1 } else { f[inst].args.len() };
            for arg in f[inst].args[..args].iter_mut().filter(|arg| **arg == carried) {
                *arg = compare;
            }
        }
    }
}
