//! Verdicts as LLVM's `print<uniformity>` gives and prints them, to be compared with it.
//!
//! An instruction is uniform if its operands are, unless the target says otherwise ([`Gpu`]), and all exits of a loop that
//! threads leave in different iterations are divergent. A [`Solver`] decides by that, in a short way; [`print`](fn@print) writes
//! what it found in LLVM's format. [`options`] and [`sources`] make [`analyze`](crate::analyze) start where LLVM's targets do and know no
//! more, for the same verdicts on the sparse engine.
//!
//! Two verdicts differ on purpose:
//!
//! - Threads that leave a loop in different iterations can arrive at an exit over different edges. If the exit is a direct successor
//!   of the branch at which they part, LLVM overlooks that its φs mix values: a φ of different constants is uniform for it.
//! - Threads that part in the header of a loop, and leave it further down, can do so in different iterations. LLVM does not follow them
//!   around the loop, and takes what was defined in the loop to be the same behind it.

mod cycles;
mod print;
mod rules;
mod uniformity;
mod whole;

pub use print::{BlockWords, Words, print};
pub use rules::Gpu;
pub(crate) use rules::Rule;
pub use uniformity::{Solver, Uniformity};
pub(crate) use whole::Whole;

use crate::{Basic, Options, Sources};
use lw_ir::Function;

/// The options with which the analysis decides as LLVM does.
pub fn options(gpu: Gpu) -> Options {
    let less = Options { equalities: false, stack: false, causes: false, ..Options::default() };
    Options { llvm: Some(gpu), ..less }
}

/// Where LLVM sees divergence start, beside the instructions that [`options`] take care of: at the parameters.
pub fn sources(function: &Function, gpu: Gpu) -> Sources<Basic> {
    let shape = |i: usize| match gpu.is_varying_param(function, i) {
        true => Basic::Varying,
        false => Basic::Uniform,
    };
    Sources::params((0..function.params().len()).map(shape))
}
