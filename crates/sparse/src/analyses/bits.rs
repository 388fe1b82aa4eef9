//! Known bits: which bits of a variable are always zero or always one?
//!
//! Lattice: ⊤ (`None`, no value yet) above sets of known bits, fewer ones lower. Forward half of bit-width analysis
//! (Stephenson et al. 2000); [`DemandedBits`](super::DemandedBits) is the backward half, on the same view.

use super::arith::mask;
use crate::analysis::{Analysis, At, Cx};
use crate::meaning::{Arg, Expr, Fact, Meaning};
use crate::program::Var;
use crate::registers::swap;
use crate::strategy::Strategy;
use lw_ir::ops::{BinOp, CastOp, IntPred};

/// Bits that are known. No bit is in both sets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Known {
    /// The width; zero: not an integer.
    pub bits: u32,
    /// Always zero.
    pub zeros: u128,
    /// Always one.
    pub ones: u128,
}

impl Known {
    /// Nothing is known.
    pub fn nothing(bits: u32) -> Known {
        Known { bits, zeros: 0, ones: 0 }
    }

    /// All bits are known.
    pub fn single(bits: u32, value: u128) -> Known {
        Known { bits, zeros: !value & mask(bits), ones: value & mask(bits) }
    }

    /// Whether a value has these bits.
    pub fn contains(&self, value: u128) -> bool {
        value & self.zeros == 0 && !value & self.ones == 0
    }

    /// The number of low bits that are enough to hold the value, unsigned.
    pub fn width(&self) -> u32 {
        let unknown = mask(self.bits) & !self.zeros;
        128 - unknown.leading_zeros()
    }

    fn high_zeros(bits: u32, greatest: u128) -> Known {
        let low = if greatest == 0 { 0 } else { u128::MAX >> greatest.leading_zeros() };
        Known { bits, zeros: mask(bits) & !low, ones: 0 }
    }

    fn greatest(&self) -> u128 {
        mask(self.bits) & !self.zeros
    }

    /// Both at once; `None` if they contradict each other.
    fn both(self, other: Known) -> Option<Known> {
        let known = Known {
            bits: self.bits,
            zeros: self.zeros | other.zeros,
            ones: self.ones | other.ones,
        };
        (known.zeros & known.ones == 0).then_some(known)
    }

    /// `self + other + carry`: a bit of the sum is known where both operands and the carry into it are.
    fn add(self, other: Known, carry: bool) -> Known {
        let m = mask(self.bits);
        let carry = u128::from(carry);
        let least = self.ones.wrapping_add(other.ones).wrapping_add(carry);
        // Carries grow with the operands: one that is the same for the least and the greatest is known.
        let carries = !(carry_of(self.greatest(), other.greatest(), carry)
            ^ carry_of(self.ones, other.ones, carry));
        let known = (self.zeros | self.ones) & (other.zeros | other.ones) & carries & m;
        Known { bits: self.bits, zeros: known & !least, ones: known & least }
    }

    fn not(self) -> Known {
        Known { bits: self.bits, zeros: self.ones, ones: self.zeros }
    }

    fn binary(self, op: BinOp, other: Known) -> Known {
        let (a, b, bits) = (self, other, self.bits);
        let m = mask(bits);
        let amount = (b.zeros | b.ones == m)
            .then_some(b.ones)
            .and_then(|by| u32::try_from(by).ok())
            .filter(|&by| by < bits);
        match op {
            BinOp::And => Known { bits, zeros: a.zeros | b.zeros, ones: a.ones & b.ones },
            BinOp::Or => Known { bits, zeros: a.zeros & b.zeros, ones: a.ones | b.ones },
            BinOp::Xor => Known {
                bits,
                zeros: a.zeros & b.zeros | a.ones & b.ones,
                ones: a.zeros & b.ones | a.ones & b.zeros,
            },
            BinOp::Add => a.add(b, false),
            BinOp::Sub => a.add(b.not(), true),
            BinOp::Mul => {
                let low = (a.trailing() + b.trailing()).min(bits);
                Known { bits, zeros: mask(low) & m, ones: 0 }
            }
            BinOp::UDiv => Known::high_zeros(bits, a.greatest()),
            BinOp::URem => {
                Known::high_zeros(bits, a.greatest().min(b.greatest().saturating_sub(1)))
            }
            BinOp::Shl => match amount {
                Some(by) => {
                    Known { bits, zeros: (a.zeros << by | mask(by)) & m, ones: a.ones << by & m }
                }
                None => Known { bits, zeros: mask(a.trailing()) & m, ones: 0 },
            },
            BinOp::LShr => match amount {
                Some(by) => {
                    Known { bits, zeros: a.zeros >> by | m & !(m >> by), ones: a.ones >> by }
                }
                None => Known::high_zeros(bits, a.greatest()),
            },
            BinOp::AShr => match amount {
                Some(by) => {
                    let fill = m & !(m >> by);
                    let sign = 1u128 << (bits - 1);
                    let extend = |x: u128| x >> by | if x & sign != 0 { fill } else { 0 };
                    Known { bits, zeros: extend(a.zeros), ones: extend(a.ones) }
                }
                None => Known::nothing(bits),
            },
            _ => Known::nothing(bits),
        }
    }

    fn trailing(&self) -> u32 {
        (!self.zeros).trailing_zeros().min(self.bits)
    }

    fn cast(self, op: CastOp, to: u32) -> Known {
        let high = mask(to) & !mask(self.bits);
        let sign = 1u128 << (self.bits.max(1) - 1);
        let extend = |x: u128| x | if x & sign != 0 { high } else { 0 };
        match op {
            CastOp::Trunc => {
                Known { bits: to, zeros: self.zeros & mask(to), ones: self.ones & mask(to) }
            }
            CastOp::ZExt => Known { bits: to, zeros: self.zeros | high, ones: self.ones },
            CastOp::SExt => Known { bits: to, zeros: extend(self.zeros), ones: extend(self.ones) },
            _ => Known::nothing(to),
        }
    }
}

/// The carries into each bit of a sum.
fn carry_of(a: u128, b: u128, carry: u128) -> u128 {
    a.wrapping_add(b).wrapping_add(carry) ^ a ^ b
}

/// The analysis.
#[derive(Clone, Copy, Debug, Default)]
pub struct KnownBits;

type Bits = Option<Known>;

impl KnownBits {
    fn arg<P: Meaning + ?Sized>(cx: &Cx<'_, P, Bits>, arg: Arg, bits: u32) -> Bits {
        match arg {
            Arg::Var(var) => *cx.of(var),
            Arg::Int(value) => Some(Known::single(bits, value)),
            _ => Some(Known::nothing(bits)),
        }
    }

    fn define<P: Meaning + ?Sized>(cx: &Cx<'_, P, Bits>, expr: Expr<'_>, bits: u32) -> Bits {
        match expr {
            Expr::Copy(arg) => Self::arg(cx, arg, bits),
            Expr::Binary { op, bits, args: [a, b], .. } => {
                Some(Self::arg(cx, a, bits)?.binary(op, Self::arg(cx, b, bits)?))
            }
            Expr::Cast { op, from, to, arg, .. } => Some(Self::arg(cx, arg, from)?.cast(op, to)),
            Expr::Compare { bits: width, args: [a, b], .. } => {
                if width > 0 {
                    Self::arg(cx, a, width)?;
                    Self::arg(cx, b, width)?;
                }
                Some(Known::high_zeros(bits, 1))
            }
            Expr::Select { args: [a, b], .. } => {
                meet(Self::arg(cx, a, bits), Self::arg(cx, b, bits))
            }
            _ => Some(Known::nothing(bits)),
        }
    }
}

fn meet(a: Bits, b: Bits) -> Bits {
    match (a, b) {
        (None, other) | (other, None) => other,
        (Some(a), Some(b)) if a.bits == b.bits => {
            Some(Known { bits: a.bits, zeros: a.zeros & b.zeros, ones: a.ones & b.ones })
        }
        _ => Some(Known::nothing(0)),
    }
}

impl<P: Meaning + ?Sized> Analysis<P> for KnownBits {
    type Domain = Bits;
    const NAME: &'static str = "known bits";

    fn strategy(&self, _: &P, _: Var) -> Strategy {
        Strategy::STEPHENSON
    }

    fn top(&self) -> Bits {
        None
    }

    fn meet(&self, into: &mut Bits, with: &Bits) {
        *into = meet(*into, *with);
    }

    fn entry(&self, program: &P, var: Var) -> Bits {
        Some(Known::nothing(program.width(var).unwrap_or(0)))
    }

    fn transfer(&self, cx: &Cx<'_, P, Bits>, at: At, var: Var) -> Bits {
        let Some(bits) = cx.program.width(var) else { return Some(Known::nothing(0)) };
        match at {
            At::Define(pos) => Self::define(cx, cx.program.expr(cx.code.instr(pos)), bits),
            At::Phi(pos, edge) => {
                let phi = cx.code.instr(pos);
                match cx.program.expr(phi) {
                    Expr::Phi => {
                        let from = cx.code.graph().source(edge);
                        Self::arg(cx, cx.program.phi_arg(phi, from), bits)
                    }
                    _ => Some(Known::nothing(bits)),
                }
            }
            At::Pass(_) => *cx.of(var),
            At::Branch(edge) => {
                let mut known = *cx.of(var);
                let (block, position) =
                    (cx.code.graph().source(edge), cx.code.graph().position(edge));
                cx.program.facts(block, position, &mut |fact| {
                    let Fact::Compare(pred, width, [a, b]) = fact else { return };
                    let (pred, other) = match (a, b) {
                        (Arg::Var(x), other) if x == var => (pred, other),
                        (other, Arg::Var(x)) if x == var => (swap(pred), other),
                        _ => return,
                    };
                    if width != bits || other == Arg::Var(var) {
                        return;
                    }
                    let other = Self::arg(cx, other, bits);
                    known = match (known, other) {
                        (Some(known), Some(other)) => match pred {
                            IntPred::Eq => known.both(other),
                            IntPred::Ult | IntPred::Ule => {
                                known.both(Known::high_zeros(bits, other.greatest()))
                            }
                            _ => Some(known),
                        },
                        _ => None,
                    };
                });
                known
            }
        }
    }
}
