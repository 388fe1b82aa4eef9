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

use super::count::{advance, offset_type};
use super::recurrences::{Better, Combine, Compare, HeaderPhi, Recurrences, Role, Stamp, Step};
use super::shape::LoopShape;
use crate::edit;
use crate::widen::neutral;
use lw_ir::constant::Constant;
use lw_ir::ops::{BinOp, FloatPred, Horizontal, IntPred, ReduceOp};
use lw_ir::types::{Signature, Type};
use lw_ir::{Block, Builder, Flags, Function, InsertAt, Inst, InstData, Op, Value, ValueDef};
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
    /// Stack objects of which each thread has its own.
    pub(super) private: &'a [Inst],
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
        let mut threads = Threads { plan: self, out, around, lane: None, before: None };
        threads.write();
        let mut function = threads.out;
        edit::remove_unused(&mut function);
        Spmd { function, live_ins, results }
    }

    /// What the loop takes from around it.
    fn live_ins(&self) -> Vec<Value> {
        let mut all = Vec::new();
        let mut seen = FxHashSet::default();
        let private: FxHashSet<Inst> = self.private.iter().copied().collect();
        let mut take = |value: Value| {
            let constant = self.f.as_constant(value).is_some();
            let private = self.f.def_inst(value).is_some_and(|i| private.contains(&i));
            if !constant && !private && !self.shape.defines(self.f, value) && seen.insert(value) {
                all.push(value);
            }
        };
        for phi in &self.roles.phis {
            take(phi.init);
        }
        for &b in &self.shape.blocks {
            for &inst in self.f.insts(b) {
                let own = b == self.shape.header && self.f[inst].op == Op::Phi;
                if !own && !crate::callee::is_dropped(self.f, inst) {
                    self.f[inst].args.iter().for_each(|&arg| take(arg));
                }
            }
        }
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

/// An operation that threads execute one after the other.
struct InOrder {
    phi: usize,
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
        for &alloca in plan.private {
            let mut data = plan.f[alloca].clone();
            data.origin = None.into();
            data.args = data.args.iter().map(|&arg| self.outer(arg)).collect();
            let copy = InstData::new(data.op, data.ty, &data.args);
            let copy = self.out.insert(InsertAt::End(entry), copy);
            let (old, new) = (plan.f.result(alloca), self.out.result(copy));
            self.around.insert(old, new);
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
        for order in &mut in_order {
            let mut b = self.at(join);
            for other in &mut order.others {
                let ty = b.function.ty(*other);
                let poison = b.constant(Constant::poison(ty));
                *other = b.phi(ty, &[(poison, tail), (*other, iteration.end)]);
            }
            let taken = order.taken.unwrap_or(on);
            order.taken = Some(b.phi(Type::I1, &[(off, tail), (taken, iteration.end)]));
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

    /// What an iteration is given: of what the threads had in the iteration before, that of the last thread. All take part.
    fn given(&mut self, at: Block, state: &State) -> State {
        let mut given = state.clone();
        let last = self.out.constant(Constant::int(Type::I64, (self.plan.width - 1).into()));
        for (phi, value) in self.plan.roles.phis.iter().zip(&mut given.phis) {
            if phi.role == Role::Before {
                *value = self.at(at).horizontal(Horizontal::Extract, phi.ty, &[*value, last]);
            }
        }
        given
    }

    /// Lets each thread take what the thread before it computed in this iteration; the first one has what the last thread computed
    /// in the one before. Of φs that take it from each other, the one that has it first comes first.
    fn take_before(&mut self, copy: &mut Copy) {
        let plan = self.plan;
        let mut waiting: Vec<&HeaderPhi> =
            plan.roles.phis.iter().filter(|phi| phi.role == Role::Before).collect();
        while let Some(at) =
            waiting.iter().position(|phi| waiting.iter().all(|other| other.value != phi.next))
        {
            let phi = waiting.remove(at);
            let last = copy.values[&phi.value];
            let next = self.copied(copy, phi.next);
            let by = self.out.def_inst(next);
            let home = by.and_then(|inst| self.out.block_of(inst));
            let place = match (by, home) {
                (Some(inst), Some(home)) if copy.blocks.values().any(|&b| b == home) => {
                    match self.out[inst].op {
                        Op::Phi => InsertAt::Start(home),
                        _ => InsertAt::After(inst),
                    }
                }
                // It is there already.
                _ => InsertAt::Start(copy.blocks[&plan.shape.header]),
            };
            let (first, index) = self.before.expect("it was computed first");
            let shuffle = Op::Horizontal(Horizontal::Shuffle);
            let shuffle = self.out.insert(place, InstData::new(shuffle, phi.ty, &[next, index]));
            let before = self.out.result(shuffle);
            let select = InstData::new(Op::Select, phi.ty, &[first, last, before]);
            let select = self.out.insert(InsertAt::After(shuffle), select);
            copy.values.insert(phi.value, self.out.result(select));
        }
    }

    /// Copies an iteration behind `from`. The number of iterations before those of all threads is `k`.
    fn iteration(&mut self, state: &State, from: Block, k: Value) -> Iteration {
        let plan = self.plan;
        let (f, shape) = (plan.f, plan.shape);
        let lane = self.lane.expect("it was computed first");
        let mut stamp = [None, None];
        if plan.roles.stamped().next().is_some() {
            let mut b = self.at(from);
            let now = b.binary(BinOp::Add, k, lane);
            let one = b.int(Type::I64, 1);
            stamp = [Some(now), Some(b.binary(BinOp::Add, now, one))];
        }
        let mut copy = Copy {
            blocks: FxHashMap::default(),
            values: FxHashMap::default(),
            dead_ends: Vec::new(),
        };
        for (phi, &value) in plan.roles.phis.iter().zip(&state.phis) {
            copy.values.insert(phi.value, value);
        }
        for &b in &shape.blocks {
            let new = self.out.add_block();
            self.out.set_block_name(new, f.block_name(b).cloned());
            copy.blocks.insert(b, new);
        }
        edit::jump(&mut self.out, from, copy.blocks[&shape.header]);
        let end = self.out.add_named_block("around");
        self.copy_insts(&mut copy, end);
        let mut next = State {
            phis: plan.roles.phis.iter().map(|phi| self.copied(&copy, phi.next)).collect(),
            stamps: Vec::new(),
            wanted: plan.wanted.iter().map(|v| copy.values[v]).collect(),
        };
        for (group, &before) in plan.roles.stamped().zip(&state.stamps) {
            let now = stamp[usize::from(later_wins(group))].expect("there are groups");
            let shown = &plan.roles.phis[group.shown_by];
            let stamps = self.mirror(&copy, shown, None, before, |_, _| now);
            next.stamps.push(stamps[&shown.next]);
        }
        let mut in_order = Vec::new();
        for (i, phi) in plan.roles.phis.iter().enumerate() {
            if let Role::InOrder(inst) = phi.role {
                in_order.push(self.operands(&copy, i, phi, inst));
            }
        }
        let mut iteration = Iteration { end, state: next, in_order };
        self.pass_dead_ends(&copy, &mut iteration);
        iteration
    }

    /// Where control does not come, values are what they like.
    fn pass_dead_ends(&mut self, copy: &Copy, iteration: &mut Iteration) {
        if copy.dead_ends.is_empty() {
            return;
        }
        let latch = copy.blocks[&self.plan.shape.latch];
        let mut b = self.at(iteration.end);
        let mut pass = |value: &mut Value| {
            let ty = b.function.ty(*value);
            let poison = b.constant(Constant::poison(ty));
            let dead = copy.dead_ends.iter().map(|&from| (poison, from));
            let incoming: Vec<(Value, Block)> = [(*value, latch)].into_iter().chain(dead).collect();
            *value = b.phi(ty, &incoming);
        };
        let state = &mut iteration.state;
        state.phis.iter_mut().chain(&mut state.stamps).chain(&mut state.wanted).for_each(&mut pass);
        for order in &mut iteration.in_order {
            order.others.iter_mut().chain(&mut order.taken).for_each(&mut pass);
        }
    }

    fn copy_insts(&mut self, copy: &mut Copy, end: Block) {
        let plan = self.plan;
        let (f, shape) = (plan.f, plan.shape);
        let reductions = plan.roles.phis.iter().filter(|p| matches!(p.role, Role::Reduction(_)));
        let reordered: FxHashSet<Inst> =
            reductions.flat_map(|phi| phi.web.ops.iter().copied()).collect();
        let mut copies = Vec::new();
        for &b in &shape.blocks {
            for &inst in f.insts(b) {
                let data = &f[inst];
                if (b == shape.header && data.op == Op::Phi) || crate::callee::is_dropped(f, inst) {
                    continue;
                }
                let to =
                    |target: Block| if target == shape.header { end } else { copy.blocks[&target] };
                let mut new = InstData::new(data.op.clone(), data.ty, &data.args);
                new = new.made_from(data);
                // In another order other sums overflow, and other bits meet.
                let whole = data.ty.float_kind().is_none();
                new.flags =
                    if whole && reordered.contains(&inst) { Flags::NONE } else { data.flags };
                if data.op.is_terminator() && b == shape.exiting {
                    let stays = |&t: &Block| shape.contains(t);
                    let stays = data.targets.iter().copied().find(stays).map(to);
                    let stays = stays.expect("the loop goes on");
                    new = InstData::new(Op::Br, Type::Void, &[])
                        .with_targets(&[stays])
                        .made_from(data);
                } else if data.op == Op::Unreachable {
                    copy.dead_ends.push(copy.blocks[&b]);
                    new =
                        InstData::new(Op::Br, Type::Void, &[]).with_targets(&[end]).made_from(data);
                } else if data.op.is_terminator() {
                    new.targets = data.targets.iter().map(|&t| to(t)).collect();
                } else {
                    // A dead end may be that of others too.
                    let here =
                        |(i, t): (usize, &Block)| copy.blocks.get(t).map(|&b| (data.args[i], b));
                    let (args, targets): (Vec<_>, Vec<_>) =
                        data.targets.iter().enumerate().filter_map(here).unzip();
                    if data.op == Op::Phi {
                        (new.args, new.targets) = (args.into(), targets.into());
                    }
                }
                let new = self.out.insert(InsertAt::End(copy.blocks[&b]), new);
                if let Some(result) = data.result.expand() {
                    let value = self.out.result(new);
                    copy.values.insert(result, value);
                    self.out.set_value_name(value, f.value_name(result).cloned());
                }
                copies.push(new);
            }
        }
        self.take_before(copy);
        for inst in copies {
            for i in 0..self.out[inst].args.len() {
                let old = self.out[inst].args[i];
                self.out[inst].args[i] = self.copied(copy, old);
            }
        }
    }

    fn copied(&mut self, copy: &Copy, old: Value) -> Value {
        copy.values.get(&old).copied().unwrap_or_else(|| self.outer(old))
    }

    /// Merges where a φ is merged, of other values: `root` for the φ, `op` for the result of the operation on it, `leaf` for what else
    /// is merged.
    fn mirror(
        &mut self,
        copy: &Copy,
        phi: &HeaderPhi,
        op: Option<(Value, Value)>,
        root: Value,
        mut leaf: impl FnMut(&mut Self, Value) -> Value,
    ) -> FxHashMap<Value, Value> {
        let f = self.plan.f;
        let ty = self.out.ty(root);
        let mut mirrored: FxHashMap<Value, Value> =
            [(phi.value, root)].into_iter().chain(op).collect();
        let mut made = Vec::new();
        for &merge in &phi.web.merges {
            let data = &f[merge];
            let place = self.out.def_inst(copy.values[&f.result(merge)]).expect("it was copied");
            let mut new = InstData::new(data.op.clone(), ty, &data.args);
            new.targets = data.targets.iter().map(|t| copy.blocks[t]).collect();
            let new = self.out.insert(InsertAt::After(place), new);
            mirrored.insert(f.result(merge), self.out.result(new));
            made.push((new, data.op == Op::Select));
        }
        for (new, select) in made {
            for i in 0..self.out[new].args.len() {
                let old = self.out[new].args[i];
                self.out[new].args[i] = match mirrored.get(&old) {
                    _ if select && i == 0 => self.copied(copy, old),
                    Some(&value) => value,
                    None => leaf(self, old),
                };
            }
        }
        mirrored
    }

    /// The operands of an operation that threads execute one after the other, brought to the end of the iteration.
    fn operands(&mut self, copy: &Copy, i: usize, phi: &HeaderPhi, inst: Inst) -> InOrder {
        let f = self.plan.f;
        let result = f.result(inst);
        let callee = usize::from(matches!(f[inst].op, Op::Call(_)));
        let others: Vec<Value> = f[inst].args[callee..]
            .iter()
            .copied()
            .filter(|arg| !phi.web.values.contains(arg))
            .collect();
        let mut brought: Vec<Value> = others.iter().map(|&v| self.copied(copy, v)).collect();
        if phi.next == result {
            return InOrder { phi: i, inst, others: brought, taken: None };
        }
        for value in &mut brought {
            let poison = self.out.constant(Constant::poison(self.out.ty(*value)));
            *value =
                self.mirror(copy, phi, Some((result, *value)), poison, |_, _| poison)[&phi.next];
        }
        let on = self.out.constant(Constant::bool(true));
        let off = self.out.constant(Constant::bool(false));
        let taken = self.mirror(copy, phi, Some((result, on)), off, |_, _| off)[&phi.next];
        InOrder { phi: i, inst, others: brought, taken: Some(taken) }
    }

    /// Executes the operation on one thread after the other.
    fn in_order(&mut self, at: Block, mut value: Value, order: &InOrder) -> Value {
        let f = self.plan.f;
        let data = &f[order.inst];
        let own = &self.plan.roles.phis[order.phi].web.values;
        for lane in 0..self.plan.width {
            let callee = match data.op {
                Op::Call(_) => Some(self.outer(data.args[0])),
                _ => None,
            };
            let mut b = self.at(at);
            let lane = b.int(Type::I64, lane.into());
            let mut others = order.others.iter();
            let mut args: Vec<Value> = callee.into_iter().collect();
            for arg in &data.args[args.len()..] {
                args.push(match own.contains(arg) {
                    true => value,
                    false => {
                        let other = *others.next().expect("each operand was brought");
                        let ty = b.function.ty(other);
                        b.horizontal(Horizontal::Extract, ty, &[other, lane])
                    }
                });
            }
            let new = b.push(InstData::new(data.op.clone(), data.ty, &args).with_flags(data.flags));
            let new = b.function.result(new);
            value = match order.taken {
                None => new,
                Some(taken) => {
                    let taken = b.horizontal(Horizontal::Extract, Type::I1, &[taken, lane]);
                    b.select(taken, new, value)
                }
            };
        }
        value
    }

    /// Combines what the threads have, and returns it.
    fn done(&mut self, at: Block, state: &State, last: Value) {
        let plan = self.plan;
        let mut fields: Vec<Value> = Vec::new();
        let mut groups: Vec<Option<FxHashMap<usize, Value>>> = vec![None; plan.roles.groups.len()];
        for (i, phi) in plan.roles.phis.iter().enumerate() {
            let value = state.phis[i];
            match &phi.role {
                Role::Induction(_) => {}
                Role::InOrder(_) => fields.push(value),
                Role::Last | Role::Before => {
                    let last = self.at(at).horizontal(Horizontal::Extract, phi.ty, &[value, last]);
                    fields.push(last);
                }
                Role::Reduction(Combine::Reduce(op)) => {
                    let float = phi.ty.float_kind().is_some();
                    let flags = if float { Flags::REASSOC } else { Flags::NONE };
                    let op = Op::Horizontal(Horizontal::Reduce(*op));
                    let data = InstData::new(op, phi.ty, &[value]).with_flags(flags);
                    let inst = self.at(at).push(data);
                    fields.push(self.out.result(inst));
                }
                Role::Reduction(Combine::Call(_)) => fields.push(self.one_by_one(at, phi, value)),
                Role::Chosen(g) => {
                    if groups[*g].is_none() {
                        groups[*g] = Some(self.best(at, *g, state));
                    }
                    fields.extend(groups[*g].as_ref().map(|best| best[&i]));
                }
            }
        }
        let mut b = self.at(at);
        for &value in &state.wanted {
            let ty = b.function.ty(value);
            fields.push(b.horizontal(Horizontal::Extract, ty, &[value, last]));
        }
        let value = match fields[..] {
            [] => None,
            [one] => Some(one),
            _ => {
                let ty = b.function.signature.ret;
                let mut all = b.constant(Constant::poison(ty));
                for (i, &field) in fields.iter().enumerate() {
                    let op = Op::InsertValue([i as u32].into());
                    let inst = b.push(InstData::new(op, ty, &[all, field]));
                    all = b.function.result(inst);
                }
                Some(all)
            }
        };
        b.ret(value);
    }

    fn lane_of(&mut self, at: Block, value: Value, lane: u32) -> Value {
        let ty = self.out.ty(value);
        let mut b = self.at(at);
        let lane = b.int(Type::I64, lane.into());
        b.horizontal(Horizontal::Extract, ty, &[value, lane])
    }

    /// Combines the values of the threads by the call that computed them.
    fn one_by_one(&mut self, at: Block, phi: &HeaderPhi, value: Value) -> Value {
        let data = &self.plan.f[phi.web.ops[0]];
        let callee = self.outer(data.args[0]);
        let mut total = self.lane_of(at, value, 0);
        for lane in 1..self.plan.width {
            let one = self.lane_of(at, value, lane);
            let call = InstData::new(data.op.clone(), data.ty, &[callee, total, one])
                .with_flags(data.flags);
            let call = self.at(at).push(call);
            total = self.out.result(call);
        }
        total
    }

    /// The values of a group on the thread that would have set them last.
    fn best(&mut self, at: Block, group: usize, state: &State) -> FxHashMap<usize, Value> {
        let groups = &self.plan.roles.groups;
        let (stamp, wins) = match groups[group].stamp {
            Stamp::None => (None, IntPred::Ult),
            Stamp::Time => {
                let before = groups[..group].iter().filter(|g| g.stamp == Stamp::Time).count();
                let later = later_wins(&groups[group]);
                (Some(state.stamps[before]), if later { IntPred::Ugt } else { IntPred::Ult })
            }
            Stamp::Counter(phi, earlier) => (Some(state.phis[phi]), earlier),
        };
        let group = &groups[group];
        let of = |this: &mut Self, lane: u32| -> (Option<Value>, Vec<Value>) {
            let all =
                group.members.iter().map(|&i| this.lane_of(at, state.phis[i], lane)).collect();
            (stamp.map(|stamp| this.lane_of(at, stamp, lane)), all)
        };
        let (mut when, mut best) = of(self, 0);
        for lane in 1..self.plan.width {
            let (stamp, values) = of(self, lane);
            let mut b = self.at(at);
            let mut take = stamp.zip(when).map(|(stamp, when)| b.icmp(wins, stamp, when));
            if let Some((root, Better { strict, .. })) = group.best {
                let at = group.members.iter().position(|&i| i == root).expect("it is in the group");
                let (mine, theirs) = (values[at], best[at]);
                let better = match strict {
                    Compare::Int(pred) => b.icmp(pred, mine, theirs),
                    Compare::Float(pred) => b.fcmp(pred, mine, theirs),
                };
                take = Some(match take {
                    None => better,
                    Some(take) => {
                        let equal = match strict {
                            Compare::Int(_) => b.icmp(IntPred::Eq, mine, theirs),
                            Compare::Float(_) => b.fcmp(FloatPred::Oeq, mine, theirs),
                        };
                        let tie = b.binary(BinOp::And, equal, take);
                        b.binary(BinOp::Or, better, tie)
                    }
                });
            }
            let take = take.expect("a group is stamped or has a best value");
            when = stamp.zip(when).map(|(stamp, when)| b.select(take, stamp, when));
            for (best, value) in best.iter_mut().zip(values) {
                *best = b.select(take, value, *best);
            }
        }
        group.members.iter().copied().zip(best).collect()
    }
}

struct Copy {
    blocks: FxHashMap<Block, Block>,
    values: FxHashMap<Value, Value>,
    /// Blocks that control does not leave.
    dead_ends: Vec<Block>,
}

/// Whether among equals the one of a later iteration is taken.
fn later_wins(group: &super::recurrences::Group) -> bool {
    group.best.is_none_or(|(_, better)| better.or_equal)
}

fn is_idempotent(op: ReduceOp) -> bool {
    !matches!(op, ReduceOp::Add | ReduceOp::Mul | ReduceOp::Xor | ReduceOp::FAdd | ReduceOp::FMul)
}
