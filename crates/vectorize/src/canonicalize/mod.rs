//! Canonical form: what all later stages rely on (001 §2.4).
//!
//! | property | module |
//! | --- | --- |
//! | nothing the pipeline cannot carry | `check` |
//! | every loop has one entry | `reducible` |
//! | all blocks are reachable; no two edges between the same blocks; one return; no `unreachable` | `edges` |
//! | every loop has a preheader, one latch, and exits that only it enters | `loops` |
//! | what is defined in a loop and used behind it passes a φ at the exit (LCSSA) | here, by `lw-sparse` |
//!
//! A region from LLVM may have been brought into this form before; then nothing changes.

mod check;
mod edges;
mod loops;
mod reducible;

use crate::decline::Declined;
pub(crate) use edges::remove_unreachable;
pub(crate) use loops::gather;
use lw_ir::Function;
use lw_sparse::{Code, Ssify, Strategy, materialize};
use std::sync::Arc;

/// The same program in canonical form.
///
/// # Errors
/// If the region has something the pipeline cannot carry.
pub fn canonicalize(function: &Function) -> Result<Function, Declined> {
    let mut f = function.clone();
    edges::remove_unreachable(&mut f);
    check::check(&f)?;
    edges::one_return(&mut f)?;
    edges::no_parallel_edges(&mut f);
    reducible::make_reducible(&mut f);
    loops::simplify(&mut f)?;
    let code = Arc::new(Code::new(&f));
    let view = Ssify::new(code).view(Strategy::DIVERGENCE);
    let (mut f, _) = materialize(&f, &view);
    crate::edit::order_blocks(&mut f);
    Ok(f)
}
