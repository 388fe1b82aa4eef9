//! What follows from the number of the iteration.
//!
//! | | in iteration k |
//! | --- | --- |
//! | `sign = -sign`, `odd ^= 1`, `at = last - at` | the first value, or what became of it in the first iteration, by turns |
//! | `bit <<= 1` | the first value shifted by k bits, 0 if there are not as many |
//! | `x = x << 1 \| x >> 31` | the first value turned by k bits |
//! | `at = (at + 1) & 63` | the lower bits of the first value + k |
//! | `row += i` | the first value + k times the first i + k (k − 1) / 2 times the step of i |
//!
//! Lanes compute it from that number. The scalar loop does so too, since it begins where they stop.

use super::moving::{Counters, Moving};
use super::plain::is_sign;
use super::recurrences::Step;
use super::shape::LoopShape;
use crate::callee;
use crate::edit;
use lw_ir::constant::Constant;
use lw_ir::ops::{BinOp, CastOp, IntPred};
use lw_ir::types::Type;
use lw_ir::{DataLayout, Function, InsertAt, Inst, InstData, Op, Value};
use rustc_hash::FxHashMap;

/// What becomes of a header φ in each iteration.
enum Progress {
    /// This operation undoes what it did.
    Alternates(Inst),
    Shifts(BinOp, u32),
    /// So much is added, and these bits are kept.
    Circles(i128, i128),
    /// Turned by so many bits, by this call.
    Turns(Inst),
    /// What moves by a step itself is added or subtracted.
    Grows(BinOp, Moving),
}

impl LoopShape {
    /// Computes header φs from the number of the iteration where they follow from it.
    pub(super) fn compute_from_number(&self, f: &mut Function, layout: &DataLayout) {
        let mut number = None;
        let mut told: FxHashMap<Value, Value> = FxHashMap::default();
        for phi in f.phis(self.header).collect::<Vec<_>>() {
            let (value, init) = (f.result(phi), edit::incoming(f, phi, self.preheader));
            if edit::is_undefined(f, init) {
                continue;
            }
            let Some(progress) = self.progress(f, phi, layout) else { continue };
            let k = *number.get_or_insert_with(|| self.number(f));
            let new = self.told(f, (value, init), k, progress);
            told.insert(value, new);
        }
        edit::replace_all(f, &told);
        edit::remove_unused_in(f, |b| self.contains(b));
    }

    fn progress(&self, f: &Function, phi: Inst, layout: &DataLayout) -> Option<Progress> {
        let (value, next) = (f.result(phi), edit::incoming(f, phi, self.latch));
        let inst = f.def_inst(next).filter(|_| self.defines(f, next))?;
        let number = |v: Value| f.as_constant(v).and_then(Constant::as_i128);
        let fixed = |v: Value| !self.defines(f, v);
        let bits = f.ty(value).int_bits().filter(|&bits| bits <= 64);
        match (&f[inst].op, &f[inst].args[..]) {
            (Op::FNeg, &[x]) if x == value => Some(Progress::Alternates(inst)),
            (Op::Binary(BinOp::FMul), &[x, _]) if x == value && is_sign(f, inst) => {
                Some(Progress::Alternates(inst))
            }
            (Op::Binary(BinOp::Mul), &[x, by]) if x == value && number(by) == Some(-1) => {
                Some(Progress::Alternates(inst))
            }
            (Op::Binary(BinOp::Xor), &[x, y])
                if x == value && fixed(y) || y == value && fixed(x) =>
            {
                Some(Progress::Alternates(inst))
            }
            (Op::Binary(BinOp::Sub), &[x, y]) if fixed(x) && y == value => {
                Some(Progress::Alternates(inst))
            }
            (Op::Binary(op @ (BinOp::Shl | BinOp::LShr)), &[x, by]) if x == value => {
                let by = u32::try_from(number(by)?).ok()?;
                bits.filter(|bits| (1..*bits).contains(&by)).map(|_| Progress::Shifts(*op, by))
            }
            (Op::Binary(BinOp::And), &[x, mask]) => {
                let mask = number(mask).filter(|&mask| mask > 0 && mask & (mask + 1) == 0)?;
                let sum = &f[f.def_inst(x)?];
                let &[from, by] = &sum.args[..] else { return None };
                let by = number(by).filter(|_| from == value)?;
                let step = match sum.op {
                    Op::Binary(BinOp::Add) => by,
                    Op::Binary(BinOp::Sub) => -by,
                    _ => return None,
                };
                bits.map(|_| Progress::Circles(step, mask))
            }
            (Op::Call(_), &[_, x, y, by]) if x == value && y == value && number(by).is_some() => {
                let turns = callee::name(f, inst).is_some_and(|name| name.starts_with("llvm.fsh"));
                bits.filter(|bits| turns && bits.is_power_of_two()).map(|_| Progress::Turns(inst))
            }
            (Op::Binary(op @ (BinOp::Add | BinOp::Sub)), &[x, y]) => {
                let by = match (x == value, y == value) {
                    (true, false) => y,
                    (false, true) if *op == BinOp::Add => x,
                    _ => return None,
                };
                bits?;
                // What does not move makes a counter.
                let by = Counters::find(f, self, layout).moving(by)?;
                (by.step != Step::Constant(0)).then_some(Progress::Grows(*op, by))
            }
            _ => None,
        }
    }

    /// A header φ that is the number of the iteration.
    fn number(&self, f: &mut Function) -> Value {
        let (zero, one) =
            (f.constant(Constant::int(Type::I64, 0)), f.constant(Constant::int(Type::I64, 1)));
        let phi = InstData::new(Op::Phi, Type::I64, &[zero]).with_targets(&[self.preheader]);
        let phi = f.insert(InsertAt::Start(self.header), phi);
        let k = f.result(phi);
        let end = f.terminator(self.latch).expect("it goes to the header");
        let next = InstData::new(Op::Binary(BinOp::Add), Type::I64, &[k, one]);
        let next = f.insert(InsertAt::Before(end), next);
        let next = f.result(next);
        edit::add_incoming(f, phi, next, self.latch);
        k
    }

    /// What a φ has in iteration `k`, computed behind the φs.
    fn told(
        &self,
        f: &mut Function,
        (value, init): (Value, Value),
        k: Value,
        progress: Progress,
    ) -> Value {
        let ty = f.ty(value);
        // What does not change is computed before the loop.
        let end = f.terminator(self.preheader).expect("it goes to the loop");
        let once = match &progress {
            Progress::Alternates(inst) => {
                let mut once = InstData::new(f[*inst].op.clone(), ty, &f[*inst].args);
                once.args.iter_mut().filter(|arg| **arg == value).for_each(|arg| *arg = init);
                let once = f.insert(InsertAt::Before(end), once);
                f.result(once)
            }
            Progress::Grows(_, by) => {
                let first = |&phi: &Inst| (f.result(phi), edit::incoming(f, phi, self.preheader));
                let inits = f.phis(self.header).collect::<Vec<_>>().iter().map(first).collect();
                by.at(f, InsertAt::Before(end), &inits)
            }
            _ => init,
        };
        let behind = f.insts(self.header).iter().find(|&&inst| f[inst].op != Op::Phi);
        let before = *behind.expect("there is a terminator");
        let mut at = At { f, before };
        let (zero, one) = (at.int(Type::I64, 0), at.int(Type::I64, 1));
        match progress {
            Progress::Alternates(_) => {
                let odd = at.binary(BinOp::And, k, one);
                let odd = at.compare(IntPred::Ne, odd, zero);
                at.select(odd, once, init)
            }
            Progress::Shifts(op, by) => {
                let bits = ty.int_bits().expect("it is whole");
                let last = at.int(Type::I64, ((bits - 1) / by).into());
                let none = at.compare(IntPred::Ugt, k, last);
                let by = at.int(Type::I64, by.into());
                let by = at.binary(BinOp::Mul, k, by);
                let by = at.cut(by, ty);
                let shifted = at.binary(op, init, by);
                let nothing = at.int(ty, 0);
                at.select(none, nothing, shifted)
            }
            Progress::Circles(step, mask) => {
                let far = at.cut(k, ty);
                let step = at.int(ty, step);
                let far = at.binary(BinOp::Mul, far, step);
                let sum = at.binary(BinOp::Add, init, far);
                let mask = at.int(ty, mask);
                let kept = at.binary(BinOp::And, sum, mask);
                let begins = at.compare(IntPred::Eq, k, zero);
                at.select(begins, init, kept)
            }
            Progress::Turns(inst) => {
                let data = at.f[inst].clone();
                let times = at.cut(k, ty);
                let by = at.binary(BinOp::Mul, times, data.args[3]);
                at.push(data.op, ty, &[data.args[0], init, init, by])
            }
            Progress::Grows(op, by) => {
                // What it grows by has grown by 0 + 1 + … + (k − 1) steps, k (k − 1) / 2 together.
                let half = at.binary(BinOp::LShr, k, one);
                let minus_one = at.int(Type::I64, -1);
                let before = at.binary(BinOp::Add, k, minus_one);
                let odd = at.binary(BinOp::Or, before, one);
                let steps = at.binary(BinOp::Mul, half, odd);
                let (steps, times) = (at.cut(steps, ty), at.cut(k, ty));
                let step = match by.step {
                    Step::Constant(step) => at.int(ty, step),
                    Step::Value(step) => step,
                };
                let steps = at.binary(BinOp::Mul, steps, step);
                let firsts = at.binary(BinOp::Mul, times, once);
                let all = at.binary(BinOp::Add, firsts, steps);
                at.binary(op, init, all)
            }
        }
    }
}

/// Writes in front of an instruction.
struct At<'a> {
    f: &'a mut Function,
    before: Inst,
}

impl At<'_> {
    fn push(&mut self, op: Op, ty: Type, args: &[Value]) -> Value {
        let inst = self.f.insert(InsertAt::Before(self.before), InstData::new(op, ty, args));
        self.f.result(inst)
    }

    fn int(&mut self, ty: Type, value: i128) -> Value {
        self.f.constant(Constant::int(ty, value))
    }

    fn binary(&mut self, op: BinOp, x: Value, y: Value) -> Value {
        self.push(Op::Binary(op), self.f.ty(x), &[x, y])
    }

    fn compare(&mut self, pred: IntPred, x: Value, y: Value) -> Value {
        self.push(Op::ICmp(pred), Type::I1, &[x, y])
    }

    fn select(&mut self, condition: Value, then: Value, otherwise: Value) -> Value {
        self.push(Op::Select, self.f.ty(then), &[condition, then, otherwise])
    }

    /// A number of 64 bits in a type of at most as many.
    fn cut(&mut self, value: Value, ty: Type) -> Value {
        match ty == Type::I64 {
            true => value,
            false => self.push(Op::Cast(CastOp::Trunc), ty, &[value]),
        }
    }
}
