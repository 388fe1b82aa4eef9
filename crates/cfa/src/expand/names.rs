//! Names as expressions: what they stand for, and names that nothing defines.

use super::Expander;
use super::core::{Core, Term};
use super::scope::Denotation;
use crate::prims::{self, Op};
use crate::read::Symbol;
use crate::source::{Error, Loc, Result};

impl Expander {
    pub(super) fn reference(&mut self, symbol: Symbol, loc: Loc) -> Result<Term> {
        match self.scopes.lookup(symbol).cloned() {
            Some(Denotation::Var(var)) => Ok(self.add(Core::Ref(var), loc)),
            Some(Denotation::PreludeVar(index)) => {
                let var = self.prelude_var(index)?;
                Ok(self.add(Core::Ref(var), loc))
            }
            Some(Denotation::Prim(prim)) => {
                let entry = prim.entry();
                Ok(self.wrapper(Op::Prim(prim), entry.min, entry.max, loc))
            }
            Some(Denotation::Record(op, count)) => Ok(self.wrapper(op, count, Some(count), loc)),
            Some(Denotation::Constructor(maker)) => Ok(self.constructor(&maker, loc)),
            Some(Denotation::Prelude(index)) => self.copy_of_prelude(index, loc),
            Some(Denotation::Form(_) | Denotation::Macro(_)) => {
                let name = self.data().name(symbol).to_string();
                Err(Error::new(
                    loc,
                    format!("{name} is syntax, not a value"),
                    "write it first in a form",
                ))
            }
            Some(Denotation::Foreign) => Ok(self.unknown(loc)),
            None if self.options.assume_unknown => Ok(self.unknown(loc)),
            None => Err(self.unbound(symbol, loc)),
        }
    }

    pub(super) fn unbound(&self, symbol: Symbol, loc: Loc) -> Error {
        let name = self.data().name(symbol);
        let help = "define it, or analyse with names assumed unknown (--assume-unknown)";
        Error::new(loc, format!("nothing defines {name}"), help)
    }

    pub(super) fn unknown(&mut self, loc: Loc) -> Term {
        let op = prims::find("%unknown").map_or(Op::Values, Op::Prim);
        self.add(Core::Prim { op, args: Vec::new(), spread: false }, loc)
    }
}
