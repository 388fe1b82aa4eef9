//! Arithmetic, addresses, conversions, and the elements of vectors, arrays and structs.

use super::kinds::Kind;
use super::rep::Rep;
use super::{Widener, types};
use lw_ir::Flags;
use lw_ir::ops::{BinOp, CastOp, IntPred};
use lw_ir::types::{Scalar, Type};
use lw_ir::{Inst, InstData, Op, Value};

impl Widener<'_> {
    /// An instruction that only computes.
    pub(super) fn compute(&mut self, inst: Inst) -> Rep {
        let data = self.src[inst].clone();
        let reps: Vec<Rep> = data.args.iter().map(|&arg| self.rep(arg)).collect();
        let kind = self.kinds.of(self.src.result(inst));
        let signed = match data.op {
            Op::Cast(CastOp::SExt) => true,
            Op::Cast(CastOp::ZExt) => data.flags.contains(Flags::NNEG),
            _ => false,
        };
        if let (true, Kind::Strided(stride)) = (signed, kind) {
            return Rep::Strided(self.extended(data.args[0], data.ty), stride);
        }
        // Whether two numbers with the same stride are equal, their bases say.
        let on_bases = matches!(data.op, Op::ICmp(IntPred::Eq | IntPred::Ne))
            && matches!((&reps[0], &reps[1]), (Rep::Strided(_, a), Rep::Strided(_, b)) if a == b);
        // What an operation has left that takes all strides away, the bases say too.
        let on_bases = on_bases || kind == Kind::Uniform && self.kinds.ring(inst) == Some(0);
        let differing = reps.iter().any(|rep| matches!(rep, Rep::Strided(..)));
        let scalars = || -> Option<Vec<Value>> {
            reps.iter()
                .map(|rep| match rep {
                    Rep::Uniform(value) => Some(*value),
                    Rep::Strided(base, _) if matches!(kind, Kind::Strided(_)) || on_bases => {
                        Some(*base)
                    }
                    _ => None,
                })
                .collect()
        };
        if let Some(mut args) = scalars() {
            let (mut op, mut flags) = (data.op.clone(), data.flags);
            if matches!(kind, Kind::Strided(_)) || differing {
                if op == Op::Binary(BinOp::Or) && flags.contains(Flags::DISJOINT) {
                    op = Op::Binary(BinOp::Add);
                }
                // Lane 0 may break a promise that no active lane breaks.
                flags = Flags::NONE;
            }
            if let Op::Binary(op) = data.op
                && op.may_trap()
            {
                args[1] = self.safe_scalar_divisor(op, args[1]);
            }
            let new = InstData::new(op, data.ty, &args).with_flags(flags);
            let value = self.push(new).expect("it has a type");
            return match kind {
                Kind::Strided(stride) => Rep::Strided(value, stride),
                _ => Rep::Uniform(value),
            };
        }
        match &data.op {
            Op::Select => self.select(&reps[0], &reps[1], &reps[2], data.ty, data.flags),
            Op::ExtractValue(path) => {
                let mut rep = reps[0].clone();
                let mut ty = self.src.ty(data.args[0]);
                for &index in path.iter() {
                    let parts = self.parts(&rep, ty);
                    ty = types::elements(&self.out, ty)[index as usize];
                    rep = parts[index as usize].clone();
                }
                rep
            }
            Op::InsertValue(path) => {
                let ty = self.src.ty(data.args[0]);
                self.insert_value(&reps[0], ty, &reps[1], path)
            }
            Op::ExtractElement => self.extract_element(&data.args, &reps),
            Op::InsertElement => self.insert_element(&data.args, &reps),
            Op::ShuffleVector(mask) => {
                let from = self.src.ty(data.args[0]);
                let mut all = self.parts(&reps[0], from);
                all.extend(self.parts(&reps[1], from));
                let elem = types::elements(&self.out, from)[0];
                let poison = Rep::Uniform(self.poison(elem));
                let pick = |&i: &i32| match usize::try_from(i) {
                    Ok(i) => all[i].clone(),
                    Err(_) => poison.clone(),
                };
                Rep::Parts(mask.iter().map(pick).collect())
            }
            Op::Gep(_) => match data.ty {
                Type::Scalar(_) => self.address(&data, &reps),
                _ => self.each_lane(inst).expect("it has a result"),
            },
            Op::Cast(CastOp::BitCast) => {
                let from = self.src.ty(data.args[0]);
                match (from, data.ty) {
                    (Type::Scalar(_), Type::Scalar(_)) => self.lanewise(&data, &reps, data.ty),
                    (Type::Vector(_, a), Type::Vector(_, b)) if a.count == b.count => {
                        self.lanewise(&data, &reps, data.ty)
                    }
                    _ => self.each_lane(inst).expect("it has a result"),
                }
            }
            _ => self.lanewise(&data, &reps, data.ty),
        }
    }

    /// The sign extension of what lane 0 has, computed in the wide type from what is known exactly.
    fn extended(&mut self, value: Value, ty: Type) -> Value {
        if let Some(constant) = self.src.as_constant(value).and_then(|c| c.as_i128()) {
            return self.int(ty, constant);
        }
        if self.kinds.exact_stride(value).is_none()
            && let Some((op, a, b)) = self.kinds.in_integers(value)
        {
            let (a, b) = (self.extended(a, ty), self.extended(b, ty));
            return self.op(Op::Binary(op), ty, &[a, b]);
        }
        let rep = self.rep(value);
        let (Rep::Uniform(scalar) | Rep::Strided(scalar, _)) = rep else {
            unreachable!("it has a stride")
        };
        self.op(Op::Cast(CastOp::SExt), ty, &[scalar])
    }

    /// The same operation on vectors; on the elements of vectors, arrays and structs one after the other.
    fn lanewise(&mut self, data: &InstData, reps: &[Rep], ty: Type) -> Rep {
        let Type::Scalar(_) = ty else {
            let elements = types::elements(&self.out, ty);
            let split: Vec<Vec<Rep>> = data
                .args
                .iter()
                .zip(reps)
                .map(|(&arg, rep)| self.parts(rep, self.src.ty(arg)))
                .collect();
            let mut parts = Vec::new();
            for (i, &elem) in elements.iter().enumerate() {
                let reps: Vec<Rep> = split.iter().map(|parts| parts[i].clone()).collect();
                parts.push(self.leaf(data, &reps, elem));
            }
            return Rep::Parts(parts);
        };
        self.leaf(data, reps, ty)
    }

    fn leaf(&mut self, data: &InstData, reps: &[Rep], ty: Type) -> Rep {
        if let Type::Scalar(_) = ty {
            let pointers = matches!(data.op, Op::ICmp(_)) && self.src.ty(data.args[0]).is_ptr();
            let mut args: Vec<Value> = reps
                .iter()
                .map(|rep| if pointers { self.addresses(rep) } else { self.lanes(rep) })
                .collect();
            if let Op::Binary(op) = data.op
                && op.may_trap()
                && let Some(mask) = self.mask
            {
                let one = self.int(ty, 1);
                let ones = self.splat(one);
                args[1] = self.op(Op::Select, self.vector(ty), &[mask, args[1], ones]);
            }
            let vector = self.vector(ty);
            let new = InstData::new(data.op.clone(), vector, &args).with_flags(data.flags);
            return Rep::Lanes(self.push(new).expect("it has a type"));
        }
        // An aggregate within an aggregate: only `freeze` has those.
        let elements = types::elements(&self.out, ty);
        let split = self.parts(&reps[0], ty);
        let leaf = |(part, elem): (Rep, Type)| self.leaf(data, &[part], elem);
        Rep::Parts(split.into_iter().zip(elements).map(leaf).collect())
    }

    /// A divisor that is not zero if no lane is active.
    fn safe_scalar_divisor(&mut self, op: BinOp, divisor: Value) -> Value {
        if self.mask.is_none() {
            return divisor;
        }
        let signed = matches!(op, BinOp::SDiv | BinOp::SRem);
        let safe = self.out.as_constant(divisor).and_then(|c| c.as_i128());
        if safe.is_some_and(|d| d != 0 && !(signed && d == -1)) {
            return divisor;
        }
        let ty = self.out.ty(divisor);
        let any = self.any_active();
        let one = self.int(ty, 1);
        self.op(Op::Select, ty, &[any, divisor, one])
    }

    fn address(&mut self, data: &InstData, reps: &[Rep]) -> Rep {
        let args: Vec<Value> = reps
            .iter()
            .map(|rep| match rep {
                Rep::Uniform(value) => *value,
                other => self.lanes(other),
            })
            .collect();
        let vector = self.vector(data.ty);
        let new = InstData::new(data.op.clone(), vector, &args).with_flags(data.flags);
        Rep::Lanes(self.push(new).expect("it has a type"))
    }

    fn insert_value(&mut self, whole: &Rep, ty: Type, part: &Rep, path: &[u32]) -> Rep {
        let Some((&first, rest)) = path.split_first() else { return part.clone() };
        let mut parts = self.parts(whole, ty);
        let elem = types::elements(&self.out, ty)[first as usize];
        let inner = parts[first as usize].clone();
        parts[first as usize] = self.insert_value(&inner, elem, part, rest);
        Rep::Parts(parts)
    }

    /// Whether an index is the number of an element.
    fn equals(&mut self, index: &Rep, ty: Type, number: usize) -> Rep {
        let fits = ty.int_bits().is_none_or(|bits| bits >= 32 || number < 1 << bits);
        if !fits {
            return Rep::Uniform(self.out.constant(lw_ir::Constant::bool(false)));
        }
        let number = self.int(ty, number as i128);
        let op = Op::ICmp(IntPred::Eq);
        match index {
            Rep::Uniform(index) => Rep::Uniform(self.op(op, Type::I1, &[*index, number])),
            other => {
                let (index, number) = (self.lanes(other), self.splat(number));
                Rep::Lanes(self.op(op, self.vector(Type::I1), &[index, number]))
            }
        }
    }

    fn extract_element(&mut self, args: &[Value], reps: &[Rep]) -> Rep {
        let ty = self.src.ty(args[0]);
        let parts = self.parts(&reps[0], ty);
        let elem = types::elements(&self.out, ty)[0];
        if let Some(index) = self.src.as_constant(args[1]).and_then(|c| c.as_u128()) {
            let found = usize::try_from(index).ok().and_then(|i| parts.get(i).cloned());
            return found.unwrap_or_else(|| Rep::Uniform(self.poison(elem)));
        }
        let mut found = parts[0].clone();
        for (i, part) in parts.iter().enumerate().skip(1) {
            let is = self.equals(&reps[1], self.src.ty(args[1]), i);
            found = self.select(&is, part, &found, elem, Flags::NONE);
        }
        found
    }

    fn insert_element(&mut self, args: &[Value], reps: &[Rep]) -> Rep {
        let ty = self.src.ty(args[0]);
        let mut parts = self.parts(&reps[0], ty);
        if let Some(index) = self.src.as_constant(args[2]).and_then(|c| c.as_u128()) {
            match usize::try_from(index).ok().filter(|&i| i < parts.len()) {
                Some(index) => parts[index] = reps[1].clone(),
                None => {
                    let elem = types::elements(&self.out, ty)[0];
                    let poison = Rep::Uniform(self.poison(elem));
                    parts.fill(poison);
                }
            }
            return Rep::Parts(parts);
        }
        let elem = types::elements(&self.out, ty)[0];
        for (i, part) in parts.iter_mut().enumerate() {
            let is = self.equals(&reps[2], self.src.ty(args[2]), i);
            *part = self.select(&is, &reps[1], part, elem, Flags::NONE);
        }
        Rep::Parts(parts)
    }

    /// Whether a type is a number or pointer.
    pub(super) fn is_number(ty: Type) -> bool {
        matches!(ty, Type::Scalar(Scalar::Int(_) | Scalar::Float(_) | Scalar::Ptr(_)))
    }
}
