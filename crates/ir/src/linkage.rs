//! Who may see the globals of a module: what linkers need to know, and whole-program analyses.
//!
//! Functions and globals of the IR do not carry this: it matters only where several modules meet, or code outside.

use crate::symbols::SymbolName;
use rustc_hash::FxHashMap;

/// Who may see a global, and which of several definitions counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Linkage {
    /// Defined elsewhere.
    Outside,
    /// Visible everywhere; gives way to a strong definition.
    Weak,
    /// Visible everywhere, and the one that counts.
    Strong,
    /// Visible in its module only.
    Local,
}

/// The linkage of the globals of a module.
#[derive(Clone, Default, Debug)]
pub struct Linkages {
    names: FxHashMap<SymbolName, Linkage>,
    /// What code outside calls or sees although nothing in the module shows it: resolvers of ifuncs, personality
    /// functions.
    pub used: Vec<SymbolName>,
}

impl Linkages {
    /// Says what the linkage of a global is.
    pub fn set(&mut self, name: SymbolName, linkage: Linkage) {
        self.names.insert(name, linkage);
    }

    /// The linkage of a global. One without a name is local; one of which nothing is known is strong.
    pub fn get(&self, name: &SymbolName) -> Linkage {
        match (self.names.get(name), name) {
            (Some(linkage), _) => *linkage,
            (None, SymbolName::Numbered(_)) => Linkage::Local,
            (None, SymbolName::Named(_)) => Linkage::Strong,
        }
    }
}
