//! Names and what they denote.
//!
//! Scopes nest, and a macro is used inside the scope it was defined in, so one stack of bindings for each name is
//! enough, and an environment is the depth of a scope. A name that a macro puts into its expansion becomes an *alias*:
//! a fresh symbol that remembers the name and the environment of the macro. An alias that nothing binds means what
//! its name means there; quoting turns it back into its name.

use super::core::Var;
use super::forms::Form;
use super::rules::Macro;
use crate::prims::{Op, Prim};
use crate::read::{Data, Symbol};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The depth of a scope.
pub(super) type Depth = u32;

/// What a name means.
#[derive(Clone)]
pub(super) enum Denotation {
    Var(Var),
    Form(Form),
    Macro(Rc<Macro>),
    /// A macro that is not expanded: its uses may do anything with their parts.
    Foreign,
    /// A primitive operation.
    Prim(Prim),
    /// A procedure of a record type, with the number of its arguments.
    Record(Op, usize),
    /// A procedure that makes records of some fields.
    Constructor(Rc<Constructor>),
    /// A procedure written in Scheme: its place in the prelude.
    Prelude(usize),
    /// A variable of the prelude, made when it is first used.
    PreludeVar(usize),
}

/// How a record is made from arguments.
pub(super) struct Constructor {
    pub(super) record: u32,
    /// How many fields there are.
    pub(super) fields: usize,
    /// The field of each argument.
    pub(super) args: Vec<usize>,
}

struct Binding {
    depth: Depth,
    denotation: Denotation,
}

/// All scopes that are open.
pub(super) struct Scopes {
    bindings: FxHashMap<Symbol, Vec<Binding>>,
    aliases: FxHashMap<Symbol, (Symbol, Depth)>,
    /// Names bound in each open scope.
    bound: Vec<Vec<Symbol>>,
}

/// Where a name is bound.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Bound(Symbol, Depth),
    Free(Symbol),
}

impl Scopes {
    pub(super) fn new() -> Scopes {
        Scopes {
            bindings: FxHashMap::default(),
            aliases: FxHashMap::default(),
            bound: vec![Vec::new()],
        }
    }

    pub(super) fn depth(&self) -> Depth {
        self.bound.len() as Depth - 1
    }

    pub(super) fn open(&mut self) {
        self.bound.push(Vec::new());
    }

    pub(super) fn close(&mut self) {
        for symbol in self.bound.pop().unwrap_or_default() {
            if let Some(stack) = self.bindings.get_mut(&symbol) {
                stack.pop();
            }
        }
    }

    /// Closes scopes that an error left open.
    pub(super) fn close_to(&mut self, depth: Depth) {
        while self.depth() > depth {
            self.close();
        }
    }

    /// Binds a name in the innermost scope, anew if it is bound there already.
    pub(super) fn bind(&mut self, symbol: Symbol, denotation: Denotation) {
        let depth = self.depth();
        let stack = self.bindings.entry(symbol).or_default();
        match stack.last_mut() {
            Some(last) if last.depth == depth => last.denotation = denotation,
            _ => {
                stack.push(Binding { depth, denotation });
                if let Some(bound) = self.bound.last_mut() {
                    bound.push(symbol);
                }
            }
        }
    }

    /// What a name means in the innermost scope, if it is bound there.
    pub(super) fn here(&self, symbol: Symbol) -> Option<&Denotation> {
        let last = self.bindings.get(&symbol)?.last()?;
        (last.depth == self.depth()).then_some(&last.denotation)
    }

    fn find(
        &self,
        mut symbol: Symbol,
        mut depth: Depth,
    ) -> std::result::Result<(&Binding, Symbol), Symbol> {
        loop {
            let stack = self.bindings.get(&symbol).map_or(&[][..], Vec::as_slice);
            if let Some(binding) = stack.iter().rev().find(|binding| binding.depth <= depth) {
                return Ok((binding, symbol));
            }
            match self.aliases.get(&symbol) {
                Some(meaning) => (symbol, depth) = *meaning,
                None => return Err(symbol),
            }
        }
    }

    /// What a name means.
    pub(super) fn lookup(&self, symbol: Symbol) -> Option<&Denotation> {
        self.find(symbol, self.depth()).ok().map(|(binding, _)| &binding.denotation)
    }

    /// Where a name is bound, seen from a scope.
    pub(super) fn place(&self, symbol: Symbol, depth: Depth) -> Place {
        match self.find(symbol, depth) {
            Ok((binding, symbol)) => Place::Bound(symbol, binding.depth),
            Err(symbol) => Place::Free(symbol),
        }
    }

    /// The names that are bound before the program starts.
    pub(super) fn outermost(&self) -> impl Iterator<Item = Symbol> {
        self.bound[0].iter().copied()
    }

    /// A fresh alias of a name of an environment.
    pub(super) fn alias(&mut self, data: &mut Data, symbol: Symbol, depth: Depth) -> Symbol {
        let name = data.name(symbol).to_string();
        let alias = data.fresh_symbol(&name);
        self.aliases.insert(alias, (symbol, depth));
        alias
    }

    /// The name that was written.
    pub(super) fn written(&self, mut symbol: Symbol) -> Symbol {
        while let Some((name, _)) = self.aliases.get(&symbol) {
            symbol = *name;
        }
        symbol
    }
}
