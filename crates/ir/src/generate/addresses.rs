//! Addresses that come from elsewhere and go on from there: out of memory, or of one array or another.

use super::body::{Body, Cell, Class, Known};
use super::memory::Array;
use crate::entities::Value;
use crate::inst::{Access, InstData, Op};
use crate::types::Type;

impl Body<'_> {
    pub(super) fn address_inst(&mut self) {
        let known = self.scope_of(Known::is_followed);
        if known.is_empty() || self.rng.one_in(4) {
            return self.start_of(|_| true);
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

    /// What lies behind φs of this block that are addresses.
    pub(super) fn behind_phis(&mut self) {
        let phis: Vec<Value> = self.f.phis(self.block).map(|phi| self.f.result(phi)).collect();
        for known in self.scope_of(|k| k.is_followed() && phis.contains(&k.value)) {
            if let Some(cell) = known.cell {
                self.second(known.value, cell);
            }
        }
    }

    /// What lies behind an address, or behind that of other memory that holds such values.
    pub(super) fn either(&mut self, value: Value, cell: Cell) {
        let Some((other, cell)) = self.start(|other| other == cell) else { return };
        let args = [self.pick_safe(Type::I1), value, other];
        let inst = self.push(InstData::new(Op::Select, Type::PTR, &args));
        let either = self.f.result(inst);
        self.second(either, cell);
    }

    /// Where an array begins, for later instructions.
    pub(super) fn start_of(&mut self, wanted: impl Fn(Cell) -> bool) {
        if let Some((place, cell)) = self.start(wanted) {
            self.know(place, Some(cell));
        }
    }

    /// Where an array begins.
    fn start(&mut self, wanted: impl Fn(Cell) -> bool) -> Option<(Value, Cell)> {
        let fits = |array: &Array| array.len > 1 && wanted(array.cell);
        let arrays: Vec<Array> = self.arrays(false).into_iter().filter(fits).collect();
        if arrays.is_empty() {
            return None;
        }
        let array = &arrays[self.rng.below(arrays.len())];
        let mut indices: Vec<Value> =
            array.leading.iter().map(|&(ty, index)| self.int(ty, index)).collect();
        indices.push(self.int(Type::I64, 0));
        let place = self.part(array.source, array.base, &indices);
        Some((place, Cell { followed: true, ..array.cell }))
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
