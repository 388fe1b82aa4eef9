//! The forms that are not macros.

use super::Expander;
use super::core::{Core, Formals, Lam, Term};
use super::scope::Denotation;
use crate::prims::Op;
use crate::read::{Datum, Node};
use crate::source::{Error, Loc, Result};

macro_rules! forms {
    ($($name:literal $form:ident),* $(,)?) => {
        /// A keyword.
        #[derive(Clone, Copy, PartialEq, Eq)]
        pub(super) enum Form { $($form),* }

        impl Form {
            pub(super) const ALL: &'static [(&'static str, Form)] = &[$(($name, Form::$form)),*];

            pub(super) fn name(self) -> &'static str {
                Form::ALL.iter().find(|(_, form)| *form == self).map_or("", |(name, _)| name)
            }
        }
    };
}

forms! {
    "quote" Quote, "quasiquote" Quasiquote, "lambda" Lambda, "named-lambda" NamedLambda, "case-lambda" CaseLambda, "if" If,
    "set!" Set, "begin" Begin, "let" Let, "letrec" Letrec, "letrec*" LetrecStar, "let-syntax" LetSyntax,
    "letrec-syntax" LetrecSyntax, "define" Define, "define-integrable" DefineIntegrable, "define-values" DefineValues,
    "define-syntax" DefineSyntax, "define-record-type" DefineRecordType, "import" Import, "define-library" DefineLibrary,
    "defmacro" Defmacro, "define-macro" DefineMacro, "cond-expand" CondExpand, "include" Include, "include-ci" IncludeCi, "syntax-error" SyntaxError,
    "%receive" Receive, "%return" Return, "%apply" Apply, "%values" Values, "%call/cc" CallCc,
}

impl Expander {
    pub(super) fn wrong(&self, form: Datum, help: &str) -> Error {
        let shown = self.data().write(form, 60);
        Error::new(self.data().loc(form), format!("this form is malformed: {shown}"), help)
    }

    /// An expression that starts with a keyword.
    pub(super) fn form(&mut self, keyword: Form, form: Datum) -> Result<Term> {
        let items = self.data().proper(form)?;
        let loc = self.data().loc(form);
        match (keyword, &items[1..]) {
            (Form::Defmacro | Form::DefineMacro, [target, ..]) => {
                self.foreign_macro(*target)?;
                Ok(self.add(Core::Void, loc))
            }
            (Form::Quote, [datum]) => {
                let datum = self.strip(*datum);
                Ok(self.add(Core::Quote(datum), loc))
            }
            (Form::Quasiquote, [datum]) => self.quasiquote(*datum, loc),
            (Form::Lambda, [formals, body @ ..]) if !body.is_empty() => {
                let lam = self.lambda(*formals, body, loc)?;
                Ok(self.add(Core::Lambda(lam), loc))
            }
            (Form::NamedLambda, [target, body @ ..]) if !body.is_empty() => {
                let Node::Pair(_, formals) = self.data().node(*target) else {
                    return Err(self.wrong(form, "write (named-lambda (name formal ...) body ...)"));
                };
                let lam = self.lambda(formals, body, loc)?;
                Ok(self.add(Core::Lambda(lam), loc))
            }
            (Form::CaseLambda, clauses) => self.case_lambda(clauses, loc),
            (Form::If, [test, yes]) => {
                let (test, yes) = (self.expand(*test)?, self.expand(*yes)?);
                let no = self.add(Core::Void, loc);
                Ok(self.add(Core::If(test, yes, no), loc))
            }
            (Form::If, [test, yes, no]) => {
                let (test, yes, no) = (self.expand(*test)?, self.expand(*yes)?, self.expand(*no)?);
                Ok(self.add(Core::If(test, yes, no), loc))
            }
            (Form::Set, [name, value]) => self.set(*name, *value, loc),
            (Form::Begin, []) => Ok(self.add(Core::Void, loc)),
            (Form::Begin, all) => {
                let all = self.expand_all(all)?;
                Ok(self.add(Core::Begin(all), loc))
            }
            (Form::Let, [name, bindings, body @ ..])
                if self.data().as_symbol(*name).is_some() && !body.is_empty() =>
            {
                self.named_let(*name, *bindings, body, loc)
            }
            (Form::Let, [bindings, body @ ..]) if !body.is_empty() => {
                let (names, inits) = self.bindings(*bindings)?;
                let inits = self.inits(&inits, loc)?;
                let formals = self.data_mut().add_list(&names, None, loc);
                let lam = self.lambda(formals, body, loc)?;
                let f = self.add(Core::Lambda(lam), loc);
                Ok(self.add(Core::Call(f, inits), loc))
            }
            (Form::Letrec | Form::LetrecStar, [bindings, body @ ..]) if !body.is_empty() => {
                self.letrec(*bindings, body, loc)
            }
            (Form::LetSyntax | Form::LetrecSyntax, [bindings, body @ ..]) if !body.is_empty() => {
                self.scopes.open();
                let term = self.let_syntax(*bindings, body, loc);
                self.scopes.close();
                term
            }
            (Form::Receive, [formals, init, body @ ..]) if !body.is_empty() => {
                let init = self.expand(*init)?;
                self.scopes.open();
                let formals = self.formals(*formals);
                let body = formals.and_then(|formals| Ok((formals, self.body(body, loc)?)));
                self.scopes.close();
                let (formals, body) = body?;
                Ok(self.add(Core::Receive(formals, init, body), loc))
            }
            (Form::Return, [list]) => {
                let args = vec![self.expand(*list)?];
                Ok(self.add(Core::Prim { op: Op::Values, args, spread: true }, loc))
            }
            (Form::Values, args) => {
                let args = self.expand_all(args)?;
                Ok(self.add(Core::Prim { op: Op::Values, args, spread: false }, loc))
            }
            (Form::Apply, args @ [_, _, ..]) => {
                let args = self.expand_all(args)?;
                Ok(self.add(Core::Prim { op: Op::Apply, args, spread: true }, loc))
            }
            (Form::CallCc, [f]) => {
                let args = vec![self.expand(*f)?];
                Ok(self.add(Core::Prim { op: Op::CallCc, args, spread: false }, loc))
            }
            (Form::CondExpand, clauses) => {
                let forms = self.cond_expand(clauses)?;
                let all = self.expand_all(&forms)?;
                Ok(if all.is_empty() {
                    self.add(Core::Void, loc)
                } else {
                    self.add(Core::Begin(all), loc)
                })
            }
            (Form::Import, sets) => {
                sets.iter().try_for_each(|set| self.import(*set))?;
                Ok(self.add(Core::Void, loc))
            }
            (Form::SyntaxError, [message, rest @ ..]) => {
                let message = match self.data().node(*message) {
                    Node::Str(text) => self.data().string(text).to_string(),
                    _ => self.data().write(*message, 60),
                };
                let rest = rest.iter().map(|datum| format!(" {}", self.data().write(*datum, 60)));
                let message = rest.fold(message, |message, datum| message + &datum);
                Err(Error::new(loc, message, "the macro that was used here rejects its use"))
            }
            (Form::Include | Form::IncludeCi, _) => Err(Error::new(
                loc,
                "include is not followed",
                "name the included files on the command line",
            )),
            (
                Form::Define
                | Form::DefineIntegrable
                | Form::DefineValues
                | Form::DefineSyntax
                | Form::DefineRecordType
                | Form::DefineLibrary,
                _,
            ) => Err(Error::new(
                loc,
                format!("{} is a definition, but an expression is expected here", keyword.name()),
                "move it to the start of a body, or wrap it in (let () ...)",
            )),
            _ => {
                Err(self.wrong(form, &format!("see R7RS §4 for how {} is written", keyword.name())))
            }
        }
    }

    /// Binds formals in the innermost scope.
    pub(super) fn formals(&mut self, datum: Datum) -> Result<Formals> {
        let Some((names, end)) = self.data().list(datum) else {
            return Err(self.wrong(datum, "a list of names is expected"));
        };
        let mut params = Vec::new();
        for name in &names {
            let symbol = self.identifier(*name)?;
            // `#!optional` of other Schemes is not R7RS.
            if matches!(self.scopes.here(symbol), Some(Denotation::Var(var)) if params.contains(var))
            {
                let name = self.data().name(symbol).to_string();
                return Err(Error::new(
                    self.data().loc(datum),
                    format!("{name} is bound twice here"),
                    "rename one",
                ));
            }
            params.push(self.bind_var(*name)?);
        }
        let rest = match self.data().node(end) {
            Node::Null => None,
            _ => Some(self.bind_var(end)?),
        };
        Ok(Formals { params, rest })
    }

    pub(super) fn lambda(&mut self, formals: Datum, body: &[Datum], loc: Loc) -> Result<Lam> {
        self.scopes.open();
        let formals = self.formals(formals);
        let made = formals.and_then(|formals| Ok((formals, self.body(body, loc)?)));
        self.scopes.close();
        let (formals, body) = made?;
        Ok(self.program.add_lambda(formals, body, loc))
    }

    fn case_lambda(&mut self, clauses: &[Datum], loc: Loc) -> Result<Term> {
        let mut lams = Vec::new();
        for clause in clauses {
            let at = self.data().loc(*clause);
            match self.data().proper(*clause)?.as_slice() {
                [formals, body @ ..] if !body.is_empty() => {
                    lams.push(self.lambda(*formals, body, at)?)
                }
                _ => {
                    return Err(
                        self.wrong(*clause, "write (case-lambda ((formal ...) body ...) ...)")
                    );
                }
            }
        }
        Ok(self.add(Core::CaseLambda(lams), loc))
    }

    fn set(&mut self, name: Datum, value: Datum, loc: Loc) -> Result<Term> {
        let symbol = self.identifier(name)?;
        let value = self.expand(value)?;
        let var = match self.scopes.lookup(symbol).cloned() {
            Some(Denotation::Var(var)) => var,
            Some(Denotation::PreludeVar(index)) => self.prelude_var(index)?,
            None if self.options.assume_unknown => {
                // Others see the value: as if it were handed to them.
                let f = self.unknown(loc);
                return Ok(self.add(Core::Call(f, vec![value]), loc));
            }
            None => return Err(self.unbound(symbol, self.data().loc(name))),
            Some(_) => {
                let name = self.data().name(symbol).to_string();
                return Err(Error::new(
                    loc,
                    format!("{name} is built in and cannot be assigned"),
                    "define a variable of that name first",
                ));
            }
        };
        Ok(self.add(Core::Set(var, value), loc))
    }

    /// Names and initial values of `((name init) …)`.
    fn bindings(&mut self, datum: Datum) -> Result<(Vec<Datum>, Vec<Option<Datum>>)> {
        let (mut names, mut inits) = (Vec::new(), Vec::new());
        for binding in self.data().proper(datum)? {
            if self.data().as_symbol(binding).is_some() {
                names.push(binding);
                inits.push(None);
                continue;
            }
            match self.data().proper(binding)?.as_slice() {
                [name] => (names.push(*name), inits.push(None)),
                [name, init] => (names.push(*name), inits.push(Some(*init))),
                _ => return Err(self.wrong(binding, "write (name expression)")),
            };
        }
        Ok((names, inits))
    }

    fn inits(&mut self, inits: &[Option<Datum>], loc: Loc) -> Result<Vec<Term>> {
        let one = |init: &Option<Datum>| match init {
            Some(init) => self.expand(*init),
            None => Ok(self.add(Core::Void, loc)),
        };
        inits.iter().map(one).collect()
    }

    fn named_let(
        &mut self,
        name: Datum,
        bindings: Datum,
        body: &[Datum],
        loc: Loc,
    ) -> Result<Term> {
        let (names, inits) = self.bindings(bindings)?;
        let inits = self.inits(&inits, loc)?;
        self.scopes.open();
        let made = self.named_loop(name, &names, body, loc);
        self.scopes.close();
        let (var, f) = made?;
        // The name is not in scope of the initial values, but renamed, so it may stand around them.
        let reference = self.add(Core::Ref(var), loc);
        let call = self.add(Core::Call(reference, inits), loc);
        Ok(self.add(Core::Letrec(vec![var], vec![(Some(var), f), (None, call)]), loc))
    }

    fn named_loop(
        &mut self,
        name: Datum,
        names: &[Datum],
        body: &[Datum],
        loc: Loc,
    ) -> Result<(super::core::Var, Term)> {
        let var = self.bind_var(name)?;
        let formals = self.data_mut().add_list(names, None, loc);
        let lam = self.lambda(formals, body, loc)?;
        let name = self.program.vars[var.0 as usize].name.clone();
        self.program.lambdas[lam.0 as usize].name = Some(name);
        Ok((var, self.add(Core::Lambda(lam), loc)))
    }

    fn letrec(&mut self, bindings: Datum, body: &[Datum], loc: Loc) -> Result<Term> {
        let (names, inits) = self.bindings(bindings)?;
        self.scopes.open();
        let made = self.letrec_body(&names, &inits, body, loc);
        self.scopes.close();
        made
    }

    fn letrec_body(
        &mut self,
        names: &[Datum],
        inits: &[Option<Datum>],
        body: &[Datum],
        loc: Loc,
    ) -> Result<Term> {
        let vars: Vec<_> = names.iter().map(|name| self.bind_var(*name)).collect::<Result<_>>()?;
        let inits = self.inits(inits, loc)?;
        inits.iter().zip(&vars).for_each(|(init, var)| self.name_lambda(*init, *var));
        let mut steps: Vec<_> = vars.iter().map(|var| Some(*var)).zip(inits).collect();
        self.scopes.open();
        let body = self.body(body, loc);
        self.scopes.close();
        steps.push((None, body?));
        Ok(self.add(Core::Letrec(vars, steps), loc))
    }
}
