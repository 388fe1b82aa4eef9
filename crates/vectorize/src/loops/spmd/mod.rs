//! The loop as a program of W threads: thread *l* does the iterations *l*, *l* + W, *l* + 2W, …
//!
//! ```text
//! entry:  what each thread starts with                       tail:   (masked remainder)
//! head:   φs of the recurrences; k, the iterations done              threads with an iteration left do it
//!         one iteration                                      done:   partial results are combined, by operations
//! around: W iterations further; again while k < full                 across threads; all of it is uniform
//! ```
//!
//! The function takes what the loop takes from around it, all of it uniform, and returns what the loop hands on, uniform too. From here
//! on it is a region like any other.

mod iteration;
mod kept;
mod results;
mod turns;

use super::count::{advance, offset_type};
use super::private::Private;
use super::recurrences::{Combine, HeaderPhi, Recurrences, Role, Step, Taken};
use super::shape::LoopShape;
use super::updates::Updates;
use crate::edit;
use crate::widen::neutral;
use lw_ir::constant::Constant;
use lw_ir::ops::{BinOp, CastOp, Horizontal, IntPred, ReduceOp};
use lw_ir::types::{Signature, Type};
use lw_ir::{Block, Builder, DataLayout, Function, InsertAt, Inst, InstData, Op, Value, ValueDef};
use rustc_hash::{FxHashMap, FxHashSet};

/// The program of W threads.
pub(super) struct Spmd {
    pub(super) function: Function,
    /// What the parameters are in the function around the loop; behind them come the number of iterations in full groups of W, and
    /// the number of all iterations.
    pub(super) live_ins: Vec<Value>,
    /// What the fields of the result are, in the loop: header φs as they are after these iterations, and values of the last one.
    pub(super) results: Vec<Value>,
}

pub(super) struct Plan<'a> {
    pub(super) f: &'a Function,
    pub(super) shape: &'a LoopShape,
    pub(super) roles: &'a Recurrences,
    pub(super) width: u32,
    pub(super) layout: &'a DataLayout,
    /// Stack objects of which each thread has its own.
    pub(super) private: &'a Private,
    /// What threads do one after the other.
    pub(super) updates: &'a Updates,
    /// Whether the threads do what is left as well.
    pub(super) masked_tail: bool,
    /// Values of the last iteration that are wanted.
    pub(super) wanted: &'a [Value],
}

impl Plan<'_> {
    pub(super) fn build(&self) -> Spmd {
        let live_ins = self.live_ins();
        let mut results: Vec<Value> =
            self.roles.phis.iter().filter(|phi| phi.is_result()).map(|phi| phi.value).collect();
        results.extend(self.wanted);
        let mut types = self.f.types.clone();
        let fields: Vec<Type> = results.iter().map(|&v| self.f.ty(v)).collect();
        let ret = match fields[..] {
            [] => Type::Void,
            [one] => one,
            _ => types.structure(&fields),
        };
        let params = live_ins.iter().map(|&v| self.f.ty(v)).chain([Type::I64, Type::I64]).collect();
        let mut out = edit::empty_like(self.f, Signature { ret, params, varargs: false });
        out.types = types;
        out.attrs.ret.clear();
        out.attrs.params.clear();
        let around: FxHashMap<Value, Value> =
            live_ins.iter().copied().zip(out.params().iter().copied()).collect();
        let mut threads =
            Threads { plan: self, out, around, kept: Vec::new(), lane: None, before: None };
        threads.write();
        let mut function = threads.out;
        edit::remove_unused(&mut function);
        Spmd { function, live_ins, results }
    }

    /// What the loop takes from around it.
    fn live_ins(&self) -> Vec<Value> {
        let mut all = Vec::new();
        let mut seen = FxHashSet::default();
        let private: FxHashSet<Inst> = self.private.objects.iter().copied().collect();
        let mut take = |value: Value| {
            let constant = self.f.as_constant(value).is_some();
            let private = self.f.def_inst(value).is_some_and(|i| private.contains(&i));
            if !constant && !private && !self.shape.defines(self.f, value) && seen.insert(value) {
                all.push(value);
            }
        };
        for phi in &self.roles.phis {
            take(phi.init);
            take(phi.next);
        }
        for &b in &self.shape.blocks {
            for &inst in self.f.insts(b) {
                let own = b == self.shape.header && self.f[inst].op == Op::Phi;
                if !own && !crate::callee::is_dropped(self.f, inst) {
                    self.f[inst].args.iter().for_each(|&arg| take(arg));
                }
            }
        }
        self.updates.nowhere.into_iter().for_each(&mut take);
        all.extend(self.private.kept.iter().map(|&object| self.f.result(object)));
        all
    }
}

impl HeaderPhi {
    /// Whether the threads compute it; inductions are computed from the number of iterations.
    fn is_result(&self) -> bool {
        !matches!(self.role, Role::Induction(_))
    }
}

/// What a thread takes from one iteration to the next.
#[derive(Clone)]
struct State {
    /// By header φ.
    phis: Vec<Value>,
    /// By group that is stamped: when it was set last.
    stamps: Vec<Value>,
    /// Of the last iteration.
    wanted: Vec<Value>,
}

/// What an iteration leaves behind.
struct Iteration {
    /// The block it ends in; there is nothing in it yet.
    end: Block,
    state: State,
    in_order: Vec<InOrder>,
}

/// What threads do to a φ one after the other.
struct InOrder {
    phi: usize,
    steps: Vec<Combined>,
}

/// One operation of it.
struct Combined {
    inst: Inst,
    /// Its operands other than the φ, on the threads that execute it.
    others: Vec<Value>,
    /// Which threads those are; `None` is all.
    taken: Option<Value>,
}

struct Threads<'a> {
    plan: &'a Plan<'a>,
    out: Function,
    /// What stands for values from around the loop.
    around: FxHashMap<Value, Value>,
    /// Objects whose content is copied at the end, and where to.
    kept: Vec<(Inst, Value)>,
    /// The number of the thread.
    lane: Option<Value>,
    /// Whether it is the first, and the number of the one before it.
    before: Option<(Value, Value)>,
}

impl Threads<'_> {
    fn at(&mut self, block: Block) -> Builder<'_> {
        let mut b = Builder::new(&mut self.out);
        b.switch_to(block);
        b
    }

    /// What stands for a value that does not come from the loop.
    fn outer(&mut self, value: Value) -> Value {
        match self.plan.f.def(value) {
            ValueDef::Const(constant) => self.out.constant((**constant).clone()),
            _ => self.around[&value],
        }
    }

    /// An object of each thread in the place of a stack object.
    fn give(&mut self, entry: Block, object: Inst) -> Value {
        let data = &self.plan.f[object];
        let args: Vec<Value> = data.args.iter().map(|&arg| self.outer(arg)).collect();
        let copy = InstData::new(data.op.clone(), data.ty, &args);
        let copy = self.out.insert(InsertAt::Start(entry), copy);
        let own = self.out.result(copy);
        self.around.insert(self.plan.f.result(object), own);
        own
    }

    /// What is another width of something else that is taken along is computed from that: so it is known to be the same number.
    fn cast_again(&mut self, entry: Block) {
        let f = self.plan.f;
        let mut around: Vec<Value> = self.around.keys().copied().collect();
        around.sort_unstable();
        for value in around {
            let Some(cast) = f.def_inst(value) else { continue };
            if let Op::Cast(CastOp::SExt | CastOp::Trunc) = f[cast].op
                && let Some(&from) = self.around.get(&f[cast].args[0])
            {
                let copy = InstData::new(f[cast].op.clone(), f[cast].ty, &[from]);
                let copy = self.out.insert(InsertAt::End(entry), copy);
                self.around.insert(value, self.out.result(copy));
            }
        }
    }

    fn step(&mut self, step: Step) -> Step {
        match step {
            Step::Value(value) => Step::Value(self.outer(value)),
            constant => constant,
        }
    }

    fn write(&mut self) {
        let plan = self.plan;
        let params = self.out.params().to_vec();
        let [.., full, total] = params[..] else { unreachable!("there are two counts") };
        let entry = self.out.add_named_block("entry");
        self.cast_again(entry);
        for &object in &plan.private.kept {
            self.kept.push((object, self.around[&plan.f.result(object)]));
            self.give(entry, object);
        }
        let mut b = self.at(entry);
        let lane = b.horizontal(Horizontal::Lane, Type::I64, &[]);
        let (none, one) = (b.int(Type::I64, 0), b.int(Type::I64, 1));
        let before = (b.icmp(IntPred::Eq, lane, none), b.binary(BinOp::Sub, lane, one));
        (self.lane, self.before) = (Some(lane), Some(before));
        let start = self.start(entry);
        let head = self.out.add_named_block("head");
        let zero = self.out.constant(Constant::int(Type::I64, 0));
        let k = self.at(head).phi(Type::I64, &[(zero, entry)]);
        let phis = self.phis(head, &start, entry);
        let given = self.given(head, &phis);
        let iteration = self.iteration(&given, head, k);
        let around = iteration.end;
        let mut next = iteration.state;
        for order in &iteration.in_order {
            next.phis[order.phi] = self.in_order(around, phis.phis[order.phi], order);
        }
        let width = i64::from(plan.width);
        for (i, phi) in plan.roles.phis.iter().enumerate() {
            if let Role::Induction(step) = phi.role {
                let step = self.step(step);
                next.phis[i] = advance(&mut self.at(around), phis.phis[i], step, width);
            }
        }
        let mut b = self.at(around);
        let by = b.int(Type::I64, width.into());
        let further = b.binary(BinOp::Add, k, by);
        let more = b.icmp(IntPred::Ne, further, full);
        b.add_incoming(k, further, around);
        for (&phi, &value) in
            phis.phis.iter().zip(&next.phis).chain(phis.stamps.iter().zip(&next.stamps))
        {
            b.add_incoming(phi, value, around);
        }
        if !plan.masked_tail {
            let done = self.out.add_named_block("done");
            edit::jump(&mut self.out, entry, head);
            edit::branch(&mut self.out, around, more, [head, done]);
            let last = self.out.constant(Constant::int(Type::I64, (width - 1).into()));
            return self.done(done, &next, last);
        }
        let check = self.out.add_named_block("check");
        let some = self.at(entry).icmp(IntPred::Ne, full, zero);
        edit::branch(&mut self.out, entry, some, [head, check]);
        edit::branch(&mut self.out, around, more, [head, check]);
        let before = self.merge(check, &[(&start, entry), (&next, around)]);
        self.tail(check, &before, full, total);
    }

    /// The rest of the iterations, by as many threads.
    fn tail(&mut self, check: Block, before: &State, full: Value, total: Value) {
        let (tail, join, done) = (
            self.out.add_named_block("tail"),
            self.out.add_named_block("join"),
            self.out.add_named_block("done"),
        );
        let rest = self.at(check).icmp(IntPred::Ne, full, total);
        edit::branch(&mut self.out, check, rest, [tail, done]);
        let lane = self.lane.expect("it was computed first");
        let body = self.out.add_named_block("rest");
        let mut b = self.at(tail);
        let mine = b.binary(BinOp::Add, full, lane);
        let active = b.icmp(IntPred::Ult, mine, total);
        let given = self.given(tail, before);
        edit::branch(&mut self.out, tail, active, [body, join]);
        let iteration = self.iteration(&given, body, full);
        edit::jump(&mut self.out, iteration.end, join);
        let mut after = self.merge(join, &[(before, tail), (&iteration.state, iteration.end)]);
        let mut in_order = iteration.in_order;
        let on = self.out.constant(Constant::bool(true));
        let off = self.out.constant(Constant::bool(false));
        for step in in_order.iter_mut().flat_map(|order| &mut order.steps) {
            let mut b = self.at(join);
            for other in &mut step.others {
                let ty = b.function.ty(*other);
                let poison = b.constant(Constant::poison(ty));
                *other = b.phi(ty, &[(poison, tail), (*other, iteration.end)]);
            }
            let taken = step.taken.unwrap_or(on);
            step.taken = Some(b.phi(Type::I1, &[(off, tail), (taken, iteration.end)]));
        }
        for order in &in_order {
            after.phis[order.phi] = self.in_order(join, before.phis[order.phi], order);
        }
        edit::jump(&mut self.out, join, done);
        let end = self.merge(done, &[(before, check), (&after, join)]);
        let width = self.plan.width;
        let mut b = self.at(done);
        let one = b.int(Type::I64, 1);
        let last = b.binary(BinOp::Sub, total, one);
        let width = b.int(Type::I64, width.into());
        let last = b.binary(BinOp::URem, last, width);
        self.done(done, &end, last);
    }

    /// What each thread begins with.
    fn start(&mut self, entry: Block) -> State {
        let plan = self.plan;
        let lane = self.lane.expect("it was computed first");
        let zero = self.out.constant(Constant::int(Type::I64, 0));
        let mut first = None;
        let mut phis = Vec::new();
        for phi in &plan.roles.phis {
            let init = self.outer(phi.init);
            phis.push(match &phi.role {
                Role::Induction(step) => {
                    let step = self.step(*step);
                    let wide = offset_type(phi.ty);
                    let mut b = self.at(entry);
                    let lane = match wide {
                        Type::I64 => lane,
                        _ => b.horizontal(Horizontal::Lane, wide, &[]),
                    };
                    let step = match step {
                        Step::Constant(step) => b.int(wide, step),
                        Step::Value(step) => step,
                    };
                    let by = b.binary(BinOp::Mul, lane, step);
                    advance(&mut b, init, Step::Value(by), 1)
                }
                Role::Reduction(Combine::Reduce(op)) if !is_idempotent(*op) => {
                    let none = self.out.constant(neutral(*op, phi.ty));
                    let mut b = self.at(entry);
                    let first = *first.get_or_insert_with(|| b.icmp(IntPred::Eq, lane, zero));
                    b.select(first, init, none)
                }
                _ => init,
            });
        }
        let never = |group: &super::recurrences::Group| if later_wins(group) { 0 } else { -1 };
        let stamps: Vec<i128> = plan.roles.stamped().map(never).collect();
        let stamps =
            stamps.into_iter().map(|n| self.out.constant(Constant::int(Type::I64, n))).collect();
        let wanted = plan
            .wanted
            .iter()
            .map(|&v| self.out.constant(Constant::poison(plan.f.ty(v))))
            .collect();
        State { phis, stamps, wanted }
    }

    /// φs for a state that comes from one block so far.
    fn phis(&mut self, at: Block, from: &State, block: Block) -> State {
        let mut b = self.at(at);
        let mut one = |&value: &Value| {
            let ty = b.function.ty(value);
            b.phi(ty, &[(value, block)])
        };
        let (phis, stamps) =
            (from.phis.iter().map(&mut one).collect(), from.stamps.iter().map(&mut one).collect());
        State { phis, stamps, wanted: from.wanted.clone() }
    }

    fn merge(&mut self, at: Block, from: &[(&State, Block)]) -> State {
        let mut b = self.at(at);
        let mut lists = [Vec::new(), Vec::new(), Vec::new()];
        let part = |state: &State, i: usize| match i {
            0 => state.phis.clone(),
            1 => state.stamps.clone(),
            _ => state.wanted.clone(),
        };
        for (i, list) in lists.iter_mut().enumerate() {
            for j in 0..part(from[0].0, i).len() {
                let incoming: Vec<(Value, Block)> =
                    from.iter().map(|&(state, block)| (part(state, i)[j], block)).collect();
                let ty = b.function.ty(incoming[0].0);
                list.push(b.phi(ty, &incoming));
            }
        }
        let [phis, stamps, wanted] = lists;
        State { phis, stamps, wanted }
    }
}

/// Whether among equals the one of a later iteration is taken.
fn later_wins(group: &super::recurrences::Group) -> bool {
    match group.taken {
        Taken::First => false,
        Taken::Last => true,
        Taken::Best(_, better, _) => better.or_equal,
    }
}

fn is_idempotent(op: ReduceOp) -> bool {
    !matches!(op, ReduceOp::Add | ReduceOp::Mul | ReduceOp::Xor | ReduceOp::FAdd | ReduceOp::FMul)
}
