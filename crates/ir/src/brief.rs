//! What is asked of values most, in few bytes: types, and constants in boxes, lie far apart.

use crate::constant::{Constant, ConstantKind};
use crate::entities::{Inst, Symbol};
use crate::types::{Scalar, Type};
use cranelift_entity::EntityRef;

/// What defines a value, and of which width it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Brief {
    /// The number of what defines it, or the number that it is.
    word: u64,
    /// The width of a scalar integer, else zero.
    bits: u32,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Param,
    Inst,
    /// A scalar integer that is below 2⁶⁴.
    Int,
    Symbol,
    /// Another constant.
    Constant,
}

impl Brief {
    fn new(ty: Type, kind: Kind, word: u64) -> Brief {
        let bits = match ty {
            Type::Scalar(Scalar::Int(bits)) => bits,
            _ => 0,
        };
        Brief { word, bits, kind }
    }

    pub(crate) fn param(ty: Type) -> Brief {
        Brief::new(ty, Kind::Param, 0)
    }

    pub(crate) fn inst(ty: Type, inst: Inst) -> Brief {
        Brief::new(ty, Kind::Inst, inst.index() as u64)
    }

    pub(crate) fn constant(constant: &Constant) -> Brief {
        let (kind, word) = match (&constant.kind, constant.ty) {
            (ConstantKind::Int(bits), Type::Scalar(Scalar::Int(_))) => match bits.to_u64() {
                Some(word) => (Kind::Int, word),
                None => (Kind::Constant, 0),
            },
            (&ConstantKind::Symbol(symbol), _) => (Kind::Symbol, symbol.index() as u64),
            _ => (Kind::Constant, 0),
        };
        Brief::new(constant.ty, kind, word)
    }

    #[inline]
    pub(crate) fn is_constant(&self) -> bool {
        !matches!(self.kind, Kind::Param | Kind::Inst)
    }

    #[inline]
    pub(crate) fn int_bits(&self) -> Option<u32> {
        (self.bits > 0).then_some(self.bits)
    }

    #[inline]
    pub(crate) fn as_inst(&self) -> Option<Inst> {
        (self.kind == Kind::Inst).then(|| Inst::new(self.word as usize))
    }

    #[inline]
    pub(crate) fn as_int(&self) -> Option<u64> {
        (self.kind == Kind::Int).then_some(self.word)
    }

    #[inline]
    pub(crate) fn as_symbol(&self) -> Option<Symbol> {
        (self.kind == Kind::Symbol).then(|| Symbol::new(self.word as usize))
    }
}
