//! The LLVM boundary: the only room that speaks to LLVM.
//!
//! [`Context`] and [`Module`] own what LLVM owns. A [`Bridge`] imports functions into the lock-step IR and puts new bodies
//! in their place. Everything else is here too: pass pipelines, targets, objects, the JIT.
//!
//! ```
//! use lw_llvm::Context;
//!
//! let context = Context::new();
//! let text = b"define i32 @twice(i32 %x) { %y = add nsw i32 %x, %x  ret i32 %y }";
//! let mut module = context.parse_module(text, "example")?;
//! let mut bridge = module.bridge()?;
//! let twice = bridge.find("twice")?;
//! let imported = bridge.import(twice);
//! assert_eq!(imported.function.inst_count(), 2);
//! bridge.replace_body(&imported.function, &imported.origins)?;
//! assert!(module.to_text().contains("add nsw i32 %x, %x"));
//! # Ok::<(), lw_llvm::Error>(())
//! ```

mod bridge;
mod costs;
mod demangle;
pub mod differential;
mod emit;
mod error;
mod ffi;
mod fields;
mod import;
mod jit;
mod linkage;
mod loops;
mod module;
mod passes;
mod peers;
mod roundtrip;
mod source;
mod target;
mod uniformity;
mod variants;

pub use bridge::{Bridge, FunctionId, Imported, Origins};
pub use costs::{CostTables, Costed};
pub use demangle::demangle;
pub use error::{Error, Result};
pub use ffi::Counts;
pub use fields::Fields;
pub use jit::Jit;
pub use loops::{ApartTest, Dependences, Fate, MarkedLoop, StackConflict};
pub use module::{Context, Module, version};
pub use peers::{LazyRanges, PredicateCost, UseRange};
pub use roundtrip::{Roundtrip, RoundtripOptions, roundtrip};
pub use source::{Holds, Location, Source, Variable};
pub use target::{FileKind, Host, OptLevel, TargetMachine};
pub use uniformity::{CycleVerdict, FunctionTexts, Uniformity, UniformityTime};
pub use variants::RemarkKind;
