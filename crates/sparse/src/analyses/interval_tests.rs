//! Sets of few bits against all of their values.

use super::arith::{binary, cast, compare, mask, signed};
use super::interval_calls::{call, preimage};
use super::intervals::Intervals;
use crate::generate::OPS;
use crate::meaning::Link;
use lw_graph::generate::Rng;
use lw_ir::Flags;
use lw_ir::ops::{CastOp, IntPred};

const FLAGS: [Flags; 6] =
    [Flags::NONE, Flags::NUW, Flags::NSW, Flags::EXACT, Flags::DISJOINT, Flags::NNEG];

/// A set with few pieces, and one that contains it.
fn random(rng: &mut Rng, bits: u32) -> (Intervals, Intervals) {
    let mut number = || rng.below(1 << bits) as u64;
    let mut arc = || Intervals::arc(bits, number(), number());
    let small = if arc().contains(0) { arc() } else { arc().union(&arc()) };
    let large = small.union(&arc());
    (small, large)
}

fn values(set: &Intervals) -> Vec<u128> {
    (0..=mask(set.bits)).filter(|&x| set.contains(x)).collect()
}

fn below(small: &Option<Intervals>, large: &Option<Intervals>) -> bool {
    match (small, large) {
        (None, _) => true,
        (Some(small), Some(large)) => small.union(large) == *large,
        _ => false,
    }
}

#[test]
fn operations_are_sound_and_monotone() {
    let mut rng = Rng::new(7);
    for round in 0..4000 {
        let bits = 1 + round % 5;
        let ((a, more_a), (b, more_b)) = (random(&mut rng, bits), random(&mut rng, bits));
        for op in OPS {
            for flags in FLAGS {
                let result = a.binary(op, flags, &b);
                for &x in &values(&a) {
                    for &y in &values(&b) {
                        if let Some(z) = binary(op, flags, bits, x, y) {
                            let holds = result.as_ref().is_some_and(|r| r.contains(z));
                            assert!(
                                holds,
                                "{a:?} {op:?} {flags:?} {b:?}: {x} {y} → {z}, {result:?}"
                            );
                        }
                    }
                }
                let more = more_a.binary(op, flags, &more_b);
                assert!(
                    below(&result, &more),
                    "{a:?} {op:?} {flags:?} {b:?} = {result:?}; {more_a:?}, {more_b:?}: {more:?}"
                );
            }
        }
    }
}

#[test]
fn conversions_are_sound_and_exact() {
    let mut rng = Rng::new(8);
    for round in 0..2000 {
        let (from, to) = (1 + round % 5, 1 + round / 5 % 6);
        let (a, _) = random(&mut rng, from);
        let ops = match from.cmp(&to) {
            std::cmp::Ordering::Less => &[CastOp::ZExt, CastOp::SExt][..],
            std::cmp::Ordering::Equal => &[],
            std::cmp::Ordering::Greater => &[CastOp::Trunc],
        };
        for &op in ops {
            for flags in FLAGS {
                let result = a.cast(op, flags, to);
                let mut expected: Vec<u128> =
                    values(&a).into_iter().filter_map(|x| cast(op, flags, from, to, x)).collect();
                expected.sort_unstable();
                expected.dedup();
                let found = result.as_ref().map_or(Vec::new(), values);
                assert_eq!(found, expected, "{a:?} {op:?} {flags:?} {from} → {to}");
                // What is known of the result says something about the operand.
                let (allowed, _) = random(&mut rng, to);
                let source = preimage(Link::Cast(op, flags, from), &allowed);
                for x in 0..=mask(from) {
                    if cast(op, flags, from, to, x).is_some_and(|y| allowed.contains(y)) {
                        assert!(source.as_ref().is_some_and(|s| s.contains(x)), "{op:?} {x}");
                    }
                }
            }
        }
    }
}

#[test]
fn comparisons_restrict_as_much_as_they_can() {
    let mut rng = Rng::new(9);
    for round in 0..4000 {
        let bits = 1 + round % 5;
        let ((a, _), (b, _)) = (random(&mut rng, bits), random(&mut rng, bits));
        for &pred in IntPred::ALL {
            let holds = |x: u128| values(&b).into_iter().any(|y| compare(pred, bits, x, y));
            let expected: Vec<u128> = values(&a).into_iter().filter(|&x| holds(x)).collect();
            let found = a.restrict(pred, &b).as_ref().map_or(Vec::new(), values);
            assert_eq!(found, expected, "{a:?} {pred:?} {b:?}");
            assert_eq!(a.can(pred, &b), !expected.is_empty(), "{a:?} {pred:?} {b:?}");
        }
        let (both, either) = (a.intersect(&b), a.union(&b));
        for x in 0..=mask(bits) {
            assert_eq!(
                both.as_ref().is_some_and(|s| s.contains(x)),
                a.contains(x) && b.contains(x)
            );
            assert_eq!(either.contains(x), a.contains(x) || b.contains(x));
        }
        let signed_values: Vec<i128> = values(&a).into_iter().map(|x| signed(bits, x)).collect();
        assert_eq!(signed_values.iter().min(), Some(&a.slo()));
        assert_eq!(signed_values.iter().max(), Some(&a.shi()));
        assert!(below(&Some(either.clone()), &Some(a.widen(&either))));
    }
}

#[test]
fn intrinsics_and_links_are_sound() {
    let mut rng = Rng::new(10);
    for round in 0..4000 {
        let bits = 1 + round % 5;
        let m = mask(bits);
        let ((a, _), (b, _)) = (random(&mut rng, bits), random(&mut rng, bits));
        let by_sign = |x: u128| signed(bits, x);
        let limits = (signed(bits, 1 << (bits - 1)), signed(bits, m >> 1));
        let clamp = |x: i128| x.clamp(limits.0, limits.1) as u128 & m;
        type Two<'a> = &'a dyn Fn(u128, u128) -> u128;
        let two: [(&str, Two<'_>); 8] = [
            ("umin", &|x, y| x.min(y)),
            ("umax", &|x, y| x.max(y)),
            ("smin", &|x, y| if by_sign(x) < by_sign(y) { x } else { y }),
            ("smax", &|x, y| if by_sign(x) > by_sign(y) { x } else { y }),
            ("uadd.sat", &|x, y| (x + y).min(m)),
            ("usub.sat", &|x, y| x.saturating_sub(y)),
            ("sadd.sat", &|x, y| clamp(by_sign(x) + by_sign(y))),
            ("ssub.sat", &|x, y| clamp(by_sign(x) - by_sign(y))),
        ];
        for (name, f) in two {
            let result = call(&format!("llvm.{name}.i{bits}"), &[&a, &b]).flatten();
            for &x in &values(&a) {
                for &y in &values(&b) {
                    let holds = result.as_ref().is_some_and(|r| r.contains(f(x, y)));
                    assert!(holds, "{name} {a:?} {b:?}: {x} {y}, {result:?}");
                }
            }
        }
        type One<'a> = &'a dyn Fn(u128) -> u128;
        let one: [(&str, One<'_>); 4] = [
            ("abs", &|x| by_sign(x).unsigned_abs() & m),
            ("ctpop", &|x| x.count_ones().into()),
            ("ctlz", &|x| u128::from(x.leading_zeros() + bits - 128)),
            ("cttz", &|x| u128::from(x.trailing_zeros().min(bits))),
        ];
        for (name, f) in one {
            for flag in [0, 1] {
                let poison = |x: u128| match name {
                    "abs" => by_sign(x) == limits.0,
                    _ => x == 0,
                };
                let args = [&a, &Intervals::single(1, flag)];
                let result = call(&format!("llvm.{name}.i{bits}"), &args).flatten();
                for &x in values(&a).iter().filter(|&&x| flag == 0 || name == "ctpop" || !poison(x))
                {
                    let holds = result.as_ref().is_some_and(|r| r.contains(f(x) & m));
                    assert!(holds, "{name} {a:?} {flag}: {x}, {result:?}");
                }
            }
        }
        let c = rng.below(1 << bits) as u128;
        let by = rng.below(bits as usize) as u32;
        let links: [(Link, One<'_>); 7] = [
            (Link::Plus(c), &|x| x.wrapping_add(c) & m),
            (Link::From(c), &|x| c.wrapping_sub(x) & m),
            (Link::Mask(c), &|x| x & c),
            (Link::Right(by), &|x| x >> by),
            (Link::Ones, &|x| u128::from(x.count_ones()) & m),
            (Link::Above, &|x| x & c),
            (Link::Below, &|x| x | c),
        ];
        for (link, f) in links {
            let source = preimage(link, &a);
            for x in (0..=m).filter(|&x| a.contains(f(x))) {
                assert!(
                    source.as_ref().is_some_and(|s| s.contains(x)),
                    "{link:?} {a:?}: {x}, {source:?}"
                );
            }
        }
    }
}
