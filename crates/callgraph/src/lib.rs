//! Which functions may each call of a program call?
//!
//! Inclusion-based resolution of function pointers for whole programs of the lock-step IR, as constraints that the engines of
//! [`lw_cfa::flow`] solve: a function is a lambda expression, memory is objects with fields, what is outside of the program is the
//! unknown value. [`CallGraph`] is the result, and what interprocedural analyses ask.
//!
//! `world` says what names mean when several modules are one program, `objects` what memory is, `elements` and `distance` how the fields of
//! structs in arrays are told apart, `body`, `access` and `calls` what instructions
//! do, `constants` what global variables hold, and `known` what functions of the C library do with pointers.
//! [`instrument`] makes a program tell what it calls, to hold it against the graph.
//!
//! # What is assumed
//!
//! Pointers travel in pointers, in integers at least as wide, in aggregates, and in bytes that are copied one by one; a pointer
//! that is taken apart otherwise and put together again is not followed. Moving a pointer never leads into another object. A call passes as
//! many arguments as its callee has parameters, or more.
#![forbid(unsafe_code)]

mod access;
mod body;
mod build;
mod calls;
mod constants;
mod distance;
mod elements;
pub mod generate;
mod graph;
pub mod instrument;
mod known;
mod objects;
pub mod oracle;
mod signatures;
mod tame;
mod world;

pub use graph::{CallGraph, Callees, Roots, Site, Stats, engines_agree};
pub use lw_cfa::Engine;
pub use world::{FuncData, FuncId, Part};
