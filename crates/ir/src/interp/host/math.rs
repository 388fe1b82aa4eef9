//! The C math library, for `double` (`sin`), `float` (`sinf`, `llvm.sin.f32`) and, through `double`, the other formats.
//!
//! `double` and `float` call the library of the host, which is what compiled programs do.

use super::{HostCall, HostFn};
use crate::interp::error::ErrorKind;
use crate::interp::eval_float::breaks;
use crate::interp::soft;
use crate::interp::value::Val;
use crate::types::FloatKind;
use std::sync::Arc;

type One = (fn(f64) -> f64, fn(f32) -> f32);
type Two = (fn(f64, f64) -> f64, fn(f32, f32) -> f32);

fn one(name: &str) -> Option<One> {
    macro_rules! same {
        ($($text:literal => $f:ident,)*) => {
            match name { $($text => return Some((f64::$f, f32::$f)),)* _ => {} }
        };
    }
    same! {
        "sin" => sin, "cos" => cos, "tan" => tan, "asin" => asin, "acos" => acos, "atan" => atan,
        "sinh" => sinh, "cosh" => cosh, "tanh" => tanh, "exp" => exp, "exp2" => exp2, "expm1" => exp_m1,
        "log" => ln, "log2" => log2, "log10" => log10, "log1p" => ln_1p, "cbrt" => cbrt,
    }
    match name {
        "asinh" => Some((f64::asinh, f32::asinh)),
        "acosh" => Some((f64::acosh, f32::acosh)),
        "atanh" => Some((f64::atanh, f32::atanh)),
        "exp10" => Some((|x| 10f64.powf(x), |x| 10f32.powf(x))),
        _ => None,
    }
}

fn two(name: &str) -> Option<Two> {
    match name {
        "pow" => Some((f64::powf, f32::powf)),
        "atan2" => Some((f64::atan2, f32::atan2)),
        "hypot" => Some((f64::hypot, f32::hypot)),
        "fmod" => Some((|x, y| x % y, |x, y| x % y)),
        "fdim" => Some((
            |x, y| {
                if x > y {
                    x - y
                } else if x.is_nan() || y.is_nan() {
                    f64::NAN
                } else {
                    0.0
                }
            },
            |x, y| {
                if x > y {
                    x - y
                } else if x.is_nan() || y.is_nan() {
                    f32::NAN
                } else {
                    0.0
                }
            },
        )),
        _ => None,
    }
}

/// Functions of the C library that are intrinsics under another name.
fn renamed(name: &str) -> Option<&'static str> {
    Some(match name {
        "sqrt" => "sqrt",
        "fabs" => "fabs",
        "floor" => "floor",
        "ceil" => "ceil",
        "trunc" => "trunc",
        "round" => "round",
        "roundeven" => "roundeven",
        "rint" => "rint",
        "nearbyint" => "nearbyint",
        "fma" => "fma",
        "copysign" => "copysign",
        "fmin" => "minnum",
        "fmax" => "maxnum",
        "ldexp" | "scalbn" => "ldexp",
        "lrint" | "llrint" => "lrint",
        "lround" | "llround" => "lround",
        _ => return None,
    })
}

/// Whether `llvm.<name>` is one of the functions here.
pub(super) fn is_intrinsic(name: &str) -> bool {
    one(name).is_some() || matches!(name, "pow" | "atan2")
}

pub(super) fn find(name: &str) -> Option<Arc<HostFn>> {
    match name {
        "abs" | "labs" | "llabs" => return Some(Arc::new(integer_abs)),
        _ => {}
    }
    let base = if known(name) {
        name
    } else {
        name.strip_suffix(['f', 'l']).filter(|base| known(base))?
    };
    if let Some((double, single)) = one(base) {
        // Not taken from the C library, so that its last bit may differ.
        let own = matches!(base, "exp10" | "asinh" | "acosh" | "atanh");
        return Some(Arc::new(move |call| {
            *call.loose |= own;
            apply(call, |x| double(x[0]), |x| single(x[0]))
        }));
    }
    if let Some((double, single)) = two(base) {
        return Some(Arc::new(move |call| {
            apply(call, |x| double(x[0], x[1]), |x| single(x[0], x[1]))
        }));
    }
    super::float::find(renamed(base)?)
}

fn known(name: &str) -> bool {
    one(name).is_some() || two(name).is_some() || renamed(name).is_some()
}

fn apply(
    call: &mut HostCall<'_>,
    double: impl Fn(&[f64]) -> f64,
    single: impl Fn(&[f32]) -> f32,
) -> Result<Val, ErrorKind> {
    let flags = call.flags;
    let Some(kind) = call.ret.float_kind() else { return Err(call.unsupported()) };
    let value = call.lanes(|args| {
        let numbers: Vec<u128> = args
            .iter()
            .filter_map(|v| match v {
                Val::Float(_, bits) => Some(*bits),
                _ => None,
            })
            .collect();
        if numbers.len() != args.len() || args.is_empty() {
            return Err(ErrorKind::Unsupported("a math function on other values".into()));
        }
        let bits = if kind == FloatKind::Float {
            let numbers: Vec<f32> =
                numbers.iter().map(|&bits| f32::from_bits(bits as u32)).collect();
            u128::from(single(&numbers).to_bits())
        } else {
            let numbers: Vec<f64> = numbers.iter().map(|&bits| soft::to_f64(kind, bits)).collect();
            soft::from_f64(kind, double(&numbers))
        };
        let value = Val::Float(kind, soft::canonical(kind, bits));
        let broken = args.iter().any(|v| breaks(flags, v)) || breaks(flags, &value);
        Ok(if broken { Val::Poison } else { value })
    });
    // Other formats have no library of their own here.
    *call.loose |= !matches!(kind, FloatKind::Float | FloatKind::Double);
    value
}

fn integer_abs(call: &mut HostCall<'_>) -> Result<Val, ErrorKind> {
    let width = call.ret.int_bits().ok_or_else(|| call.unsupported())?;
    call.lanes(|args| match args[0].as_signed(width) {
        Some(x) if x == i128::MIN >> (128 - width) => {
            Err(ErrorKind::Undefined("abs of the smallest integer".into()))
        }
        Some(x) => Ok(Val::int(width, x.abs())),
        None => Ok(Val::Poison),
    })
}
