//! A concrete interpreter for the core language, which is the meaning of programs, and the soundness oracle of the analysis.
//!
//! [`run`] executes a program step by step and holds what it sees against a solution:
//!
//! - a value that is bound or assigned to a variable is in the variable's flow set,
//! - a value that is put into an object is in the flow set of that field of the abstract object,
//! - a procedure that is called is among the callees of the call, and its body is reached,
//! - what a primitive yields is in the flow set of what takes it.
//!
//! Nothing recurses: environments, continuations and objects are tables.

mod check;
mod heap;
mod numbers;
mod prims;

use crate::analysis::Analysis;
use crate::cps::{Ae, Exp, LamId};
use crate::expand::core::{Core, Formals, Lam, Term, Var};
use crate::flow::ValueId;
use crate::prims::Op;
use heap::{Heap, Val};
use rustc_hash::FxHashMap;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The program came to its end.
    Done,
    /// It stopped: an error of the program, or something that is not interpreted.
    Stopped(String),
    /// It took all its steps.
    OutOfSteps,
}

/// What a run did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// How it ended.
    pub end: End,
    /// What it displayed.
    pub output: String,
    /// How many steps it took.
    pub steps: usize,
    /// How many values and calls were held against the solution.
    pub checked: usize,
}

/// Why a step cannot be taken.
enum Halt {
    Done,
    Stopped(String),
    Unsound(String),
}

type Step<T> = Result<T, Halt>;

fn stop<T>(why: impl Into<String>) -> Step<T> {
    Err(Halt::Stopped(why.into()))
}

type Env = u32;
type Kont = u32;

/// One binding; environments are lists of them.
struct Binding {
    outer: Env,
    var: Var,
    cell: u32,
}

#[derive(Clone)]
enum Frame {
    End,
    If(Term, Env),
    Set(Var, Env),
    Step(Term, usize, Env),
    Operands(Term, Vec<Val>, Env),
    Receive(Term, Env),
}

enum State {
    Eval(Term, Env),
    Return(Vec<Val>),
}

struct Machine<'a> {
    analysis: &'a Analysis,
    heap: Heap,
    bindings: Vec<Binding>,
    cells: Vec<Option<Val>>,
    frames: Vec<(Frame, Kont)>,
    /// Expressions of primitives.
    prims: FxHashMap<Term, u32>,
    calls: FxHashMap<Term, u32>,
    escapes: FxHashMap<Term, Vec<LamId>>,
    output: String,
    checked: usize,
}

/// No environment.
const EMPTY: Env = u32::MAX;

/// Runs a program for some number of steps; an error says what the solution lacks.
pub fn run(analysis: &Analysis, steps: usize) -> Result<Run, String> {
    let cps = &analysis.cps;
    let prims = cps.exps.iter().enumerate().filter(|(_, exp)| matches!(exp, Exp::Prim { .. }));
    let prims = prims.filter_map(|(label, _)| cps.sources[label].map(|term| (term, label as u32)));
    let mut machine = Machine {
        analysis,
        heap: Heap::default(),
        bindings: Vec::new(),
        cells: Vec::new(),
        frames: vec![(Frame::End, 0)],
        prims: prims.collect(),
        calls: cps.calls.iter().map(|(term, label)| (*term, label.0)).collect(),
        escapes: cps.escapes.iter().cloned().collect(),
        output: String::new(),
        checked: 0,
    };
    let (mut state, mut k) = (State::Eval(analysis.core.body, EMPTY), 0);
    let mut end = End::OutOfSteps;
    let mut taken = 0;
    while taken < steps {
        taken += 1;
        let next = match state {
            State::Eval(term, env) => machine.eval(term, env, &mut k),
            State::Return(values) => machine.resume(values, &mut k),
        };
        match next {
            Ok(next) => state = next,
            Err(Halt::Done) => {
                end = End::Done;
                break;
            }
            Err(Halt::Stopped(why)) => {
                end = End::Stopped(why);
                break;
            }
            Err(Halt::Unsound(why)) => return Err(why),
        }
    }
    Ok(Run { end, output: machine.output, steps: taken, checked: machine.checked })
}

impl Machine<'_> {
    fn push(&mut self, frame: Frame, k: &mut Kont) {
        self.frames.push((frame, *k));
        *k = self.frames.len() as Kont - 1;
    }

    fn bind(&mut self, env: Env, var: Var, value: Option<Val>) -> Step<Env> {
        if let Some(value) = value {
            self.check(var.0, value, || {
                format!("variable {}", self.analysis.core.vars[var.0 as usize].name)
            })?;
        }
        self.cells.push(value);
        self.bindings.push(Binding { outer: env, var, cell: self.cells.len() as u32 - 1 });
        Ok(self.bindings.len() as Env - 1)
    }

    fn cell(&self, mut env: Env, var: Var) -> Step<usize> {
        while let Some(binding) = self.bindings.get(env as usize) {
            if binding.var == var {
                return Ok(binding.cell as usize);
            }
            env = binding.outer;
        }
        stop("a variable is not bound")
    }

    fn eval(&mut self, term: Term, env: Env, k: &mut Kont) -> Step<State> {
        let core = &self.analysis.core;
        match core.term(term) {
            Core::Void => Ok(State::Return(vec![Val::Void])),
            Core::Quote(datum) => {
                let constants = self.analysis.lowered.constants.get(datum);
                let value = self.heap.constant(&core.data, *datum, constants.copied());
                Ok(State::Return(vec![value]))
            }
            Core::Ref(var) => {
                let cell = self.cell(env, *var)?;
                match self.cells[cell] {
                    Some(value) => Ok(State::Return(vec![value])),
                    None => stop(format!("{} has no value yet", core.vars[var.0 as usize].name)),
                }
            }
            Core::Lambda(lam) => Ok(State::Return(vec![self.heap.closure(vec![*lam], env)])),
            Core::CaseLambda(lams) => Ok(State::Return(vec![self.heap.closure(lams.clone(), env)])),
            Core::If(test, ..) => {
                self.push(Frame::If(term, env), k);
                Ok(State::Eval(*test, env))
            }
            Core::Set(var, value) => {
                self.push(Frame::Set(*var, env), k);
                Ok(State::Eval(*value, env))
            }
            Core::Begin(_) => self.step(term, 0, env, k),
            Core::Letrec(vars, _) => {
                let env = vars.iter().try_fold(env, |env, var| self.bind(env, *var, None))?;
                self.step(term, 0, env, k)
            }
            Core::Call(..) | Core::Prim { .. } => self.operands(term, Vec::new(), env, k),
            Core::Receive(_, init, _) => {
                self.push(Frame::Receive(term, env), k);
                Ok(State::Eval(*init, env))
            }
        }
    }

    fn step(&mut self, term: Term, index: usize, env: Env, k: &mut Kont) -> Step<State> {
        let (next, last) = match self.analysis.core.term(term) {
            Core::Begin(all) => (all[index], index + 1 == all.len()),
            Core::Letrec(_, steps) => match steps.get(index) {
                Some((target, step)) => (*step, index + 1 == steps.len() && target.is_none()),
                None => return Ok(State::Return(vec![Val::Void])),
            },
            _ => return stop("no steps"),
        };
        if !last {
            self.push(Frame::Step(term, index + 1, env), k);
        }
        Ok(State::Eval(next, env))
    }

    fn operands(&mut self, term: Term, done: Vec<Val>, env: Env, k: &mut Kont) -> Step<State> {
        let next = match self.analysis.core.term(term) {
            Core::Call(f, _) if done.is_empty() => Some(*f),
            Core::Call(_, args) => args.get(done.len() - 1).copied(),
            Core::Prim { args, .. } => args.get(done.len()).copied(),
            _ => None,
        };
        if let Some(next) = next {
            self.push(Frame::Operands(term, done, env), k);
            return Ok(State::Eval(next, env));
        }
        match self.analysis.core.term(term) {
            Core::Prim { op, spread, .. } => self.prim(term, *op, done, *spread, k),
            _ => self.call(term, done[0], done[1..].to_vec(), k),
        }
    }

    fn resume(&mut self, values: Vec<Val>, k: &mut Kont) -> Step<State> {
        let (frame, next) = self.frames[*k as usize].clone();
        *k = next;
        let one = || match values.as_slice() {
            [value] => Ok(*value),
            _ => stop(format!("one value is expected, not {}", values.len())),
        };
        match frame {
            Frame::End => Err(Halt::Done),
            Frame::If(term, env) => {
                let Core::If(_, yes, no) = self.analysis.core.term(term) else {
                    return stop("no branches");
                };
                Ok(State::Eval(if one()? == Val::Bool(false) { *no } else { *yes }, env))
            }
            Frame::Set(var, env) => {
                self.assign(var, env, one()?)?;
                Ok(State::Return(vec![Val::Void]))
            }
            Frame::Step(term, index, env) => {
                if let Core::Letrec(_, steps) = self.analysis.core.term(term)
                    && let Some(var) = steps[index - 1].0
                {
                    self.assign(var, env, one()?)?;
                }
                self.step(term, index, env, k)
            }
            Frame::Operands(term, mut done, env) => {
                done.push(one()?);
                self.operands(term, done, env, k)
            }
            Frame::Receive(term, env) => {
                let Core::Receive(formals, _, body) = self.analysis.core.term(term) else {
                    return stop("no body");
                };
                let pair = match self.receiver(term) {
                    Some(lam) => self.analysis.lowered.rests.get(&lam).copied(),
                    None => None,
                };
                let env = self.bind_all(formals, pair, values, env)?;
                Ok(State::Eval(*body, env))
            }
        }
    }

    /// The continuation that a `receive` became.
    fn receiver(&self, term: Term) -> Option<LamId> {
        let Core::Receive(Formals { rest: Some(rest), .. }, ..) = self.analysis.core.term(term)
        else {
            return None;
        };
        let takes = |lambda: &crate::cps::Lambda| {
            lambda.rest == crate::cps::Rest::List(crate::cps::Var(rest.0))
        };
        self.analysis.cps.lambdas.iter().position(takes).map(|at| LamId(at as u32))
    }

    fn assign(&mut self, var: Var, env: Env, value: Val) -> Step<()> {
        self.check(var.0, value, || {
            format!("variable {}", self.analysis.core.vars[var.0 as usize].name)
        })?;
        self.checked += 1;
        let cell = self.cell(env, var)?;
        self.cells[cell] = Some(value);
        Ok(())
    }

    fn bind_all(
        &mut self,
        formals: &Formals,
        pair: Option<ValueId>,
        values: Vec<Val>,
        env: Env,
    ) -> Step<Env> {
        if !formals.accepts(values.len()) {
            return stop(format!("{} values are not accepted", values.len()));
        }
        let (given, more) = values.split_at(formals.params.len());
        self.checked += values.len();
        let mut env = env;
        for (var, value) in formals.params.iter().zip(given) {
            env = self.bind(env, *var, Some(*value))?;
        }
        if let Some(rest) = formals.rest {
            let mut list = Val::Null;
            for value in more.iter().rev() {
                let Some(pair) = pair else { return stop("no pair for rest arguments") };
                list = self.object(pair, vec![*value, list])?;
            }
            env = self.bind(env, rest, Some(list))?;
        }
        Ok(env)
    }

    fn call(&mut self, term: Term, f: Val, args: Vec<Val>, k: &mut Kont) -> Step<State> {
        match f {
            Val::Closure(closure) => {
                let core = &self.analysis.core;
                let closure = &self.heap.closures[closure as usize];
                let accepts = |lam: &&Lam| core.lambda(**lam).formals.accepts(args.len());
                let Some(lam) = closure.lams.iter().find(accepts).copied() else {
                    return stop(format!("a procedure does not take {} arguments", args.len()));
                };
                let env = closure.env;
                self.check_call(term, lam)?;
                let lambda = core.lambda(lam);
                let id = self.analysis.cps.of_core[lam.0 as usize];
                let pair = id.and_then(|id| self.analysis.lowered.rests.get(&id)).copied();
                let env = self.bind_all(&lambda.formals, pair, args, env)?;
                Ok(State::Eval(lambda.body, env))
            }
            Val::Escape(target, _) => {
                *k = target;
                Ok(State::Return(args))
            }
            _ => stop("what is called is no procedure"),
        }
    }

    fn prim(
        &mut self,
        term: Term,
        op: Op,
        mut args: Vec<Val>,
        spread: bool,
        k: &mut Kont,
    ) -> Step<State> {
        if spread {
            let list = args.pop().unwrap_or(Val::Null);
            args.extend(
                self.heap.list(list).ok_or_else(|| Halt::Stopped("a list is expected".into()))?,
            );
        }
        match op {
            Op::Values => Ok(State::Return(args)),
            Op::Apply => self.call(term, args[0], args[1..].to_vec(), k),
            Op::CallCc => self.call(term, args[0], vec![Val::Escape(*k, term)], k),
            _ => {
                let value = self.primitive(term, op, &args)?;
                if let Some(label) = self.prims.get(&term)
                    && let Exp::Prim { k: Ae::Lam(lam), .. } =
                        &self.analysis.cps.exps[*label as usize]
                    && let [x] = self.analysis.cps.lambda(*lam).params.as_slice()
                {
                    self.check(x.0, value, || format!("what {op:?} yields"))?;
                }
                Ok(State::Return(vec![value]))
            }
        }
    }
}
