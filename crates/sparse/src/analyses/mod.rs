//! The classic analyses, each a value that implements [`Analysis`](crate::Analysis).
//!
//! | analysis | direction | strategy (003 Fig. 5) |
//! | --- | --- | --- |
//! | [`Constants`] | forward, conditional | `Defs↓ ∪ Out(Conds=)↓` |
//! | [`Ranges`] | forward, conditional | `Defs↓ ∪ Out(Conds)↓` |
//! | [`KnownBits`], [`DemandedBits`] | forward, backward | `Defs↓ ∪ Out(Conds)↓ ∪ Uses↑` |
//! | [`NullPointers`] | forward | `Defs↓ ∪ Uses↓`, and conditions |
//! | [`ReachingDefinitions`] | forward | `Defs↓` |
//! | [`Availability`], [`Anticipability`] | forward, backward | `Defs↓ ∪ LastUses↑`, and computations, on [`Expressions`] |
//! | [`Taint`] | forward | `Defs↓ ∪ Out(Conds)↓` |
//! | [`Bounds`] | forward | `Defs↓ ∪ Out(Conds)↓` |
//! | [`Classes`] | backward | `Uses↑`, or `Uses↑ ∪ Out(Conds)↑` |

mod accesses;
pub mod arith;
mod at_use;
mod bits;
mod bounds;
mod classes;
mod constants;
mod demanded;
mod differences;
mod expressions;
mod interval_calls;
mod interval_ops;
#[cfg(test)]
mod interval_tests;
mod intervals;
mod null;
mod ranges;
mod reaching;
mod redundancy;
mod taint;

pub use accesses::{Access, Reason, Verdict};
pub use bits::{Known, KnownBits};
pub use bounds::{Bounds, Object, Region};
pub use classes::{Classes, Need, Needs};
pub use constants::{Constant, Constants};
pub use demanded::DemandedBits;
pub use differences::{Differences, Linear};
pub use expressions::Expressions;
pub use intervals::{Intervals, Piece};
pub use null::{NullPointers, Nullness};
pub use ranges::Ranges;
pub use reaching::ReachingDefinitions;
pub use redundancy::{Anticipability, Availability, Paths, Redundancy};
pub use taint::{Taint, Tainted};
