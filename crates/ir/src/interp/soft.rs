//! Floating-point numbers of every format, by their bits. `float` and `double` use the processor, which rounds as IEEE
//! asks; the others use LLVM's own soft floats. A NaN that an operation yields is the canonical one.

use super::value::{canonical_nan, is_nan};
use super::wide::Wide;
use crate::ops::BinOp;
use crate::types::FloatKind;
use rustc_apfloat::ieee::{BFloat, Double, Half, Quad, Single, X87DoubleExtended};
use rustc_apfloat::ppc::DoubleDouble;
use rustc_apfloat::{Float, FloatConvert, Round};
use std::cmp::Ordering;

/// Evaluates an expression with `$F` being the soft float of a format.
macro_rules! by_kind {
    ($kind:expr, $F:ident => $body:expr) => {
        match $kind {
            FloatKind::Half => {
                type $F = Half;
                $body
            }
            FloatKind::BFloat => {
                type $F = BFloat;
                $body
            }
            FloatKind::Float => {
                type $F = Single;
                $body
            }
            FloatKind::Double => {
                type $F = Double;
                $body
            }
            FloatKind::X86Fp80 => {
                type $F = X87DoubleExtended;
                $body
            }
            FloatKind::Fp128 => {
                type $F = Quad;
                $body
            }
            FloatKind::PpcFp128 => {
                type $F = DoubleDouble;
                $body
            }
        }
    };
}

/// `bits`, or the canonical NaN if they are one.
pub(crate) fn canonical(kind: FloatKind, bits: u128) -> u128 {
    if is_nan(kind, bits) { canonical_nan(kind) } else { bits }
}

fn single(bits: u128) -> f32 {
    f32::from_bits(bits as u32)
}

fn double(bits: u128) -> f64 {
    f64::from_bits(bits as u64)
}

/// An arithmetic operator.
pub(crate) fn arith(kind: FloatKind, op: BinOp, x: u128, y: u128) -> u128 {
    macro_rules! native {
        ($a:expr, $b:expr) => {
            match op {
                BinOp::FAdd => $a + $b,
                BinOp::FSub => $a - $b,
                BinOp::FMul => $a * $b,
                BinOp::FDiv => $a / $b,
                _ => $a % $b,
            }
            .to_bits()
            .into()
        };
    }
    let bits = match kind {
        FloatKind::Float => native!(single(x), single(y)),
        FloatKind::Double => native!(double(x), double(y)),
        _ => by_kind!(kind, F => {
            let (a, b) = (F::from_bits(x), F::from_bits(y));
            match op {
                BinOp::FAdd => a + b,
                BinOp::FSub => a - b,
                BinOp::FMul => a * b,
                BinOp::FDiv => a / b,
                _ => a.c_fmod(b),
            }
            .value
            .to_bits()
        }),
    };
    canonical(kind, bits)
}

/// `x · y + z`, rounded once.
pub(crate) fn fma(kind: FloatKind, x: u128, y: u128, z: u128) -> u128 {
    let bits = match kind {
        FloatKind::Float => single(x).mul_add(single(y), single(z)).to_bits().into(),
        FloatKind::Double => double(x).mul_add(double(y), double(z)).to_bits().into(),
        _ => by_kind!(kind, F => {
            F::from_bits(x).mul_add(F::from_bits(y), F::from_bits(z)).value.to_bits()
        }),
    };
    canonical(kind, bits)
}

/// The order of two numbers; `None` if one is a NaN.
pub(crate) fn compare(kind: FloatKind, x: u128, y: u128) -> Option<Ordering> {
    match kind {
        FloatKind::Float => single(x).partial_cmp(&single(y)),
        FloatKind::Double => double(x).partial_cmp(&double(y)),
        _ => by_kind!(kind, F => F::from_bits(x).partial_cmp(&F::from_bits(y))),
    }
}

/// The sign bit.
pub(crate) fn is_negative(kind: FloatKind, x: u128) -> bool {
    x >> sign_bit(kind) & 1 == 1
}

/// Where the sign stands. In a pair of doubles that of the first, larger one.
fn sign_bit(kind: FloatKind) -> u32 {
    if kind == FloatKind::PpcFp128 { 63 } else { kind.bits() - 1 }
}

/// The number with the other sign; only the bit changes, also of a NaN.
pub(crate) fn negate(kind: FloatKind, x: u128) -> u128 {
    match kind {
        FloatKind::PpcFp128 => x ^ (1 << 63 | 1 << 127),
        _ => x ^ 1 << sign_bit(kind),
    }
}

/// Whether it is a zero of either sign.
pub(crate) fn is_zero(kind: FloatKind, x: u128) -> bool {
    match kind {
        FloatKind::PpcFp128 => x as u64 & (u64::MAX >> 1) == 0,
        _ => x & !(1 << sign_bit(kind)) == 0,
    }
}

/// Rounded to an integer.
pub(crate) fn round(kind: FloatKind, x: u128, round: Round) -> u128 {
    let bits = by_kind!(kind, F => F::from_bits(x).round_to_integral(round).value.to_bits());
    canonical(kind, bits)
}

/// The same number, rounded, in another format.
pub(crate) fn convert(from: FloatKind, to: FloatKind, x: u128) -> u128 {
    if from == to {
        return x;
    }
    if is_nan(from, x) {
        return canonical_nan(to);
    }
    let bits = match (from, to) {
        (FloatKind::Float, FloatKind::Double) => f64::from(single(x)).to_bits().into(),
        (FloatKind::Double, FloatKind::Float) => (double(x) as f32).to_bits().into(),
        // A pair of doubles is first rounded to its larger part, and is made from a double without a second part.
        (FloatKind::PpcFp128, _) => convert(FloatKind::Double, to, x & u128::from(u64::MAX)),
        (_, FloatKind::PpcFp128) => convert(from, FloatKind::Double, x),
        _ => by_ieee(from, to, x),
    };
    canonical(to, bits)
}

fn by_ieee(from: FloatKind, to: FloatKind, x: u128) -> u128 {
    fn into<A: FloatConvert<B>, B: Float>(x: u128) -> u128 {
        A::from_bits(x).convert(&mut false).value.to_bits()
    }
    fn second<A>(to: FloatKind, x: u128) -> u128
    where
        A: FloatConvert<Half>
            + FloatConvert<BFloat>
            + FloatConvert<Single>
            + FloatConvert<Double>
            + FloatConvert<X87DoubleExtended>
            + FloatConvert<Quad>,
    {
        match to {
            FloatKind::Half => into::<A, Half>(x),
            FloatKind::BFloat => into::<A, BFloat>(x),
            FloatKind::Float => into::<A, Single>(x),
            FloatKind::X86Fp80 => into::<A, X87DoubleExtended>(x),
            FloatKind::Fp128 => into::<A, Quad>(x),
            FloatKind::Double | FloatKind::PpcFp128 => into::<A, Double>(x),
        }
    }
    match from {
        FloatKind::Half => second::<Half>(to, x),
        FloatKind::BFloat => second::<BFloat>(to, x),
        FloatKind::Float => second::<Single>(to, x),
        FloatKind::X86Fp80 => second::<X87DoubleExtended>(to, x),
        FloatKind::Fp128 => second::<Quad>(to, x),
        FloatKind::Double | FloatKind::PpcFp128 => second::<Double>(to, x),
    }
}

/// The nearest number to an integer. `magnitude` of any width, with its sign.
pub(crate) fn from_integer(kind: FloatKind, negative: bool, magnitude: &Wide) -> u128 {
    // 120 bits and whether something was cut decide the rounding in every format.
    let cut = magnitude.length().saturating_sub(120);
    let lost = magnitude.lshr(cut).shl(cut) != *magnitude;
    let top = magnitude.lshr(cut).to_u128().unwrap_or(0) | u128::from(lost);
    let bits = by_kind!(kind, F => {
        let value = F::from_u128(top).value.scalbn(cut.min(1 << 20) as i32);
        value.to_bits()
    });
    if negative { negate(kind, bits) } else { bits }
}

/// The number without its fraction, as sign and magnitude of `width` bits. `None` if it does not fit those bits.
pub(crate) fn to_integer(kind: FloatKind, x: u128, width: u32) -> Option<(bool, Wide)> {
    by_kind!(kind, F => {
        let value = F::from_bits(x);
        if !value.is_finite() {
            return None;
        }
        let negative = value.is_negative();
        let whole = value.abs().round_to_integral(Round::TowardZero).value;
        if whole.is_zero() {
            return Some((negative, Wide::from_u128(width, 0)));
        }
        let exponent = whole.ilogb();
        if exponent >= 0 && exponent as u32 >= width {
            return None;
        }
        // No format has more than 120 bits of precision but the pair of doubles, whose rest is then below one.
        let shift = (exponent - 120).max(0);
        let mut exact = false;
        let top = whole.scalbn(-shift).to_u128_r(128, Round::TowardZero, &mut exact).value;
        Some((negative, Wide::from_u128(width, top).shl(shift as u32)))
    })
}

/// The square root.
pub(crate) fn sqrt(kind: FloatKind, x: u128) -> u128 {
    let bits = match kind {
        FloatKind::Float => single(x).sqrt().to_bits().into(),
        FloatKind::Double => double(x).sqrt().to_bits().into(),
        // The root of a `float` has enough bits to be rounded a second time.
        FloatKind::Half | FloatKind::BFloat => {
            let wide = double(convert(kind, FloatKind::Double, x)).sqrt();
            convert(FloatKind::Double, kind, wide.to_bits().into())
        }
        _ if is_nan(kind, x) || (is_negative(kind, x) && !is_zero(kind, x)) => canonical_nan(kind),
        _ => by_kind!(kind, F => {
            let value = F::from_bits(x);
            if value.is_zero() || !value.is_finite() {
                return x;
            }
            // value = m · 4^half with an integer m of more than 240 bits, whose root has more than 120.
            let exponent = value.ilogb();
            let half = (exponent - 240).div_euclid(2);
            let top_shift = exponent - 120;
            let top = value.scalbn(-top_shift).to_u128_r(128, Round::TowardZero, &mut false).value;
            let m = Wide::from_u128(256, top).shl((top_shift - 2 * half) as u32);
            let root = m.sqrt();
            let lost = root.mul(&root) != m;
            // One sticky bit below the root decides the rounding.
            let digits = root.to_u128().unwrap_or(0) << 1 | u128::from(lost);
            F::from_u128(digits).value.scalbn(half - 1).to_bits()
        }),
    };
    canonical(kind, bits)
}

/// `x · 2^exponent`.
pub(crate) fn scale(kind: FloatKind, x: u128, exponent: i32) -> u128 {
    let exponent = exponent.clamp(-100_000, 100_000);
    let bits = by_kind!(kind, F => F::from_bits(x).scalbn(exponent).to_bits());
    canonical(kind, bits)
}

/// Mantissa in [0.5, 1) and exponent.
pub(crate) fn frexp(kind: FloatKind, x: u128) -> (u128, i32) {
    by_kind!(kind, F => {
        let value = F::from_bits(x);
        if value.is_zero() || !value.is_finite() {
            return (canonical(kind, x), 0);
        }
        let mut exponent = 0;
        let mantissa = value.frexp(&mut exponent);
        (mantissa.to_bits(), exponent)
    })
}

/// Whether it is subnormal.
pub(crate) fn is_subnormal(kind: FloatKind, x: u128) -> bool {
    by_kind!(kind, F => F::from_bits(x).is_denormal())
}

/// Whether it is a signaling NaN.
pub(crate) fn is_signaling(kind: FloatKind, x: u128) -> bool {
    by_kind!(kind, F => F::from_bits(x).is_signaling())
}

/// As a `double`, rounded.
pub(crate) fn to_f64(kind: FloatKind, x: u128) -> f64 {
    double(convert(kind, FloatKind::Double, x))
}

/// From a `double`, rounded.
pub(crate) fn from_f64(kind: FloatKind, x: f64) -> u128 {
    canonical(kind, convert(FloatKind::Double, kind, x.to_bits().into()))
}
