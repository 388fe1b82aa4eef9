//! Functions: header, blocks, and the values that are used before they are defined.

use super::constant::{ConstantScope, UNKNOWN};
use super::lexer::{Ident, Pos, Token, describe_ident};
use super::{Parser, Result};
use crate::entities::{Block, Inst, Symbol, Value};
use crate::function::Function;
use crate::symbols::SymbolName;
use crate::types::{Signature, Type, Types};
use cranelift_entity::EntitySet;
use cranelift_entity::packed_option::ReservedValue;
use rustc_hash::FxHashMap;

/// A function that is being read.
pub(super) struct Draft {
    pub(super) function: Function,
    values: FxHashMap<Ident, Value>,
    blocks: FxHashMap<Ident, (Block, Pos)>,
    /// The blocks in the order of their labels.
    order: Vec<Block>,
    labelled: EntitySet<Block>,
    /// Uses of values that were not defined yet.
    later: Vec<Later>,
    /// Where each symbol was mentioned first.
    pub(super) symbol_uses: Vec<(Symbol, Pos)>,
}

struct Later {
    place: Place,
    name: Ident,
    ty: Type,
    pos: Pos,
}

enum Place {
    Operand(Inst, usize),
    Predicate(Block),
}

/// An operand: a value, or the name of one that is defined further down.
pub(super) enum Operand {
    Now(Value),
    Later(Ident, Type, Pos),
}

impl Draft {
    fn new(name: SymbolName, signature: Signature, types: Types) -> Draft {
        Draft {
            function: Function::new(name, signature, types),
            values: FxHashMap::default(),
            blocks: FxHashMap::default(),
            order: Vec::new(),
            labelled: EntitySet::new(),
            later: Vec::new(),
            symbol_uses: Vec::new(),
        }
    }

    /// The block of this name, mentioned for the first time or again.
    pub(super) fn block_named(&mut self, name: Ident, pos: Pos) -> Block {
        if let Some(&(known, _)) = self.blocks.get(&name) {
            return known;
        }
        let block = self.function.add_block();
        if let Ident::Named(name) = &name {
            self.function.set_block_name(block, Some(name.clone()));
        }
        self.blocks.insert(name, (block, pos));
        block
    }

    /// Gives `value` the name `name`.
    pub(super) fn define(&mut self, name: Ident, value: Value) -> bool {
        if let Ident::Named(name) = &name {
            self.function.set_value_name(value, Some(name.clone()));
        }
        self.values.insert(name, value).is_none()
    }

    /// Sets the operands of an instruction; those defined later are filled in at the end.
    pub(super) fn set_args(&mut self, inst: Inst, args: Vec<Operand>) {
        for (index, operand) in args.into_iter().enumerate() {
            let value = match operand {
                Operand::Now(value) => value,
                Operand::Later(name, ty, pos) => {
                    let place = Place::Operand(inst, index);
                    self.later.push(Later { place, name, ty, pos });
                    Value::reserved_value()
                }
            };
            self.function[inst].args.push(value);
        }
    }
}

impl ConstantScope for Draft {
    fn types(&mut self) -> &mut Types {
        &mut self.function.types
    }

    fn symbol(&mut self, name: SymbolName, pos: Pos) -> Symbol {
        let mut new = false;
        let symbol = self.function.symbols.intern(name, || {
            new = true;
            UNKNOWN
        });
        if new {
            self.symbol_uses.push((symbol, pos));
        }
        symbol
    }

    fn block(&mut self, name: Ident, pos: Pos) -> Option<Block> {
        Some(self.block_named(name, pos))
    }
}

impl<'a> Parser<'a> {
    /// `func @f(…) -> T cc N attrs(…) { … }`.
    pub(super) fn function(&mut self) -> Result<Draft> {
        self.word("func")?;
        let name = self.symbol_name()?;
        self.mark("(")?;
        let mut types = Types::default();
        let (mut params, mut names, mut varargs) = (Vec::new(), Vec::new(), false);
        if !self.eat_mark(")")? {
            loop {
                if self.eat_mark("...")? {
                    varargs = true;
                    self.mark(")")?;
                    break;
                }
                params.push(self.ty(&mut types)?);
                let pos = self.pos;
                names.push(match self.bump()? {
                    Token::Local(name) => (name, pos),
                    _ => return Err(self.error_at(pos, "expected the name of a parameter")),
                });
                if !self.eat_mark(",")? {
                    self.mark(")")?;
                    break;
                }
            }
        }
        self.mark("->")?;
        let ret = self.ty(&mut types)?;
        let signature = Signature { ret, params: params.into(), varargs };
        let mut draft = Draft::new(name, signature, types);
        if self.eat_word("cc")? {
            draft.function.convention = self.number("a calling convention")?;
        }
        draft.function.attrs = self.attrs(&mut draft.function.types)?;
        for (index, (name, pos)) in names.into_iter().enumerate() {
            let param = draft.function.params()[index];
            if !draft.define(name, param) {
                return Err(self.error_at(pos, "another parameter has this name"));
            }
        }
        self.mark("{")?;
        while !self.eat_mark("}")? {
            self.block(&mut draft)?;
        }
        self.finish(draft)
    }

    fn label(&mut self) -> Result<Option<Ident>> {
        if self.next.1 != Token::Mark(":") {
            return Ok(None);
        }
        let name = match &self.token {
            Token::Word(word) => Ident::Named((*word).into()),
            Token::Text(bytes) => Ident::Named(bytes.clone().into()),
            Token::Number(text) => match text.parse() {
                Ok(number) => Ident::Numbered(number),
                Err(_) => return Ok(None),
            },
            _ => return Ok(None),
        };
        self.bump()?;
        self.mark(":")?;
        Ok(Some(name))
    }

    fn block(&mut self, draft: &mut Draft) -> Result<()> {
        let pos = self.pos;
        let Some(name) = self.label()? else {
            return self.expected("a label (`name:`) or `}`");
        };
        let block = draft.block_named(name.clone(), pos);
        if !draft.labelled.insert(block) {
            let name = describe_ident(&name);
            return Err(self.error_at(pos, format!("the block %{name} is already there")));
        }
        draft.order.push(block);
        if self.eat_word("when")? {
            match self.value(draft, Type::I1)? {
                Operand::Now(value) => draft.function.set_predicate(block, Some(value)),
                Operand::Later(name, ty, pos) => {
                    draft.later.push(Later { place: Place::Predicate(block), name, ty, pos });
                }
            }
        }
        loop {
            let label_next =
                self.next.1 == Token::Mark(":") && !matches!(self.token, Token::Local(_));
            if label_next || self.at_mark("}") {
                return Ok(());
            }
            self.instruction(draft, block)?;
        }
    }

    /// A value of type `ty`: a name or a constant.
    pub(super) fn value(&mut self, draft: &mut Draft, ty: Type) -> Result<Operand> {
        let Token::Local(_) = self.token else {
            let constant = self.constant(draft, ty)?;
            return Ok(Operand::Now(draft.function.constant(constant)));
        };
        let pos = self.pos;
        let Token::Local(name) = self.bump()? else { unreachable!("just looked at") };
        match draft.values.get(&name) {
            Some(&value) => {
                self.check_type(draft, &name, value, ty, pos)?;
                Ok(Operand::Now(value))
            }
            None => Ok(Operand::Later(name, ty, pos)),
        }
    }

    fn check_type(
        &self,
        draft: &Draft,
        name: &Ident,
        value: Value,
        ty: Type,
        pos: Pos,
    ) -> Result<()> {
        let found = draft.function.ty(value);
        if found == ty {
            return Ok(());
        }
        let types = &draft.function.types;
        let (found, ty) = (crate::print::Ty(types, found), crate::print::Ty(types, ty));
        let name = describe_ident(name);
        Err(self.error_at(pos, format!("%{name} has type {found}, expected {ty}")))
    }

    /// Fills in what was used before its definition, and puts the blocks in order.
    fn finish(&mut self, mut draft: Draft) -> Result<Draft> {
        for (name, &(block, pos)) in &draft.blocks {
            if !draft.labelled.contains(block) {
                let name = describe_ident(name);
                return Err(self.error_at(pos, format!("there is no block %{name}")));
            }
        }
        let order = std::mem::take(&mut draft.order);
        draft.function.reorder_blocks(order);
        for Later { place, name, ty, pos } in std::mem::take(&mut draft.later) {
            let Some(&value) = draft.values.get(&name) else {
                let name = describe_ident(&name);
                return Err(self.error_at(pos, format!("there is no value %{name}")));
            };
            self.check_type(&draft, &name, value, ty, pos)?;
            match place {
                Place::Operand(inst, index) => draft.function[inst].args[index] = value,
                Place::Predicate(block) => draft.function.set_predicate(block, Some(value)),
            }
        }
        Ok(draft)
    }
}
