//! What comparisons of numbers yield.

use super::{Kind, NAN, NEG, POS, Signs, ZERO, as_real, number, pairs};
use crate::prims::{Class, Classes};

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Order {
    Less,
    LessOrEqual,
    Equal,
    GreaterOrEqual,
    Greater,
}

/// How two numbers may lie to one another, as bits.
const BELOW: u8 = 1;
const SAME: u8 = 2;
const ABOVE: u8 = 4;
const APART: u8 = 8;

fn relation(x: Signs, y: Signs) -> u8 {
    match (x, y) {
        (NAN, _) | (_, NAN) => APART,
        (ZERO, ZERO) => SAME,
        _ if x == y => BELOW | SAME | ABOVE,
        (NEG, _) | (ZERO, POS) => BELOW,
        _ => ABOVE,
    }
}

impl Order {
    /// What it may yield for two numbers.
    pub(crate) fn two(self, left: Class, right: Class) -> Classes {
        let relation = match (left, right, number(left), number(right)) {
            (_, _, Some(a), Some(b)) => {
                let inexact = a.0 == Kind::Real || b.0 == Kind::Real;
                let signs =
                    |number: (Kind, Signs)| if inexact { as_real(number) } else { number.1 };
                pairs(signs(a), signs(b), relation)
            }
            // Complex numbers have no order; one that is not real is none that is.
            (Class::Complex, Class::Complex, ..) if self == Order::Equal => SAME | APART,
            (Class::Complex, _, _, Some(_)) | (_, Class::Complex, Some(_), _)
                if self == Order::Equal =>
            {
                APART
            }
            _ => 0,
        };
        let holds = match self {
            Order::Less => BELOW,
            Order::LessOrEqual => BELOW | SAME,
            Order::Equal => SAME,
            Order::GreaterOrEqual => SAME | ABOVE,
            Order::Greater => ABOVE,
        };
        let (yes, no) = (relation & holds != 0, relation & !holds != 0);
        let of = |has: bool, class| if has { Classes::of(&[class]) } else { Classes::default() };
        of(yes, Class::True).and(of(no, Class::False))
    }
}
