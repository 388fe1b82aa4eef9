//! Vectors, structs and arrays as values.

use super::body::Body;
use crate::entities::Value;
use crate::flags::Flags;
use crate::inst::Op;
use crate::types::{Scalar, Type};

impl Body<'_> {
    fn vector_type(&mut self) -> Option<Type> {
        let all = &self.palette.vectors;
        (!all.is_empty()).then(|| all[self.rng.below(all.len())])
    }

    /// An index within the lanes.
    fn lane(&mut self, lanes: u32) -> Value {
        if self.rng.one_in(2) || !lanes.is_power_of_two() {
            let ty = if self.rng.one_in(2) { Type::I64 } else { Type::I32 };
            let lane = self.rng.below(lanes as usize) as i128;
            return self.int(ty, lane);
        }
        self.small(lanes.trailing_zeros())
    }

    pub(super) fn vector_inst(&mut self) {
        let Some(ty) = self.vector_type() else { return self.int_binary() };
        let Type::Vector(elem, lanes) = ty else { return };
        let elem = Type::Scalar(elem);
        match self.rng.below(4) {
            0 => {
                let wild = self.risky();
                let index = if wild { self.pick(Type::I32) } else { self.lane(lanes.count) };
                let args = [self.pick(ty), index];
                self.emit(Op::ExtractElement, elem, &args, Flags::NONE, wild);
            }
            1 => {
                let wild = self.risky();
                let index = if wild { self.pick(Type::I32) } else { self.lane(lanes.count) };
                let args = [self.pick(ty), self.pick(elem), index];
                self.emit(Op::InsertElement, ty, &args, Flags::NONE, wild);
            }
            n => {
                // Another number of lanes only if the program has such vectors.
                let same_elem = |t: &&Type| t.scalar() == ty.scalar();
                let results: Vec<Type> =
                    self.palette.vectors.iter().filter(same_elem).copied().collect();
                let result = if n == 2 { ty } else { results[self.rng.below(results.len())] };
                let count = result.lanes().map_or(1, |lanes| lanes.count);
                let mut poison = false;
                let mask: Vec<i32> = (0..count)
                    .map(|_| {
                        if self.risky() {
                            poison = true;
                            return -1;
                        }
                        self.rng.below(2 * lanes.count as usize) as i32
                    })
                    .collect();
                let args = [self.pick(ty), self.pick(ty)];
                self.emit(Op::ShuffleVector(mask.into()), result, &args, Flags::NONE, poison);
            }
        }
    }

    pub(super) fn aggregate_inst(&mut self) {
        let all = &self.palette.aggregates;
        if all.is_empty() {
            return self.int_binary();
        }
        let ty = all[self.rng.below(all.len())];
        let (path, part) = self.path(ty);
        if path.is_empty() {
            return;
        }
        let value = self.pick(ty);
        if self.rng.one_in(2) {
            self.emit(Op::ExtractValue(path.into()), part, &[value], Flags::NONE, false);
        } else {
            let new = self.pick(part);
            self.emit(Op::InsertValue(path.into()), ty, &[value, new], Flags::NONE, false);
        }
    }

    /// The way to a part of an aggregate, and its type.
    fn path(&mut self, ty: Type) -> (Vec<u32>, Type) {
        let (mut path, mut part) = (Vec::new(), ty);
        while let Type::Compound(_) = part {
            let count = self.f.types.element_count(part).unwrap_or(0);
            if count == 0 || !path.is_empty() && self.rng.one_in(4) {
                break;
            }
            let index = self.rng.below(count as usize) as u64;
            path.push(index as u32);
            part = self.f.types.element(part, index).unwrap_or(Type::I8);
        }
        (path, part)
    }

    /// A vector of `count` addresses of cells in private memory, and their element type.
    pub(super) fn vector_of_pointers(&mut self) -> Option<(Value, Type, u32)> {
        let own = self.own?;
        let (field, elem, len) = self.field(|ty| ty.lanes().is_none() && ty.scalar().is_some())?;
        let count = [2, 4, 8][self.rng.below(3)];
        let index_ty = Type::vector(Scalar::Int(64), count);
        let lanes: Vec<Value> = (0..count)
            .map(|_| {
                let index = self.rng.below(len as usize) as i128;
                self.int(Type::I64, index)
            })
            .collect();
        let constants: Vec<_> =
            lanes.iter().filter_map(|&v| self.f.as_constant(v).cloned()).collect();
        let mut indices = super::constants::aggregate(&self.f.types, index_ty, constants);
        if indices.kind == crate::constant::ConstantKind::Zero {
            indices = crate::constant::Constant { ty: index_ty, kind: indices.kind };
        }
        let mut index = self.f.constant(indices);
        if self.rng.one_in(2) {
            // Indices that the program computes.
            let mask = self.int(index_ty, i128::from(len) - 1);
            let scalar = self.pick_safe(Type::I64);
            let zero = self.int(Type::I64, 0);
            let poison = self.f.constant(crate::constant::Constant::poison(index_ty));
            let first = Op::InsertElement;
            let one = self.emit(first, index_ty, &[poison, scalar, zero], Flags::NONE, true);
            let splat = Op::ShuffleVector(vec![0; count as usize].into());
            let all = self.emit(splat, index_ty, &[one, poison], Flags::NONE, false);
            self.set_tainted(all, false);
            let op = Op::Binary(crate::ops::BinOp::Add);
            let sum = self.emit(op, index_ty, &[all, index], Flags::NONE, false);
            let op = Op::Binary(crate::ops::BinOp::And);
            index = self.emit(op, index_ty, &[sum, mask], Flags::NONE, false);
        }
        let (zero, field) = (self.int(Type::I64, 0), self.int(Type::I32, field as i128));
        let ty = Type::vector(Scalar::Ptr(0), count);
        let args = [own, zero, field, index];
        let data = crate::inst::InstData::new(Op::Gep(self.palette.own), ty, &args)
            .with_flags(Flags::INBOUNDS);
        let inst = self.push(data);
        Some((self.f.result(inst), elem, count))
    }
}
