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
    marks: PrimaryMap<Symbol, Mark>,
    /// Whether there is or was one that returns a range.
    any_returns_range: bool,
    index: FxHashMap<SymbolName, Symbol>,
}

/// What is asked of a callee most, in one byte: names and attributes lie far apart.
#[derive(Clone, Copy, Debug)]
struct Mark {
    intrinsic: bool,
    returns_range: bool,
}

impl Mark {
    fn of(data: &SymbolData) -> Mark {
        let returns_range = match &data.kind {
            SymbolKind::Function { attrs, .. } => attrs.returns_range(),
            SymbolKind::Variable { .. } => false,
        };
        let intrinsic = data.name.as_str().is_some_and(|name| name.starts_with("llvm."));
        Mark { intrinsic, returns_range }
    }
}

impl Symbols {
    /// The symbol of this name; if it is new, `data` says what it is.
    pub fn intern(&mut self, name: SymbolName, kind: impl FnOnce() -> SymbolKind) -> Symbol {
        if let Some(&known) = self.index.get(&name) {
            return known;
        }
        let data = SymbolData { name: name.clone(), kind: kind() };
        let mark = Mark::of(&data);
        self.any_returns_range |= mark.returns_range;
        self.marks.push(mark);
        let id = self.data.push(data);
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
        self.marks[id] = Mark::of(&self.data[id]);
        self.any_returns_range |= self.marks[id].returns_range;
    }

    /// Whether its name begins with `llvm.`.
    #[inline]
    pub fn is_intrinsic(&self, id: Symbol) -> bool {
        self.marks[id].intrinsic
    }

    /// Whether it is a function whose declaration has [ranges](AttrListData::returns_range) of its result.
    #[inline]
    pub fn returns_range(&self, id: Symbol) -> bool {
        self.marks[id].returns_range
    }

    /// Whether any may be such a function.
    #[inline]
    pub fn any_returns_range(&self) -> bool {
        self.any_returns_range
    }

    /// All symbols in the order they were entered.
    pub fn iter(&self) -> impl Iterator<Item = (Symbol, &SymbolData)> {
        self.data.iter()
    }
}
