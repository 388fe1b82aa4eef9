//! Truth values that are compared as numbers: of `odd ^= x`, where it knows that `x` in memory is 0 or 1, LLVM makes `x != (int)odd`.

use crate::edit;
use crate::loops::shape::LoopShape;
use crate::loops::web::merged;
use lw_ir::constant::Constant;
use lw_ir::ops::{BinOp, CastOp, IntPred};
use lw_ir::types::Type;
use lw_ir::{Flags, Function, InsertAt, Inst, InstData, Op, Value};
use std::collections::HashSet;

impl LoopShape {
    /// Combines truth values by `xor` where they are compared. All of `truths` are 0 or 1.
    pub(in crate::loops) fn compute_truths(&self, f: &mut Function, truths: &HashSet<Value>) {
        if truths.is_empty() {
            return;
        }
        let carried = self.merged_truths(f, truths);
        for &b in &self.blocks {
            for inst in f.insts(b).to_vec() {
                let same = match f[inst].op {
                    Op::ICmp(IntPred::Ne) => false,
                    Op::ICmp(IntPred::Eq) => true,
                    _ => continue,
                };
                let &[x, y] = &f[inst].args[..] else { continue };
                let is_known = |value| widened(f, value).is_some() || carried.contains(&value);
                let is_truth = |value| is_known(value) || truths.contains(&value);
                if !is_truth(x) || !is_truth(y) || !(is_known(x) || is_known(y)) {
                    continue;
                }
                let [x, y] = [x, y].map(|value| cut(f, inst, value));
                let differ = InstData::new(Op::Binary(BinOp::Xor), Type::I1, &[x, y]);
                let differ = f.insert(InsertAt::Before(inst), differ.made_from(&f[inst]));
                let differ = f.result(differ);
                let turned = f.constant(Constant::bool(same));
                f[inst].op = Op::Binary(BinOp::Xor);
                f[inst].flags = Flags::NONE;
                f[inst].args = [differ, turned].into_iter().collect();
            }
        }
        edit::remove_unused_in(f, |b| self.contains(b));
    }

    /// What only merges numbers that are 0 or 1.
    fn merged_truths(&self, f: &Function, truths: &HashSet<Value>) -> HashSet<Value> {
        let insts = || self.blocks.iter().flat_map(|&b| f.insts(b).iter().copied());
        let merges =
            || insts().filter(|&inst| f[inst].ty != Type::I1 && !merged(f, inst).is_empty());
        let mut all: HashSet<Value> = merges().map(|inst| f.result(inst)).collect();
        loop {
            let is_truth = |value: &Value| {
                all.contains(value)
                    || truths.contains(value)
                    || widened(f, *value).is_some()
                    || f.as_small_int(*value).is_some_and(|number| number <= 1)
            };
            let known = |&inst: &Inst| merged(f, inst).iter().all(is_truth);
            let fewer: HashSet<Value> = merges()
                .filter(|inst| all.contains(&f.result(*inst)) && known(inst))
                .map(|inst| f.result(inst))
                .collect();
            if fewer.len() == all.len() {
                return all;
            }
            all = fewer;
        }
    }
}

/// The truth value that was made a number.
fn widened(f: &Function, value: Value) -> Option<Value> {
    let inst = f.def_inst(value).filter(|&inst| f[inst].op == Op::Cast(CastOp::ZExt))?;
    Some(f[inst].args[0]).filter(|&truth| f.ty(truth) == Type::I1)
}

/// A number that is 0 or 1 as a truth value, in front of an instruction.
fn cut(f: &mut Function, before: Inst, value: Value) -> Value {
    widened(f, value).unwrap_or_else(|| {
        let data = InstData::new(Op::Cast(CastOp::Trunc), Type::I1, &[value]);
        let data = data.made_from(&f[before]);
        let inst = f.insert(InsertAt::Before(before), data);
        f.result(inst)
    })
}
