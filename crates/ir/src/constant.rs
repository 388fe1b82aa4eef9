//! Constants as trees. They need no function: initializers of globals are the same thing.

use crate::bits::Bits;
use crate::entities::{Block, Symbol};
use crate::flags::Flags;
use crate::inst::Op;
use crate::types::{Scalar, Type, Types};

/// A constant of a type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Constant {
    /// Its type.
    pub ty: Type,
    /// What it is.
    pub kind: ConstantKind,
}

/// What a constant is. The type stands beside it, in [`Constant`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ConstantKind {
    /// An integer.
    Int(Bits),
    /// A floating-point number by its bits.
    Float(Bits),
    /// Zero of any type: the null pointer, `zeroinitializer`, the `none` token.
    Zero,
    /// An unspecified value, perhaps another at each use.
    Undef,
    /// The value of an operation that broke its promises.
    Poison,
    /// The address of a global variable or function.
    Symbol(Symbol),
    /// The address of a block of the function that uses the constant.
    BlockAddress(Block),
    /// A struct, array or vector by its elements.
    Aggregate(Box<[Constant]>),
    /// An array or vector of integers or floats by its bytes, little-endian.
    Data(Box<[u8]>),
    /// An operation on constants that only the linker can evaluate.
    Expr(Box<ConstantExpr>),
    /// A constant or metadata operand that only the module it came from knows, as an index into its side table.
    Foreign(u32),
}

/// An operation on constants.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ConstantExpr {
    /// The operation: a binary operator, cast, address computation or vector operation.
    pub op: Op,
    /// Its flags.
    pub flags: Flags,
    /// Its operands.
    pub args: Box<[Constant]>,
    /// For address computations, the offsets within which accesses stay.
    pub inrange: Option<InRange>,
}

/// The offsets `[low, high)` from an address within which accesses stay. Clang writes them narrower than an index.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct InRange {
    /// The width of the offsets.
    pub bits: u32,
    /// The first offset.
    pub low: Bits,
    /// The offset behind the last.
    pub high: Bits,
}

impl Constant {
    /// The integer `value` of type `ty` (or of each lane, if `ty` is a vector), cut to its width.
    ///
    /// # Panics
    /// If `ty` is not an integer type or a vector of integers.
    pub fn int(ty: Type, value: i128) -> Constant {
        let bits = ty.int_bits().expect("an integer constant needs an integer type");
        let scalar = Constant {
            ty: Type::int(bits),
            kind: ConstantKind::Int(Bits::from_signed(bits, value)),
        };
        scalar.splat(ty)
    }

    /// The double `value`.
    pub fn double(value: f64) -> Constant {
        Constant {
            ty: Type::DOUBLE,
            kind: ConstantKind::Float(Bits::new(64, value.to_bits().into())),
        }
    }

    /// The float `value`.
    pub fn float(value: f32) -> Constant {
        Constant {
            ty: Type::FLOAT,
            kind: ConstantKind::Float(Bits::new(32, value.to_bits().into())),
        }
    }

    /// `true` or `false`.
    pub fn bool(value: bool) -> Constant {
        Constant::int(Type::I1, value.into())
    }

    /// Zero, null or `zeroinitializer` of `ty`, in the form the text and LLVM use for that type.
    pub fn zero(ty: Type) -> Constant {
        let kind = match ty {
            Type::Scalar(Scalar::Int(bits)) => ConstantKind::Int(Bits::new(bits, 0)),
            Type::Scalar(Scalar::Float(kind)) => ConstantKind::Float(Bits::new(kind.bits(), 0)),
            _ => ConstantKind::Zero,
        };
        Constant { ty, kind }
    }

    /// Poison of `ty`.
    pub fn poison(ty: Type) -> Constant {
        Constant { ty, kind: ConstantKind::Poison }
    }

    /// Undef of `ty`.
    pub fn undef(ty: Type) -> Constant {
        Constant { ty, kind: ConstantKind::Undef }
    }

    /// This scalar on every lane of the vector type `ty`, or itself if `ty` is no vector.
    pub fn splat(self, ty: Type) -> Constant {
        match ty.lanes() {
            None => self,
            Some(lanes) => {
                let all = vec![self; lanes.count as usize].into();
                Constant { ty, kind: ConstantKind::Aggregate(all) }
            }
        }
    }

    /// The value of an integer constant of at most 128 bits, unsigned.
    #[inline]
    pub fn as_u128(&self) -> Option<u128> {
        match &self.kind {
            ConstantKind::Int(bits) => bits.to_u128(),
            _ => None,
        }
    }

    /// The number of a field: an integer constant, or a vector of equal ones.
    pub(crate) fn as_index(&self) -> Option<u128> {
        match &self.kind {
            ConstantKind::Zero => Some(0),
            ConstantKind::Aggregate(elements) => elements.first()?.as_u128(),
            _ => self.as_u128(),
        }
    }

    /// The value of an integer constant, signed, if it fits.
    pub fn as_i128(&self) -> Option<i128> {
        match (&self.kind, self.ty) {
            (ConstantKind::Int(bits), Type::Scalar(Scalar::Int(width))) => bits.to_i128(width),
            _ => None,
        }
    }

    /// Element `index` of an aggregate, data or zero constant, if there is one.
    pub fn element(&self, types: &Types, index: u64) -> Option<Constant> {
        let ty = match self.ty {
            Type::Vector(elem, lanes) => {
                (index < lanes.count.into()).then_some(Type::Scalar(elem))?
            }
            ty => types.element(ty, index)?,
        };
        let index = usize::try_from(index).ok()?;
        match &self.kind {
            ConstantKind::Aggregate(elements) => elements.get(index).cloned(),
            ConstantKind::Zero => Some(Constant::zero(ty)),
            ConstantKind::Undef => Some(Constant::undef(ty)),
            ConstantKind::Poison => Some(Constant::poison(ty)),
            ConstantKind::Data(bytes) => {
                let (width, float) = match ty.scalar()? {
                    Scalar::Int(bits) => (bits, false),
                    Scalar::Float(kind) => (kind.bits(), true),
                    Scalar::Ptr(_) => return None,
                };
                let size = width as usize / 8;
                let mut word = [0; 16];
                word[..size].copy_from_slice(bytes.get(index * size..(index + 1) * size)?);
                let bits = Bits::new(width, u128::from_le_bytes(word));
                let kind = if float { ConstantKind::Float(bits) } else { ConstantKind::Int(bits) };
                Some(Constant { ty, kind })
            }
            _ => None,
        }
    }
}
