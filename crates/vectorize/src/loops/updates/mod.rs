//! Arrays that iterations update one after the other: `sum[key[i]] += x[i]`.
//!
//! ```text
//! %p = getelementptr i32, ptr %sum, i64 %k                for each lane, in order:
//! %old = load i32, ptr %p, align 4                          %p = … of this lane
//! %new = add i32 %old, %x                                   %old = load i32, ptr %p, align 4
//! store i32 %new, ptr %p, align 4                           %new = add i32 %old, (%x of this lane)
//!                                                           store i32 %new, ptr %p, align 4
//! ```
//!
//! What a block does to such arrays is a *unit*: the accesses, and what is computed from what they read. If nothing else needs that, the
//! lanes can execute the unit one after the other, whatever elements they touch. Each lane keeps its order. Between lanes the order of
//! units may differ from that of iterations, if there are several or one is in an inner loop: either iterations touch different
//! elements, or they combine values by an operation of which the order does not matter. That is so if iterations are independent but
//! for OpenMP's `reduction`.
//!
//! What a condition on an element decides about (`if (x > max[k]) max[k] = x;`) is computed in any case; accesses that must not happen
//! lead to memory that nobody looks at.
//!
//! Lanes that all update one element, as in an inner loop over the array, combine what they have first.

mod conditions;

use super::recurrences::Combine;
use super::shape::LoopShape;
use super::web::reduction_of;
use crate::callee;
use crate::decline::Declined;
use crate::edit;
use crate::widen::is_lanewise;
use lw_graph::LoopForest;
use lw_ir::constant::Constant;
use lw_ir::inst::AllocaInfo;
use lw_ir::ops::{BinOp, CastOp, ReduceOp};
use lw_ir::types::Type;
use lw_ir::{Block, DataLayout, Function, InsertAt, Inst, InstData, Op, Value};
use lw_sparse::function::node;
use rustc_hash::{FxHashMap, FxHashSet};

/// What a block does to the arrays.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    /// In order; the last one is an access.
    pub(super) insts: Vec<Inst>,
    /// What the instructions compute from what was read.
    pub(super) read: FxHashSet<Value>,
    /// If all lanes update the same element by one operation: how what they have is combined first.
    pub(super) together: Option<ReduceOp>,
}

/// All units of a loop.
#[derive(Clone, Debug, Default)]
pub(super) struct Updates {
    pub(super) units: Vec<Unit>,
    /// Where lanes that are off read and write.
    pub(super) nowhere: Option<Value>,
}

impl Updates {
    /// Finds what the loop does to these objects. With `reorder` floats may be combined in any order.
    ///
    /// # Errors
    /// If it does something else than to update them.
    pub(super) fn find(
        f: &mut Function,
        shape: &LoopShape,
        layout: &DataLayout,
        objects: &[Value],
        reorder: bool,
    ) -> Result<Updates, Declined> {
        if objects.is_empty() {
            return Ok(Updates::default());
        }
        let addresses = addresses(f, shape, objects)?;
        let nowhere = nowhere(f, shape, layout);
        let mut arrays = Arrays { f, shape, addresses, nowhere, reorder };
        arrays.fold_conditions();
        let units = arrays.units()?;
        Ok(Updates { units, nowhere: Some(nowhere) })
    }
}

fn other_use(f: &Function, inst: Inst) -> Declined {
    let reason = "iterations share an array or a variable that they do more with than to update it";
    let help = "in the loop only combine it with something, and pass its address to nobody; write to memory that is not on the stack";
    Declined::at(f, inst, reason, help)
}

/// The addresses in these objects.
fn addresses(
    f: &Function,
    shape: &LoopShape,
    objects: &[Value],
) -> Result<FxHashSet<Value>, Declined> {
    let mut all: FxHashSet<Value> = objects.iter().copied().collect();
    let pointers = |inst: Inst| match f[inst].op {
        Op::Gep(_) => &f[inst].args[..1],
        Op::Phi => &f[inst].args[..],
        Op::Select => &f[inst].args[1..],
        _ => &[],
    };
    loop {
        let before = all.len();
        for (_, inst) in f.all_insts() {
            if pointers(inst).iter().any(|arg| all.contains(arg)) {
                all.insert(f.result(inst));
            }
        }
        if all.len() == before {
            break;
        }
    }
    for &b in &shape.blocks {
        for &inst in f.insts(b) {
            let data = &f[inst];
            let is_one = |arg: &Value| all.contains(arg);
            if !data.args.iter().any(is_one) || callee::is_dropped(f, inst) {
                continue;
            }
            let fits = match data.op {
                Op::Gep(_) => f.ty(f.result(inst)) == Type::PTR,
                Op::Phi | Op::Select => pointers(inst).iter().all(is_one),
                Op::ICmp(_) => true,
                Op::Load(access) => access.is_simple(),
                Op::Store(access) => access.is_simple() && !is_one(&data.args[0]),
                _ => false,
            };
            if !fits {
                return Err(other_use(f, inst));
            }
        }
    }
    Ok(all)
}

/// Memory for accesses that must not happen, large enough for each of the loop.
fn nowhere(f: &mut Function, shape: &LoopShape, layout: &DataLayout) -> Value {
    let (mut size, mut align_log2) = (1, 3);
    for &inst in shape.blocks.iter().flat_map(|&b| f.insts(b)) {
        let data = &f[inst];
        let (Op::Load(access) | Op::Store(access)) = data.op else { continue };
        let ty = if data.ty == Type::Void { f.ty(data.args[0]) } else { data.ty };
        size = size.max(layout.alloc_size(&f.types, ty).unwrap_or(1));
        align_log2 = align_log2.max(access.align_log2);
    }
    let info = AllocaInfo { ty: Type::I8, align_log2, inalloca: false, swifterror: false };
    let count = f.constant(Constant::int(Type::I64, size.into()));
    let data = InstData::new(Op::Alloca(Box::new(info)), Type::PTR, &[count]);
    let entry = f.entry().expect("it has a body");
    let inst = f.insert(InsertAt::Start(entry), data);
    f.result(inst)
}

/// The address that a load or store accesses.
pub(super) fn accessed(f: &Function, inst: Inst) -> Option<Value> {
    match f[inst].op {
        Op::Load(_) => Some(f[inst].args[0]),
        Op::Store(_) => Some(f[inst].args[1]),
        _ => None,
    }
}

struct Arrays<'a> {
    f: &'a mut Function,
    shape: &'a LoopShape,
    addresses: FxHashSet<Value>,
    nowhere: Value,
    reorder: bool,
}

impl Arrays<'_> {
    fn accesses(&self, inst: Inst) -> bool {
        accessed(self.f, inst).is_some_and(|pointer| self.addresses.contains(&pointer))
    }

    /// Whether an instruction computes something, or reads other memory, and can do so for one lane after the other.
    fn computes(&self, inst: Inst) -> bool {
        edit::computes(self.f, inst)
            || self.reads(inst)
            || callee::name(self.f, inst).is_some_and(is_lanewise)
    }

    fn reads(&self, inst: Inst) -> bool {
        let plain = |pointer| self.f.ty(pointer) == Type::PTR;
        matches!(self.f[inst].op, Op::Load(access) if access.is_simple())
            && accessed(self.f, inst).is_some_and(plain)
    }

    /// Whether what an instruction does may change what is read of other memory.
    fn may_write(&self, inst: Inst) -> bool {
        !self.accesses(inst)
            && !self.computes(inst)
            && !callee::is_dropped(self.f, inst)
            && self.f[inst].op != Op::Phi
            && !self.f[inst].op.is_terminator()
    }

    /// What a block computes from what it reads of the arrays, as far as it can be part of a unit.
    fn read_in(&self, b: Block) -> FxHashSet<Value> {
        let mut read = FxHashSet::default();
        for &inst in self.f.insts(b) {
            let data = &self.f[inst];
            let loads = matches!(data.op, Op::Load(_)) && self.accesses(inst);
            let needs = data.args.iter().any(|arg| read.contains(arg));
            if loads || (needs && self.computes(inst)) {
                read.extend(data.result.expand());
            }
        }
        read
    }

    /// Whether some of these instructions of a block read other memory that is written there later, before `end`.
    fn reads_too_late(&self, insts: &[Inst], end: Inst) -> bool {
        let other = |&&inst: &&Inst| self.reads(inst) && !self.accesses(inst);
        let Some(&first) = insts.iter().find(other) else { return false };
        let (b, from) = self.f.position(first);
        let (_, to) = self.f.position(end);
        self.f.insts(b)[from..to].iter().any(|&inst| self.may_write(inst))
    }

    fn units(&self) -> Result<Vec<Unit>, Declined> {
        let f = &*self.f;
        let mut users: FxHashMap<Value, Vec<Inst>> = FxHashMap::default();
        for (_, inst) in f.all_insts() {
            for &arg in &f[inst].args {
                users.entry(arg).or_default().push(inst);
            }
        }
        let loops = LoopForest::compute(&lw_sparse::Program::graph(f));
        let mut units = Vec::new();
        for &b in &self.shape.blocks {
            let Some(last) = f.insts(b).iter().rposition(|&inst| self.accesses(inst)) else {
                continue;
            };
            let read = self.read_in(b);
            let mut insts: FxHashSet<Inst> = FxHashSet::default();
            for &inst in &f.insts(b)[..=last] {
                let computed = f[inst].result.expand().is_some_and(|v| read.contains(&v));
                if computed || self.accesses(inst) {
                    insts.insert(inst);
                }
            }
            for &inst in f.insts(b) {
                let of_read = f[inst].result.expand().filter(|v| read.contains(v));
                let used = of_read.and_then(|v| users.get(&v));
                if let Some(&user) = used.into_iter().flatten().find(|user| !insts.contains(user)) {
                    return Err(other_use(f, user));
                }
            }
            self.add_addresses(b, &users, &mut insts);
            let insts: Vec<Inst> =
                f.insts(b).iter().copied().filter(|inst| insts.contains(inst)).collect();
            let end = f.insts(b)[last];
            if self.reads_too_late(&insts, end) {
                return Err(other_use(f, end));
            }
            let together = self.together(&loops, &insts, &read);
            units.push(Unit { insts, read, together });
        }
        Ok(units)
    }

    /// Adds what is computed of addresses for a unit alone.
    fn add_addresses(
        &self,
        b: Block,
        users: &FxHashMap<Value, Vec<Inst>>,
        insts: &mut FxHashSet<Inst>,
    ) {
        for &inst in self.f.insts(b).iter().rev() {
            let data = &self.f[inst];
            let Some(users) = data.result.expand().and_then(|v| users.get(&v)) else { continue };
            let address = matches!(data.op, Op::Gep(_))
                || matches!(data.op, Op::Cast(CastOp::SExt | CastOp::ZExt))
                    && users.iter().all(|&user| matches!(self.f[user].op, Op::Gep(_)));
            if address && users.iter().all(|user| insts.contains(user)) {
                insts.insert(inst);
            }
        }
    }

    /// If a unit combines one element with something, and which element is the same on all lanes: how.
    fn together(
        &self,
        loops: &LoopForest,
        insts: &[Inst],
        read: &FxHashSet<Value>,
    ) -> Option<ReduceOp> {
        let f = &*self.f;
        let is_address = |inst: &&Inst| {
            !self.accesses(**inst) && f[**inst].result.expand().is_some_and(|v| !read.contains(&v))
        };
        let rest: Vec<Inst> = insts.iter().filter(|inst| !is_address(inst)).copied().collect();
        let &[load, op, store] = &rest[..] else { return None };
        let (pointer, old, new) = (f[load].args[0], f.result(load), f[op].result.expand()?);
        let reads = matches!(f[load].op, Op::Load(_)) && f[op].args.contains(&old);
        let writes = matches!(f[store].op, Op::Store(_)) && f[store].args[..] == [new, pointer];
        let Some(Combine::Reduce(reduce)) = reduction_of(f, op) else { return None };
        let simple = match (&f[op].op, callee::name(f, op)) {
            (Op::Binary(BinOp::Shl), _) => false,
            (Op::Binary(BinOp::Sub | BinOp::FSub), _) => f[op].args[1] != old,
            (Op::Binary(_), _) => true,
            (_, Some(name)) if name.starts_with("llvm.fmuladd.") => f[op].args[3] == old,
            (_, Some(name)) => !name.starts_with("llvm.fma."),
            _ => false,
        };
        let simple = simple && (self.reorder || f[op].ty.float_kind().is_none());
        let once = f[op].args.iter().filter(|&&arg| arg == old).count() == 1;
        let mut seen = FxHashSet::default();
        let same = reads && writes && simple && once && self.is_same(loops, pointer, &mut seen);
        same.then_some(reduce)
    }

    /// Whether a value is the same on all lanes that compute it together: it comes from around the loop, or from counters of inner
    /// loops, which lanes go through together.
    fn is_same(&self, loops: &LoopForest, value: Value, seen: &mut FxHashSet<Value>) -> bool {
        let (f, shape) = (&*self.f, self.shape);
        if !shape.defines(f, value) || !seen.insert(value) {
            return true;
        }
        let Some(inst) = f.def_inst(value) else { return true };
        let data = &f[inst];
        let home = f.block_of(inst).expect("it is in the loop");
        let headed = loops.headed_by(node(home)).filter(|_| home != shape.header);
        let inner = headed.is_some_and(|l| loops.is_loop_reducible(l));
        let counts = data.op == Op::Phi && inner && data.targets.len() == 2;
        (counts || edit::computes(f, inst))
            && data.args.iter().all(|&arg| self.is_same(loops, arg, seen))
    }
}
