//! Values as bytes and back: what a store writes, a load reads and a bitcast keeps.

use super::error::ErrorKind;
use super::memory::{Image, Piece, state};
use super::value::{Ptr, Val, is_loose_nan, mask};
use crate::bits::Bits;
use crate::layout::DataLayout;
use crate::types::{CompoundData, Lanes, Scalar, Type, Types};

/// How types lie in memory.
#[derive(Clone, Copy)]
pub(crate) struct Sizes<'a> {
    pub(crate) types: &'a Types,
    pub(crate) layout: &'a DataLayout,
}

impl Sizes<'_> {
    /// How many bytes an access touches.
    pub(crate) fn store_size(&self, ty: Type) -> Result<u64, ErrorKind> {
        self.layout.store_size(self.types, ty).ok_or_else(|| unsized_type(ty))
    }

    /// The distance between neighbours in an array.
    pub(crate) fn alloc_size(&self, ty: Type) -> Result<u64, ErrorKind> {
        self.layout.alloc_size(self.types, ty).ok_or_else(|| unsized_type(ty))
    }

    /// The offset and type of each part of an array or struct.
    fn parts(&self, ty: Type) -> Result<Vec<(u64, Type)>, ErrorKind> {
        match self.types.compound(ty) {
            Some(CompoundData::Array { elem, len }) => {
                let step = self.alloc_size(*elem)?;
                // A larger one fits in no memory.
                if *len > 1 << 24 {
                    return Err(ErrorKind::Unsupported(format!(
                        "an array value of {len} elements"
                    )));
                }
                Ok((0..*len).map(|i| (i * step, *elem)).collect())
            }
            Some(CompoundData::Struct { fields: Some(fields), .. }) => {
                let (offsets, _) =
                    self.layout.struct_layout(self.types, ty).ok_or_else(|| unsized_type(ty))?;
                Ok(offsets.into_iter().zip(fields.iter().copied()).collect())
            }
            _ => Err(unsized_type(ty)),
        }
    }

    /// Appends the bytes of a value: as many as [`Sizes::store_size`].
    pub(crate) fn encode(&self, ty: Type, value: &Val, out: &mut Image) -> Result<(), ErrorKind> {
        match ty {
            Type::Scalar(scalar) => self.encode_scalar(scalar, value, out),
            Type::Vector(elem, Lanes { count, scalable: false }) => {
                let bits = self.layout.scalar_bits(elem);
                if bits.is_multiple_of(8) {
                    for i in 0..count as usize {
                        self.encode_scalar(elem, value.element(i), out)?;
                    }
                } else {
                    self.pack(bits, count, value, out);
                }
                Ok(())
            }
            Type::Compound(_) => {
                let start = out.bytes.len();
                for (i, (offset, part)) in self.parts(ty)?.into_iter().enumerate() {
                    out.pad_to(start + offset as usize);
                    self.encode(part, value.element(i), out)?;
                }
                out.pad_to(start + self.alloc_size(ty)? as usize);
                Ok(())
            }
            _ => Err(unsized_type(ty)),
        }
    }

    fn encode_scalar(&self, scalar: Scalar, value: &Val, out: &mut Image) -> Result<(), ErrorKind> {
        let bits = self.layout.scalar_bits(scalar);
        let size = bits.div_ceil(8) as usize;
        let start = out.bytes.len();
        let word = match value {
            Val::Int(word) | Val::Float(_, word) => *word,
            Val::Ptr(ptr) => {
                if size == 8 {
                    out.pointers.push((start as u64, ptr.prov));
                }
                ptr.addr.into()
            }
            Val::Big(big) => {
                let all: Vec<u8> = big.words().iter().flat_map(|w| w.to_le_bytes()).collect();
                out.push(&all[..size], state::DEFINED);
                self.order(&mut out.bytes[start..]);
                return Ok(());
            }
            _ => {
                let byte_state = if *value == Val::Poison { state::POISON } else { state::UNDEF };
                out.bytes.resize(start + size, 0);
                out.states.resize(start + size, byte_state);
                return Ok(());
            }
        };
        let loose = matches!(value, Val::Float(kind, bits) if is_loose_nan(*kind, *bits));
        let byte_state = if loose { state::LOOSE } else { state::DEFINED };
        if size <= 16 {
            out.push(&word.to_le_bytes()[..size], byte_state);
        } else {
            out.push(&word.to_le_bytes(), byte_state);
            out.push(&vec![0; size - 16], byte_state);
        }
        self.order(&mut out.bytes[start..]);
        Ok(())
    }

    /// Puts little-endian bytes into the order of the target, or back.
    fn order(&self, bytes: &mut [u8]) {
        if self.layout.big_endian {
            bytes.reverse();
        }
    }

    /// A vector whose elements are no whole bytes lies in memory as one integer with element 0 in the lowest bits.
    fn pack(&self, bits: u32, count: u32, value: &Val, out: &mut Image) {
        let size = (bits as usize * count as usize).div_ceil(8);
        let mut bytes = vec![0u8; size];
        let mut states = vec![state::DEFINED; size];
        for i in 0..count as usize {
            let element = value.element(i);
            let first = i * bits as usize;
            for (bit, at) in (first..first + bits as usize).enumerate() {
                match element {
                    Val::Int(word) => bytes[at / 8] |= ((word >> bit & 1) as u8) << (at % 8),
                    Val::Big(big) => {
                        bytes[at / 8] |=
                            ((big.words()[bit / 64] >> (bit % 64) & 1) as u8) << (at % 8)
                    }
                    Val::Poison => states[at / 8] = state::POISON,
                    _ if states[at / 8] == state::POISON => {}
                    _ => states[at / 8] = state::UNDEF,
                }
            }
        }
        self.order(&mut bytes);
        self.order(&mut states);
        out.bytes.extend(bytes);
        out.states.extend(states);
    }

    /// The value of type `ty` that starts at offset `at` of a piece of memory.
    pub(crate) fn decode(&self, ty: Type, piece: &Piece<'_>, at: u64) -> Result<Val, ErrorKind> {
        match ty {
            Type::Scalar(scalar) => Ok(self.decode_scalar(scalar, piece, at)),
            Type::Vector(elem, Lanes { count, scalable: false }) => {
                let bits = self.layout.scalar_bits(elem);
                if bits.is_multiple_of(8) {
                    let size = u64::from(bits / 8);
                    let one = |i: u32| self.decode_scalar(elem, piece, at + u64::from(i) * size);
                    return Ok(Val::elems((0..count).map(one)));
                }
                Ok(self.unpack(bits, count, piece, at))
            }
            Type::Compound(_) => {
                let parts = self.parts(ty)?;
                let all: Result<Vec<Val>, ErrorKind> = parts
                    .into_iter()
                    .map(|(offset, part)| self.decode(part, piece, at + offset))
                    .collect();
                Ok(Val::elems(all?))
            }
            _ => Err(unsized_type(ty)),
        }
    }

    fn decode_scalar(&self, scalar: Scalar, piece: &Piece<'_>, at: u64) -> Val {
        let bits = self.layout.scalar_bits(scalar);
        let size = bits.div_ceil(8) as usize;
        let range = at as usize..at as usize + size;
        let states = &piece.states[range.clone()];
        if states.contains(&state::POISON) {
            return Val::Poison;
        }
        if states.contains(&state::UNDEF) {
            return Val::Undef;
        }
        if size > 16 {
            let mut bytes = piece.bytes[range].to_vec();
            self.order(&mut bytes);
            let words: Vec<u64> = bytes
                .chunks(8)
                .map(|chunk| chunk.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)))
                .collect();
            return Val::from_bits(bits, Bits::from_words(bits, &words));
        }
        let mut bytes = [0; 16];
        bytes[..size].copy_from_slice(&piece.bytes[range]);
        self.order(&mut bytes[..size]);
        let word = u128::from_le_bytes(bytes);
        match scalar {
            // Bits above the width say that the bytes were not written as this type.
            Scalar::Int(_) if word & !mask(bits) != 0 => Val::Undef,
            Scalar::Int(_) => Val::Int(word),
            Scalar::Float(kind) => Val::Float(kind, word),
            Scalar::Ptr(_) => {
                let addr = word as u64;
                Val::Ptr(Ptr { addr, prov: piece.pointer_at(at, addr) })
            }
        }
    }

    fn unpack(&self, bits: u32, count: u32, piece: &Piece<'_>, at: u64) -> Val {
        let size = (bits as usize * count as usize).div_ceil(8);
        let range = at as usize..at as usize + size;
        let mut bytes = piece.bytes[range.clone()].to_vec();
        let mut states = piece.states[range].to_vec();
        self.order(&mut bytes);
        self.order(&mut states);
        let one = |i: u32| {
            let mut words = vec![0u64; bits.div_ceil(64) as usize];
            for bit in 0..bits {
                let at = (i * bits + bit) as usize;
                match states[at / 8] {
                    state::POISON => return Val::Poison,
                    state::UNDEF => return Val::Undef,
                    _ => {
                        words[bit as usize / 64] |=
                            u64::from(bytes[at / 8] >> (at % 8) & 1) << (bit % 64)
                    }
                }
            }
            Val::from_bits(bits, Bits::from_words(bits, &words))
        };
        Val::elems((0..count).map(one))
    }
}

fn unsized_type(ty: Type) -> ErrorKind {
    ErrorKind::Unsupported(format!("memory accesses to the type {ty:?}, which has no fixed size"))
}
