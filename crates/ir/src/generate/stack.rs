//! Objects on the stack: single values, arrays, and structs that are accessed field by field.

use super::body::{Body, Cell, Class};
use crate::entities::Value;
use crate::flags::Flags;
use crate::inst::{Access, InstData, Op};
use crate::types::Type;

impl Body<'_> {
    /// Stack memory, filled or not.
    pub(super) fn stack_memory(&mut self) {
        let ty = self.palette.value(self.rng);
        let align = self.module.layout.align(&self.f.types, ty).unwrap_or(1);
        let align = align << self.rng.below(2);
        let class = if self.risky() { Class::Wild } else { Class::Variable };
        let cell = self.cell(ty, class, false);
        if self.options.records && self.rng.one_in(4) {
            return self.record(cell, align);
        }
        let len = if self.rng.one_in(3) { 1 + self.rng.below(4) as i128 } else { 1 };
        let base = self.stack_slot(ty, len, align);
        for i in 0..len {
            let place = match i {
                0 => base,
                _ => {
                    let index = self.int(Type::I64, i);
                    self.part(ty, base, &[index])
                }
            };
            self.begin_with(place, cell);
        }
        if matches!(len, 2 | 4) {
            let index = self.small(len.trailing_zeros());
            let place = self.part(ty, base, &[index]);
            self.know(place, Some(cell));
        }
    }

    /// A struct whose fields have one type, an array of them in its middle.
    fn record(&mut self, cell: Cell, align: u64) {
        let elements = self.f.types.array(cell.ty, 4);
        let ty = self.f.types.structure(&[cell.ty, elements, cell.ty]);
        let base = self.stack_slot(ty, 1, align);
        let zero = self.int(Type::I64, 0);
        let fields = [0, 1, 2].map(|field| self.int(Type::I32, field));
        for field in [fields[0], fields[2]] {
            let place = self.part(ty, base, &[zero, field]);
            self.begin_with(place, cell);
        }
        for i in 0..4 {
            let index = self.int(Type::I64, i);
            let place = self.part(ty, base, &[zero, fields[1], index]);
            self.begin_with(place, cell);
        }
        let index = self.small(2);
        let place = self.part(ty, base, &[zero, fields[1], index]);
        self.know(place, Some(cell));
    }

    /// The address of a part of an object.
    fn part(&mut self, ty: Type, base: Value, indices: &[Value]) -> Value {
        let args: Vec<Value> = [base].iter().chain(indices).copied().collect();
        let data = InstData::new(Op::Gep(ty), Type::PTR, &args).with_flags(Flags::INBOUNDS);
        let inst = self.push(data);
        self.f.result(inst)
    }

    /// Stores to a part of an object, or not if reading it may be undefined.
    fn begin_with(&mut self, place: Value, cell: Cell) {
        if cell.class != Class::Wild || self.rng.one_in(2) {
            let value = self.stored(cell);
            let align = self.module.layout.align(&self.f.types, cell.ty).unwrap_or(1);
            let data =
                InstData::new(Op::Store(Access::aligned(align)), Type::Void, &[value, place]);
            self.push(data);
        }
        self.know(place, Some(cell));
    }
}
