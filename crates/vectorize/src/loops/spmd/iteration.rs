//! One iteration of the loop, as threads execute it.

use super::{Combined, InOrder, Iteration, State, Threads, later_wins};
use crate::edit;
use crate::loops::recurrences::{HeaderPhi, Role};
use lw_ir::constant::Constant;
use lw_ir::ops::{BinOp, Horizontal};
use lw_ir::types::Type;
use lw_ir::{Block, Flags, InsertAt, Inst, InstData, Op, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// What became of the blocks and values of the loop.
struct Copy {
    blocks: FxHashMap<Block, Block>,
    values: FxHashMap<Value, Value>,
    /// Blocks that control does not leave.
    dead_ends: Vec<Block>,
}

impl Threads<'_> {
    /// What an iteration is given: of what the threads had in the iteration before, that of the last thread. All take part.
    pub(super) fn given(&mut self, at: Block, state: &State) -> State {
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
    pub(super) fn iteration(&mut self, state: &State, from: Block, k: Value) -> Iteration {
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
        self.give_objects(from);
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
            let stamp = self.mirror(&copy, shown, None, before, |_, _| now);
            next.stamps.push(stamp);
        }
        let mut in_order = Vec::new();
        for (i, phi) in plan.roles.phis.iter().enumerate() {
            if phi.role == Role::InOrder {
                let ops = phi.web.ops_in_order(plan.f);
                let steps = ops.into_iter().map(|op| self.operands(&copy, phi, op)).collect();
                in_order.push(InOrder { phi: i, steps });
            }
        }
        let mut iteration = Iteration { end, state: next, in_order };
        self.pass_dead_ends(&copy, &mut iteration);
        for (phi, answer) in plan.roles.phis.iter().zip(&mut iteration.state.phis) {
            if matches!(phi.role, Role::Answer(_)) {
                *answer = self.at(end).freeze(*answer);
            }
        }
        iteration
    }

    /// The stack objects of an iteration, which hold nothing at its start. Those of the last, masked iteration are others: so the life of
    /// each begins in one place, behind which all accesses lie. What is kept lies in one object.
    fn give_objects(&mut self, from: Block) {
        let (plan, entry) = (self.plan, self.out.blocks()[0]);
        for &object in plan.private.objects.iter().filter(|o| !plan.private.kept.contains(o)) {
            let own = self.give(entry, object);
            if self.out.ty(own) == Type::PTR {
                let mut b = self.at(from);
                let (_, ty, begin) = b.declare("llvm.lifetime.start.p0", Type::Void, &[Type::PTR]);
                b.call(ty, begin, &[own]);
            }
        }
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
        for step in iteration.in_order.iter_mut().flat_map(|order| &mut order.steps) {
            step.others.iter_mut().chain(&mut step.taken).for_each(&mut pass);
        }
    }

    fn copy_insts(&mut self, copy: &mut Copy, end: Block) {
        let plan = self.plan;
        let (f, shape) = (plan.f, plan.shape);
        let reductions = plan.roles.phis.iter().filter(|p| matches!(p.role, Role::Reduction(_)));
        let reordered: FxHashSet<Inst> =
            reductions.flat_map(|phi| phi.web.ops.iter().copied()).collect();
        let turns: FxHashSet<Inst> =
            plan.updates.units.iter().flat_map(|unit| unit.insts.iter().copied()).collect();
        let mut in_turn: FxHashMap<Inst, Inst> = FxHashMap::default();
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
                if turns.contains(&inst) {
                    in_turn.insert(inst, new);
                }
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
        for unit in &plan.updates.units {
            self.take_turns(unit, &in_turn);
        }
    }

    fn copied(&mut self, copy: &Copy, old: Value) -> Value {
        copy.values.get(&old).copied().unwrap_or_else(|| self.outer(old))
    }

    /// Merges where a φ is merged, of other values: `root` for the φ, `op` for the result of an operation on it, `leaf` for what else
    /// is merged; other operations leave what they get. What it is at the end of the iteration.
    fn mirror(
        &mut self,
        copy: &Copy,
        phi: &HeaderPhi,
        op: Option<(Value, Value)>,
        root: Value,
        mut leaf: impl FnMut(&mut Self, Value) -> Value,
    ) -> Value {
        let f = self.plan.f;
        let through = |mut value: Value| {
            while let Some(inst) = f.def_inst(value).filter(|inst| phi.web.ops.contains(inst)) {
                match phi.web.own(f, inst) {
                    Some(own) if op.is_none_or(|(result, _)| result != value) => value = own,
                    _ => break,
                }
            }
            value
        };
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
                self.out[new].args[i] = match mirrored.get(&through(old)) {
                    _ if select && i == 0 => self.copied(copy, old),
                    Some(&value) => value,
                    None => leaf(self, old),
                };
            }
        }
        mirrored[&through(phi.next)]
    }

    /// The operands of an operation that threads execute one after the other, brought to the end of the iteration.
    fn operands(&mut self, copy: &Copy, phi: &HeaderPhi, inst: Inst) -> Combined {
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
            return Combined { inst, others: brought, taken: None };
        }
        for value in &mut brought {
            let poison = self.out.constant(Constant::poison(self.out.ty(*value)));
            *value = self.mirror(copy, phi, Some((result, *value)), poison, |_, _| poison);
        }
        let on = self.out.constant(Constant::bool(true));
        let off = self.out.constant(Constant::bool(false));
        let taken = self.mirror(copy, phi, Some((result, on)), off, |_, _| off);
        Combined { inst, others: brought, taken: Some(taken) }
    }
}
