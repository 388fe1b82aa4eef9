//! Floating-point intrinsics that every format has, lane by lane.

use super::{HostCall, HostFn};
use crate::interp::error::ErrorKind;
use crate::interp::eval_cast::float_to_int;
use crate::interp::eval_float::breaks;
use crate::interp::eval_int::undefined;
use crate::interp::eval_mem::is_loose;
use crate::interp::soft;
use crate::interp::value::{Val, canonical_nan, is_infinite, is_nan};
use crate::ops::{BinOp, RmwOp};
use crate::types::FloatKind;
use rustc_apfloat::Round;
use std::cmp::Ordering;
use std::sync::Arc;

pub(super) fn find(base: &str) -> Option<Arc<HostFn>> {
    // An operation on the bits of numbers of one format.
    let bits = |f: fn(FloatKind, &[u128]) -> u128| -> Option<Arc<HostFn>> {
        Some(Arc::new(move |call| {
            let flags = call.flags;
            call.lanes(|args| {
                let numbers: Vec<u128> =
                    args.iter().filter_map(|v| float(v)).map(|(_, bits)| bits).collect();
                let kind = args.iter().find_map(|v| float(v)).map(|(kind, _)| kind);
                let Some(kind) = kind.filter(|_| numbers.len() == args.len()) else {
                    return Err(ErrorKind::Unsupported(
                        "a floating-point intrinsic on other values".into(),
                    ));
                };
                let value = Val::Float(kind, f(kind, &numbers));
                let broken = args.iter().any(|v| breaks(flags, v)) || breaks(flags, &value);
                Ok(if broken { Val::Poison } else { value })
            })
        }))
    };
    let to_int = |round: Round| -> Option<Arc<HostFn>> {
        Some(Arc::new(move |call| {
            let width = call.ret.int_bits().ok_or_else(|| call.unsupported())?;
            call.lanes(|args| match args[0] {
                Val::Float(kind, bits) => {
                    let whole = soft::round(*kind, *bits, round);
                    Ok(float_to_int(*kind, whole, width, true).unwrap_or(Val::Undef))
                }
                _ => Ok(Val::Poison),
            })
        }))
    };
    let extreme = |op: RmwOp| -> Option<Arc<HostFn>> {
        Some(Arc::new(move |call| {
            let flags = call.flags;
            let mut open = false;
            let value = call.lanes(|args| {
                open |= matches!(op, RmwOp::FMax | RmwOp::FMin) && opposite_zeros(args[0], args[1]);
                let value = extremum(op, args[0], args[1])?;
                let broken = args.iter().any(|v| breaks(flags, v)) || breaks(flags, &value);
                Ok(if broken { Val::Poison } else { value })
            });
            *call.loose |= open;
            value
        }))
    };
    match base {
        "fabs" => bits(
            |kind, x| if soft::is_negative(kind, x[0]) { soft::negate(kind, x[0]) } else { x[0] },
        ),
        "copysign" => {
            let copy = bits(|kind, x| {
                let same = soft::is_negative(kind, x[0]) == soft::is_negative(kind, x[1]);
                if same { x[0] } else { soft::negate(kind, x[0]) }
            })?;
            Some(Arc::new(move |call| {
                // The sign of a NaN that was computed is anything.
                *call.loose |= call.args.get(1).is_some_and(is_loose);
                copy(call)
            }))
        }
        "fma" => bits(|kind, x| soft::fma(kind, x[0], x[1], x[2])),
        "fmuladd" => {
            let unfused = bits(|kind, x| {
                soft::arith(kind, BinOp::FAdd, soft::arith(kind, BinOp::FMul, x[0], x[1]), x[2])
            })?;
            Some(Arc::new(move |call| {
                call.set_nondeterministic();
                unfused(call)
            }))
        }
        "sqrt" => bits(|kind, x| soft::sqrt(kind, x[0])),
        "floor" => bits(|kind, x| soft::round(kind, x[0], Round::TowardNegative)),
        "ceil" => bits(|kind, x| soft::round(kind, x[0], Round::TowardPositive)),
        "trunc" => bits(|kind, x| soft::round(kind, x[0], Round::TowardZero)),
        "rint" | "nearbyint" | "roundeven" => {
            bits(|kind, x| soft::round(kind, x[0], Round::NearestTiesToEven))
        }
        "round" => bits(|kind, x| soft::round(kind, x[0], Round::NearestTiesToAway)),
        "canonicalize" => bits(|kind, x| soft::canonical(kind, x[0])),
        "minnum" | "minimumnum" => extreme(RmwOp::FMin),
        "maxnum" | "maximumnum" => extreme(RmwOp::FMax),
        "minimum" => extreme(RmwOp::FMinimum),
        "maximum" => extreme(RmwOp::FMaximum),
        "lrint" | "llrint" => to_int(Round::NearestTiesToEven),
        "lround" | "llround" => to_int(Round::NearestTiesToAway),
        "is.fpclass" => Some(Arc::new(is_fpclass)),
        "powi" => Some(Arc::new(powi)),
        "ldexp" => Some(Arc::new(ldexp)),
        "frexp" => Some(Arc::new(frexp)),
        _ => None,
    }
}

fn float(value: &Val) -> Option<(FloatKind, u128)> {
    match value {
        Val::Float(kind, bits) => Some((*kind, *bits)),
        _ => None,
    }
}

fn opposite_zeros(a: &Val, b: &Val) -> bool {
    match (float(a), float(b)) {
        (Some((kind, x)), Some((_, y))) => {
            x != y && soft::is_zero(kind, x) && soft::is_zero(kind, y)
        }
        _ => false,
    }
}

/// The smaller or larger of two numbers. `FMin` and `FMax` prefer a number to a NaN, `FMinimum` and `FMaximum` do not;
/// −0 is smaller than +0.
pub(crate) fn extremum(op: RmwOp, a: &Val, b: &Val) -> Result<Val, ErrorKind> {
    if let Some(undefined) = undefined([a, b]) {
        return Ok(undefined);
    }
    let (Some((kind, x)), Some((_, y))) = (float(a), float(b)) else {
        return Err(ErrorKind::Unsupported(format!("the {} of {a} and {b}", op.name())));
    };
    let strict = matches!(op, RmwOp::FMinimum | RmwOp::FMaximum);
    let smaller = matches!(op, RmwOp::FMin | RmwOp::FMinimum);
    let value = match (is_nan(kind, x), is_nan(kind, y)) {
        (true, true) => canonical_nan(kind),
        (true, _) | (_, true) if strict => canonical_nan(kind),
        (true, false) => y,
        (false, true) => x,
        (false, false) => {
            let order = soft::compare(kind, x, y).unwrap_or(Ordering::Equal);
            let order =
                order.then_with(|| soft::is_negative(kind, y).cmp(&soft::is_negative(kind, x)));
            if (order == Ordering::Less) == smaller { x } else { y }
        }
    };
    Ok(Val::Float(kind, value))
}

/// The classes, in the order of the bits of the mask: sNaN, qNaN, −∞, −normal, −subnormal, −0, +0, …, +∞.
fn is_fpclass(call: &mut HostCall<'_>) -> Result<Val, ErrorKind> {
    call.lanes(|args| {
        let (Some((kind, bits)), Some(mask)) = (float(args[0]), args[1].as_u128()) else {
            return Ok(Val::Poison);
        };
        let negative = soft::is_negative(kind, bits);
        let class = if is_nan(kind, bits) {
            u32::from(!soft::is_signaling(kind, bits))
        } else {
            let size = match () {
                () if is_infinite(kind, bits) => 3,
                () if soft::is_zero(kind, bits) => 0,
                () if soft::is_subnormal(kind, bits) => 1,
                () => 2,
            };
            if negative { 5 - size } else { 6 + size }
        };
        Ok(Val::bool(mask >> class & 1 == 1))
    })
}

/// The order of the multiplications is not specified.
fn powi(call: &mut HostCall<'_>) -> Result<Val, ErrorKind> {
    call.set_nondeterministic();
    call.lanes(|args| {
        let (Some((kind, x)), Some(power)) = (float(args[0]), args[1].as_signed(32)) else {
            return Ok(Val::Poison);
        };
        let one = soft::from_f64(kind, 1.0);
        let (mut result, mut square, mut left) = (one, x, power.unsigned_abs());
        while left > 0 {
            if left & 1 == 1 {
                result = soft::arith(kind, BinOp::FMul, result, square);
            }
            square = soft::arith(kind, BinOp::FMul, square, square);
            left >>= 1;
        }
        Ok(Val::Float(
            kind,
            if power < 0 { soft::arith(kind, BinOp::FDiv, one, result) } else { result },
        ))
    })
}

fn ldexp(call: &mut HostCall<'_>) -> Result<Val, ErrorKind> {
    let width = call.types.get(1).and_then(|ty| ty.int_bits()).unwrap_or(32);
    call.lanes(|args| match (float(args[0]), args[1].as_signed(width)) {
        (Some((kind, x)), Some(exponent)) => {
            let exponent = exponent.clamp(-100_000, 100_000) as i32;
            Ok(Val::Float(kind, soft::scale(kind, x, exponent)))
        }
        _ => Ok(Val::Poison),
    })
}

/// Yields `{ mantissa, exponent }`.
fn frexp(call: &mut HostCall<'_>) -> Result<Val, ErrorKind> {
    let ty = call.types[0];
    let fields = call.sizes.types.fields(call.ret).map(<[_]>::to_vec);
    let width = fields
        .and_then(|f| f.get(1).and_then(|ty| ty.int_bits()))
        .ok_or_else(|| call.unsupported())?;
    let part = |second: bool| {
        call.lanes_of(ty, &mut |args| match float(args[0]) {
            Some((kind, x)) => {
                let (mantissa, exponent) = soft::frexp(kind, x);
                Ok(if second {
                    Val::int(width, exponent.into())
                } else {
                    Val::Float(kind, mantissa)
                })
            }
            None => Ok(Val::Poison),
        })
    };
    Ok(Val::elems([part(false)?, part(true)?]))
}
