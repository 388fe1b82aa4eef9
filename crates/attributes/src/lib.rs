//! Attributes for Rust functions that `lw rustc` vectorizes. Depend on this crate by the name `laneweaver`:
//!
//! ```toml
//! [dependencies]
//! laneweaver = { package = "laneweaver-attributes", path = "…" }
//! ```
//!
//! ```
//! # use laneweaver_attributes as laneweaver;
//! #[laneweaver::loops]
//! fn halve(all: &mut [f32]) {
//!     for x in all {
//!         while *x > 1.0 {
//!             *x *= 0.5;
//!         }
//!     }
//! }
//!
//! #[laneweaver::simd(width = 8, uniform(least))]
//! fn halved(mut x: f32, least: f32) -> f32 {
//!     while x > least {
//!         x *= 0.5;
//!     }
//!     x
//! }
//!
//! let mut all = [8.0, 0.5, 3.0];
//! halve(&mut all);
//! assert_eq!(all, [1.0, 0.5, 0.75]);
//! assert_eq!(halved_x8([8.0; 8], 2.0), [2.0; 8]);
//! ```
//!
//! The program means the same under any Rust compiler. A mark is a call of an empty function at the start of an iteration, whose name says
//! what is wanted. `lw rustc` takes the calls away and vectorizes the loops; other compilers see that they do nothing.
#![forbid(unsafe_code)]

mod lanes;
mod marks;
mod options;

use proc_macro::TokenStream;

/// Vectorizes the outermost loops of a function.
///
/// Options: `width = 8` (iterations at a time; else as many as the target's registers hold), `independent` (a promise that iterations do not depend on
/// each other through memory; else the compiler checks that, or tests it before the loop), `reorder` (sums of floats may be computed in another
/// order). A loop in which an iteration may panic, such as by an index that is checked, is left as it was.
#[proc_macro_attribute]
pub fn loops(options: TokenStream, function: TokenStream) -> TokenStream {
    marks::loops(options.into(), function.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Adds a function `NAME_x8` beside a function, which calls it for 8 lanes and is vectorized.
///
/// Options: `width = 8` (must be there), `uniform(a, b)`: parameters that are the same for all lanes. The others, and the result, are arrays of
/// `width` elements there; they must be `Copy`, the result `Default` as well. Calls of different lanes must not depend on each other.
#[proc_macro_attribute]
pub fn simd(options: TokenStream, function: TokenStream) -> TokenStream {
    lanes::simd(options.into(), function.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
