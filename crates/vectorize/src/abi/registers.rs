//! Into which registers the lanes of a value go.

use super::name::Isa;
use lw_ir::DataLayout;
use lw_ir::types::{Lanes, Scalar, Type};

/// How the lanes of a value are passed: so many equal pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pieces {
    /// What a lane is in a register: `i1` takes a byte.
    pub(crate) element: Scalar,
    /// How many lanes there are in a piece.
    pub(crate) lanes: u32,
    /// How many pieces there are.
    pub(crate) count: u32,
    /// The type of a piece: a vector, on AArch64 perhaps with lanes that are not used, or an integer that is smaller than any vector
    /// register; on x86 a number of as many bits as half a register.
    pub(crate) ty: Type,
}

/// How pieces become parameters, or a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Passing {
    /// Each is a parameter.
    Each,
    /// All are one parameter, or the result, in registers one after the other.
    Array,
    /// In memory, to which a parameter points.
    Memory,
}

impl Pieces {
    /// The pieces of so many lanes of a number or pointer; `None` if the ABI passes no vectors of it.
    pub(crate) fn of(isa: Isa, lanes: u32, ty: Type, layout: &DataLayout) -> Option<Pieces> {
        let Type::Scalar(scalar) = ty else { return None };
        let element = match scalar {
            Scalar::Int(1) => Scalar::Int(8),
            Scalar::Int(8 | 16 | 32 | 64) | Scalar::Ptr(_) => scalar,
            Scalar::Float(_) if matches!(layout.scalar_bits(scalar), 32 | 64) => scalar,
            _ => return None,
        };
        let bits = layout.scalar_bits(element);
        let register = register_bits(isa, matches!(element, Scalar::Float(_)));
        if !lanes.is_power_of_two() {
            return None;
        }
        let in_piece = lanes.min(register / bits);
        let ty = match in_piece * bits {
            _ if isa == Isa::Sve => {
                Type::Vector(element, Lanes { count: in_piece, scalable: true })
            }
            0..64 if isa == Isa::Neon => Type::vector(element, 64 / bits),
            small @ 0..64 => Type::int(small),
            // LLVM would take 16 bytes of the stack for a vector of eight.
            64 if isa != Isa::Neon => Type::DOUBLE,
            _ => Type::vector(element, in_piece),
        };
        Some(Pieces { element, lanes: in_piece, count: lanes / in_piece, ty })
    }

    /// How the pieces are passed, or returned.
    pub(crate) fn passing(self, isa: Isa, result: bool) -> Passing {
        match (isa, self.count) {
            (_, 1) => Passing::Each,
            // A struct of up to four equal vectors.
            (Isa::Neon, 2..=4) => Passing::Array,
            (Isa::Neon, _) => Passing::Memory,
            _ => {
                if result {
                    Passing::Memory
                } else {
                    Passing::Each
                }
            }
        }
    }

    /// The size of a piece in bytes.
    pub(crate) fn bytes(self, layout: &DataLayout) -> u64 {
        u64::from(self.lanes * layout.scalar_bits(self.element)) / 8
    }
}

/// The size of a register; of a scalable one, that of its smallest.
pub(super) fn register_bits(isa: Isa, float: bool) -> u32 {
    match isa {
        Isa::Sse | Isa::Neon | Isa::Sve => 128,
        Isa::Avx => {
            if float {
                256
            } else {
                128
            }
        }
        Isa::Avx2 => 256,
        Isa::Avx512 => 512,
    }
}

/// How a mask is passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MaskForm {
    /// The bits of an integer of this type.
    Bits(Type),
    /// Vectors of integers that are not zero where a lane is active, in the registers of a type.
    Vectors(Pieces),
    /// A scalable vector of bits, of this type.
    Predicate(Type),
}

impl MaskForm {
    /// The form for a function, with a type whose size the elements of the mask have.
    pub(crate) fn of(isa: Isa, lanes: u32, like: Type, layout: &DataLayout) -> Option<MaskForm> {
        if isa == Isa::Sve {
            let lanes = Lanes { count: lanes, scalable: true };
            return Some(MaskForm::Predicate(Type::Vector(Scalar::Int(1), lanes)));
        }
        if isa == Isa::Avx512 {
            return match lanes {
                1..=32 => Some(MaskForm::Bits(Type::I32)),
                33..=64 => Some(MaskForm::Bits(Type::I64)),
                _ => None,
            };
        }
        let like = Pieces::of(isa, lanes, like, layout)?;
        let element = Scalar::Int(layout.scalar_bits(like.element));
        let ty = match like.ty {
            Type::Vector(_, lanes) => Type::Vector(element, lanes),
            small => small,
        };
        Some(MaskForm::Vectors(Pieces { element, ty, ..like }))
    }
}
