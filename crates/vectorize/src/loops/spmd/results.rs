//! What the threads have found out together.

use super::{Combined, InOrder, State, Threads, later_wins};
use crate::edit;
use crate::loops::looked_up::LookUp;
use crate::loops::recurrences::{Better, Combine, Compare, Guard, HeaderPhi, Role, Stamp, Taken};
use lw_ir::constant::Constant;
use lw_ir::ops::{BinOp, FloatPred, Horizontal, IntPred};
use lw_ir::types::Type;
use lw_ir::{Block, Flags, InstData, Op, Value};
use rustc_hash::FxHashMap;

impl Threads<'_> {
    /// Executes the operations on one thread after the other.
    pub(super) fn in_order(&mut self, at: Block, mut value: Value, order: &InOrder) -> Value {
        for lane in 0..self.plan.width {
            for step in &order.steps {
                value = self.combined(at, value, order.phi, step, lane);
            }
        }
        value
    }

    /// Executes an operation on a thread, if that takes it.
    fn combined(
        &mut self,
        at: Block,
        value: Value,
        phi: usize,
        step: &Combined,
        lane: u32,
    ) -> Value {
        let data = &self.plan.f[step.inst];
        let own = &self.plan.roles.phis[phi].web.values;
        let callee = match data.op {
            Op::Call(_) => Some(self.outer(data.args[0])),
            _ => None,
        };
        let mut b = self.at(at);
        let lane = b.int(Type::I64, lane.into());
        let mut others = step.others.iter();
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
        match step.taken {
            None => new,
            Some(taken) => {
                let taken = b.horizontal(Horizontal::Extract, Type::I1, &[taken, lane]);
                b.select(taken, new, value)
            }
        }
    }

    /// Combines what the threads have, and returns it.
    pub(super) fn done(&mut self, at: Block, state: &State, last: Value) {
        let plan = self.plan;
        let mut at = self.copy_kept(at, last);
        let mut fields: Vec<Value> = Vec::new();
        let mut groups: Vec<Option<FxHashMap<usize, Value>>> = vec![None; plan.roles.groups.len()];
        for (i, phi) in plan.roles.phis.iter().enumerate() {
            let value = state.phis[i];
            match &phi.role {
                Role::Induction(_) => {}
                Role::InOrder => fields.push(value),
                Role::Last | Role::Before => {
                    let last = self.at(at).horizontal(Horizontal::Extract, phi.ty, &[value, last]);
                    fields.push(last);
                }
                Role::Reduction(Combine::Reduce(op)) | Role::Answer(op) => {
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
                        let (behind, best) = self.best(at, *g, state);
                        (at, groups[*g]) = (behind, Some(best));
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
    fn best(
        &mut self,
        mut block: Block,
        group: usize,
        state: &State,
    ) -> (Block, FxHashMap<usize, Value>) {
        let plan = self.plan;
        let groups = &plan.roles.groups;
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
        let of = |this: &mut Self, block: Block, lane: u32| -> (Option<Value>, Vec<Value>) {
            let all =
                group.members.iter().map(|&i| this.lane_of(block, state.phis[i], lane)).collect();
            (stamp.map(|stamp| this.lane_of(block, stamp, lane)), all)
        };
        let (mut when, mut best) = of(self, block, 0);
        for lane in 1..self.plan.width {
            let (stamp, values) = of(self, block, lane);
            let mut b = self.at(block);
            let mut take = stamp.zip(when).map(|(stamp, when)| b.icmp(wins, stamp, when));
            if let Taken::Best(root, Better { strict, .. }, guard) = group.taken {
                let at = group.members.iter().position(|&i| i == root).expect("it is in the group");
                let mut compared = [values[at], best[at]];
                if let Some(look_up) = &plan.roles.phis[root].look_up {
                    let mut compares = b.icmp(IntPred::Ne, values[at], best[at]);
                    if let Some(Guard { empty, .. }) = guard {
                        let yes = b.constant(Constant::bool(true));
                        for place in compared {
                            let none = empty.holds(&mut b, place);
                            let some = b.binary(BinOp::Xor, none, yes);
                            compares = b.binary(BinOp::And, compares, some);
                        }
                    }
                    (block, compared) = self.looked_up(block, look_up, compared, compares);
                    b = self.at(block);
                }
                let [mine, theirs] = compared;
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
                // Where there is none yet, any is better, and none is better than none.
                if let Some(Guard { phi, empty }) = guard {
                    let at = group.members.iter().position(|&i| i == phi).expect("so is this");
                    let [none, no_best] = [values[at], best[at]].map(|at| empty.holds(&mut b, at));
                    let yes = b.constant(Constant::bool(true));
                    let some = b.binary(BinOp::Xor, none, yes);
                    let better = take.expect("it was compared");
                    let better = b.binary(BinOp::Or, no_best, better);
                    take = Some(b.binary(BinOp::And, some, better));
                }
            }
            let take = take.expect("a group is stamped or has a best value");
            when = stamp.zip(when).map(|(stamp, when)| b.select(take, stamp, when));
            for (best, value) in best.iter_mut().zip(values) {
                *best = b.select(take, value, *best);
            }
        }
        (block, group.members.iter().copied().zip(best).collect())
    }

    /// What is read at two places, if that may be read, else nothing in particular; and the block control goes on in.
    fn looked_up(
        &mut self,
        at: Block,
        look_up: &LookUp,
        places: [Value; 2],
        may_read: Value,
    ) -> (Block, [Value; 2]) {
        let (read, join) = (self.out.add_named_block("look"), self.out.add_named_block("looked"));
        edit::branch(&mut self.out, at, may_read, [read, join]);
        let found = places.map(|place| self.read_at(read, look_up, place));
        edit::jump(&mut self.out, read, join);
        let ty = self.plan.f.ty(look_up.value);
        let mut b = self.at(join);
        let nothing = b.constant(Constant::zero(ty));
        (join, found.map(|value| b.phi(ty, &[(value, read), (nothing, at)])))
    }

    fn read_at(&mut self, at: Block, look_up: &LookUp, place: Value) -> Value {
        let f = self.plan.f;
        let mut known = FxHashMap::from_iter([(look_up.place, place)]);
        for &inst in &look_up.reads {
            let data = &f[inst];
            let own = |arg: &Value| known.get(arg).copied();
            let brought = |&arg: &Value| own(&arg).unwrap_or_else(|| self.outer(arg));
            let args: Vec<Value> = data.args.iter().map(brought).collect();
            let copy = InstData::new(data.op.clone(), data.ty, &args).with_flags(data.flags);
            let copy = self.at(at).push(copy);
            known.insert(f.result(inst), self.out.result(copy));
        }
        known[&look_up.value]
    }
}
