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
pub use requests::{name_of, request, requests};
pub use serve::{Callee, vectorize_callees};

use crate::abi::Isa;
use lw_ir::Function;
use lw_ir::attrs::{Attr, AttrListData};
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

/// The value of an attribute that is a pair of texts.
fn text<'a>(attrs: &'a AttrListData, name: &str) -> Option<&'a [u8]> {
    attrs.function.iter().find_map(|attr| match attr {
        Attr::Text(key, value) if &**key == name.as_bytes() => Some(&**value),
        _ => None,
    })
}

/// The largest registers that a function may use, if it says so.
pub fn isa_of(function: &Function) -> Option<Isa> {
    let features = text(&function.attrs, "target-features")?;
    let has = |name: &str| features.split(|&b| b == b',').any(|f| f == name.as_bytes());
    // From the least to the most.
    let known = [Isa::Neon, Isa::Sse, Isa::Avx, Isa::Avx2, Isa::Avx512];
    known.into_iter().rfind(|isa| has(isa.features()))
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

/// Whether two functions are compiled for the same machine.
pub(crate) fn same_target(a: &AttrListData, b: &AttrListData) -> bool {
    ["target-cpu", "target-features"].iter().all(|name| text(a, name) == text(b, name))
}

/// Lets a function use the registers of a variant.
pub(crate) fn add_features(attrs: &mut AttrListData, isa: Isa) {
    let features = isa.features().as_bytes();
    let known = attrs.function.iter_mut().find_map(|attr| match attr {
        Attr::Text(key, value) if &**key == b"target-features" => Some(value),
        _ => None,
    });
    match known {
        Some(value) => *value = [value, &b","[..], features].concat().into(),
        None => attrs.function.push(Attr::Text((*b"target-features").into(), features.into())),
    }
}

/// Makes vectors of this many bits legal where only smaller ones are.
pub(crate) fn allow_vectors(attrs: &mut AttrListData, bits: u32) {
    for attr in &mut attrs.function {
        if let Attr::Text(key, value) = attr
            && &**key == b"min-legal-vector-width"
        {
            let now = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok());
            *value = bits.max(now.unwrap_or(0)).to_string().into_bytes().into();
        }
    }
}
