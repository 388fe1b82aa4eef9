//! Variants for scalable vectors.
//!
//! How many lanes there are is known when the program runs: `vscale` times as many as 128 bits hold of the widest value of the
//! function. The function is vectorized for those 128 bits, and executed for one piece of the arguments after the other.

use super::entry::Entry;
use super::lanes::Lanes;
use super::name::{Isa, ParamKind, VariantName};
use super::plan::Arrives;
use crate::decline::Declined;
use crate::edit;
use crate::loops::{Step, advance_by};
use lw_ir::inst::{Access, AllocaInfo};
use lw_ir::ops::{BinOp, CastOp, IntPred};
use lw_ir::types::{Scalar, Type};
use lw_ir::{Block, Builder, DataLayout, Flags, Function, Op, Value};
use rustc_hash::FxHashMap;

/// How many lanes 128 bits have in a variant: as many as they hold of the widest value of the function.
pub(super) fn lanes(
    function: &Function,
    variant: &VariantName,
    layout: &DataLayout,
) -> Result<u32, Declined> {
    match sizes(function, variant, layout).into_iter().max() {
        Some(widest @ (1 | 2 | 4 | 8)) => Ok(16 / widest as u32),
        _ => {
            let reason = format!("a parameter or the result of `{variant}` has no lanes");
            Err(Declined::region(reason, "pass and return numbers and pointers"))
        }
    }
}

/// The NEON variant that gcc before 14 makes, and calls, in place of one: it counts lanes by what is passed and returned in vectors, also where
/// something uniform or linear is narrower. Where vectors have elements of several sizes it makes none.
fn counted_by_vectors(
    function: &Function,
    variant: &VariantName,
    layout: &DataLayout,
) -> Option<VariantName> {
    let sizes = sizes(function, variant, layout);
    let narrowest = sizes.iter().copied().min()?;
    let kinds = variant.params.iter().map(|&(kind, _)| kind.is_vector());
    let mut vectors =
        sizes.iter().zip(kinds.chain([true])).filter(|&(_, vector)| vector).map(|(&size, _)| size);
    let size = vectors.next()?;
    // Nobody sees here whether there was a `simdlen`, with which both count alike. Then nobody calls this one.
    let bytes = u64::from(variant.lanes?) * narrowest;
    let lanes = u32::try_from(bytes / size).ok()?;
    let differ =
        size > narrowest && (bytes == 8 || bytes == 16) && vectors.all(|other| other == size);
    (differ && lanes > 1).then(|| VariantName { lanes: Some(lanes), ..variant.clone() })
}

/// The bytes of a lane of each parameter, and of the result.
fn sizes(function: &Function, variant: &VariantName, layout: &DataLayout) -> Vec<u64> {
    let types = &function.signature.params;
    let size = |(i, (&ty, &(kind, _))): (usize, (&Type, &(ParamKind, Option<u64>)))| match ty {
        Type::Scalar(Scalar::Ptr(_)) if !kind.is_vector() => referenced(function, i, layout),
        ty => layout.alloc_size(&function.types, ty),
    };
    let params = types.iter().zip(&variant.params).enumerate().map(size);
    let ret = match function.signature.ret {
        Type::Void => None,
        ty => Some(layout.alloc_size(&function.types, ty)),
    };
    params.chain(ret).map(|size| size.unwrap_or(16)).collect()
}

/// The variants for NEON beside another one, which clang does not name, but gcc calls: beside one for scalable vectors those that clang names only
/// without SVE, as many lanes as 64 and 128 bits hold of the narrowest value, with and without a mask; and those whose lanes older
/// gcc counts differently.
pub fn neon_variants(
    function: &Function,
    variant: &VariantName,
    layout: &DataLayout,
) -> Vec<VariantName> {
    let fits = function.signature.params.len() == variant.params.len();
    if fits && variant.isa == Isa::Neon {
        return counted_by_vectors(function, variant, layout).into_iter().collect();
    }
    if variant.isa != Isa::Sve || !fits {
        return Vec::new();
    }
    let narrowest = sizes(function, variant, layout).into_iter().min().unwrap_or(4);
    let lanes: Vec<u32> = match (variant.lanes, narrowest) {
        (Some(lanes), _) => vec![lanes],
        (None, 1) => vec![8, 16],
        (None, 2) => vec![4, 8],
        (None, 3..=4) => vec![2, 4],
        _ => vec![2],
    };
    let with = |masked, lanes| VariantName {
        isa: Isa::Neon,
        masked,
        lanes: Some(lanes),
        ..variant.clone()
    };
    let both = lanes.into_iter().flat_map(|lanes| [with(false, lanes), with(true, lanes)]);
    both.flat_map(|name| [counted_by_vectors(function, &name, layout), Some(name)])
        .flatten()
        .collect()
}

/// The size of what a pointer that is a parameter points to. LLVM's pointers have no types: it is the size of what is loaded and stored
/// there, if that is always the same, else that of the pointer.
fn referenced(function: &Function, param: usize, layout: &DataLayout) -> Option<u64> {
    let mut addresses = vec![function.params()[param]];
    let mut sizes = Vec::new();
    for (_, inst) in function.all_insts() {
        let data = &function[inst];
        let accessed = match &data.op {
            Op::Gep(_) if addresses.contains(&data.args[0]) => {
                addresses.extend(data.result.expand());
                continue;
            }
            Op::Load(_) if addresses.contains(&data.args[0]) => data.ty,
            Op::Store(_) if addresses.contains(&data.args[1]) => function.ty(data.args[0]),
            _ => continue,
        };
        sizes.push(layout.alloc_size(&function.types, accessed));
    }
    match sizes.first() {
        Some(&size) if sizes.iter().all(|&other| other == size) => size,
        _ => Some(8),
    }
}

/// Memory with the lanes of a value.
#[derive(Clone, Copy)]
struct Stored {
    at: Value,
    /// A piece of it: as many lanes as 128 bits have.
    piece: Type,
    bytes: u64,
}

impl Entry<'_> {
    /// The function that does what `vector` does for each piece of its arguments.
    pub(super) fn scalable(&self, function: &Function, vector: &Function) -> Function {
        let mut out = self.declaration(function, vector);
        let arguments = out.params().to_vec();
        let first = out.add_named_block("arguments");
        let each = out.add_named_block("piece");
        let mut at = Lanes { b: Builder::new(&mut out), width: self.plan.lanes };
        at.b.switch_to(first);
        let stored: Vec<Option<Stored>> =
            arguments.iter().map(|&argument| self.store(&mut at, argument)).collect();
        let result = self.plan.result.map(|pieces| {
            let at = scalable_room(&mut at, pieces.ty);
            let piece = Type::vector(pieces.element, self.plan.lanes);
            Stored { at, piece, bytes: pieces.bytes(self.layout) }
        });
        let rooms: Vec<Option<Value>> = (self.plan.params.iter())
            .map(|&arrives| match arrives {
                Arrives::Values(bytes, _) => Some(at.room(bytes * u64::from(self.plan.lanes))),
                _ => None,
            })
            .collect();
        let (_, ty, vscale) = at.b.declare("llvm.vscale.i64", Type::I64, &[]);
        let vscale = at.b.call(ty, vscale, &[]).expect("it is a number");
        let none = at.b.int(Type::I64, 0);
        at.b.br(each);
        at.b.switch_to(each);
        let number = at.b.phi(Type::I64, &[(none, first)]);
        let in_piece = at.b.int(Type::I64, self.plan.lanes.into());
        let lane = at.b.binary(BinOp::Mul, number, in_piece);
        let mut values: FxHashMap<Value, Value> = FxHashMap::default();
        for (i, &param) in vector.params().iter().enumerate().take(self.plan.params.len()) {
            let value = match (stored[i], self.plan.params[i]) {
                (Some(stored), _) => load(&mut at, stored, number),
                (None, Arrives::Steps(step)) => {
                    let step = at.step_of(arguments[i], arguments[step as usize]);
                    let start = advance_by(&mut at.b, arguments[i], Step::Value(step), lane);
                    at.steps(start, step)
                }
                (None, Arrives::Values(bytes, step)) => {
                    let room = rooms[i].expect("it was made for this");
                    let ty = Type::int(bytes as u32 * 8);
                    let start = at.b.load(ty, arguments[i], Access::aligned(bytes));
                    let start = advance_by(&mut at.b, start, Step::Constant(step.into()), lane);
                    at.fill(room, start, bytes, step);
                    room
                }
                (None, _) => match self.plan.variant.params[i].0.step() {
                    Some(super::Step::Constant(step)) => {
                        advance_by(&mut at.b, arguments[i], Step::Constant(step.into()), lane)
                    }
                    _ => arguments[i],
                },
            };
            values.insert(param, at.as_type(value, vector.ty(param)));
        }
        if let (Some(_), Some(&param)) = (self.plan.mask, vector.params().last()) {
            let stored = stored.last().copied().flatten().expect("a mask is a vector");
            let mask = load(&mut at, stored, number);
            values.insert(param, at.as_type(mask, vector.ty(param)));
        }
        let blocks = edit::copy_body(vector, &mut out, values);
        let body = blocks[&vector.entry().expect("it has a body")];
        edit::jump(&mut out, each, body);
        edit::hoist_stack(&mut out, body);
        let (again, end) = (out.add_named_block("next"), out.add_named_block("end"));
        for &b in blocks.values() {
            self.keep_result(&mut out, b, result, number, again);
        }
        let mut b = Builder::new(&mut out);
        b.switch_to(again);
        let one = b.int(Type::I64, 1);
        let next = b.binary(BinOp::Add, number, one);
        let more = b.icmp(IntPred::Ult, next, vscale);
        b.cond_br(more, each, end);
        b.add_incoming(number, next, again);
        b.switch_to(end);
        let all = self.plan.result.zip(result);
        let all = all.map(|(pieces, stored)| b.load(pieces.ty, stored.at, Access::aligned(16)));
        b.ret(all);
        out
    }

    /// Stores an argument that is a scalable vector. Of a mask, a byte for each lane.
    fn store(&self, at: &mut Lanes<'_>, argument: Value) -> Option<Stored> {
        let Type::Vector(element, lanes) = at.b.function.ty(argument) else { return None };
        let (value, element) = match element {
            Scalar::Int(1) => {
                let byte = Scalar::Int(8);
                (at.b.cast(CastOp::ZExt, argument, Type::Vector(byte, lanes)), byte)
            }
            other => (argument, other),
        };
        let room = scalable_room(at, Type::Vector(element, lanes));
        at.b.store(value, room, Access::aligned(16));
        let piece = Type::vector(element, self.plan.lanes);
        let bytes = u64::from(self.plan.lanes * self.layout.scalar_bits(element)) / 8;
        Some(Stored { at: room, piece, bytes })
    }

    /// Stores what a block of the body returns, and goes on.
    fn keep_result(
        &self,
        out: &mut Function,
        b: Block,
        result: Option<Stored>,
        number: Value,
        to: Block,
    ) {
        let Some(ret) = out.terminator(b).filter(|&inst| out[inst].op == Op::Ret) else { return };
        let value = out[ret].args.first().copied();
        out.erase(ret);
        let mut at = Lanes { b: Builder::new(out), width: self.plan.lanes };
        at.b.switch_to(b);
        if let (Some(value), Some(stored)) = (value, result) {
            let value = at.as_type(value, stored.piece);
            let address = address(&mut at, stored, number);
            at.b.store(value, address, Access::aligned(stored.bytes));
        }
        at.b.br(to);
    }
}

/// Stack memory for a scalable vector.
fn scalable_room(at: &mut Lanes<'_>, ty: Type) -> Value {
    let info = AllocaInfo { ty, align_log2: 4, inalloca: false, swifterror: false };
    let one = at.b.int(Type::I64, 1);
    at.op(Op::Alloca(Box::new(info)), Type::PTR, &[one])
}

/// Where a piece lies.
fn address(at: &mut Lanes<'_>, stored: Stored, number: Value) -> Value {
    let bytes = at.b.int(Type::I64, stored.bytes.into());
    let offset = at.b.binary(BinOp::Mul, number, bytes);
    at.b.gep(Type::I8, Flags::NONE, stored.at, &[offset])
}

fn load(at: &mut Lanes<'_>, stored: Stored, number: Value) -> Value {
    let address = address(at, stored, number);
    at.b.load(stored.piece, address, Access::aligned(stored.bytes))
}
