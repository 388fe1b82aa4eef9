//! The core language to continuation-passing style.
//!
//! What waits for a value is a *frame*, known while converting, so no administrative redex is made: a frame becomes a
//! lambda expression only where a call, primitive or assignment needs its continuation as a value. A list of tasks
//! stands in for recursion; a task writes one expression.

use super::{Ae, Cps, Exp, Label, LamId, Rest, Var};
use crate::expand::core::{self, Core, Lam, Program, Term};
use crate::prims::{Class, Effect, Op};

/// What happens to a value.
#[derive(Clone, Copy)]
pub(super) enum Kont {
    Ae(Ae),
    Frame(usize),
}

/// What waits for a value.
pub(super) enum Frame {
    If(Term, Kont),
    Set(core::Var, Kont),
    /// The steps of a `begin` or `letrec*` from this one on. The value belongs to the step before it.
    Step(Term, usize, Kont),
    /// The operands of a call or primitive from this one on, and those that are done.
    Operands(Term, usize, Vec<Ae>, Kont),
    /// The operands of a lambda expression in place; the value belongs to this one.
    Let(Term, usize, Kont),
    Receive(Term, Kont),
}

pub(super) enum Task {
    Convert(Term, Kont, Label),
    Deliver(Kont, Ae, Label),
    /// The value of a frame is bound, or not needed.
    GoOn(usize, Label),
}

pub(super) struct Convert<'a> {
    pub(super) program: &'a Program,
    pub(super) cps: Cps,
    pub(super) frames: Vec<Frame>,
    pub(super) tasks: Vec<Task>,
}

/// Converts a program.
pub fn convert(program: &Program) -> Cps {
    let vars = program.vars.iter().map(|var| var.name.clone()).collect();
    let of_core = vec![None; program.lambdas.len()];
    let cps = Cps { vars, of_core, ..Cps::default() };
    let mut convert = Convert { program, cps, frames: Vec::new(), tasks: Vec::new() };
    let entry = convert.cps.reserve(Some(program.body));
    let halt = convert.cps.reserve(None);
    let end = convert.cps.add_lambda(Vec::new(), Rest::Ignored, halt, true);
    convert.cps.entry = Some(entry);
    convert.tasks.push(Task::Convert(program.body, Kont::Ae(Ae::Lam(end)), entry));
    while let Some(task) = convert.tasks.pop() {
        match task {
            Task::Convert(term, k, label) => convert.term(term, k, label),
            Task::Deliver(k, ae, label) => convert.deliver(k, ae, label),
            Task::GoOn(frame, label) => convert.go_on(frame, label),
        }
    }
    convert.cps
}

pub(super) fn var(var: core::Var) -> Var {
    Var(var.0)
}

impl Convert<'_> {
    fn frame(&mut self, frame: Frame) -> Kont {
        self.frames.push(frame);
        Kont::Frame(self.frames.len() - 1)
    }

    fn then(&mut self, term: Term, frame: Frame, label: Label) {
        let k = self.frame(frame);
        self.tasks.push(Task::Convert(term, k, label));
    }

    /// The atomic expression that an expression is.
    fn atom(&mut self, term: Term) -> Option<Ae> {
        match self.program.term(term) {
            Core::Void => Some(Ae::Basic(Class::Void)),
            Core::Quote(datum) => Some(Ae::Quote(*datum)),
            Core::Ref(x) => Some(Ae::Var(var(*x))),
            Core::Lambda(lam) => Some(Ae::Lam(self.lambda(*lam))),
            _ => None,
        }
    }

    fn lambda(&mut self, lam: Lam) -> LamId {
        if let Some(done) = self.cps.of_core[lam.0 as usize] {
            return done;
        }
        let source = self.program.lambda(lam);
        let k = self.cps.add_var("k");
        let body = self.cps.reserve(Some(source.body));
        let params =
            std::iter::once(k).chain(source.formals.params.iter().map(|x| var(*x))).collect();
        let rest = source.formals.rest.map_or(Rest::None, |x| Rest::List(var(x)));
        let id = self.cps.add_lambda(params, rest, body, false);
        let made = &mut self.cps.lambdas[id.0 as usize];
        (made.source, made.loc) = (Some(lam), source.loc);
        self.cps.of_core[lam.0 as usize] = Some(id);
        self.tasks.push(Task::Convert(source.body, Kont::Ae(Ae::Var(k)), body));
        id
    }

    pub(super) fn let_param(&self, term: Term, index: usize) -> Option<Var> {
        let Core::Call(f, _) = self.program.term(term) else { return None };
        let Core::Lambda(lam) = self.program.term(*f) else { return None };
        self.program.lambda(*lam).formals.params.get(index).map(|x| var(*x))
    }

    fn term(&mut self, term: Term, k: Kont, label: Label) {
        if let Some(ae) = self.atom(term) {
            return self.deliver(k, ae, label);
        }
        self.cps.sources[label.0 as usize] = Some(term);
        match self.program.term(term) {
            Core::CaseLambda(lams) => {
                let x = self.cps.add_var("case");
                let bindings = lams.iter().map(|lam| (x, self.lambda(*lam))).collect();
                let body = self.cps.reserve(Some(term));
                self.cps.set(label, Exp::Fix { bindings, body });
                self.tasks.push(Task::Deliver(k, Ae::Var(x), body));
            }
            Core::If(test, ..) => {
                let (k, label) = self.shared(k, label, term);
                self.then(*test, Frame::If(term, Kont::Ae(k)), label);
            }
            Core::Set(x, value) => self.then(*value, Frame::Set(*x, k), label),
            Core::Begin(_) | Core::Letrec(..) => self.step(term, 0, k, label),
            Core::Call(f, args) => {
                let in_place = match self.program.term(*f) {
                    Core::Lambda(lam) => {
                        let formals = &self.program.lambda(*lam).formals;
                        formals.rest.is_none() && formals.accepts(args.len())
                    }
                    _ => false,
                };
                if in_place {
                    self.bind(term, 0, k, label)
                } else {
                    self.operands(term, 0, Vec::new(), k, label)
                }
            }
            Core::Prim { .. } => self.operands(term, 0, Vec::new(), k, label),
            Core::Receive(_, init, _) => self.then(*init, Frame::Receive(term, k), label),
            Core::Void | Core::Quote(_) | Core::Ref(_) | Core::Lambda(_) => {}
        }
    }

    fn deliver(&mut self, k: Kont, ae: Ae, label: Label) {
        let at = match k {
            Kont::Ae(f) => {
                return self.cps.set(label, Exp::Call { f, args: vec![ae], spread: false });
            }
            Kont::Frame(at) => at,
        };
        match &mut self.frames[at] {
            Frame::If(term, k) => {
                let (term, k) = (*term, *k);
                let Core::If(_, yes, no) = self.program.term(term) else { return };
                let labels = [self.cps.reserve(Some(*yes)), self.cps.reserve(Some(*no))];
                self.cps.set(label, Exp::If { test: ae, yes: labels[0], no: labels[1] });
                self.tasks.push(Task::Convert(*yes, k, labels[0]));
                self.tasks.push(Task::Convert(*no, k, labels[1]));
            }
            Frame::Set(x, k) => {
                let (x, k) = (*x, *k);
                let k = self.reify(k);
                self.cps.set(label, Exp::Set { x: var(x), value: ae, k });
            }
            Frame::Step(term, index, k) => {
                let (term, index, k) = (*term, *index, *k);
                match self.program.term(term) {
                    Core::Letrec(_, steps) if steps[index - 1].0.is_some() => {
                        let x = steps[index - 1].0.map_or(Var(0), var);
                        let body = self.cps.reserve(Some(term));
                        let lam = self.continuation(Vec::new(), Rest::Ignored, body, term);
                        self.cps.set(label, Exp::Set { x, value: ae, k: Ae::Lam(lam) });
                        self.step(term, index, k, body);
                    }
                    _ => self.step(term, index, k, label),
                }
            }
            Frame::Operands(term, index, done, k) => {
                let (term, index, k) = (*term, *index, *k);
                let mut done = std::mem::take(done);
                done.push(ae);
                self.operands(term, index + 1, done, k, label);
            }
            Frame::Let(..) | Frame::Receive(..) => {
                let f = self.reify(k);
                self.cps.set(label, Exp::Call { f, args: vec![ae], spread: false });
            }
        }
    }

    fn go_on(&mut self, at: usize, label: Label) {
        match self.frames[at] {
            Frame::Step(term, index, k) => self.step(term, index, k, label),
            Frame::Let(term, index, k) => self.bind(term, index + 1, k, label),
            _ => {}
        }
    }

    /// The steps of a `begin` or `letrec*` from one on.
    fn step(&mut self, term: Term, mut index: usize, k: Kont, label: Label) {
        let (target, step, count) = match self.program.term(term) {
            Core::Begin(all) => (None, all[index], all.len()),
            Core::Letrec(_, steps) => {
                let mut bindings = Vec::new();
                while let Some((Some(x), step)) = steps.get(index) {
                    match self.program.term(*step) {
                        Core::Lambda(lam) => bindings.push((var(*x), self.lambda(*lam))),
                        Core::CaseLambda(lams) => {
                            bindings.extend(lams.iter().map(|lam| (var(*x), self.lambda(*lam))));
                        }
                        _ => break,
                    }
                    index += 1;
                }
                if !bindings.is_empty() {
                    let body = self.cps.reserve(Some(term));
                    self.cps.set(label, Exp::Fix { bindings, body });
                    return self.step(term, index, k, body);
                }
                match steps.get(index) {
                    Some((x, step)) => (*x, *step, steps.len()),
                    None => return self.deliver(k, Ae::Basic(Class::Void), label),
                }
            }
            _ => return,
        };
        if index + 1 == count && target.is_none() {
            self.tasks.push(Task::Convert(step, k, label));
        } else {
            self.then(step, Frame::Step(term, index + 1, k), label);
        }
    }

    /// A lambda expression in place: its parameters get their values one by one, the atomic ones last.
    fn bind(&mut self, term: Term, mut index: usize, k: Kont, label: Label) {
        let Core::Call(f, args) = self.program.term(term) else { return };
        let Core::Lambda(lam) = self.program.term(*f) else { return };
        let atomic = |arg: &Term| {
            matches!(
                self.program.term(*arg),
                Core::Void | Core::Quote(_) | Core::Ref(_) | Core::Lambda(_)
            )
        };
        while args.get(index).is_some_and(atomic) {
            index += 1;
        }
        if let Some(arg) = args.get(index) {
            return self.then(*arg, Frame::Let(term, index, k), label);
        }
        let lambda = self.program.lambda(*lam);
        let (mut params, mut atoms) = (Vec::new(), Vec::new());
        for (param, arg) in lambda.formals.params.iter().zip(args) {
            if let Some(ae) = self.atom(*arg) {
                params.push(var(*param));
                atoms.push(ae);
            }
        }
        if params.is_empty() {
            self.tasks.push(Task::Convert(lambda.body, k, label));
            return;
        }
        let body = self.cps.reserve(Some(lambda.body));
        let id = self.continuation(params, Rest::None, body, term);
        self.cps.set(label, Exp::Call { f: Ae::Lam(id), args: atoms, spread: false });
        self.tasks.push(Task::Convert(lambda.body, k, body));
    }

    /// The operands of a call or primitive from one on.
    fn operands(&mut self, term: Term, mut index: usize, mut done: Vec<Ae>, k: Kont, label: Label) {
        let operand = |at: usize| match self.program.term(term) {
            Core::Call(f, args) => {
                if at == 0 {
                    Some(*f)
                } else {
                    args.get(at - 1).copied()
                }
            }
            Core::Prim { args, .. } => args.get(at).copied(),
            _ => None,
        };
        while let Some(next) = operand(index) {
            match self.atom(next) {
                Some(ae) => done.push(ae),
                None => return self.then(next, Frame::Operands(term, index, done, k), label),
            }
            index += 1;
        }
        match self.program.term(term) {
            Core::Prim { op, spread, .. } => self.prim(term, *op, done, *spread, k, label),
            _ => {
                let f = done[0];
                done[0] = self.reify(k);
                self.call(term, f, done, false, label);
            }
        }
    }

    fn call(&mut self, term: Term, f: Ae, args: Vec<Ae>, spread: bool, label: Label) {
        self.cps.sources[label.0 as usize] = Some(term);
        self.cps.calls.push((term, label));
        self.cps.set(label, Exp::Call { f, args, spread });
    }

    fn prim(&mut self, term: Term, op: Op, mut args: Vec<Ae>, spread: bool, k: Kont, label: Label) {
        match op {
            Op::Prim(prim) if prim.entry().effect == Effect::Halts => {
                self.cps.set(label, Exp::Halt)
            }
            Op::Values if args.len() == 1 && !spread => self.deliver(k, args[0], label),
            Op::Values => {
                let f = self.reify(k);
                self.cps.set(label, Exp::Call { f, args, spread });
            }
            Op::Apply => {
                let f = args[0];
                args[0] = self.reify(k);
                self.call(term, f, args, spread, label);
            }
            Op::CallCc => {
                let (k, label) = self.shared(k, label, term);
                let escape = self.cps.add_var("escape");
                let clauses = [(1, false), (0, false), (2, true)]
                    .map(|(count, rest)| self.escape(k, count, rest, term));
                let bindings = clauses.iter().map(|lam| (escape, *lam)).collect();
                let body = self.cps.reserve(Some(term));
                self.cps.set(label, Exp::Fix { bindings, body });
                self.cps.escapes.push((term, clauses.to_vec()));
                self.call(term, args[0], vec![k, Ae::Var(escape)], false, body);
            }
            _ => {
                let k = self.reify(k);
                self.cps.sources[label.0 as usize] = Some(term);
                self.cps.set(label, Exp::Prim { op, args, spread, k });
            }
        }
    }
}
