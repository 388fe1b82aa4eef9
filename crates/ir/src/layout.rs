//! Sizes, alignments and offsets, from LLVM's data-layout string.

use crate::types::{CompoundData, FloatKind, Lanes, Scalar, Type, Types};
use std::collections::BTreeMap;
use std::fmt;

/// How values lie in memory on the target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataLayout {
    text: String,
    /// Whether the most significant byte comes first.
    pub big_endian: bool,
    pointers: BTreeMap<u32, Pointer>,
    ints: BTreeMap<u32, u64>,
    floats: BTreeMap<u32, u64>,
    vectors: BTreeMap<u32, u64>,
    aggregate: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Pointer {
    bits: u32,
    align: u64,
    index_bits: u32,
}

/// A data-layout string that makes no sense.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LayoutError(String);

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bad data layout: {}", self.0)
    }
}

impl std::error::Error for LayoutError {}

/// What LLVM assumes where a module says nothing.
impl Default for DataLayout {
    fn default() -> Self {
        DataLayout {
            text: String::new(),
            big_endian: false,
            pointers: BTreeMap::from([(0, Pointer { bits: 64, align: 8, index_bits: 64 })]),
            ints: BTreeMap::from([(1, 1), (8, 1), (16, 2), (32, 4), (64, 4)]),
            floats: BTreeMap::from([(16, 2), (32, 4), (64, 8), (128, 16)]),
            vectors: BTreeMap::from([(64, 8), (128, 16)]),
            aggregate: 1,
        }
    }
}

impl DataLayout {
    /// Reads a data-layout string.
    pub fn parse(text: &str) -> Result<DataLayout, LayoutError> {
        let mut layout = DataLayout { text: text.into(), ..DataLayout::default() };
        for spec in text.split('-').filter(|s| !s.is_empty()) {
            layout.read(spec).ok_or_else(|| LayoutError(format!("`{spec}` in `{text}`")))?;
        }
        Ok(layout)
    }

    fn read(&mut self, spec: &str) -> Option<()> {
        let number = |s: &str| s.parse::<u32>().ok();
        // Alignments are written in bits.
        let align = |s: &str| {
            number(s).map(|bits| u64::from(bits / 8).max(1)).filter(|a| a.is_power_of_two())
        };
        let (kind, rest) = spec.split_at_checked(1)?;
        let fields: Vec<&str> = rest.split(':').collect();
        match kind {
            "e" => self.big_endian = false,
            "E" => self.big_endian = true,
            "p" => {
                let digits = fields[0].trim_start_matches(|c: char| c.is_ascii_alphabetic());
                let space = if digits.is_empty() { 0 } else { number(digits)? };
                let bits = number(fields.get(1)?)?;
                let abi = align(fields.get(2)?)?;
                let index_bits = match fields.get(4) {
                    Some(text) => number(text)?,
                    None => bits,
                };
                self.pointers.insert(space, Pointer { bits, align: abi, index_bits });
            }
            "i" => drop(self.ints.insert(number(fields[0])?, align(fields.get(1)?)?)),
            "f" => drop(self.floats.insert(number(fields[0])?, align(fields.get(1)?)?)),
            "v" => drop(self.vectors.insert(number(fields[0])?, align(fields.get(1)?)?)),
            "a" => {
                let abi = fields.get(1).filter(|s| !s.is_empty()).unwrap_or(&fields[0]);
                self.aggregate = if abi.is_empty() { 1 } else { align(abi)? };
            }
            // Mangling, stack, native widths, address spaces of functions, allocas and globals: nothing that sizes need.
            "m" | "n" | "S" | "A" | "G" | "P" | "F" => {}
            _ => return None,
        }
        Some(())
    }

    /// The string it was read from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Width in bits of a pointer into `space`.
    pub fn pointer_bits(&self, space: u32) -> u32 {
        self.pointer(space).bits
    }

    /// Width in bits of an offset into `space`.
    pub fn index_bits(&self, space: u32) -> u32 {
        self.pointer(space).index_bits
    }

    fn pointer(&self, space: u32) -> Pointer {
        self.pointers.get(&space).copied().unwrap_or(self.pointers[&0])
    }

    /// Width in bits of a scalar.
    pub fn scalar_bits(&self, scalar: Scalar) -> u32 {
        match scalar {
            Scalar::Int(bits) => bits,
            Scalar::Float(kind) => kind.bits(),
            Scalar::Ptr(space) => self.pointer_bits(space),
        }
    }

    /// How many bytes an access to a value of `ty` touches. `None` for types without a fixed size.
    pub fn store_size(&self, types: &Types, ty: Type) -> Option<u64> {
        match ty {
            Type::Scalar(scalar) => Some(u64::from(self.scalar_bits(scalar)).div_ceil(8)),
            Type::Vector(elem, Lanes { count, scalable: false }) => {
                Some((u64::from(self.scalar_bits(elem)) * u64::from(count)).div_ceil(8))
            }
            Type::Compound(_) => self.alloc_size(types, ty),
            _ => None,
        }
    }

    /// The distance in bytes between neighbours of type `ty` in an array.
    pub fn alloc_size(&self, types: &Types, ty: Type) -> Option<u64> {
        match types.compound(ty) {
            Some(CompoundData::Array { elem, len }) => {
                self.alloc_size(types, *elem)?.checked_mul(*len)
            }
            Some(CompoundData::Struct { .. }) => {
                self.struct_layout(types, ty).map(|(_, size)| size)
            }
            Some(_) => None,
            None => {
                let align = self.align(types, ty)?;
                Some(self.store_size(types, ty)?.next_multiple_of(align))
            }
        }
    }

    /// The alignment in bytes that the ABI gives values of type `ty`.
    pub fn align(&self, types: &Types, ty: Type) -> Option<u64> {
        match ty {
            Type::Scalar(Scalar::Int(bits)) => {
                // The next larger width that is listed, else the largest.
                let listed = self.ints.range(bits..).next().or(self.ints.iter().next_back());
                listed.map(|(_, &align)| align)
            }
            Type::Scalar(Scalar::Float(kind)) => Some(match self.floats.get(&kind.bits()) {
                Some(&align) => align,
                None if kind == FloatKind::X86Fp80 => 16,
                None => u64::from(kind.bits() / 8).next_power_of_two(),
            }),
            Type::Scalar(Scalar::Ptr(space)) => Some(self.pointer(space).align),
            Type::Vector(elem, Lanes { count, scalable: false }) => {
                let bits = self.scalar_bits(elem) * count;
                let natural = u64::from(bits).div_ceil(8).next_power_of_two();
                Some(self.vectors.get(&bits).copied().unwrap_or(natural))
            }
            Type::Compound(id) => match types.get(id) {
                CompoundData::Array { elem, .. } => self.align(types, *elem),
                CompoundData::Struct { fields, packed, .. } => {
                    let fields = fields.as_ref()?;
                    if *packed {
                        return Some(1);
                    }
                    let mut most = self.aggregate;
                    for &field in fields {
                        most = most.max(self.align(types, field)?);
                    }
                    Some(most)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The offset in bytes of each field of a struct, and its size.
    pub fn struct_layout(&self, types: &Types, ty: Type) -> Option<(Vec<u64>, u64)> {
        let CompoundData::Struct { fields, packed, .. } = types.compound(ty)? else { return None };
        let mut offsets = Vec::new();
        let mut end = 0u64;
        for &field in fields.as_ref()? {
            let align = if *packed { 1 } else { self.align(types, field)? };
            end = end.checked_next_multiple_of(align)?;
            offsets.push(end);
            end = end.checked_add(self.alloc_size(types, field)?)?;
        }
        Some((offsets, end.checked_next_multiple_of(self.align(types, ty)?)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const X86_64: &str =
        "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";

    #[test]
    fn structs_are_padded_as_on_x86_64() {
        let layout = DataLayout::parse(X86_64).unwrap();
        let mut types = Types::default();
        let inner = types.structure(&[Type::I8, Type::I32]);
        let outer = types.structure(&[Type::I8, inner, Type::PTR, Type::I16]);
        assert_eq!(layout.struct_layout(&types, inner), Some((vec![0, 4], 8)));
        assert_eq!(layout.struct_layout(&types, outer), Some((vec![0, 4, 16, 24], 32)));
        let f80 = Type::Scalar(Scalar::Float(FloatKind::X86Fp80));
        assert_eq!(layout.store_size(&types, f80), Some(10));
        assert_eq!(layout.alloc_size(&types, f80), Some(16));
        assert_eq!(layout.alloc_size(&types, Type::int(24)), Some(4));
        assert_eq!(layout.align(&types, Type::int(128)), Some(16));
        assert_eq!(layout.pointer_bits(270), 32);
    }

    #[test]
    fn nonsense_is_named() {
        let error = DataLayout::parse("e-q7").unwrap_err();
        assert_eq!(error.to_string(), "bad data layout: `q7` in `e-q7`");
        assert!(DataLayout::parse("e-\u{3c6}").is_err());
    }
}
