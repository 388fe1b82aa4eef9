//! Types and attributes.

use super::lexer::{Ident, Token};
use super::{Parser, Result};
use crate::attrs::{Attr, AttrListData};
use crate::types::{CompoundData, FloatKind, Lanes, Scalar, Signature, Type, Types};

/// The widest integer LLVM has.
const MAX_INT_BITS: u32 = 1 << 23;

impl Parser<'_> {
    /// A type, entered into `types`.
    pub(super) fn ty(&mut self, types: &mut Types) -> Result<Type> {
        self.nested(|p| p.ty_inner(types))
    }

    fn ty_inner(&mut self, types: &mut Types) -> Result<Type> {
        let word = match &self.token {
            Token::Word(word) => *word,
            Token::Local(Ident::Named(name)) => {
                let Some(&known) = self.structs.get(name) else {
                    return self.error(format!("the type %{name} is not defined before this use"));
                };
                self.bump()?;
                return Ok(types.import(&self.file_types, known));
            }
            Token::Mark("[") => {
                self.bump()?;
                let len = self.number("the length of an array")?;
                self.word("x")?;
                let elem = self.ty(types)?;
                self.mark("]")?;
                return Ok(types.array(elem, len));
            }
            Token::Mark("{") => {
                let data = self.struct_body(types, None)?;
                return Ok(types.intern(data));
            }
            Token::Mark("<") if self.next.1 == Token::Mark("{") => {
                let data = self.struct_body(types, None)?;
                return Ok(types.intern(data));
            }
            Token::Mark("<") => return self.vector(),
            _ => return self.expected("a type"),
        };
        match word {
            "void" => self.simple(Type::Void),
            "token" => self.simple(Type::Token),
            "metadata" => self.simple(Type::Metadata),
            "fn" => {
                self.bump()?;
                let signature = self.signature(types)?;
                Ok(types.intern(CompoundData::Function(signature)))
            }
            "target" => self.target_type(types),
            _ => Ok(Type::Scalar(self.scalar()?)),
        }
    }

    fn simple(&mut self, ty: Type) -> Result<Type> {
        self.bump()?;
        Ok(ty)
    }

    fn scalar(&mut self) -> Result<Scalar> {
        let Token::Word(word) = self.token else { return self.expected("a scalar type") };
        if word == "ptr" {
            self.bump()?;
            return Ok(Scalar::Ptr(self.address_space()?));
        }
        if let Some(kind) = FloatKind::ALL.into_iter().find(|k| k.name() == word) {
            self.bump()?;
            return Ok(Scalar::Float(kind));
        }
        if let Some(bits) = word.strip_prefix('i').and_then(|d| d.parse::<u32>().ok()) {
            if bits == 0 || bits > MAX_INT_BITS {
                return self.error(format!("integers have 1 to {MAX_INT_BITS} bits"));
            }
            self.bump()?;
            return Ok(Scalar::Int(bits));
        }
        self.expected("a type")
    }

    /// `addrspace(N)`, or nothing for 0.
    pub(super) fn address_space(&mut self) -> Result<u32> {
        if !self.eat_word("addrspace")? {
            return Ok(0);
        }
        self.mark("(")?;
        let space = self.number("an address space")?;
        self.mark(")")?;
        Ok(space)
    }

    fn vector(&mut self) -> Result<Type> {
        self.mark("<")?;
        let scalable = self.eat_word("vscale")?;
        if scalable {
            self.word("x")?;
        }
        let count = self.number("the number of lanes")?;
        if count == 0 {
            return self.error("a vector has at least one lane");
        }
        self.word("x")?;
        let elem = self.scalar()?;
        self.mark(">")?;
        Ok(Type::Vector(elem, Lanes { count, scalable }))
    }

    /// `{ … }`, `<{ … }>` or `opaque`.
    pub(super) fn struct_body(
        &mut self,
        types: &mut Types,
        name: Option<crate::name::Name>,
    ) -> Result<CompoundData> {
        if name.is_some() && self.eat_word("opaque")? {
            return Ok(CompoundData::Struct { name, fields: None, packed: false });
        }
        let packed = self.eat_mark("<")?;
        self.mark("{")?;
        let fields = self.list("}", |p| p.ty(types))?;
        if packed {
            self.mark(">")?;
        }
        Ok(CompoundData::Struct { name, fields: Some(fields.into()), packed })
    }

    /// `ret (params)`.
    pub(super) fn signature(&mut self, types: &mut Types) -> Result<Signature> {
        let ret = self.ty(types)?;
        self.mark("(")?;
        let mut params = Vec::new();
        let mut varargs = false;
        if !self.eat_mark(")")? {
            loop {
                if self.eat_mark("...")? {
                    varargs = true;
                    self.mark(")")?;
                    break;
                }
                params.push(self.ty(types)?);
                if !self.eat_mark(",")? {
                    self.mark(")")?;
                    break;
                }
            }
        }
        Ok(Signature { ret, params: params.into(), varargs })
    }

    fn target_type(&mut self, types: &mut Types) -> Result<Type> {
        self.bump()?;
        self.mark("(")?;
        let name = self.text("the name of a target type")?.into();
        let (mut params, mut ints) = (Vec::new(), Vec::new());
        while self.eat_mark(",")? {
            match self.token {
                Token::Number(_) => ints.push(self.number("a number")?),
                _ => params.push(self.ty(types)?),
            }
        }
        self.mark(")")?;
        let data = CompoundData::Target { name, types: params.into(), ints: ints.into() };
        Ok(types.intern(data))
    }

    /// `attrs(…)`, or nothing.
    pub(super) fn attrs(&mut self, types: &mut Types) -> Result<AttrListData> {
        let mut attrs = AttrListData::default();
        if !self.eat_word("attrs")? {
            return Ok(attrs);
        }
        self.mark("(")?;
        loop {
            let place = self.bump()?;
            self.mark(":")?;
            let mut list = Vec::new();
            loop {
                list.push(self.attr(types)?);
                if !self.eat_mark(",")? {
                    break;
                }
            }
            match place {
                Token::Word("fn") => attrs.function = list,
                Token::Word("ret") => attrs.ret = list,
                Token::Number(n) if n.parse::<u32>().is_ok() => {
                    attrs.params.push((n.parse().unwrap_or_default(), list));
                }
                _ => return self.error("attributes belong to `fn`, `ret` or a parameter's number"),
            }
            if !self.eat_mark("|")? {
                self.mark(")")?;
                return Ok(attrs);
            }
        }
    }

    fn attr(&mut self, types: &mut Types) -> Result<Attr> {
        if let Token::Text(_) = self.token {
            let key = self.text("an attribute")?;
            let value = if self.eat_mark("=")? { self.text("a value")? } else { Vec::new() };
            return Ok(Attr::Text(key.into(), value.into()));
        }
        let name: Box<str> = self.keyword("an attribute", |word| Some(word.into()))?;
        if !self.eat_mark("(")? {
            return Ok(Attr::Flag(name));
        }
        let attr = match self.token {
            Token::Number(_) => Attr::Int(name, self.number("a number")?),
            Token::Word("ranges") => {
                self.bump()?;
                let bits = self.number("a width")?;
                let mut ranges = Vec::new();
                while self.eat_mark("[")? {
                    let low = self.int_bits(bits)?;
                    self.mark(",")?;
                    let high = self.int_bits(bits)?;
                    self.mark("]")?;
                    ranges.push((low, high));
                }
                Attr::Ranges(name, bits, ranges.into())
            }
            _ => Attr::Type(name, self.ty(types)?),
        };
        self.mark(")")?;
        Ok(attr)
    }
}
