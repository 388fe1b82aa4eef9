//! Integer arithmetic on single values of up to 128 bits, as the interpreter of the IR has it.

use lw_ir::Flags;
use lw_ir::ops::{BinOp, CastOp, IntPred};

/// The bits below `bits`.
pub fn mask(bits: u32) -> u128 {
    if bits >= 128 { u128::MAX } else { (1 << bits) - 1 }
}

/// `value` of so many bits, sign-extended.
pub fn signed(bits: u32, value: u128) -> i128 {
    if bits == 0 || bits >= 128 {
        return value as i128;
    }
    let shift = 128 - bits;
    (value << shift) as i128 >> shift
}

/// The result of an operation; `None` if it is undefined behaviour or poison.
pub fn binary(op: BinOp, flags: Flags, bits: u32, x: u128, y: u128) -> Option<u128> {
    let all = mask(bits);
    let (sx, sy) = (signed(bits, x), signed(bits, y));
    let fits = |r: Option<i128>| r.is_some_and(|r| signed(bits, r as u128) == r);
    let kept = |u: Option<u128>, s: Option<i128>| {
        (!flags.contains(Flags::NUW) || u.is_some_and(|r| r <= all))
            && (!flags.contains(Flags::NSW) || fits(s))
    };
    let exact = flags.contains(Flags::EXACT);
    let shift = u32::try_from(y).ok().filter(|&y| y < bits);
    let (value, good) = match op {
        BinOp::Add => (x.wrapping_add(y), kept(x.checked_add(y), sx.checked_add(sy))),
        BinOp::Sub => (x.wrapping_sub(y), kept(x.checked_sub(y), sx.checked_sub(sy))),
        BinOp::Mul => (x.wrapping_mul(y), kept(x.checked_mul(y), sx.checked_mul(sy))),
        BinOp::UDiv => (x.checked_div(y)?, !exact || x.is_multiple_of(y)),
        BinOp::URem => (x.checked_rem(y)?, true),
        BinOp::SDiv | BinOp::SRem => {
            let quotient = sx.checked_div(sy).filter(|&q| fits(Some(q)))?;
            let rest = sx.checked_rem(sy)?;
            match op {
                BinOp::SDiv => (quotient as u128, !exact || rest == 0),
                _ => (rest as u128, true),
            }
        }
        BinOp::Shl => {
            let by = shift?;
            let value = x << by & all;
            let unsigned = !flags.contains(Flags::NUW) || value >> by == x;
            let by_sign = !flags.contains(Flags::NSW) || signed(bits, value) >> by == sx;
            (value, unsigned && by_sign)
        }
        BinOp::LShr => (x >> shift?, !exact || x & mask(shift?) == 0),
        BinOp::AShr => ((sx >> shift?) as u128, !exact || x & mask(shift?) == 0),
        BinOp::And => (x & y, true),
        BinOp::Or => (x | y, !flags.contains(Flags::DISJOINT) || x & y == 0),
        BinOp::Xor => (x ^ y, true),
        _ => return None,
    };
    good.then_some(value & all)
}

/// The result of a conversion; `None` if it is poison.
pub fn cast(op: CastOp, flags: Flags, from: u32, to: u32, x: u128) -> Option<u128> {
    let negative = signed(from, x) < 0;
    match op {
        CastOp::Trunc => {
            let value = x & mask(to);
            let good = (!flags.contains(Flags::NUW) || value == x)
                && (!flags.contains(Flags::NSW) || signed(to, value) == signed(from, x));
            good.then_some(value)
        }
        CastOp::ZExt => (!(flags.contains(Flags::NNEG) && negative)).then_some(x),
        CastOp::SExt => Some(signed(from, x) as u128 & mask(to)),
        _ => None,
    }
}

/// Whether a comparison holds.
pub fn compare(pred: IntPred, bits: u32, x: u128, y: u128) -> bool {
    let (sx, sy) = (signed(bits, x), signed(bits, y));
    match pred {
        IntPred::Eq => x == y,
        IntPred::Ne => x != y,
        IntPred::Ugt => x > y,
        IntPred::Uge => x >= y,
        IntPred::Ult => x < y,
        IntPred::Ule => x <= y,
        IntPred::Sgt => sx > sy,
        IntPred::Sge => sx >= sy,
        IntPred::Slt => sx < sy,
        IntPred::Sle => sx <= sy,
    }
}
