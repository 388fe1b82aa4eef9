//! Does an access stay within the allocation, global or array type it is made through? And why, or why not?
//!
//! Three proofs are tried. The offsets are numbers that fit; or the index is at most a difference below the number of
//! elements that were allocated ([`Differences`]); or, if the object is not known, the index fits the array type that the
//! address computation steps into.

use super::bounds::{Bounds, FAR, Object, Region, constant};
use super::differences::Differences;
use crate::code::Pos;
use crate::engine::Solution;
use crate::meaning::{Arg, Expr, Extent, Meaning};
use crate::view::{Def, Version};

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

/// Why the verdict is what it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// Control does not get there.
    NeverExecuted,
    /// The offsets are known, and so is the size.
    Offsets,
    /// The index is below the number of elements wherever control gets there.
    Difference {
        /// The index.
        index: Version,
        /// The number.
        count: Version,
    },
    /// The index fits the array type; the object is not known.
    ArrayType {
        /// The number of elements of the type.
        count: u64,
    },
    /// The object is not known.
    UnknownObject,
    /// The object is known, its size is not.
    UnknownSize,
    /// How many bytes are accessed is not known.
    UnknownAccess,
    /// The offset may be below zero.
    BeforeStart,
    /// The offset may be too large.
    BehindEnd,
}

/// An access with what is known of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// The load or store.
    pub pos: Pos,
    /// How many bytes it accesses.
    pub bytes: Option<u64>,
    /// Where its pointer points.
    pub region: Region,
    /// How large the object there is.
    pub extent: Extent,
    /// The verdict.
    pub verdict: Verdict,
    /// Why.
    pub reason: Reason,
}

impl Bounds<'_> {
    /// What is known of the loads and stores of a program, given where its pointers point.
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
                let (Expr::Load { pointer, bytes } | Expr::Store { pointer, bytes, .. }) = expr
                else {
                    continue;
                };
                let region = self.region(pos, pointer, solution);
                let extent = match region {
                    Region::In { object, .. } => object.extent(program, code),
                    _ => Extent::Unknown,
                };
                let (verdict, reason) = if !self.ranges.block_reached(block) {
                    (Verdict::Inside, Reason::NeverExecuted)
                } else {
                    self.judge(program, solution, (pos, pointer, bytes), region, extent)
                };
                accesses.push(Access { pos, bytes, region, extent, verdict, reason });
            }
        }
        accesses
    }

    fn region(&self, pos: Pos, pointer: Arg, solution: &Solution<Region>) -> Region {
        match pointer {
            Arg::Var(_) => self.version(pos, pointer).map_or(Region::Top, |v| *solution.of(v)),
            _ => constant(pointer),
        }
    }

    fn version(&self, pos: Pos, arg: Arg) -> Option<Version> {
        let Arg::Var(var) = arg else { return None };
        self.view.uses(pos).find(|&(v, _)| v == var)?.1
    }

    fn judge<P: Meaning + ?Sized>(
        &self,
        program: &P,
        solution: &Solution<Region>,
        (pos, pointer, bytes): (Pos, Arg, Option<u64>),
        region: Region,
        extent: Extent,
    ) -> (Verdict, Reason) {
        let Some(bytes) = bytes else { return (Verdict::Unknown, Reason::UnknownAccess) };
        match (region, extent) {
            (Region::In { lo, hi, .. }, Extent::Bytes(size)) => {
                let last = i128::from(size) - i128::from(bytes);
                if lo >= 0 && hi <= last {
                    (Verdict::Inside, Reason::Offsets)
                } else if hi < 0 || lo > last {
                    (Verdict::Outside, Reason::Offsets)
                } else if lo < 0 {
                    (Verdict::Unknown, Reason::BeforeStart)
                } else {
                    (Verdict::Unknown, Reason::BehindEnd)
                }
            }
            (Region::In { lo, .. }, _) if lo < 0 => (Verdict::Unknown, Reason::BeforeStart),
            (Region::In { object, .. }, Extent::Elements { count, size, .. }) => {
                let found = self.below_count(
                    program,
                    solution,
                    (pos, pointer, bytes),
                    object,
                    (count, size),
                );
                match found {
                    Some((index, count)) => (Verdict::Inside, Reason::Difference { index, count }),
                    None => (Verdict::Unknown, Reason::BehindEnd),
                }
            }
            (Region::In { .. }, Extent::Unknown) => (Verdict::Unknown, Reason::UnknownSize),
            _ => self.in_array_type(program, pos, pointer, bytes),
        }
    }

    /// The address computation that yields a pointer.
    fn address<'p, P: Meaning + ?Sized>(
        &self,
        program: &'p P,
        mut version: Version,
    ) -> Option<(Pos, Expr<'p>)> {
        loop {
            match self.view.def(version) {
                Def::Copy(copy) => version = self.view.copies()[copy as usize].source,
                Def::Sigma(sigma, _) => version = self.view.sigmas()[sigma as usize].source,
                Def::Instr(pos) => {
                    let expr = program.expr(self.view.code().instr(pos));
                    return matches!(expr, Expr::Address { .. }).then_some((pos, expr));
                }
                _ => return None,
            }
        }
    }

    /// Proves `base + offset + index * scale + bytes ≤ count * size`; yields the index and the number.
    ///
    /// The pointer must come from the allocation without a φ on the way, so that both belong to the same execution of it.
    fn below_count<P: Meaning + ?Sized>(
        &self,
        program: &P,
        solution: &Solution<Region>,
        (pos, pointer, bytes): (Pos, Arg, u64),
        object: Object,
        (count, size): (Arg, u64),
    ) -> Option<(Version, Version)> {
        let Object::Alloc(alloc) = object else { return None };
        let (at, Expr::Address { base, offset, indices, .. }) =
            self.address(program, self.version(pos, pointer)?)?
        else {
            return None;
        };
        let [(index, _, scale)] = indices[..] else { return None };
        let Region::In { hi, .. } = self.region(at, base, solution) else { return None };
        if hi >= FAR || !self.straight(program, self.version(at, base)?, alloc) {
            return None;
        }
        let differences = Differences { program, view: self.view, ranges: self.ranges };
        let limit = differences.linear(self.version(alloc, count)?);
        let index = differences.linear(self.version(at, index)?);
        // index.scale * scale * i + behind ≤ limit.scale * size * n
        let step = index.scale.checked_mul(scale)?;
        if step <= 0 || step != limit.scale.checked_mul(i128::from(size))? {
            return None;
        }
        let behind = hi + offset + i128::from(bytes) + index.offset.checked_mul(scale)?;
        let slack = limit.offset.checked_mul(i128::from(size))?.checked_sub(behind)?;
        differences
            .at_most(index.version, limit.version, slack.div_euclid(step))
            .then_some((index.version, limit.version))
    }

    /// Whether a pointer comes from an allocation without a φ on the way.
    fn straight<P: Meaning + ?Sized>(&self, program: &P, mut version: Version, alloc: Pos) -> bool {
        loop {
            if self.view.def(version) == Def::Instr(alloc) {
                return true;
            }
            version = match self.view.def(version) {
                Def::Copy(copy) => self.view.copies()[copy as usize].source,
                Def::Sigma(sigma, _) => self.view.sigmas()[sigma as usize].source,
                Def::Instr(pos) => match program.expr(self.view.code().instr(pos)) {
                    Expr::Copy(arg) | Expr::Address { base: arg, .. } => {
                        let Some(version) = self.version(pos, arg) else { return false };
                        version
                    }
                    _ => return false,
                },
                _ => return false,
            };
        }
    }

    fn in_array_type<P: Meaning + ?Sized>(
        &self,
        program: &P,
        pos: Pos,
        pointer: Arg,
        bytes: u64,
    ) -> (Verdict, Reason) {
        let address = self.version(pos, pointer).and_then(|v| self.address(program, v));
        let Some((at, Expr::Address { array: Some(step), .. })) = address else {
            return (Verdict::Unknown, Reason::UnknownObject);
        };
        match self.index(at, step.index, step.bits) {
            Some((lo, hi)) if lo >= 0 && hi < i128::from(step.count) && bytes <= step.size => {
                (Verdict::Inside, Reason::ArrayType { count: step.count })
            }
            _ => (Verdict::Unknown, Reason::UnknownObject),
        }
    }
}
