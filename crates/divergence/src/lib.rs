//! Divergence analysis: which values, branches and loops are the same for all threads, and why others are not.
//!
//! ```
//! use lw_divergence::{Basic, Options, Sources, analyze};
//!
//! let f = lw_ir::parse_function(
//!     "func @f(i32 %n, i32 %tid) -> i32 {
//!      entry:
//!        %c = icmp slt i32 %tid, %n
//!        br i1 %c, label %then, label %end
//!      then:
//!        br label %end
//!      end:
//!        %x = phi i32 [ 1, %then ], [ 2, %entry ]
//!        ret i32 %x
//!      }",
//! )
//! .unwrap();
//! // n is the same for all threads, tid is not.
//! let sources = Sources::params([Basic::Uniform, Basic::Varying]);
//! let divergence = analyze(&f, &sources, &Options::default());
//! assert!(divergence.is_divergent(f.blocks()[0]));
//! let x = f.result(f.insts(f.blocks()[2])[0]);
//! assert!(!divergence.is_uniform(x));
//! ```
//!
//! | question | module |
//! | --- | --- |
//! | what does a shape say, how do operations change it? | [`lattice`] |
//! | where does divergence start? | [`sources`], on GPUs [`targets`] |
//! | what do calls of functions of the module yield? | [`Program`] |
//! | what follows from a divergent branch? | [`control`], [`activation`] |
//! | since where is a value unchanged (000 §6)? | [`definite`] |
//! | what do φs and instructions yield? | `merge`, `transfer`, on the sparse engine in `analysis` |
//! | which stack objects are the same for all threads? | `objects` |
//! | what was found, and why? | [`Divergence`], [`causes`], through calls [`Program::explain`] |
//! | what would LLVM say? | [`llvm`] |
//! | does it hold? | [`oracle`] |
//!
//! "000", "001", "002" and "003" are papers: Rosemann, Moll, Hack, *An Abstract Interpretation for SPMD Divergence on
//! Reducible Control Flow Graphs* (POPL 2021); Moll, *Vectorization System for Unstructured Codes with a Data-parallel Compiler
//! IR* (2021); Sampaio, Souza, Collange, Pereira, *Divergence Analysis* (TOPLAS 2013); Tavares, Boissinot, Pereira, Rastello,
//! *Parameterized Construction of Program Representations for Sparse Dataflow Analyses* (2014).
#![forbid(unsafe_code)]

pub mod activation;
mod analysis;
pub mod causes;
pub mod control;
pub mod definite;
mod divergence;
mod equalities;
mod explain;
mod fact;
mod known;
pub mod lattice;
pub mod llvm;
mod merge;
mod objects;
pub mod oracle;
mod products;
mod reducible;
pub mod sources;
mod summaries;
pub mod targets;
mod transfer;
mod users;

pub use causes::Cause;
pub use control::Control;
pub use divergence::{Divergence, analyze};
pub use explain::Step;
pub use fact::{Fact, Object, ObjectSet};
pub use lattice::{Affine, Basic, Lattice, Stride};
pub use objects::Cause as ObjectCause;
pub use sources::{CallShape, Sources};
pub use summaries::{Limits, Program};

use lw_ir::DataLayout;
use lw_ir::types::{Scalar, Type};

/// How functions are analysed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The number W of threads, if it is known.
    pub threads: Option<u32>,
    /// The sizes and alignments of the target. Without it, addresses in types whose size the target decides have no stride, and
    /// pointers are taken to have 64 bits.
    pub layout: Option<DataLayout>,
    /// Whether `x == u` with a uniform `u` makes `x` uniform where it holds (000 §6.2).
    pub equalities: bool,
    /// Whether stack objects are analysed (AllocaSSA, 001 §6.6).
    pub stack: bool,
    /// Whether ranges and constants are computed first (000 §6.2): what is known to be one number is uniform, and what cannot wrap
    /// keeps its stride.
    pub ranges: bool,
    /// The threads that verdicts are about.
    pub scope: Scope,
    /// Address spaces in which the same address is another place for each thread: 5 on GPUs.
    pub private_spaces: Vec<u32>,
    /// Address spaces that no thread writes.
    pub constant_spaces: Vec<u32>,
    /// Whether to remember why what is not uniform is not.
    pub causes: bool,
    /// Whether to know what LLVM knows for this target, and no more (see [`llvm`]).
    pub llvm: Option<llvm::Gpu>,
}

/// The threads that a verdict is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Scope {
    /// Threads that run in lock step.
    #[default]
    Warp,
    /// The threads of several warps that run each at its own pace. What one of them loads from memory that is written may be
    /// different from what another finds, and operations across threads are those of its warp.
    Block,
}

impl Options {
    /// The width of integers and pointers of at most 64 bits.
    pub(crate) fn bits(&self, ty: Type) -> Option<u32> {
        match ty {
            Type::Scalar(Scalar::Int(bits)) => (bits <= 64).then_some(bits),
            Type::Scalar(Scalar::Ptr(space)) => {
                let bits = self.layout.as_ref().map_or(64, |layout| layout.pointer_bits(space));
                (bits <= 64).then_some(bits)
            }
            _ => None,
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            threads: None,
            layout: None,
            equalities: true,
            stack: true,
            ranges: false,
            scope: Scope::Warp,
            private_spaces: vec![5],
            constant_spaces: Vec::new(),
            causes: true,
            llvm: None,
        }
    }
}
