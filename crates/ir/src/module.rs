//! Functions and global variables that belong together.

use crate::constant::Constant;
use crate::function::Function;
use crate::layout::DataLayout;
use crate::symbols::{SymbolName, Symbols};
use crate::types::{Type, Types};

/// A program: global variables and functions.
///
/// The functions carry their own types and symbols; those here belong to the initializers of the globals.
#[derive(Clone, Default, Debug)]
pub struct Module {
    /// Sizes and alignments.
    pub layout: DataLayout,
    /// The compound types that globals mention.
    pub types: Types,
    /// The globals that initializers mention.
    pub symbols: Symbols,
    /// The global variables.
    pub globals: Vec<Global>,
    /// Other names of globals and functions.
    pub aliases: Vec<Alias>,
    /// The functions that have a body.
    pub functions: Vec<Function>,
}

/// Another name for an address.
#[derive(Clone, Debug)]
pub struct Alias {
    /// The name.
    pub name: SymbolName,
    /// The type of what is there.
    pub ty: Type,
    /// The address.
    pub target: Constant,
}

/// A global variable.
#[derive(Clone, Debug)]
pub struct Global {
    /// How it is called.
    pub name: SymbolName,
    /// The type of its content.
    pub ty: Type,
    /// The address space it is in.
    pub address_space: u32,
    /// Whether it is never written.
    pub constant: bool,
    /// The base-2 logarithm of its alignment, if more than that of its type.
    pub align_log2: Option<u8>,
    /// What it holds at first; `None` if it is defined elsewhere.
    pub init: Option<Constant>,
}

impl Module {
    /// The function of this name.
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|f| f.name.as_str() == Some(name))
    }

    /// The address that another name stands for.
    pub fn alias(&self, name: &SymbolName) -> Option<&Constant> {
        self.aliases.iter().find(|a| a.name == *name).map(|a| &a.target)
    }

    /// The global variable of this name.
    pub fn global(&self, name: &str) -> Option<&Global> {
        self.globals.iter().find(|g| g.name.as_str() == Some(name))
    }
}
