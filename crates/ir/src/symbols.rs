//! The global names that a function or an initializer mentions.

use crate::attrs::AttrListData;
use crate::entities::Symbol;
use crate::name::Name;
use crate::types::Type;
use cranelift_entity::PrimaryMap;
use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::Arc;

/// How a global is called: by name, or, where it has none, by its number in the module.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SymbolName {
    /// `@name`.
    Named(Name),
    /// `@0`.
    Numbered(u32),
}

impl From<&str> for SymbolName {
    fn from(name: &str) -> Self {
        SymbolName::Named(name.into())
    }
}

impl SymbolName {
    /// The name as a string if it has one that is UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            SymbolName::Named(name) => name.as_str(),
            SymbolName::Numbered(_) => None,
        }
    }
}

impl fmt::Display for SymbolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SymbolName::Named(name) => write!(f, "@{name}"),
            SymbolName::Numbered(number) => write!(f, "@{number}"),
        }
    }
}

/// What is known of a global where it is used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SymbolData {
    /// How it is called.
    pub name: SymbolName,
    /// What it is.
    pub kind: SymbolKind,
}

/// What a global is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SymbolKind {
    /// A function of this type, with the attributes of its declaration.
    Function {
        /// Its type, a [`CompoundData::Function`](crate::types::CompoundData::Function).
        ty: Type,
        /// The attributes of its declaration; functions that mention it share them.
        attrs: Arc<AttrListData>,
    },
    /// A variable whose content has this type.
    Variable {
        /// The type of its content.
        ty: Type,
        /// Whether it is never written.
        constant: bool,
    },
}

/// The symbols of a function or module, each name once.
#[derive(Clone, Default, Debug)]
pub struct Symbols {
    data: PrimaryMap<Symbol, SymbolData>,
    index: FxHashMap<SymbolName, Symbol>,
}

impl Symbols {
    /// The symbol of this name; if it is new, `data` says what it is.
    pub fn intern(&mut self, name: SymbolName, kind: impl FnOnce() -> SymbolKind) -> Symbol {
        if let Some(&known) = self.index.get(&name) {
            return known;
        }
        let id = self.data.push(SymbolData { name: name.clone(), kind: kind() });
        self.index.insert(name, id);
        id
    }

    /// The symbol of this name.
    pub fn find(&self, name: &SymbolName) -> Option<Symbol> {
        self.index.get(name).copied()
    }

    /// What is known of a symbol.
    pub fn get(&self, id: Symbol) -> &SymbolData {
        &self.data[id]
    }

    /// Says what a symbol is after all.
    pub fn set_kind(&mut self, id: Symbol, kind: SymbolKind) {
        self.data[id].kind = kind;
    }

    /// All symbols in the order they were entered.
    pub fn iter(&self) -> impl Iterator<Item = (Symbol, &SymbolData)> {
        self.data.iter()
    }
}
