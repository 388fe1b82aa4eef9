//! Updates of arrays, one thread after the other.

use super::Threads;
use crate::callee;
use crate::loops::updates::{Unit, accessed};
use lw_ir::constant::Constant;
use lw_ir::ops::{BinOp, CastOp, Horizontal, ReduceOp};
use lw_ir::types::Type;
use lw_ir::{Flags, InsertAt, Inst, InstData, Op, Value, ValueDef};
use rustc_hash::FxHashMap;

impl Threads<'_> {
    /// Lets threads execute a unit of the loop, which was copied, one after the other.
    pub(super) fn take_turns(&mut self, unit: &Unit, copies: &FxHashMap<Inst, Inst>) {
        let insts: Vec<Inst> = unit.insts.iter().map(|inst| copies[inst]).collect();
        let last = *insts.last().expect("a unit has an access");
        match unit.together {
            Some(op) => self.together(unit, &insts, op),
            None => self.in_turn(unit, &insts, last),
        }
    }

    fn put_before(&mut self, place: Inst, data: InstData) -> Value {
        let inst = self.out.insert(InsertAt::Before(place), data);
        self.out.result(inst)
    }

    /// In the place of the last access: which threads take part, and then the unit for each of them.
    fn in_turn(&mut self, unit: &Unit, insts: &[Inst], last: Inst) {
        let width = self.plan.width;
        let on = self.out.constant(Constant::bool(true));
        let bits = Type::int(width.max(8));
        let ballot = InstData::new(Op::Horizontal(Horizontal::Ballot), bits, &[on]);
        let ballot = self.put_before(last, ballot);
        let nowhere = self.outer(self.plan.updates.nowhere.expect("there are units"));
        for lane in 0..width {
            let by = self.out.constant(Constant::int(bits, lane.into()));
            let shifted = InstData::new(Op::Binary(BinOp::LShr), bits, &[ballot, by]);
            let shifted = self.put_before(last, shifted);
            let on = InstData::new(Op::Cast(CastOp::Trunc), Type::I1, &[shifted]);
            let on = self.put_before(last, on);
            let mut mine: FxHashMap<Value, Value> = FxHashMap::default();
            for (&inst, old) in insts.iter().zip(&unit.insts) {
                let mut data = self.of_lane(inst, last, lane, &mut mine);
                // In another order other sums overflow.
                let computed = self.plan.f[*old].result.expand();
                if computed.is_some_and(|v| unit.read.contains(&v))
                    && data.ty.float_kind().is_none()
                {
                    data.flags = Flags::NONE;
                }
                if accessed(&self.out, inst).is_some() {
                    let at = usize::from(matches!(data.op, Op::Store(_)));
                    let args = [on, data.args[at], nowhere];
                    data.args[at] =
                        self.put_before(last, InstData::new(Op::Select, Type::PTR, &args));
                }
                let new = self.out.insert(InsertAt::Before(last), data);
                if let Some(result) = self.out[inst].result.expand() {
                    mine.insert(result, self.out.result(new));
                }
            }
        }
        for &inst in insts.iter().rev() {
            self.out.erase(inst);
        }
    }

    /// An instruction with the operands that a thread has.
    fn of_lane(
        &mut self,
        inst: Inst,
        place: Inst,
        lane: u32,
        mine: &mut FxHashMap<Value, Value>,
    ) -> InstData {
        let data = self.out[inst].clone();
        let mut new = InstData::new(data.op.clone(), data.ty, &data.args).with_flags(data.flags);
        new = new.made_from(&data);
        let number = self.out.constant(Constant::int(Type::I64, lane.into()));
        for arg in &mut new.args {
            // What comes from around the loop is the same on all threads.
            if !mine.contains_key(arg) && matches!(self.out.def(*arg), ValueDef::Inst(_)) {
                let ty = self.out.ty(*arg);
                let extract = Op::Horizontal(Horizontal::Extract);
                let extract = InstData::new(extract, ty, &[*arg, number]);
                mine.insert(*arg, self.put_before(place, extract));
            }
            *arg = mine.get(arg).copied().unwrap_or(*arg);
        }
        new
    }

    /// All threads combine the same element with what they have: what they have is combined first.
    fn together(&mut self, unit: &Unit, insts: &[Inst], reduce: ReduceOp) {
        let op = unit.insts.iter().zip(insts).find(|(old, _)| {
            let result = self.plan.f[**old].result.expand();
            result.is_some_and(|v| unit.read.contains(&v)) && accessed(self.plan.f, **old).is_none()
        });
        let &op = op.expect("a unit that combines has an operation").1;
        let data = self.out[op].clone();
        let read: Vec<Value> = insts
            .iter()
            .filter(|&&inst| matches!(self.out[inst].op, Op::Load(_)))
            .map(|&inst| self.out.result(inst))
            .collect();
        let fused =
            callee::name(&self.out, op).is_some_and(|name| name.starts_with("llvm.fmuladd."));
        let own = if fused {
            let product = InstData::new(Op::Binary(BinOp::FMul), data.ty, &data.args[1..3]);
            self.put_before(op, product.with_flags(data.flags).made_from(&data))
        } else {
            let callee = usize::from(matches!(data.op, Op::Call(_)));
            let own = data.args[callee..].iter().find(|arg| !read.contains(arg));
            *own.expect("it is combined with something")
        };
        let flags = if data.ty.float_kind().is_some() { Flags::REASSOC } else { Flags::NONE };
        let all = InstData::new(Op::Horizontal(Horizontal::Reduce(reduce)), data.ty, &[own]);
        let all = self.put_before(op, all.with_flags(flags));
        let new = &mut self.out[op];
        if fused {
            new.op = Op::Binary(BinOp::FAdd);
            new.args = [read[0], all].into_iter().collect();
        } else {
            new.args.iter_mut().filter(|arg| **arg == own).for_each(|arg| *arg = all);
            if flags == Flags::NONE {
                new.flags = Flags::NONE;
            }
        }
    }
}
