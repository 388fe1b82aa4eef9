//! Difference propagation: a variable passes on only what is new since it last did.
//!
//! When an expression is reached, its operations subscribe to the variables they read and see what is there already. A call
//! keeps no edges: what is new in an argument goes to the parameters of all lambdas in the set of the operator.

use super::{Expr, Node, Op, Program, Set, Solution, ValueId, Var};
use crate::prims::Class;
use std::collections::VecDeque;

/// Which part of an operation a variable is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// What decides: test, operator, base of a load or store, source of a map.
    Key,
    /// An argument of a call, what is stored.
    Arg,
}

struct State<'a> {
    program: &'a Program,
    reached: Vec<bool>,
    work: Vec<Expr>,
    store: Vec<Set>,
    /// What each variable has not passed on yet.
    new: Vec<Set>,
    queue: VecDeque<Var>,
    queued: Vec<bool>,
    /// Variables that get all values of a variable.
    edges: Vec<Vec<Var>>,
    subscribers: Vec<Vec<(u32, Role)>>,
}

pub(super) fn solve(program: &Program, everything: bool) -> Solution {
    let vars = program.vars as usize;
    let mut state = State {
        program,
        reached: vec![false; program.exprs() as usize],
        work: Vec::new(),
        store: vec![Set::default(); vars],
        new: vec![Set::default(); vars],
        queue: VecDeque::new(),
        queued: vec![false; vars],
        edges: vec![Vec::new(); vars],
        subscribers: vec![Vec::new(); vars],
    };
    for (var, value) in &program.init {
        state.add(*var, *value);
    }
    let entry = (program.exprs() > 0).then_some(program.entry);
    let all = if everything { 0..program.exprs() } else { 0..0 };
    all.chain(entry).for_each(|expr| state.reach(expr));
    loop {
        if let Some(expr) = state.work.pop() {
            for op in program.ops_of(expr) {
                state.start(op as u32);
            }
        } else if let Some(var) = state.queue.pop_front() {
            state.pass_on(var);
        } else {
            break;
        }
    }
    let reached = (0..program.exprs()).filter(|expr| state.reached[*expr as usize]).collect();
    Solution { reached, store: state.store }
}

impl State<'_> {
    fn reach(&mut self, expr: Expr) {
        if !std::mem::replace(&mut self.reached[expr as usize], true) {
            self.work.push(expr);
        }
    }

    fn enqueue(&mut self, var: Var) {
        if !std::mem::replace(&mut self.queued[var as usize], true) {
            self.queue.push_back(var);
        }
    }

    /// Whether anything would hear of a new value. Who subscribes later sees all values then.
    fn has_listeners(&self, var: Var) -> bool {
        let at = var as usize;
        !self.edges[at].is_empty()
            || !self.subscribers[at].is_empty()
            || self.program.escape == Some(var)
    }

    fn add(&mut self, var: Var, value: ValueId) {
        if self.store[var as usize].insert(value) && self.has_listeners(var) {
            self.new[var as usize].insert(value);
            self.enqueue(var);
        }
    }

    fn add_all(&mut self, var: Var, values: &Set) {
        if !self.has_listeners(var) {
            self.store[var as usize].unite(values);
        } else if self.store[var as usize].absorb(values, &mut self.new[var as usize]) {
            self.enqueue(var);
        }
    }

    /// All values of a source, now.
    fn flow(&mut self, dst: Var, src: Node) {
        match src {
            Node::Value(value) => self.add(dst, value),
            Node::Var(src) if src == dst => {}
            Node::Var(src) => {
                let values = std::mem::take(&mut self.store[src as usize]);
                self.add_all(dst, &values);
                self.store[src as usize] = values;
            }
        }
    }

    /// All values of a source, now and later.
    fn edge(&mut self, dst: Var, src: Node) {
        if let Node::Var(src) = src
            && src != dst
            && !self.edges[src as usize].contains(&dst)
        {
            self.edges[src as usize].push(dst);
        }
        self.flow(dst, src);
    }

    fn subscribe(&mut self, node: Node, op: u32, role: Role) {
        if let Node::Var(var) = node {
            let subscribers = &mut self.subscribers[var as usize];
            if subscribers.last() != Some(&(op, role)) {
                subscribers.push((op, role));
            }
        }
    }

    /// The expression of an operation is reached.
    fn start(&mut self, at: u32) {
        let program = self.program;
        let key = match &program.ops[at as usize] {
            Op::Copy { dst, src } => return self.edge(*dst, *src),
            Op::Goto { to } => return self.reach(*to),
            Op::If { test, .. } => *test,
            Op::Call { f, args, spread } => {
                // A known callee needs edges only.
                if let Node::Value(value) = f
                    && let Some(lambda) = program.lambda(*value)
                {
                    let mut flows = Vec::new();
                    if program.bind(lambda, args, *spread, |dst, src| flows.push((dst, src))) {
                        flows.into_iter().for_each(|(dst, src)| self.edge(dst, src));
                        self.reach(lambda.body);
                    }
                    return;
                }
                args.iter().for_each(|arg| self.subscribe(*arg, at, Role::Arg));
                spread.iter().for_each(|arg| self.subscribe(Node::Var(*arg), at, Role::Arg));
                *f
            }
            Op::Load { base, .. } | Op::Store { base, .. } => *base,
            Op::Map { src, .. } => *src,
        };
        self.subscribe(key, at, Role::Key);
        match key {
            Node::Value(value) => self.see(at, value),
            Node::Var(var) => {
                let values = self.store[var as usize].clone();
                self.see_all(at, &values);
            }
        }
    }

    fn pass_on(&mut self, var: Var) {
        self.queued[var as usize] = false;
        let new = std::mem::take(&mut self.new[var as usize]);
        for index in 0..self.edges[var as usize].len() {
            let dst = self.edges[var as usize][index];
            self.add_all(dst, &new);
        }
        for index in 0..self.subscribers[var as usize].len() {
            let (op, role) = self.subscribers[var as usize][index];
            match role {
                Role::Key => self.see_all(op, &new),
                Role::Arg => self.more_arguments(op, var, &new),
            }
        }
        if self.program.escape == Some(var) {
            new.each(|value| self.expose(value));
        }
    }

    /// Values are new in what decides.
    fn see_all(&mut self, at: u32, values: &Set) {
        match &self.program.ops[at as usize] {
            Op::Call { args, spread: None, .. } => self.call(at, args, values),
            _ => values.each(|value| self.see(at, value)),
        }
    }

    /// A call has new callees. Argument by argument, since most take just what they are given.
    fn call(&mut self, at: u32, args: &[Node], callees: &Set) {
        let program = self.program;
        for (index, arg) in args.iter().enumerate() {
            let param = |callee| program.plain(callee, args.len())?.params.get(index).copied();
            match *arg {
                Node::Value(value) => callees.each(|callee| {
                    param(callee).into_iter().for_each(|dst| self.add(dst, value));
                }),
                Node::Var(src) => {
                    let values = std::mem::take(&mut self.store[src as usize]);
                    callees.each(|callee| {
                        let dst = param(callee).filter(|dst| *dst != src);
                        dst.into_iter().for_each(|dst| self.add_all(dst, &values));
                    });
                    self.store[src as usize] = values;
                }
            }
        }
        callees.each(|callee| match program.plain(callee, args.len()) {
            Some(lambda) => self.reach(lambda.body),
            None => self.see(at, callee),
        });
    }

    /// A value is new in what decides.
    fn see(&mut self, at: u32, value: ValueId) {
        let program = self.program;
        let unknown = program.is_unknown(value);
        match &program.ops[at as usize] {
            Op::Copy { .. } | Op::Goto { .. } => {}
            Op::If { yes, no, .. } => {
                let falsy = program.basic(Class::False) == Some(value);
                if !falsy {
                    self.reach(*yes);
                }
                if falsy || unknown {
                    self.reach(*no);
                }
            }
            Op::Call { args, spread, .. } => {
                if let Some(lambda) = program.lambda(value)
                    && program.bind(lambda, args, *spread, |dst, src| self.flow(dst, src))
                {
                    self.reach(lambda.body);
                }
                if let (true, Some(escape)) = (unknown, program.escape) {
                    args.iter().for_each(|arg| self.edge(escape, *arg));
                    spread.iter().for_each(|arg| self.edge(escape, Node::Var(*arg)));
                }
            }
            Op::Load { dst, field, .. } => {
                if let Some(field) = program.field(value, *field) {
                    self.edge(*dst, Node::Var(field));
                }
                if unknown {
                    self.add(*dst, value);
                }
            }
            Op::Store { field, src, .. } => {
                if let Some(field) = program.field(value, *field) {
                    self.edge(field, *src);
                }
                if let (true, Some(escape)) = (unknown, program.escape) {
                    self.edge(escape, *src);
                }
            }
            Op::Map { dst, table, .. } => {
                for class in program.image(*table, value).iter() {
                    if let Some(value) = program.basic(class) {
                        self.add(*dst, value);
                    }
                }
            }
        }
    }

    /// An argument of a call has new values: all parameters it goes to get them.
    fn more_arguments(&mut self, at: u32, var: Var, new: &Set) {
        let program = self.program;
        let Op::Call { f: Node::Var(f), args, spread } = &program.ops[at as usize] else { return };
        // Not in the store meanwhile, since a parameter may be the operator itself: that one comes last.
        let callees = std::mem::take(&mut self.store[*f as usize]);
        let mut to_itself = false;
        callees.each(|callee| {
            let Some(lambda) = program.lambda(callee) else { return };
            program.bind(lambda, args, *spread, |dst, src| match src == Node::Var(var) {
                true if dst == *f => to_itself = true,
                true => self.add_all(dst, new),
                false => {}
            });
        });
        self.store[*f as usize] = callees;
        if to_itself {
            self.add_all(*f, new);
        }
    }

    fn expose(&mut self, value: ValueId) {
        let (Some(escape), Some(unknown)) =
            (self.program.escape, self.program.basic(Class::Unknown))
        else {
            return;
        };
        let (mut changed, mut seen) = (Vec::new(), Vec::new());
        let body = self.program.expose(value, |var| changed.push(var), |var| seen.push(var));
        changed.into_iter().for_each(|var| self.add(var, unknown));
        seen.into_iter().for_each(|var| self.edge(escape, Node::Var(var)));
        body.into_iter().for_each(|body| self.reach(body));
    }
}
