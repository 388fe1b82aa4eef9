//! The clang and opt plug-in.
//!
//! ```sh
//! clang-22 -O2 -fopenmp-simd -fpass-plugin=liblaneweaver.so -Rpass=laneweaver -c functions.c
//! opt-22 -load-pass-plugin liblaneweaver.so -passes=laneweaver functions.ll
//! ```
//!
//! The pass runs early in LLVM's optimizer, behind simplification and before its own vectorizers. It writes the bodies of the variants
//! that `#pragma omp declare simd` asks for ([`variants`]). What it did, or why it did not, are remarks of LLVM under the name
//! `laneweaver`.

mod costs;
mod host;
pub mod loops;
pub mod variants;

pub use host::Settings;
