//! Constants. The type in front of them is already read.

use super::lexer::Token;
use super::{Parser, Result};
use crate::bits::Bits;
use crate::constant::{Constant, ConstantExpr, ConstantKind, InRange};
use crate::entities::{Block, Symbol};
use crate::flags::Flags;
use crate::inst::Op;
use crate::ops::{BinOp, CastOp};
use crate::symbols::{SymbolKind, SymbolName};
use crate::types::{CompoundData, FloatKind, Scalar, Type, Types};

/// What constants may mention: types, globals and, in a function, its blocks.
pub(super) trait ConstantScope {
    fn types(&mut self) -> &mut Types;
    fn symbol(&mut self, name: SymbolName, pos: super::Pos) -> Symbol;
    fn block(&mut self, name: super::Ident, pos: super::Pos) -> Option<Block>;
}

/// What a symbol is until the declarations of the whole file are known.
pub(super) const UNKNOWN: SymbolKind = SymbolKind::Variable { ty: Type::Void, constant: false };

impl Parser<'_> {
    /// An integer of `width` bits.
    pub(super) fn int_bits(&mut self, width: u32) -> Result<Bits> {
        let bits = match self.token {
            Token::Word("true") if width == 1 => Some(Bits::new(1, 1)),
            Token::Word("false") if width == 1 => Some(Bits::new(1, 0)),
            Token::Number(text) => match text.strip_prefix("0x") {
                Some(hex) => hex_bits(width, hex),
                None => match (text.parse::<i128>(), text.parse::<u128>()) {
                    (Ok(value), _) => Some(Bits::from_signed(width, value)),
                    (_, Ok(value)) => Some(Bits::new(width, value)),
                    _ => None,
                },
            },
            _ => None,
        };
        match bits {
            Some(bits) => {
                self.bump()?;
                Ok(bits)
            }
            None => self.expected("an integer"),
        }
    }

    fn float_bits(&mut self, kind: FloatKind) -> Result<Bits> {
        let Token::Number(text) = self.token else { return self.expected("a number") };
        let bits = match (text.strip_prefix("0x"), kind) {
            (Some(hex), _) => hex_bits(kind.bits(), hex),
            (None, FloatKind::Float) => {
                text.parse::<f32>().ok().map(|v| Bits::new(32, v.to_bits().into()))
            }
            (None, FloatKind::Double) => {
                text.parse::<f64>().ok().map(|v| Bits::new(64, v.to_bits().into()))
            }
            _ => None,
        };
        match bits {
            Some(bits) => {
                self.bump()?;
                Ok(bits)
            }
            None => self.error(format!("`{text}` is not a {} (bits: `0x…`)", kind.name())),
        }
    }

    /// A constant of type `ty`.
    pub(super) fn constant(
        &mut self,
        scope: &mut impl ConstantScope,
        ty: Type,
    ) -> Result<Constant> {
        self.nested(|p| Ok(Constant { ty, kind: p.constant_kind(scope, ty)? }))
    }

    fn constant_kind(&mut self, scope: &mut impl ConstantScope, ty: Type) -> Result<ConstantKind> {
        match (&self.token, ty) {
            (Token::Word("undef"), _) => self.taken(ConstantKind::Undef),
            (Token::Word("poison"), _) => self.taken(ConstantKind::Poison),
            (Token::Word("null" | "none" | "zeroinitializer"), _) => {
                self.taken(Constant::zero(ty).kind)
            }
            (Token::Word("foreign"), _) => {
                self.bump()?;
                Ok(ConstantKind::Foreign(self.number("an index")?))
            }
            (Token::Word("blockaddress"), _) => {
                self.bump()?;
                self.mark("(")?;
                let pos = self.pos;
                let Token::Local(name) = self.bump()? else {
                    return Err(self.error_at(pos, "expected a block"));
                };
                let Some(block) = scope.block(name, pos) else {
                    return Err(self.error_at(pos, "there are no blocks here"));
                };
                self.mark(")")?;
                Ok(ConstantKind::BlockAddress(block))
            }
            (Token::Global(_), _) => {
                let pos = self.pos;
                let name = self.symbol_name()?;
                Ok(ConstantKind::Symbol(scope.symbol(name, pos)))
            }
            (Token::Data(_), _) => self.data(scope, ty),
            (Token::Word("true" | "false") | Token::Number(_), Type::Scalar(Scalar::Int(w))) => {
                Ok(ConstantKind::Int(self.int_bits(w)?))
            }
            (Token::Number(_), Type::Scalar(Scalar::Float(kind))) => {
                Ok(ConstantKind::Float(self.float_bits(kind)?))
            }
            (Token::Mark("<" | "[" | "{"), _) => self.aggregate(scope, ty),
            (Token::Word(_), _) => self.expr(scope, ty),
            _ => self.expected("a constant of that type"),
        }
    }

    fn taken(&mut self, kind: ConstantKind) -> Result<ConstantKind> {
        self.bump()?;
        Ok(kind)
    }

    fn data(&mut self, scope: &mut impl ConstantScope, ty: Type) -> Result<ConstantKind> {
        let elem = match scope.types().compound(ty) {
            Some(&CompoundData::Array { elem, .. }) => Some(elem),
            _ => match ty {
                Type::Vector(elem, _) => Some(Type::Scalar(elem)),
                _ => None,
            },
        };
        let size = match elem {
            Some(Type::Scalar(Scalar::Int(bits))) if bits % 8 == 0 && bits <= 64 => bits / 8,
            Some(Type::Scalar(Scalar::Float(kind))) if kind.bits() <= 64 => kind.bits() / 8,
            _ => return self.error("only arrays and vectors of numbers are written as `c\"…\"`"),
        };
        let count = scope.types().element_count(ty).unwrap_or(0);
        let Token::Data(bytes) = &self.token else { return self.expected("data") };
        if bytes.len() as u64 != count * u64::from(size) {
            let found = bytes.len();
            return self.error(format!(
                "the type has {} bytes, the data {found}",
                count * u64::from(size)
            ));
        }
        let kind = ConstantKind::Data(bytes.clone().into());
        self.taken(kind)
    }

    fn aggregate(&mut self, scope: &mut impl ConstantScope, ty: Type) -> Result<ConstantKind> {
        let Some(count) = scope.types().element_count(ty) else {
            return self.error("only structs, arrays and vectors have elements");
        };
        let pos = self.pos;
        let close: &[&str] = match self.bump()? {
            Token::Mark("<") if self.eat_mark("{")? => &["}", ">"],
            Token::Mark("<") => &[">"],
            Token::Mark("[") => &["]"],
            _ => &["}"],
        };
        let elements = self.list(close[0], |p| {
            let elem = p.ty(scope.types())?;
            p.constant(scope, elem)
        })?;
        if let Some(mark) = close.get(1) {
            self.mark(mark)?;
        }
        if elements.len() as u64 != count {
            let found = elements.len();
            return Err(self.error_at(pos, format!("expected {count} elements, found {found}")));
        }
        for (i, element) in elements.iter().enumerate() {
            let expected = match ty {
                Type::Vector(elem, _) => Some(Type::Scalar(elem)),
                _ => scope.types().element(ty, i as u64),
            };
            if expected != Some(element.ty) {
                return Err(self.error_at(pos, format!("element {i} has the wrong type")));
            }
        }
        Ok(ConstantKind::Aggregate(elements.into()))
    }

    fn expr(&mut self, scope: &mut impl ConstantScope, ty: Type) -> Result<ConstantKind> {
        let Token::Word(word) = self.token else { return self.expected("a constant") };
        let mut op = match word {
            "getelementptr" => Op::Gep(Type::Void),
            "extractelement" => Op::ExtractElement,
            "insertelement" => Op::InsertElement,
            "shufflevector" => Op::ShuffleVector(Box::default()),
            _ => match (BinOp::from_name(word), CastOp::from_name(word)) {
                (Some(op), _) => Op::Binary(op),
                (_, Some(op)) => Op::Cast(op),
                _ => return self.expected("a constant of that type"),
            },
        };
        self.bump()?;
        let mut flags = Flags::NONE;
        while let Token::Word(word) = self.token
            && let Some(flag) = Flags::from_name(word)
        {
            flags |= flag;
            self.bump()?;
        }
        let mut inrange = None;
        if self.eat_word("inrange")? {
            self.mark("(")?;
            let Type::Scalar(Scalar::Int(bits)) = self.ty(scope.types())? else {
                return self.error("offsets are integers");
            };
            let low = self.int_bits(bits)?;
            self.mark(",")?;
            inrange = Some(InRange { bits, low, high: self.int_bits(bits)? });
            self.mark(")")?;
        }
        self.mark("(")?;
        if let Op::Gep(elem) = &mut op {
            *elem = self.ty(scope.types())?;
            self.mark(",")?;
        }
        let mut args = Vec::new();
        loop {
            if let (Op::ShuffleVector(mask), Token::Mark("[")) = (&mut op, &self.token) {
                self.bump()?;
                *mask = self.list("]", |p| p.number("a lane"))?.into();
                break;
            }
            let elem = self.ty(scope.types())?;
            args.push(self.constant(scope, elem)?);
            if !self.eat_mark(",")? {
                break;
            }
        }
        if let Op::Cast(_) = op {
            self.word("to")?;
            if self.ty(scope.types())? != ty {
                return self.error("the conversion does not yield the type that stands before it");
            }
        }
        self.mark(")")?;
        Ok(ConstantKind::Expr(Box::new(ConstantExpr { op, flags, args: args.into(), inrange })))
    }
}

/// The bits of a hexadecimal number, cut to `width`.
fn hex_bits(width: u32, hex: &str) -> Option<Bits> {
    let mut words = Vec::new();
    let mut end = hex.len();
    while end > 0 {
        let start = end.saturating_sub(16);
        words.push(u64::from_str_radix(hex.get(start..end)?, 16).ok()?);
        end = start;
    }
    (!hex.is_empty()).then(|| Bits::from_words(width, &words))
}
