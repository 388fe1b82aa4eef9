//! What operations make of [`Intervals`].
//!
//! Sums, differences, shifts by constants and conversions are exact piece by piece; the others work on the least interval
//! around the operands, unsigned and signed, and intersect what both say. Operands for which the result would be poison
//! or undefined behaviour do not count.

use super::intervals::{Intervals, Piece, Scratch, extend, mask};
use lw_ir::Flags;
use lw_ir::ops::{BinOp, CastOp};

impl Intervals {
    /// What an operation can yield; `None` if no operands yield a defined value.
    pub fn binary(&self, op: BinOp, flags: Flags, other: &Intervals) -> Option<Intervals> {
        let bits = self.bits;
        if !self.is_tracked() || other.bits != bits {
            return Some(Intervals::full(bits.max(other.bits)));
        }
        let (nuw, nsw) = (flags.contains(Flags::NUW), flags.contains(Flags::NSW));
        let (a, b) = (self, other);
        let full = || Some(Intervals::full(bits));
        match op {
            BinOp::Add => a.sum(b, nuw, nsw),
            BinOp::Sub => a.difference(b, nuw, nsw),
            BinOp::Mul => {
                let ((alo, ahi), (blo, bhi)) = (a.bounds(), b.bounds());
                let wide = |x: u64, y: u64| u128::from(x) * u128::from(y);
                let u = wrapped(bits, wide(alo, blo), wide(ahi, bhi), nuw)?;
                let ((alo, ahi), (blo, bhi)) = (a.signed_bounds(), b.signed_bounds());
                let corners = [(alo, blo), (alo, bhi), (ahi, blo), (ahi, bhi)];
                let products = corners.map(|(x, y)| i128::from(x) * i128::from(y));
                let lo = products.iter().min().copied()?;
                let hi = products.iter().max().copied()?;
                u.intersect(&wrapped_signed(bits, lo, hi, nsw)?)
            }
            BinOp::UDiv => {
                // A divisor of zero is undefined behaviour.
                let ((alo, ahi), (blo, bhi)) = (a.bounds(), b.bounds());
                Intervals::unsigned(bits, alo.checked_div(bhi)?, ahi / blo.max(1))
            }
            BinOp::URem => {
                let ((_, ahi), (blo, bhi)) = (a.bounds(), b.bounds());
                if ahi < blo {
                    return Some(a.clone());
                }
                Intervals::unsigned(bits, 0, ahi.min(bhi.checked_sub(1)?))
            }
            BinOp::SDiv => quotient(a, b),
            BinOp::SRem => {
                let ((alo, ahi), (blo, bhi)) = (a.signed_bounds(), b.signed_bounds());
                // The rest has the sign of the dividend and is smaller than the divisor.
                let magnitude = blo.unsigned_abs().max(bhi.unsigned_abs()).checked_sub(1)?;
                let magnitude = i64::try_from(magnitude).unwrap_or(i64::MAX);
                let nearest = if blo > 0 {
                    blo.unsigned_abs()
                } else if bhi < 0 {
                    bhi.unsigned_abs()
                } else {
                    0
                };
                if alo.unsigned_abs().max(ahi.unsigned_abs()) < nearest {
                    return Some(a.clone());
                }
                let lo = if alo < 0 { alo.max(-magnitude) } else { 0 };
                let hi = if ahi > 0 { ahi.min(magnitude) } else { 0 };
                Intervals::signed(bits, lo, hi)
            }
            BinOp::Shl => a.shift_left(b, nuw, nsw),
            BinOp::LShr => {
                let (least, greatest) = shift_amounts(b)?;
                if least == greatest && a.pieces().len() > 1 {
                    let shift = |&(lo, hi): &(u64, u64)| (lo >> least, hi >> least);
                    let mut all: Scratch = a.pieces().iter().map(shift).collect();
                    return Intervals::collect(bits, &mut all);
                }
                let (lo, hi) = a.bounds();
                Intervals::unsigned(bits, lo >> greatest, hi >> least)
            }
            BinOp::AShr => {
                let (least, greatest) = shift_amounts(b)?;
                let (lo, hi) = a.signed_bounds();
                let lo = if lo < 0 { lo >> least } else { lo >> greatest };
                let hi = if hi < 0 { hi >> greatest } else { hi >> least };
                Intervals::signed(bits, lo, hi)
            }
            BinOp::And => a.by_pieces(b, |a, b| and(bits, a, b)),
            BinOp::Or => {
                let or =
                    a.by_pieces(b, |a, b| complement(bits, and(bits, not(bits, a), not(bits, b))));
                if !flags.contains(Flags::DISJOINT) {
                    return or;
                }
                or?.intersect(&a.sum(b, true, false)?)
            }
            BinOp::Xor => a.by_pieces(b, |a, b| xor(bits, a, b)),
            _ => full(),
        }
    }

    /// The union of what an operation makes of each two pieces.
    fn by_pieces(
        &self,
        other: &Intervals,
        op: impl Fn(Piece, Piece) -> Scratch,
    ) -> Option<Intervals> {
        if let (&[a], &[b]) = (self.pieces(), other.pieces()) {
            return Intervals::collect(self.bits, &mut op(a, b));
        }
        let mut all = Scratch::new();
        for &a in self.pieces() {
            for &b in other.pieces() {
                all.extend(op(a, b));
            }
        }
        Intervals::collect(self.bits, &mut all)
    }

    fn sum(&self, other: &Intervals, nuw: bool, nsw: bool) -> Option<Intervals> {
        let (bits, m) = (self.bits, mask(self.bits));
        if !nuw && !nsw && (self.is_full() || other.is_full()) {
            return Some(Intervals::full(bits));
        }
        if let ([(alo, ahi)], [(blo, bhi)]) = (self.pieces(), other.pieces())
            && let (Some(lo), Some(hi)) = (alo.checked_add(*blo), ahi.checked_add(*bhi))
            && hi <= m
            && (!nsw || hi <= m >> 1)
        {
            return Intervals::unsigned(bits, lo, hi);
        }
        // Every number between the ends is a sum that does not overflow.
        if nsw
            && !nuw
            && let (Some((alo, ahi)), Some((blo, bhi))) =
                (self.signed_interval(), other.signed_interval())
        {
            return without_overflow(bits, wide(alo) + wide(blo), wide(ahi) + wide(bhi));
        }
        let mut all = Scratch::new();
        for &(alo, ahi) in self.pieces() {
            for &(blo, bhi) in other.pieces() {
                let (lo, hi) =
                    (u128::from(alo) + u128::from(blo), u128::from(ahi) + u128::from(bhi));
                push_wrapped(&mut all, bits, lo, hi, nuw);
            }
        }
        let plain = Intervals::collect(bits, &mut all)?;
        if !nsw {
            return Some(plain);
        }
        let mut all = Scratch::new();
        let (least, greatest) = limits(bits);
        let theirs = other.signed_pieces();
        for &(alo, ahi) in &self.signed_pieces() {
            for &(blo, bhi) in &theirs {
                let add = |x, y| i128::from(extend(bits, x)) + i128::from(extend(bits, y));
                let (lo, hi) = (add(alo, blo).max(least), add(ahi, bhi).min(greatest));
                push_signed(&mut all, m, lo, hi);
            }
        }
        plain.intersect(&Intervals::collect(bits, &mut all)?)
    }

    fn difference(&self, other: &Intervals, nuw: bool, nsw: bool) -> Option<Intervals> {
        let (bits, m) = (self.bits, mask(self.bits));
        if !nuw && !nsw && (self.is_full() || other.is_full()) {
            return Some(Intervals::full(bits));
        }
        if nsw
            && !nuw
            && let (Some((alo, ahi)), Some((blo, bhi))) =
                (self.signed_interval(), other.signed_interval())
        {
            return without_overflow(bits, wide(alo) - wide(bhi), wide(ahi) - wide(blo));
        }
        let mut all = Scratch::new();
        for &(alo, ahi) in self.pieces() {
            for &(blo, bhi) in other.pieces() {
                if nuw {
                    // What would go below zero is poison.
                    if ahi >= blo {
                        all.push((alo.saturating_sub(bhi), ahi - blo));
                    }
                    continue;
                }
                let around = u128::from(m) + 1;
                let lo = u128::from(alo) + around - u128::from(bhi);
                let hi = u128::from(ahi) + around - u128::from(blo);
                push_wrapped(&mut all, bits, lo, hi, false);
            }
        }
        let plain = Intervals::collect(bits, &mut all)?;
        if !nsw {
            return Some(plain);
        }
        let mut all = Scratch::new();
        let (least, greatest) = limits(bits);
        let theirs = other.signed_pieces();
        for &(alo, ahi) in &self.signed_pieces() {
            for &(blo, bhi) in &theirs {
                let sub = |x, y| i128::from(extend(bits, x)) - i128::from(extend(bits, y));
                let (lo, hi) = (sub(alo, bhi).max(least), sub(ahi, blo).min(greatest));
                push_signed(&mut all, m, lo, hi);
            }
        }
        plain.intersect(&Intervals::collect(bits, &mut all)?)
    }

    fn shift_left(&self, by: &Intervals, nuw: bool, nsw: bool) -> Option<Intervals> {
        let (bits, m) = (self.bits, mask(self.bits));
        let (least, greatest) = shift_amounts(by)?;
        let (lo, hi) = self.bounds();
        let (low, high) = (u128::from(lo) << least, u128::from(hi) << greatest);
        let u = if high <= u128::from(m) {
            Intervals::unsigned(bits, low as u64, high as u64)?
        } else if nuw {
            // What loses bits is poison.
            let low = u64::try_from(low).ok().filter(|&low| low <= m)?;
            let top = if least == greatest { m >> least << least } else { m };
            Intervals::unsigned(bits, low, top)?
        } else if least == greatest {
            // The bits that are lost are the same in all values, or anything may be left.
            if ((lo ^ hi) << (64 - bits)).leading_zeros() >= least {
                Intervals::unsigned(bits, lo << least & m, hi << least & m)?
            } else {
                Intervals::unsigned(bits, 0, m >> least << least)?
            }
        } else {
            Intervals::unsigned(bits, 0, m >> least << least)?
        };
        let (slo, shi) = self.signed_bounds();
        let up = |x: i64, by: u32| i128::from(x) << by;
        let lo = if slo < 0 { up(slo, greatest) } else { up(slo, least) };
        let hi = if shi < 0 { up(shi, least) } else { up(shi, greatest) };
        let (min, max) = limits(bits);
        let max = if least == greatest { max >> least << least } else { max };
        if (lo >= min && hi <= max) || nsw {
            let s = Intervals::signed(bits, lo.max(min) as i64, hi.min(max) as i64)?;
            return u.intersect(&s);
        }
        Some(u)
    }

    /// What a conversion can yield.
    pub fn cast(&self, op: CastOp, flags: Flags, to: u32) -> Option<Intervals> {
        let bits = self.bits;
        if !self.is_tracked() || !(1..=64).contains(&to) {
            return Some(Intervals::full(to));
        }
        if let [(lo, hi)] = *self.pieces()
            && let Some(simple) = cast_one(op, flags, (bits, to), (lo, hi))
        {
            return Some(simple);
        }
        let (least, greatest) = limits(bits);
        match op {
            CastOp::ZExt => {
                let mut all: Scratch = self.pieces().into();
                if flags.contains(Flags::NNEG) {
                    let most = greatest as u64;
                    all.retain(|piece| piece.0 <= most);
                    all.iter_mut().for_each(|piece| piece.1 = piece.1.min(most));
                }
                Intervals::collect(to, &mut all)
            }
            CastOp::SExt => {
                let m = mask(to);
                let up = |x: u64| extend(bits, x) as u64 & m;
                let mut all = self.signed_pieces();
                all.iter_mut().for_each(|piece| *piece = (up(piece.0), up(piece.1)));
                Intervals::collect(to, &mut all)
            }
            CastOp::Trunc => {
                let m = mask(to);
                let mut from = self.clone();
                if flags.contains(Flags::NUW) {
                    from = from.intersect(&Intervals::unsigned(bits, 0, m)?)?;
                }
                if flags.contains(Flags::NSW) && to < bits {
                    let (lo, hi) = limits(to);
                    let fits = Intervals::signed(bits, lo.max(least) as i64, hi as i64)?;
                    from = from.intersect(&fits)?;
                }
                let mut all = Scratch::new();
                for &(lo, hi) in from.pieces() {
                    if hi - lo >= m {
                        return Some(Intervals::full(to));
                    }
                    push_arc(&mut all, m, lo & m, hi & m);
                }
                Intervals::collect(to, &mut all)
            }
            _ => Some(Intervals::full(to)),
        }
    }
}

#[inline]
fn wide(x: i64) -> i128 {
    x.into()
}

/// The integers of a width in `[lo, hi]` signed, if there are some.
fn without_overflow(bits: u32, lo: i128, hi: i128) -> Option<Intervals> {
    let (least, greatest) = limits(bits);
    let (lo, hi) = (lo.max(least), hi.min(greatest));
    if lo > hi { None } else { Intervals::signed(bits, lo as i64, hi as i64) }
}

/// A conversion of one interval that yields one interval, if it is easy.
#[inline]
fn cast_one(
    op: CastOp,
    flags: Flags,
    (bits, to): (u32, u32),
    (lo, hi): Piece,
) -> Option<Intervals> {
    let half = 1 << (bits - 1);
    match op {
        CastOp::ZExt if !flags.contains(Flags::NNEG) || hi < half => {
            Intervals::unsigned(to, lo, hi)
        }
        CastOp::SExt if hi < half => Intervals::unsigned(to, lo, hi),
        CastOp::SExt if lo >= half => {
            let up = |x: u64| extend(bits, x) as u64 & mask(to);
            Intervals::unsigned(to, up(lo), up(hi))
        }
        CastOp::Trunc if !flags.contains(Flags::NUW) && !flags.contains(Flags::NSW) => {
            let m = mask(to);
            if hi - lo >= m {
                return Some(Intervals::full(to));
            }
            Intervals::unsigned(to, lo & m, hi & m)
        }
        _ => None,
    }
}

fn not(bits: u32, (lo, hi): Piece) -> Piece {
    (mask(bits) - hi, mask(bits) - lo)
}

fn complement(bits: u32, mut pieces: Scratch) -> Scratch {
    pieces.iter_mut().for_each(|piece| *piece = not(bits, *piece));
    pieces
}

/// `x & y`: exact if one of them is a constant whose bits lie together, else between the least and the greatest.
fn and(bits: u32, a: Piece, b: Piece) -> Scratch {
    let mut all = Scratch::new();
    let constant = if a.0 == a.1 { Some((a.0, b)) } else { (b.0 == b.1).then_some((b.0, a)) };
    if let Some((kept, (lo, hi))) = constant {
        let low = kept & kept.wrapping_neg();
        if kept == 0 {
            all.push((0, 0));
            return all;
        }
        if kept.wrapping_add(low) & kept == 0 {
            // All bits from the lowest to the highest: cleared below, reduced above.
            let below = low - 1;
            let above = kept | below;
            let (lo, hi) = (lo & !below, hi & !below);
            if hi - lo >= above || lo & above > hi & above {
                all.push((0, if hi - lo >= above { kept } else { hi & above }));
                if hi - lo < above {
                    all.push((lo & above, kept));
                }
            } else {
                all.push((lo & above, hi & above));
            }
            return all;
        }
    }
    // The least `x & y` is the greatest `x | y` of the complements.
    let least = mask(bits) - greatest_or(not(bits, a), not(bits, b));
    all.push((least, greatest_and(a, b).max(least)));
    all
}

/// The greatest `x | y` (Warren, *Hacker's Delight*, §4-3).
fn greatest_or((alo, mut ahi): Piece, (blo, mut bhi): Piece) -> u64 {
    let mut both = ahi & bhi;
    while both != 0 {
        let bit = 1 << (63 - both.leading_zeros());
        let below = (ahi - bit) | (bit - 1);
        if below >= alo {
            ahi = below;
            break;
        }
        let below = (bhi - bit) | (bit - 1);
        if below >= blo {
            bhi = below;
            break;
        }
        both &= !bit;
    }
    ahi | bhi
}

/// The greatest `x & y` (Warren, *Hacker's Delight*, §4-3).
fn greatest_and((alo, mut ahi): Piece, (blo, mut bhi): Piece) -> u64 {
    let mut differ = ahi ^ bhi;
    while differ != 0 {
        let bit = 1 << (63 - differ.leading_zeros());
        if ahi & bit != 0 {
            let below = (ahi & !bit) | (bit - 1);
            if below >= alo {
                ahi = below;
                break;
            }
        } else {
            let below = (bhi & !bit) | (bit - 1);
            if below >= blo {
                bhi = below;
                break;
            }
        }
        differ &= !bit;
    }
    ahi & bhi
}

/// `x ^ y`: what the bits say that are the same in all values.
fn xor(bits: u32, a: Piece, b: Piece) -> Scratch {
    let mut all = Scratch::new();
    let m = mask(bits);
    if b == (m, m) {
        all.push(not(bits, a));
        return all;
    }
    let known = prefix(bits, a) & prefix(bits, b);
    let ones = (a.0 ^ b.0) & known;
    all.push((ones, ones | (!known & m)));
    all
}

/// Bits at the top that are the same in all values.
fn prefix(bits: u32, (lo, hi): Piece) -> u64 {
    let same = (lo ^ hi).leading_zeros();
    !u64::MAX.checked_shr(same).unwrap_or(0) & mask(bits)
}

/// The least and greatest signed number.
fn limits(bits: u32) -> (i128, i128) {
    (-1 << (bits - 1), (1 << (bits - 1)) - 1)
}

fn push_arc(all: &mut Scratch, m: u64, first: u64, last: u64) {
    if first <= last {
        all.push((first, last));
    } else {
        all.push((0, last));
        all.push((first, m));
    }
}

fn push_signed(all: &mut Scratch, m: u64, lo: i128, hi: i128) {
    if lo <= hi {
        push_arc(all, m, lo as u64 & m, hi as u64 & m);
    }
}

/// Exact results from `lo` to `hi`, reduced to the width.
fn push_wrapped(all: &mut Scratch, bits: u32, lo: u128, hi: u128, no_wrap: bool) {
    let m = mask(bits);
    if no_wrap {
        if lo <= u128::from(m) {
            all.push((lo as u64, hi.min(m.into()) as u64));
        }
    } else if hi - lo >= u128::from(m) {
        all.push((0, m));
    } else {
        push_arc(all, m, lo as u64 & m, hi as u64 & m);
    }
}

fn wrapped(bits: u32, lo: u128, hi: u128, no_wrap: bool) -> Option<Intervals> {
    let mut all = Scratch::new();
    push_wrapped(&mut all, bits, lo, hi, no_wrap);
    Intervals::collect(bits, &mut all)
}

fn wrapped_signed(bits: u32, lo: i128, hi: i128, no_wrap: bool) -> Option<Intervals> {
    let (least, greatest) = limits(bits);
    let m = mask(bits);
    if no_wrap {
        let mut all = Scratch::new();
        push_signed(&mut all, m, lo.max(least), hi.min(greatest));
        return Intervals::collect(bits, &mut all);
    }
    if hi - lo >= i128::from(m) {
        return Some(Intervals::full(bits));
    }
    Some(Intervals::arc(bits, lo as u64 & m, hi as u64 & m))
}

/// The least and greatest amount that is not poison.
fn shift_amounts(by: &Intervals) -> Option<(u32, u32)> {
    let last = u64::from(by.bits) - 1;
    let (lo, hi) = by.bounds();
    (lo <= last).then(|| (lo as u32, hi.min(last) as u32))
}

fn quotient(a: &Intervals, b: &Intervals) -> Option<Intervals> {
    let ((alo, ahi), (blo, bhi)) = (a.signed_bounds(), b.signed_bounds());
    // The divisors without zero, as a negative and a positive part.
    let negative = (blo < 0).then(|| (blo, bhi.min(-1)));
    let positive = (bhi > 0).then(|| (blo.max(1), bhi));
    let (_, greatest) = limits(a.bits);
    let mut bounds: Option<(i128, i128)> = None;
    for (lo, hi) in negative.into_iter().chain(positive) {
        for x in [alo, ahi] {
            for y in [lo, hi] {
                // The only overflow is undefined behaviour; its neighbours bound what is defined.
                let q = (i128::from(x) / i128::from(y)).min(greatest);
                bounds = Some(bounds.map_or((q, q), |(l, h)| (l.min(q), h.max(q))));
            }
        }
        if alo < 0 && ahi > 0 {
            bounds = bounds.map(|(l, h)| (l.min(0), h.max(0)));
        }
    }
    let (lo, hi) = bounds?;
    Intervals::signed(a.bits, lo as i64, hi as i64)
}
