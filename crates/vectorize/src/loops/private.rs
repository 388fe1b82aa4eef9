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
//! LLVM moves addresses in it out of the loop; here they are moved back, so that each lane computes those in its own object.
//!
//! If its life begins anew in each iteration and does not end there, what the last iteration left in it may be used behind the loop
//! (OpenMP's `lastprivate`): such an object is *kept*.
//!
//! `lw-llvm` asks the same of LLVM's form (`Uses` in `shim/dependences.cpp`) before it compares what iterations touch: what is private
//! there must be so here.

use super::shape::LoopShape;
use crate::callee;
use crate::decline::Declined;
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
            if !private && uses.begins && uses.inside {
                let reason =
                    "its life begins in an iteration, but its address is that of the one before";
                return Err(Declined::at(f, object, reason, "declare it in the loop"));
            }
        }
        let is_private = |inst: &Inst| private[object_of[&f.result(*inst)]];
        let moved: Vec<Inst> = addresses.into_iter().filter(is_private).collect();
        let kept = objects.iter().zip(&uses).filter(|(_, uses)| uses.are_kept());
        let kept = kept.map(|(&object, _)| object).filter(is_private).collect();
        let objects = objects.into_iter().filter(is_private).collect();
        self.compute_inside(f, &moved);
        Ok(Private { objects, kept })
    }

    /// The addresses in objects that are computed outside of the loop, those that others are computed from first; and which objects
    /// all these values belong to.
    fn addresses(&self, f: &Function, objects: &[Inst]) -> (FxHashMap<Value, usize>, Vec<Inst>) {
        let mut object_of: FxHashMap<Value, usize> =
            objects.iter().enumerate().map(|(k, &object)| (f.result(object), k)).collect();
        let mut left: Vec<Inst> = f
            .all_insts()
            .filter(|&(b, inst)| matches!(f[inst].op, Op::Gep(_)) && !self.contains(b))
            .map(|(_, inst)| inst)
            .collect();
        let mut addresses = Vec::new();
        loop {
            let found = |inst: &Inst| object_of.get(&f[*inst].args[0]).copied();
            let (now, later): (Vec<Inst>, Vec<Inst>) =
                left.iter().partition(|inst| found(inst).is_some());
            if now.is_empty() {
                return (object_of, addresses);
            }
            let new: Vec<(Value, usize)> =
                now.iter().filter_map(|inst| Some((f.result(*inst), found(inst)?))).collect();
            object_of.extend(new);
            addresses.extend(now);
            left = later;
        }
    }

    fn uses(&self, f: &Function, object_of: &FxHashMap<Value, usize>, count: usize) -> Vec<Uses> {
        let mut uses = vec![Uses::default(); count];
        for (b, inst) in f.all_insts() {
            let is_address = f[inst].result.expand().is_some_and(|v| object_of.contains_key(&v));
            if is_address {
                continue;
            }
            for arg in &f[inst].args {
                let Some(&k) = object_of.get(arg) else { continue };
                let (name, inside) = (callee::name(f, inst).unwrap_or_default(), self.contains(b));
                if name.starts_with("llvm.lifetime.") {
                    uses[k].begins |= inside && name.starts_with("llvm.lifetime.start");
                    uses[k].ends |= inside && name.starts_with("llvm.lifetime.end");
                    continue;
                }
                uses[k].inside |= inside;
                uses[k].outside |= !inside;
                uses[k].carried |= b == self.header && f[inst].op == Op::Phi;
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
