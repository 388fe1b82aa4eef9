//! Conversions.

use super::bytes::Sizes;
use super::error::ErrorKind;
use super::eval_float::breaks;
use super::eval_int::{fits, map1, to_wide, undefined};
use super::memory::{Image, Memory};
use super::soft;
use super::value::{Ptr, Val, is_nan, mask, signed};
use super::wide::Wide;
use crate::flags::Flags;
use crate::ops::CastOp;
use crate::types::{FloatKind, Scalar, Type};

/// A conversion of a value of type `from` to type `to`.
pub(crate) fn cast(
    op: CastOp,
    flags: Flags,
    sizes: Sizes<'_>,
    memory: &Memory,
    from: Type,
    to: Type,
    value: &Val,
) -> Result<Val, ErrorKind> {
    if op == CastOp::BitCast {
        return bitcast(sizes, from, to, value);
    }
    let (Some(source), Some(target)) = (from.scalar(), to.scalar()) else {
        return Err(ErrorKind::Unsupported(format!("`{}` from {from:?} to {to:?}", op.name())));
    };
    let widths = (sizes.layout.scalar_bits(source), sizes.layout.scalar_bits(target));
    map1(from, value, |x| match undefined([x]) {
        Some(undefined) => Ok(undefined),
        None => scalar(op, flags, memory, (source, target), widths, x),
    })
}

fn scalar(
    op: CastOp,
    flags: Flags,
    memory: &Memory,
    (source, target): (Scalar, Scalar),
    (from, to): (u32, u32),
    x: &Val,
) -> Result<Val, ErrorKind> {
    match (op, x) {
        (CastOp::Trunc, Val::Int(v)) => {
            let cut = v & mask(to);
            let unsigned = flags.contains(Flags::NUW) && cut != *v;
            let broken = unsigned || flags.contains(Flags::NSW) && !fits(to, signed(from, *v));
            Ok(if broken { Val::Poison } else { Val::Int(cut) })
        }
        (CastOp::ZExt, Val::Int(v)) if to <= 128 => {
            let negative = flags.contains(Flags::NNEG) && signed(from, *v) < 0;
            Ok(if negative { Val::Poison } else { Val::Int(*v) })
        }
        (CastOp::SExt, Val::Int(v)) if to <= 128 => Ok(Val::int(to, signed(from, *v))),
        (CastOp::Trunc | CastOp::ZExt | CastOp::SExt, _) => {
            let Some(wide) = to_wide(from, x) else { return Err(unsupported(op, x)) };
            let value = wide.resize(to, op == CastOp::SExt);
            let broken = flags.contains(Flags::NNEG) && wide.is_negative()
                || flags.contains(Flags::NUW) && value.resize(from, false) != wide
                || flags.contains(Flags::NSW) && value.resize(from, true) != wide;
            Ok(if broken { Val::Poison } else { Val::from_bits(to, value.bits()) })
        }
        (CastOp::FpTrunc | CastOp::FpExt, Val::Float(kind, v)) => {
            let Scalar::Float(target) = target else { return Err(unsupported(op, x)) };
            let value = Val::Float(target, soft::convert(*kind, target, *v));
            Ok(if breaks(flags, x) || breaks(flags, &value) { Val::Poison } else { value })
        }
        (CastOp::FpToUi | CastOp::FpToSi, Val::Float(kind, v)) => {
            Ok(float_to_int(*kind, *v, to, op == CastOp::FpToSi).unwrap_or(Val::Poison))
        }
        (CastOp::UiToFp | CastOp::SiToFp, _) => {
            let (Some(wide), Scalar::Float(kind)) = (to_wide(from, x), target) else {
                return Err(unsupported(op, x));
            };
            if flags.contains(Flags::NNEG) && wide.is_negative() {
                return Ok(Val::Poison);
            }
            Ok(int_to_float(kind, &wide, op == CastOp::SiToFp))
        }
        (CastOp::PtrToInt | CastOp::PtrToAddr, Val::Ptr(ptr)) => {
            if to > 128 {
                return Ok(Val::from_bits(to, Wide::from_u128(to, ptr.addr.into()).bits()));
            }
            Ok(Val::Int(u128::from(ptr.addr) & mask(from) & mask(to)))
        }
        (CastOp::IntToPtr, _) => {
            let Some(wide) = to_wide(from, x) else { return Err(unsupported(op, x)) };
            let addr = wide.resize(to.min(64), false).to_u128().unwrap_or(0) as u64;
            Ok(Val::Ptr(Ptr { addr, prov: memory.provenance_of(addr) }))
        }
        (CastOp::AddrSpaceCast, Val::Ptr(ptr)) => {
            Ok(Val::Ptr(Ptr { addr: ptr.addr & mask(to) as u64, ..*ptr }))
        }
        _ => Err(ErrorKind::Unsupported(format!(
            "`{}` of {x} from {source:?} to {target:?}",
            op.name()
        ))),
    }
}

fn unsupported(op: CastOp, x: &Val) -> ErrorKind {
    ErrorKind::Unsupported(format!("`{}` of {x}", op.name()))
}

/// The number without its fraction, or `None` if it does not fit.
pub(crate) fn float_to_int(kind: FloatKind, bits: u128, width: u32, by_sign: bool) -> Option<Val> {
    // The magnitude of the smallest number needs all bits of the target; one more makes room for the sign.
    let (negative, magnitude) = soft::to_integer(kind, bits, width)?;
    let magnitude = magnitude.resize(width + 1, false);
    let value = if negative { magnitude.neg() } else { magnitude };
    let cut = value.resize(width, false);
    (cut.resize(width + 1, by_sign) == value).then(|| Val::from_bits(width, cut.bits()))
}

/// The same, but what does not fit becomes the nearest that does, and a NaN zero.
pub(crate) fn float_to_int_saturating(
    kind: FloatKind,
    bits: u128,
    width: u32,
    by_sign: bool,
) -> Val {
    if is_nan(kind, bits) {
        return Val::from_bits(width, Wide::from_u128(width, 0).bits());
    }
    float_to_int(kind, bits, width, by_sign).unwrap_or_else(|| {
        let negative = soft::is_negative(kind, bits);
        let all = Wide::from_u128(width, 0).not();
        let limit = match (by_sign, negative) {
            (false, true) => Wide::from_u128(width, 0),
            (false, false) => all,
            (true, true) => all.lshr(1).not(),
            (true, false) => all.lshr(1),
        };
        Val::from_bits(width, limit.bits())
    })
}

/// The number nearest to an integer.
pub(crate) fn int_to_float(kind: FloatKind, value: &Wide, by_sign: bool) -> Val {
    let negative = by_sign && value.is_negative();
    let magnitude = if negative { value.neg() } else { value.clone() };
    Val::Float(kind, soft::from_integer(kind, negative, &magnitude))
}

/// The same bits as another type.
pub(crate) fn bitcast(
    sizes: Sizes<'_>,
    from: Type,
    to: Type,
    value: &Val,
) -> Result<Val, ErrorKind> {
    match (from, to, value) {
        _ if from == to => return Ok(value.clone()),
        _ if value.has_passive() => return Ok(Val::Passive),
        (_, _, Val::Undef | Val::Poison) => return Ok(value.clone()),
        (_, Type::Scalar(Scalar::Int(_)), Val::Float(_, bits)) => return Ok(Val::Int(*bits)),
        (_, Type::Scalar(Scalar::Float(kind)), Val::Int(bits)) => {
            return Ok(Val::Float(kind, *bits));
        }
        (_, Type::Scalar(Scalar::Ptr(_)), Val::Ptr(_)) => return Ok(value.clone()),
        (_, Type::Vector(Scalar::Ptr(_), _), Val::Ptr(_)) => {
            return Ok(Val::elems([value.clone()]));
        }
        (_, Type::Scalar(Scalar::Ptr(_)), Val::Elems(one)) if one.len() == 1 => {
            return Ok(one[0].clone());
        }
        (_, Type::Vector(Scalar::Ptr(_), _), Val::Elems(_)) => return Ok(value.clone()),
        _ => {}
    }
    let mut image = Image::default();
    sizes.encode(from, value, &mut image)?;
    let needed = sizes.store_size(to)? as usize;
    if image.bytes.len() < needed {
        return Err(ErrorKind::Unsupported(format!("`bitcast` from {from:?} to {to:?}")));
    }
    sizes.decode(to, &image.piece(), 0)
}
