//! The engine to hold the others against: the rules of the [module](super), word for word, on a worklist.

use super::{Expr, Node, Op, Program, Set, Solution, ValueId, Var};
use crate::prims::Class;
use std::collections::{BTreeSet, VecDeque};

struct State<'a> {
    program: &'a Program,
    reached: BTreeSet<Expr>,
    store: Vec<BTreeSet<ValueId>>,
    /// The expressions that read each variable.
    readers: Vec<BTreeSet<Expr>>,
    work: VecDeque<Expr>,
    queued: Vec<bool>,
}

/// The expression under which what code outside of the program does is queued.
const OUTSIDE: Expr = u32::MAX;

pub(super) fn solve(program: &Program) -> Solution {
    let vars = program.vars as usize;
    let mut state = State {
        program,
        reached: BTreeSet::new(),
        store: vec![BTreeSet::new(); vars],
        readers: vec![BTreeSet::new(); vars],
        work: VecDeque::new(),
        queued: vec![false; program.exprs() as usize],
    };
    for (var, value) in &program.init {
        state.store[*var as usize].insert(*value);
    }
    if program.exprs() > 0 {
        state.reach(program.entry);
    }
    loop {
        while let Some(expr) = state.work.pop_front() {
            state.queued[expr as usize] = false;
            for op in &program.ops[program.ops_of(expr)] {
                state.apply(expr, op);
            }
        }
        if !state.outside() {
            break;
        }
    }
    let sets = state.store.into_iter().map(|values| values.into_iter().collect());
    Solution { reached: state.reached.into_iter().collect::<Set>(), store: sets.collect() }
}

impl State<'_> {
    fn queue(&mut self, expr: Expr) {
        if expr != OUTSIDE && !std::mem::replace(&mut self.queued[expr as usize], true) {
            self.work.push_back(expr);
        }
    }

    fn reach(&mut self, expr: Expr) {
        if self.reached.insert(expr) {
            self.queue(expr);
        }
    }

    /// 𝒜
    fn values(&mut self, node: Node, reader: Expr) -> Vec<ValueId> {
        match node {
            Node::Value(value) => vec![value],
            Node::Var(var) => {
                self.readers[var as usize].insert(reader);
                self.store[var as usize].iter().copied().collect()
            }
        }
    }

    fn add(&mut self, var: Var, values: &[ValueId]) {
        let before = self.store[var as usize].len();
        self.store[var as usize].extend(values);
        if self.store[var as usize].len() > before {
            for reader in self.readers[var as usize].clone() {
                self.queue(reader);
            }
        }
    }

    fn flow(&mut self, dst: Var, src: Node, reader: Expr) {
        let values = self.values(src, reader);
        self.add(dst, &values);
    }

    fn apply(&mut self, expr: Expr, op: &Op) {
        let program = self.program;
        match op {
            Op::Copy { dst, src } => self.flow(*dst, *src, expr),
            Op::Goto { to } => self.reach(*to),
            Op::If { test, yes, no } => {
                for value in self.values(*test, expr) {
                    let falsy = program.basic(Class::False) == Some(value);
                    if !falsy {
                        self.reach(*yes);
                    }
                    if falsy || program.is_unknown(value) {
                        self.reach(*no);
                    }
                }
            }
            Op::Call { f, args, spread } => {
                for value in self.values(*f, expr) {
                    if let Some(lambda) = program.lambda(value) {
                        let mut flows = Vec::new();
                        if program.bind(lambda, args, *spread, |dst, src| flows.push((dst, src))) {
                            flows.into_iter().for_each(|(dst, src)| self.flow(dst, src, expr));
                            self.reach(lambda.body);
                        }
                    }
                    if let (true, Some(escape)) = (program.is_unknown(value), program.escape) {
                        args.iter().for_each(|arg| self.flow(escape, *arg, expr));
                        spread.iter().for_each(|arg| self.flow(escape, Node::Var(*arg), expr));
                    }
                }
            }
            Op::Load { dst, base, field } => {
                for value in self.values(*base, expr) {
                    if let Some(field) = program.field(value, *field) {
                        self.flow(*dst, Node::Var(field), expr);
                    }
                    if program.is_unknown(value) {
                        self.add(*dst, &[value]);
                    }
                }
            }
            Op::Store { base, field, src } => {
                for value in self.values(*base, expr) {
                    if let Some(field) = program.field(value, *field) {
                        self.flow(field, *src, expr);
                    }
                    if let (true, Some(escape)) = (program.is_unknown(value), program.escape) {
                        self.flow(escape, *src, expr);
                    }
                }
            }
            Op::Map { dst, src, table } => {
                for value in self.values(*src, expr) {
                    let image: Vec<ValueId> = program
                        .image(*table, value)
                        .iter()
                        .filter_map(|class| program.basic(class))
                        .collect();
                    self.add(*dst, &image);
                }
            }
        }
    }

    /// What code outside of the program does with what it sees; whether anything is new.
    fn outside(&mut self) -> bool {
        let (Some(escape), Some(unknown)) =
            (self.program.escape, self.program.basic(Class::Unknown))
        else {
            return false;
        };
        let facts = |state: &Self| {
            state.reached.len() + state.store.iter().map(BTreeSet::len).sum::<usize>()
        };
        let before = facts(self);
        for value in self.store[escape as usize].clone() {
            let (mut changed, mut seen) = (Vec::new(), Vec::new());
            let body = self.program.expose(value, |var| changed.push(var), |var| seen.push(var));
            changed.into_iter().for_each(|var| self.add(var, &[unknown]));
            seen.into_iter().for_each(|var| self.flow(escape, Node::Var(var), OUTSIDE));
            body.into_iter().for_each(|body| self.reach(body));
        }
        facts(self) > before
    }
}
