//! Intervals of integers, at once as unsigned and as signed numbers.
//!
//! An [`Interval`] holds the values that lie in `[ulo, uhi]` read as unsigned and in `[slo, shi]` read as signed numbers. The
//! two parts sharpen each other where one of them does not straddle the place at which the other wraps. Lower (in the
//! order of [`Analysis`](crate::Analysis)) is larger; there is no empty interval.

use super::arith::{mask, signed};
use lw_ir::Flags;
use lw_ir::ops::{BinOp, CastOp, IntPred};
use std::fmt;

/// A set of integers of `bits` bits; of zero bits: anything, not an integer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Interval {
    /// The width.
    pub bits: u32,
    /// The least value, unsigned.
    pub ulo: u128,
    /// The greatest value, unsigned.
    pub uhi: u128,
    /// The least value, signed.
    pub slo: i128,
    /// The greatest value, signed.
    pub shi: i128,
}

impl fmt::Debug for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "u[{}, {}] s[{}, {}]", self.ulo, self.uhi, self.slo, self.shi)
    }
}

fn smin(bits: u32) -> i128 {
    if bits == 0 { i128::MIN } else { signed(bits, 1 << (bits - 1)) }
}

fn smax(bits: u32) -> i128 {
    if bits == 0 { i128::MAX } else { signed(bits, mask(bits - 1)) }
}

impl Interval {
    /// All integers of a width.
    pub fn full(bits: u32) -> Interval {
        Interval { bits, ulo: 0, uhi: mask(bits), slo: smin(bits), shi: smax(bits) }
    }

    /// Anything, not an integer.
    pub fn anything() -> Interval {
        Interval { bits: 0, ulo: 0, uhi: 0, slo: 0, shi: 0 }
    }

    /// One integer.
    pub fn single(bits: u32, value: u128) -> Interval {
        let by_sign = signed(bits, value);
        Interval { bits, ulo: value, uhi: value, slo: by_sign, shi: by_sign }
    }

    /// The integers in `[lo, hi]` unsigned, if there are some.
    pub fn unsigned(bits: u32, lo: u128, hi: u128) -> Option<Interval> {
        Interval { ulo: lo, uhi: hi, ..Interval::full(bits) }.reduce()
    }

    /// The integers in `[lo, hi]` signed, if there are some.
    pub fn signed(bits: u32, lo: i128, hi: i128) -> Option<Interval> {
        Interval { slo: lo, shi: hi, ..Interval::full(bits) }.reduce()
    }

    /// The only value, if there is one.
    pub fn as_single(&self) -> Option<u128> {
        (self.bits > 0 && self.ulo == self.uhi).then_some(self.ulo)
    }

    /// Whether a value lies in it.
    pub fn contains(&self, value: u128) -> bool {
        let by_sign = signed(self.bits, value);
        self.bits == 0
            || (self.ulo..=self.uhi).contains(&value) && (self.slo..=self.shi).contains(&by_sign)
    }

    /// The values as closed unsigned intervals, at most one below and one above the greatest signed number.
    pub fn pieces(&self) -> Vec<(u128, u128)> {
        if self.bits == 0 {
            return vec![(0, u128::MAX)];
        }
        let m = mask(self.bits);
        let (positive, negative) = (self.slo.max(0)..=self.shi, self.slo..=self.shi.min(-1));
        let parts = [positive, negative].into_iter().filter(|part| !part.is_empty());
        let by_sign = parts.map(|part| (*part.start() as u128 & m, *part.end() as u128 & m));
        let both = by_sign.map(|(lo, hi)| (lo.max(self.ulo), hi.min(self.uhi)));
        both.filter(|(lo, hi)| lo <= hi).collect()
    }

    /// Lets the parts sharpen each other; `None` if nothing is left.
    fn reduce(mut self) -> Option<Interval> {
        if self.bits == 0 {
            return Some(self);
        }
        for _ in 0..2 {
            if self.ulo > self.uhi || self.slo > self.shi {
                return None;
            }
            let (lo, hi) = (signed(self.bits, self.ulo), signed(self.bits, self.uhi));
            if lo <= hi {
                // The unsigned part does not straddle the greatest signed number.
                self.slo = self.slo.max(lo);
                self.shi = self.shi.min(hi);
            }
            if self.slo > self.shi {
                return None;
            }
            if (self.slo < 0) == (self.shi < 0) {
                let m = mask(self.bits);
                self.ulo = self.ulo.max(self.slo as u128 & m);
                self.uhi = self.uhi.min(self.shi as u128 & m);
            }
        }
        (self.ulo <= self.uhi && self.slo <= self.shi).then_some(self)
    }

    /// The values of both, and some more.
    pub fn hull(self, other: Interval) -> Interval {
        if self.bits != other.bits || self.bits == 0 {
            return Interval::anything();
        }
        Interval {
            bits: self.bits,
            ulo: self.ulo.min(other.ulo),
            uhi: self.uhi.max(other.uhi),
            slo: self.slo.min(other.slo),
            shi: self.shi.max(other.shi),
        }
    }

    /// The values in both.
    pub fn intersect(self, other: Interval) -> Option<Interval> {
        if self.bits != other.bits {
            return Some(self);
        }
        Interval {
            bits: self.bits,
            ulo: self.ulo.max(other.ulo),
            uhi: self.uhi.min(other.uhi),
            slo: self.slo.max(other.slo),
            shi: self.shi.min(other.shi),
        }
        .reduce()
    }

    /// Bounds that still move go to the end of the type.
    pub fn widen(self, new: Interval) -> Interval {
        let full = Interval::full(self.bits);
        if self.bits != new.bits || self.bits == 0 {
            return new;
        }
        Interval {
            bits: self.bits,
            ulo: if new.ulo < self.ulo { full.ulo } else { self.ulo },
            uhi: if new.uhi > self.uhi { full.uhi } else { self.uhi },
            slo: if new.slo < self.slo { full.slo } else { self.slo },
            shi: if new.shi > self.shi { full.shi } else { self.shi },
        }
    }

    /// Bounds at the end of the type may come back.
    pub fn narrow(self, new: Interval) -> Interval {
        let full = Interval::full(self.bits);
        if self.bits != new.bits || self.bits == 0 {
            return self;
        }
        Interval {
            bits: self.bits,
            ulo: if self.ulo == full.ulo { new.ulo.max(self.ulo) } else { self.ulo },
            uhi: if self.uhi == full.uhi { new.uhi.min(self.uhi) } else { self.uhi },
            slo: if self.slo == full.slo { new.slo.max(self.slo) } else { self.slo },
            shi: if self.shi == full.shi { new.shi.min(self.shi) } else { self.shi },
        }
    }

    /// The values for which `self pred x` can hold for some `x` of `other`.
    pub fn restrict(self, pred: IntPred, other: Interval) -> Option<Interval> {
        if self.bits != other.bits || self.bits == 0 {
            return Some(self);
        }
        let mut r = self;
        match pred {
            IntPred::Eq => return self.intersect(other),
            IntPred::Ne => {
                let Some(value) = other.as_single() else { return Some(self) };
                let by_sign = signed(self.bits, value);
                if self.as_single() == Some(value) {
                    return None;
                }
                r.ulo += u128::from(r.ulo == value);
                r.uhi -= u128::from(r.uhi == value);
                r.slo += i128::from(r.slo == by_sign);
                r.shi -= i128::from(r.shi == by_sign);
            }
            IntPred::Ult => r.uhi = r.uhi.min(other.uhi.checked_sub(1)?),
            IntPred::Ule => r.uhi = r.uhi.min(other.uhi),
            IntPred::Ugt => r.ulo = r.ulo.max(other.ulo.checked_add(1)?),
            IntPred::Uge => r.ulo = r.ulo.max(other.ulo),
            IntPred::Slt => r.shi = r.shi.min(other.shi.checked_sub(1)?),
            IntPred::Sle => r.shi = r.shi.min(other.shi),
            IntPred::Sgt => r.slo = r.slo.max(other.slo.checked_add(1)?),
            IntPred::Sge => r.slo = r.slo.max(other.slo),
        }
        r.reduce()
    }

    /// What an operation can yield; `None` if no operands yield a defined value.
    pub fn binary(self, op: BinOp, flags: Flags, other: Interval) -> Option<Interval> {
        let bits = self.bits;
        if bits == 0 || other.bits != bits {
            return Some(Interval::full(bits.max(other.bits)));
        }
        let (nuw, nsw) = (flags.contains(Flags::NUW), flags.contains(Flags::NSW));
        let full = Interval::full(bits);
        let (a, b) = (self, other);
        match op {
            BinOp::Add => {
                let u = wrap_u(bits, a.ulo.checked_add(b.ulo), a.uhi.checked_add(b.uhi), nuw)?;
                let s = wrap_s(bits, a.slo.checked_add(b.slo), a.shi.checked_add(b.shi), nsw)?;
                u.intersect(s)
            }
            BinOp::Sub => {
                let s = wrap_s(bits, a.slo.checked_sub(b.shi), a.shi.checked_sub(b.slo), nsw)?;
                let u = if nuw {
                    // What would go below zero is poison.
                    Interval::unsigned(
                        bits,
                        a.ulo.saturating_sub(b.uhi),
                        a.uhi.checked_sub(b.ulo)?,
                    )?
                } else if a.ulo >= b.uhi {
                    Interval::unsigned(bits, a.ulo - b.uhi, a.uhi - b.ulo)?
                } else if a.uhi < b.ulo {
                    let m = mask(bits);
                    let lo = a.ulo.wrapping_sub(b.uhi) & m;
                    Interval::unsigned(bits, lo, a.uhi.wrapping_sub(b.ulo) & m)?
                } else {
                    full
                };
                u.intersect(s)
            }
            BinOp::Mul => {
                let u = wrap_u(bits, a.ulo.checked_mul(b.ulo), a.uhi.checked_mul(b.uhi), nuw)?;
                let corners = [(a.slo, b.slo), (a.slo, b.shi), (a.shi, b.slo), (a.shi, b.shi)];
                let products: Option<Vec<i128>> =
                    corners.iter().map(|&(x, y)| x.checked_mul(y)).collect();
                let s = match products {
                    Some(p) => {
                        let (lo, hi) = (p.iter().min().copied(), p.iter().max().copied());
                        wrap_s(bits, lo, hi, nsw)?
                    }
                    None => full,
                };
                u.intersect(s)
            }
            BinOp::UDiv => {
                // A divisor of zero is undefined behaviour.
                let least = b.ulo.max(1);
                let greatest = b.uhi.checked_sub(1).map(|_| b.uhi)?;
                Interval::unsigned(bits, a.ulo / greatest, a.uhi / least)
            }
            BinOp::URem => {
                let greatest = b.uhi.checked_sub(1)?;
                if a.uhi < b.ulo {
                    return Some(a);
                }
                Interval::unsigned(bits, 0, a.uhi.min(greatest))
            }
            BinOp::SDiv => signed_division(a, b),
            BinOp::SRem => {
                if b.slo == 0 && b.shi == 0 {
                    return None;
                }
                // The rest has the sign of the dividend and is smaller than the divisor.
                let magnitude = b.slo.unsigned_abs().max(b.shi.unsigned_abs()) - 1;
                let magnitude = i128::try_from(magnitude).unwrap_or(i128::MAX);
                let lo = if a.slo < 0 { a.slo.max(-magnitude) } else { 0 };
                let hi = if a.shi > 0 { a.shi.min(magnitude) } else { 0 };
                Interval::signed(bits, lo, hi)
            }
            BinOp::Shl => {
                let (least, greatest) = shift_amounts(b)?;
                let up = |x: u128, by: u32| x.checked_mul(1u128.checked_shl(by)?);
                let up_s =
                    |x: i128, by: u32| x.checked_mul(1i128.checked_shl(by).filter(|&f| f > 0)?);
                let u = wrap_shl_u(bits, up(a.ulo, least), up(a.uhi, greatest), nuw)?;
                let lo = if a.slo < 0 { up_s(a.slo, greatest) } else { up_s(a.slo, least) };
                let hi = if a.shi < 0 { up_s(a.shi, least) } else { up_s(a.shi, greatest) };
                let s = match (lo, hi) {
                    (Some(_), Some(_)) => wrap_s_plain(bits, lo, hi, nsw)?,
                    _ => full,
                };
                u.intersect(s)
            }
            BinOp::LShr => {
                let (least, greatest) = shift_amounts(b)?;
                Interval::unsigned(bits, a.ulo >> greatest, a.uhi >> least)
            }
            BinOp::AShr => {
                let (least, greatest) = shift_amounts(b)?;
                let lo = if a.slo < 0 { a.slo >> least } else { a.slo >> greatest };
                let hi = if a.shi < 0 { a.shi >> greatest } else { a.shi >> least };
                Interval::signed(bits, lo, hi)
            }
            BinOp::And => {
                let mut r = Interval { uhi: a.uhi.min(b.uhi), ..full };
                if a.slo >= 0 || b.slo >= 0 {
                    r.slo = 0;
                }
                r.reduce()
            }
            BinOp::Or => {
                let top = fill(a.uhi | b.uhi);
                let mut r = Interval { ulo: a.ulo.max(b.ulo), uhi: top & mask(bits), ..full };
                if a.shi < 0 || b.shi < 0 {
                    r.shi = -1;
                }
                r.reduce()
            }
            BinOp::Xor => {
                let top = fill(a.uhi | b.uhi);
                Interval::unsigned(bits, 0, top & mask(bits))
            }
            _ => Some(full),
        }
    }

    /// What a conversion can yield.
    pub fn cast(self, op: CastOp, flags: Flags, to: u32) -> Option<Interval> {
        match op {
            CastOp::ZExt => {
                let from = if flags.contains(Flags::NNEG) {
                    self.restrict(IntPred::Sge, Interval::single(self.bits, 0))?
                } else {
                    self
                };
                Interval::unsigned(to, from.ulo, from.uhi)
            }
            CastOp::SExt => Interval::signed(to, self.slo, self.shi),
            CastOp::Trunc => {
                let mut r = Interval::full(to);
                let inside_u = self.uhi <= r.uhi;
                let inside_s = self.slo >= r.slo && self.shi <= r.shi;
                if flags.contains(Flags::NUW) || inside_u {
                    r.ulo = self.ulo;
                    r.uhi = r.uhi.min(self.uhi);
                }
                if flags.contains(Flags::NSW) || inside_s {
                    r.slo = r.slo.max(self.slo);
                    r.shi = r.shi.min(self.shi);
                }
                r.reduce()
            }
            _ => Some(Interval::full(to)),
        }
    }

    /// What a comparison can yield, as an `i1`.
    pub fn compare(self, pred: IntPred, other: Interval) -> Option<Interval> {
        let yes = self.restrict(pred, other).is_some();
        let no = self.restrict(crate::registers::negate(pred), other).is_some();
        Interval::unsigned(1, u128::from(!no), u128::from(yes))
    }
}

/// All bits up to the highest one set.
fn fill(x: u128) -> u128 {
    if x == 0 { 0 } else { u128::MAX >> x.leading_zeros() }
}

/// An interval of exact results, wrapped to the width if all of them wrap alike.
fn wrap_u(bits: u32, lo: Option<u128>, hi: Option<u128>, no_wrap: bool) -> Option<Interval> {
    let m = mask(bits);
    match (lo, hi) {
        (Some(lo), Some(hi)) if hi <= m => Interval::unsigned(bits, lo, hi),
        (lo, hi) if no_wrap => {
            let lo = lo.filter(|&lo| lo <= m)?;
            Interval::unsigned(bits, lo, hi.map_or(m, |hi| hi.min(m)))
        }
        (Some(lo), Some(hi)) if bits < 128 && lo >> bits == hi >> bits => {
            Interval::unsigned(bits, lo & m, hi & m)
        }
        _ => Some(Interval::full(bits)),
    }
}

fn wrap_s(bits: u32, lo: Option<i128>, hi: Option<i128>, no_wrap: bool) -> Option<Interval> {
    let (min, max) = (smin(bits), smax(bits));
    match (lo, hi) {
        (Some(lo), Some(hi)) if lo >= min && hi <= max => Interval::signed(bits, lo, hi),
        (Some(lo), Some(hi)) if no_wrap => Interval::signed(bits, lo.max(min), hi.min(max)),
        (Some(lo), Some(hi)) if bits < 126 && (lo - min) >> bits == (hi - min) >> bits => {
            let wrap = |x: i128| signed(bits, x as u128 & mask(bits));
            Interval::signed(bits, wrap(lo), wrap(hi))
        }
        _ => Some(Interval::full(bits)),
    }
}

/// Shifts lose bits instead of wrapping alike.
fn wrap_shl_u(bits: u32, lo: Option<u128>, hi: Option<u128>, no_wrap: bool) -> Option<Interval> {
    let m = mask(bits);
    match (lo, hi) {
        (Some(lo), Some(hi)) if hi <= m => Interval::unsigned(bits, lo, hi),
        (Some(lo), _) if no_wrap => Interval::unsigned(bits, Some(lo).filter(|&lo| lo <= m)?, m),
        _ => Some(Interval::full(bits)),
    }
}

fn wrap_s_plain(bits: u32, lo: Option<i128>, hi: Option<i128>, no_wrap: bool) -> Option<Interval> {
    let (min, max) = (smin(bits), smax(bits));
    match (lo, hi) {
        (Some(lo), Some(hi)) if lo >= min && hi <= max => Interval::signed(bits, lo, hi),
        (Some(lo), Some(hi)) if no_wrap => Interval::signed(bits, lo.max(min), hi.min(max)),
        _ => Some(Interval::full(bits)),
    }
}

/// The least and greatest amount that is not poison.
fn shift_amounts(by: Interval) -> Option<(u32, u32)> {
    let last = u128::from(by.bits) - 1;
    (by.ulo <= last).then(|| (by.ulo as u32, by.uhi.min(last) as u32))
}

fn signed_division(a: Interval, b: Interval) -> Option<Interval> {
    // The divisors without zero, as a negative and a positive part.
    let negative = (b.slo < 0).then(|| (b.slo, b.shi.min(-1)));
    let positive = (b.shi > 0).then(|| (b.slo.max(1), b.shi));
    let parts: Vec<(i128, i128)> = negative.into_iter().chain(positive).collect();
    let mut bounds: Option<(i128, i128)> = None;
    for (lo, hi) in parts {
        for x in [a.slo, a.shi] {
            for y in [lo, hi] {
                // The only overflow is undefined behaviour; its neighbours bound what is defined.
                let q = x.checked_div(y).unwrap_or(i128::MAX).min(smax(a.bits));
                bounds = Some(bounds.map_or((q, q), |(l, h)| (l.min(q), h.max(q))));
            }
        }
        if a.slo < 0 && a.shi > 0 {
            bounds = bounds.map(|(l, h)| (l.min(0), h.max(0)));
        }
    }
    let (lo, hi) = bounds?;
    Interval::signed(a.bits, lo, hi)
}
