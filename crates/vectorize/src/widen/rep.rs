//! Values of the widened program, and ways from one form to another.

use super::Widener;
use super::types;
use lw_ir::Flags;
use lw_ir::constant::Constant;
use lw_ir::ops::{BinOp, CastOp, IntPred};
use lw_ir::types::{Scalar, Type};
use lw_ir::{ConstantKind, InstData, Op, Value};

/// What stands for a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Rep {
    /// One scalar for all lanes.
    Uniform(Value),
    /// The scalar of lane 0, and by how much each lane is larger than the one before.
    Strided(Value, i64),
    /// A vector of W numbers or pointers.
    Lanes(Value),
    /// The elements of a vector, array or struct.
    Parts(Vec<Rep>),
}

impl Widener<'_> {
    /// Appends an instruction, made from the one that is being widened.
    pub(super) fn push(&mut self, data: InstData) -> Option<Value> {
        let data = match self.from {
            Some(from) => data.made_from(&self.src[from]),
            None => data,
        };
        let inst = self.out.insert(lw_ir::InsertAt::End(self.block), data);
        self.out[inst].result.expand()
    }

    pub(super) fn op(&mut self, op: Op, ty: Type, args: &[Value]) -> Value {
        self.push(InstData::new(op, ty, args)).expect("it has a type")
    }

    pub(super) fn int(&mut self, ty: Type, value: i128) -> Value {
        self.out.constant(Constant::int(ty, value))
    }

    pub(super) fn poison(&mut self, ty: Type) -> Value {
        self.out.constant(Constant::poison(ty))
    }

    /// The type of W values of this one; only for numbers and pointers.
    pub(super) fn vector(&self, ty: Type) -> Type {
        match ty {
            Type::Scalar(scalar) => Type::vector(scalar, self.region.width),
            other => other,
        }
    }

    /// The same scalar on all lanes.
    pub(super) fn splat(&mut self, value: Value) -> Value {
        if let Some(&known) = self.splats.get(&(value, self.block)) {
            return known;
        }
        let ty = self.vector(self.out.ty(value));
        let splat = match self.out.as_constant(value) {
            Some(constant) => {
                let constant = match constant.kind {
                    ConstantKind::Poison | ConstantKind::Undef | ConstantKind::Zero => {
                        Constant { ty, kind: constant.kind.clone() }
                    }
                    _ => constant.clone().splat(ty),
                };
                self.out.constant(constant)
            }
            None => {
                let poison = self.poison(ty);
                let zero = self.int(Type::I64, 0);
                let first = self.op(Op::InsertElement, ty, &[poison, value, zero]);
                let mask = vec![0; self.region.width as usize].into();
                self.op(Op::ShuffleVector(mask), ty, &[first, poison])
            }
        };
        self.splats.insert((value, self.block), splat);
        splat
    }

    /// The offsets `0, stride, 2·stride, …` as integers, as many as there are lanes.
    fn steps(&mut self, bits: u32, stride: i64) -> Value {
        self.multiples(self.region.width, bits, stride)
    }

    /// So many of the offsets `0, stride, 2·stride, …` as integers.
    pub(super) fn multiples(&mut self, count: u32, bits: u32, stride: i64) -> Value {
        let each = |t: u32| Constant::int(Type::int(bits), i128::from(t) * i128::from(stride));
        let all = (0..count).map(each).collect();
        let ty = Type::vector(Scalar::Int(bits), count);
        self.out.constant(Constant { ty, kind: ConstantKind::Aggregate(all) })
    }

    /// All lanes of a number or pointer as a vector.
    pub(super) fn lanes(&mut self, rep: &Rep) -> Value {
        match *rep {
            Rep::Lanes(value) => value,
            Rep::Uniform(value) => self.splat(value),
            Rep::Strided(base, stride) => {
                if let Some(&known) = self.strides.get(&(base, stride, self.block)) {
                    return known;
                }
                let lanes = match self.out.ty(base) {
                    Type::Scalar(Scalar::Ptr(_)) => {
                        let offsets = self.steps(64, stride);
                        let ty = self.vector(self.out.ty(base));
                        self.op(Op::Gep(Type::I8), ty, &[base, offsets])
                    }
                    ty => {
                        let steps = self.steps(ty.int_bits().unwrap_or(64), stride);
                        let base = self.splat(base);
                        self.op(Op::Binary(BinOp::Add), self.vector(ty), &[base, steps])
                    }
                };
                self.strides.insert((base, stride, self.block), lanes);
                lanes
            }
            Rep::Parts(_) => unreachable!("only numbers and pointers are vectors"),
        }
    }

    /// All lanes of a pointer as integers, to be compared. LLVM 22 makes invalid code of some comparisons of vectors of addresses that
    /// have the same scalar base.
    pub(super) fn addresses(&mut self, rep: &Rep) -> Value {
        let int = |this: &Self, ty: Type| match ty.scalar() {
            Some(Scalar::Ptr(space)) => Scalar::Int(this.region.layout.pointer_bits(space)),
            _ => Scalar::Int(64),
        };
        match *rep {
            Rep::Uniform(pointer) | Rep::Strided(pointer, _) => {
                let int = Type::Scalar(int(self, self.out.ty(pointer)));
                let base = self.op(Op::Cast(CastOp::PtrToInt), int, &[pointer]);
                let stride = if let Rep::Strided(_, stride) = *rep { stride } else { 0 };
                self.lanes(&Rep::Strided(base, stride))
            }
            _ => {
                let lanes = self.lanes(rep);
                let int = int(self, self.out.ty(lanes));
                let ty = Type::vector(int, self.region.width);
                self.op(Op::Cast(CastOp::PtrToInt), ty, &[lanes])
            }
        }
    }

    /// The elements of a vector, array or struct.
    pub(super) fn parts(&mut self, rep: &Rep, ty: Type) -> Vec<Rep> {
        match rep {
            Rep::Parts(parts) => parts.clone(),
            Rep::Uniform(value) => {
                let elements = types::elements(&self.out, ty);
                let each = |(i, &elem): (usize, &Type)| Rep::Uniform(self.element(*value, elem, i));
                elements.iter().enumerate().map(each).collect()
            }
            _ => unreachable!("numbers have no elements"),
        }
    }

    /// An element of a scalar vector, array or struct.
    fn element(&mut self, value: Value, elem: Type, index: usize) -> Value {
        if let Some(constant) = self.out.as_constant(value)
            && let Some(element) = constant.element(&self.out.types, index as u64)
        {
            return self.out.constant(element);
        }
        if self.out.ty(value).lanes().is_some() {
            let at = self.int(Type::I64, index as i128);
            self.op(Op::ExtractElement, elem, &[value, at])
        } else {
            self.op(Op::ExtractValue([index as u32].into()), elem, &[value])
        }
    }

    /// A scalar vector, array or struct of these elements. Vectors of conditions are built as bytes: LLVM would make shuffles of vectors of
    /// conditions, and LLVM 22 fills some with bits from behind the vector (`kshiftr`).
    fn build(&mut self, ty: Type, elements: &[Value]) -> Value {
        if let Type::Vector(Scalar::Int(1), _) = ty {
            let zext = |&element| self.op(Op::Cast(CastOp::ZExt), Type::I8, &[element]);
            let bytes: Vec<Value> = elements.iter().map(zext).collect();
            let bytes = self.build(ty.with_scalar(Scalar::Int(8)), &bytes);
            return self.are_set(bytes);
        }
        let mut whole = self.poison(ty);
        for (i, &element) in elements.iter().enumerate() {
            whole = if ty.lanes().is_some() {
                let at = self.int(Type::I64, i as i128);
                self.op(Op::InsertElement, ty, &[whole, element, at])
            } else {
                self.op(Op::InsertValue([i as u32].into()), ty, &[whole, element])
            };
        }
        whole
    }

    /// The conditions that a vector of bytes stands for. Not by `trunc`, which LLVM would take back.
    pub(super) fn are_set(&mut self, bytes: Value) -> Value {
        let ty = self.out.ty(bytes);
        let zero = self.out.constant(Constant::zero(ty));
        self.op(Op::ICmp(IntPred::Ne), ty.with_scalar(Scalar::Int(1)), &[bytes, zero])
    }

    /// What one lane has, as a value of the scalar program.
    pub(super) fn lane(&mut self, rep: &Rep, ty: Type, lane: u32) -> Value {
        let at = self.int(Type::I64, lane.into());
        self.pick(rep, ty, at, Some(lane))
    }

    /// What the first active lane has.
    pub(super) fn of_active(&mut self, rep: &Rep, ty: Type) -> Value {
        match rep {
            Rep::Uniform(value) => *value,
            _ => {
                let at = self.first_active();
                let lane = if self.mask.is_none() { Some(0) } else { None };
                self.pick(rep, ty, at, lane)
            }
        }
    }

    /// What lane `at` has; `known` is its number if it is one.
    pub(super) fn pick(&mut self, rep: &Rep, ty: Type, at: Value, known: Option<u32>) -> Value {
        match rep {
            Rep::Uniform(value) => *value,
            Rep::Lanes(value) => self.op(Op::ExtractElement, ty, &[*value, at]),
            Rep::Strided(base, 0) => *base,
            Rep::Strided(base, _) if known == Some(0) => *base,
            Rep::Strided(base, stride) => {
                let int = match ty {
                    Type::Scalar(Scalar::Ptr(_)) => Type::I64,
                    other => other,
                };
                let offset = match known {
                    Some(lane) => self.int(int, i128::from(lane) * i128::from(*stride)),
                    None => {
                        let at = self.resize(at, int);
                        let stride = self.int(int, (*stride).into());
                        self.op(Op::Binary(BinOp::Mul), int, &[at, stride])
                    }
                };
                match ty {
                    Type::Scalar(Scalar::Ptr(_)) => {
                        self.op(Op::Gep(Type::I8), ty, &[*base, offset])
                    }
                    _ => self.op(Op::Binary(BinOp::Add), ty, &[*base, offset]),
                }
            }
            Rep::Parts(parts) => {
                let elements = types::elements(&self.out, ty);
                let values: Vec<Value> = parts
                    .iter()
                    .zip(elements)
                    .map(|(part, elem)| self.pick(part, elem, at, known))
                    .collect();
                self.build(ty, &values)
            }
        }
    }

    /// An integer as another width, zero-extended or cut.
    pub(super) fn resize(&mut self, value: Value, to: Type) -> Value {
        let from = self.out.ty(value);
        match (from.int_bits(), to.int_bits()) {
            (Some(a), Some(b)) if a < b => self.op(Op::Cast(CastOp::ZExt), to, &[value]),
            (Some(a), Some(b)) if a > b => self.op(Op::Cast(CastOp::Trunc), to, &[value]),
            _ => value,
        }
    }

    /// W values as one value of the widened type.
    pub(super) fn packed(&mut self, rep: &Rep, ty: Type) -> Value {
        if let Type::Scalar(_) = ty {
            return self.lanes(rep);
        }
        let whole = types::widened(&mut self.out, ty, self.region.width);
        let elements = types::elements(&self.out, ty);
        let parts = self.parts(rep, ty);
        let values: Vec<Value> =
            parts.iter().zip(elements).map(|(part, elem)| self.packed(part, elem)).collect();
        self.build(whole, &values)
    }

    /// The other way round.
    pub(super) fn unpacked(&mut self, value: Value, ty: Type) -> Rep {
        if let Type::Scalar(_) = ty {
            return Rep::Lanes(value);
        }
        let elements = types::elements(&self.out, ty);
        let mut parts = Vec::new();
        for (i, elem) in elements.into_iter().enumerate() {
            let part = types::widened(&mut self.out, elem, self.region.width);
            let part = self.op(Op::ExtractValue([i as u32].into()), part, &[value]);
            parts.push(self.unpacked(part, elem));
        }
        Rep::Parts(parts)
    }

    /// `then` where the condition holds, else `otherwise`, for values of any type.
    pub(super) fn select(
        &mut self,
        condition: &Rep,
        then: &Rep,
        otherwise: &Rep,
        ty: Type,
        flags: Flags,
    ) -> Rep {
        if then == otherwise {
            return then.clone();
        }
        let Type::Scalar(_) = ty else {
            let (a, b) = (self.parts(then, ty), self.parts(otherwise, ty));
            let elements = types::elements(&self.out, ty);
            // A vector of conditions has one for each element.
            let conditions = match condition {
                Rep::Parts(parts) => parts.clone(),
                Rep::Uniform(c) if self.out.ty(*c).lanes().is_some() => {
                    let ty = self.out.ty(*c);
                    self.parts(condition, ty)
                }
                other => vec![other.clone(); a.len()],
            };
            let all = (0..a.len())
                .map(|i| self.select(&conditions[i], &a[i], &b[i], elements[i], Flags::NONE));
            return Rep::Parts(all.collect());
        };
        let condition = match condition {
            Rep::Uniform(value) => *value,
            other => self.lanes(other),
        };
        let (a, b) = (self.lanes(then), self.lanes(otherwise));
        let data = InstData::new(Op::Select, self.vector(ty), &[condition, a, b]).with_flags(flags);
        Rep::Lanes(self.push(data).expect("it has a type"))
    }
}
