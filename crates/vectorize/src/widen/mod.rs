//! Widening: the program of W threads becomes one of vectors (001 §3.1, §3.4).
//!
//! Control is uniform, so blocks and branches stay; threads become lanes. Each instruction becomes one, or the pattern that its
//! kind asks for:
//!
//! | what | module |
//! | --- | --- |
//! | scalar, scalar and stride, or vector? | `kinds` |
//! | from one form to another | `rep` |
//! | arithmetic, addresses, parts of aggregates | `compute` |
//! | uniform, contiguous, reversed accesses, gather and scatter; masks | `memory` |
//! | fields of records as vectors and shuffles | `records`, `rows` |
//! | intrinsics, calls | `calls`, `intrinsics`, `vector_calls`, `steps` |
//! | operations across threads | `horizontal` |
//! | one lane after the other: calls, atomics, what has no vector form | `each_lane` |
//!
//! In a block with a predicate, lanes that are off touch no memory, divide by one, and call nothing. Whatever else they compute is
//! never looked at. If all are off, scalars that stand for all lanes may be poison: branches on them are frozen.

mod calls;
mod compute;
mod each_lane;
mod horizontal;
mod intrinsics;
mod kinds;
mod memory;
mod records;
mod rep;
mod rows;
mod steps;
mod types;
mod vector_calls;

use crate::decline::Declined;
use crate::edit::{Entries, Shape};
use crate::region::Region;
pub(crate) use horizontal::neutral;
pub(crate) use intrinsics::is_lanewise;
use kinds::{Kind, Kinds};
use lw_divergence::{Divergence, Stride};
use lw_ir::attrs::{Attr, AttrListData};
use lw_ir::constant::Constant;
use lw_ir::types::{Scalar, Signature, Type};
use lw_ir::{Block, Function, Inst, InstData, Op, Value, ValueDef};
use lw_sparse::function::block;
use records::Records;
use rep::Rep;
use rustc_hash::{FxHashMap, FxHashSet};
pub(crate) use types::packed_size;

/// What widening did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Accesses of one address by all lanes.
    pub uniform: usize,
    /// Accesses of neighbours, in order or reversed.
    pub contiguous: usize,
    /// Accesses of fields of records that lie one behind the other.
    pub interleaved: usize,
    /// Accesses of an address for each lane.
    pub gathers: usize,
    /// Instructions that are executed for one lane after the other.
    pub each_lane: usize,
    /// Calls among them.
    pub calls: usize,
    /// Mathematical functions that might have been vector functions, but may set `errno`.
    pub errno: usize,
    /// Calls of vector functions.
    pub together: usize,
    /// Operations across threads.
    pub horizontal: usize,
    /// Reductions among them.
    pub reductions: usize,
}

/// Widens a function whose branches are uniform. Lanes share stack objects that are [interleaved](crate::interleave).
///
/// # Errors
/// If a branch is divergent, or the result is not uniform although the region says so.
pub fn widen(
    function: &Function,
    divergence: &Divergence<Stride>,
    region: &Region,
    interleaved: &FxHashSet<Inst>,
) -> Result<(Function, Counts), Declined> {
    if let Some(b) = divergence.divergent_branches().next() {
        let terminator = function.terminator(b).expect("a branch is a terminator");
        let help = "linearize first";
        return Err(Declined::at(function, terminator, "threads part here", help));
    }
    let order: Vec<Block> = Shape::of(function).index.order().iter().map(|&n| block(n)).collect();
    let kinds = Kinds::infer(function, divergence, region, interleaved, &order);
    check_result(function, &kinds, region)?;
    let mut widener = Widener::new(function, divergence, region, kinds);
    widener.params();
    widener.blocks(&order);
    widener.terminators(&order);
    let Widener { mut out, counts, .. } = widener;
    crate::edit::remove_unused(&mut out);
    Ok((out, counts))
}

fn check_result(function: &Function, kinds: &Kinds<'_>, region: &Region) -> Result<(), Declined> {
    for &b in function.blocks() {
        let Some(inst) = function.terminator(b) else { continue };
        let data = &function[inst];
        if data.op == Op::Ret
            && region.uniform_result
            && data.args.first().is_some_and(|&value| kinds.of(value) != Kind::Uniform)
        {
            let reason = "the result differs between threads";
            return Err(Declined::at(function, inst, reason, "declare the result varying"));
        }
    }
    Ok(())
}

/// The attributes of the scalar function that hold of the vector function. It has no variants of its own. What it may do to memory is
/// said of pointers that are parameters, and vectors of pointers are none for LLVM.
fn kept_attributes(src: &Function, kinds: &Kinds<'_>) -> Vec<Attr> {
    let pointer = |&&param: &&Value| src.ty(param).is_ptr() && kinds.of(param) == Kind::Lanes;
    let gone = src.params().iter().any(|param| pointer(&param));
    let keeps = |attr: &&Attr| match attr {
        Attr::Text(key, _) => !key.starts_with(b"_ZGV") && &**key != b"vector-function-abi-variant",
        attr => attr.name() != Some("memory") || !gone,
    };
    src.attrs.function.iter().filter(keeps).cloned().collect()
}

pub(crate) struct Widener<'a> {
    src: &'a Function,
    divergence: &'a Divergence<Stride>,
    region: &'a Region,
    kinds: Kinds<'a>,
    out: Function,
    /// The instruction that is being widened.
    from: Option<Inst>,
    /// The block that instructions are added to.
    block: Block,
    reps: FxHashMap<Value, Rep>,
    starts: FxHashMap<Block, Block>,
    ends: FxHashMap<Block, Block>,
    /// The φs of the widened program for each φ: one for each number.
    phis: FxHashMap<Inst, Vec<Inst>>,
    /// The mask of the block; `None` if all lanes are active.
    mask: Option<Value>,
    /// Values that were computed from the mask, by block.
    any: FxHashMap<(Value, Block), Value>,
    first: FxHashMap<(Value, Block), Value>,
    splats: FxHashMap<(Value, Block), Value>,
    strides: FxHashMap<(Value, i64, Block), Value>,
    records: Records,
    /// What is known of the fields of records: what was loaded of them, or is to be stored.
    fields: FxHashMap<(Inst, usize), Value>,
    /// Stack memory for accesses that must not happen.
    nowhere: FxHashMap<Type, Value>,
    counts: Counts,
}

impl<'a> Widener<'a> {
    fn new(
        src: &'a Function,
        divergence: &'a Divergence<Stride>,
        region: &'a Region,
        kinds: Kinds<'a>,
    ) -> Widener<'a> {
        // A function to look types up in.
        let mut out = crate::edit::empty_like(src, src.signature.clone());
        let mut params = Vec::new();
        for &param in src.params() {
            let ty = src.ty(param);
            params.push(match kinds.of(param) {
                Kind::Lanes => types::widened(&mut out, ty, region.width),
                _ => ty,
            });
        }
        let ret = match region.uniform_result {
            true => src.signature.ret,
            false => types::widened(&mut out, src.signature.ret, region.width),
        };
        let signature = Signature { ret, params: params.into(), varargs: false };
        let types = out.types;
        let mut out = Function::new(src.name.clone(), signature, types);
        out.convention = src.convention;
        out.attr_lists = src.attr_lists.clone();
        out.symbols = src.symbols.clone();
        out.sync_scopes = src.sync_scopes.clone();
        let scalar = |position: u32| {
            src.params().get(position as usize).is_some_and(|&p| kinds.of(p) == Kind::Uniform)
        };
        let kept = src.attrs.params.iter().filter(|(position, _)| scalar(*position)).cloned();
        let without_returned = |(position, attrs): (u32, Vec<lw_ir::attrs::Attr>)| {
            let attrs = attrs.into_iter().filter(|a| a.name() != Some("returned")).collect();
            (position, attrs)
        };
        out.attrs = AttrListData {
            function: kept_attributes(src, &kinds),
            ret: Vec::new(),
            params: kept.map(without_returned).collect(),
        };
        let block = out.add_block();
        let records = Records::find(src, &kinds, &region.layout, region.width);
        Widener {
            src,
            divergence,
            region,
            kinds,
            records,
            fields: FxHashMap::default(),
            out,
            from: None,
            block,
            reps: FxHashMap::default(),
            starts: FxHashMap::default(),
            ends: FxHashMap::default(),
            phis: FxHashMap::default(),
            mask: None,
            any: FxHashMap::default(),
            first: FxHashMap::default(),
            splats: FxHashMap::default(),
            strides: FxHashMap::default(),
            nowhere: FxHashMap::default(),
            counts: Counts::default(),
        }
    }

    fn params(&mut self) {
        let entry = self.src.entry().expect("the function has a body");
        self.starts.insert(entry, self.block);
        for (i, &param) in self.src.params().iter().enumerate() {
            let value = self.out.params()[i];
            self.out.set_value_name(value, self.src.value_name(param).cloned());
            let rep = match self.kinds.of(param) {
                Kind::Uniform => Rep::Uniform(value),
                Kind::Strided(stride) => Rep::Strided(value, stride),
                Kind::Lanes => self.unpacked(value, self.src.ty(param)),
            };
            self.reps.insert(param, rep);
        }
    }

    /// What stands for a value of the scalar program.
    fn rep(&mut self, value: Value) -> Rep {
        if let ValueDef::Const(constant) = self.src.def(value) {
            return Rep::Uniform(self.out.constant((**constant).clone()));
        }
        self.reps[&value].clone()
    }

    fn blocks(&mut self, order: &[Block]) {
        for &b in order {
            if !self.starts.contains_key(&b) {
                let new = self.out.add_block();
                self.out.set_block_name(new, self.src.block_name(b).cloned());
                self.starts.insert(b, new);
            }
        }
        let entry = order[0];
        self.out.set_block_name(self.starts[&entry], self.src.block_name(entry).cloned());
        for &b in order {
            self.block = self.starts[&b];
            let phis: Vec<Inst> = self.src.phis(b).collect();
            for &phi in &phis {
                self.phi(phi);
            }
            let defined_here = self.src.predicate(b).and_then(|p| self.src.def_inst(p));
            let defined_here = defined_here.filter(|&inst| self.src.block_of(inst) == Some(b));
            if defined_here.is_none_or(|inst| phis.contains(&inst)) {
                self.enter(b);
            } else {
                self.mask = None;
            }
            let body = self.src.insts(b)[phis.len()..].to_vec();
            for inst in body {
                if !self.src[inst].op.is_terminator() {
                    self.instruction(inst);
                }
                if defined_here == Some(inst) {
                    self.enter(b);
                }
            }
            self.ends.insert(b, self.block);
        }
    }

    /// From now on the mask is that of a block.
    fn enter(&mut self, b: Block) {
        self.mask = None;
        if let Some(predicate) = self.src.predicate(b) {
            let rep = self.rep(predicate);
            self.mask = Some(self.lanes(&rep));
        }
    }

    fn phi(&mut self, phi: Inst) {
        self.from = Some(phi);
        let value = self.src.result(phi);
        let ty = self.src[phi].ty;
        let flags = self.src[phi].flags;
        let mut made = Vec::new();
        let rep = match self.kinds.of(value) {
            Kind::Uniform => Rep::Uniform(self.new_phi(ty, flags, &mut made)),
            Kind::Strided(stride) => Rep::Strided(self.new_phi(ty, flags, &mut made), stride),
            Kind::Lanes => self.lane_phis(ty, &mut made),
        };
        self.name(&rep, value);
        self.phis.insert(phi, made);
        self.reps.insert(value, rep);
    }

    fn name(&mut self, rep: &Rep, value: Value) {
        if let Rep::Uniform(new) | Rep::Strided(new, _) | Rep::Lanes(new) = *rep
            && self.out.def_inst(new).is_some()
            && self.out.value_name(new).is_none()
        {
            self.out.set_value_name(new, self.src.value_name(value).cloned());
        }
    }

    fn new_phi(&mut self, ty: Type, flags: lw_ir::Flags, made: &mut Vec<Inst>) -> Value {
        let data = InstData::new(Op::Phi, ty, &[]).with_flags(flags);
        let value = self.push(data).expect("it has a type");
        made.push(self.out.def_inst(value).expect("it is a φ"));
        value
    }

    fn lane_phis(&mut self, ty: Type, made: &mut Vec<Inst>) -> Rep {
        if let Type::Scalar(_) = ty {
            let vector = self.vector(ty);
            return Rep::Lanes(self.new_phi(vector, lw_ir::Flags::NONE, made));
        }
        let elements = types::elements(&self.out, ty);
        Rep::Parts(elements.into_iter().map(|elem| self.lane_phis(elem, made)).collect())
    }

    /// The numbers that a value is made of, as vectors.
    fn leaves(&mut self, rep: &Rep, ty: Type, all: &mut Vec<Value>) {
        if let Type::Scalar(_) = ty {
            all.push(self.lanes(rep));
            return;
        }
        let elements = types::elements(&self.out, ty);
        for (part, elem) in self.parts(rep, ty).iter().zip(elements) {
            self.leaves(part, elem, all);
        }
    }

    /// The ends of blocks: what the φs of successors get, then the terminator.
    fn terminators(&mut self, order: &[Block]) {
        let entries = Entries::of(self.src);
        for &b in order {
            self.block = self.ends[&b];
            let terminator = self.src.terminator(b).expect("blocks end in terminators");
            self.from = Some(terminator);
            self.enter(b);
            for &to in self.src.successors(b) {
                for phi in self.src.phis(to) {
                    let value = entries.incoming(self.src, phi, b);
                    let rep = self.rep(value);
                    let mut values = Vec::new();
                    match self.kinds.of(self.src.result(phi)) {
                        Kind::Lanes => self.leaves(&rep, self.src[phi].ty, &mut values),
                        _ => match rep {
                            Rep::Uniform(value) | Rep::Strided(value, _) => values.push(value),
                            _ => unreachable!("φs were demoted"),
                        },
                    }
                    for (&made, value) in self.phis[&phi].clone().iter().zip(values) {
                        crate::edit::add_incoming(&mut self.out, made, value, self.block);
                    }
                }
            }
            self.terminator(terminator);
        }
    }

    fn terminator(&mut self, inst: Inst) {
        let data = &self.src[inst];
        let targets: Vec<Block> = data.targets.iter().map(|to| self.starts[to]).collect();
        let mut args: Vec<Value> = Vec::new();
        match data.op {
            Op::Ret => {
                if let Some(&value) = data.args.first() {
                    let (rep, ty) = (self.rep(value), self.src.ty(value));
                    args.push(match (&rep, self.region.uniform_result) {
                        (Rep::Uniform(value), true) => *value,
                        _ => self.packed(&rep, ty),
                    });
                }
            }
            Op::CondBr | Op::Switch => {
                let (rep, ty) = (self.rep(data.args[0]), self.src.ty(data.args[0]));
                let mut value = self.of_active(&rep, ty);
                if self.mask.is_some() {
                    value = self.op(Op::Freeze, ty, &[value]);
                }
                args.push(value);
                for &case in &data.args[1..] {
                    let Rep::Uniform(case) = self.rep(case) else { continue };
                    args.push(case);
                }
            }
            _ => {}
        }
        self.push(InstData::new(data.op.clone(), Type::Void, &args).with_targets(&targets));
    }

    fn instruction(&mut self, inst: Inst) {
        self.from = Some(inst);
        let rep = self.widened(inst);
        let Some(value) = self.src[inst].result.expand() else { return };
        let mut rep = rep.expect("it has a result");
        if self.kinds.of(value) == Kind::Uniform && !matches!(rep, Rep::Uniform(_)) {
            rep = Rep::Uniform(self.of_active(&rep, self.src[inst].ty));
        }
        self.name(&rep, value);
        self.reps.insert(value, rep);
    }

    fn widened(&mut self, inst: Inst) -> Option<Rep> {
        let data = &self.src[inst];
        match &data.op {
            Op::Alloca(_) => Some(self.alloca(inst)),
            Op::Load(_) => Some(self.load(inst)),
            Op::Store(_) => {
                self.store(inst);
                None
            }
            Op::Call(_) => self.call(inst),
            Op::Horizontal(op) => Some(self.horizontal(*op, inst)),
            Op::Mask => Some(match self.mask {
                Some(mask) => Rep::Lanes(mask),
                None => Rep::Uniform(self.out.constant(Constant::bool(true))),
            }),
            Op::Fence(_) => {
                self.push(InstData::new(data.op.clone(), Type::Void, &[]));
                None
            }
            Op::AtomicRmw(..) | Op::CmpXchg(_) => self.each_lane(inst),
            _ => Some(self.compute(inst)),
        }
    }

    /// Whether a lane is active, as a scalar.
    fn any_active(&mut self) -> Value {
        let Some(mask) = self.mask else { return self.out.constant(Constant::bool(true)) };
        if let Some(&known) = self.any.get(&(mask, self.block)) {
            return known;
        }
        let any = self.intrinsic("llvm.vector.reduce.or", &[self.out.ty(mask)], Type::I1, &[mask]);
        self.any.insert((mask, self.block), any);
        any
    }

    /// The number of the first active lane, as an `i64`.
    fn first_active(&mut self) -> Value {
        let Some(mask) = self.mask else { return self.int(Type::I64, 0) };
        if let Some(&known) = self.first.get(&(mask, self.block)) {
            return known;
        }
        let bits = self.bits_of(mask);
        let ty = self.out.ty(bits);
        let on = self.out.constant(Constant::bool(true));
        let first = self.intrinsic("llvm.cttz", &[ty], ty, &[bits, on]);
        let first = self.resize(first, Type::I64);
        self.first.insert((mask, self.block), first);
        first
    }

    /// A vector of conditions as an integer; lane 0 is the lowest bit.
    fn bits_of(&mut self, mask: Value) -> Value {
        let ty = Type::int(self.region.width);
        let mut mask = mask;
        if self.region.layout.big_endian {
            let backwards = (0..self.region.width as i32).rev().collect();
            let vector = Type::vector(Scalar::Int(1), self.region.width);
            let poison = self.poison(vector);
            mask = self.op(Op::ShuffleVector(backwards), vector, &[mask, poison]);
        }
        self.op(Op::Cast(lw_ir::ops::CastOp::BitCast), ty, &[mask])
    }
}
