//! Bodies and the top level: definitions first find their names, then everything is expanded in order.

use super::Expander;
use super::core::{Core, Formals, Term, Var};
use super::forms::Form;
use super::scope::Denotation;
use crate::read::{Datum, Node};
use crate::source::{Error, Loc, Result};

/// Something to be expanded once all names of the body are known.
enum Step {
    Define(Var, Datum),
    /// Variables, the list of the rest, and the expression whose values they get.
    DefineValues(Formals, Datum),
    Expr(Datum),
}

type Steps = (Vec<Var>, Vec<(Option<Var>, Term)>);

impl Expander {
    /// A body in the innermost scope.
    pub(super) fn body(&mut self, forms: &[Datum], loc: Loc) -> Result<Term> {
        let (vars, mut steps) = self.steps(forms)?;
        if steps.last().is_none_or(|(var, _)| var.is_some()) {
            steps.push((None, self.add(Core::Void, loc)));
        }
        if !vars.is_empty() {
            return Ok(self.add(Core::Letrec(vars, steps), loc));
        }
        match steps.as_slice() {
            [(_, only)] => Ok(*only),
            _ => {
                let all = steps.into_iter().map(|(_, term)| term).collect();
                Ok(self.add(Core::Begin(all), loc))
            }
        }
    }

    /// The variables and steps of a body or of the top level.
    pub(super) fn steps(&mut self, forms: &[Datum]) -> Result<Steps> {
        let (mut vars, mut found) = (Vec::new(), Vec::new());
        let mut todo: Vec<Datum> = forms.iter().rev().copied().collect();
        let mut budget = super::EXPANSIONS;
        while let Some(form) = todo.pop() {
            let form = self.expand_macro(form)?;
            let keyword = match self.data().node(form) {
                Node::Pair(head, _) => {
                    match self.data().as_symbol(head).and_then(|symbol| self.scopes.lookup(symbol))
                    {
                        Some(Denotation::Form(keyword)) => Some(*keyword),
                        _ => None,
                    }
                }
                _ => None,
            };
            let spliced = match keyword {
                Some(Form::Begin) => self.data().proper(form)?[1..].to_vec(),
                Some(Form::CondExpand) => {
                    let clauses = self.data().proper(form)?;
                    self.cond_expand(&clauses[1..])?
                }
                Some(Form::DefineLibrary) => self.library(form)?,
                _ => {
                    self.scan(keyword, form, &mut vars, &mut found)?;
                    continue;
                }
            };
            // A macro whose expansion is `begin` with itself in it.
            budget = budget.checked_sub(usize::from(spliced.len() < 3)).ok_or_else(|| {
                Error::new(
                    self.data().loc(form),
                    "this macro expands without end",
                    "give it a rule that ends",
                )
            })?;
            todo.extend(spliced.into_iter().rev());
        }
        let mut steps = Vec::new();
        for step in found {
            self.step(step, &mut steps)?;
        }
        Ok((vars, steps))
    }

    fn scan(
        &mut self,
        keyword: Option<Form>,
        form: Datum,
        vars: &mut Vec<Var>,
        found: &mut Vec<Step>,
    ) -> Result<()> {
        let items = match keyword {
            Some(_) => self.data().proper(form)?,
            None => Vec::new(),
        };
        match (keyword, items.get(1..).unwrap_or_default()) {
            (Some(Form::Define | Form::DefineIntegrable), [target, rest @ ..]) => {
                let (name, init) = self.definition(form, *target, rest)?;
                let var = self.defined(name, vars)?;
                found.push(Step::Define(var, init));
            }
            (Some(Form::DefineValues), [formals, init]) => {
                let Some((names, end)) = self.data().list(*formals) else {
                    return Err(self.wrong(form, "write (define-values (name ...) expression)"));
                };
                let params =
                    names.iter().map(|name| self.defined(*name, vars)).collect::<Result<_>>()?;
                let rest = match self.data().node(end) {
                    Node::Null => None,
                    _ => Some(self.defined(end, vars)?),
                };
                found.push(Step::DefineValues(Formals { params, rest }, *init));
            }
            (Some(Form::DefineSyntax), [name, rules]) => self.define_syntax(*name, *rules)?,
            (Some(Form::Defmacro | Form::DefineMacro), [target, ..]) => {
                self.foreign_macro(*target)?
            }
            (Some(Form::DefineRecordType), _) => self.record_type(form)?,
            (Some(Form::Import), sets) => sets.iter().try_for_each(|set| self.import(*set))?,
            (
                Some(
                    Form::Define | Form::DefineIntegrable | Form::DefineValues | Form::DefineSyntax,
                ),
                _,
            ) => {
                return Err(self.wrong(form, "a definition is a name and an expression"));
            }
            _ => found.push(Step::Expr(form)),
        }
        Ok(())
    }

    /// The variable that a definition is about; a second definition is an assignment.
    fn defined(&mut self, name: Datum, vars: &mut Vec<Var>) -> Result<Var> {
        let symbol = self.identifier(name)?;
        if let Some(Denotation::Var(var)) = self.scopes.here(symbol)
            && vars.contains(var)
        {
            return Ok(*var);
        }
        let var = self.bind_var(name)?;
        vars.push(var);
        Ok(var)
    }

    /// `(define (f . formals) body …)` as a name and a lambda expression, curried definitions included.
    fn definition(&mut self, form: Datum, target: Datum, rest: &[Datum]) -> Result<(Datum, Datum)> {
        let loc = self.data().loc(form);
        let (mut target, mut body) = (target, rest.to_vec());
        while let Node::Pair(name, formals) = self.data().node(target) {
            if body.is_empty() {
                return Err(self.wrong(form, "a procedure needs a body"));
            }
            let lambda = self.builtin("lambda", loc);
            body.splice(0..0, [lambda, formals]);
            body = vec![self.data_mut().add_list(&body, None, loc)];
            target = name;
        }
        match body.as_slice() {
            [init] => Ok((target, *init)),
            [] => {
                let void = self.builtin("%void", loc);
                Ok((target, self.data_mut().add_list(&[void], None, loc)))
            }
            _ => Err(self.wrong(form, "write (define name expression)")),
        }
    }

    fn step(&mut self, step: Step, steps: &mut Vec<(Option<Var>, Term)>) -> Result<()> {
        match step {
            Step::Expr(form) => steps.push((None, self.expand(form)?)),
            Step::Define(var, init) => {
                let init = self.expand(init)?;
                self.name_lambda(init, var);
                steps.push((Some(var), init));
            }
            Step::DefineValues(formals, init) => {
                let loc = self.data().loc(init);
                let init = self.expand(init)?;
                let mut sets = Vec::new();
                let mut twin = |expander: &mut Self, var: Var| {
                    let name = expander.program.vars[var.0 as usize].name.clone();
                    let twin = expander.program.add_var(&name, loc);
                    let value = expander.add(Core::Ref(twin), loc);
                    sets.push(expander.add(Core::Set(var, value), loc));
                    twin
                };
                let params = formals.params.iter().map(|var| twin(self, *var)).collect();
                let rest = formals.rest.map(|var| twin(self, var));
                sets.push(self.add(Core::Void, loc));
                let body = self.add(Core::Begin(sets), loc);
                steps.push((
                    None,
                    self.add(Core::Receive(Formals { params, rest }, init, body), loc),
                ));
            }
        }
        Ok(())
    }

    /// A procedure is called like the variable that is defined as it.
    pub(super) fn name_lambda(&mut self, term: Term, var: Var) {
        let name = &self.program.vars[var.0 as usize].name;
        let lams = match self.program.term(term) {
            Core::Lambda(lam) => vec![*lam],
            Core::CaseLambda(lams) => lams.clone(),
            _ => return,
        };
        for lam in lams {
            self.program.lambdas[lam.0 as usize].name.get_or_insert_with(|| name.clone());
        }
    }
}
