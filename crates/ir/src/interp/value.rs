//! What a variable holds on one thread.

use crate::bits::Bits;
use crate::types::FloatKind;
use std::fmt;
use std::sync::Arc;

/// The value of a variable on one thread.
///
/// A vector, array or struct is the list of its elements, or one of the three undefined values as a whole.
#[derive(Clone, PartialEq, Debug)]
pub enum Val {
    /// An integer of at most 128 bits, zero-extended.
    Int(u128),
    /// A wider integer.
    Big(Box<Bits>),
    /// A floating-point number by its bits.
    Float(FloatKind, u128),
    /// An address.
    Ptr(Ptr),
    /// The elements of a vector, array or struct.
    Elems(Arc<[Val]>),
    /// Nothing to compute with: the result of a `void` call, a token, metadata.
    Unit,
    /// An unspecified value: `undef`, or memory that was never written.
    Undef,
    /// The result of an operation that broke its promises.
    Poison,
    /// The ⊤ of 001: the variable was last assigned by passive execution, or never.
    Passive,
}

/// An address and the allocation it may be used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ptr {
    /// The address.
    pub addr: u64,
    /// Where it came from.
    pub prov: Provenance,
}

/// The allocation a pointer came from: its number, or zero if only the address says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Provenance(pub(crate) u32);

impl Provenance {
    /// Of a pointer made from an integer that lies in no allocation.
    pub const NONE: Provenance = Provenance(0);
}

static POISON: Val = Val::Poison;

/// The bits below `width`, all of them from 128 on.
pub(crate) fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// `value` of `width` bits, sign-extended.
pub(crate) fn signed(width: u32, value: u128) -> i128 {
    if width == 0 || width >= 128 {
        return value as i128;
    }
    let shift = 128 - width;
    (value << shift) as i128 >> shift
}

impl Val {
    /// An integer of `bits` bits (at most 128), cut to that width.
    pub fn int(bits: u32, value: i128) -> Val {
        Val::Int(value as u128 & mask(bits))
    }

    /// An `i1`.
    pub fn bool(value: bool) -> Val {
        Val::Int(value.into())
    }

    /// An `i8`.
    pub fn i8(value: i8) -> Val {
        Val::int(8, value.into())
    }

    /// An `i16`.
    pub fn i16(value: i16) -> Val {
        Val::int(16, value.into())
    }

    /// An `i32`.
    pub fn i32(value: i32) -> Val {
        Val::int(32, value.into())
    }

    /// An `i64`.
    pub fn i64(value: i64) -> Val {
        Val::int(64, value.into())
    }

    /// A `float`.
    pub fn f32(value: f32) -> Val {
        Val::Float(FloatKind::Float, value.to_bits().into())
    }

    /// A `double`.
    pub fn f64(value: f64) -> Val {
        Val::Float(FloatKind::Double, value.to_bits().into())
    }

    /// A pointer that only its address describes.
    pub fn address(addr: u64) -> Val {
        Val::Ptr(Ptr { addr, prov: Provenance::NONE })
    }

    /// A vector, array or struct.
    pub fn elems(elements: impl IntoIterator<Item = Val>) -> Val {
        Val::Elems(elements.into_iter().collect())
    }

    /// An integer of any width.
    pub(crate) fn from_bits(width: u32, bits: Bits) -> Val {
        match bits.to_u128() {
            Some(value) if width <= 128 => Val::Int(value),
            _ => Val::Big(Box::new(bits)),
        }
    }

    /// The integer as an unsigned number, if it is one of at most 128 bits.
    pub fn as_u128(&self) -> Option<u128> {
        match self {
            Val::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// The integer as a signed number of `bits` bits, if it is one.
    pub fn as_signed(&self, bits: u32) -> Option<i128> {
        self.as_u128().map(|value| signed(bits, value))
    }

    /// The `i1` as a truth value.
    pub fn as_bool(&self) -> Option<bool> {
        self.as_u128().map(|value| value & 1 == 1)
    }

    /// The `float`.
    pub fn as_f32(&self) -> Option<f32> {
        match self {
            Val::Float(FloatKind::Float, bits) => Some(f32::from_bits(*bits as u32)),
            _ => None,
        }
    }

    /// The `double`.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Val::Float(FloatKind::Double, bits) => Some(f64::from_bits(*bits as u64)),
            _ => None,
        }
    }

    /// The pointer.
    pub fn as_ptr(&self) -> Option<Ptr> {
        match self {
            Val::Ptr(ptr) => Some(*ptr),
            _ => None,
        }
    }

    /// The elements of a vector, array or struct that is defined as a whole.
    pub fn as_elems(&self) -> Option<&[Val]> {
        match self {
            Val::Elems(elements) => Some(elements),
            _ => None,
        }
    }

    /// Element `index`; an undefined value has undefined elements.
    pub fn element(&self, index: usize) -> &Val {
        match self {
            Val::Elems(elements) => elements.get(index).unwrap_or(&POISON),
            other => other,
        }
    }

    /// Whether this is `undef`, poison or the ⊤ of passive execution, as a whole.
    pub fn is_undefined(&self) -> bool {
        matches!(self, Val::Undef | Val::Poison | Val::Passive)
    }

    /// Whether no part of this is undefined.
    pub fn is_defined(&self) -> bool {
        match self {
            Val::Elems(elements) => elements.iter().all(Val::is_defined),
            other => !other.is_undefined(),
        }
    }

    /// Whether some part of this is the ⊤ of passive execution.
    pub fn has_passive(&self) -> bool {
        match self {
            Val::Elems(elements) => elements.iter().any(Val::has_passive),
            other => matches!(other, Val::Passive),
        }
    }

    /// Whether `other` is a possible outcome where the program says `self`: what is undefined here allows everything,
    /// a NaN allows any NaN, and all else must be the same bits.
    pub fn refined_by(&self, other: &Val) -> bool {
        match (self, other) {
            (Val::Undef | Val::Poison | Val::Passive, _) => true,
            (Val::Float(a, x), Val::Float(b, y)) => {
                a == b && (x == y || is_nan(*a, *x) && is_nan(*b, *y))
            }
            (Val::Ptr(a), Val::Ptr(b)) => a.addr == b.addr,
            (Val::Elems(a), Val::Elems(b)) => {
                a.len() == b.len() && a.iter().zip(b.iter()).all(|(x, y)| x.refined_by(y))
            }
            (Val::Elems(a), other) if other.is_undefined() => a.iter().all(|x| x.refined_by(other)),
            (a, b) => a == b,
        }
    }

    /// Whether both are the same as far as the program says: each is a possible outcome of the other.
    pub fn same_as(&self, other: &Val) -> bool {
        self.refined_by(other) && other.refined_by(self)
    }
}

/// Whether these bits are a NaN of the format.
pub(crate) fn is_nan(kind: FloatKind, bits: u128) -> bool {
    match kind {
        FloatKind::Half => bits & 0x7fff > 0x7c00,
        FloatKind::BFloat => bits & 0x7fff > 0x7f80,
        FloatKind::Float => bits & 0x7fff_ffff > 0x7f80_0000,
        FloatKind::Double => f64::from_bits(bits as u64).is_nan(),
        FloatKind::X86Fp80 => {
            let exponent = bits >> 64 & 0x7fff;
            let significand = bits as u64;
            // Also the encodings without the integer bit, which the x87 calls invalid.
            (exponent == 0x7fff && significand != 1 << 63)
                || (exponent != 0 && significand >> 63 == 0)
        }
        FloatKind::Fp128 => bits & (u128::MAX >> 1) > 0x7fff << 112,
        FloatKind::PpcFp128 => f64::from_bits(bits as u64).is_nan(),
    }
}

/// Whether these bits are an infinity of the format.
pub(crate) fn is_infinite(kind: FloatKind, bits: u128) -> bool {
    match kind {
        FloatKind::Half => bits & 0x7fff == 0x7c00,
        FloatKind::BFloat => bits & 0x7fff == 0x7f80,
        FloatKind::Float => bits & 0x7fff_ffff == 0x7f80_0000,
        FloatKind::Double | FloatKind::PpcFp128 => f64::from_bits(bits as u64).is_infinite(),
        FloatKind::X86Fp80 => bits & mask(79) == 0x7fff << 64 | 1 << 63,
        FloatKind::Fp128 => bits & (u128::MAX >> 1) == 0x7fff << 112,
    }
}

/// The NaN that arithmetic yields: quiet, positive, without payload.
pub(crate) fn canonical_nan(kind: FloatKind) -> u128 {
    match kind {
        FloatKind::Half => 0x7e00,
        FloatKind::BFloat => 0x7fc0,
        FloatKind::Float => 0x7fc0_0000,
        FloatKind::Double | FloatKind::PpcFp128 => 0x7ff8 << 48,
        FloatKind::X86Fp80 => 0x7fff << 64 | 0b11 << 62,
        FloatKind::Fp128 => 0x7fff_8000 << 96,
    }
}

/// Whether this is a NaN as arithmetic yields it: the program says neither its sign nor its payload.
pub(crate) fn is_loose_nan(kind: FloatKind, bits: u128) -> bool {
    let sign = match kind {
        FloatKind::PpcFp128 => 1 << 63,
        _ => 1 << (kind.bits() - 1),
    };
    bits & !sign == canonical_nan(kind)
}

/// Integers in decimal, floats in the shortest form that reads back, pointers in hexadecimal.
impl fmt::Display for Val {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Val::Int(value) => write!(f, "{value}"),
            Val::Big(bits) => {
                f.write_str("0x")?;
                bits.words().iter().rev().try_for_each(|word| write!(f, "{word:016x}"))
            }
            Val::Float(FloatKind::Float, bits) => write!(f, "{:?}", f32::from_bits(*bits as u32)),
            Val::Float(FloatKind::Double, bits) => write!(f, "{:?}", f64::from_bits(*bits as u64)),
            Val::Float(kind, bits) => write!(f, "{} 0x{bits:x}", kind.name()),
            Val::Ptr(ptr) => write!(f, "0x{:x}", ptr.addr),
            Val::Elems(elements) => {
                f.write_str("<")?;
                for (i, element) in elements.iter().enumerate() {
                    write!(f, "{}{element}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str(">")
            }
            Val::Unit => f.write_str("()"),
            Val::Undef => f.write_str("undef"),
            Val::Poison => f.write_str("poison"),
            Val::Passive => f.write_str("⊤"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undefined_allows_all_and_nan_allows_nan() {
        let nan = Val::Float(FloatKind::Float, 0xffc0_0001);
        assert!(Val::f32(f32::NAN).refined_by(&nan));
        assert!(!Val::f32(1.0).refined_by(&nan));
        assert!(!Val::f32(0.0).refined_by(&Val::f32(-0.0)));
        let spec = Val::elems([Val::Undef, Val::i32(2)]);
        assert!(spec.refined_by(&Val::elems([Val::i32(7), Val::i32(2)])));
        assert!(!spec.refined_by(&Val::elems([Val::i32(7), Val::i32(3)])));
        assert!(!spec.same_as(&Val::elems([Val::i32(7), Val::i32(2)])));
        assert!(!spec.refined_by(&Val::Poison));
    }

    #[test]
    fn canonical_nans_are_nans_and_infinities_are_not() {
        for kind in FloatKind::ALL {
            assert!(is_nan(kind, canonical_nan(kind)), "{kind:?}");
            assert!(!is_infinite(kind, canonical_nan(kind)), "{kind:?}");
        }
        assert!(is_infinite(FloatKind::X86Fp80, 0xffff << 64 | 1 << 63));
        assert!(!is_nan(FloatKind::X86Fp80, 0xffff << 64 | 1 << 63));
    }
}
