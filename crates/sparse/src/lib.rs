//! Sparse data flow: live-range splitting, a propagation engine, and the classic analyses on it.
//!
//! ```
//! use lw_sparse::analyses::Ranges;
//! use lw_sparse::{Options, function, solve};
//!
//! let f = lw_ir::parse_function(
//!     "func @clamp(i32 %x) -> i32 {
//!      entry:
//!        %c = icmp ult i32 %x, 10
//!        br i1 %c, label %small, label %large
//!      small:
//!        %y = add i32 %x, 1
//!        ret i32 %y
//!      large:
//!        ret i32 10
//!      }",
//! )
//! .unwrap();
//! let (view, ranges) = solve(&f, &mut Ranges, Options::WIDENING);
//! let y = f.blocks().iter().find_map(|&b| f[*f.insts(b).first()?].result.expand().filter(|_| b != f.blocks()[0]));
//! let version = view.versions_of(function::var(y.unwrap())).next().unwrap();
//! let range = ranges.of(version).as_ref().unwrap();
//! assert_eq!((range.ulo(), range.uhi()), (1, 10)); // because of the branch
//! ```
//!
//! # How it works
//!
//! A dense analysis keeps a value for every variable at every point. Most of these are copies of their neighbours. A
//! *live-range splitting strategy* names the nodes where something can change; [`Ssify`] gives the variable a new
//! *version* there, and merges versions with φs and σs where information meets. Then one value per version is enough:
//!
//! ```text
//! Program ──Code::new──▶ Code ──Ssify::view(strategy)──▶ View ──Chains::new──▶ Chains ──solve──▶ Solution
//!   (trait)              tables                          φ σ copies versions    who reads whom    value per version
//! ```
//!
//! | step | module |
//! | --- | --- |
//! | what a program must show | [`program`]; [`function`] and [`registers`] are two; [`meaning`]: what instructions compute |
//! | which nodes matter | [`strategy`], the table of 003 Fig. 5 |
//! | split, rename, clean (003 Figs 6–9) | [`split`], [`Ssify`]; [`singer()`] is the older way |
//! | what comes out | [`view`], checked by [`check`](mod@check), written out by [`materialize()`] |
//! | the problem | [`analysis`]: a lattice, a direction, transfer functions |
//! | propagation (003 Fig. 10) | [`engine`], along [`chains`] |
//! | one program after the other, all functions of a module at once | [`Solver`], [`solve_each`] |
//! | the reference | [`dense`], and [`dense_fast`] to measure with |
//! | the classics | [`analyses`], held against executions by [`oracle`] |
//!
//! How to write an analysis of your own, in well under a hundred lines: [`write_an_analysis`].
//!
//! "003" in the documentation is Tavares, Boissinot, Pereira, Rastello, *Parameterized Construction of Program
//! Representations for Sparse Dataflow Analyses* (2014).
#![forbid(unsafe_code)]

pub mod analyses;
pub mod analysis;
pub mod chains;
pub mod check;
mod clean;
pub mod code;
mod definitions;
pub mod dense;
mod dense_backward;
pub mod dense_fast;
mod each;
pub mod engine;
pub mod function;
pub mod generate;
mod in_block;
mod liveness;
mod materialize;
pub mod meaning;
pub mod oracle;
mod print;
pub mod program;
pub mod registers;
mod rename;
mod rename_ssa;
mod settled;
mod singer;
mod sizes;
mod solver;
pub mod split;
mod ssify;
pub mod strategy;
pub mod view;

#[doc = include_str!("../../../docs/write-an-analysis.md")]
pub mod write_an_analysis {}

pub use analysis::{Analysis, At, Cx, Direction, Out, Split, Way};
pub use chains::{Chains, Site};
pub use check::check;
pub use code::{Code, Point, Pos};
pub use each::{all_cores, for_each, solve_each};
pub use engine::{Options, Solution, Wake, solve, solve_on, solve_with};
pub use materialize::materialize;
pub use program::{Instr, Operand, Program, Reader, Test, Var};
pub use singer::singer;
pub use sizes::WithLayout;
pub use solver::Solver;
pub use split::{Pruning, Seeds};
pub use ssify::Ssify;
pub use strategy::Strategy;
pub use view::{Def, ParallelCopy, Phi, Sigma, Version, View};
