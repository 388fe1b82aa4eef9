//! The library: primitives as procedures, and the procedures of `prelude.scm`.

use super::core::{Core, Formals, Lam, Term, Var};
use super::scope::Denotation;
use super::{Expander, PreludeVar};
use crate::prims::{self, Op};
use crate::read::{Datum, Node};
use crate::source::{Error, Loc, Result};
use std::rc::Rc;

impl Expander {
    pub(super) fn load_prelude(&mut self, forms: &[Datum], dynamic: bool) -> Result<()> {
        for form in forms {
            let items = self.data().proper(*form)?;
            let word = |at: usize| items.get(at).and_then(|item| self.data().as_symbol(*item));
            let keyword = word(0).map_or("", |symbol| self.data().name(symbol));
            match (keyword, word(1)) {
                ("define-record-type", _) => self.record_type(*form)?,
                ("define-syntax", Some(name)) => {
                    let rules = self.syntax_rules(items[2])?;
                    self.scopes.bind(name, Denotation::Macro(Rc::new(rules)));
                }
                (_, Some(name)) => {
                    self.prelude_vars.push(PreludeVar { init: items[2], var: None });
                    self.scopes.bind(name, Denotation::PreludeVar(self.prelude_vars.len() - 1));
                }
                (_, None) => {
                    let Node::Pair(name, _) = self.data().node(items[1]) else { continue };
                    let name = self.identifier(name)?;
                    self.prelude.push(*form);
                    self.scopes.bind(name, Denotation::Prelude(self.prelude.len() - 1));
                }
            }
        }
        let chosen = self.symbol(if dynamic { "%full-call/cc" } else { "%plain-call/cc" });
        if let Some(meaning) = self.scopes.lookup(chosen).cloned() {
            for name in ["call/cc", "call-with-current-continuation"] {
                let symbol = self.symbol(name);
                self.scopes.bind(symbol, meaning.clone());
            }
        }
        Ok(())
    }

    /// Procedures of the prelude whose calls have a shape of their own.
    pub(super) fn direct(&mut self, index: usize, args: &[Term], loc: Loc) -> Option<Term> {
        let Node::Pair(_, rest) = self.data().node(self.prelude[index]) else { return None };
        let Node::Pair(target, _) = self.data().node(rest) else { return None };
        let Node::Pair(name, _) = self.data().node(target) else { return None };
        let name = self.data().as_symbol(name).map(|symbol| self.data().name(symbol))?;
        let prim = |op: Op, args: &[Term]| Core::Prim { op, args: args.to_vec(), spread: false };
        match (name, args.len()) {
            ("values", _) => Some(self.add(prim(Op::Values, args), loc)),
            ("apply", 2..) => {
                Some(self.add(Core::Prim { op: Op::Apply, args: args.to_vec(), spread: true }, loc))
            }
            ("list", _) => {
                let null = self.data_mut().add(Node::Null, loc);
                let mut list = self.add(Core::Quote(null), loc);
                let cons = Op::Prim(prims::find("cons")?);
                // Arguments are evaluated from the left, so they are named if there are several.
                let params: Vec<Var> =
                    args.iter().map(|_| self.program.add_var("item", loc)).collect();
                for param in params.iter().rev() {
                    let item = self.add(Core::Ref(*param), loc);
                    list = self.add(prim(cons, &[item, list]), loc);
                }
                let formals = Formals { params, rest: None };
                let lam = self.program.add_lambda(formals, list, loc);
                let f = self.add(Core::Lambda(lam), loc);
                Some(self.add(Core::Call(f, args.to_vec()), loc))
            }
            _ => None,
        }
    }

    /// A procedure that applies a primitive.
    pub(super) fn wrapper(&mut self, op: Op, min: usize, max: Option<usize>, loc: Loc) -> Term {
        let counts: Vec<usize> = (min..=max.unwrap_or(min)).collect();
        let lams: Vec<Lam> = counts
            .into_iter()
            .map(|count| self.wrapper_of(op, count, max.is_none(), loc))
            .collect();
        let core = match lams.as_slice() {
            [lam] => Core::Lambda(*lam),
            _ => Core::CaseLambda(lams),
        };
        self.add(core, loc)
    }

    pub(super) fn wrapper_of(&mut self, op: Op, count: usize, rest: bool, loc: Loc) -> Lam {
        let params: Vec<Var> = (0..count).map(|_| self.program.add_var("arg", loc)).collect();
        let rest = rest.then(|| self.program.add_var("args", loc));
        let args =
            params.iter().chain(&rest).map(|var| self.program.add(Core::Ref(*var), loc)).collect();
        let body = self.add(Core::Prim { op, args, spread: rest.is_some() }, loc);
        let lam = self.program.add_lambda(Formals { params, rest }, body, loc);
        if let Op::Prim(prim) = op {
            self.program.lambdas[lam.0 as usize].name = Some(prim.entry().name.into());
        }
        lam
    }

    pub(super) fn prelude_var(&mut self, index: usize) -> Result<Var> {
        if let Some(var) = self.prelude_vars[index].var {
            return Ok(var);
        }
        let init = self.prelude_vars[index].init;
        let loc = self.data().loc(init);
        let var = self.program.add_var("prelude", loc);
        self.prelude_vars[index].var = Some(var);
        let init = self.renamed(init, 0, loc)?;
        let init = self.expand(init)?;
        self.before_vars.push(var);
        self.before.push((Some(var), init));
        Ok(var)
    }

    pub(super) fn copy_of_prelude(&mut self, index: usize, loc: Loc) -> Result<Term> {
        let copy = self.renamed(self.prelude[index], 0, loc)?;
        let items = self.data().proper(copy)?;
        let Node::Pair(name, formals) = self.data().node(items[1]) else {
            return Err(Error::new(loc, "the prelude is damaged", ""));
        };
        let first = self.program.terms.len();
        let lam = self.lambda(formals, &items[2..], loc)?;
        self.program.copied.push(first..self.program.terms.len());
        let name = self.data().as_symbol(name).map(|symbol| self.data().name(symbol).into());
        self.program.lambdas[lam.0 as usize].name = name;
        Ok(self.add(Core::Lambda(lam), loc))
    }
}
