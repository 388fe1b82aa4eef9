//! What LLVM's integer intrinsics make of [`Intervals`], and what is known of a value from something computed from it.

use super::intervals::{Intervals, Piece, Scratch, extend, mask};
use crate::meaning::Link;
use lw_ir::Flags;
use lw_ir::ops::{BinOp, CastOp, IntPred};

/// What a call yields for operands of the width of its result; the last may be a flag. Outer `None`: that is not known;
/// inner `None`: no defined value.
pub(super) fn call(name: &str, args: &[&Intervals]) -> Option<Option<Intervals>> {
    let name = name.strip_prefix("llvm.")?;
    let (name, _) = name.rsplit_once('.')?;
    let a = *args.first()?;
    let bits = a.bits;
    if !a.is_tracked() {
        return None;
    }
    let flag = args.get(1).is_some_and(|flag| flag.as_single() == Some(1));
    Some(match (name, args) {
        ("umin", [_, b]) => either(a.restrict(IntPred::Ule, b), b.restrict(IntPred::Ule, a)),
        ("umax", [_, b]) => either(a.restrict(IntPred::Uge, b), b.restrict(IntPred::Uge, a)),
        ("smin", [_, b]) => either(a.restrict(IntPred::Sle, b), b.restrict(IntPred::Sle, a)),
        ("smax", [_, b]) => either(a.restrict(IntPred::Sge, b), b.restrict(IntPred::Sge, a)),
        ("abs", _) => {
            let zero = Intervals::single(bits, 0);
            let positive = a.restrict(IntPred::Sge, &zero);
            let nsw = if flag { Flags::NSW } else { Flags::NONE };
            let negative = a.restrict(IntPred::Slt, &zero);
            either(positive, negative.and_then(|n| zero.binary(BinOp::Sub, nsw, &n)))
        }
        ("ctpop", _) => {
            let (lo, hi) = a.bounds();
            let longest = 64 - hi.leading_zeros();
            Intervals::unsigned(bits, (lo > 0).into(), longest.into())
        }
        ("ctlz", _) => {
            let (lo, hi) = a.bounds();
            let zeros = |x: u64| u64::from(x.leading_zeros() - (64 - bits));
            let lo = if flag { lo.max(1) } else { lo };
            Intervals::unsigned(bits, zeros(hi), zeros(lo))
        }
        ("cttz", _) => {
            let (lo, hi) = a.bounds();
            let longest = u64::from(hi.checked_ilog2().unwrap_or(0));
            let some = (hi > 0).then(|| Intervals::unsigned(bits, 0, longest)).flatten();
            let none = (lo == 0 && !flag).then(|| Intervals::single(bits, bits.into()));
            either(some, none)
        }
        ("uadd.sat", [_, b]) => {
            let add = |x: u64, y: u64| x.saturating_add(y).min(mask(bits));
            let ((alo, ahi), (blo, bhi)) = (a.bounds(), b.bounds());
            Intervals::unsigned(bits, add(alo, blo), add(ahi, bhi))
        }
        ("usub.sat", [_, b]) => {
            let ((alo, ahi), (blo, bhi)) = (a.bounds(), b.bounds());
            Intervals::unsigned(bits, alo.saturating_sub(bhi), ahi.saturating_sub(blo))
        }
        ("sadd.sat", [_, b]) => {
            let ((alo, ahi), (blo, bhi)) = (a.signed_bounds(), b.signed_bounds());
            clamped(bits, alo.saturating_add(blo), ahi.saturating_add(bhi))
        }
        ("ssub.sat", [_, b]) => {
            let ((alo, ahi), (blo, bhi)) = (a.signed_bounds(), b.signed_bounds());
            clamped(bits, alo.saturating_sub(bhi), ahi.saturating_sub(blo))
        }
        ("expect", _) => Some(a.clone()),
        _ => return None,
    })
}

fn clamped(bits: u32, lo: i64, hi: i64) -> Option<Intervals> {
    let least = extend(bits, 1 << (bits - 1));
    let clamp = |x: i64| x.clamp(least, -(least + 1));
    Intervals::signed(bits, clamp(lo), clamp(hi))
}

fn either(a: Option<Intervals>, b: Option<Intervals>) -> Option<Intervals> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.union(&b)),
        (a, b) => a.or(b),
    }
}

/// The values from which `link` can make one of `allowed`; `None` if there are none.
pub(super) fn preimage(link: Link, allowed: &Intervals) -> Option<Intervals> {
    let bits = allowed.bits;
    let m = mask(bits);
    let (lo, hi) = allowed.bounds();
    let number = |value: u128| Intervals::single(bits, value);
    match link {
        Link::Plus(c) => allowed.binary(BinOp::Sub, Flags::NONE, &number(c)),
        Link::From(c) => number(c).binary(BinOp::Sub, Flags::NONE, allowed),
        Link::Mask(kept) => {
            let kept = kept as u64;
            if let Some(value) = allowed.as_single() {
                let possible = value & !kept == 0;
                return Intervals::unsigned(bits, value, value | !kept & m).filter(|_| possible);
            }
            let below = (kept & kept.wrapping_neg()).wrapping_sub(1);
            if kept != 0 && kept | below == m {
                // Only low bits were cleared.
                let up = |lo: u64| lo.checked_add(below).map(|lo| lo & kept);
                let whole = |&(lo, hi): &Piece| Some((up(lo)?, hi & kept | below));
                let mut all: Scratch = allowed.pieces().iter().filter_map(whole).collect();
                all.retain(|piece| piece.0 <= piece.1);
                return Intervals::collect(bits, &mut all);
            }
            // What is not zero has a bit set.
            let least = if lo > 0 && kept != 0 { lo.max(kept & kept.wrapping_neg()) } else { lo };
            Intervals::unsigned(bits, least, m)
        }
        Link::Right(by) => {
            let most = m >> by;
            let last = if hi >= most { m } else { ((hi + 1) << by) - 1 };
            (lo <= most).then(|| Intervals::unsigned(bits, lo << by, last)).flatten()
        }
        Link::Cast(CastOp::ZExt, _, from) => {
            let inside = Intervals::unsigned(bits, 0, mask(from))?;
            allowed.intersect(&inside)?.cast(CastOp::Trunc, Flags::NONE, from)
        }
        Link::Cast(CastOp::SExt, _, from) => {
            let least = extend(from, 1 << (from - 1));
            let inside = Intervals::signed(bits, least, -(least + 1))?;
            allowed.intersect(&inside)?.cast(CastOp::Trunc, Flags::NONE, from)
        }
        Link::Cast(_, flags, from) => {
            if flags.contains(Flags::NUW) {
                return allowed.cast(CastOp::ZExt, Flags::NONE, from);
            }
            if flags.contains(Flags::NSW) {
                return allowed.cast(CastOp::SExt, Flags::NONE, from);
            }
            let above = mask(from) & !m;
            Intervals::unsigned(from, lo, hi | above)
        }
        Link::Ones => {
            let ones = |n: u64| if n == 0 { 0 } else { u64::MAX >> 64u64.saturating_sub(n) };
            let (n, most) = (u64::from(bits), hi.min(bits.into()));
            (lo <= n).then(|| Intervals::unsigned(bits, ones(lo), m & !ones(n - most))).flatten()
        }
        Link::Above => Intervals::unsigned(bits, lo, m),
        Link::Below => Intervals::unsigned(bits, 0, hi),
    }
}

/// The pieces of a promise, `[lo, hi)` each.
pub(super) fn promised(bits: u32, ranges: &[(u128, u128)]) -> Option<Intervals> {
    if bits > 64 || ranges.is_empty() {
        return None;
    }
    let m = mask(bits);
    let mut all = Scratch::new();
    for &(lo, hi) in ranges {
        let (first, last) = (lo as u64 & m, (hi as u64).wrapping_sub(1) & m);
        all.extend_from_slice(Intervals::arc(bits, first, last).pieces());
    }
    Intervals::collect(bits, &mut all)
}
