//! Arrays of structs: elements are one, fields stay apart.
//!
//! A pointer that was moved by a multiple of some *stride* is at a slot with a known remainder. It is a third kind of pointer, whose fields are
//!
//! ```text
//! WITHIN   a pointer to somewhere within the object
//! READ + i    what the slots i on from such slots have        WRITE + i   what these get
//! ```
//!
//! Slots with the same remainder are a *class*. If what is moved is known only to the engines, the pointer comes from a field: all kinds
//! have, for each of a few strides of the program, one with the pointers that are multiples of it away.
//!
//! What makes this right is that no such pointer is outside of its object (or just behind it): it is made only where an `inbounds` promises that.
//! Fields beyond the end are there nevertheless, since an address `base + 24 * i + 8` is taken apart into `base + 24 * i`, which may be up to
//! one stride before the object, and the rest.

use lw_cfa::flow::{Field, Node, Op, ValueId, Var};
use lw_cfa::prims::Class;
use lw_ir::types::{CompoundData, Scalar};
use lw_ir::{Op as IrOp, Type};
use rustc_hash::FxHashMap;

use crate::build::{Build, mentions_symbols};
use crate::constants::Scope;
use crate::distance::gcd;
use crate::objects::{EVERY, MAX_SLOTS, Object, ObjectId, Place, START, STILL_WITHIN, Slots};
use crate::world::{FuncId, World};

/// For how many strides pointers have a field.
const STRIDES: usize = 8;

/// The size in slots of the structs that an object of this type is an array of, or that its largest array has. `repeated` says that there are
/// several of the type.
pub(crate) fn stride(word: u64, scope: &Scope<'_>, ty: Type, repeated: bool) -> Option<u64> {
    let mut best = None;
    scope.arrays(ty, repeated, &mut best);
    let (_, bytes) = best?;
    (bytes.is_multiple_of(word))
        .then_some(bytes / word)
        .filter(|slots| (2..=MAX_SLOTS).contains(slots))
}

impl Scope<'_> {
    /// Finds the largest array of structs with pointers: its size, and that of its elements.
    fn arrays(&self, ty: Type, repeated: bool, best: &mut Option<(u64, u64)>) {
        let size = |ty| self.layout.alloc_size(self.types, ty);
        let mut elem = ty;
        while let Some(CompoundData::Array { elem: inner, .. }) = self.types.compound(elem) {
            elem = *inner;
        }
        let Some(CompoundData::Struct { fields: Some(fields), .. }) = self.types.compound(elem)
        else {
            return;
        };
        if elem != ty || repeated {
            if let (Some(whole), Some(one)) = (size(ty), size(elem))
                && best.is_none_or(|(largest, _)| whole > largest)
                && self.has_pointers(elem)
            {
                *best = Some((whole, one));
            }
            return;
        }
        fields.iter().for_each(|field| self.arrays(*field, false, best));
    }

    fn has_pointers(&self, ty: Type) -> bool {
        match (ty, self.types.compound(ty)) {
            (Type::Scalar(Scalar::Ptr(_)), _) => true,
            (_, Some(CompoundData::Array { elem, .. })) => self.has_pointers(*elem),
            (_, Some(CompoundData::Struct { fields: Some(fields), .. })) => {
                fields.iter().any(|field| self.has_pointers(*field))
            }
            _ => false,
        }
    }
}

/// The strides of the arrays of a program, the most frequent ones.
pub(crate) fn strides(world: &World<'_>, word: u64) -> Vec<u64> {
    let mut counts: FxHashMap<u64, usize> = FxHashMap::default();
    for (part, data) in world.parts.iter().enumerate() {
        let (module, targets) = (data.module, &world.globals[part][..]);
        let scope = Scope { targets, types: &module.types, layout: &module.layout };
        for global in &module.globals {
            if !global.constant || global.init.as_ref().is_some_and(mentions_symbols) {
                let stride = stride(word, &scope, global.ty, false);
                stride.into_iter().for_each(|stride| *counts.entry(stride).or_default() += 1);
            }
        }
    }
    for at in 0..world.functions.len() {
        let Some((part, function)) = world.body(FuncId(at as u32)) else { continue };
        let layout = &world.parts[part].module.layout;
        let scope = Scope { targets: &[], types: &function.types, layout };
        for (_, inst) in function.all_insts() {
            if let IrOp::Alloca(info) = &function[inst].op {
                let one = function.as_constant(function[inst].args[0]);
                let repeated = one.and_then(|one| one.as_i128()) != Some(1);
                let stride = stride(word, &scope, info.ty, repeated);
                stride.into_iter().for_each(|stride| *counts.entry(stride).or_default() += 1);
            }
        }
    }
    let mut all: Vec<(u64, usize)> = counts.into_iter().collect();
    all.sort_by_key(|(stride, count)| (std::cmp::Reverse(*count), *stride));
    all.into_iter().take(STRIDES).map(|(stride, _)| stride).collect()
}

impl Object {
    /// What the slots of a class have, and what they get; `None` if there is no such slot.
    pub(crate) fn class(&self, stride: u64, class: u64) -> Option<[Var; 2]> {
        let slots = self.slots?;
        if stride >= slots.count {
            return (class < slots.count).then_some([slots.first + class as Var; 2]);
        }
        let first = *self.classes.get(&stride)? + 2 * class as Var;
        Some([first, first + 1])
    }
}

impl Build<'_> {
    fn every_field(&self, index: u64) -> Field {
        let index = self.moves_count() + index as u32;
        Field { class: Class::Record, record: EVERY, index }
    }

    /// What a slot of what a pointer points to has, if it is of this kind.
    pub(crate) fn slot_read(&self, index: u64) -> Field {
        self.every_field(2 * index)
    }

    /// What a slot of what a pointer points to gets, if it is of this kind.
    pub(crate) fn slot_write(&self, index: u64) -> Field {
        self.every_field(2 * index + 1)
    }

    /// Pointers that are multiples of so many bytes away, and the stride in bytes for which there is a field; `None` if there is none.
    pub(crate) fn elements(&mut self, node: Node, every: u64) -> Option<(Node, i64)> {
        let dividing = |stride: &u64| every != 0 && every.is_multiple_of(stride * self.word);
        let index = (0..self.strides.len())
            .filter(|index| dividing(&self.strides[*index]))
            .max_by_key(|index| self.strides[*index])?;
        let dst = self.fresh();
        for record in [START, EVERY] {
            let field = Field { class: Class::Record, record, index: 1 + index as u32 };
            self.push(Op::Load { dst, base: node, field });
        }
        self.push(Op::Load { dst, base: node, field: STILL_WITHIN });
        Some((Node::Var(dst), (self.strides[index] * self.word) as i64))
    }

    /// The same for a pointer that is known, for any number of bytes.
    pub(crate) fn element_of(&mut self, value: ValueId, every: u64) -> ValueId {
        let Some((id, place)) = self.pointees[value as usize] else { return value };
        let stride = if every.is_multiple_of(self.word) { every / self.word } else { 1 };
        match place {
            Place::At(at) => self.every(id, at, stride),
            Place::Every { residue, stride: had } => self.every(id, residue, gcd(stride, had)),
            Place::Somewhere => value,
        }
    }

    /// A pointer to the slots of an object with a remainder.
    pub(crate) fn every(&mut self, id: ObjectId, residue: u64, stride: u64) -> ValueId {
        let object = &self.objects[id as usize];
        let somewhere = object.somewhere;
        let Some(Slots { first, count, folded, total }) = object.slots else { return somewhere };
        let stride = if folded { gcd(stride, count) } else { stride };
        if stride < 2 || !folded && total.is_none() {
            return somewhere;
        }
        let residue = residue % stride;
        if let Some(known) = object.elements.get(&(stride, residue)) {
            return *known;
        }
        if stride < count && !object.classes.contains_key(&stride) {
            let classes = self.fresh_many(2 * stride as u32);
            self.memory.push((classes, 2 * stride as u32));
            for at in 0..count {
                let (class, slot) = (classes + 2 * (at % stride) as Var, first + at as Var);
                self.link(class, slot);
                self.link(slot, class + 1);
            }
            self.objects[id as usize].classes.insert(stride, classes);
        }
        let before = self.strides.iter().copied().max().unwrap_or(0);
        let reach = total.map_or(MAX_SLOTS, |total| (total + before).min(MAX_SLOTS));
        let (value, fields) = self.object_value(EVERY, self.moves_count() + 2 * reach as u32);
        self.pointees[value as usize] = Some((id, Place::Every { residue, stride }));
        self.objects[id as usize].elements.insert((stride, residue), value);
        let slots = fields + self.moves_count();
        for at in 0..reach {
            let class = self.objects[id as usize].class(stride, (residue + at) % stride);
            if let Some([read, gets]) = class {
                self.link(slots + 2 * at as Var, read);
                self.link(gets, slots + 2 * at as Var + 1);
            }
        }
        self.set_moves(value, fields);
        value
    }

    /// Fills the fields of a pointer that say where it leads when it is moved.
    pub(crate) fn set_moves(&mut self, value: ValueId, fields: Var) {
        let Some((id, place)) = self.pointees[value as usize] else { return };
        self.flow.init.push((fields, self.objects[id as usize].somewhere));
        for at in 0..self.strides.len() {
            let moved = self.by_stride(id, place, self.strides[at]);
            self.flow.init.push((fields + 1 + at as Var, moved));
        }
    }

    /// Where a pointer leads that is moved by multiples of so many slots.
    fn by_stride(&mut self, id: ObjectId, place: Place, by: u64) -> ValueId {
        let object = &self.objects[id as usize];
        let (start, somewhere) = (object.start, object.somewhere);
        let own = object.stride.filter(|own| by.is_multiple_of(*own));
        let whole = object.slots.and_then(|slots| slots.total);
        match (place, own) {
            (Place::Every { residue, stride }, _) if by.is_multiple_of(stride) => {
                self.every(id, residue, stride)
            }
            (Place::Every { residue, stride }, Some(own)) => {
                self.every(id, residue, gcd(stride, own))
            }
            (Place::At(at), Some(own)) => self.every(id, at, own),
            // There is no room for another.
            (Place::At(0), None) if whole.is_some_and(|whole| whole <= by) => start,
            _ => somewhere,
        }
    }
}
