//! The region vectorizer: from W threads in lock step to vector code for one thread, IR to IR (001 ch. 3, 8, 9).
//!
//! ```
//! use lw_vectorize::{Region, vectorize};
//!
//! let module = lw_ir::parse_module(
//!     "func @clamp(i32 %x, i32 %limit) -> i32 {
//!      entry:
//!        %c = icmp sgt i32 %x, %limit
//!        br i1 %c, label %cut, label %end
//!      cut:
//!        br label %end
//!      end:
//!        %r = phi i32 [ %x, %entry ], [ %limit, %cut ]
//!        ret i32 %r
//!      }",
//! )
//! .unwrap();
//! let scalar = &module.functions[0];
//! let region = Region::new(4, module.layout.clone()).read_shapes(scalar, "v, u -> v").unwrap();
//! let (vector, statistics) = vectorize(scalar, &region).unwrap();
//! assert_eq!(statistics.folded_branches, 1);
//! assert!(vector.to_string().contains("select <4 x i1>"));
//! ```
//!
//! | stage | module | what holds afterwards |
//! | --- | --- | --- |
//! | canonicalize | [`canonicalize`](canonicalize()) | loop-simplified, LCSSA, one return |
//! | divergent loops | [`divergent_loops`] | all loops are uniform; right under both interpretations |
//! | gadgets | [`gadgets`] | uniform loops are entered with a thread active |
//! | linearize | [`linearize`](mod@linearize) | all branches are uniform, blocks have predicates |
//! | interleave | [`interleave`] | no two threads use the same byte of certain stack objects |
//! | widen | [`widen`](mod@widen) | one thread, vectors |
//!
//! [`loops`] makes such a region of a loop. [`pipeline`] puts the stages together, [`across`] knows the functions of `laneweaver.h`, [`calls`] says what calls become, [`target`] which registers there are, [`abi`] gives the result the signature that callers in other languages expect. A region that cannot be vectorized is [`Declined`] with a reason; the function that was given is
//! never changed. [`oracle`] holds each stage against executions.
#![forbid(unsafe_code)]

pub mod abi;
pub mod across;
mod address;
mod callee;
pub mod calls;
pub mod canonicalize;
mod census;
pub mod costs;
mod decline;
pub mod divergent_loops;
mod edit;
pub mod gadgets;
pub mod interleave;
pub mod linearize;
pub mod loops;
mod masked;
pub mod oracle;
pub mod pipeline;
mod region;
pub mod target;
mod terminates;
pub mod widen;
mod worth;

pub use canonicalize::canonicalize;
pub use census::{Census, Masks, Shares};
pub use decline::Declined;
pub use linearize::linearize;
pub use pipeline::{Pipeline, Stage, Statistics, vectorize};
pub use region::Region;
pub use worth::{Boscc, Likelihoods, Times};
