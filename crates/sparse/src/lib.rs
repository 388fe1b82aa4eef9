//! placeholder
#![forbid(unsafe_code)]

pub mod analyses;
pub mod analysis;
pub mod chains;
pub mod check;
mod clean;
pub mod code;
pub mod dense;
pub mod dense_fast;
pub mod engine;
pub mod function;
pub mod generate;
mod liveness;
mod materialize;
pub mod meaning;
mod print;
pub mod program;
pub mod registers;
mod rename;
mod rows;
pub mod split;
mod singer;
mod ssify;
pub mod strategy;
pub mod view;
mod worklist;

pub use analysis::{Analysis, At, Cx, Direction};
pub use chains::{Chains, Site};
pub use check::check;
pub use code::{Code, Point, Pos};
pub use engine::{Options, Solution, Wake, solve, solve_on, solve_with};
pub use materialize::materialize;
pub use program::{Instr, Operand, Program, Test, Var};
pub use singer::singer;
pub use split::{Pruning, Seeds};
pub use ssify::Ssify;
pub use strategy::Strategy;
pub use view::{Def, ParallelCopy, Phi, Sigma, Version, View};
