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
        let class = if self.risky() { Class::Wild } else { Class::Variable };
        let cell = self.cell(ty, class, false);
        if self.rng.one_in(4) {
            return self.record(cell);
        }
        let len = if self.rng.one_in(3) { 1 + self.rng.below(4) as i128 } else { 1 };
        let base = self.object(ty, len);
        for i in 0..len {
            let index = self.int(Type::I64, i);
            self.begin_with(ty, base, &[index], cell);
        }
        if matches!(len, 2 | 4) {
            let index = self.small(len.trailing_zeros());
            let place = self.part(ty, base, &[index]);
            self.know(place, Some(cell));
        }
    }

    /// A struct whose fields have one type, an array of them in its middle.
    fn record(&mut self, cell: Cell) {
        let elements = self.f.types.array(cell.ty, 4);
        let ty = self.f.types.structure(&[cell.ty, elements, cell.ty]);
        let base = self.object(ty, 1);
        let zero = self.int(Type::I64, 0);
        let fields = [0, 1, 2].map(|field| self.int(Type::I32, field));
        for field in [fields[0], fields[2]] {
            self.begin_with(ty, base, &[zero, field], cell);
        }
        for i in 0..4 {
            let index = self.int(Type::I64, i);
            self.begin_with(ty, base, &[zero, fields[1], index], cell);
        }
        let index = self.small(2);
        let place = self.part(ty, base, &[zero, fields[1], index]);
        self.know(place, Some(cell));
    }

    /// An array on the stack, aligned as its type asks or better.
    fn object(&mut self, ty: Type, len: i128) -> Value {
        let align = self.module.layout.align(&self.f.types, ty).unwrap_or(1);
        let align = align << self.rng.below(2);
        self.stack_slot(ty, len, align)
    }

    /// The address of a part of an object.
    fn part(&mut self, ty: Type, base: Value, indices: &[Value]) -> Value {
        let args: Vec<Value> = [base].iter().chain(indices).copied().collect();
        let data = InstData::new(Op::Gep(ty), Type::PTR, &args).with_flags(Flags::INBOUNDS);
        let inst = self.push(data);
        self.f.result(inst)
    }

    /// Stores to a part of an object, or not if reading it may be undefined.
    fn begin_with(&mut self, ty: Type, base: Value, indices: &[Value], cell: Cell) {
        let place = self.part(ty, base, indices);
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
