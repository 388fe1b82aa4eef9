//! Lattices of vector shapes, behind one interface.
//!
//! A *shape* says how the values of a variable on different threads relate (001 §6.1). Which shapes there are is the
//! choice of a [`Lattice`]; the analysis knows only ⊥, "uniform", "varying" and what it asks a lattice to compute: the shape of
//! a result from the shapes of operands. What a lattice has no rule for is uniform if all operands are.

pub mod affine;
mod basic;
pub mod stride;

pub use affine::{Affine, Thread};
pub use basic::Basic;
pub use stride::Stride;

use crate::targets::Number;
use lw_ir::Flags;
use lw_ir::ops::{BinOp, CastOp, IntPred};
use std::fmt::{Debug, Display};

/// Vector shapes.
///
/// # What must hold
/// γ is [`holds`](Lattice::holds). `join` is the least upper bound, γ is monotone, and
/// [`transfer`](Lattice::transfer) is sound: whatever γ of the operand shapes allows, lane by lane, the results are in γ of
/// the shape it yields. Lanes that take no part, and lanes whose value is undefined, may hold anything (001 §6.2).
/// Chains of ever higher shapes are finite.
pub trait Lattice: Clone + PartialEq + Debug + Display {
    /// How it is called.
    const NAME: &'static str;

    /// ⊥: no value was seen.
    fn bottom() -> Self;

    /// The same on all threads.
    fn uniform() -> Self;

    /// Anything.
    fn varying() -> Self;

    /// Whether this is ⊥.
    fn is_bottom(&self) -> bool;

    /// Whether all threads have the same value (or none was seen).
    fn is_uniform(&self) -> bool;

    /// Whether nothing is known.
    fn is_varying(&self) -> bool {
        *self == Self::varying()
    }

    /// Raises this to allow what the other allows too.
    fn join(&mut self, other: &Self);

    /// The shape of an integer or pointer constant.
    fn constant(_bits: u32, _value: u128) -> Self {
        Self::uniform()
    }

    /// The shape of the thread's number as an integer of so many bits.
    fn lane(_bits: u32, _threads: Option<u32>) -> Self {
        Self::varying()
    }

    /// The shape of an integer or pointer on lane *t* that is a multiple of `align` (0: zero) plus `stride` times *t*: in ℤ if no lane
    /// wraps (`exact`), else modulo 2ⁿ.
    fn strided(_bits: u32, stride: i64, _align: u64, _exact: bool, _threads: Option<u32>) -> Self {
        if stride == 0 { Self::uniform() } else { Self::varying() }
    }

    /// The shape of a number of the thread, as an integer of so many bits that holds it.
    fn number(_bits: u32, number: &Number) -> Self {
        match number.line {
            Some((0, _)) => Self::uniform(),
            _ => Self::varying(),
        }
    }

    /// Lowers this to what is left if all lanes are known to lie between two numbers, as signed integers.
    fn refine(&mut self, bits: u32, lo: i128, hi: i128, _threads: Option<u32>) {
        if lo == hi && !self.is_bottom() {
            *self = Self::constant(bits, lo as u128);
        }
    }

    /// What is left if some lanes may be poison while others are not, for lattices that keep account of that.
    #[must_use]
    fn with_gaps(self) -> Self {
        self
    }

    /// What is left if threads see values of different instances: what holds of each thread alone.
    #[must_use]
    fn scatter(&self) -> Self;

    /// The shape of the result of an operation. No operand is ⊥.
    fn transfer(operation: &Operation<'_, Self>) -> Self {
        generic(operation.args)
    }

    /// γ: whether these are values of this shape. An entry is `None` on threads that may hold anything. `bits` is the width of
    /// integers and pointers; other values are compared by equality, and numbered accordingly.
    fn holds(&self, bits: Option<u32>, lanes: &[Option<u128>]) -> bool;

    /// γ for threads with these numbers in three dimensions, where they are not just counted.
    fn holds_for(&self, bits: Option<u32>, lanes: &[Option<u128>], _threads: &[Thread]) -> bool {
        self.holds(bits, lanes)
    }
}

/// [DA-UARITH] and [DA-DARITH] of 001 Fig. 6.6: uniform if all operands are.
pub fn generic<L: Lattice>(args: &[Operand<L>]) -> L {
    if args.iter().all(|arg| arg.shape.is_uniform()) { L::uniform() } else { L::varying() }
}

/// `freeze`: poison may become any number, so of a number nothing is left. It becomes the same on all threads if it is poison on all of
/// them or on none (`partial` is false).
pub(crate) fn frozen<L: Lattice>(shape: &L, partial: bool) -> L {
    if shape.is_uniform() && !partial { L::uniform() } else { L::varying() }
}

/// An operation on values, as a lattice sees it.
#[derive(Clone, Debug)]
pub struct Operation<'a, L> {
    /// What is computed.
    pub kind: Kind<'a>,
    /// What the instruction promises.
    pub flags: Flags,
    /// The width of the result, if it is an integer or a pointer of at most 64 bits.
    pub bits: Option<u32>,
    /// The operands.
    pub args: &'a [Operand<L>],
    /// The number W of threads, if it is known.
    pub threads: Option<u32>,
}

/// An operand.
#[derive(Clone, Debug)]
pub struct Operand<L> {
    /// Its shape.
    pub shape: L,
    /// Its width, if it is an integer or a pointer of at most 64 bits.
    pub bits: Option<u32>,
    /// Its value, if it is an integer constant of at most 64 bits.
    pub constant: Option<u64>,
}

/// What an operation computes.
#[derive(Clone, Copy, Debug)]
pub enum Kind<'a> {
    /// A binary operator.
    Binary(BinOp),
    /// A comparison of integers or pointers.
    Compare(IntPred),
    /// A conversion.
    Cast(CastOp),
    /// `condition, then, else`.
    Select,
    /// Fixes undefined values.
    Freeze,
    /// A pointer, then indices: the pointer plus the offset plus each index (signed) times its scale.
    Address {
        /// The constant part.
        offset: i128,
        /// A scale for each index.
        scales: &'a [i128],
    },
    /// Anything else that has no effect and depends on its operands only.
    Other,
}
