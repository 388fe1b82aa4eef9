//! Continuations as values.

use super::convert::{Convert, Frame, Kont, Task, var};
use super::{Ae, Exp, Label, LamId, Rest, Var};
use crate::expand::core::{Core, Formals, Term};
use crate::prims::Class;

impl Convert<'_> {
    /// A continuation that takes values as formals say.
    pub(super) fn receiver(&mut self, formals: &Formals, source: Term) -> (LamId, Label) {
        let body = self.cps.reserve(Some(source));
        let params = formals.params.iter().map(|x| var(*x)).collect();
        let rest = formals.rest.map_or(Rest::None, |x| Rest::List(var(x)));
        (self.continuation(params, rest, body, source), body)
    }

    pub(super) fn continuation(
        &mut self,
        params: Vec<Var>,
        rest: Rest,
        body: Label,
        source: Term,
    ) -> LamId {
        let id = self.cps.add_lambda(params, rest, body, true);
        self.cps.lambdas[id.0 as usize].loc = self.program.loc(source);
        id
    }

    /// A continuation as a value.
    pub(super) fn reify(&mut self, k: Kont) -> Ae {
        let at = match k {
            Kont::Ae(ae) => return ae,
            Kont::Frame(at) => at,
        };
        let lam = match &self.frames[at] {
            Frame::Step(term, index, _) => {
                let term = *term;
                let target = match self.program.term(term) {
                    Core::Letrec(_, steps) => steps[*index - 1].0,
                    _ => None,
                };
                let body = self.cps.reserve(Some(term));
                match target {
                    None => {
                        self.tasks.push(Task::GoOn(at, body));
                        self.continuation(Vec::new(), Rest::Ignored, body, term)
                    }
                    Some(_) => {
                        let x = self.cps.add_var("t");
                        self.tasks.push(Task::Deliver(k, Ae::Var(x), body));
                        self.continuation(vec![x], Rest::None, body, term)
                    }
                }
            }
            Frame::Let(term, index, _) => {
                let (term, index) = (*term, *index);
                let Some(x) = self.let_param(term, index) else { return Ae::Basic(Class::Void) };
                let body = self.cps.reserve(Some(term));
                self.tasks.push(Task::GoOn(at, body));
                self.continuation(vec![x], Rest::None, body, term)
            }
            Frame::Receive(term, k) => {
                let (term, k) = (*term, *k);
                let Core::Receive(formals, _, inner) = self.program.term(term) else {
                    return Ae::Basic(Class::Void);
                };
                let (lam, body) = self.receiver(formals, term);
                self.tasks.push(Task::Convert(*inner, k, body));
                lam
            }
            Frame::If(term, _) | Frame::Operands(term, ..) => {
                let term = *term;
                self.waits(k, term)
            }
            Frame::Set(..) => self.waits(k, self.program.body),
        };
        Ae::Lam(lam)
    }

    /// A continuation of one value.
    pub(super) fn waits(&mut self, k: Kont, source: Term) -> LamId {
        let x = self.cps.add_var("t");
        let body = self.cps.reserve(Some(source));
        self.tasks.push(Task::Deliver(k, Ae::Var(x), body));
        self.continuation(vec![x], Rest::None, body, source)
    }

    /// A continuation that may be mentioned more than once, and where to go on.
    pub(super) fn shared(&mut self, k: Kont, label: Label, source: Term) -> (Ae, Label) {
        match self.reify(k) {
            Ae::Lam(lam) => {
                let join = self.cps.add_var("j");
                let body = self.cps.reserve(Some(source));
                self.cps.set(label, Exp::Fix { bindings: vec![(join, lam)], body });
                (Ae::Var(join), body)
            }
            ae => (ae, label),
        }
    }

    /// A continuation as a procedure, for some number of values. Its own continuation is dropped.
    pub(super) fn escape(&mut self, k: Ae, count: usize, rest: bool, term: Term) -> LamId {
        let dropped = self.cps.add_var("k");
        let vals: Vec<Var> = (0..count).map(|_| self.cps.add_var("v")).collect();
        let rest = rest.then(|| self.cps.add_var("vs"));
        let body = self.cps.reserve(Some(term));
        let args = vals.iter().chain(&rest).map(|x| Ae::Var(*x)).collect();
        self.cps.set(body, Exp::Call { f: k, args, spread: rest.is_some() });
        let params = std::iter::once(dropped).chain(vals).collect();
        let lam = self.cps.add_lambda(params, rest.map_or(Rest::None, Rest::List), body, false);
        self.cps.lambdas[lam.0 as usize].loc = self.program.loc(term);
        lam
    }
}
