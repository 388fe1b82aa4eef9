//! Affine shapes.

use crate::LANES;
use lw_divergence::Affine;
use lw_divergence::lattice::{Kind, Lattice, Operand, Operation};
use lw_ir::Flags;
use lw_ir::ops::{BinOp, IntPred};

/// Polynomials in the number of the lane, built from it by operations.
fn shapes<const D: u32>() -> Vec<Affine<D>> {
    let apply = |op: BinOp, x: &Affine<D>, y: &Affine<D>, flags: Flags| {
        let operand =
            |shape: &Affine<D>| Operand { shape: *shape, bits: Some(crate::BITS), constant: None };
        Affine::transfer(&Operation {
            kind: Kind::Binary(op),
            flags,
            bits: Some(crate::BITS),
            args: &[operand(x), operand(y)],
            threads: Some(LANES as u32),
        })
    };
    let mut found = vec![Affine::uniform(), Affine::varying(), Affine::lane(crate::BITS, None)];
    found.push(Affine::lane(crate::BITS, Some(LANES as u32)));
    found.extend([0, 1, 2, 3, 7].map(|c| Affine::constant(crate::BITS, c)));
    for _ in 0..2 {
        let known = found.clone();
        for x in &known {
            for y in known.iter().step_by(2) {
                for (op, flags) in [
                    (BinOp::Add, Flags::NONE),
                    (BinOp::Mul, Flags::NONE),
                    (BinOp::Sub, Flags::NSW),
                    (BinOp::Mul, Flags::NSW),
                ] {
                    let shape = apply(op, x, y, flags);
                    if !found.contains(&shape) && found.len() < 36 {
                        found.push(shape);
                    }
                }
            }
        }
    }
    found
}

#[test]
fn transformers_of_degree_two_are_sound() {
    crate::operators_and_comparisons_are_sound(&shapes::<2>());
    crate::casts_are_sound(&shapes::<2>());
    crate::selects_are_sound(&shapes::<2>());
}

#[test]
fn transformers_of_degree_one_are_sound() {
    crate::operators_and_comparisons_are_sound(&shapes::<1>());
    crate::casts_are_sound(&shapes::<1>());
}

#[test]
fn it_is_a_lattice() {
    crate::joins_and_scattering_are_sound(&shapes::<2>());
    crate::joins_and_scattering_are_sound(&shapes::<1>());
}

#[test]
fn several_dimensions() {
    let operand = |shape: Affine<2>| Operand { shape, bits: Some(32), constant: None };
    let apply = |kind: Kind<'_>, x: Affine<2>, y: Affine<2>| {
        let (args, flags) = ([operand(x), operand(y)], Flags::NSW);
        Affine::transfer(&Operation { kind, flags, bits: Some(32), args: &args, threads: None })
    };
    let [x, y] = [0, 1].map(Affine::thread);
    let width = Affine::uniform();
    // y · width + x has the slope 1 in x, an unknown one in y, and no other.
    let row = apply(Kind::Binary(BinOp::Mul), y, width);
    let at = apply(Kind::Binary(BinOp::Add), row, x);
    assert_eq!(at.to_string(), "?y + x");
    assert_eq!((at.slope(0), at.slope(1), at.slope(2)), (Some(1), None, Some(0)));
    let lanes = |f: &dyn Fn(u32, u32) -> u128| {
        let threads = (0..3).flat_map(|y| (0..4).map(move |x| (x, y)));
        threads.map(|(x, y)| ([x, y, 0], f(x, y))).collect::<Vec<_>>()
    };
    assert!(at.holds_at(32, &lanes(&|x, y| u128::from(100 * y + x))));
    assert!(!at.holds_at(32, &lanes(&|x, y| u128::from(100 * y * y + x))));
    // The same row minus itself moved by a constant is uniform.
    let next = apply(Kind::Binary(BinOp::Add), x, Affine::constant(32, 4));
    let less = apply(Kind::Compare(IntPred::Slt), x, next);
    assert!(less.is_uniform());
    assert!(!apply(Kind::Compare(IntPred::Slt), x, y).is_uniform());
}
