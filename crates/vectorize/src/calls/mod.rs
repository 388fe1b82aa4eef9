//! What calls in vector code become.
//!
//! | call of | becomes |
//! | --- | --- |
//! | a mathematical function, if the user allowed it | calls of libmvec ([`Math`]) |
//! | a function whose body is at hand | a call of that function, vectorized for the arguments of the call ([`requests`]) |
//! | a function that was declared with variants | a call of the variant that fits best |
//! | anything else | one call for each active lane |
//!
//! The pipeline works on one function. Where it calls a vector function that does not exist yet, it calls it by a name that says what
//! is wanted: [`requests`] reads these names, and [`vectorize_callees`] makes the functions, until none is missing.

pub(crate) mod math;
mod requests;
pub(crate) mod results;
mod serve;

pub use math::Math;
pub(crate) use requests::name_for;
pub use requests::{name_of, request, requests};
pub(crate) use serve::pass_on;
pub use serve::{Callee, vectorize_callees};

use crate::abi::Isa;
use rustc_hash::FxHashSet;

/// What calls of a region may become.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Calls {
    /// The functions whose bodies are at hand, and are those that will be called.
    pub bodies: FxHashSet<String>,
    /// Which mathematical functions may be less precise.
    pub math: Math,
    /// The registers that the vector function may use; `None`: those of the function it is made from.
    pub isa: Option<Isa>,
}

/// Whether code for one set of registers may call a function for another.
pub(crate) fn may_call(from: Isa, to: Isa) -> bool {
    let rank = |isa: Isa| match isa {
        Isa::Sse => Some(0),
        Isa::Avx => Some(1),
        Isa::Avx2 => Some(2),
        Isa::Avx512 => Some(3),
        Isa::Neon | Isa::Sve => None,
    };
    match (rank(from), rank(to)) {
        (Some(from), Some(to)) => from >= to,
        _ => from == to,
    }
}
