//! Vectors of all lanes, and the registers they are passed in.

use super::registers::{Passing, Pieces};
use lw_ir::constant::{Constant, ConstantKind};
use lw_ir::inst::{Access, AllocaInfo};
use lw_ir::ops::{BinOp, CastOp, IntPred};
use lw_ir::types::{Scalar, Type};
use lw_ir::{Builder, DataLayout, Flags, InstData, Op, Value};

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
        let mut parts: Vec<Value> = parts.iter().map(|&part| self.lanes_in(part, pieces)).collect();
        let mut lanes = pieces.lanes;
        while parts.len() > 1 {
            parts = parts.chunks(2).map(|two| self.shuffle(two[0], two[1], 0..2 * lanes)).collect();
            lanes *= 2;
        }
        parts[0]
    }

    fn lanes_in(&mut self, part: Value, pieces: Pieces) -> Value {
        match pieces.ty {
            Type::Vector(_, lanes) if lanes.count == pieces.lanes => part,
            Type::Vector(..) => self.shuffle(part, part, 0..pieces.lanes),
            _ => {
                let vector = Type::vector(pieces.element, pieces.lanes);
                self.b.cast(CastOp::BitCast, part, vector)
            }
        }
    }

    fn register_of(&mut self, part: Value, pieces: Pieces) -> Value {
        match pieces.ty {
            Type::Vector(_, lanes) if lanes.count == pieces.lanes => part,
            // What is in the lanes that are not used does not matter.
            Type::Vector(_, lanes) => {
                self.shuffle(part, part, (0..lanes.count).map(|lane| lane % pieces.lanes))
            }
            ty => self.b.cast(CastOp::BitCast, part, ty),
        }
    }

    /// The pieces of a value that was passed, or returned; `next` gives what is passed.
    pub(crate) fn received(
        &mut self,
        pieces: Pieces,
        passing: Passing,
        layout: &DataLayout,
        mut next: impl FnMut() -> Value,
    ) -> Vec<Value> {
        let count = 0..pieces.count;
        match passing {
            Passing::Each => count.map(|_| next()).collect(),
            Passing::Array => {
                let all = next();
                count.map(|i| self.op(Op::ExtractValue([i].into()), pieces.ty, &[all])).collect()
            }
            Passing::Memory => {
                let (room, bytes) = (next(), pieces.bytes(layout));
                count
                    .map(|i| {
                        let address = self.behind(room, u64::from(i) * bytes);
                        self.b.load(pieces.ty, address, Access::aligned(bytes))
                    })
                    .collect()
            }
        }
    }

    /// What is passed, or returned, for the pieces of a value; `room` is memory for them.
    pub(crate) fn passed(
        &mut self,
        parts: Vec<Value>,
        pieces: Pieces,
        passing: Passing,
        layout: &DataLayout,
        room: impl FnOnce() -> Value,
    ) -> Vec<Value> {
        match passing {
            Passing::Each => parts,
            Passing::Array => {
                let ty = self.b.function.types.array(pieces.ty, parts.len() as u64);
                let mut all = self.b.constant(Constant::poison(ty));
                for (i, part) in parts.into_iter().enumerate() {
                    all = self.op(Op::InsertValue([i as u32].into()), ty, &[all, part]);
                }
                vec![all]
            }
            Passing::Memory => {
                let (room, bytes) = (room(), pieces.bytes(layout));
                for (i, part) in parts.into_iter().enumerate() {
                    let address = self.behind(room, i as u64 * bytes);
                    self.b.store(part, address, Access::aligned(bytes));
                }
                vec![room]
            }
        }
    }

    /// An address so many bytes further.
    fn behind(&mut self, address: Value, bytes: u64) -> Value {
        let offset = self.b.int(Type::I64, bytes.into());
        self.b.gep(Type::I8, Flags::NONE, address, &[offset])
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
            at.register_of(part, pieces)
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

    /// A step as a number that can be added to a value.
    pub(crate) fn step_of(&mut self, value: Value, step: Value) -> Value {
        let wide = match self.b.function.ty(value) {
            Type::Scalar(Scalar::Ptr(_)) => Type::I64,
            ty => ty,
        };
        let (have, want) = (self.b.function.ty(step).int_bits(), wide.int_bits());
        match have.cmp(&want) {
            std::cmp::Ordering::Less => self.b.cast(CastOp::SExt, step, wide),
            std::cmp::Ordering::Equal => step,
            std::cmp::Ordering::Greater => self.b.cast(CastOp::Trunc, step, wide),
        }
    }

    /// `first`, `first + step`, …; of pointers in bytes.
    pub(crate) fn steps(&mut self, first: Value, step: Value) -> Value {
        let ty = self.b.function.ty(first);
        let step = self.step_of(first, step);
        let wide = self.b.function.ty(step);
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

    /// Stack memory.
    pub(crate) fn room(&mut self, bytes: u64) -> Value {
        let info = AllocaInfo { ty: Type::I8, align_log2: 6, inalloca: false, swifterror: false };
        let count = self.b.int(Type::I64, bytes.into());
        self.op(Op::Alloca(Box::new(info)), Type::PTR, &[count])
    }

    /// Fills memory with a value for each lane: `first`, and so much more for each.
    pub(crate) fn fill(&mut self, room: Value, first: Value, bytes: u64, step: i64) {
        let step = self.b.int(self.b.function.ty(first), step.into());
        let all = self.steps(first, step);
        self.b.store(all, room, Access::aligned(bytes));
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
