//! Sets of integers as unions of intervals: the lattice of the range analysis.
//!
//! [`Intervals`] holds the values of some disjoint unsigned intervals, its *pieces*. Signed intervals, `x ≠ 7` and ranges
//! that go around are all of this kind, and unions and intersections are exact, so this is a lattice; lower (in the order
//! of [`Analysis`](crate::Analysis)) is larger. There is no empty set. At most eight pieces are kept: beyond that the
//! smallest gaps are filled, which only happens from five bits on. Of integers of more than 64 bits nothing is known.

use super::arith::signed;
use lw_ir::ops::IntPred;
use smallvec::SmallVec;
use std::cmp::Ordering;
use std::fmt;

/// How many pieces a set has at most.
const MOST: usize = 8;

/// A closed unsigned interval.
pub type Piece = (u64, u64);

/// Pieces while they are collected.
pub(super) type Scratch = SmallVec<[Piece; 16]>;

/// A set of integers of `bits` bits; of zero bits: anything, not an integer.
#[derive(Clone, PartialEq, Eq)]
pub struct Intervals {
    /// The width.
    pub bits: u32,
    pieces: Pieces,
}

/// Ascending, and none touches the next.
#[derive(Clone, PartialEq, Eq)]
enum Pieces {
    One(Piece),
    Two([Piece; 2]),
    Many(Box<[Piece]>),
}

impl fmt::Debug for Intervals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pieces = self.pieces().iter().map(|(lo, hi)| format!("[{lo}, {hi}]"));
        write!(f, "{}", pieces.collect::<Vec<_>>().join("∪"))
    }
}

/// The bits below `bits`, of at most 64.
#[inline]
pub(super) fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits.clamp(1, 64))
}

/// The least negative number, unsigned.
#[inline]
fn half(bits: u32) -> u64 {
    1 << (bits.clamp(1, 64) - 1)
}

/// Sign-extends a number of at most 64 bits.
#[inline]
pub(super) fn extend(bits: u32, value: u64) -> i64 {
    let shift = 64 - bits.clamp(1, 64);
    (value << shift) as i64 >> shift
}

/// Takes the piece that begins first from two lists.
#[inline]
fn first<'a>(a: &mut &'a [Piece], b: &mut &'a [Piece]) -> Option<Piece> {
    let from = match (a.first(), b.first()) {
        (Some(x), Some(y)) if y.0 < x.0 => b,
        (Some(_), _) => a,
        _ => b,
    };
    let (&piece, rest) = from.split_first()?;
    *from = rest;
    Some(piece)
}

impl Intervals {
    /// All integers of a width.
    #[inline]
    pub fn full(bits: u32) -> Intervals {
        Intervals { bits, pieces: Pieces::One((0, mask(bits))) }
    }

    /// Anything, not an integer.
    pub fn anything() -> Intervals {
        Intervals { bits: 0, pieces: Pieces::One((0, u64::MAX)) }
    }

    /// One integer.
    pub fn single(bits: u32, value: u128) -> Intervals {
        if bits > 64 {
            return Intervals::full(bits);
        }
        Intervals { bits, pieces: Pieces::One((value as u64, value as u64)) }
    }

    /// The integers in `[lo, hi]` unsigned, if there are some.
    pub fn unsigned(bits: u32, lo: u64, hi: u64) -> Option<Intervals> {
        (lo <= hi).then_some(Intervals { bits, pieces: Pieces::One((lo, hi)) })
    }

    /// The integers in `[lo, hi]` signed, if there are some.
    pub fn signed(bits: u32, lo: i64, hi: i64) -> Option<Intervals> {
        let m = mask(bits);
        (lo <= hi).then(|| Intervals::arc(bits, lo as u64 & m, hi as u64 & m))
    }

    /// From `first` on to `last`, around if need be.
    pub fn arc(bits: u32, first: u64, last: u64) -> Intervals {
        if first <= last {
            return Intervals { bits, pieces: Pieces::One((first, last)) };
        }
        if last.checked_add(1) == Some(first) {
            return Intervals::full(bits);
        }
        Intervals { bits, pieces: Pieces::Two([(0, last), (first, mask(bits))]) }
    }

    /// The union of pieces in any order; `None` if there are none.
    pub(super) fn collect(bits: u32, pieces: &mut [Piece]) -> Option<Intervals> {
        if let [piece] = *pieces {
            return Some(Intervals { bits, pieces: Pieces::One(piece) });
        }
        pieces.sort_unstable();
        let mut len = 0;
        for i in 0..pieces.len() {
            let (lo, hi) = pieces[i];
            if len > 0 && lo <= pieces[len - 1].1.saturating_add(1) {
                pieces[len - 1].1 = pieces[len - 1].1.max(hi);
            } else {
                pieces[len] = (lo, hi);
                len += 1;
            }
        }
        Intervals::from_sorted(bits, &mut pieces[..len])
    }

    /// From disjoint pieces in order, of which too many are joined.
    fn from_sorted(bits: u32, mut pieces: &mut [Piece]) -> Option<Intervals> {
        while pieces.len() > MOST {
            let gap = |i: &usize| pieces[i + 1].0 - pieces[*i].1;
            let least = (0..pieces.len() - 1).min_by_key(gap)?;
            pieces[least].1 = pieces[least + 1].1;
            pieces[least + 1..].rotate_left(1);
            let len = pieces.len() - 1;
            pieces = &mut pieces[..len];
        }
        let pieces = match *pieces {
            [] => return None,
            [one] => Pieces::One(one),
            [a, b] => Pieces::Two([a, b]),
            ref many => Pieces::Many(many.into()),
        };
        Some(Intervals { bits, pieces })
    }

    /// Its closed unsigned intervals, ascending, none touching the next. Of more than 64 bits the only one says nothing.
    #[inline]
    pub fn pieces(&self) -> &[Piece] {
        match &self.pieces {
            Pieces::One(one) => std::slice::from_ref(one),
            Pieces::Two(two) => two,
            Pieces::Many(many) => many,
        }
    }

    /// Its ends as signed numbers, if it is one interval of these.
    #[inline]
    pub(super) fn signed_interval(&self) -> Option<(i64, i64)> {
        let half = half(self.bits);
        let (lo, hi) = match self.pieces {
            _ if self.is_full() => (half, half - 1),
            Pieces::One((lo, hi)) if hi < half || lo >= half => (lo, hi),
            Pieces::Two([(0, hi), (lo, last)])
                if hi < half && lo >= half && last == mask(self.bits) =>
            {
                (lo, hi)
            }
            _ => return None,
        };
        Some((extend(self.bits, lo), extend(self.bits, hi)))
    }

    /// Its intervals as signed numbers, in no order.
    pub(super) fn signed_pieces(&self) -> Scratch {
        let half = half(self.bits);
        let mut parts = Scratch::new();
        for &(lo, hi) in self.pieces() {
            if lo < half && hi >= half {
                parts.push((lo, half - 1));
                parts.push((half, hi));
            } else {
                parts.push((lo, hi));
            }
        }
        parts
    }

    /// Its closed intervals as signed numbers, ascending, none touching the next.
    pub fn signed_intervals(&self) -> Vec<(i128, i128)> {
        if !self.is_tracked() {
            return vec![(self.slo(), self.shi())];
        }
        let number = |x: u64| i128::from(extend(self.bits, x));
        let mut all: Vec<_> =
            self.signed_pieces().iter().map(|&(lo, hi)| (number(lo), number(hi))).collect();
        all.sort_unstable();
        all.dedup_by(|next, last| {
            let touch = last.1 + 1 == next.0;
            if touch {
                last.1 = next.1;
            }
            touch
        });
        all
    }

    /// Whether nothing is known.
    #[inline]
    pub fn is_full(&self) -> bool {
        matches!(self.pieces, Pieces::One((0, hi)) if hi == mask(self.bits))
    }

    /// Whether something can be known.
    #[inline]
    pub(super) fn is_tracked(&self) -> bool {
        self.bits.wrapping_sub(1) < 64
    }

    /// The least and greatest value as unsigned numbers, of at most 64 bits.
    #[inline]
    pub(super) fn bounds(&self) -> Piece {
        match &self.pieces {
            Pieces::One(one) => *one,
            Pieces::Two([a, b]) => (a.0, b.1),
            Pieces::Many(many) => (many[0].0, many[many.len() - 1].1),
        }
    }

    /// The least and greatest value as signed numbers, of at most 64 bits.
    pub(super) fn signed_bounds(&self) -> (i64, i64) {
        let half = half(self.bits);
        let (first, last) = self.bounds();
        let pieces = self.pieces();
        let lo = if last < half {
            first
        } else {
            let negative = pieces.iter().find(|&&(_, hi)| hi >= half);
            negative.map_or(first, |&(lo, _)| lo.max(half))
        };
        let hi = if first >= half {
            last
        } else {
            let positive = pieces.iter().rfind(|&&(lo, _)| lo < half);
            positive.map_or(last, |&(_, hi)| hi.min(half - 1))
        };
        (extend(self.bits, lo), extend(self.bits, hi))
    }

    /// The least value, unsigned.
    pub fn ulo(&self) -> u128 {
        u128::from(self.bounds().0)
    }

    /// The greatest value, unsigned.
    pub fn uhi(&self) -> u128 {
        if self.bits > 64 { super::arith::mask(self.bits) } else { u128::from(self.bounds().1) }
    }

    /// The least value, signed.
    pub fn slo(&self) -> i128 {
        if self.bits > 64 {
            signed(self.bits, 1 << (self.bits - 1))
        } else {
            i128::from(self.signed_bounds().0)
        }
    }

    /// The greatest value, signed.
    pub fn shi(&self) -> i128 {
        if self.bits > 64 {
            signed(self.bits, super::arith::mask(self.bits - 1))
        } else {
            i128::from(self.signed_bounds().1)
        }
    }

    /// The only value, if there is one.
    #[inline]
    pub fn as_single(&self) -> Option<u64> {
        match self.pieces {
            Pieces::One((lo, hi)) if lo == hi && self.is_tracked() => Some(lo),
            _ => None,
        }
    }

    /// Whether a value lies in it.
    pub fn contains(&self, value: u128) -> bool {
        !self.is_tracked()
            || self.pieces().iter().any(|&(lo, hi)| (lo.into()..=hi.into()).contains(&value))
    }

    /// The values of both.
    pub fn union(&self, other: &Intervals) -> Intervals {
        if self.bits != other.bits || !self.is_tracked() {
            return if self.bits == other.bits { self.clone() } else { Intervals::anything() };
        }
        if let (Pieces::One(a), Pieces::One(b)) = (&self.pieces, &other.pieces) {
            let (a, b) = if a.0 <= b.0 { (*a, *b) } else { (*b, *a) };
            let pieces = if b.0 <= a.1.saturating_add(1) {
                Pieces::One((a.0, a.1.max(b.1)))
            } else {
                Pieces::Two([a, b])
            };
            return Intervals { bits: self.bits, pieces };
        }
        if self.is_full() || self == other {
            return self.clone();
        }
        if other.is_full() {
            return other.clone();
        }
        let (mut a, mut b) = (self.pieces(), other.pieces());
        let mut all = Scratch::new();
        while let Some(next) = first(&mut a, &mut b) {
            match all.last_mut() {
                Some(last) if next.0 <= last.1.saturating_add(1) => last.1 = last.1.max(next.1),
                _ => all.push(next),
            }
        }
        Intervals::from_sorted(self.bits, &mut all).unwrap_or_else(|| self.clone())
    }

    /// The values in both.
    pub fn intersect(&self, other: &Intervals) -> Option<Intervals> {
        if self.bits != other.bits || other.is_full() {
            return Some(self.clone());
        }
        match (&self.pieces, &other.pieces) {
            (Pieces::One(a), Pieces::One(b)) => {
                return Intervals::unsigned(self.bits, a.0.max(b.0), a.1.min(b.1));
            }
            (Pieces::One(one), Pieces::Two(two)) | (Pieces::Two(two), Pieces::One(one)) => {
                let [a, b] = two.map(|piece| (piece.0.max(one.0), piece.1.min(one.1)));
                let pieces = match (a.0 <= a.1, b.0 <= b.1) {
                    (true, true) => Pieces::Two([a, b]),
                    (true, false) => Pieces::One(a),
                    (false, true) => Pieces::One(b),
                    (false, false) => return None,
                };
                return Some(Intervals { bits: self.bits, pieces });
            }
            _ => {}
        }
        let (a, b) = (self.pieces(), other.pieces());
        let (mut i, mut j) = (0, 0);
        let mut both = Scratch::new();
        while i < a.len() && j < b.len() {
            let (lo, hi) = (a[i].0.max(b[j].0), a[i].1.min(b[j].1));
            if lo <= hi {
                both.push((lo, hi));
            }
            if a[i].1 < b[j].1 {
                i += 1;
            } else {
                j += 1;
            }
        }
        Intervals::from_sorted(self.bits, &mut both)
    }

    /// The values in an unsigned interval.
    #[inline]
    fn between(&self, lo: u64, hi: u64) -> Option<Intervals> {
        match self.pieces {
            Pieces::One(one) => Intervals::unsigned(self.bits, lo.max(one.0), hi.min(one.1)),
            _ => self.intersect(&Intervals::unsigned(self.bits, lo, hi)?),
        }
    }

    /// Without one value.
    fn without(&self, value: u64) -> Option<Intervals> {
        if let Pieces::One((lo, hi)) = self.pieces {
            let pieces = match (lo.cmp(&value), value.cmp(&hi)) {
                (Ordering::Greater, _) | (_, Ordering::Greater) => Pieces::One((lo, hi)),
                (Ordering::Equal, Ordering::Equal) => return None,
                (Ordering::Equal, _) => Pieces::One((value + 1, hi)),
                (_, Ordering::Equal) => Pieces::One((lo, value - 1)),
                _ => Pieces::Two([(lo, value - 1), (value + 1, hi)]),
            };
            return Some(Intervals { bits: self.bits, pieces });
        }
        let mut rest = Scratch::new();
        for &(lo, hi) in self.pieces() {
            if lo <= value && value <= hi {
                if lo < value {
                    rest.push((lo, value - 1));
                }
                if value < hi {
                    rest.push((value + 1, hi));
                }
            } else {
                rest.push((lo, hi));
            }
        }
        Intervals::from_sorted(self.bits, &mut rest)
    }

    /// Bounds that still move go to the end of the type, and gaps are filled.
    pub fn widen(&self, new: &Intervals) -> Intervals {
        if self.bits != new.bits || !self.is_tracked() {
            return new.clone();
        }
        let bits = self.bits;
        let ((ulo, uhi), (slo, shi)) = (self.bounds(), self.signed_bounds());
        let ((new_ulo, new_uhi), (new_slo, new_shi)) = (new.bounds(), new.signed_bounds());
        let (least, greatest) = (extend(bits, half(bits)), extend(bits, half(bits) - 1));
        let u = Intervals::unsigned(
            bits,
            if new_ulo < ulo { 0 } else { ulo },
            if new_uhi > uhi { mask(bits) } else { uhi },
        );
        let s = Intervals::signed(
            bits,
            if new_slo < slo { least } else { slo },
            if new_shi > shi { greatest } else { shi },
        );
        let both = u.zip(s).and_then(|(u, s)| u.intersect(&s));
        both.unwrap_or_else(|| Intervals::full(bits))
    }

    /// The values for which `self pred x` can hold for some `x` of `other`.
    pub fn restrict(&self, pred: IntPred, other: &Intervals) -> Option<Intervals> {
        if self.bits != other.bits || !self.is_tracked() {
            return Some(self.clone());
        }
        let bits = self.bits;
        let least = extend(bits, half(bits));
        let greatest = extend(bits, half(bits) - 1);
        let allowed = match pred {
            IntPred::Eq => return self.intersect(other),
            IntPred::Ne => {
                return match other.as_single() {
                    Some(value) => self.without(value),
                    None => Some(self.clone()),
                };
            }
            IntPred::Ult => return self.between(0, other.bounds().1.checked_sub(1)?),
            IntPred::Ule => return self.between(0, other.bounds().1),
            IntPred::Ugt => return self.between(other.bounds().0.checked_add(1)?, mask(bits)),
            IntPred::Uge => return self.between(other.bounds().0, mask(bits)),
            IntPred::Slt => Intervals::signed(bits, least, other.signed_bounds().1.checked_sub(1)?),
            IntPred::Sle => Intervals::signed(bits, least, other.signed_bounds().1),
            IntPred::Sgt => {
                Intervals::signed(bits, other.signed_bounds().0.checked_add(1)?, greatest)
            }
            IntPred::Sge => Intervals::signed(bits, other.signed_bounds().0, greatest),
        };
        self.intersect(&allowed?)
    }

    /// Whether `self pred x` can hold for some `x` of `other`.
    pub fn can(&self, pred: IntPred, other: &Intervals) -> bool {
        if self.bits != other.bits || !self.is_tracked() {
            return true;
        }
        let (u, v) = (self.bounds(), other.bounds());
        match pred {
            IntPred::Eq => {
                let apart = u.1 < v.0 || v.1 < u.0;
                let whole =
                    matches!(self.pieces, Pieces::One(_)) && matches!(other.pieces, Pieces::One(_));
                !apart && (whole || self.intersect(other).is_some())
            }
            IntPred::Ne => u.0 != u.1 || v.0 != v.1 || u.0 != v.0,
            IntPred::Ult => u.0 < v.1,
            IntPred::Ule => u.0 <= v.1,
            IntPred::Ugt => u.1 > v.0,
            IntPred::Uge => u.1 >= v.0,
            _ => {
                let (s, t) = (self.signed_bounds(), other.signed_bounds());
                match pred {
                    IntPred::Slt => s.0 < t.1,
                    IntPred::Sle => s.0 <= t.1,
                    IntPred::Sgt => s.1 > t.0,
                    _ => s.1 >= t.0,
                }
            }
        }
    }

    /// Whether a comparison can be true, and whether it can be false.
    #[inline]
    pub(super) fn outcomes(&self, pred: IntPred, other: &Intervals) -> (bool, bool) {
        if self.is_full() && other.is_full() {
            return (true, true);
        }
        (self.can(pred, other), self.can(crate::registers::negate(pred), other))
    }

    /// What a comparison can yield, as an `i1`.
    pub fn compare(&self, pred: IntPred, other: &Intervals) -> Option<Intervals> {
        let (yes, no) = self.outcomes(pred, other);
        Intervals::unsigned(1, u64::from(!no), u64::from(yes))
    }
}
