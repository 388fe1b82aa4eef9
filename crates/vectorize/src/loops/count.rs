//! How often a condition of a loop lets it go around.
//!
//! The condition compares `a`, which changes by the same step in each iteration, with a bound. `T` counts the tests in a row that say "go on",
//! without wrapping around: a loop may go on longer (where it wraps) but never ends sooner. What is left over is done by the scalar
//! loop with its own test, so a lower bound is enough. A step that is only known when the program runs may lead away from the bound:
//! then nothing is counted. If the bound changes too, `i < j` where `j` goes down, the steps of both count together: what goes towards each
//! other does not wrap around before it meets.

use super::moving::{Counters, Moving};
use super::recurrences::{Recurrences, Step};
use super::shape::LoopShape;
use lw_ir::ops::{BinOp, CastOp, IntPred};
use lw_ir::types::{Scalar, Type};
use lw_ir::{Builder, DataLayout, Function, InsertAt, Op, Value};
use lw_sparse::registers::{negate, swap};

#[derive(Clone, Debug)]
enum Bound {
    Fixed(Value),
    /// A number of the type that is compared.
    Constant(i128),
    Moving(Moving),
}

/// The lower bits of something, compared with a constant that has no others: `(x & 0xffffffff) != 0`.
struct LowBits {
    of: Value,
    ty: Type,
    bound: i128,
}

impl LowBits {
    /// How the bits are compared: the sign is not among them.
    fn pred(&self, pred: IntPred) -> IntPred {
        match pred {
            IntPred::Slt => IntPred::Ult,
            IntPred::Sle => IntPred::Ule,
            IntPred::Sgt => IntPred::Ugt,
            IntPred::Sge => IntPred::Uge,
            pred => pred,
        }
    }
}

fn low_bits(f: &Function, a: Value, bound: Value) -> Option<LowBits> {
    let inst = f.def_inst(a).filter(|&inst| f[inst].op == Op::Binary(BinOp::And))?;
    let &[of, mask] = &f[inst].args[..] else { return None };
    let number = |value: Value| f.as_constant(value).and_then(|c| c.as_u128());
    let (mask, bound) = (number(mask)?, number(bound)?);
    let bits = mask.trailing_ones();
    let narrower = bits > 1 && f.ty(a).int_bits().is_some_and(|wide| bits < wide);
    let ty = Type::int(bits);
    (narrower && mask.count_ones() == bits && bound <= mask).then_some(LowBits {
        of,
        ty,
        bound: bound as i128,
    })
}

/// A condition under which a loop goes on: `pred(a, bound)`.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    /// The header φs.
    phis: Vec<Value>,
    a: Moving,
    /// Whether `a` is cut to this type first.
    cut: Option<Type>,
    /// By how much `a` comes nearer to the bound.
    step: Step,
    /// Whether the step leads to higher numbers.
    up: bool,
    pred: IntPred,
    bound: Bound,
    ty: Type,
    /// Whether the count is exact: the loop does not wrap around.
    pub(super) exact: bool,
}

impl Condition {
    /// The condition that a comparison is true (`holds`), or false, if one can count by it.
    pub(super) fn of(
        f: &Function,
        shape: &LoopShape,
        roles: &Recurrences,
        layout: &DataLayout,
        compared: Value,
        holds: bool,
    ) -> Option<Condition> {
        let compare = f.def_inst(compared)?;
        let Op::ICmp(mut pred) = f[compare].op else { return None };
        let [mut a, mut bound] = f[compare].args[..] else { return None };
        if !shape.defines(f, a) {
            (a, bound, pred) = (bound, a, swap(pred));
        }
        if !shape.defines(f, a) {
            return None;
        }
        if !holds {
            pred = negate(pred);
        }
        let mut ty = f.ty(a);
        let mut cut = None;
        if let Some(inst) = f.def_inst(a)
            && f[inst].op == Op::Cast(CastOp::Trunc)
        {
            (a, cut) = (f[inst].args[0], Some(ty));
        }
        let mut fixed = Bound::Fixed(bound);
        if let Some(low) = low_bits(f, a, bound) {
            (a, cut, ty) = (low.of, Some(low.ty), low.ty);
            (pred, fixed) = (low.pred(pred), Bound::Constant(low.bound));
        }
        let counters = Counters::of(f, shape, roles, layout);
        let moving = |value: Value| counters.moving(value);
        let a = moving(a)?;
        let (step, bound) = match (shape.defines(f, bound), a.step) {
            (false, step) => (step, fixed),
            (true, Step::Constant(step)) if cut.is_none() => {
                let bound = moving(bound)?;
                let Step::Constant(other) = bound.step else { return None };
                // Both go towards each other, or one stands still.
                if step != 0 && other != 0 && (step > 0) == (other > 0) || pred == IntPred::Ne {
                    return None;
                }
                let nearer = step.checked_sub(other)?;
                (Step::Constant(nearer), Bound::Moving(bound))
            }
            _ => return None,
        };
        let bits = match ty {
            Type::Scalar(Scalar::Int(bits)) => bits,
            Type::Scalar(Scalar::Ptr(space)) => layout.pointer_bits(space),
            _ => return None,
        };
        // Which way the test takes the step to lead, if it says.
        let ahead = match pred {
            IntPred::Ne => None,
            IntPred::Ult | IntPred::Ule | IntPred::Slt | IntPred::Sle => Some(true),
            IntPred::Ugt | IntPred::Uge | IntPred::Sgt | IntPred::Sge => Some(false),
            IntPred::Eq => return None,
        };
        let (up, small) = match step {
            // It is a number of the type that is compared.
            Step::Constant(step) => {
                (step > 0, step != 0 && step.unsigned_abs() < 1 << (bits.max(1) - 1).min(62))
            }
            Step::Value(_) => (ahead.unwrap_or(true), true),
        };
        if !(2..=64).contains(&bits) || !small || ahead.is_some_and(|ahead| ahead != up) {
            return None;
        }
        let exact = matches!(step, Step::Constant(1 | -1))
            && !matches!(bound, Bound::Moving(_))
            && matches!(
                pred,
                IntPred::Ne | IntPred::Ult | IntPred::Ugt | IntPred::Slt | IntPred::Sgt
            );
        let phis = roles.phis.iter().map(|phi| phi.value).collect();
        Some(Condition { phis, a, cut, step, up, pred, bound, ty, exact })
    }

    /// The type to count in.
    fn number(&self, layout: &DataLayout) -> Type {
        match self.ty {
            Type::Scalar(Scalar::Ptr(space)) => Type::int(layout.pointer_bits(space)),
            ty => ty,
        }
    }

    fn as_number(&self, b: &mut Builder<'_>, value: Value, layout: &DataLayout) -> Value {
        match self.ty {
            Type::Scalar(Scalar::Ptr(_)) => b.cast(CastOp::PtrToInt, value, self.number(layout)),
            _ => value,
        }
    }

    /// `a` and the bound in an iteration, from the values of the header φs in it.
    fn tested(&self, b: &mut Builder<'_>, phis: &[Value]) -> (Value, Value) {
        let phis = self.phis.iter().copied().zip(phis.iter().copied()).collect();
        let place = InsertAt::End(b.block());
        let a = self.a.at(b.function, place, &phis);
        let a = match self.cut {
            Some(ty) => b.cast(CastOp::Trunc, a, ty),
            None => a,
        };
        let bound = match &self.bound {
            Bound::Fixed(value) => *value,
            Bound::Constant(number) => b.int(self.ty, *number),
            Bound::Moving(bound) => bound.at(b.function, place, &phis),
        };
        (a, bound)
    }

    /// How often it holds in a row, as an `i64`, from the values of the header φs in the first iteration.
    pub(super) fn count(&self, b: &mut Builder<'_>, inits: &[Value], layout: &DataLayout) -> Value {
        let number = self.number(layout);
        let (first, bound) = self.tested(b, inits);
        let mut go_on = b.icmp(self.pred, first, bound);
        let first = self.as_number(b, first, layout);
        let bound = self.as_number(b, bound, layout);
        let (low, high) = if self.up { (first, bound) } else { (bound, first) };
        let mut distance = b.binary(BinOp::Sub, high, low);
        let strict = matches!(self.pred, IntPred::Ult | IntPred::Ugt | IntPred::Slt | IntPred::Sgt);
        let one = b.int(number, 1);
        if strict {
            distance = b.binary(BinOp::Sub, distance, one);
        }
        let none = b.int(number, 0);
        match self.step {
            Step::Constant(1 | -1) => {}
            Step::Constant(step) => {
                let step = b.int(number, step.unsigned_abs() as i128);
                distance = b.binary(BinOp::UDiv, distance, step);
            }
            Step::Value(step) => {
                let step = match (b.function.ty(step).int_bits(), number.int_bits()) {
                    (from, to) if from > to => b.cast(CastOp::Trunc, step, number),
                    _ => step,
                };
                // It may be nothing at all if there is no iteration.
                let step = b.freeze(step);
                let step = if self.up { step } else { b.binary(BinOp::Sub, none, step) };
                let ahead = b.icmp(IntPred::Sgt, step, none);
                let step = b.select(ahead, step, one);
                distance = b.binary(BinOp::UDiv, distance, step);
                go_on = b.binary(BinOp::And, go_on, ahead);
            }
        }
        if self.pred != IntPred::Ne {
            distance = b.binary(BinOp::Add, distance, one);
        }
        let count = b.select(go_on, distance, none);
        match number.int_bits() {
            Some(64) => count,
            _ => b.cast(CastOp::ZExt, count, Type::I64),
        }
    }

    /// Whether it holds behind an iteration in which the header φs had these values.
    pub(super) fn holds(&self, b: &mut Builder<'_>, phis: &[Value]) -> Value {
        let (a, bound) = self.tested(b, phis);
        b.icmp(self.pred, a, bound)
    }
}

/// `value` after `times` steps.
pub(super) fn advance(b: &mut Builder<'_>, value: Value, step: Step, times: i64) -> Value {
    let ty = b.function.ty(value);
    let wide = offset_type(ty);
    let by = match step {
        Step::Constant(step) => b.int(wide, step.wrapping_mul(times.into())),
        Step::Value(step) if times == 1 => step,
        Step::Value(step) => {
            let times = b.int(wide, times.into());
            b.binary(BinOp::Mul, step, times)
        }
    };
    plus(b, value, by)
}

/// `value` after as many steps as an `i64` of the program says.
pub(crate) fn advance_by(b: &mut Builder<'_>, value: Value, step: Step, times: Value) -> Value {
    let wide = offset_type(b.function.ty(value));
    let times = match wide.int_bits() {
        Some(64) => times,
        Some(bits) if bits < 64 => b.cast(CastOp::Trunc, times, wide),
        _ => b.cast(CastOp::ZExt, times, wide),
    };
    let step = match step {
        Step::Constant(step) => b.int(wide, step),
        Step::Value(step) => step,
    };
    let by = b.binary(BinOp::Mul, times, step);
    plus(b, value, by)
}

/// The type of what is added to a value of this type.
pub(super) fn offset_type(ty: Type) -> Type {
    if ty.is_ptr() { Type::I64 } else { ty }
}

fn plus(b: &mut Builder<'_>, value: Value, by: Value) -> Value {
    match b.function.ty(value).is_ptr() {
        true => b.gep(Type::I8, lw_ir::Flags::NONE, value, &[by]),
        false => b.binary(BinOp::Add, value, by),
    }
}
