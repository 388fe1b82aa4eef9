//! Stack objects that each iteration has for itself.
//!
//! A variable of the body is one object for all iterations, at the top of the function, whose life begins and ends in each of them:
//!
//! ```text
//! entry:  %t = alloca [4 x i32], align 4                          loop:  …
//!         %second = getelementptr i32, ptr %t, i64 1                     call void @llvm.lifetime.start.p0(ptr %t)
//!         …                                                              store i32 %x, ptr %second, align 4
//! ```
//!
//! LLVM moves addresses in it, and what is computed from them (differences, choices between objects), out of the loop; here they are moved back, so
//! that each lane computes those of its own object. What cannot be computed again, as an address that a function returned, must not be used in the loop.
//!
//! If its life begins anew in each iteration and does not end there, what the last iteration left in it may be used behind the loop
//! (OpenMP's `lastprivate`): such an object is *kept*.
//!
//! `lw-llvm` asks the same of LLVM's form (`Uses` in `shim/dependences.cpp`) before it compares what iterations touch: what is private
//! there must be so here.

use super::shape::LoopShape;
use crate::callee;
use crate::decline::Declined;
use crate::edit;
use lw_ir::{Function, InsertAt, Inst, InstData, Op, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where an object is used.
#[derive(Clone, Default)]
struct Uses {
    inside: bool,
    outside: bool,
    /// From one iteration to the next.
    carried: bool,
    /// Whether its life begins in the loop, and ends there.
    begins: bool,
    ends: bool,
}

impl Uses {
    fn are_private(&self, parallel: bool) -> bool {
        self.inside && !self.carried && (self.begins || !self.outside && parallel)
    }

    fn are_kept(&self) -> bool {
        self.outside && !self.ends
    }
}

/// Which objects a value outside of the loop may have the address of, or be computed from.
struct From {
    objects: FxHashSet<usize>,
    /// Whether it cannot be computed again.
    lost: bool,
}

/// Whether what comes out of an instruction may be an address that goes in.
fn passes_on(f: &Function, inst: Inst) -> bool {
    let passes = match f[inst].op {
        Op::Phi | Op::Binary(_) | Op::ExtractValue(_) | Op::InsertValue(_) => true,
        Op::Call(_) | Op::Invoke(_) => !callee::is_dropped(f, inst),
        _ => edit::computes(f, inst),
    };
    passes && f[inst].result.expand().is_some()
}

/// Lists an instruction of `left` behind those that compute its operands.
pub(super) fn in_order(f: &Function, inst: Inst, left: &mut FxHashSet<Inst>, list: &mut Vec<Inst>) {
    if left.remove(&inst) {
        let operands = f[inst].args.iter().filter_map(|&arg| f.def_inst(arg));
        operands.for_each(|operand| in_order(f, operand, left, list));
        list.push(inst);
    }
}

/// Whether an instruction before the loop may be executed in it, too.
fn computes_again(f: &Function, inst: Inst) -> bool {
    let by_constant = |&arg: &Value| f.as_constant(arg).is_some_and(|c| c.as_u128() != Some(0));
    edit::computes(f, inst)
        || matches!(f[inst].op, Op::Binary(_)) && f[inst].args.get(1).is_some_and(by_constant)
}

/// The objects of which each iteration has its own.
#[derive(Default)]
pub(super) struct Private {
    pub(super) objects: Vec<Inst>,
    /// Those of them whose content in the last iteration is used behind the loop.
    pub(super) kept: Vec<Inst>,
}

impl LoopShape {
    /// Finds the objects of which each iteration has its own: their life is an iteration, or only the loop uses them and iterations are
    /// independent. All addresses in them that the loop uses are computed in it.
    pub(super) fn private_objects(
        &self,
        f: &mut Function,
        parallel: bool,
    ) -> Result<Private, Declined> {
        let objects: Vec<Inst> = f
            .all_insts()
            .filter(|&(b, inst)| matches!(f[inst].op, Op::Alloca(_)) && !self.contains(b))
            .map(|(_, inst)| inst)
            .collect();
        if objects.is_empty() {
            return Ok(Private::default());
        }
        let (object_of, addresses) = self.addresses(f, &objects);
        let uses = self.uses(f, &object_of, objects.len());
        let private: Vec<bool> = uses.iter().map(|uses| uses.are_private(parallel)).collect();
        for ((&object, uses), private) in objects.iter().zip(&uses).zip(&private) {
            if *private && f[object].args.iter().any(|&size| f.as_constant(size).is_none()) {
                let help = "use an array of fixed size";
                return Err(Declined::at(f, object, "stack memory of unknown size", help));
            }
            if !private && uses.begins && uses.inside {
                let reason =
                    "its life begins in an iteration, but its address is that of the one before";
                return Err(Declined::at(f, object, reason, "declare it in the loop"));
            }
        }
        let is_private =
            |inst: &Inst| object_of[&f.result(*inst)].objects.iter().any(|&k| private[k]);
        let moved: Vec<Inst> = addresses.into_iter().filter(is_private).collect();
        let kept = objects.iter().zip(&uses).filter(|(_, uses)| uses.are_kept());
        let kept = kept.map(|(&object, _)| object).filter(is_private).collect();
        let objects = objects.into_iter().filter(is_private).collect();
        self.compute_inside(f, &moved);
        Ok(Private { objects, kept })
    }

    /// What is computed outside of the loop from addresses of objects, those that others are computed from first; and where all these
    /// values come from.
    fn addresses(&self, f: &Function, objects: &[Inst]) -> (FxHashMap<Value, From>, Vec<Inst>) {
        let mut from: FxHashMap<Value, From> = FxHashMap::default();
        for (k, &object) in objects.iter().enumerate() {
            from.insert(f.result(object), From { objects: FxHashSet::from_iter([k]), lost: false });
        }
        let mut left: Vec<Inst> = f
            .all_insts()
            .filter(|&(b, inst)| !self.contains(b) && passes_on(f, inst))
            .map(|(_, inst)| inst)
            .collect();
        let mut found = FxHashSet::default();
        loop {
            let comes = |&inst: &Inst| f[inst].args.iter().any(|arg| from.contains_key(arg));
            let (now, later): (Vec<Inst>, Vec<Inst>) = left.into_iter().partition(comes);
            if now.is_empty() {
                break;
            }
            for inst in now {
                let mut all =
                    From { objects: FxHashSet::default(), lost: !computes_again(f, inst) };
                for known in f[inst].args.iter().filter_map(|arg| from.get(arg)) {
                    all.objects.extend(&known.objects);
                    all.lost |= known.lost;
                }
                if !all.lost {
                    found.insert(inst);
                }
                from.insert(f.result(inst), all);
            }
            left = later;
        }
        let mut addresses = Vec::with_capacity(found.len());
        let mut all: Vec<Inst> = found.iter().copied().collect();
        all.sort_unstable();
        all.into_iter().for_each(|inst| in_order(f, inst, &mut found, &mut addresses));
        (from, addresses)
    }

    fn uses(&self, f: &Function, from: &FxHashMap<Value, From>, count: usize) -> Vec<Uses> {
        let mut uses = vec![Uses::default(); count];
        for (b, inst) in f.all_insts() {
            let inside = self.contains(b);
            let known = f[inst].result.expand().and_then(|v| from.get(&v));
            if known.is_some_and(|it| !it.lost) {
                continue;
            }
            for it in f[inst].args.iter().filter_map(|arg| from.get(arg)) {
                let name = callee::name(f, inst).unwrap_or_default();
                for &k in &it.objects {
                    if name.starts_with("llvm.lifetime.") {
                        uses[k].begins |= inside && name.starts_with("llvm.lifetime.start");
                        uses[k].ends |= inside && name.starts_with("llvm.lifetime.end");
                        continue;
                    }
                    uses[k].inside |= inside;
                    uses[k].outside |= !inside;
                    uses[k].carried |= b == self.header && f[inst].op == Op::Phi;
                    uses[k].carried |= inside && it.lost;
                }
            }
        }
        uses
    }

    /// Those of the addresses that the loop needs. What is computed behind it, or in other loops, may need what is only known there.
    fn needed(&self, f: &Function, addresses: &[Inst]) -> FxHashSet<Inst> {
        let mut needed = FxHashSet::default();
        let mut values: Vec<Value> = Vec::new();
        for &b in &self.blocks {
            values.extend(f.insts(b).iter().flat_map(|&inst| f[inst].args.iter().copied()));
        }
        let known: FxHashSet<Inst> = addresses.iter().copied().collect();
        while let Some(value) = values.pop() {
            let address = f.def_inst(value).filter(|inst| known.contains(inst));
            if let Some(inst) = address.filter(|&inst| needed.insert(inst)) {
                values.extend(&f[inst].args);
            }
        }
        needed
    }

    /// Computes addresses at the top of the loop for those that use them there.
    fn compute_inside(&self, f: &mut Function, addresses: &[Inst]) {
        let needed = self.needed(f, addresses);
        let mut copies: FxHashMap<Value, Value> = FxHashMap::default();
        let first = f.insts(self.header).iter().copied().find(|&inst| f[inst].op != Op::Phi);
        let first = first.expect("a block ends with a terminator");
        for &inst in addresses.iter().filter(|inst| needed.contains(inst)) {
            let data = &f[inst];
            let args: Vec<Value> =
                data.args.iter().map(|arg| copies.get(arg).copied().unwrap_or(*arg)).collect();
            let copy = InstData::new(data.op.clone(), data.ty, &args).with_flags(data.flags);
            let copy = copy.made_from(data);
            let copy = f.insert(InsertAt::Before(first), copy);
            copies.insert(f.result(inst), f.result(copy));
        }
        for &b in &self.blocks {
            for inst in f.insts(b).to_vec() {
                for arg in &mut f[inst].args {
                    *arg = copies.get(arg).copied().unwrap_or(*arg);
                }
            }
        }
    }
}
