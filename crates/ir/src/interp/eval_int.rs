//! Integer arithmetic and comparisons, with the promises of the flags: what breaks one is poison.

use super::error::ErrorKind;
use super::value::{Val, mask, signed};
use super::wide::Wide;
use crate::flags::Flags;
use crate::ops::{BinOp, IntPred};
use crate::types::Type;
use std::cmp::Ordering;

/// `f` on each lane of a vector, or once on a scalar.
pub(crate) fn map2(
    ty: Type,
    a: &Val,
    b: &Val,
    mut f: impl FnMut(&Val, &Val) -> Result<Val, ErrorKind>,
) -> Result<Val, ErrorKind> {
    match ty.lanes() {
        None => f(a, b),
        Some(lanes) => {
            let all: Result<Vec<Val>, ErrorKind> =
                (0..lanes.count as usize).map(|i| f(a.element(i), b.element(i))).collect();
            Ok(Val::elems(all?))
        }
    }
}

/// `f` on each lane of a vector, or once on a scalar.
pub(crate) fn map1(
    ty: Type,
    a: &Val,
    mut f: impl FnMut(&Val) -> Result<Val, ErrorKind>,
) -> Result<Val, ErrorKind> {
    map2(ty, a, a, |x, _| f(x))
}

/// What an operation yields if an operand is undefined and nothing else decides: poison before ⊤ before undef.
pub(crate) fn undefined<'a>(operands: impl IntoIterator<Item = &'a Val>) -> Option<Val> {
    let mut found = None;
    for operand in operands {
        match operand {
            Val::Poison => return Some(Val::Poison),
            Val::Passive => found = Some(Val::Passive),
            Val::Undef if found.is_none() => found = Some(Val::Undef),
            _ => {}
        }
    }
    found
}

/// The error for an undefined value that decides about an effect.
pub(crate) fn undefined_use(value: &Val, what: &'static str) -> ErrorKind {
    if value.has_passive() { ErrorKind::PassiveUse(what) } else { ErrorKind::UndefinedUse(what) }
}

/// The value of an integer operand of any width.
pub(crate) fn to_wide(width: u32, value: &Val) -> Option<Wide> {
    match value {
        Val::Int(word) => Some(Wide::from_u128(width, *word)),
        Val::Big(bits) => Some(Wide::new(width, bits.words())),
        Val::Ptr(ptr) => Some(Wide::from_u128(width, ptr.addr.into())),
        _ => None,
    }
}

/// Whether `value` is what it becomes when cut to `width` bits and sign-extended.
pub(crate) fn fits(width: u32, value: i128) -> bool {
    signed(width, value as u128) == value
}

/// A binary operator on integers of `width` bits.
pub(crate) fn binary(
    op: BinOp,
    flags: Flags,
    width: u32,
    a: &Val,
    b: &Val,
) -> Result<Val, ErrorKind> {
    if op.may_trap() {
        match b {
            Val::Int(0) => return Err(ErrorKind::DivisionByZero),
            Val::Big(bits) if bits.is_zero() => return Err(ErrorKind::DivisionByZero),
            b if b.is_undefined() => return Err(undefined_use(b, "the divisor")),
            _ => {}
        }
    }
    match (a, b) {
        (Val::Int(x), Val::Int(y)) => small(op, flags, width, *x, *y),
        _ => {
            if let Some(decided) = absorbed(op, width, a, b).or_else(|| undefined([a, b])) {
                return Ok(decided);
            }
            match (to_wide(width, a), to_wide(width, b)) {
                (Some(x), Some(y)) => large(op, flags, &x, &y),
                _ => Err(ErrorKind::Unsupported(format!("`{}` of {a} and {b}", op.name()))),
            }
        }
    }
}

/// The result where one operand decides alone, whatever ⊤ or undef the other is.
fn absorbed(op: BinOp, width: u32, a: &Val, b: &Val) -> Option<Val> {
    let absorbing = match op {
        BinOp::And | BinOp::Mul => 0,
        BinOp::Or => mask(width),
        _ => return None,
    };
    let decides = |x: &Val, y: &Val| {
        width <= 128 && *x == Val::Int(absorbing) && matches!(y, Val::Undef | Val::Passive)
    };
    (decides(a, b) || decides(b, a)).then_some(Val::Int(absorbing))
}

fn small(op: BinOp, flags: Flags, width: u32, x: u128, y: u128) -> Result<Val, ErrorKind> {
    let all = mask(width);
    let (sx, sy) = (signed(width, x), signed(width, y));
    let wraps = |unsigned: Option<u128>, exact: Option<i128>| {
        flags.contains(Flags::NUW) && unsigned.is_none_or(|r| r > all)
            || flags.contains(Flags::NSW) && exact.is_none_or(|r| !fits(width, r))
    };
    let (value, broken) = match op {
        BinOp::Add => (x.wrapping_add(y), wraps(x.checked_add(y), sx.checked_add(sy))),
        BinOp::Sub => (x.wrapping_sub(y), wraps(x.checked_sub(y), sx.checked_sub(sy))),
        BinOp::Mul => {
            let checked = flags.contains(Flags::NUW) || flags.contains(Flags::NSW);
            (x.wrapping_mul(y), checked && wraps(x.checked_mul(y), sx.checked_mul(sy)))
        }
        BinOp::UDiv => (x / y, flags.contains(Flags::EXACT) && !x.is_multiple_of(y)),
        BinOp::URem => (x % y, false),
        BinOp::SDiv | BinOp::SRem => {
            if sy == -1 && x == 1 << (width - 1) {
                return Err(ErrorKind::DivisionOverflow);
            }
            let rest = sx.wrapping_rem(sy);
            match op {
                BinOp::SDiv => {
                    (sx.wrapping_div(sy) as u128, flags.contains(Flags::EXACT) && rest != 0)
                }
                _ => (rest as u128, false),
            }
        }
        BinOp::Shl | BinOp::LShr | BinOp::AShr if y >= width.into() => return Ok(Val::Poison),
        BinOp::Shl => {
            let value = x << y & all;
            let unsigned = flags.contains(Flags::NUW) && value >> y != x;
            (value, unsigned || flags.contains(Flags::NSW) && signed(width, value) >> y != sx)
        }
        BinOp::LShr => (x >> y, flags.contains(Flags::EXACT) && x & mask(y as u32) != 0),
        BinOp::AShr => ((sx >> y) as u128, flags.contains(Flags::EXACT) && x & mask(y as u32) != 0),
        BinOp::And => (x & y, false),
        BinOp::Or => (x | y, flags.contains(Flags::DISJOINT) && x & y != 0),
        BinOp::Xor => (x ^ y, false),
        _ => return Err(ErrorKind::Unsupported(format!("`{}` on integers", op.name()))),
    };
    Ok(if broken { Val::Poison } else { Val::Int(value & all) })
}

fn large(op: BinOp, flags: Flags, x: &Wide, y: &Wide) -> Result<Val, ErrorKind> {
    let width = x.width;
    // With twice the width nothing overflows; the flags ask whether the cut result is still the same.
    let exact = |signed: bool, f: fn(&Wide, &Wide) -> Wide| {
        let full = f(&x.resize(2 * width, signed), &y.resize(2 * width, signed));
        full.resize(width, false).resize(2 * width, signed) == full
    };
    let kept = |f: fn(&Wide, &Wide) -> Wide| {
        (!flags.contains(Flags::NUW) || exact(false, f))
            && (!flags.contains(Flags::NSW) || exact(true, f))
    };
    let amount = y.to_u128().and_then(|y| u32::try_from(y).ok()).filter(|&y| y < width);
    let (value, good) = match op {
        BinOp::Add => (x.add(y), kept(Wide::add)),
        BinOp::Sub => (x.sub(y), kept(Wide::sub)),
        BinOp::Mul => (x.mul(y), kept(Wide::mul)),
        BinOp::UDiv => {
            let (quotient, rest) = x.div_rem(y);
            (quotient, !flags.contains(Flags::EXACT) || rest.is_zero())
        }
        BinOp::URem => (x.div_rem(y).1, true),
        BinOp::SDiv | BinOp::SRem => {
            let (quotient, rest) = x.abs().div_rem(&y.abs());
            if x.is_negative() && x.neg() == *x && y.not().is_zero() {
                return Err(ErrorKind::DivisionOverflow);
            }
            if op == BinOp::SRem {
                (if x.is_negative() { rest.neg() } else { rest }, true)
            } else {
                let negative = x.is_negative() != y.is_negative();
                let quotient = if negative { quotient.neg() } else { quotient };
                (quotient, !flags.contains(Flags::EXACT) || rest.is_zero())
            }
        }
        BinOp::Shl | BinOp::LShr | BinOp::AShr => {
            let Some(by) = amount else { return Ok(Val::Poison) };
            match op {
                BinOp::Shl => {
                    let value = x.shl(by);
                    let good = (!flags.contains(Flags::NUW) || value.lshr(by) == *x)
                        && (!flags.contains(Flags::NSW) || value.ashr(by) == *x);
                    (value, good)
                }
                _ => {
                    let value = if op == BinOp::LShr { x.lshr(by) } else { x.ashr(by) };
                    let good = !flags.contains(Flags::EXACT) || value.shl(by) == *x;
                    (value, good)
                }
            }
        }
        BinOp::And => (x.zip(y, |a, b| a & b), true),
        BinOp::Or => {
            let good = !flags.contains(Flags::DISJOINT) || x.zip(y, |a, b| a & b).is_zero();
            (x.zip(y, |a, b| a | b), good)
        }
        BinOp::Xor => (x.zip(y, |a, b| a ^ b), true),
        _ => return Err(ErrorKind::Unsupported(format!("`{}` on integers", op.name()))),
    };
    Ok(if good { Val::from_bits(width, value.bits()) } else { Val::Poison })
}

/// A comparison of integers of `width` bits, or of pointers.
pub(crate) fn icmp(
    pred: IntPred,
    flags: Flags,
    width: u32,
    a: &Val,
    b: &Val,
) -> Result<Val, ErrorKind> {
    let (unsigned, by_sign, same_sign) = match (a, b) {
        (Val::Int(x), Val::Int(y)) => {
            let (sx, sy) = (signed(width, *x), signed(width, *y));
            (x.cmp(y), sx.cmp(&sy), (sx < 0) == (sy < 0))
        }
        (Val::Ptr(x), Val::Ptr(y)) => {
            let (sx, sy) = (x.addr as i64, y.addr as i64);
            (x.addr.cmp(&y.addr), sx.cmp(&sy), (sx < 0) == (sy < 0))
        }
        _ => {
            if let Some(undefined) = undefined([a, b]) {
                return Ok(undefined);
            }
            let (Some(x), Some(y)) = (to_wide(width, a), to_wide(width, b)) else {
                return Err(ErrorKind::Unsupported(format!("`icmp` of {a} and {b}")));
            };
            (x.cmp_unsigned(&y), x.cmp_signed(&y), x.is_negative() == y.is_negative())
        }
    };
    if flags.contains(Flags::SAMESIGN) && !same_sign {
        return Ok(Val::Poison);
    }
    Ok(Val::bool(holds(pred, unsigned, by_sign)))
}

fn holds(pred: IntPred, unsigned: Ordering, by_sign: Ordering) -> bool {
    match pred {
        IntPred::Eq => unsigned.is_eq(),
        IntPred::Ne => unsigned.is_ne(),
        IntPred::Ugt => unsigned.is_gt(),
        IntPred::Uge => unsigned.is_ge(),
        IntPred::Ult => unsigned.is_lt(),
        IntPred::Ule => unsigned.is_le(),
        IntPred::Sgt => by_sign.is_gt(),
        IntPred::Sge => by_sign.is_ge(),
        IntPred::Slt => by_sign.is_lt(),
        IntPred::Sle => by_sign.is_le(),
    }
}
