//! What operations on numbers yield.

use super::{Kind, NAN, NEG, NUMBERS, POS, Signs, ZERO, as_real, classes, flip, number, pairs};
use crate::prims::{Class, Classes};

/// An operation on numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Arith {
    Sum,
    Product,
    Difference,
    /// `/`
    Ratio,
    Max,
    Min,
    Gcd,
    Lcm,
    /// `quotient`, `remainder`: rounded to zero.
    Quotient,
    Remainder,
    /// `floor-quotient`, `modulo`: rounded down.
    FloorQuotient,
    Modulo,
    Abs,
    Square,
    Floor,
    Ceiling,
    /// Also `round`: to zero, or to a number nearer to it than to the next.
    Truncate,
    Numerator,
    Denominator,
    Successor,
    Predecessor,
    /// Whatever numbers of these kinds may become.
    Any,
}

/// How an operation takes its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Any number of them, from the left; the result of none of them.
    Fold(Option<Class>),
    /// Several from the left; one alone has a rule of its own.
    Against,
    /// Two.
    Two,
    /// One.
    One,
    /// By kind only.
    Kinds,
}

const ALL: Signs = NEG | ZERO | POS;

impl Arith {
    pub(crate) fn shape(self) -> Shape {
        use Arith::*;
        match self {
            Sum | Gcd => Shape::Fold(Some(Class::ZeroInt)),
            Product | Lcm => Shape::Fold(Some(Class::PosInt)),
            Max | Min => Shape::Fold(None),
            Difference | Ratio => Shape::Against,
            Quotient | Remainder | FloorQuotient | Modulo => Shape::Two,
            Abs | Square | Floor | Ceiling | Truncate | Numerator | Denominator | Successor
            | Predecessor => Shape::One,
            Any => Shape::Kinds,
        }
    }

    /// What it may yield for one number.
    pub(crate) fn one(self, class: Class) -> Classes {
        let Some((kind, sign)) = number(class) else { return complex(class) };
        let same = |signs| classes(kind, signs);
        // An integer, if it was exact.
        let whole = |signs| classes(if kind == Kind::Real { kind } else { Kind::Int }, signs);
        let exact = kind != Kind::Real;
        match self {
            Arith::Sum | Arith::Product | Arith::Max | Arith::Min => same(sign),
            Arith::Difference => same(flip(sign)),
            Arith::Ratio => self.two(Class::PosInt, class),
            Arith::Abs | Arith::Gcd | Arith::Lcm => same(if sign == NEG { POS } else { sign }),
            Arith::Square => match sign {
                ZERO | NAN => same(sign),
                _ if exact => same(POS),
                _ => same(POS | ZERO),
            },
            Arith::Floor | Arith::Ceiling | Arith::Truncate => {
                let up = if self == Arith::Floor { NEG } else { POS };
                match sign {
                    _ if kind == Kind::Int => same(sign),
                    ZERO | NAN => same(sign),
                    // Away from zero.
                    sign if sign == up && self != Arith::Truncate => whole(sign),
                    sign => whole(sign | ZERO),
                }
            }
            Arith::Numerator => whole(sign),
            Arith::Denominator => whole(if sign == NAN { NAN } else { POS }),
            Arith::Successor => Arith::Sum.two(class, Class::PosInt),
            Arith::Predecessor => Arith::Sum.two(class, Class::NegInt),
            Arith::Quotient
            | Arith::Remainder
            | Arith::FloorQuotient
            | Arith::Modulo
            | Arith::Any => Classes::default(),
        }
    }

    /// What it may yield for two numbers.
    pub(crate) fn two(self, left: Class, right: Class) -> Classes {
        let (Some(a), Some(b)) = (number(left), number(right)) else {
            return complex(left).and(complex(right)).only_if_both(left, right);
        };
        if a.0 == Kind::Real || b.0 == Kind::Real {
            return self.inexact(a, b);
        }
        let fractions = a.0 == Kind::Ratio || b.0 == Kind::Ratio;
        let int = |signs| classes(Kind::Int, signs);
        let either = |signs| classes(Kind::Int, signs).and(classes(Kind::Ratio, signs));
        let (x, y) = (a.1, b.1);
        match self {
            Arith::Sum if a.0 != b.0 => classes(Kind::Ratio, sum(x, y)),
            Arith::Sum if fractions => either(sum(x, y)),
            Arith::Sum => int(sum(x, y)),
            Arith::Difference => Arith::Sum.two_flipped(left, b),
            Arith::Product if fractions => either(product(x, y)),
            Arith::Product => int(product(x, y)),
            Arith::Ratio if y == ZERO => Classes::default(),
            Arith::Ratio => either(product(x, y)),
            Arith::Max | Arith::Min => self.chosen(a, b),
            // Not of integers: implementations differ.
            _ if fractions => either(ALL),
            Arith::Gcd => int(if x | y == ZERO { ZERO } else { POS }),
            Arith::Lcm => int(if (x | y) & ZERO != 0 { ZERO } else { POS }),
            _ if y == ZERO => Classes::default(),
            _ => int(self.division(x, y)),
        }
    }

    fn two_flipped(self, left: Class, (kind, sign): (Kind, Signs)) -> Classes {
        let right = classes(kind, flip(sign));
        right.iter().fold(Classes::default(), |all, right| all.and(self.two(left, right)))
    }

    /// Of two exact integers, the second not zero.
    fn division(self, x: Signs, y: Signs) -> Signs {
        match self {
            _ if x == ZERO => ZERO,
            Arith::Quotient => ZERO | product(x, y),
            Arith::FloorQuotient if x == y => ZERO | POS,
            Arith::FloorQuotient => NEG,
            Arith::Remainder => ZERO | x,
            Arith::Modulo => ZERO | y,
            _ => ALL,
        }
    }

    /// `max` and `min` yield one of the numbers, as an inexact one if the other is.
    fn chosen(self, a: (Kind, Signs), b: (Kind, Signs)) -> Classes {
        let rank = |sign: Signs| if self == Arith::Min { flip(sign) } else { sign };
        let mut all = Classes::default();
        if rank(a.1) >= rank(b.1) {
            all = all.and(classes(a.0, a.1));
        }
        if rank(b.1) >= rank(a.1) {
            all = all.and(classes(b.0, b.1));
        }
        all
    }

    /// At least one is inexact.
    fn inexact(self, a: (Kind, Signs), b: (Kind, Signs)) -> Classes {
        let real = |signs| classes(Kind::Real, signs);
        let (x, y) = (as_real(a), as_real(b));
        // An exact zero may stay exact.
        let exact_zero = |number: (Kind, Signs)| number == (Kind::Int, ZERO);
        let zero = match exact_zero(a) || exact_zero(b) {
            true => classes(Kind::Int, ZERO),
            false => Classes::default(),
        };
        match self {
            Arith::Sum => real(pairs(x, y, inexact_sum)),
            Arith::Difference => real(pairs(x, y, |x, y| inexact_sum(x, flip(y)))),
            Arith::Product => real(pairs(x, y, inexact_product)).and(zero),
            Arith::Ratio if exact_zero(a) => real(pairs(x, y, inexact_ratio) | NAN).and(zero),
            Arith::Ratio => real(pairs(x, y, inexact_ratio)),
            Arith::Max | Arith::Min => {
                let rank = |sign: Signs| if self == Arith::Min { flip(sign) } else { sign };
                let larger = |x, y| match (x, y) {
                    (NAN, _) | (_, NAN) => x | y,
                    _ if rank(x) > rank(y) => x,
                    _ => y,
                };
                real(pairs(x, y, larger)).and(self.chosen_or_both(a, b))
            }
            Arith::Gcd | Arith::Lcm => real(ZERO | POS | NAN),
            Arith::Quotient | Arith::FloorQuotient | Arith::Remainder | Arith::Modulo => {
                let divided = |x, y| match (x, y) {
                    (NAN, _) | (_, NAN) => NAN,
                    // An error, no number, or infinite.
                    (_, ZERO) => ALL | NAN,
                    // Quotients may vanish before they are rounded down.
                    _ => self.division(x, y) | ZERO | NAN,
                };
                real(pairs(x, y, divided)).and(zero)
            }
            _ => Classes::default(),
        }
    }

    /// Some implementations do not make the result inexact.
    fn chosen_or_both(self, a: (Kind, Signs), b: (Kind, Signs)) -> Classes {
        match (a.1, b.1) {
            (NAN, _) | (_, NAN) => classes(a.0, a.1).and(classes(b.0, b.1)),
            _ => self.chosen(a, b),
        }
    }
}

/// Complex numbers may become any; what is no number is an error.
fn complex(class: Class) -> Classes {
    match class {
        Class::Complex => Classes::of(NUMBERS),
        _ => Classes::default(),
    }
}

impl Classes {
    /// These, if both are numbers.
    fn only_if_both(self, left: Class, right: Class) -> Classes {
        let numbers = Classes::of(NUMBERS);
        if numbers.has(left) && numbers.has(right) { self } else { Classes::default() }
    }
}

fn sum(x: Signs, y: Signs) -> Signs {
    match (x, y) {
        (ZERO, other) | (other, ZERO) => other,
        _ if x == y => x,
        _ => ALL,
    }
}

fn product(x: Signs, y: Signs) -> Signs {
    match (x, y) {
        (ZERO, _) | (_, ZERO) => ZERO,
        _ if x == y => POS,
        _ => NEG,
    }
}

fn inexact_sum(x: Signs, y: Signs) -> Signs {
    match (x, y) {
        (NAN, _) | (_, NAN) => NAN,
        (NEG, POS) | (POS, NEG) => ALL | NAN,
        _ => sum(x, y),
    }
}

fn inexact_product(x: Signs, y: Signs) -> Signs {
    match (x, y) {
        (NAN, _) | (_, NAN) => NAN,
        // Zero times infinity.
        (ZERO, _) | (_, ZERO) => ZERO | NAN,
        _ => product(x, y) | ZERO,
    }
}

fn inexact_ratio(x: Signs, y: Signs) -> Signs {
    match (x, y) {
        (NAN, _) | (_, NAN) | (ZERO, ZERO) => NAN,
        (ZERO, _) => ZERO,
        // Zeros have signs of their own.
        (_, ZERO) => NEG | POS | NAN,
        // Infinity by infinity.
        _ => product(x, y) | ZERO | NAN,
    }
}
