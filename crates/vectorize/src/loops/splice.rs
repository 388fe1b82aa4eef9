//! Puts the vector loop in front of the scalar one.
//!
//! ```text
//! preheader:  count, full = count − count mod W;  full iterations, memory apart, chosen? ──no──▶ rest
//!     │ yes                                                                 │ φs: as before, or as the vector loop leaves them
//! the vector loop                                                           ▼
//! after:      done? ──no──▶ rest                                        the scalar loop ──▶ exit
//!     │ yes (with a masked remainder always; never if the scalar loop keeps the last iteration for itself)
//!     ▼
//! exit
//! ```

use super::count::{advance, advance_by};
use super::recurrences::{HeaderPhi, Recurrences, Role};
use super::shape::LoopShape;
use super::spmd::Spmd;
use super::test::Test;
use super::trial::Trial;
use crate::edit;
use lw_ir::attrs::Attr;
use lw_ir::ops::{BinOp, IntPred};
use lw_ir::types::Type;
use lw_ir::{Block, Builder, DataLayout, Function, InsertAt, Inst, InstData, Op, Value};
use rustc_hash::FxHashMap;

pub(super) struct Splice<'a> {
    pub(super) shape: &'a LoopShape,
    pub(super) roles: &'a Recurrences,
    pub(super) test: &'a Test,
    pub(super) layout: &'a DataLayout,
    pub(super) width: u32,
    pub(super) masked_tail: bool,
    pub(super) only_if: Option<Value>,
    pub(super) trial: Option<&'a Trial>,
}

impl Splice<'_> {
    /// Puts the vectorized program of W threads before the loop.
    pub(super) fn apply(&self, f: &mut Function, spmd: &Spmd, vector: &Function) {
        f.types = vector.types.clone();
        f.symbols = vector.symbols.clone();
        f.attr_lists = vector.attr_lists.clone();
        // Calls may have made wider vectors legal.
        let legal =
            |attr: &Attr| matches!(attr, Attr::Text(key, _) if &**key == b"min-legal-vector-width");
        for attr in f.attrs.function.iter_mut().filter(|attr| legal(attr)) {
            if let Some(new) = vector.attrs.function.iter().find(|attr| legal(attr)) {
                *attr = new.clone();
            }
        }
        let shape = self.shape;
        let jump = f.terminator(shape.preheader).expect("it goes to the loop");
        let origin = f[jump].origin;
        f.erase(jump);
        let (full, total) = self.counts(f);
        let values: FxHashMap<Value, Value> = vector
            .params()
            .iter()
            .copied()
            .zip(spmd.live_ins.iter().copied().chain([full, total]))
            .collect();
        let blocks = edit::copy_body(vector, f, values);
        let entry = blocks[&vector.entry().expect("it has a body")];
        edit::hoist_stack(f, entry);
        let after = f.add_named_block("vector.done");
        let result = leave(f, vector, &blocks, after);
        let fields = fields(f, after, result, spmd.results.len());
        let results: FxHashMap<Value, Value> = spmd.results.iter().copied().zip(fields).collect();
        let zero = f.constant(lw_ir::Constant::int(Type::I64, 0));
        let mut b = Builder::new(f);
        b.switch_to(shape.preheader);
        let none = if self.masked_tail { total } else { full };
        let mut some = b.icmp(IntPred::Ne, none, zero);
        if let Some(only_if) = self.only_if {
            some = b.binary(BinOp::And, some, only_if);
        }
        if let Some(trial) = self.trial {
            let begun = trial.begin(f, shape);
            let mut b = Builder::new(f);
            b.switch_to(shape.preheader);
            some = b.binary(BinOp::And, some, begun.choice);
            trial.end(f, shape, &begun, full, some);
        }
        if self.masked_tail {
            self.without_scalar_loop(f, some, entry, after, &results, total);
        } else {
            self.with_scalar_loop(f, some, entry, after, &results, full);
        }
        // It is the end of the same block, whose address may be taken.
        let branch = f.terminator(shape.preheader).expect("it was just made");
        f[branch].origin = origin;
    }

    /// The number of iterations in full groups, and of all.
    fn counts(&self, f: &mut Function) -> (Value, Value) {
        let inits: Vec<Value> = self.roles.phis.iter().map(|phi| phi.init).collect();
        let mut b = Builder::new(f);
        b.switch_to(self.shape.preheader);
        let mut total = self.test.count(&mut b, &inits, self.layout);
        if !self.shape.tested_first() {
            let one = b.int(Type::I64, 1);
            total = b.binary(BinOp::Add, total, one);
        }
        // The first test may come only after something that ends the program.
        let total = b.freeze(total);
        let mut full = total;
        if self.roles.keeps_last && !self.shape.tested_first() {
            let one = b.int(Type::I64, 1);
            full = b.binary(BinOp::Sub, total, one);
        }
        full = match self.width.is_power_of_two() {
            true => {
                let mask = b.int(Type::I64, -i128::from(self.width));
                b.binary(BinOp::And, full, mask)
            }
            false => {
                let width = b.int(Type::I64, self.width.into());
                let rest = b.binary(BinOp::URem, full, width);
                b.binary(BinOp::Sub, full, rest)
            }
        };
        (full, total)
    }

    fn with_scalar_loop(
        &self,
        f: &mut Function,
        some: Value,
        entry: Block,
        after: Block,
        results: &FxHashMap<Value, Value>,
        full: Value,
    ) {
        let shape = self.shape;
        let rest = edit::block_beside(f, shape.header, "rest");
        edit::branch(f, shape.preheader, some, [entry, rest]);
        let ends = self.ends(f, after, results, full);
        let phis: Vec<Inst> = f.phis(shape.header).collect();
        for ((&phi, role), &end) in phis.iter().zip(&self.roles.phis).zip(&ends) {
            edit::remove_incoming(f, phi, shape.preheader);
            let data = InstData::new(Op::Phi, role.ty, &[role.init, end]);
            let start = f.insert(InsertAt::End(rest), data.with_targets(&[shape.preheader, after]));
            let start = f.result(start);
            edit::add_incoming(f, phi, start, rest);
        }
        edit::jump(f, rest, shape.header);
        if shape.tested_first() || self.roles.keeps_last {
            edit::jump(f, after, rest);
            return;
        }
        let last = self.last(f, after, full);
        let mut b = Builder::new(f);
        b.switch_to(after);
        let more = self.test.goes_on(&mut b, &last);
        self.leave_loop(f, after, results, &last, &[]);
        edit::branch(f, after, more, [rest, shape.exit]);
    }

    fn without_scalar_loop(
        &self,
        f: &mut Function,
        some: Value,
        entry: Block,
        after: Block,
        results: &FxHashMap<Value, Value>,
        total: Value,
    ) {
        let shape = self.shape;
        // A loop without iterations is only left as it was if it is tested first.
        let rest = edit::block_beside(f, shape.header, "none");
        edit::branch(f, shape.preheader, some, [entry, rest]);
        let ends = self.ends(f, after, results, total);
        let last = self.last(f, after, total);
        self.leave_loop(f, after, results, &last, &ends);
        edit::jump(f, after, shape.exit);
        for phi in f.phis(shape.header).collect::<Vec<_>>() {
            for target in &mut f[phi].targets {
                if *target == shape.preheader {
                    *target = rest;
                }
            }
        }
        edit::jump(f, rest, shape.header);
    }

    /// What the header φs are after so many iterations.
    fn ends(
        &self,
        f: &mut Function,
        at: Block,
        results: &FxHashMap<Value, Value>,
        times: Value,
    ) -> Vec<Value> {
        let mut b = Builder::new(f);
        b.switch_to(at);
        let end = |phi: &HeaderPhi| match phi.role {
            Role::Induction(step) => advance_by(&mut b, phi.init, step, times),
            _ => results[&phi.value],
        };
        self.roles.phis.iter().map(end).collect()
    }

    /// What the header φs that count are in the last of so many iterations.
    fn last(&self, f: &mut Function, at: Block, times: Value) -> Vec<Value> {
        let mut b = Builder::new(f);
        b.switch_to(at);
        let one = b.int(Type::I64, 1);
        let times = b.binary(BinOp::Sub, times, one);
        let last = |phi: &HeaderPhi| match phi.role {
            Role::Induction(step) => advance_by(&mut b, phi.init, step, times),
            _ => phi.init,
        };
        self.roles.phis.iter().map(last).collect()
    }

    /// The values of the φs at the exit, for an edge from `after`.
    fn leave_loop(
        &self,
        f: &mut Function,
        after: Block,
        results: &FxHashMap<Value, Value>,
        last: &[Value],
        ends: &[Value],
    ) {
        for (phi, value) in self.shape.live_outs(f) {
            let value = self.live_out(f, after, value, results, last, ends);
            edit::add_incoming(f, phi, value, after);
        }
    }

    fn live_out(
        &self,
        f: &mut Function,
        after: Block,
        value: Value,
        results: &FxHashMap<Value, Value>,
        last: &[Value],
        ends: &[Value],
    ) -> Value {
        if !self.shape.defines(f, value) {
            return value;
        }
        // At the top of a loop that ends there, a φ has the value after the last iteration, whoever took on what it had before.
        let top = self.roles.phis.iter().position(|phi| phi.value == value);
        if let Some(i) = top.filter(|_| self.shape.tested_first()) {
            return ends[i];
        }
        for (phi, &last) in self.roles.phis.iter().zip(last) {
            let found = match phi.role {
                Role::Induction(_) if phi.value == value => last,
                Role::Induction(step) if phi.next == value => {
                    let mut b = Builder::new(f);
                    b.switch_to(after);
                    advance(&mut b, last, step, 1)
                }
                Role::Induction(_) => continue,
                _ if phi.next == value => results[&phi.value],
                _ => continue,
            };
            return found;
        }
        results[&value]
    }
}

/// What the loop hands on that neither a recurrence nor the number of iterations tells.
pub(super) fn wanted(f: &Function, shape: &LoopShape, roles: &Recurrences) -> Vec<Value> {
    let known = |value: Value| {
        !shape.defines(f, value)
            || roles.phis.iter().any(|phi| phi.next == value || phi.value == value)
    };
    let mut all: Vec<Value> =
        shape.live_outs(f).into_iter().map(|(_, value)| value).filter(|&v| !known(v)).collect();
    all.sort();
    all.dedup();
    all
}

/// Lets the return of the copied function lead to `after`; what it returned.
fn leave(
    f: &mut Function,
    vector: &Function,
    blocks: &FxHashMap<Block, Block>,
    after: Block,
) -> Option<Value> {
    let mut found = None;
    for b in vector.blocks() {
        let b = blocks[b];
        let Some(ret) = f.terminator(b).filter(|&t| f[t].op == Op::Ret) else { continue };
        found = f[ret].args.first().copied();
        f.erase(ret);
        edit::jump(f, b, after);
    }
    found
}

/// The fields of a result.
fn fields(f: &mut Function, at: Block, result: Option<Value>, count: usize) -> Vec<Value> {
    match (result, count) {
        (None, _) | (_, 0) => Vec::new(),
        (Some(one), 1) => vec![one],
        (Some(all), _) => {
            let types = f.types.fields(f.ty(all)).expect("it is a struct").to_vec();
            let mut fields = Vec::new();
            for (i, ty) in types.into_iter().enumerate() {
                let data = InstData::new(Op::ExtractValue([i as u32].into()), ty, &[all]);
                let field = f.insert(InsertAt::End(at), data);
                fields.push(f.result(field));
            }
            fields
        }
    }
}
