//! Integer intrinsics, lane by lane.

use super::{HostCall, HostFn};
use crate::flags::Flags;
use crate::interp::error::ErrorKind;
use crate::interp::eval_cast::float_to_int_saturating;
use crate::interp::eval_int::{binary, icmp, to_wide, undefined};
use crate::interp::value::{Val, mask, signed};
use crate::interp::wide::Wide;
use crate::ops::{BinOp, IntPred};
use std::sync::Arc;

pub(super) fn find(base: &str) -> Option<Arc<HostFn>> {
    let pick = |pred: IntPred| -> Option<Arc<HostFn>> {
        Some(Arc::new(move |call| {
            let width = width(call, 0)?;
            call.lanes(|args| {
                let first = icmp(pred, Flags::NONE, width, args[0], args[1])? == Val::bool(true);
                Ok(args[usize::from(!first)].clone())
            })
        }))
    };
    let word = |f: fn(u32, u128, u128) -> Val| -> Option<Arc<HostFn>> {
        Some(Arc::new(move |call| {
            let width = width(call, 0)?;
            if width > 128 {
                return Err(call.unsupported());
            }
            let word = |value: Option<&&Val>| value.and_then(|v| v.as_u128()).unwrap_or(0);
            call.lanes(|args| Ok(f(width, word(args.first()), word(args.get(1)))))
        }))
    };
    let shift =
        |left: bool| -> Option<Arc<HostFn>> { Some(Arc::new(move |call| funnel(call, left))) };
    let overflow = |op: BinOp, flag: Flags| -> Option<Arc<HostFn>> {
        Some(Arc::new(move |call| with_overflow(call, op, flag)))
    };
    let sat = |op: BinOp, flag: Flags| -> Option<Arc<HostFn>> {
        Some(Arc::new(move |call| saturating(call, op, flag)))
    };
    let compare = |less: IntPred, more: IntPred| -> Option<Arc<HostFn>> {
        Some(Arc::new(move |call| {
            let (from, to) = (width(call, 0)?, call.ret.int_bits().unwrap_or(2));
            call.lanes(|args| {
                let is =
                    |pred| Ok(icmp(pred, Flags::NONE, from, args[0], args[1])? == Val::bool(true));
                Ok(Val::int(to, if is(less)? { -1 } else { i128::from(is(more)?) }))
            })
        }))
    };
    let fp_to_int = |by_sign: bool| -> Option<Arc<HostFn>> {
        Some(Arc::new(move |call| {
            let to = call.ret.int_bits().ok_or_else(|| call.unsupported())?;
            call.lanes(|args| match args[0] {
                Val::Float(kind, bits) => Ok(float_to_int_saturating(*kind, *bits, to, by_sign)),
                _ => Ok(Val::Poison),
            })
        }))
    };
    match base {
        "smin" => pick(IntPred::Slt),
        "smax" => pick(IntPred::Sgt),
        "umin" => pick(IntPred::Ult),
        "umax" => pick(IntPred::Ugt),
        "scmp" => compare(IntPred::Slt, IntPred::Sgt),
        "ucmp" => compare(IntPred::Ult, IntPred::Ugt),
        "abs" => Some(Arc::new(abs)),
        "ctpop" => word(|width, x, _| Val::int(width, x.count_ones().into())),
        "ctlz" => word(|width, x, zero_is_poison| match x {
            0 if zero_is_poison == 1 => Val::Poison,
            _ => Val::int(width, (x.leading_zeros() + width - 128).into()),
        }),
        "cttz" => word(|width, x, zero_is_poison| match x {
            0 if zero_is_poison == 1 => Val::Poison,
            _ => Val::int(width, x.trailing_zeros().min(width).into()),
        }),
        "bswap" => word(|width, x, _| Val::Int(x.swap_bytes() >> (128 - width))),
        "bitreverse" => word(|width, x, _| Val::Int(x.reverse_bits() >> (128 - width))),
        "fshl" => shift(true),
        "fshr" => shift(false),
        "sadd.with.overflow" => overflow(BinOp::Add, Flags::NSW),
        "uadd.with.overflow" => overflow(BinOp::Add, Flags::NUW),
        "ssub.with.overflow" => overflow(BinOp::Sub, Flags::NSW),
        "usub.with.overflow" => overflow(BinOp::Sub, Flags::NUW),
        "smul.with.overflow" => overflow(BinOp::Mul, Flags::NSW),
        "umul.with.overflow" => overflow(BinOp::Mul, Flags::NUW),
        "sadd.sat" => sat(BinOp::Add, Flags::NSW),
        "uadd.sat" => sat(BinOp::Add, Flags::NUW),
        "ssub.sat" => sat(BinOp::Sub, Flags::NSW),
        "usub.sat" => sat(BinOp::Sub, Flags::NUW),
        "sshl.sat" => sat(BinOp::Shl, Flags::NSW),
        "ushl.sat" => sat(BinOp::Shl, Flags::NUW),
        "fptosi.sat" => fp_to_int(true),
        "fptoui.sat" => fp_to_int(false),
        _ => None,
    }
}

/// The width of the integers in an argument.
fn width(call: &HostCall<'_>, index: usize) -> Result<u32, ErrorKind> {
    call.types.get(index).and_then(|ty| ty.int_bits()).ok_or_else(|| call.unsupported())
}

fn abs(call: &mut HostCall<'_>) -> Result<Val, ErrorKind> {
    let width = width(call, 0)?;
    call.lanes(|args| {
        let x =
            to_wide(width, args[0]).ok_or(ErrorKind::UndefinedUse("an argument of llvm.abs"))?;
        let smallest = x.is_negative() && x.neg() == x;
        match args.get(1) {
            Some(Val::Int(1)) if smallest => Ok(Val::Poison),
            _ => Ok(Val::from_bits(width, x.abs().bits())),
        }
    })
}

/// `fshl` and `fshr`: the upper or lower half of the shifted pair.
fn funnel(call: &mut HostCall<'_>, left: bool) -> Result<Val, ErrorKind> {
    let width = width(call, 0)?;
    call.lanes(|args| {
        let wide = |i: usize| {
            to_wide(width, args[i]).ok_or(ErrorKind::UndefinedUse("an argument of a funnel shift"))
        };
        let (_, by) = wide(2)?.div_rem(&Wide::from_u128(width, width.into()));
        let by = by.to_u128().unwrap_or(0) as u32;
        let pair = wide(0)?
            .resize(2 * width, false)
            .shl(width)
            .zip(&wide(1)?.resize(2 * width, false), |a, b| a | b);
        let shifted = if left { pair.shl(by).lshr(width) } else { pair.lshr(by) };
        Ok(Val::from_bits(width, shifted.resize(width, false).bits()))
    })
}

/// The result and whether it wrapped: the operation breaks its promise exactly if it does.
fn with_overflow(call: &mut HostCall<'_>, op: BinOp, flag: Flags) -> Result<Val, ErrorKind> {
    let width = width(call, 0)?;
    let ty = call.types[0];
    let lanes = ty.lanes().map_or(1, |lanes| lanes.count as usize);
    let (mut values, mut flags) = (Vec::new(), Vec::new());
    for i in 0..lanes {
        let (a, b) = (call.arg(0)?.element(i), call.arg(1)?.element(i));
        if let Some(undefined) = undefined([a, b]) {
            values.push(undefined.clone());
            flags.push(undefined);
            continue;
        }
        values.push(binary(op, Flags::NONE, width, a, b)?);
        flags.push(Val::bool(binary(op, flag, width, a, b)? == Val::Poison));
    }
    match ty.lanes() {
        None => Ok(Val::elems([values.remove(0), flags.remove(0)])),
        Some(_) => Ok(Val::elems([Val::elems(values), Val::elems(flags)])),
    }
}

/// The result, or the nearest limit if it would wrap.
fn saturating(call: &mut HostCall<'_>, op: BinOp, flag: Flags) -> Result<Val, ErrorKind> {
    let width = width(call, 0)?;
    if width > 128 {
        return Err(call.unsupported());
    }
    call.lanes(|args| {
        if binary(op, Flags::NONE, width, args[0], args[1])? == Val::Poison {
            return Ok(Val::Poison);
        }
        let value = binary(op, flag, width, args[0], args[1])?;
        if value != Val::Poison {
            return Ok(value);
        }
        let negative = signed(width, args[0].as_u128().unwrap_or(0)) < 0;
        Ok(Val::Int(match (flag == Flags::NSW, op) {
            (false, BinOp::Sub) => 0,
            (false, _) => mask(width),
            (true, _) if negative => 1 << (width - 1),
            (true, _) => mask(width - 1),
        }))
    })
}
