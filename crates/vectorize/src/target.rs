//! What a function says about the machine it is compiled for: its vector registers, and how vectors are passed.
//!
//! Vectors of the IR have a fixed number of lanes on every machine. Where registers are scalable (SVE, RISC-V V), the least size that
//! the function may rely on counts: `-msve-vector-bits=256`, `-mrvv-vector-bits=zvl` or `-march=…_zvl256b` say more than 128 bits.

use crate::abi::Isa;
use lw_ir::Function;
use lw_ir::attrs::{Attr, AttrListData};
use lw_ir::types::{Scalar, Type, Types};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// The value of an attribute that is a pair of texts.
fn text<'a>(attrs: &'a AttrListData, name: &str) -> Option<&'a [u8]> {
    attrs.function.iter().find_map(|attr| match attr {
        Attr::Text(key, value) if &**key == name.as_bytes() => Some(&**value),
        _ => None,
    })
}

/// The features of the machine: `+avx2`, `-sse4a`, ….
fn features(attrs: &AttrListData) -> impl Iterator<Item = &str> {
    let all = text(attrs, "target-features").unwrap_or_default();
    all.split(|&byte| byte == b',').filter_map(|feature| std::str::from_utf8(feature).ok())
}

/// The registers with the most instructions that a function may use, of those for which there is an ABI of vector functions, if it
/// says so.
pub fn isa_of(function: &Function) -> Option<Isa> {
    // From the least to the most.
    let known = [Isa::Neon, Isa::Sse, Isa::Avx, Isa::Avx2, Isa::Avx512];
    known.into_iter().rfind(|isa| features(&function.attrs).any(|has| has == isa.features()))
}

/// The alignment in bytes that clang takes `aligned(p)` for in `declare simd`, where no number is said.
pub fn default_alignment(function: &Function) -> u64 {
    match isa_of(function) {
        Some(Isa::Avx512) => 64,
        Some(Isa::Avx | Isa::Avx2) => 32,
        _ => 16,
    }
}

/// Registers whose size is known when the program runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Scalable {
    Sve,
    RiscV,
}

impl Scalable {
    fn of(attrs: &AttrListData) -> Option<Scalable> {
        features(attrs).find_map(|feature| match feature {
            "+sve" => Some(Scalable::Sve),
            // All of V, or the part of it that has 32-bit elements; the others include it.
            "+v" | "+zve32x" => Some(Scalable::RiscV),
            _ => None,
        })
    }

    /// The least number of bits.
    fn least_bits(self, attrs: &AttrListData) -> u32 {
        let range = attrs.function.iter().find_map(|attr| match attr {
            // LLVM keeps the least value in the upper half.
            Attr::Int(name, value) if &**name == "vscale_range" => Some((value >> 32) as u32),
            _ => None,
        });
        let named = features(attrs)
            .filter_map(|feature| feature.strip_prefix("+zvl")?.strip_suffix('b')?.parse().ok());
        let unit = match self {
            Scalable::Sve => 128,
            Scalable::RiscV => 64,
        };
        let ranged = range.unwrap_or(1).saturating_mul(unit);
        named.chain([ranged]).max().unwrap_or(unit).clamp(unit, 1 << 16)
    }
}

/// The bits of the vector registers that a function may use.
pub fn register_bits(function: &Function) -> u32 {
    let attrs = &function.attrs;
    let bits = match (Scalable::of(attrs), isa_of(function)) {
        (Some(scalable), _) => scalable.least_bits(attrs),
        (None, Some(Isa::Avx512)) => 512,
        (None, Some(Isa::Avx | Isa::Avx2)) => 256,
        (None, _) => 128,
    };
    let preferred = text(attrs, "prefer-vector-width");
    match preferred.and_then(|text| std::str::from_utf8(text).ok()?.parse::<u32>().ok()) {
        Some(preferred) if preferred >= 128 => bits.min(preferred),
        _ => bits,
    }
}

/// Whether instructions may have masks, those that compute and those that access memory.
pub fn has_masks(function: &Function) -> bool {
    isa_of(function) == Some(Isa::Avx512) || Scalable::of(&function.attrs).is_some()
}

/// Whether instructions that access memory may have masks.
pub(crate) fn has_masked_access(function: &Function) -> bool {
    let isa = isa_of(function);
    matches!(isa, Some(Isa::Avx | Isa::Avx2 | Isa::Avx512)) || has_masks(function)
}

/// Attributes that decide how vectors are passed.
pub(crate) fn decides_passing(attr: &Attr) -> bool {
    match attr {
        Attr::Text(key, _) => {
            key.starts_with(b"target-")
                || matches!(&**key, b"min-legal-vector-width" | b"prefer-vector-width")
        }
        attr => attr.name() == Some("vscale_range"),
    }
}

/// Whether a machine can do all that another one can.
pub(crate) fn includes(all: &AttrListData, some: &AttrListData) -> bool {
    Scalable::of(all) == Scalable::of(some)
        && features(some).all(|wanted| {
            !wanted.starts_with('+') || features(all).any(|feature| feature == wanted)
        })
}

/// Attributes that say for which machine a function is, but for those that follow from the vectors in it.
fn machine(attrs: &AttrListData) -> impl Iterator<Item = &Attr> {
    let legal =
        |attr: &Attr| matches!(attr, Attr::Text(key, _) if &**key == b"min-legal-vector-width");
    attrs.function.iter().filter(move |attr| decides_passing(attr) && !legal(attr))
}

/// A number for the machine that a function is compiled for: the same in every run.
pub(crate) fn tag(attrs: &AttrListData) -> u64 {
    let mut hasher = FxHasher::default();
    for attr in machine(attrs) {
        match attr {
            Attr::Text(key, value) => (key, value).hash(&mut hasher),
            attr => format!("{attr:?}").hash(&mut hasher),
        }
    }
    hasher.finish()
}

/// Lets a function be compiled for the machine of another one.
pub(crate) fn move_to(attrs: &mut AttrListData, machine: &AttrListData) {
    attrs.function.retain(|attr| !decides_passing(attr));
    let theirs = machine.function.iter().filter(|attr| decides_passing(attr));
    attrs.function.extend(theirs.cloned());
}

/// Whether two functions are compiled for the same machine.
pub(crate) fn same_target(a: &AttrListData, b: &AttrListData) -> bool {
    let range = |attrs: &AttrListData| {
        let mut all = attrs.function.iter();
        all.find(|attr| attr.name() == Some("vscale_range")).cloned()
    };
    ["target-cpu", "target-features"].iter().all(|name| text(a, name) == text(b, name))
        && range(a) == range(b)
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

/// The bits of the largest vector in a type. Conditions are passed as bytes.
pub(crate) fn widest(types: &Types, ty: Type) -> u32 {
    match ty {
        Type::Vector(scalar, lanes) => {
            let bits = match scalar {
                Scalar::Int(bits) => bits.max(8),
                Scalar::Float(kind) => kind.bits(),
                Scalar::Ptr(_) => 64,
            };
            lanes.count.saturating_mul(bits)
        }
        _ => {
            let fields = types.fields(ty).unwrap_or_default();
            fields.iter().map(|&field| widest(types, field)).max().unwrap_or(0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(features: &str, more: &[Attr]) -> Function {
        let text = format!(
            "func @f() -> void attrs(fn: \"target-features\"=\"{features}\") {{\nentry:\n  ret void\n}}\n"
        );
        let mut function = lw_ir::parse_function(&text).expect("it parses");
        function.attrs.function.extend(more.iter().cloned());
        function
    }

    #[test]
    fn registers_are_those_of_the_target() {
        let range = |least: u64, most: u64| Attr::Int("vscale_range".into(), least << 32 | most);
        let preferred = Attr::Text((*b"prefer-vector-width").into(), (*b"256").into());
        for (features, more, bits, masks) in [
            ("+sse2,+sse4.2", vec![], 128, false),
            ("+sse2,+avx", vec![], 256, false),
            ("+sse2,+avx,+avx2,+avx512f", vec![], 512, true),
            ("+sse2,+avx,+avx2,+avx512f", vec![preferred], 256, true),
            ("+neon", vec![], 128, false),
            ("+neon,+sve", vec![range(1, 16)], 128, true),
            ("+neon,+sve", vec![range(2, 2)], 256, true),
            ("+neon,+sve", vec![range(16, 16)], 2048, true),
            ("+64bit,+m", vec![], 128, false),
            ("+v,+zve32x,+zvl128b,+zvl32b", vec![range(2, 1024)], 128, true),
            ("+v,+zve32x,+zvl128b,+zvl256b", vec![], 256, true),
            ("+v,+zve32x,+zvl128b", vec![range(8, 8)], 512, true),
        ] {
            let function = function(features, &more);
            assert_eq!(register_bits(&function), bits, "{features}");
            assert_eq!(has_masks(&function), masks, "{features}");
        }
    }
}
