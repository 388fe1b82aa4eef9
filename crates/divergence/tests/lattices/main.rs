//! Lattices against enumeration: every vector of small integers, every mask.

mod affine;
mod stride;

use lw_divergence::lattice::{Kind, Lattice, Operand, Operation};
use lw_ir::Flags;
use lw_ir::ops::{BinOp, CastOp, IntPred};

const BITS: u32 = 3;
const LANES: usize = 3;

type Vector = [Option<u128>; LANES];

/// All vectors of integers of so many bits, `None` on lanes that take no part.
fn vectors(bits: u32) -> Vec<Vector> {
    let count = (1usize << bits) + 1;
    let lane = |i: usize| (i > 0).then(|| i as u128 - 1);
    let all = 0..count.pow(LANES as u32);
    all.map(|i| [lane(i % count), lane(i / count % count), lane(i / count / count)]).collect()
}

fn members<L: Lattice>(shape: &L, bits: u32, all: &[Vector]) -> Vec<Vector> {
    all.iter().filter(|v| shape.holds(Some(bits), &v[..])).copied().collect()
}

fn signed(bits: u32, v: u128) -> i128 {
    let shift = 128 - bits;
    (v << shift) as i128 >> shift
}

/// The result of one lane; `None` where it is poison or undefined.
fn evaluate(op: BinOp, flags: Flags, x: u128, y: u128) -> Option<u128> {
    let m = (1u128 << BITS) - 1;
    let (sx, sy) = (signed(BITS, x), signed(BITS, y));
    let fits = |v: i128| signed(BITS, v as u128 & m) == v;
    let nsw = |v: i128| (!flags.contains(Flags::NSW) || fits(v)).then_some(v as u128 & m);
    let small = y < BITS.into();
    match op {
        BinOp::Add => nsw(sx + sy),
        BinOp::Sub => nsw(sx - sy),
        BinOp::Mul => nsw(sx * sy),
        BinOp::Shl => small.then(|| nsw(sx << y))?,
        BinOp::LShr => small.then(|| x >> y),
        BinOp::AShr => small.then(|| (sx >> y) as u128 & m),
        BinOp::UDiv => x.checked_div(y),
        BinOp::URem => x.checked_rem(y),
        BinOp::SDiv => (sy != 0 && fits(sx / sy)).then(|| (sx / sy) as u128 & m),
        BinOp::SRem => (sy != 0).then(|| (sx % sy) as u128 & m),
        BinOp::And => Some(x & y),
        BinOp::Or if flags.contains(Flags::DISJOINT) && x & y != 0 => None,
        BinOp::Or => Some(x | y),
        BinOp::Xor => Some(x ^ y),
        _ => unreachable!("no operator on integers"),
    }
}

fn compare(pred: IntPred, x: u128, y: u128) -> bool {
    lw_sparse::analyses::arith::compare(pred, BITS, x, y)
}

/// An operand with the vectors it may be.
struct Case<L> {
    operand: Operand<L>,
    members: Vec<Vector>,
}

/// Shapes that are not too many vectors, and all constants.
fn cases<L: Lattice>(shapes: &[L]) -> Vec<Case<L>> {
    let all = vectors(BITS);
    let plain = shapes.iter().map(|shape| (shape.clone(), None));
    let constants = (0..1u64 << BITS).map(|c| (L::constant(BITS, c.into()), Some(c)));
    plain
        .chain(constants)
        .map(|(shape, constant)| {
            let mut members = members(&shape, BITS, &all);
            if let Some(c) = constant {
                members.retain(|v| v.iter().flatten().all(|&lane| lane == c.into()));
            }
            Case { operand: Operand { shape, bits: Some(BITS), constant }, members }
        })
        .collect()
}

/// Every pair of vectors, or an even sample of so many where there are more.
fn pairs<L>(x: &Case<L>, y: &Case<L>) -> Vec<(Vector, Vector)> {
    let total = x.members.len() * y.members.len();
    let step = (total / 400).max(1) | 1;
    let at = |i: usize| (x.members[i / y.members.len()], y.members[i % y.members.len()]);
    (0..total).step_by(step).map(at).collect()
}

/// Checks one transformer on a pair of operands.
fn sound<L: Lattice>(
    kind: Kind<'_>,
    flags: Flags,
    bits: u32,
    (x, y): (&Case<L>, &Case<L>),
    pairs: &[(Vector, Vector)],
    lane: impl Fn(u128, u128) -> Option<u128>,
) {
    for threads in [Some(LANES as u32), None] {
        let args = [x.operand.clone(), y.operand.clone()];
        let operation = Operation { kind, flags, bits: Some(bits), args: &args, threads };
        let shape = L::transfer(&operation);
        for (a, b) in pairs {
            let results: Vec<Option<u128>> =
                (0..LANES).map(|t| a[t].zip(b[t]).and_then(|(a, b)| lane(a, b))).collect();
            assert!(
                shape.holds(Some(bits), &results),
                "{kind:?} {flags}of {} and {} is {shape}, but {a:?} and {b:?} yield {results:?}",
                x.operand.shape,
                y.operand.shape
            );
        }
    }
}

fn operators_and_comparisons_are_sound<L: Lattice>(shapes: &[L]) {
    let cases = cases(shapes);
    for x in &cases {
        for y in &cases {
            let pairs = pairs(x, y);
            for &op in BinOp::ALL.iter().filter(|op| !op.is_float()) {
                for flags in [Flags::NONE, Flags::NSW, Flags::DISJOINT] {
                    let wrapping = matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Shl);
                    if flags == Flags::NSW && !wrapping
                        || flags == Flags::DISJOINT && op != BinOp::Or
                    {
                        continue;
                    }
                    let lane = |a, b| evaluate(op, flags, a, b);
                    sound(Kind::Binary(op), flags, BITS, (x, y), &pairs, lane);
                }
            }
            for &pred in IntPred::ALL {
                let lane = |a, b| Some(u128::from(compare(pred, a, b)));
                sound(Kind::Compare(pred), Flags::NONE, 1, (x, y), &pairs, lane);
            }
        }
    }
}

fn casts_are_sound<L: Lattice>(shapes: &[L]) {
    for x in &cases(shapes) {
        for to in [1, 2, 3, 4, 5] {
            for op in [CastOp::Trunc, CastOp::ZExt, CastOp::SExt, CastOp::PtrToInt] {
                let wider = to > BITS;
                if matches!(op, CastOp::Trunc) == wider || to == BITS && op != CastOp::PtrToInt {
                    continue;
                }
                for flags in [Flags::NONE, Flags::NNEG] {
                    for threads in [Some(LANES as u32), None] {
                        let args = [x.operand.clone()];
                        let kind = Kind::Cast(op);
                        let shape = L::transfer(&Operation {
                            kind,
                            flags,
                            bits: Some(to),
                            args: &args,
                            threads,
                        });
                        for v in &x.members {
                            let lane = |v: u128| {
                                let nneg = flags.contains(Flags::NNEG) && op == CastOp::ZExt;
                                let value =
                                    if op == CastOp::SExt { signed(BITS, v) as u128 } else { v };
                                let negative = signed(BITS, v) < 0;
                                (!nneg || !negative).then_some(value & ((1 << to) - 1))
                            };
                            let results = v.map(|v| v.and_then(lane));
                            assert!(
                                shape.holds(Some(to), &results),
                                "{op:?} {flags}of {} to {to} is {shape}: {results:?}",
                                x.operand.shape
                            );
                        }
                    }
                }
            }
        }
    }
}

fn selects_are_sound<L: Lattice>(shapes: &[L]) {
    let cases = cases(shapes);
    let conditions: Vec<Vector> = vectors(1);
    for x in &cases {
        for y in &cases {
            for uniform in [true, false] {
                let condition = if uniform { L::uniform() } else { L::varying() };
                let condition = Operand { shape: condition, bits: Some(1), constant: None };
                let args = [condition.clone(), x.operand.clone(), y.operand.clone()];
                let shape = L::transfer(&Operation {
                    kind: Kind::Select,
                    flags: Flags::NONE,
                    bits: Some(BITS),
                    args: &args,
                    threads: Some(LANES as u32),
                });
                for (a, b) in pairs(x, y).iter().step_by(7) {
                    for c in conditions.iter().filter(|c| condition.shape.holds(Some(1), &c[..])) {
                        let pick = |t: usize| if c[t]? == 1 { a[t] } else { b[t] };
                        let results: Vec<Option<u128>> = (0..LANES).map(pick).collect();
                        assert!(shape.holds(Some(BITS), &results), "{shape} {a:?} {b:?} {c:?}");
                    }
                }
            }
        }
    }
}

fn joins_and_scattering_are_sound<L: Lattice>(shapes: &[L]) {
    let all = vectors(BITS);
    for x in shapes {
        let scattered = x.scatter();
        for v in members(x, BITS, &all) {
            for w in members(x, BITS, &all).iter().step_by(5) {
                let mixed = [v[0], w[1], v[2]];
                assert!(scattered.holds(Some(BITS), &mixed), "{x}: {mixed:?}");
            }
        }
        for y in shapes {
            let (mut up, mut down) = (x.clone(), y.clone());
            up.join(y);
            down.join(x);
            assert_eq!(up, down);
            let mut again = up.clone();
            again.join(x);
            assert_eq!(up, again);
            for v in members(x, BITS, &all) {
                assert!(up.holds(Some(BITS), &v), "{x} ⊔ {y} = {up}: {v:?}");
            }
        }
        let mut bottom = L::bottom();
        bottom.join(x);
        assert_eq!(bottom, *x);
    }
}

/// Larger operands yield larger results: `join(f(x), f(x ⊔ z)) = f(x ⊔ z)`, up to γ.
fn transformers_are_monotone<L: Lattice>(shapes: &[L]) {
    let all = vectors(BITS);
    let cases = cases(shapes);
    for x in cases.iter().filter(|c| c.operand.constant.is_none()) {
        for z in shapes.iter().step_by(3) {
            let mut larger = x.operand.clone();
            larger.shape.join(z);
            for y in cases.iter().step_by(2) {
                for &op in BinOp::ALL.iter().filter(|op| !op.is_float()) {
                    let result = |x: &Operand<L>| {
                        L::transfer(&Operation {
                            kind: Kind::Binary(op),
                            flags: Flags::NONE,
                            bits: Some(BITS),
                            args: &[x.clone(), y.operand.clone()],
                            threads: Some(LANES as u32),
                        })
                    };
                    let (small, large) = (result(&x.operand), result(&larger));
                    if small == large {
                        continue;
                    }
                    for v in all.iter().filter(|v| small.holds(Some(BITS), &v[..])) {
                        assert!(
                            large.holds(Some(BITS), &v[..]),
                            "{op:?}: {} yields {small}, {} yields {large}, with {}",
                            x.operand.shape,
                            larger.shape,
                            y.operand.shape
                        );
                    }
                }
            }
        }
    }
}
