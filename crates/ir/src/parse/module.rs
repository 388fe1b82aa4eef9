//! The top level: layout, types, globals, declarations, functions.

use super::constant::{ConstantScope, UNKNOWN};
use super::lexer::{Ident, Pos, Token};
use super::{Parser, Result};
use crate::attrs::{Attr, AttrListData};
use crate::entities::{Block, Symbol};
use crate::layout::DataLayout;
use crate::module::{Alias, Global, Module};
use crate::symbols::{SymbolKind, SymbolName, Symbols};
use crate::types::{CompoundData, Types};
use std::sync::Arc;

/// The scope of initializers.
struct GlobalScope<'m> {
    types: &'m mut Types,
    symbols: &'m mut Symbols,
    uses: Vec<(Symbol, Pos)>,
}

impl ConstantScope for GlobalScope<'_> {
    fn types(&mut self) -> &mut Types {
        self.types
    }

    fn symbol(&mut self, name: SymbolName, pos: Pos) -> Symbol {
        let symbol = self.symbols.intern(name, || UNKNOWN);
        self.uses.push((symbol, pos));
        symbol
    }

    fn block(&mut self, _: Ident, _: Pos) -> Option<Block> {
        None
    }
}

impl Parser<'_> {
    pub(super) fn module(mut self) -> Result<Module> {
        let mut module = Module::default();
        let mut global_uses = Vec::new();
        let mut function_uses = Vec::new();
        loop {
            match &self.token {
                Token::End => break,
                Token::Word("layout") => self.layout(&mut module)?,
                Token::Local(Ident::Named(_)) => self.struct_definition()?,
                Token::Global(_) => global_uses.extend(self.global(&mut module)?),
                Token::Word("declare") => self.declaration()?,
                Token::Word("func") => {
                    let pos = self.pos;
                    let draft = self.function()?;
                    let function = draft.function;
                    let signature = CompoundData::Function(function.signature.clone());
                    let ty = {
                        let mut types = function.types.clone();
                        let ty = types.intern(signature);
                        self.file_types.import(&types, ty)
                    };
                    let mut attrs = function.attrs.clone();
                    import_attrs(&mut self.file_types, &function.types, &mut attrs);
                    let kind = SymbolKind::Function { ty, attrs: Arc::new(attrs) };
                    self.declare(pos, function.name.clone(), kind)?;
                    function_uses.push(draft.symbol_uses);
                    module.functions.push(function);
                }
                _ => {
                    return self.expected("`layout`, a type, a global, `declare` or `func`");
                }
            }
        }
        for (symbol, pos) in global_uses {
            let name = module.symbols.get(symbol).name.clone();
            let kind = self.resolve(&mut module.types, &name, pos)?;
            module.symbols.set_kind(symbol, kind);
        }
        for (function, uses) in module.functions.iter_mut().zip(function_uses) {
            for (symbol, pos) in uses {
                let name = function.symbols.get(symbol).name.clone();
                let kind = self.resolve(&mut function.types, &name, pos)?;
                function.symbols.set_kind(symbol, kind);
            }
        }
        Ok(module)
    }

    fn layout(&mut self, module: &mut Module) -> Result<()> {
        self.word("layout")?;
        let pos = self.pos;
        let text = self.text("a data layout")?;
        let layout = DataLayout::parse(&String::from_utf8_lossy(&text));
        module.layout = layout.map_err(|e| self.error_at(pos, e.to_string()))?;
        Ok(())
    }

    fn struct_definition(&mut self) -> Result<()> {
        let pos = self.pos;
        let Token::Local(Ident::Named(name)) = self.bump()? else { unreachable!("just looked at") };
        self.mark("=")?;
        self.word("type")?;
        let mut types = Types::default();
        let body = self.struct_body(&mut types, Some(name.clone()))?;
        let ty = types.intern(body);
        let ty = self.file_types.import(&types, ty);
        match self.structs.insert(name, ty) {
            None => Ok(()),
            Some(_) => Err(self.error_at(pos, "this type is already defined")),
        }
    }

    fn declare(&mut self, pos: Pos, name: SymbolName, kind: SymbolKind) -> Result<()> {
        match self.declared.insert(name.clone(), kind) {
            None => Ok(()),
            Some(_) => Err(self.error_at(pos, format!("{name} is already declared"))),
        }
    }

    fn declaration(&mut self) -> Result<()> {
        self.word("declare")?;
        let pos = self.pos;
        let name = self.symbol_name()?;
        self.mark(":")?;
        let mut types = Types::default();
        let signature = self.signature(&mut types)?;
        let ty = types.intern(CompoundData::Function(signature));
        let ty = self.file_types.import(&types, ty);
        let mut attrs = self.attrs(&mut types)?;
        import_attrs(&mut self.file_types, &types, &mut attrs);
        self.declare(pos, name, SymbolKind::Function { ty, attrs: Arc::new(attrs) })
    }

    /// `@g = [external] [addrspace(N)] global|constant T [init] [, align N]` or `@g = alias T, ptr address`. Returns the
    /// symbols its initializer mentions.
    fn global(&mut self, module: &mut Module) -> Result<Vec<(Symbol, Pos)>> {
        let pos = self.pos;
        let name = self.symbol_name()?;
        self.mark("=")?;
        if self.eat_word("alias")? {
            return self.alias(module, name, pos);
        }
        let external = self.eat_word("external")?;
        let address_space = self.address_space()?;
        let constant = self.keyword("`global` or `constant`", |word| match word {
            "global" => Some(false),
            "constant" => Some(true),
            _ => None,
        })?;
        let ty = self.ty(&mut module.types)?;
        let mut scope = GlobalScope {
            types: &mut module.types,
            symbols: &mut module.symbols,
            uses: Vec::new(),
        };
        let init = if external { None } else { Some(self.constant(&mut scope, ty)?) };
        let uses = scope.uses;
        let align_log2 = if self.eat_mark(",")? { Some(self.align()?) } else { None };
        let declared = self.file_types.import(&module.types, ty);
        self.declare(pos, name.clone(), SymbolKind::Variable { ty: declared, constant })?;
        module.globals.push(Global { name, ty, address_space, constant, align_log2, init });
        Ok(uses)
    }

    /// `T, ptr address` after `@a = alias`.
    fn alias(
        &mut self,
        module: &mut Module,
        name: SymbolName,
        pos: Pos,
    ) -> Result<Vec<(Symbol, Pos)>> {
        let ty = self.ty(&mut module.types)?;
        self.mark(",")?;
        let pointer = self.ty(&mut module.types)?;
        let mut scope = GlobalScope {
            types: &mut module.types,
            symbols: &mut module.symbols,
            uses: Vec::new(),
        };
        let target = self.constant(&mut scope, pointer)?;
        let uses = scope.uses;
        let declared = self.file_types.import(&module.types, ty);
        let kind = match self.file_types.signature(declared) {
            Some(_) => SymbolKind::Function { ty: declared, attrs: Default::default() },
            None => SymbolKind::Variable { ty: declared, constant: false },
        };
        self.declare(pos, name.clone(), kind)?;
        module.aliases.push(Alias { name, ty, target });
        Ok(uses)
    }

    /// What the file says about a symbol, with types of the table `types`.
    fn resolve(&self, types: &mut Types, name: &SymbolName, pos: Pos) -> Result<SymbolKind> {
        let Some(kind) = self.declared.get(name) else {
            let help =
                format!("add `declare {name} : ret (params)` or `{name} = external global T`");
            return Err(self.error_at(pos, format!("{name} is not declared; {help}")));
        };
        Ok(match kind {
            SymbolKind::Function { ty, attrs } => {
                let mut attrs = attrs.clone();
                if attrs.mentions_types() {
                    import_attrs(types, &self.file_types, Arc::make_mut(&mut attrs));
                }
                SymbolKind::Function { ty: types.import(&self.file_types, *ty), attrs }
            }
            SymbolKind::Variable { ty, constant } => SymbolKind::Variable {
                ty: types.import(&self.file_types, *ty),
                constant: *constant,
            },
        })
    }
}

/// Carries the types that attributes mention from one table to another.
fn import_attrs(to: &mut Types, from: &Types, attrs: &mut AttrListData) {
    let others = attrs.function.iter_mut().chain(&mut attrs.ret);
    for ty in others.filter_map(Attr::type_mut).chain(attrs.params.types_mut()) {
        *ty = to.import(from, *ty);
    }
}
