//! Vectors of all lanes, and the registers they are passed in.

use super::registers::Pieces;
use lw_ir::constant::{Constant, ConstantKind};
use lw_ir::inst::{Access, AllocaInfo};
use lw_ir::ops::{BinOp, CastOp, IntPred};
use lw_ir::types::{Scalar, Type};
use lw_ir::{Builder, Flags, InstData, Op, Value};

/// Makes vectors of registers and registers of vectors.
pub(crate) struct Lanes<'f> {
    pub(crate) b: Builder<'f>,
    pub(crate) width: u32,
}

impl Lanes<'_> {
    pub(crate) fn op(&mut self, op: Op, ty: Type, args: &[Value]) -> Value {
        let inst = self.b.push(InstData::new(op, ty, args));
        self.b.function.result(inst)
    }

    pub(crate) fn shuffle(&mut self, a: Value, b: Value, mask: impl Iterator<Item = u32>) -> Value {
        let mask: Box<[i32]> = mask.map(|lane| lane as i32).collect();
        let scalar = self.b.function.ty(a).scalar().expect("a vector has elements");
        let ty = Type::vector(scalar, mask.len() as u32);
        self.op(Op::ShuffleVector(mask), ty, &[a, b])
    }

    /// All lanes as one vector.
    pub(crate) fn join(&mut self, parts: &[Value], pieces: Pieces) -> Value {
        let whole = Type::vector(pieces.element, pieces.lanes);
        let mut parts: Vec<Value> = parts.iter().map(|&part| self.as_vector(part, whole)).collect();
        let mut lanes = pieces.lanes;
        while parts.len() > 1 {
            parts = parts.chunks(2).map(|two| self.shuffle(two[0], two[1], 0..2 * lanes)).collect();
            lanes *= 2;
        }
        parts[0]
    }

    fn as_vector(&mut self, part: Value, ty: Type) -> Value {
        match self.b.function.ty(part) {
            Type::Scalar(_) => self.b.cast(CastOp::BitCast, part, ty),
            _ => part,
        }
    }

    /// The registers of a vector of all lanes.
    pub(crate) fn cut(&mut self, value: Value, pieces: Pieces) -> Vec<Value> {
        let value = self.as_type(value, Type::vector(pieces.element, self.width));
        let poison = self.b.function.constant(Constant::poison(self.b.function.ty(value)));
        let one = |at: &mut Self, i: u32| {
            let first = i * pieces.lanes;
            let part = match pieces.count {
                1 => value,
                _ => at.shuffle(value, poison, first..first + pieces.lanes),
            };
            match pieces.ty {
                Type::Scalar(_) => at.b.cast(CastOp::BitCast, part, pieces.ty),
                _ => part,
            }
        };
        (0..pieces.count).map(|i| one(self, i)).collect()
    }

    /// Bytes as bits and back; everything else is of its type already.
    pub(crate) fn as_type(&mut self, value: Value, ty: Type) -> Value {
        let from = self.b.function.ty(value);
        if from == ty {
            return value;
        }
        match (from.int_bits(), ty.int_bits()) {
            (Some(8), Some(1)) => {
                let zero = self.zero(value);
                self.b.icmp(IntPred::Ne, value, zero)
            }
            _ => self.b.cast(CastOp::ZExt, value, ty),
        }
    }

    pub(crate) fn zero(&mut self, like: Value) -> Value {
        let ty = self.b.function.ty(like);
        self.b.constant(Constant::zero(ty))
    }

    pub(crate) fn splat(&mut self, scalar: Value) -> Value {
        let ty = self.b.function.ty(scalar).scalar().map(|s| Type::vector(s, self.width));
        let ty = ty.expect("only numbers and pointers are linear");
        let poison = self.b.constant(Constant::poison(ty));
        let zero = self.b.int(Type::I64, 0);
        let first = self.op(Op::InsertElement, ty, &[poison, scalar, zero]);
        self.shuffle(first, poison, std::iter::repeat_n(0, self.width as usize))
    }

    fn numbers(&mut self, ty: Type) -> Value {
        let each = |lane: u32| Constant::int(ty, i128::from(lane));
        let all = (0..self.width).map(each).collect();
        let scalar = ty.scalar().expect("a number");
        let ty = Type::vector(scalar, self.width);
        self.b.constant(Constant { ty, kind: ConstantKind::Aggregate(all) })
    }

    /// `first`, `first + step`, …; of pointers in bytes.
    pub(crate) fn steps(&mut self, first: Value, step: Value) -> Value {
        let ty = self.b.function.ty(first);
        let wide = match ty {
            Type::Scalar(Scalar::Ptr(_)) => Type::I64,
            ty => ty,
        };
        let (have, want) = (self.b.function.ty(step).int_bits(), wide.int_bits());
        let step = match have.cmp(&want) {
            std::cmp::Ordering::Less => self.b.cast(CastOp::SExt, step, wide),
            std::cmp::Ordering::Equal => step,
            std::cmp::Ordering::Greater => self.b.cast(CastOp::Trunc, step, wide),
        };
        let (steps, lanes) = (self.splat(step), self.numbers(wide));
        let offsets = self.b.binary(BinOp::Mul, steps, lanes);
        match ty {
            Type::Scalar(Scalar::Ptr(_)) => self.b.gep(Type::I8, Flags::NONE, first, &[offsets]),
            _ => {
                let first = self.splat(first);
                self.b.binary(BinOp::Add, first, offsets)
            }
        }
    }

    /// Memory with a value for each lane: what `first` points to, and so much more for each lane.
    pub(crate) fn values(&mut self, first: Value, bytes: u64, step: i64) -> Value {
        let ty = Type::int(bytes as u32 * 8);
        let value = self.b.load(ty, first, Access::aligned(bytes));
        let step = self.b.int(ty, step.into());
        let all = self.steps(value, step);
        let info = AllocaInfo { ty: Type::I8, align_log2: 6, inalloca: false, swifterror: false };
        let count = self.b.int(Type::I64, i128::from(bytes) * i128::from(self.width));
        let room = self.op(Op::Alloca(Box::new(info)), Type::PTR, &[count]);
        self.b.store(all, room, Access::aligned(bytes));
        room
    }

    /// The lanes whose bit is set.
    pub(crate) fn bits(&mut self, bits: Value) -> Value {
        let narrow = match self.b.function.ty(bits).int_bits() {
            Some(have) if have > self.width => {
                self.b.cast(CastOp::Trunc, bits, Type::int(self.width))
            }
            _ => bits,
        };
        self.b.cast(CastOp::BitCast, narrow, Type::vector(Scalar::Int(1), self.width))
    }
}
