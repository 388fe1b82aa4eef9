//! Numbers by kind and sign, and what arithmetic makes of them.
//!
//! With [`Constants::Signs`] a number is not only an integer, a fraction or an inexact number, but also negative, zero or
//! positive: `(positive? x)` decides branches then, and so do comparisons. The rules are those of R7RS for exact numbers; for
//! inexact ones they hold of IEEE 754 numbers, whose products may vanish and whose differences of infinities are no numbers.
//!
//! A rule says what one application to two numbers, or to one, may yield. Where an operation is an error, it yields nothing.

mod arithmetic;
mod order;

use crate::prims::{Class, Classes};
use crate::read::Number;

pub use arithmetic::Arith;
pub(crate) use arithmetic::Shape;
pub use order::Order;

/// How constants, and with them all numbers, are abstracted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Constants {
    /// By type: integers, fractions, inexact numbers.
    #[default]
    Types,
    /// By type and sign.
    Signs,
}

/// What decides how a number is computed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    Int,
    Ratio,
    Real,
}

/// A set of signs: bits of [`NEG`], [`ZERO`], [`POS`] and [`NAN`].
pub(crate) type Signs = u8;
pub(crate) const NEG: Signs = 1;
pub(crate) const ZERO: Signs = 2;
pub(crate) const POS: Signs = 4;
/// No number, and so without a sign. Only inexact numbers may be that.
pub(crate) const NAN: Signs = 8;

/// The classes of numbers that are told apart.
const CLASSES: [(Class, Kind, Signs); 9] = [
    (Class::NegInt, Kind::Int, NEG),
    (Class::ZeroInt, Kind::Int, ZERO),
    (Class::PosInt, Kind::Int, POS),
    (Class::NegRatio, Kind::Ratio, NEG),
    (Class::PosRatio, Kind::Ratio, POS),
    (Class::NegReal, Kind::Real, NEG),
    (Class::ZeroReal, Kind::Real, ZERO),
    (Class::PosReal, Kind::Real, POS),
    (Class::Nan, Kind::Real, NAN),
];

/// All numbers of known sign, and those that are complex.
pub const NUMBERS: &[Class] = &[
    Class::NegInt,
    Class::ZeroInt,
    Class::PosInt,
    Class::NegRatio,
    Class::PosRatio,
    Class::NegReal,
    Class::ZeroReal,
    Class::PosReal,
    Class::Nan,
    Class::Complex,
];

/// Kind and sign of a class; `None` if it is complex or no number.
fn number(class: Class) -> Option<(Kind, Signs)> {
    CLASSES.iter().find(|known| known.0 == class).map(|known| (known.1, known.2))
}

/// The classes of some signs of a kind.
fn classes(kind: Kind, signs: Signs) -> Classes {
    let of = CLASSES.iter().filter(|known| known.1 == kind && known.2 & signs != 0);
    of.fold(Classes::default(), |all, known| all.and(Classes::of(&[known.0])))
}

/// The class of a constant.
pub(crate) fn class_of(number: &Number) -> Class {
    let signed = |text: &str, neg, pos| {
        let digits = text.trim_start_matches(|c: char| c == '#' || c.is_ascii_alphabetic());
        if digits.starts_with('-') { neg } else { pos }
    };
    match number {
        Number::Int(value) => class_of_int(*value),
        Number::Large(text) => signed(text, Class::NegInt, Class::PosInt),
        Number::Ratio(text) => signed(text, Class::NegRatio, Class::PosRatio),
        Number::Real(value) => class_of_real(*value),
        Number::Complex(_) => Class::Complex,
    }
}

/// The class of an exact integer.
pub(crate) fn class_of_int(value: i64) -> Class {
    match value.signum() {
        -1 => Class::NegInt,
        0 => Class::ZeroInt,
        _ => Class::PosInt,
    }
}

/// The class of an inexact real number; `-0.0` is zero.
pub(crate) fn class_of_real(value: f64) -> Class {
    match value {
        _ if value.is_nan() => Class::Nan,
        _ if value < 0.0 => Class::NegReal,
        _ if value > 0.0 => Class::PosReal,
        _ => Class::ZeroReal,
    }
}

/// The signs of a number as an inexact one: a fraction may be too small.
fn as_real((kind, sign): (Kind, Signs)) -> Signs {
    if kind == Kind::Ratio { sign | ZERO } else { sign }
}

/// The signs of a set, one by one.
fn each(signs: Signs) -> impl Iterator<Item = Signs> {
    [NEG, ZERO, POS, NAN].into_iter().filter(move |sign| signs & sign != 0)
}

/// The union over all pairs of signs.
fn pairs(a: Signs, b: Signs, rule: impl Fn(Signs, Signs) -> Signs) -> Signs {
    each(a).flat_map(|a| each(b).map(move |b| (a, b))).fold(0, |all, (a, b)| all | rule(a, b))
}

/// The sign of the number with the other sign.
fn flip(sign: Signs) -> Signs {
    match sign {
        NEG => POS,
        POS => NEG,
        same => same,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signs_of_constants() {
        let of = |text: &str| class_of(&crate::read::number(text).unwrap());
        assert_eq!(of("-7"), Class::NegInt);
        assert_eq!(of("0"), Class::ZeroInt);
        assert_eq!(of("123456789012345678901234567890"), Class::PosInt);
        assert_eq!(of("-123456789012345678901234567890"), Class::NegInt);
        assert_eq!(of("#x-ffffffffffffffffffffffffff"), Class::NegInt);
        assert_eq!(of("#e-1e30"), Class::NegInt);
        assert_eq!(of("-1/3"), Class::NegRatio);
        assert_eq!(of("#b1/11"), Class::PosRatio);
        assert_eq!(of("-0.0"), Class::ZeroReal);
        assert_eq!(of("-2.5"), Class::NegReal);
        assert_eq!(of("+inf.0"), Class::PosReal);
        assert_eq!(of("+nan.0"), Class::Nan);
        assert_eq!(of("1+2i"), Class::Complex);
    }

    #[test]
    fn every_class_of_numbers_is_listed() {
        let listed: Vec<Class> = CLASSES.iter().map(|known| known.0).collect();
        assert_eq!(listed, NUMBERS[..9]);
        for (class, kind, sign) in CLASSES {
            assert_eq!(classes(kind, sign), Classes::of(&[class]));
        }
    }
}
