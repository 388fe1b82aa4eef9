//! Array bounds: does an access stay within the allocation or global it is made through?
//!
//! Lattice: ⊤ above "in this object, at an offset in `[lo, hi]`" (wider intervals lower) above ⊥. Offsets come from the
//! [`Ranges`](super::Ranges) of indices, which branches refine, on the same view: the ABCD strategy (Bodik, Gupta, Sarkar
//! 2000; 003 Fig. 5). Bounds are numbers; `i < n` helps as far as the range of `n` does.

use super::interval::Interval;
use super::null::dereferenced;
use crate::analysis::{Analysis, At, Cx};
use crate::code::Pos;
use crate::engine::Solution;
use crate::meaning::{Arg, Expr, Meaning};
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

/// Where a pointer points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Region {
    /// No value yet.
    Top,
    /// Into an object, so many bytes behind its start.
    In {
        /// The object.
        object: Object,
        /// Its size in bytes.
        size: u64,
        /// The least offset.
        lo: i128,
        /// The greatest offset.
        hi: i128,
    },
    /// Anywhere.
    Bottom,
}

/// What is known of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Never out of bounds.
    Inside,
    /// Always out of bounds.
    Outside,
    /// Nothing for certain.
    Unknown,
}

/// An access with what is known of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// The load or store.
    pub pos: Pos,
    /// The verdict.
    pub verdict: Verdict,
}

/// The analysis. It needs the ranges of indices, solved on the view on which it will be solved.
#[derive(Clone, Copy, Debug)]
pub struct Bounds<'r> {
    /// The view.
    pub view: &'r View,
    /// The ranges.
    pub ranges: &'r Solution<Option<Interval>>,
}

impl Bounds<'_> {
    fn arg<P: Meaning + ?Sized>(&self, cx: &Cx<'_, P, Region>, arg: Arg) -> Region {
        match arg {
            Arg::Var(var) => *cx.of(var),
            Arg::Global(global) => match cx.program.global_size(global) {
                Some(size) => Region::In { object: Object::Global(global), size, lo: 0, hi: 0 },
                None => Region::Bottom,
            },
            _ => Region::Bottom,
        }
    }

    /// The range of an index, signed.
    fn index(&self, pos: Pos, arg: Arg, bits: u32) -> Option<(i128, i128)> {
        let full = Interval::full(bits);
        match arg {
            Arg::Var(var) => {
                let version = self.view.uses(pos).find(|&(v, _)| v == var)?.1?;
                let range = (*self.ranges.of(version))?;
                let known = if range.bits == bits { range } else { full };
                Some((known.slo, known.shi))
            }
            _ => Some((full.slo, full.shi)),
        }
    }

    /// What is known of the loads and stores of a program.
    pub fn accesses<P: Meaning + ?Sized>(
        &self,
        program: &P,
        solution: &Solution<Region>,
    ) -> Vec<Access> {
        let code = self.view.code();
        let mut accesses = Vec::new();
        for &block in code.block_index().order() {
            for pos in code.body(block) {
                let expr = program.expr(code.instr(pos));
                let (Expr::Load { bytes, .. } | Expr::Store { bytes, .. }) = expr else { continue };
                let Some(pointer) = dereferenced(&expr) else { continue };
                let region = match pointer {
                    Arg::Var(var) => {
                        let version = self.view.uses(pos).find(|&(v, _)| v == var);
                        version.and_then(|(_, v)| v).map_or(Region::Top, |v| *solution.of(v))
                    }
                    Arg::Global(global) => match program.global_size(global) {
                        Some(size) => {
                            Region::In { object: Object::Global(global), size, lo: 0, hi: 0 }
                        }
                        None => Region::Bottom,
                    },
                    _ => Region::Bottom,
                };
                let verdict = match (region, bytes) {
                    (Region::In { size, lo, hi, .. }, Some(bytes)) => {
                        let last = i128::from(size) - i128::from(bytes);
                        if lo >= 0 && hi <= last {
                            Verdict::Inside
                        } else if hi < 0 || lo > last {
                            Verdict::Outside
                        } else {
                            Verdict::Unknown
                        }
                    }
                    _ => Verdict::Unknown,
                };
                accesses.push(Access { pos, verdict });
            }
        }
        accesses
    }
}

fn meet(a: Region, b: Region) -> Region {
    match (a, b) {
        (Region::Top, other) | (other, Region::Top) => other,
        (
            Region::In { object, size, lo, hi },
            Region::In { object: other, lo: other_lo, hi: other_hi, .. },
        ) if object == other => {
            Region::In { object, size, lo: lo.min(other_lo), hi: hi.max(other_hi) }
        }
        _ => Region::Bottom,
    }
}

impl<P: Meaning + ?Sized> Analysis<P> for Bounds<'_> {
    type Domain = Region;
    const NAME: &'static str = "bounds";

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
                Expr::Alloc(Some(size)) => {
                    Region::In { object: Object::Alloc(pos), size, lo: 0, hi: 0 }
                }
                Expr::Select { args: [a, b], .. } => meet(self.arg(cx, a), self.arg(cx, b)),
                Expr::Address { base, offset, indices, .. } => match self.arg(cx, base) {
                    Region::In { object, size, lo, hi } => {
                        let mut bounds = (lo.checked_add(offset), hi.checked_add(offset));
                        for (arg, bits, scale) in indices {
                            let Some((least, greatest)) = self.index(pos, arg, bits) else {
                                return Region::Top; // The index has no value yet.
                            };
                            let (a, b) = (least.checked_mul(scale), greatest.checked_mul(scale));
                            bounds = (
                                bounds.0.and_then(|lo| lo.checked_add(a?)),
                                bounds.1.and_then(|hi| hi.checked_add(b?)),
                            );
                        }
                        // Addresses wrap; what could do so is not followed.
                        let near = |x: i128| x.unsigned_abs() < 1 << 62;
                        match bounds {
                            (Some(lo), Some(hi)) if near(lo) && near(hi) => {
                                Region::In { object, size, lo, hi }
                            }
                            _ => Region::Bottom,
                        }
                    }
                    other => other,
                },
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
        if old == new { *new } else { Region::Bottom }
    }
}
