//! Objects on the stack: single values, arrays, and structs that are accessed field by field.

use super::body::{Body, Cell, Class};
use crate::entities::Value;
use crate::flags::Flags;
use crate::inst::{Access, InstData, Op};
use crate::types::Type;

impl Body<'_> {
    /// Stack memory, filled or not.
    pub(super) fn stack_memory(&mut self) {
        // Some like those in the memory of the thread, and some as large as an address.
        let ty = match self.options.records.then(|| self.rng.below(8)) {
            Some(0) => Type::I32,
            Some(1) => Type::I64,
            _ => self.palette.value(self.rng),
        };
        let align = self.module.layout.align(&self.f.types, ty).unwrap_or(1);
        let align = align << self.rng.below(2);
        let class = if self.risky() { Class::Wild } else { Class::Variable };
        let cell = self.cell(ty, class, false);
        if self.options.records && self.rng.one_in(4) {
            return self.record(cell, align);
        }
        let often = if self.options.records { 2 } else { 3 };
        let len = if self.rng.one_in(often) { 1 + self.rng.below(4) as i128 } else { 1 };
        let base = self.stack_slot(ty, len, align);
        let natural = self.natural(cell);
        let first = if self.options.records { align } else { natural };
        for i in 0..len {
            let place = match i {
                0 => base,
                _ => {
                    let index = self.int(Type::I64, i);
                    self.part(ty, base, &[index])
                }
            };
            let align = if i == 0 { first } else { natural };
            let followed = self.options.records && i == 0 && len > 1;
            self.begin_with(place, Cell { followed, ..cell }, align);
        }
        if self.options.records && self.rng.one_in(4) {
            self.parts_of(base, cell, len);
        }
        if self.options.records && len > 1 {
            match self.rng.below(8) {
                0 => {
                    let again = self.kept(base, Cell { followed: true, ..cell });
                    self.second(again, cell);
                }
                1 => self.either(base, cell),
                2..=5 => self.start_of(|other| other == cell),
                _ => {}
            }
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
        let natural = self.natural(cell);
        let zero = self.int(Type::I64, 0);
        let fields = [0, 1, 2].map(|field| self.int(Type::I32, field));
        for field in [fields[0], fields[2]] {
            let place = self.part(ty, base, &[zero, field]);
            self.begin_with(place, cell, natural);
        }
        for i in 0..4 {
            let index = self.int(Type::I64, i);
            let place = self.part(ty, base, &[zero, fields[1], index]);
            self.begin_with(place, cell, natural);
        }
        let index = self.small(2);
        let place = self.part(ty, base, &[zero, fields[1], index]);
        self.know(place, Some(cell));
    }

    /// Smaller pieces of the first value of an object, or values of which each is a piece of two.
    fn parts_of(&mut self, base: Value, cell: Cell, len: i128) {
        let Some(bits @ (16 | 32 | 64 | 128)) = cell.ty.int_bits() else { return };
        if !matches!(cell.ty, Type::Scalar(_)) {
            return;
        }
        let offset = self.small((bits / 8).trailing_zeros());
        let place = self.part(Type::I8, base, &[offset]);
        if len > 1 && self.rng.one_in(2) {
            return self.touch(place, Cell { packed: true, ..cell });
        }
        self.touch(place, Cell { ty: Type::I8, ..cell });
    }

    /// The address of a part of an object.
    pub(super) fn part(&mut self, ty: Type, base: Value, indices: &[Value]) -> Value {
        let args: Vec<Value> = [base].iter().chain(indices).copied().collect();
        let data = InstData::new(Op::Gep(ty), Type::PTR, &args).with_flags(Flags::INBOUNDS);
        let inst = self.push(data);
        self.f.result(inst)
    }

    /// Stores to a part of an object, or not if reading it may be undefined.
    fn begin_with(&mut self, place: Value, cell: Cell, align: u64) {
        if cell.class != Class::Wild || self.rng.one_in(2) {
            let value = self.stored(cell);
            let data =
                InstData::new(Op::Store(Access::aligned(align)), Type::Void, &[value, place]);
            self.push(data);
        }
        self.know(place, Some(cell));
    }

    /// How much values of a type are aligned.
    fn natural(&self, cell: Cell) -> u64 {
        self.module.layout.align(&self.f.types, cell.ty).unwrap_or(1)
    }
}
