//! The stride-alignment lattice (001 ch. 10), on machine integers.
//!
//! ```text
//! (s, a)   lane t has the value B + s·t, B a multiple of a       uniform: s = 0;  (s, 0): B is zero
//! a        each lane has a multiple of a of its own
//! ```
//!
//! # Wrap-around
//!
//! 001 computes with ℤ; machines compute modulo 2ⁿ. A shape is *exact* if the equation above holds in ℤ for the signed values
//! of the lanes (where lane 0 takes no part, B need not be a machine integer). If it is not, the equation holds modulo 2ⁿ,
//! and only the power of two in `a` means anything: every number is a multiple of 3 modulo 2ⁿ. A uniform shape is always exact.
//! Exactness comes from `nsw`, and from alignment: if B is a multiple of 2ᵏ and s·(W − 1) < 2ᵏ, no lane can wrap. Division, sign
//! extension and comparisons by order need it; addition, multiplication and truncation do not.
//!
//! # Where this differs from the rules of 001
//!
//! - `icmp sge` of shapes with different strides is uniform only if the larger stride is on the left: 0 ≥ tid differs between
//!   lanes 0 and 1 whatever the alignments. (Fig. 10.12 takes minimum and maximum and forgets which is which.)
//! - `icmp sge` of shapes with the same stride needs exact shapes.
//! - `shl` by a uniform amount that is a multiple of a′ does not add a′ to the alignment (Fig. 10.14): zero is a multiple of a′.
//!
//! # Poison on some lanes
//!
//! A value whose lanes were computed with different operands may be poison on some lanes only ([`Stride::partial`]). `freeze` of
//! it is varying.

mod compare;
mod transfer;

use super::{Lattice, Operation};
use crate::targets::Number;
use std::fmt;

/// A shape of the stride-alignment lattice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stride {
    /// ⊥: no value was seen.
    Bottom,
    /// (s, a).
    Strided {
        /// By how much a lane is larger than the lane before; 0 is uniform.
        stride: i64,
        /// What divides the value of lane 0; 0 says that it is zero.
        align: u128,
        /// Whether the equation holds in ℤ for the signed values.
        exact: bool,
        /// Whether some lanes may be poison while others are not.
        partial: bool,
    },
    /// Each lane on its own.
    Varying {
        /// What divides every lane, as a signed number; not 0.
        align: u128,
    },
}

impl Stride {
    /// The strided shape (s, a) of integers of so many bits.
    pub fn strided(bits: u32, stride: i64, align: u64, threads: Option<u32>) -> Stride {
        make(bits, stride.into(), align.into(), false, threads)
    }

    /// The same where no lane wraps: the induction variable of a loop that counts without overflow.
    pub fn exact(bits: u32, stride: i64, align: u64) -> Stride {
        make(bits, stride.into(), align.into(), true, None)
    }

    /// The uniform shape with an alignment.
    pub fn uniform_aligned(align: u64) -> Stride {
        Stride::Strided { stride: 0, align: align.into(), exact: true, partial: false }
    }

    /// The varying shape with an alignment.
    pub fn varying_aligned(align: u64) -> Stride {
        Stride::Varying { align: u128::from(align).max(1) }
    }

    /// The stride, if there is one.
    pub fn stride(&self) -> Option<i64> {
        match *self {
            Stride::Strided { stride, .. } => Some(stride),
            _ => None,
        }
    }

    /// *threadalign* of 001 Fig. 10.8: what divides every lane as a signed number. 0: all are zero.
    fn lane_align(&self) -> u128 {
        match *self {
            Stride::Bottom => 0,
            Stride::Strided { stride, align, exact, .. } => {
                let common = gcd(stride.unsigned_abs().into(), align);
                if exact { common } else { power_of_two(common) }
            }
            Stride::Varying { align } => align,
        }
    }

    /// Whether some lanes may be poison while others are not.
    pub fn partial(&self) -> bool {
        match *self {
            Stride::Bottom => false,
            Stride::Strided { partial, .. } => partial,
            Stride::Varying { .. } => true,
        }
    }

    fn with_partial(self, also: bool) -> Stride {
        match self {
            Stride::Strided { stride, align, exact, partial } => {
                Stride::Strided { stride, align, exact, partial: partial || also }
            }
            other => other,
        }
    }
}

/// The greatest common divisor; everything divides 0.
fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The largest power of two that divides `a`; 0 of 0.
fn power_of_two(a: u128) -> u128 {
    a & a.wrapping_neg()
}

fn signed(bits: u32, value: u128) -> i128 {
    let shift = 128 - bits;
    (value << shift) as i128 >> shift
}

/// The strided shape in its normal form. `full`: the equation holds in ℤ.
fn make(bits: u32, stride: i128, align: u128, full: bool, threads: Option<u32>) -> Stride {
    let wrapped = signed(bits, stride as u128);
    let mut align = align;
    let full = full && wrapped == stride;
    if !full {
        align = power_of_two(align);
    }
    if align >= 1 << bits {
        // A multiple of 2ⁿ is zero modulo 2ⁿ, and the only one among the signed numbers.
        align = if full && wrapped != 0 { power_of_two(align).min(1 << (bits - 1)) } else { 0 };
    }
    let exact = full || wrapped == 0 || {
        let room = if align == 0 { 1 << (bits - 1) } else { align };
        spread(wrapped, threads).is_some_and(|spread| spread < room)
    };
    Stride::Strided { stride: wrapped as i64, align, exact, partial: false }
}

/// How far the last lane is above lane 0, for strides that are not negative.
fn spread(stride: i128, threads: Option<u32>) -> Option<u128> {
    if stride == 0 {
        return Some(0);
    }
    let last = u128::from(threads?.saturating_sub(1));
    u128::try_from(stride).ok().map(|stride| stride * last)
}

/// The varying shape in its normal form. `full`: all lanes are multiples of `align` as signed numbers, not only modulo 2ⁿ.
fn vary(bits: u32, align: u128, full: bool) -> Stride {
    let align = if full { align } else { power_of_two(align) };
    if align == 0 || align >= 1 << bits {
        return make(bits, 0, 0, true, None).with_partial(true);
    }
    Stride::Varying { align }
}

impl Lattice for Stride {
    const NAME: &'static str = "stride";

    fn bottom() -> Self {
        Stride::Bottom
    }

    fn uniform() -> Self {
        Stride::uniform_aligned(1)
    }

    fn varying() -> Self {
        Stride::Varying { align: 1 }
    }

    fn is_bottom(&self) -> bool {
        *self == Stride::Bottom
    }

    fn with_gaps(self) -> Self {
        self.with_partial(true)
    }

    fn is_uniform(&self) -> bool {
        matches!(self, Stride::Bottom | Stride::Strided { stride: 0, .. })
    }

    fn join(&mut self, other: &Self) {
        *self = match (*self, *other) {
            (Stride::Bottom, x) | (x, Stride::Bottom) => x,
            (
                Stride::Strided { stride, align: a, exact: e, partial: p },
                Stride::Strided { stride: same, align: b, exact: f, partial: q },
            ) if stride == same => {
                let exact = e && f;
                let align = if exact { gcd(a, b) } else { power_of_two(gcd(a, b)) };
                Stride::Strided { stride, align, exact, partial: p || q }
            }
            (a, b) => Stride::Varying { align: gcd(a.lane_align(), b.lane_align()) },
        };
    }

    fn constant(bits: u32, value: u128) -> Self {
        if bits == 0 || bits > 64 {
            return Stride::uniform();
        }
        make(bits, 0, signed(bits, value).unsigned_abs(), true, None)
    }

    fn lane(bits: u32, threads: Option<u32>) -> Self {
        if bits == 0 || bits > 64 {
            return Stride::varying();
        }
        make(bits, 1, 0, false, threads)
    }

    fn strided(bits: u32, stride: i64, align: u64, exact: bool, threads: Option<u32>) -> Self {
        if bits == 0 || bits > 64 {
            return if stride == 0 { Stride::uniform() } else { Stride::varying() };
        }
        make(bits, stride.into(), align.into(), exact || stride == 0, threads)
    }

    fn number(bits: u32, number: &Number) -> Self {
        match number.line {
            Some((stride, align)) => Stride::exact(bits, stride, align),
            None => Stride::varying(),
        }
    }

    fn refine(&mut self, bits: u32, lo: i128, hi: i128, threads: Option<u32>) {
        match *self {
            Stride::Bottom => {}
            _ if lo == hi => *self = Stride::constant(bits, lo as u128),
            // Lanes whose difference is known modulo 2ⁿ differ by exactly that if both are too small for a turn.
            Stride::Strided { stride, align, exact: false, partial } => {
                let reach = spread(i128::from(stride).abs(), threads);
                let turn = 1u128 << bits;
                if reach.is_some_and(|reach| reach + (hi - lo).unsigned_abs() < turn) {
                    *self = Stride::Strided { stride, align, exact: true, partial };
                }
            }
            _ => {}
        }
    }

    fn scatter(&self) -> Self {
        match self.lane_align() {
            0 => *self,
            align => Stride::Varying { align },
        }
    }

    fn transfer(operation: &Operation<'_, Self>) -> Self {
        transfer::transfer(operation)
    }

    fn holds(&self, bits: Option<u32>, lanes: &[Option<u128>]) -> bool {
        let mut seen = lanes.iter().enumerate().filter_map(|(t, v)| v.map(|v| (t as i128, v)));
        let Some(bits) = bits.filter(|bits| (1..=64).contains(bits)) else {
            return !self.is_uniform() || {
                let first = seen.next().map(|(_, v)| v);
                first.is_none_or(|first| seen.all(|(_, v)| v == first) && !self.is_bottom())
            };
        };
        match *self {
            Stride::Bottom => seen.next().is_none(),
            Stride::Varying { align } => {
                seen.all(|(_, v)| signed(bits, v).unsigned_abs().is_multiple_of(align))
            }
            Stride::Strided { stride, align, exact, .. } => {
                let base = |t: i128, v: u128| {
                    let base = signed(bits, v) - i128::from(stride) * t;
                    if exact { base } else { base & ((1 << bits) - 1) }
                };
                let Some((t, v)) = seen.next() else { return true };
                let first = base(t, v);
                let aligned = match align {
                    0 => first == 0,
                    align => first.unsigned_abs().is_multiple_of(align),
                };
                aligned && seen.all(|(t, v)| base(t, v) == first)
            }
        }
    }
}

/// As 001 writes it: `(1,4)`, and `4` for varying shapes; a `~` marks shapes that hold only modulo 2ⁿ.
impl fmt::Display for Stride {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stride::Bottom => f.write_str("⊥"),
            Stride::Strided { stride, align, exact, .. } => {
                write!(f, "{}({stride},{align})", if *exact { "" } else { "~" })
            }
            Stride::Varying { align } => write!(f, "{align}"),
        }
    }
}
