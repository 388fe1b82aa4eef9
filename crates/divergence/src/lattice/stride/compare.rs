//! Comparisons (001 §10.4.4), all ten predicates.

use super::{Stride, gcd, power_of_two, signed, spread};
use crate::lattice::{Lattice, Operand};
use lw_ir::ops::IntPred;

/// A line B + s·t in ℤ, B a multiple of `align` (0: zero).
struct Line {
    stride: i128,
    align: u128,
}

pub(super) fn compare(
    pred: IntPred,
    bits: u32,
    x: &Operand<Stride>,
    y: &Operand<Stride>,
    threads: Option<u32>,
) -> Stride {
    let uniform = match pred {
        IntPred::Eq | IntPred::Ne => same_everywhere(bits, x, y),
        IntPred::Sgt | IntPred::Sge | IntPred::Slt | IntPred::Sle => {
            let lines = signed_line(&x.shape).zip(signed_line(&y.shape));
            lines.is_some_and(|(x, y)| never_cross(pred, &x, &y, threads))
        }
        IntPred::Ugt | IntPred::Uge | IntPred::Ult | IntPred::Ule => {
            let line = |operand| unsigned_line(bits, operand, threads);
            line(x).zip(line(y)).is_some_and(|(x, y)| never_cross(pred, &x, &y, threads))
        }
    };
    if uniform { Stride::uniform() } else { Stride::varying() }
}

/// With the same stride the difference is the same on all lanes, wrapped or not. And a constant is never met by multiples of
/// something that does not divide it.
fn same_everywhere(bits: u32, x: &Operand<Stride>, y: &Operand<Stride>) -> bool {
    let never = |x: &Operand<Stride>, y: &Operand<Stride>| {
        let align = x.shape.lane_align();
        let constant = y.constant.map(|c| signed(bits, c.into()).unsigned_abs());
        align != 0 && constant.is_some_and(|c| !c.is_multiple_of(align))
    };
    let strides = x.shape.stride().zip(y.shape.stride());
    strides.is_some_and(|(s, t)| s == t) || never(x, y) || never(y, x)
}

fn signed_line(shape: &Stride) -> Option<Line> {
    match *shape {
        Stride::Strided { stride, align, exact: true, .. } => {
            Some(Line { stride: stride.into(), align })
        }
        _ => None,
    }
}

/// The unsigned values of lanes as a line, if none of them wraps.
pub(super) fn unsigned_spread(
    bits: u32,
    shape: &Stride,
    threads: Option<u32>,
) -> Option<(i128, u128)> {
    let Stride::Strided { stride, align, .. } = *shape else { return None };
    let align = power_of_two(align);
    let room = if align == 0 { 1 << bits } else { align };
    let fits = spread(stride.into(), threads).is_some_and(|spread| spread < room);
    (fits || stride == 0).then_some((stride.into(), align))
}

fn unsigned_line(bits: u32, operand: &Operand<Stride>, threads: Option<u32>) -> Option<Line> {
    if let Some(constant) = operand.constant {
        return Some(Line { stride: 0, align: constant.into() });
    }
    let (stride, align) = unsigned_spread(bits, &operand.shape, threads)?;
    Some(Line { stride, align })
}

/// Whether the comparison comes out the same on all lanes: the difference is D + d·t with D a multiple of some g, and all its
/// values lie on one side of zero, zero itself counting to the side the predicate says.
fn never_cross(pred: IntPred, x: &Line, y: &Line, threads: Option<u32>) -> bool {
    let d = x.stride - y.stride;
    if d == 0 {
        return true;
    }
    // D = 0 belongs to the upper side for ≥ and <, to the lower side for > and ≤.
    let upward = matches!(pred, IntPred::Sge | IntPred::Slt | IntPred::Uge | IntPred::Ult);
    let g = gcd(x.align, y.align);
    let reach = spread(d.abs(), threads);
    (d > 0) == upward && (g == 0 || reach.is_some_and(|reach| reach < g))
}
