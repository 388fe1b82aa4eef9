//! Types. Scalars and vectors are plain values; arrays, structs and signatures are interned.
//!
//! A function carries the [`Types`] it needs, so that it can be cloned, sent to another thread, printed and parsed alone.
//! [`Types::import`] carries a type from one table into another.

use crate::entities::Compound;
use crate::name::Name;
use cranelift_entity::PrimaryMap;
use rustc_hash::FxHashMap;

/// The floating-point formats of LLVM.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FloatKind {
    /// IEEE binary16.
    Half,
    /// The upper half of a binary32.
    BFloat,
    /// IEEE binary32.
    Float,
    /// IEEE binary64.
    Double,
    /// The 80-bit format of the x87.
    X86Fp80,
    /// IEEE binary128.
    Fp128,
    /// Two doubles, as on PowerPC.
    PpcFp128,
}

impl FloatKind {
    /// All formats, narrow ones first.
    pub const ALL: [FloatKind; 7] = [
        FloatKind::Half,
        FloatKind::BFloat,
        FloatKind::Float,
        FloatKind::Double,
        FloatKind::X86Fp80,
        FloatKind::Fp128,
        FloatKind::PpcFp128,
    ];

    /// Width in bits.
    pub fn bits(self) -> u32 {
        match self {
            FloatKind::Half | FloatKind::BFloat => 16,
            FloatKind::Float => 32,
            FloatKind::Double => 64,
            FloatKind::X86Fp80 => 80,
            FloatKind::Fp128 | FloatKind::PpcFp128 => 128,
        }
    }

    /// The keyword of the text form.
    pub fn name(self) -> &'static str {
        match self {
            FloatKind::Half => "half",
            FloatKind::BFloat => "bfloat",
            FloatKind::Float => "float",
            FloatKind::Double => "double",
            FloatKind::X86Fp80 => "x86_fp80",
            FloatKind::Fp128 => "fp128",
            FloatKind::PpcFp128 => "ppc_fp128",
        }
    }
}

/// A type that can be an element of a vector.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Scalar {
    /// An integer of so many bits, at least one.
    Int(u32),
    /// A floating-point number.
    Float(FloatKind),
    /// A pointer into an address space.
    Ptr(u32),
}

/// The number of elements of a vector.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lanes {
    /// The number, or for scalable vectors the number per unit of `vscale`.
    pub count: u32,
    /// Whether the number is a multiple only known at run time.
    pub scalable: bool,
}

/// The type of a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Type {
    /// No value.
    Void,
    /// What some intrinsics yield to tie instructions together.
    Token,
    /// Metadata in operand position.
    Metadata,
    /// A number or a pointer.
    Scalar(Scalar),
    /// A vector of numbers or pointers.
    Vector(Scalar, Lanes),
    /// An array, struct, signature or target type of the table that comes with the function.
    Compound(Compound),
}

impl Type {
    /// The one-bit integer, the type of conditions.
    pub const I1: Type = Type::int(1);
    /// An 8-bit integer.
    pub const I8: Type = Type::int(8);
    /// A 16-bit integer.
    pub const I16: Type = Type::int(16);
    /// A 32-bit integer.
    pub const I32: Type = Type::int(32);
    /// A 64-bit integer.
    pub const I64: Type = Type::int(64);
    /// A binary32.
    pub const FLOAT: Type = Type::Scalar(Scalar::Float(FloatKind::Float));
    /// A binary64.
    pub const DOUBLE: Type = Type::Scalar(Scalar::Float(FloatKind::Double));
    /// A pointer into the default address space.
    pub const PTR: Type = Type::Scalar(Scalar::Ptr(0));

    /// The integer type of `bits` bits.
    pub const fn int(bits: u32) -> Type {
        Type::Scalar(Scalar::Int(bits))
    }

    /// The fixed vector of `count` elements of `elem`.
    pub const fn vector(elem: Scalar, count: u32) -> Type {
        Type::Vector(elem, Lanes { count, scalable: false })
    }

    /// The element type of a vector, or the scalar itself.
    pub fn scalar(self) -> Option<Scalar> {
        match self {
            Type::Scalar(s) | Type::Vector(s, _) => Some(s),
            _ => None,
        }
    }

    /// The lanes of a vector type.
    pub fn lanes(self) -> Option<Lanes> {
        match self {
            Type::Vector(_, lanes) => Some(lanes),
            _ => None,
        }
    }

    /// The same shape (scalar or vector with as many lanes) with another element type.
    pub fn with_scalar(self, elem: Scalar) -> Type {
        match self {
            Type::Vector(_, lanes) => Type::Vector(elem, lanes),
            _ => Type::Scalar(elem),
        }
    }

    /// The width in bits of an integer or a vector of integers.
    pub fn int_bits(self) -> Option<u32> {
        match self.scalar()? {
            Scalar::Int(bits) => Some(bits),
            _ => None,
        }
    }

    /// The format of a float or a vector of floats.
    pub fn float_kind(self) -> Option<FloatKind> {
        match self.scalar()? {
            Scalar::Float(kind) => Some(kind),
            _ => None,
        }
    }

    /// Whether this is a pointer or a vector of pointers.
    pub fn is_ptr(self) -> bool {
        matches!(self.scalar(), Some(Scalar::Ptr(_)))
    }
}

/// What a [`Compound`] type is made of.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum CompoundData {
    /// `[len x elem]`.
    Array {
        /// The type of each element.
        elem: Type,
        /// How many.
        len: u64,
    },
    /// `{ … }`, `<{ … }>`, or a named struct.
    Struct {
        /// The name of an identified struct.
        name: Option<Name>,
        /// The types of the fields; `None` for a named struct without a body.
        fields: Option<Box<[Type]>>,
        /// Whether fields follow each other without padding.
        packed: bool,
    },
    /// `ret (params)`, the type of a callee.
    Function(Signature),
    /// `target("name", types, integers)`.
    Target {
        /// Its name.
        name: Name,
        /// Its type parameters.
        types: Box<[Type]>,
        /// Its integer parameters.
        ints: Box<[u32]>,
    },
}

/// The parameters and the result of a function.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Signature {
    /// The type of the result, or [`Type::Void`].
    pub ret: Type,
    /// The types of the parameters.
    pub params: Box<[Type]>,
    /// Whether more arguments may follow.
    pub varargs: bool,
}

/// The interned compound types of a function or module.
#[derive(Clone, Default, Debug)]
pub struct Types {
    data: PrimaryMap<Compound, CompoundData>,
    index: FxHashMap<CompoundData, Compound>,
}

impl Types {
    /// The compound type with this content, entered if it is new.
    pub fn intern(&mut self, data: CompoundData) -> Type {
        if let Some(&known) = self.index.get(&data) {
            return Type::Compound(known);
        }
        let id = self.data.push(data.clone());
        self.index.insert(data, id);
        Type::Compound(id)
    }

    /// `[len x elem]`.
    pub fn array(&mut self, elem: Type, len: u64) -> Type {
        self.intern(CompoundData::Array { elem, len })
    }

    /// The unnamed struct of these fields.
    pub fn structure(&mut self, fields: &[Type]) -> Type {
        self.intern(CompoundData::Struct { name: None, fields: Some(fields.into()), packed: false })
    }

    /// The type of functions from `params` to `ret`.
    pub fn function(&mut self, ret: Type, params: &[Type], varargs: bool) -> Type {
        self.intern(CompoundData::Function(Signature { ret, params: params.into(), varargs }))
    }

    /// What a compound type is made of.
    pub fn get(&self, id: Compound) -> &CompoundData {
        &self.data[id]
    }

    /// What `ty` is made of, if it is compound.
    pub fn compound(&self, ty: Type) -> Option<&CompoundData> {
        match ty {
            Type::Compound(id) => Some(&self.data[id]),
            _ => None,
        }
    }

    /// The signature behind a function type.
    pub fn signature(&self, ty: Type) -> Option<&Signature> {
        match self.compound(ty)? {
            CompoundData::Function(sig) => Some(sig),
            _ => None,
        }
    }

    /// The types of the fields of a struct that has a body.
    pub fn fields(&self, ty: Type) -> Option<&[Type]> {
        match self.compound(ty)? {
            CompoundData::Struct { fields, .. } => fields.as_deref(),
            _ => None,
        }
    }

    /// The type of element `index` of an array or field `index` of a struct.
    pub fn element(&self, ty: Type, index: u64) -> Option<Type> {
        match self.compound(ty)? {
            CompoundData::Array { elem, len } => (index < *len).then_some(*elem),
            CompoundData::Struct { fields, .. } => {
                fields.as_ref()?.get(usize::try_from(index).ok()?).copied()
            }
            _ => None,
        }
    }

    /// The number of elements of an array, fields of a struct, or lanes of a fixed vector.
    pub fn element_count(&self, ty: Type) -> Option<u64> {
        match ty {
            Type::Vector(_, Lanes { count, scalable: false }) => Some(count.into()),
            _ => match self.compound(ty)? {
                CompoundData::Array { len, .. } => Some(*len),
                CompoundData::Struct { fields, .. } => Some(fields.as_ref()?.len() as u64),
                _ => None,
            },
        }
    }

    /// All compound types in the order they were entered; a type comes after those it is made of.
    pub fn iter(&self) -> impl Iterator<Item = (Compound, &CompoundData)> {
        self.data.iter()
    }

    /// The type of this table that equals `ty` of the table `from`.
    pub fn import(&mut self, from: &Types, ty: Type) -> Type {
        let Some(data) = from.compound(ty) else { return ty };
        let mut all =
            |list: &[Type]| -> Box<[Type]> { list.iter().map(|&t| self.import(from, t)).collect() };
        let data = match data {
            CompoundData::Array { elem, len } => {
                CompoundData::Array { elem: all(&[*elem])[0], len: *len }
            }
            CompoundData::Struct { name, fields, packed } => CompoundData::Struct {
                name: name.clone(),
                fields: fields.as_deref().map(all),
                packed: *packed,
            },
            CompoundData::Function(sig) => CompoundData::Function(Signature {
                ret: all(&[sig.ret])[0],
                params: all(&sig.params),
                varargs: sig.varargs,
            }),
            CompoundData::Target { name, types, ints } => {
                CompoundData::Target { name: name.clone(), types: all(types), ints: ints.clone() }
            }
        };
        self.intern(data)
    }
}
