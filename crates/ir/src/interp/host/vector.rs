//! Intrinsics that move or combine the lanes of vectors.

use super::{HostCall, HostFn};
use crate::flags::Flags;
use crate::interp::error::ErrorKind;
use crate::interp::eval_float::promised;
use crate::interp::eval_int::undefined;
use crate::interp::horizontal::{combine, yielded};
use crate::interp::value::{Val, signed};
use crate::ops::{ReduceOp, RmwOp};
use crate::types::Type;
use std::sync::Arc;

pub(super) fn find(base: &str) -> Option<Arc<HostFn>> {
    if let Some(op) = base.strip_prefix("vector.reduce.") {
        return reduce(op);
    }
    let base = base.strip_prefix("experimental.").unwrap_or(base);
    Some(match base {
        "stepvector" => Arc::new(|call| {
            let width = call.ret.int_bits().unwrap_or(64);
            Ok(Val::elems((0..lanes(call.ret)).map(|i| Val::int(width, i as i128))))
        }),
        "get.active.lane.mask" => Arc::new(|call| {
            if let Some(undefined) = undefined(call.args) {
                return Ok(undefined);
            }
            let (start, end) = (call.int(0)?, call.int(1)?);
            Ok(Val::elems((0..lanes(call.ret)).map(|i| Val::bool(start + (i as u128) < end))))
        }),
        "vector.reverse" => Arc::new(|call| {
            let vector = call.arg(0)?;
            Ok(Val::elems((0..lanes(call.ret)).rev().map(|i| vector.element(i).clone())))
        }),
        "vector.compress" => Arc::new(|call| {
            let (vector, mask, rest) = (call.arg(0)?, call.arg(1)?, call.arg(2)?);
            let count = lanes(call.ret);
            let flags: Vec<Val> = (0..count).map(|i| mask.element(i).clone()).collect();
            if let Some(undefined) = undefined(&flags) {
                return Ok(Val::elems((0..count).map(|_| undefined.clone())));
            }
            let chosen: Vec<usize> =
                (0..count).filter(|&i| flags[i].as_bool() == Some(true)).collect();
            let pick = |i: usize| match chosen.get(i) {
                Some(&from) => vector.element(from),
                None => rest.element(i),
            };
            Ok(Val::elems((0..count).map(|i| pick(i).clone())))
        }),
        "vector.insert" => Arc::new(|call| {
            let (into, part, at) = (call.arg(0)?, call.arg(1)?, call.size(2)? as usize);
            let inner = lanes(call.types[1]);
            let pick = |i: usize| {
                if (at..at + inner).contains(&i) { part.element(i - at) } else { into.element(i) }
            };
            Ok(Val::elems((0..lanes(call.ret)).map(|i| pick(i).clone())))
        }),
        "vector.extract" => Arc::new(|call| {
            let (vector, at) = (call.arg(0)?, call.size(1)? as usize);
            Ok(Val::elems((0..lanes(call.ret)).map(|i| vector.element(at + i).clone())))
        }),
        "vector.splice" => Arc::new(|call| {
            let count = lanes(call.ret);
            let offset = signed(32, call.int(2)?);
            let start = if offset < 0 { count as i128 + offset } else { offset };
            let start = usize::try_from(start).map_err(|_| call.unsupported())?;
            let (a, b) = (call.arg(0)?, call.arg(1)?);
            let pick = |i: usize| if i < count { a.element(i) } else { b.element(i - count) };
            Ok(Val::elems((0..count).map(|i| pick(start + i).clone())))
        }),
        "vector.interleave2" => Arc::new(|call| {
            let (a, b) = (call.arg(0)?, call.arg(1)?);
            let pick =
                |i: usize| if i.is_multiple_of(2) { a.element(i / 2) } else { b.element(i / 2) };
            Ok(Val::elems((0..lanes(call.ret)).map(|i| pick(i).clone())))
        }),
        "vector.deinterleave2" => Arc::new(|call| {
            let vector = call.arg(0)?;
            let half = lanes(call.types[0]) / 2;
            let part =
                |odd: usize| Val::elems((0..half).map(|i| vector.element(2 * i + odd).clone()));
            Ok(Val::elems([part(0), part(1)]))
        }),
        "vector.partial.reduce.add" => Arc::new(|call| {
            let count = lanes(call.ret);
            let inputs = call.arg(1)?;
            let mut sums: Vec<Val> = (0..count).map(|i| call.args[0].element(i).clone()).collect();
            for i in 0..lanes(call.types[1]) {
                sums[i % count] =
                    combine(ReduceOp::Add, call.ret, &sums[i % count], inputs.element(i))?;
            }
            call.set_nondeterministic();
            Ok(Val::elems(sums))
        }),
        _ => return None,
    })
}

/// How many lanes a vector type has; 1 for others.
pub(super) fn lanes(ty: Type) -> usize {
    ty.lanes().map_or(1, |lanes| lanes.count as usize)
}

fn reduce(name: &str) -> Option<Arc<HostFn>> {
    let strict = match name {
        "fmaximum" => Some(RmwOp::FMaximum),
        "fminimum" => Some(RmwOp::FMinimum),
        _ => None,
    };
    if let Some(op) = strict {
        return Some(Arc::new(move |call| {
            let all = call.arg(0)?;
            let mut total = all.element(0).clone();
            for i in 1..lanes(call.types[0]) {
                total = super::float::extremum(op, &total, all.element(i))?;
            }
            Ok(promised(call.flags, yielded(total)))
        }));
    }
    let op = ReduceOp::from_name(name)?;
    Some(Arc::new(move |call| fold(call, op)))
}

/// Lanes are combined in order; `fadd` and `fmul` begin with their first argument.
fn fold(call: &mut HostCall<'_>, op: ReduceOp) -> Result<Val, ErrorKind> {
    let ordered = matches!(op, ReduceOp::FAdd | ReduceOp::FMul);
    let vector = call.arg(usize::from(ordered))?;
    let ty = call.types[usize::from(ordered)];
    let (mut total, first) =
        if ordered { (call.args[0].clone(), 0) } else { (vector.element(0).clone(), 1) };
    for i in first..lanes(ty) {
        total = combine(op, ty, &total, vector.element(i))?;
    }
    *call.loose |= ordered && call.flags.contains(Flags::REASSOC);
    Ok(promised(call.flags, yielded(total)))
}
