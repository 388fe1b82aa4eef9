//! 0-CFA of Scheme: which procedures does each call call, and which values has each variable?
//!
//! ```
//! use lw_cfa::{Analysis, Engine, Options, Sources};
//!
//! let mut sources = Sources::new();
//! let file = sources.add("add5.scm", "(let ([add5 (lambda (a) (+ a 5))]) (add5 10))").unwrap();
//! let analysis = Analysis::run(&mut sources, &[file], Options::default(), Engine::Delta).unwrap();
//!
//! // The call of add5 has one callee.
//! let (call, _) = analysis.cps.calls[0];
//! let callees = analysis.callees(call).unwrap();
//! let source = analysis.cps.lambda(callees[0]).source.unwrap();
//! assert_eq!(callees.len(), 1);
//! assert_eq!(sources.position(analysis.core.lambda(source).loc).to_string(), "add5.scm:1:13");
//! ```
//!
//! The way of a program: [`read`] makes data of text, [`expand`] a program in a small core language, [`cps`] a program in
//! continuation-passing style, [`flow`] operations that all engines read, and a solution. [`interp`] runs the core
//! language and holds what it sees against a solution; [`generate`] makes random programs.
//!
//! "004" is Gilray, King, Might, *Partitioning 0-CFA for the GPU* (2014).
#![deny(unsafe_code)]

pub mod analysis;
#[cfg(feature = "command")]
pub mod command;
pub mod cps;
pub mod expand;
pub mod findings;
pub mod flow;
pub mod generate;
pub mod interp;
pub mod oracle;
pub mod prims;
pub mod read;
pub mod signs;
pub mod source;

pub use analysis::{Analysis, Forms};
pub use expand::Options;
pub use flow::{Engine, Solution};
pub use signs::Constants;
pub use source::{Error, Sources};
