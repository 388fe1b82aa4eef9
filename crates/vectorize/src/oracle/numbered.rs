//! What random loops carry over that follows from the number of the iteration, and second conditions under which they go on.

use super::fit;
use lw_ir::constant::Constant;
use lw_ir::generate::Rng;
use lw_ir::ops::{BinOp, IntPred};
use lw_ir::types::Type;
use lw_ir::{Block, Builder, Value};

/// What becomes of a number in each iteration.
#[derive(Clone, Copy, Debug)]
enum Next {
    /// `x ^ 9`.
    Toggled,
    /// `77 - x`, or `-x`.
    From(i128),
    Negated,
    Shifted(BinOp, i128),
    /// `(x + 5) & 31`.
    Around(i128, i128),
    Turned(i128),
    /// `x + 3 * i`, `x - i`, `x + (7 - i)`.
    Grown(BinOp, i128, bool),
}

/// A number that follows from how many iterations there were.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbered {
    bits: u32,
    first: i128,
    next: Next,
}

impl Numbered {
    pub(super) fn random(rng: &mut Rng) -> Numbered {
        let some = 1 + rng.below(5) as i128;
        let grows = if rng.one_in(2) { BinOp::Add } else { BinOp::Sub };
        let next = match rng.below(7) {
            0 => Next::Toggled,
            1 => Next::From([0, 77][rng.below(2)]),
            2 => Next::Negated,
            3 => Next::Shifted([BinOp::Shl, BinOp::LShr][rng.below(2)], some),
            4 => Next::Around(if rng.one_in(2) { some } else { -some }, [7, 31][rng.below(2)]),
            5 => Next::Turned(some),
            _ => Next::Grown(grows, some, rng.one_in(2)),
        };
        let bits = [8, 16, 32, 64][rng.below(4)];
        Numbered { bits, first: rng.below(100) as i128, next }
    }

    /// What it is in the first iteration.
    pub(super) fn phi(self, b: &mut Builder<'_>, entry: Block) -> Value {
        let ty = Type::int(self.bits);
        let first = b.constant(Constant::int(ty, self.first));
        b.phi(ty, &[(first, entry)])
    }

    /// What it is in the next one.
    pub(super) fn next(self, b: &mut Builder<'_>, x: Value, i: Value) -> Value {
        let ty = b.function.ty(x);
        let binary = |b: &mut Builder<'_>, op: BinOp, y: i128| {
            let y = b.int(ty, y);
            b.binary(op, x, y)
        };
        match self.next {
            Next::Toggled => binary(b, BinOp::Xor, 9),
            Next::From(from) => {
                let from = b.int(ty, from);
                b.binary(BinOp::Sub, from, x)
            }
            Next::Negated => binary(b, BinOp::Mul, -1),
            Next::Shifted(op, by) => binary(b, op, by),
            Next::Around(step, mask) => {
                let far = binary(b, BinOp::Add, step);
                let mask = b.int(ty, mask);
                b.binary(BinOp::And, far, mask)
            }
            Next::Turned(by) => {
                let name = format!("llvm.fshl.i{}", self.bits);
                let (_, signature, callee) = b.declare(&name, ty, &[ty; 3]);
                let by = b.int(ty, by);
                b.call(signature, callee, &[x, x, by]).expect("it is a number")
            }
            Next::Grown(op, times, less) => {
                let i = fit(b, i, ty);
                let (times, seven) = (b.int(ty, times), b.int(ty, 7));
                let by = b.binary(BinOp::Mul, i, times);
                let by = if less { b.binary(BinOp::Sub, seven, by) } else { by };
                b.binary(op, x, by)
            }
        }
    }
}

/// A second condition under which a loop goes on: another counter is below a bound.
#[derive(Clone, Copy, Debug)]
pub(super) struct Second {
    step: i128,
    pred: IntPred,
    bound: i128,
    /// Whether it is only asked where the first one holds.
    asked: bool,
}

impl Second {
    pub(super) fn random(rng: &mut Rng) -> Second {
        let pred = [IntPred::Slt, IntPred::Ult, IntPred::Sle, IntPred::Ne][rng.below(4)];
        let step = if pred == IntPred::Ne { 1 } else { 1 + rng.below(3) as i128 };
        Second { step, pred, bound: 1 + rng.below(40) as i128, asked: rng.one_in(2) }
    }

    pub(super) fn phi(self, b: &mut Builder<'_>, entry: Block) -> Value {
        let none = b.int(Type::I64, 0);
        b.phi(Type::I64, &[(none, entry)])
    }

    pub(super) fn next(self, b: &mut Builder<'_>, j: Value) -> Value {
        let step = b.int(Type::I64, self.step);
        b.binary(BinOp::Add, j, step)
    }

    /// Whether to go on, if the first condition says so.
    pub(super) fn goes_on(self, b: &mut Builder<'_>, first: Value, j: Value) -> Value {
        let bound = b.int(Type::I64, self.bound);
        let second = b.icmp(self.pred, j, bound);
        let no = b.constant(Constant::bool(false));
        if self.asked { b.select(first, second, no) } else { b.binary(BinOp::And, first, second) }
    }
}
