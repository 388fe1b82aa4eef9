//! Ways to count iterations: up or down, in steps of several, up to a bound or past it, tested first or last.

use lw_ir::generate::Rng;
use lw_ir::ops::{BinOp, IntPred};
use lw_ir::types::Type;
use lw_ir::{Builder, Value};

/// How a loop counts through the numbers from a first one to below a bound.
pub(super) struct Counting {
    /// Whether the test comes before the iteration. Else a test before the loop sees whether there is a number at all.
    pub(super) at_top: bool,
    down: bool,
    step: i128,
    pred: IntPred,
    /// Whether the step is made in two: too far, and back.
    in_two: bool,
    /// Whether the step is a number that is computed before the loop.
    computed: bool,
    /// Whether the bound comes nearer in each iteration.
    pub(super) meets: bool,
    /// So much more than the number is compared, with so much more than the bound.
    more: i128,
}

impl Counting {
    pub(super) fn random(rng: &mut Rng) -> Counting {
        let (at_top, down, in_two) = (rng.one_in(2), rng.one_in(3), rng.one_in(3));
        let mut step = 1 + rng.below(3) as i128;
        // What holds of numbers that are not there: all but the signed comparisons need a test before the loop.
        let preds: &[IntPred] = match (down, at_top) {
            (false, true) => &[IntPred::Slt, IntPred::Sle, IntPred::Ult],
            (false, false) => {
                &[IntPred::Slt, IntPred::Sle, IntPred::Ult, IntPred::Ule, IntPred::Ne]
            }
            (true, true) => &[IntPred::Sgt, IntPred::Sge],
            (true, false) => &[IntPred::Sgt, IntPred::Sge, IntPred::Ne],
        };
        let pred = preds[rng.below(preds.len())];
        if pred == IntPred::Ne {
            // It must not miss the end.
            step = 1;
        }
        // What is below zero must not be compared without its sign.
        let meets = rng.one_in(6) && !matches!(pred, IntPred::Ne | IntPred::Ule);
        let more = if rng.one_in(4) { 1 + rng.below(3) as i128 } else { 0 };
        Counting { at_top, down, step, pred, in_two, computed: rng.one_in(4), meets, more }
    }

    /// The number of the first iteration, and what the test compares with.
    pub(super) fn ends(&self, b: &mut Builder<'_>, first: Value, bound: Value) -> (Value, Value) {
        let one = b.int(Type::I64, 1);
        let with_equality = matches!(self.pred, IntPred::Sle | IntPred::Ule | IntPred::Sge);
        match (self.down, with_equality) {
            (false, false) => (first, bound),
            (false, true) => (first, b.binary(BinOp::Sub, bound, one)),
            (true, true) => (b.binary(BinOp::Sub, bound, one), first),
            (true, false) => (b.binary(BinOp::Sub, bound, one), b.binary(BinOp::Sub, first, one)),
        }
    }

    /// The step, if it is computed before the loop.
    pub(super) fn step(&self, b: &mut Builder<'_>, bound: Value) -> Option<Value> {
        let (none, step) = (b.int(Type::I64, 0), b.int(Type::I64, self.step));
        self.computed.then(|| {
            let none = b.binary(BinOp::And, bound, none);
            b.binary(BinOp::Or, none, step)
        })
    }

    /// The number of the next iteration.
    pub(super) fn next(&self, b: &mut Builder<'_>, i: Value, by: Option<Value>) -> Value {
        if let Some(by) = by {
            return b.binary(if self.down { BinOp::Sub } else { BinOp::Add }, i, by);
        }
        let step = if self.down { -self.step } else { self.step };
        let (too_far, back) = if self.in_two { (step + 5, 5) } else { (step, 0) };
        let by = b.int(Type::I64, too_far);
        let next = b.binary(BinOp::Add, i, by);
        match back {
            0 => next,
            _ => {
                let back = b.int(Type::I64, back);
                b.binary(BinOp::Sub, next, back)
            }
        }
    }

    /// The bound of the next iteration, if it comes nearer.
    pub(super) fn nearer(&self, b: &mut Builder<'_>, limit: Value) -> Value {
        let one = b.int(Type::I64, 1);
        b.binary(if self.down { BinOp::Add } else { BinOp::Sub }, limit, one)
    }

    /// Whether to go on.
    pub(super) fn goes_on(&self, b: &mut Builder<'_>, tested: Value, limit: Value) -> Value {
        if self.more == 0 {
            return b.icmp(self.pred, tested, limit);
        }
        let more = b.int(Type::I64, self.more);
        let (tested, limit) =
            (b.binary(BinOp::Add, tested, more), b.binary(BinOp::Add, limit, more));
        b.icmp(self.pred, tested, limit)
    }
}
