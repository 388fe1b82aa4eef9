//! What becomes of each value: one number for all lanes, a number and a stride, a vector, or parts.
//!
//! A *uniform* value is a scalar. A *strided* one is a scalar too, that of lane 0; lane t has `stride · t` more. Additions and their
//! like keep strides whatever lane 0 does. Other operations on strided values are computed on lane 0 only if lane 0 has a value at
//! all: if the value is *full*, which those of blocks without a predicate are, and is not poison while other lanes are not.
//!
//! φs start as the analysis has them and are demoted where an operand does not fit.

use super::intrinsics;
use crate::address::offsets;
use crate::callee;
use crate::region::Region;
use cranelift_entity::EntityRef;
use lw_divergence::{Divergence, Object, Stride};
use lw_ir::constant::Constant;
use lw_ir::ops::{BinOp, CastOp, Horizontal, IntPred};
use lw_ir::types::{Scalar, Type};
use lw_ir::{Block, Flags, Function, Inst, Op, Value, ValueDef};
use rustc_hash::FxHashSet;

/// What becomes of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// One scalar for all lanes.
    Uniform,
    /// A scalar for lane 0, and by how much each lane is larger than the one before.
    Strided(i64),
    /// A vector; for vectors, arrays and structs, whatever their elements become.
    Lanes,
}

pub(super) struct Kinds<'a> {
    function: &'a Function,
    divergence: &'a Divergence<Stride>,
    region: &'a Region,
    /// The stack objects that lanes share though they differ: no two use the same byte.
    interleaved: &'a FxHashSet<Inst>,
    kinds: Vec<Kind>,
    /// Whether the kind was computed; until then it fits.
    known: Vec<bool>,
    full: Vec<bool>,
}

impl<'a> Kinds<'a> {
    pub(super) fn infer(
        function: &'a Function,
        divergence: &'a Divergence<Stride>,
        region: &'a Region,
        interleaved: &'a FxHashSet<Inst>,
        order: &[Block],
    ) -> Kinds<'a> {
        let count = function.value_count();
        let mut this = Kinds {
            function,
            divergence,
            region,
            interleaved,
            kinds: vec![Kind::Lanes; count],
            known: vec![true; count],
            full: vec![true; count],
        };
        for value in (0..count).map(Value::new) {
            this.kinds[value.index()] = match function.def(value) {
                ValueDef::Const(_) => Kind::Uniform,
                ValueDef::Param(position) => {
                    this.of_shape(function.ty(value), region.param(*position as usize))
                }
                ValueDef::Inst(inst) if function[*inst].op == Op::Phi => {
                    let fact = divergence.fact(value);
                    if this.is_one(value) {
                        Kind::Uniform
                    } else if fact.own.iter().all(|object| this.is_shared(object)) {
                        this.of_shape(function.ty(value), fact.shape)
                    } else {
                        Kind::Lanes
                    }
                }
                ValueDef::Inst(_) => {
                    this.known[value.index()] = false;
                    Kind::Lanes
                }
            };
        }
        this.round(order);
        while this.round(order) {}
        this
    }

    pub(super) fn of(&self, value: Value) -> Kind {
        self.kinds[value.index()]
    }

    fn of_shape(&self, ty: Type, shape: Stride) -> Kind {
        let strided = matches!(ty, Type::Scalar(Scalar::Int(1..=64) | Scalar::Ptr(_)));
        match shape.stride() {
            Some(0) => Kind::Uniform,
            Some(stride) if strided => Kind::Strided(stride),
            _ => Kind::Lanes,
        }
    }

    /// Whether the widened program has one of it: it is uniform, or the address of a stack object that all threads share.
    fn is_one(&self, value: Value) -> bool {
        let fact = self.divergence.fact(value);
        if fact.is_bottom() {
            return false;
        }
        match fact.own.is_empty() {
            true => fact.is_uniform(),
            false => fact.shape.stride() == Some(0) && fact.own.iter().all(|o| self.is_shared(o)),
        }
    }

    /// Whether the widened program has one object for all lanes.
    fn is_shared(&self, object: Object) -> bool {
        self.is_one_object(self.divergence.alloca(object))
    }

    fn is_one_object(&self, alloca: Inst) -> bool {
        self.divergence.is_uniform_object(alloca) || self.interleaved.contains(&alloca)
    }

    /// Recomputes all; whether a φ was demoted.
    fn round(&mut self, order: &[Block]) -> bool {
        let mut changed = false;
        for &b in order {
            for &inst in self.function.insts(b) {
                let Some(result) = self.function[inst].result.expand() else { continue };
                let at = result.index();
                if self.function[inst].op == Op::Phi {
                    let full = self.phi_is_full(b, inst);
                    let kind = self.phi(inst, self.kinds[at]);
                    changed |= full != self.full[at] || kind != self.kinds[at];
                    self.full[at] = full && self.full[at];
                    self.kinds[at] = kind;
                } else {
                    self.full[at] = self.is_full(b, inst);
                    self.kinds[at] = self.kind(b, inst, result);
                    self.known[at] = true;
                }
            }
        }
        changed
    }

    fn phi(&self, phi: Inst, kind: Kind) -> Kind {
        let data = &self.function[phi];
        let fits = |&arg: &Value| {
            let unknown = !self.known[arg.index()];
            unknown || self.of(arg) == kind || crate::edit::is_poison(self.function, arg)
        };
        match kind {
            Kind::Lanes => kind,
            _ if data.args[..data.targets.len()].iter().all(fits) => kind,
            _ => Kind::Lanes,
        }
    }

    fn phi_is_full(&self, b: Block, phi: Inst) -> bool {
        let data = &self.function[phi];
        let full =
            |&arg: &Value| self.full[arg.index()] && !crate::edit::is_poison(self.function, arg);
        self.full[self.function.result(phi).index()]
            && self.function.predicate(b).is_none()
            && data.args[..data.targets.len()].iter().all(full)
    }

    fn is_full(&self, b: Block, inst: Inst) -> bool {
        let data = &self.function[inst];
        let operands = || data.args.iter().all(|arg| self.full[arg.index()]);
        match data.op {
            Op::Load(_) | Op::Call(_) | Op::AtomicRmw(..) | Op::CmpXchg(_) | Op::Alloca(_) => {
                self.function.predicate(b).is_none() && operands()
            }
            _ => operands(),
        }
    }

    fn kind(&self, b: Block, inst: Inst, result: Value) -> Kind {
        let data = &self.function[inst];
        let all_one = || data.args.iter().all(|&arg| self.of(arg) == Kind::Uniform);
        let found = match &data.op {
            Op::Alloca(_) => match self.is_one_object(inst) {
                true => Kind::Uniform,
                false => Kind::Strided(self.slot(inst)),
            },
            Op::Load(access) => {
                let once = access.is_simple() && all_one();
                if once && self.is_one(result) { Kind::Uniform } else { Kind::Lanes }
            }
            Op::Horizontal(op) => return self.horizontal(*op, inst),
            Op::Mask => match self.function.predicate(b) {
                None => Kind::Uniform,
                Some(_) => Kind::Lanes,
            },
            Op::Call(_) => {
                let name = callee::name(self.function, inst).unwrap_or_default();
                if intrinsics::copies_first(name) {
                    self.of(data.args[1])
                } else if all_one()
                    && (intrinsics::is_lanewise(name)
                        || crate::calls::math::known(self.function, inst).is_some())
                {
                    Kind::Uniform
                } else {
                    Kind::Lanes
                }
            }
            Op::AtomicRmw(..) | Op::CmpXchg(_) => Kind::Lanes,
            _ if all_one() => Kind::Uniform,
            Op::ICmp(IntPred::Eq | IntPred::Ne)
                if self.of(data.args[0]) == self.of(data.args[1])
                    && self.of(data.args[0]) != Kind::Lanes =>
            {
                Kind::Uniform
            }
            _ => self.strided(inst, result).unwrap_or(Kind::Lanes),
        };
        // What is uniform is taken from a lane that is active, if that lane cannot be poison while others are not. Of what is
        // total, any lane may be looked at later.
        let fact = self.divergence.fact(result);
        if !data.total && fact.is_uniform() && !fact.is_bottom() && !fact.shape.partial() {
            return Kind::Uniform;
        }
        found
    }

    fn horizontal(&self, op: Horizontal, inst: Inst) -> Kind {
        let data = &self.function[inst];
        match op {
            Horizontal::Lane => match data.ty {
                Type::Scalar(Scalar::Int(1..=64)) => Kind::Strided(1),
                _ => Kind::Lanes,
            },
            Horizontal::Extract | Horizontal::Shuffle => match self.of(data.args[1]) {
                Kind::Uniform => Kind::Uniform,
                _ => Kind::Lanes,
            },
            Horizontal::Insert | Horizontal::Compact => Kind::Lanes,
            _ => Kind::Uniform,
        }
    }

    /// The size in bytes of what one lane has of a stack object.
    pub(super) fn slot(&self, alloca: Inst) -> i64 {
        let Op::Alloca(info) = &self.function[alloca].op else { return 0 };
        let count = self.function.as_constant(self.function[alloca].args[0]);
        let count = count.and_then(Constant::as_u128).unwrap_or(1).min(1 << 32) as u64;
        let size = self.region.layout.alloc_size(&self.function.types, info.ty).unwrap_or(1);
        (size * count).max(1).next_multiple_of(1 << info.align_log2) as i64
    }

    fn stride(&self, value: Value) -> Option<i64> {
        match self.of(value) {
            Kind::Uniform => Some(0),
            Kind::Strided(stride) => Some(stride),
            Kind::Lanes => None,
        }
    }

    /// The stride of the result of an operation that keeps strides, modulo 2ⁿ: whatever lane 0 does, the result is computed from
    /// what operands are there, without flags.
    pub(super) fn ring(&self, inst: Inst) -> Option<i64> {
        let data = &self.function[inst];
        let bits = match data.ty {
            Type::Scalar(Scalar::Int(bits @ 1..=64)) => bits,
            Type::Scalar(Scalar::Ptr(space)) => self.region.layout.pointer_bits(space),
            _ => return None,
        };
        let integer = |value: Value| {
            let c = self.function.as_constant(value)?;
            i64::try_from(c.as_i128()?).ok()
        };
        let of = |i: usize| self.stride(data.args[i]);
        let ring = match &data.op {
            Op::Binary(BinOp::Add) => of(0)?.checked_add(of(1)?),
            Op::Binary(BinOp::Or) if data.flags.contains(Flags::DISJOINT) => {
                of(0)?.checked_add(of(1)?)
            }
            Op::Binary(BinOp::Sub) => of(0)?.checked_sub(of(1)?),
            Op::Binary(BinOp::Mul) => match (integer(data.args[0]), integer(data.args[1])) {
                (Some(factor), _) => of(1)?.checked_mul(factor),
                (_, Some(factor)) => of(0)?.checked_mul(factor),
                _ => None,
            },
            Op::Binary(BinOp::Shl) => integer(data.args[1])
                .filter(|shift| (0..i64::from(bits.min(63))).contains(shift))
                .and_then(|shift| of(0)?.checked_mul(1 << shift)),
            Op::Cast(CastOp::Trunc) => of(0),
            Op::Cast(CastOp::PtrToInt | CastOp::PtrToAddr | CastOp::IntToPtr) => {
                of(0).filter(|_| self.width(data.args[0]) == Some(bits))
            }
            Op::Cast(CastOp::SExt) => self.extended(data.args[0]),
            // On lanes that are not poison the sign is zero.
            Op::Cast(CastOp::ZExt) if data.flags.contains(Flags::NNEG) => {
                self.extended(data.args[0])
            }
            Op::Gep(_) => self.address(inst),
            Op::Select if self.of(data.args[0]) == Kind::Uniform && of(1) == of(2) => of(1),
            _ => None,
        };
        ring.map(|stride| stride << (64 - bits) >> (64 - bits))
    }

    /// The kind of an operation on numbers of which some have a stride.
    fn strided(&self, inst: Inst, result: Value) -> Option<Kind> {
        let data = &self.function[inst];
        if let Some(stride) = self.ring(inst) {
            return Some(if stride == 0 { Kind::Uniform } else { Kind::Strided(stride) });
        }
        // On lane 0, if it has a value.
        let fact = self.divergence.fact(result);
        let pure = matches!(data.op, Op::Binary(op) if !op.may_trap())
            || matches!(data.op, Op::Cast(_) | Op::Gep(_));
        let operands = data.args.iter().all(|&a| self.stride(a).is_some());
        // Lane 0 may be poison while others are not: then what was computed on it says nothing about them.
        let whole = |value: Value| {
            self.function.as_constant(value).is_some() || !self.divergence.shape(value).partial()
        };
        let operands = operands && whole(result) && data.args.iter().all(|&a| whole(a));
        if pure && operands && fact.own.is_empty() && self.full[result.index()] {
            return match self.of_shape(data.ty, fact.shape) {
                Kind::Strided(stride) => Some(Kind::Strided(stride)),
                _ => None,
            };
        }
        None
    }

    /// The stride of a number that is known exactly on lane 0, as a signed number, and of which no lane wraps.
    pub(super) fn exact_stride(&self, value: Value) -> Option<i64> {
        if self.function.as_constant(value).is_some() {
            return Some(0);
        }
        let shape = self.divergence.shape(value);
        match (self.of(value), shape) {
            (Kind::Uniform, _) if !shape.partial() => Some(0),
            (Kind::Strided(kind), Stride::Strided { stride, exact: true, partial: false, .. })
                if kind == stride && self.full[value.index()] =>
            {
                Some(stride)
            }
            _ => None,
        }
    }

    /// The stride of the sign extension of a number, if it has one.
    ///
    /// `sext (x + y)` is `sext x + sext y` on all lanes on which `x + y` does not overflow; on others `add nsw` is poison, and
    /// may be anything. So the extension is computed from operands that are known exactly, in the wide type, where lane 0 may
    /// leave the range of the narrow one and still say what other lanes have. Likewise for other operations that are exact in ℤ.
    fn extended(&self, value: Value) -> Option<i64> {
        if let Some(stride) = self.exact_stride(value) {
            return Some(stride);
        }
        match self.in_integers(value)? {
            (BinOp::Add, a, b) => self.extended(a)?.checked_add(self.extended(b)?),
            (BinOp::Sub, a, b) => self.extended(a)?.checked_sub(self.extended(b)?),
            (_, a, b) => {
                let factor = self.function.as_constant(b)?.as_i128()?;
                self.extended(a)?.checked_mul(i64::try_from(factor).ok()?)
            }
        }
    }

    /// An addition, subtraction, or multiplication by a constant that holds for the signed numbers, or is poison.
    pub(super) fn in_integers(&self, value: Value) -> Option<(BinOp, Value, Value)> {
        let data = &self.function[self.function.def_inst(value)?];
        let constant = |v: Value| self.function.as_constant(v).is_some();
        let nsw = data.flags.contains(Flags::NSW);
        match data.op {
            Op::Binary(op @ (BinOp::Add | BinOp::Sub)) if nsw => {
                Some((op, data.args[0], data.args[1]))
            }
            Op::Binary(BinOp::Or) if data.flags.contains(Flags::DISJOINT) => {
                Some((BinOp::Add, data.args[0], data.args[1]))
            }
            Op::Binary(BinOp::Mul) if nsw && constant(data.args[1]) => {
                Some((BinOp::Mul, data.args[0], data.args[1]))
            }
            _ => None,
        }
    }

    fn width(&self, value: Value) -> Option<u32> {
        match self.function.ty(value) {
            Type::Scalar(Scalar::Int(bits)) => Some(bits),
            Type::Scalar(Scalar::Ptr(space)) => Some(self.region.layout.pointer_bits(space)),
            _ => None,
        }
    }

    /// The stride of an address whose indices are as wide as it is.
    fn address(&self, inst: Inst) -> Option<i64> {
        let data = &self.function[inst];
        let Type::Scalar(Scalar::Ptr(space)) = data.ty else { return None };
        let index_bits = self.region.layout.index_bits(space);
        if index_bits != 64 {
            return None;
        }
        let mut stride = self.stride(data.args[0])?;
        let offsets = offsets(&self.region.layout, self.function, inst);
        for (&index, offset) in data.args[1..].iter().zip(offsets) {
            match self.stride(index)? {
                0 => {}
                step if self.width(index) == Some(64) => {
                    stride = stride.checked_add(step.checked_mul(offset?.unit())?)?;
                }
                _ => return None,
            }
        }
        Some(stride)
    }
}
