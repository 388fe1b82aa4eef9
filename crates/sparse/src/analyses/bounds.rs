//! Array bounds: into which object does a pointer point, and how far behind its start?
//!
//! Lattice: ⊤ above "in this object, at an offset in `[lo, hi]`" (wider intervals lower) above ⊥. Offsets come from the
//! [`Ranges`](super::Ranges) of indices, which branches refine, on the same view: the ABCD strategy (Bodik, Gupta, Sarkar
//! 2000; 003 Fig. 5). Whether accesses stay inside is what [`accesses`](Bounds::accesses) makes of it.

use super::intervals::Intervals;
use crate::analysis::{Analysis, At, Cx};
use crate::code::{Code, Pos};
use crate::engine::Solution;
use crate::meaning::{Arg, Expr, Extent, Meaning};
use crate::program::Var;
use crate::strategy::Strategy;
use crate::view::View;

/// The object a pointer points into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Object {
    /// What this instruction allocates.
    Alloc(Pos),
    /// A global, by number.
    Global(u32),
}

impl Object {
    /// How large it is.
    pub fn extent<P: Meaning + ?Sized>(self, program: &P, code: &Code) -> Extent {
        match self {
            Object::Alloc(pos) => {
                allocated(&program.expr(code.instr(pos))).unwrap_or(Extent::Unknown)
            }
            Object::Global(global) => {
                program.global_size(global).map_or(Extent::Unknown, Extent::Bytes)
            }
        }
    }
}

/// Where a pointer points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Region {
    /// No value yet.
    Top,
    /// Into an object, so many bytes behind its start.
    In {
        /// The object.
        object: Object,
        /// The least offset.
        lo: i128,
        /// The greatest offset.
        hi: i128,
    },
    /// Anywhere.
    Bottom,
}

/// Offsets that are not followed further; addresses wrap.
pub(crate) const FAR: i128 = 1 << 62;

/// The memory an instruction allocates, and how large it is. Functions of the C library, of C++ and of Rust may yield null
/// instead.
pub(crate) fn allocated(expr: &Expr<'_>) -> Option<Extent> {
    const WORD: u32 = 64;
    let bytes = |arg: Arg| match arg {
        Arg::Int(bytes) => u64::try_from(bytes).map_or(Extent::Unknown, Extent::Bytes),
        count => Extent::Elements { count, bits: WORD, size: 1 },
    };
    match expr {
        Expr::Alloc(extent) => Some(*extent),
        Expr::Call { callee: Some(name), args, .. } => match (*name, args.as_slice()) {
            ("malloc" | "valloc" | "_Znwm" | "_Znam", [size]) => Some(bytes(*size)),
            ("__rust_alloc" | "__rust_alloc_zeroed", [size, _]) => Some(bytes(*size)),
            ("aligned_alloc" | "memalign" | "realloc", [_, size]) => Some(bytes(*size)),
            ("calloc", [Arg::Int(a), Arg::Int(b)]) => {
                let product = a.checked_mul(*b).map_or(Arg::Other, Arg::Int);
                Some(bytes(product))
            }
            ("calloc", [count, Arg::Int(size)] | [Arg::Int(size), count]) => {
                let size = u64::try_from(*size);
                Some(size.map_or(Extent::Unknown, |size| match count {
                    Arg::Var(_) => Extent::Elements { count: *count, bits: WORD, size },
                    _ => Extent::Unknown,
                }))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The analysis. It needs the ranges of indices, solved on the view on which it will be solved.
#[derive(Clone, Copy, Debug)]
pub struct Bounds<'r> {
    /// The view.
    pub view: &'r View,
    /// The ranges.
    pub ranges: &'r Solution<Option<Intervals>>,
}

impl Bounds<'_> {
    fn arg<P: Meaning + ?Sized>(&self, cx: &Cx<'_, P, Region>, arg: Arg) -> Region {
        match arg {
            Arg::Var(var) => *cx.of(var),
            _ => constant(arg),
        }
    }

    /// The range of an index, signed; `None` if it has no value yet.
    pub(crate) fn index(&self, pos: Pos, arg: Arg, bits: u32) -> Option<(i128, i128)> {
        let full = Intervals::full(bits);
        match arg {
            Arg::Var(var) => {
                let version = self.view.uses(pos).find(|&(v, _)| v == var)?.1?;
                let range = self.ranges.of(version).as_ref()?;
                let known = if range.bits == bits { range } else { &full };
                Some((known.slo(), known.shi()))
            }
            Arg::Int(value) => {
                let value = super::arith::signed(bits, value);
                Some((value, value))
            }
            _ => Some((full.slo(), full.shi())),
        }
    }
}

/// Where a constant points.
pub(crate) fn constant(arg: Arg) -> Region {
    match arg {
        Arg::Global(global) => Region::In { object: Object::Global(global), lo: 0, hi: 0 },
        _ => Region::Bottom,
    }
}

fn meet(a: Region, b: Region) -> Region {
    match (a, b) {
        (Region::Top, other) | (other, Region::Top) => other,
        (
            Region::In { object, lo, hi },
            Region::In { object: other, lo: other_lo, hi: other_hi },
        ) if object == other => Region::In { object, lo: lo.min(other_lo), hi: hi.max(other_hi) },
        _ => Region::Bottom,
    }
}

impl<P: Meaning + ?Sized> Analysis<P> for Bounds<'_> {
    type Domain = Region;
    const NAME: &'static str = "bounds";
    const ONLY_TESTS: bool = true;

    fn strategy(&self, _: &P, _: Var) -> Strategy {
        Strategy::ABCD
    }

    fn top(&self) -> Region {
        Region::Top
    }

    fn meet(&self, into: &mut Region, with: &Region) {
        *into = meet(*into, *with);
    }

    fn entry(&self, _: &P, _: Var) -> Region {
        Region::Bottom
    }

    fn transfer(&self, cx: &Cx<'_, P, Region>, at: At, var: Var) -> Region {
        match at {
            At::Define(pos) => match cx.program.expr(cx.code.instr(pos)) {
                Expr::Copy(arg) => self.arg(cx, arg),
                Expr::Select { args: [a, b], .. } => meet(self.arg(cx, a), self.arg(cx, b)),
                Expr::Address { base, offset, indices, .. } => match self.arg(cx, base) {
                    Region::In { object, lo, hi } => {
                        let mut bounds = (lo.checked_add(offset), hi.checked_add(offset));
                        for (arg, bits, scale) in indices {
                            let Some((least, greatest)) = self.index(pos, arg, bits) else {
                                return Region::Top;
                            };
                            let (a, b) = (least.checked_mul(scale), greatest.checked_mul(scale));
                            bounds = (
                                bounds.0.and_then(|lo| lo.checked_add(a?)),
                                bounds.1.and_then(|hi| hi.checked_add(b?)),
                            );
                        }
                        let near = |x: Option<i128>| x.filter(|x| x.unsigned_abs() < FAR as u128);
                        Region::In {
                            object,
                            lo: near(bounds.0).unwrap_or(-FAR),
                            hi: near(bounds.1).unwrap_or(FAR),
                        }
                    }
                    other => other,
                },
                expr if allocated(&expr).is_some() => {
                    Region::In { object: Object::Alloc(pos), lo: 0, hi: 0 }
                }
                _ => Region::Bottom,
            },
            At::Phi(pos, edge) => {
                let phi = cx.code.instr(pos);
                match cx.program.expr(phi) {
                    Expr::Phi => {
                        let from = cx.code.graph().source(edge);
                        self.arg(cx, cx.program.phi_arg(phi, from))
                    }
                    _ => Region::Bottom,
                }
            }
            At::Pass(_) | At::Branch(_) => *cx.of(var),
        }
    }

    fn widen(&self, old: &Region, new: &Region) -> Region {
        match (*old, *new) {
            (Region::In { object, lo, hi }, Region::In { object: same, lo: low, hi: high })
                if object == same =>
            {
                Region::In {
                    object,
                    lo: if low < lo { -FAR } else { lo },
                    hi: if high > hi { FAR } else { hi },
                }
            }
            _ => *new,
        }
    }
}
