//! What belongs to the best so far and is only read where something better is found: `w` in `if (a[i] < least) { least = a[i]; w = *p[i]; }`.
//!
//! ```text
//! loop:  %c = icmp slt i32 %x, %least                           %c = icmp slt i32 %x, %least
//!        br i1 %c, label %then, label %join                     br i1 %c, label %then, label %join
//! then:  %q = getelementptr ptr, ptr %p, i64 %i
//!        %r = load ptr, ptr %q; %y = load i32, ptr %r           (nothing)
//! join:  %next = phi i32 [ %y, %then ], [ %w, %loop ]           %at.next = phi i64 [ %i, %then ], [ %at, %loop ]
//! exit:  …                                                      if one was set: %q, %r and %y of %at
//! ```
//!
//! A lane does not know what is best on the others: it would read, or divide, where no iteration of the scalar loop does. So it chooses what
//! the value is computed from, and the value is computed behind the loop, if it was ever set. The iteration that set it last in
//! the scalar loop is the one that is chosen, so nothing is read there that was not read before. Nothing in the loop may write to memory.

use super::decisions::has_part;
use super::groups::together;
use super::recurrences::{HeaderPhi, Role, users};
use super::remembered::is_computed;
use super::shape::LoopShape;
use super::web::{Web, copy_merges, merged};
use crate::callee;
use crate::edit;
use lw_graph::LoopForest;
use lw_ir::constant::Constant;
use lw_ir::{Block, Function, InsertAt, Inst, InstData, Op, Value};
use rustc_hash::FxHashMap;

/// A header φ, and the one value it is set to.
struct Postponed {
    phi: HeaderPhi,
    leaf: Value,
    /// What computes the value, in order, all in one block.
    chain: Vec<Inst>,
    /// The φs at the exit that take it.
    outs: Vec<Inst>,
}

impl LoopShape {
    /// Lets what is read only where a comparison with something carried over holds be read behind the loop.
    pub(super) fn postpone(&self, f: &mut Function) {
        let all = |f: &Function| -> Vec<Inst> {
            self.blocks.iter().flat_map(|&b| f.insts(b).iter().copied()).collect()
        };
        let mut found = if all(f).iter().all(|&inst| only_reads(f, inst)) {
            self.find_postponed(f)
        } else {
            Vec::new()
        };
        while let Some(first) = found.first() {
            let first = first.phi.clone();
            let (group, rest): (Vec<_>, Vec<_>) =
                found.into_iter().partition(|it| together(f, &first, &it.phi));
            self.compute_behind(f, &group);
            found = rest;
            edit::remove_unused_in(f, |b| self.contains(b));
            edit::erase_unused(f, group.iter().flat_map(|it| it.chain.iter().copied()));
        }
    }

    fn find_postponed(&self, f: &Function) -> Vec<Postponed> {
        let users = users(f, self);
        let loops = LoopForest::compute(&lw_sparse::Program::graph(f));
        let phi = |inst: Inst| {
            let value = f.result(inst);
            let web = Web::of(f, self, &loops, &users, value, &[])?;
            let init = edit::incoming(f, inst, self.preheader);
            let next = edit::incoming(f, inst, self.latch);
            let (ty, role) = (f[inst].ty, Role::Last);
            Some(HeaderPhi { value, ty, init, next, role, web, look_up: None })
        };
        let phis: Vec<HeaderPhi> = f.phis(self.header).filter_map(phi).collect();
        let compares: Vec<Value> =
            phis.iter().flat_map(|phi| &phi.web.compares).map(|&inst| f.result(inst)).collect();
        phis.into_iter().filter_map(|phi| self.postponed(f, phi, &compares)).collect()
    }

    /// What is to be known of a φ, if its value may only be computed where one of the comparisons says so.
    fn postponed(&self, f: &Function, phi: HeaderPhi, compares: &[Value]) -> Option<Postponed> {
        let Web { values, ops, merges, compares: own, .. } = &phi.web;
        if !ops.is_empty() || !own.is_empty() || !values.contains(&phi.next) {
            return None;
        }
        let mut leaves = merges.iter().flat_map(|&merge| merged(f, merge));
        let leaf = *leaves.find(|leaf| !values.contains(leaf))?;
        if leaves.any(|&other| other != leaf && !values.contains(&other)) {
            return None;
        }
        let last = f.def_inst(leaf)?;
        let home = f.block_of(last).filter(|&b| self.contains(b))?;
        let mut chain = Vec::new();
        gather(f, home, last, &mut chain)?;
        let safe = chain.iter().all(|&inst| edit::computes(f, inst));
        let entered = self.blocks.iter().find_map(|&from| {
            let branch = f.terminator(from).filter(|_| f.successors(from).contains(&home))?;
            (f[branch].op == Op::CondBr).then(|| f[branch].args[0])
        });
        let decides = |&compare: &Value| entered.is_some_and(|c| has_part(f, c, compare));
        if safe || !compares.iter().any(decides) {
            return None;
        }
        let end = if self.tested_first() { phi.value } else { phi.next };
        let (outs, values): (Vec<Inst>, Vec<Value>) =
            self.live_outs(f).into_iter().filter(|(_, out)| values.contains(out)).unzip();
        values.iter().all(|&out| out == end).then_some(Postponed { phi, leaf, chain, outs })
    }

    /// Chooses what the values of a group are computed from, and computes them behind the loop.
    fn compute_behind(&self, f: &mut Function, group: &[Postponed]) {
        let model = &group[0];
        let yes = f.constant(Constant::bool(true));
        let set = self.choose(f, model, yes);
        let mut chosen: FxHashMap<Value, Value> = FxHashMap::default();
        for &inst in group.iter().flat_map(|it| &it.chain) {
            for arg in f[inst].args.clone() {
                let own =
                    f.def_inst(arg).is_some_and(|i| group.iter().any(|it| it.chain.contains(&i)));
                if !own && self.defines(f, arg) && !chosen.contains_key(&arg) {
                    let choice = self.choose(f, model, arg);
                    chosen.insert(arg, choice);
                }
            }
        }
        let phis = f.phis(self.exit).count();
        let end = f.split_block(f.insts(self.exit)[phis]);
        let compute = edit::block_beside(f, self.exit, "compute");
        edit::branch(f, self.exit, set, [compute, end]);
        for &inst in group.iter().flat_map(|it| &it.chain) {
            let result = f.result(inst);
            if chosen.contains_key(&result) {
                continue;
            }
            let data = &f[inst];
            let args: Vec<Value> =
                data.args.iter().map(|arg| chosen.get(arg).copied().unwrap_or(*arg)).collect();
            let copy = InstData::new(data.op.clone(), data.ty, &args).with_flags(data.flags);
            let copy = f.insert(InsertAt::End(compute), copy.made_from(&f[inst]));
            chosen.insert(result, f.result(copy));
        }
        edit::jump(f, compute, end);
        f.place_blocks(&[(self.exit, compute)]);
        for it in group {
            let data = InstData::new(Op::Phi, it.phi.ty, &[chosen[&it.leaf], it.phi.init]);
            let data = data.with_targets(&[compute, self.exit]);
            let phi = f.insert(InsertAt::Start(end), data);
            for &out in &it.outs {
                f.replace_uses(f.result(out), f.result(phi));
                f.erase(out);
            }
        }
    }

    /// A header φ that is set to `value` where the model is set to its leaf; what it is behind the loop.
    fn choose(&self, f: &mut Function, model: &Postponed, value: Value) -> Value {
        let ty = f.ty(value);
        let nothing = f.constant(Constant::zero(ty));
        let data = InstData::new(Op::Phi, ty, &[nothing, nothing]);
        let data = data.with_targets(&[self.preheader, self.latch]);
        let phi = f.insert(InsertAt::Start(self.header), data);
        let mut new: FxHashMap<Value, Value> =
            [(model.phi.value, f.result(phi)), (model.leaf, value)].into_iter().collect();
        copy_merges(f, &model.phi.web.merges, ty, &mut new);
        f[phi].args[1] = new[&model.phi.next];
        let end = if self.tested_first() { model.phi.value } else { model.phi.next };
        let data = InstData::new(Op::Phi, ty, &[new[&end]]).with_targets(&[self.exiting]);
        let out = f.insert(InsertAt::Start(self.exit), data);
        f.result(out)
    }
}

/// An instruction and what it needs of its block, in order; `None` if something of it cannot be done later.
fn gather(f: &Function, home: Block, inst: Inst, chain: &mut Vec<Inst>) -> Option<()> {
    if chain.contains(&inst) {
        return Some(());
    }
    let fits = match f[inst].op {
        Op::Load(access) => access.is_simple(),
        Op::Binary(_) => true,
        _ => is_computed(f, inst),
    };
    fits.then_some(())?;
    for &arg in &f[inst].args {
        let here = f.def_inst(arg).filter(|&i| f.block_of(i) == Some(home) && f[i].op != Op::Phi);
        if let Some(needed) = here {
            gather(f, home, needed, chain)?;
        }
    }
    chain.push(inst);
    Some(())
}

/// Whether an instruction leaves memory as it is, and control goes on behind it.
fn only_reads(f: &Function, inst: Inst) -> bool {
    match f[inst].op {
        Op::Phi | Op::Br | Op::CondBr | Op::Switch | Op::Binary(_) => true,
        Op::Load(access) => access.is_simple(),
        _ => is_computed(f, inst) || callee::is_dropped(f, inst),
    }
}
