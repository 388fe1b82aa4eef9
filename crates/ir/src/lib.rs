//! The lock-step IR: types, builder, text form, verifier, interpreter.
//!
//! A [`Function`] is LLVM's SSA form with what lock-step execution by W threads adds (001 ch. 4): a predicate for each
//! block, `total` instructions, φs with a shadow operand, `mask()` and horizontal operations. It is plain data: tables
//! indexed by small entities, no pointers, nothing shared.
#![forbid(unsafe_code)]

pub mod attrs;
pub mod bits;
mod brief;
mod builder;
mod cfg;
pub mod constant;
mod dot;
mod edit;
pub mod entities;
mod flags;
mod function;
pub mod generate;
mod infer;
pub mod inst;
pub mod interp;
pub mod layout;
mod linkage;
mod module;
mod name;
pub mod ops;
mod parse;
mod print;
pub mod symbols;
pub mod types;
mod verify;

pub use builder::Builder;
pub use cfg::Cfg;
pub use constant::{Constant, ConstantKind};
pub use entities::{Block, Inst, Origin, Symbol, Value};
pub use flags::Flags;
pub use function::{Function, ValueDef};
pub use inst::{InsertAt, InstData, Op};
pub use layout::DataLayout;
pub use linkage::{Linkage, Linkages};
pub use module::{Alias, Global, Module};
pub use name::Name;
pub use parse::{ParseError, parse_function, parse_module};
pub use print::Printer;
pub use types::{Type, Types};
pub use verify::{VerifyError, verify, verify_module, verify_structure};
