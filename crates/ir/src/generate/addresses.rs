//! Addresses that come from elsewhere and go on from there: out of memory, or of one array or another.

use super::body::{Body, Cell, Class, Known};
use crate::entities::Value;
use crate::inst::{Access, InstData, Op};
use crate::types::Type;

impl Body<'_> {
    pub(super) fn address_inst(&mut self) {
        let followed = |k: &Known| k.cell.is_some_and(|cell| cell.followed);
        let known = self.scope_of(followed);
        if known.is_empty() || self.rng.one_in(4) {
            return self.start();
        }
        let Known { value, cell: Some(cell), .. } = known[self.rng.below(known.len())] else {
            return;
        };
        let from = if self.rng.one_in(3) { self.kept(value, cell) } else { value };
        self.second(from, cell);
    }

    /// An access to the first or the second of two values.
    pub(super) fn second(&mut self, from: Value, cell: Cell) {
        let index = if self.rng.one_in(2) { self.int(Type::I64, 1) } else { self.small(1) };
        let place = self.part(cell.ty, from, &[index]);
        self.touch(place, Cell { followed: false, ..cell });
    }

    /// Reads or writes a value, and lets later instructions do so.
    pub(super) fn touch(&mut self, place: Value, cell: Cell) {
        self.know(place, Some(cell));
        match cell.class {
            Class::Variable if self.rng.one_in(3) => self.store_to(place, cell),
            _ => self.load_from(place, cell),
        }
    }

    /// Where an array begins.
    fn start(&mut self) {
        let arrays = self.arrays(false).into_iter().filter(|array| array.len > 1);
        let arrays: Vec<_> = arrays.collect();
        if arrays.is_empty() {
            return;
        }
        let array = &arrays[self.rng.below(arrays.len())];
        let mut indices: Vec<Value> =
            array.leading.iter().map(|&(ty, index)| self.int(ty, index)).collect();
        indices.push(self.int(Type::I64, 0));
        let place = self.part(array.source, array.base, &indices);
        self.know(place, Some(Cell { followed: true, ..array.cell }));
    }

    /// An address that was stored and loaded again.
    pub(super) fn kept(&mut self, value: Value, cell: Cell) -> Value {
        let slot = self.stack_slot(Type::PTR, 1, 8);
        let access = Access::aligned(8);
        self.push(InstData::new(Op::Store(access), Type::Void, &[value, slot]));
        let inst = self.push(InstData::new(Op::Load(access), Type::PTR, &[slot]));
        let again = self.f.result(inst);
        self.know(again, Some(cell));
        again
    }
}
