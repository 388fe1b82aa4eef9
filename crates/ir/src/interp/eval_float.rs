//! Floating-point arithmetic and comparisons, with the promises of the fast-math flags.

use super::error::ErrorKind;
use super::eval_int::undefined;
use super::soft;
use super::value::{Val, is_infinite, is_nan};
use crate::flags::Flags;
use crate::ops::{BinOp, FloatPred};
use crate::types::FloatKind;

/// Flags that leave the compiler a choice, so that another execution may yield another number.
pub(crate) const LOOSE: Flags = Flags::from_bits(
    Flags::REASSOC.bits()
        | Flags::NSZ.bits()
        | Flags::ARCP.bits()
        | Flags::CONTRACT.bits()
        | Flags::AFN.bits(),
);

/// Whether a number breaks `nnan` or `ninf`.
pub(crate) fn breaks(flags: Flags, value: &Val) -> bool {
    match value {
        Val::Float(kind, bits) => {
            flags.contains(Flags::NNAN) && is_nan(*kind, *bits)
                || flags.contains(Flags::NINF) && is_infinite(*kind, *bits)
        }
        Val::Elems(elements) => elements.iter().any(|element| breaks(flags, element)),
        _ => false,
    }
}

/// `value`, or poison (lane by lane) where it breaks the flags.
pub(crate) fn promised(flags: Flags, value: Val) -> Val {
    if !flags.contains(Flags::NNAN) && !flags.contains(Flags::NINF) || !breaks(flags, &value) {
        return value;
    }
    match &value {
        Val::Elems(elements) => {
            Val::elems(elements.iter().map(|element| promised(flags, element.clone())))
        }
        _ => Val::Poison,
    }
}

fn bits_of(value: &Val) -> Result<u128, ErrorKind> {
    match value {
        Val::Float(_, bits) => Ok(*bits),
        other => Err(ErrorKind::Unsupported(format!("floating-point arithmetic on {other}"))),
    }
}

/// A binary operator on floats.
pub(crate) fn binary(
    op: BinOp,
    flags: Flags,
    kind: FloatKind,
    a: &Val,
    b: &Val,
) -> Result<Val, ErrorKind> {
    if let Some(undefined) = undefined([a, b]) {
        return Ok(undefined);
    }
    let value = Val::Float(kind, soft::arith(kind, op, bits_of(a)?, bits_of(b)?));
    let broken = !flags.is_empty() && [a, b, &value].into_iter().any(|v| breaks(flags, v));
    Ok(if broken { Val::Poison } else { value })
}

/// Negation: only the sign bit changes.
pub(crate) fn negate(flags: Flags, a: &Val) -> Result<Val, ErrorKind> {
    match a {
        Val::Float(_, _) if breaks(flags, a) => Ok(Val::Poison),
        Val::Float(kind, bits) => Ok(Val::Float(*kind, soft::negate(*kind, *bits))),
        other => {
            undefined([other]).ok_or_else(|| ErrorKind::Unsupported(format!("`fneg` of {other}")))
        }
    }
}

/// A comparison of floats.
pub(crate) fn fcmp(pred: FloatPred, flags: Flags, a: &Val, b: &Val) -> Result<Val, ErrorKind> {
    let (Val::Float(kind, x), Val::Float(_, y)) = (a, b) else {
        return undefined([a, b])
            .ok_or_else(|| ErrorKind::Unsupported(format!("`fcmp` of {a} and {b}")));
    };
    if breaks(flags, a) || breaks(flags, b) {
        return Ok(Val::Poison);
    }
    let order = soft::compare(*kind, *x, *y);
    let unordered = order.is_none();
    let is = |f: fn(std::cmp::Ordering) -> bool| order.is_some_and(f);
    Ok(Val::bool(match pred {
        FloatPred::False => false,
        FloatPred::Oeq => is(|o| o.is_eq()),
        FloatPred::Ogt => is(|o| o.is_gt()),
        FloatPred::Oge => is(|o| o.is_ge()),
        FloatPred::Olt => is(|o| o.is_lt()),
        FloatPred::Ole => is(|o| o.is_le()),
        FloatPred::One => is(|o| o.is_ne()),
        FloatPred::Ord => !unordered,
        FloatPred::Uno => unordered,
        FloatPred::Ueq => unordered || is(|o| o.is_eq()),
        FloatPred::Ugt => unordered || is(|o| o.is_gt()),
        FloatPred::Uge => unordered || is(|o| o.is_ge()),
        FloatPred::Ult => unordered || is(|o| o.is_lt()),
        FloatPred::Ule => unordered || is(|o| o.is_le()),
        FloatPred::Une => unordered || is(|o| o.is_ne()),
        FloatPred::True => true,
    }))
}
