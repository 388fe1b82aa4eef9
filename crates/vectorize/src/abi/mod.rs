//! The vector function ABIs: which variants of a function callers may ask for, and how they pass their arguments.
//!
//! A compiler that sees `#pragma omp declare simd` on a declaration calls variants by *mangled names* ([`VariantName`]). The name
//! says for which registers the variant is, whether it takes a mask, how many lanes it has and what it knows of each parameter.
//! [`abi_function`] vectorizes a function for such a name and gives the result the signature that callers expect: vectors cut into
//! registers, masks as the ABI passes them, results in registers or in memory. It follows gcc, which other compilers follow. Of a function
//! that cannot be vectorized [`abi_calls`] makes a variant that calls it for each lane: callers in other files count on it.
//!
//! | | x86 | AArch64, NEON | AArch64, SVE |
//! | --- | --- | --- | --- |
//! | vectors | in as many registers of the variant as they fill; less than 64 bits as an integer | as structs of registers: up to four in registers, else in memory; less than 64 bits as the lower part of 64 | scalable; the widest value of the function decides how many lanes there are, and narrower ones lie in lanes of its size |
//! | masks | SSE, AVX, AVX2: integer vectors as wide as the elements of the *characteristic type*, not zero where active; AVX-512: bits of an integer | integer vectors as wide as the narrowest vector | a predicate |
//! | results | in a register, or, if they fill several, in memory to which the first argument points | as arguments; the pointer to memory has a register of its own | as arguments |
//!
//! Functions for AArch64 have calling conventions of their own.

mod entry;
pub(crate) mod lanes;
mod name;
pub(crate) mod plan;
pub(crate) mod registers;
mod scalable;
mod stand_ins;

pub use entry::{abi_calls, abi_function};
pub use name::{Isa, ParamKind, Step, VariantName};
pub use scalable::neon_variants;
pub use stand_ins::stand_ins;
