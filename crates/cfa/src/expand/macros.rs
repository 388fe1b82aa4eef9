//! Definitions of macros, and macros that are not expanded.

use super::Expander;
use super::core::{Core, Term};
use super::scope::Denotation;
use crate::read::{Datum, Node};
use crate::source::{Error, Loc, Result};
use std::rc::Rc;

impl Expander {
    pub(super) fn let_syntax(&mut self, bindings: Datum, body: &[Datum], loc: Loc) -> Result<Term> {
        for binding in self.data().proper(bindings)? {
            match self.data().proper(binding)?.as_slice() {
                [name, rules] => self.define_syntax(*name, *rules)?,
                _ => return Err(self.wrong(binding, "write (name (syntax-rules ...))")),
            }
        }
        self.scopes.open();
        let body = self.body(body, loc);
        self.scopes.close();
        body
    }

    pub(super) fn define_syntax(&mut self, name: Datum, spec: Datum) -> Result<()> {
        let symbol = self.identifier(name)?;
        let meaning = match self.data().as_symbol(spec).and_then(|other| self.scopes.lookup(other))
        {
            // Another name for a keyword.
            Some(meaning @ (Denotation::Macro(_) | Denotation::Form(_))) => meaning.clone(),
            _ if self.options.assume_unknown && !self.is_rules(spec) => {
                return self.foreign_macro(name);
            }
            _ => {
                self.check_transformer(spec)?;
                Denotation::Macro(Rc::new(self.syntax_rules(spec)?))
            }
        };
        self.scopes.bind(symbol, meaning);
        Ok(())
    }

    fn is_rules(&self, spec: Datum) -> bool {
        let keyword = match self.data().node(spec) {
            Node::Pair(head, _) => self.data().as_symbol(head),
            _ => None,
        };
        let written = keyword.map(|symbol| self.data().name(self.scopes.written(symbol)));
        written == Some("syntax-rules")
    }

    fn check_transformer(&self, spec: Datum) -> Result<()> {
        if self.is_rules(spec) {
            return Ok(());
        }
        Err(Error::new(
            self.data().loc(spec),
            "only syntax-rules can define syntax",
            "write (syntax-rules (literal ...) (pattern template) ...), or analyse with --assume-unknown",
        ))
    }

    /// A macro that is written as a procedure; `target` is its name, perhaps with its parameters.
    pub(super) fn foreign_macro(&mut self, target: Datum) -> Result<()> {
        if !self.options.assume_unknown {
            return self.check_transformer(target);
        }
        let name = match self.data().node(target) {
            Node::Pair(name, _) => name,
            _ => target,
        };
        let symbol = self.identifier(name)?;
        // One that is known already is likely to be the same.
        if self.scopes.lookup(symbol).is_none() {
            self.scopes.bind(symbol, Denotation::Foreign);
        }
        Ok(())
    }

    /// The use of a macro that is not expanded: whatever its parts are, they may be evaluated, and names may be assigned.
    pub(super) fn foreign(&mut self, form: Datum, loc: Loc) -> Result<Term> {
        let parts = self.data().list(form).map(|(parts, _)| parts).unwrap_or_default();
        let (mut steps, mut args) = (Vec::new(), Vec::new());
        for part in parts.into_iter().skip(1) {
            let name = self.data().as_symbol(part);
            if let Some(Denotation::Var(var)) = name.and_then(|name| self.scopes.lookup(name)) {
                let var = *var;
                let value = self.unknown(loc);
                steps.push(self.add(Core::Set(var, value), loc));
            }
            // What is no expression is data for the macro.
            let depth = self.scopes.depth();
            match self.expand(part) {
                Ok(term) => args.push(term),
                Err(_) => self.scopes.close_to(depth),
            }
        }
        let f = self.unknown(loc);
        steps.push(self.add(Core::Call(f, args), loc));
        Ok(self.add(Core::Begin(steps), loc))
    }
}
