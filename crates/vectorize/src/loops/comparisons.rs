//! How the best so far is compared with something new.

use super::recurrences::{Better, Compare, HeaderPhi};
use lw_ir::ops::{FloatPred, IntPred};
use lw_ir::{Flags, Function, Inst, Op, Value};
use lw_sparse::registers::{negate, swap};

/// A comparison of a root with something new.
pub(super) struct Comparison {
    pub(super) inst: Inst,
    /// The best so far.
    pub(super) old: Value,
    pub(super) new: Value,
    /// With the new value on the left.
    pub(super) pred: Compare,
}

/// The comparisons of a root.
pub(super) fn comparisons<'a>(
    f: &'a Function,
    root: &'a HeaderPhi,
) -> impl Iterator<Item = Comparison> + 'a {
    root.web.compares.iter().filter_map(|&inst| {
        let (old, new) = (root.web.own(f, inst)?, root.web.other(f, inst)?);
        let pred = compared_with(f, inst, new)?;
        Some(Comparison { inst, old, new, pred })
    })
}

/// A comparison, with the new value on the left.
pub(super) fn compared_with(f: &Function, inst: Inst, new: Value) -> Option<Compare> {
    let pred = match f[inst].op {
        Op::ICmp(pred) => Compare::Int(pred),
        Op::FCmp(pred) => Compare::Float(pred),
        _ => return None,
    };
    Some(if f[inst].args[0] == new { pred } else { mirrored(pred) })
}

/// When a comparison finds something better.
pub(super) fn strictly(pred: Compare) -> Option<Better> {
    use Compare::{Float, Int};
    let (strict, or_equal) = match pred {
        Int(p @ (IntPred::Slt | IntPred::Sgt | IntPred::Ult | IntPred::Ugt)) => (Int(p), false),
        Int(IntPred::Sle) => (Int(IntPred::Slt), true),
        Int(IntPred::Sge) => (Int(IntPred::Sgt), true),
        Int(IntPred::Ule) => (Int(IntPred::Ult), true),
        Int(IntPred::Uge) => (Int(IntPred::Ugt), true),
        Float(p @ (FloatPred::Olt | FloatPred::Ogt)) => (Float(p), false),
        Float(FloatPred::Ole) => (Float(FloatPred::Olt), true),
        Float(FloatPred::Oge) => (Float(FloatPred::Ogt), true),
        _ => return None,
    };
    Some(Better { strict, or_equal })
}

/// The comparison with its operands exchanged.
fn mirrored(pred: Compare) -> Compare {
    use Compare::{Float, Int};
    match pred {
        Int(pred) => Int(swap(pred)),
        Float(FloatPred::Olt) => Float(FloatPred::Ogt),
        Float(FloatPred::Ogt) => Float(FloatPred::Olt),
        Float(FloatPred::Ole) => Float(FloatPred::Oge),
        Float(FloatPred::Oge) => Float(FloatPred::Ole),
        Float(FloatPred::Ult) => Float(FloatPred::Ugt),
        Float(FloatPred::Ugt) => Float(FloatPred::Ult),
        Float(FloatPred::Ule) => Float(FloatPred::Uge),
        Float(FloatPred::Uge) => Float(FloatPred::Ule),
        same => same,
    }
}

/// The comparison of what are numbers, if there is nothing else.
pub(super) fn ordered(pred: Compare, flags: Flags) -> Compare {
    use Compare::Float;
    match pred {
        _ if !flags.contains(Flags::NNAN) => pred,
        Float(FloatPred::Ult) => Float(FloatPred::Olt),
        Float(FloatPred::Ugt) => Float(FloatPred::Ogt),
        Float(FloatPred::Ule) => Float(FloatPred::Ole),
        Float(FloatPred::Uge) => Float(FloatPred::Oge),
        _ => pred,
    }
}

/// When the comparison does not hold. That of floats holds for what is no number unless there is none.
pub(super) fn negated(pred: Compare, flags: Flags) -> Option<Compare> {
    use Compare::{Float, Int};
    let numbers = flags.contains(Flags::NNAN);
    Some(match pred {
        Int(pred) => Int(negate(pred)),
        Float(FloatPred::Ult) => Float(FloatPred::Oge),
        Float(FloatPred::Ugt) => Float(FloatPred::Ole),
        Float(FloatPred::Ule) => Float(FloatPred::Ogt),
        Float(FloatPred::Uge) => Float(FloatPred::Olt),
        Float(FloatPred::Olt) if numbers => Float(FloatPred::Oge),
        Float(FloatPred::Ogt) if numbers => Float(FloatPred::Ole),
        Float(FloatPred::Ole) if numbers => Float(FloatPred::Ogt),
        Float(FloatPred::Oge) if numbers => Float(FloatPred::Olt),
        _ => return None,
    })
}
