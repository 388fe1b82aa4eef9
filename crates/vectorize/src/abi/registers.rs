//! Into which registers the lanes of a value go.

use super::name::Isa;
use lw_ir::DataLayout;
use lw_ir::types::{Scalar, Type};

/// How the lanes of a value are passed: so many equal pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pieces {
    /// What a lane is in a register: `i1` takes a byte.
    pub(crate) element: Scalar,
    /// How many lanes there are in a piece.
    pub(crate) lanes: u32,
    /// How many pieces there are.
    pub(crate) count: u32,
    /// The type of a piece: a vector, or an integer that is smaller than any vector register.
    pub(crate) ty: Type,
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
        let register = register_bits(isa, matches!(element, Scalar::Float(_)))?;
        if !lanes.is_power_of_two() {
            return None;
        }
        // On AArch64 compilers agree about what fills one register.
        if isa == Isa::Neon && !matches!(lanes * bits, 64 | 128) {
            return None;
        }
        let in_piece = lanes.min(register / bits);
        let ty = match in_piece * bits {
            small @ 0..64 => Type::int(small),
            _ => Type::vector(element, in_piece),
        };
        Some(Pieces { element, lanes: in_piece, count: lanes / in_piece, ty })
    }
}

fn register_bits(isa: Isa, float: bool) -> Option<u32> {
    match isa {
        Isa::Sse | Isa::Neon => Some(128),
        Isa::Avx => Some(if float { 256 } else { 128 }),
        Isa::Avx2 => Some(256),
        Isa::Avx512 => Some(512),
        Isa::Sve => None,
    }
}

/// How a mask is passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MaskForm {
    /// The bits of an integer of this type.
    Bits(Type),
    /// Vectors of integers that are not zero where a lane is active, in the registers of a type.
    Vectors(Pieces),
}

impl MaskForm {
    /// The form for a function of this *characteristic type*: that of its result, else of its first parameter that is a vector, else
    /// `int`.
    pub(crate) fn of(
        isa: Isa,
        lanes: u32,
        characteristic: Type,
        layout: &DataLayout,
    ) -> Option<MaskForm> {
        if isa == Isa::Avx512 {
            return match lanes {
                1..=32 => Some(MaskForm::Bits(Type::I32)),
                33..=64 => Some(MaskForm::Bits(Type::I64)),
                _ => None,
            };
        }
        let like = Pieces::of(isa, lanes, characteristic, layout)?;
        let element = Scalar::Int(layout.scalar_bits(like.element));
        let ty = match like.ty {
            Type::Vector(_, lanes) => Type::Vector(element, lanes),
            small => small,
        };
        Some(MaskForm::Vectors(Pieces { element, ty, ..like }))
    }
}
