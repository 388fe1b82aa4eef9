//! The linear encoding of 004 §6, bit-parallel.
//!
//! The transfer functions are partitioned by form: calls by the number of their arguments, conditionals, copies, loads, stores, maps. A
//! round applies those of all reached expressions to (𝐫, 𝛔); rounds go on until nothing changes. Rows of 𝛔 are words of bits that
//! threads only ever add to, so any number of them may work on the same round, and the least fixed point is the same.
//! A function is skipped while the rows it reads are as they were when it was last applied.

use super::set::bits;
use super::{Expr, Node, Op, Program, Set, Solution, Value, ValueId, Var};
use crate::prims::Class;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

struct Shared<'a> {
    program: &'a Program,
    words: usize,
    rows: Vec<AtomicU64>,
    /// The round in which each row last changed.
    changed: Vec<AtomicU32>,
    reached: Vec<AtomicBool>,
    progress: AtomicBool,
}

/// The operations of one form, with their expressions.
type Partition = Vec<(Expr, u32)>;

pub(super) fn solve(program: &Program, threads: usize) -> Solution {
    let words = program.values.len().div_ceil(64);
    let vars = program.vars as usize;
    let shared = Shared {
        program,
        words,
        rows: (0..vars * words).map(|_| AtomicU64::new(0)).collect(),
        changed: (0..vars).map(|_| AtomicU32::new(0)).collect(),
        reached: (0..program.exprs()).map(|_| AtomicBool::new(false)).collect(),
        progress: AtomicBool::new(false),
    };
    program.init.iter().for_each(|(var, value)| shared.add(*var, *value, 0));
    if let Some(entry) = shared.reached.get(program.entry as usize) {
        entry.store(true, Relaxed);
    }
    let partitions = partition(program);
    if threads == 1 {
        let mut worker = Worker::start(&shared, &partitions, 0, 1);
        let mut round = 1;
        while worker.round(round) {
            shared.progress.store(false, Relaxed);
            round += 1;
        }
    } else {
        let barrier = Barrier::new(threads);
        std::thread::scope(|scope| {
            for index in 0..threads {
                let (shared, partitions, barrier) = (&shared, &partitions, &barrier);
                scope.spawn(move || {
                    work(Worker::start(shared, partitions, index, threads), barrier)
                });
            }
        });
    }
    let row = |var: usize| -> Vec<u64> {
        shared.rows[var * words..][..words].iter().map(|word| word.load(Relaxed)).collect()
    };
    let reached = (0..program.exprs()).filter(|expr| shared.reached[*expr as usize].load(Relaxed));
    Solution {
        reached: reached.collect(),
        store: (0..vars).map(|var| Set::from_words(&row(var))).collect(),
    }
}

fn work(mut worker: Worker, barrier: &Barrier) {
    for round in 1.. {
        worker.round(round);
        barrier.wait();
        let more = worker.shared.progress.load(Relaxed);
        if barrier.wait().is_leader() {
            worker.shared.progress.store(false, Relaxed);
        }
        barrier.wait();
        if !more {
            return;
        }
    }
}

/// Operations by form, calls by their number of arguments.
fn partition(program: &Program) -> Vec<Partition> {
    let mut partitions: Vec<Partition> = vec![Vec::new(); 6];
    for expr in 0..program.exprs() {
        for at in program.ops_of(expr) {
            let form = match &program.ops[at] {
                Op::Goto { .. } => 0,
                Op::Copy { .. } => 1,
                Op::If { .. } => 2,
                Op::Map { .. } => 3,
                Op::Load { .. } => 4,
                Op::Store { .. } => 5,
                Op::Call { args, .. } => 6 + args.len(),
            };
            if partitions.len() <= form {
                partitions.resize(form + 1, Vec::new());
            }
            partitions[form].push((expr, at as u32));
        }
    }
    partitions
}

impl Shared<'_> {
    fn word(&self, var: Var, at: usize) -> u64 {
        self.rows[var as usize * self.words + at].load(Relaxed)
    }

    fn or(&self, var: Var, at: usize, bits: u64, round: u32) {
        let word = &self.rows[var as usize * self.words + at];
        if bits & !word.load(Relaxed) != 0 {
            word.fetch_or(bits, Relaxed);
            self.changed[var as usize].store(round, Relaxed);
            self.progress.store(true, Relaxed);
        }
    }

    fn add(&self, var: Var, value: ValueId, round: u32) {
        self.or(var, value as usize / 64, 1 << (value % 64), round);
    }

    fn reach(&self, expr: Expr) {
        if !self.reached[expr as usize].load(Relaxed) {
            self.reached[expr as usize].store(true, Relaxed);
            self.progress.store(true, Relaxed);
        }
    }

    /// 𝛔 + 𝐚 ⊗ 𝐯 for one entry of 𝐚.
    fn flow(&self, dst: Var, src: Node, round: u32) {
        match src {
            Node::Value(value) => self.add(dst, value, round),
            Node::Var(src) => {
                (0..self.words).for_each(|at| self.or(dst, at, self.word(src, at), round))
            }
        }
    }
}

/// A thread: every `step`th operation of each partition.
struct Worker<'a> {
    shared: &'a Shared<'a>,
    ops: Vec<(Expr, u32)>,
    /// The round in which each operation was last applied.
    applied: Vec<u32>,
    /// The lambdas that each call has seen.
    seen: Vec<Vec<u64>>,
    outside: bool,
}

impl<'a> Worker<'a> {
    fn start(
        shared: &'a Shared<'a>,
        partitions: &[Partition],
        first: usize,
        step: usize,
    ) -> Worker<'a> {
        let mine = |partition: &Partition| {
            partition.iter().skip(first).step_by(step).copied().collect::<Vec<_>>()
        };
        let ops: Vec<(Expr, u32)> = partitions.iter().flat_map(mine).collect();
        Worker {
            shared,
            applied: vec![0; ops.len()],
            seen: vec![Vec::new(); ops.len()],
            ops,
            outside: first == 0,
        }
    }

    /// Applies everything once; whether anything changed.
    fn round(&mut self, round: u32) -> bool {
        for index in 0..self.ops.len() {
            let (expr, op) = self.ops[index];
            if self.shared.reached[expr as usize].load(Relaxed) {
                let since = self.applied[index];
                self.applied[index] = round;
                let op = &self.shared.program.ops[op as usize];
                self.apply(op, since, round);
                self.call(index, op, since, round);
            }
        }
        if self.outside {
            self.expose(round);
        }
        self.shared.progress.load(Relaxed)
    }

    /// Whether an atomic expression may have new values since a round.
    fn is_new(&self, node: Node, since: u32) -> bool {
        match node {
            Node::Value(_) => since == 0,
            Node::Var(var) => {
                since == 0 || self.shared.changed[var as usize].load(Relaxed) >= since
            }
        }
    }

    fn values(&self, node: Node, mut each: impl FnMut(ValueId)) {
        match node {
            Node::Value(value) => each(value),
            Node::Var(var) => {
                for at in 0..self.shared.words {
                    bits(self.shared.word(var, at)).for_each(|bit| each(at as u32 * 64 + bit));
                }
            }
        }
    }

    fn apply(&self, op: &Op, since: u32, round: u32) {
        let (shared, program) = (self.shared, self.shared.program);
        match op {
            Op::Goto { to } => shared.reach(*to),
            Op::Copy { dst, src } => {
                if self.is_new(*src, since) {
                    shared.flow(*dst, *src, round);
                }
            }
            Op::If { test, yes, no } => {
                if self.is_new(*test, since) {
                    self.values(*test, |value| {
                        let falsy = program.basic(Class::False) == Some(value);
                        if !falsy {
                            shared.reach(*yes);
                        }
                        if falsy || program.is_unknown(value) {
                            shared.reach(*no);
                        }
                    });
                }
            }
            Op::Map { dst, src, table } => {
                if self.is_new(*src, since) {
                    self.values(*src, |value| {
                        let image = program
                            .image(*table, value)
                            .iter()
                            .filter_map(|class| program.basic(class));
                        image.for_each(|value| shared.add(*dst, value, round));
                    });
                }
            }
            Op::Load { dst, base, field } => {
                let all = self.is_new(*base, since);
                self.values(*base, |value| match program.field(value, *field) {
                    Some(field) if all || self.is_new(Node::Var(field), since) => {
                        shared.flow(*dst, Node::Var(field), round)
                    }
                    None if program.is_unknown(value) => shared.add(*dst, value, round),
                    _ => {}
                });
            }
            Op::Store { base, field, src } => {
                if self.is_new(*base, since) || self.is_new(*src, since) {
                    self.values(*base, |value| {
                        match (program.field(value, *field), program.escape) {
                            (Some(field), _) => shared.flow(field, *src, round),
                            (None, Some(escape)) if program.is_unknown(value) => {
                                shared.flow(escape, *src, round)
                            }
                            _ => {}
                        }
                    });
                }
            }
            // Calls have a memory of their own: `call`.
            Op::Call { .. } => {}
        }
    }

    /// 𝐯_f is split into the lambdas that are new to this call, which get all arguments, and the others, which get those
    /// that changed.
    fn call(&mut self, index: usize, op: &Op, since: u32, round: u32) {
        let Op::Call { f, args, spread } = op else { return };
        let spread_new = spread.is_some_and(|var| self.is_new(Node::Var(var), since));
        let args_new = spread_new || args.iter().any(|arg| self.is_new(*arg, since));
        if !args_new && !self.is_new(*f, since) {
            return;
        }
        let var = match f {
            Node::Value(value) => return self.enter(*value, args, *spread, (since, round)),
            Node::Var(var) => *var,
        };
        let mut seen = std::mem::take(&mut self.seen[index]);
        seen.resize(self.shared.words, 0);
        for (at, seen) in seen.iter_mut().enumerate() {
            let now = self.shared.word(var, at);
            for bit in bits(now & !*seen) {
                self.enter(at as u32 * 64 + bit, args, *spread, (0, round));
            }
            if args_new {
                for bit in bits(now & *seen) {
                    self.enter(at as u32 * 64 + bit, args, *spread, (since, round));
                }
            }
            *seen = now;
        }
        self.seen[index] = seen;
    }

    /// 𝐚ᵢ ⊗ 𝐯ᵢ for one value of 𝐯_f and the arguments that changed since a round.
    fn enter(
        &self,
        value: ValueId,
        args: &[Node],
        spread: Option<Var>,
        (since, round): (u32, u32),
    ) {
        let (shared, program) = (self.shared, self.shared.program);
        match &program.values[value as usize] {
            Value::Lambda(lambda) => {
                let accepted = program.bind(lambda, args, spread, |dst, src| {
                    if self.is_new(src, since) {
                        shared.flow(dst, src, round);
                    }
                });
                if accepted {
                    shared.reach(lambda.body);
                }
            }
            Value::Basic(Class::Unknown) => {
                if let Some(escape) = program.escape {
                    args.iter().for_each(|arg| shared.flow(escape, *arg, round));
                    spread.iter().for_each(|arg| shared.flow(escape, Node::Var(*arg), round));
                }
            }
            _ => {}
        }
    }

    /// What code outside of the program does with what it sees.
    fn expose(&self, round: u32) {
        let (shared, program) = (self.shared, self.shared.program);
        let (Some(escape), Some(unknown)) = (program.escape, program.basic(Class::Unknown)) else {
            return;
        };
        self.values(Node::Var(escape), |value| {
            let changed = |var| shared.add(var, unknown, round);
            let seen = |var| shared.flow(escape, Node::Var(var), round);
            if let Some(body) = program.expose(value, changed, seen) {
                shared.reach(body);
            }
        });
    }
}
