//! Memory as the flow engines see it.
//!
//! An *object* is what one place allocates: a global variable, an `alloca`, a call of `malloc`. It is divided into *slots* of the size of a
//! pointer; each is a variable of the store. A pointer to the start of an object is one abstract value whose fields are
//!
//! ```text
//! WITHIN   a pointer to somewhere within the object       SLOT + i   slot i
//! ```
//!
//! and a pointer to somewhere within it is another, of another record type, whose fields are
//!
//! ```text
//! WITHIN   itself          READ   what any slot has          WRITE   what every slot gets
//! ```
//!
//! So an access at a known offset is one load or store for each of the two kinds, and pointer arithmetic is a load of `WITHIN`. Small objects and
//! those larger than [`MAX_SLOTS`] have the second kind only. A pointer to a known offset of a known object is a *view*: a copy
//! of the slots from there on, held equal.

use lw_cfa::flow::{Field, Node, Op, Value, ValueId, Var};
use lw_cfa::prims::Class;
use rustc_hash::FxHashMap;

use crate::build::Build;

/// The most slots that are told apart.
pub(crate) const MAX_SLOTS: u64 = 128;

/// Record types.
const START: u32 = 0;
const SOMEWHERE: u32 = 1;
const ARGUMENTS: u32 = 2;

pub(crate) const WITHIN: Field = Field { class: Class::Record, record: START, index: 0 };
pub(crate) const STILL_WITHIN: Field = Field { class: Class::Record, record: SOMEWHERE, index: 0 };
pub(crate) const READ: Field = Field { class: Class::Record, record: SOMEWHERE, index: 1 };
pub(crate) const WRITE: Field = Field { class: Class::Record, record: SOMEWHERE, index: 2 };

pub(crate) const fn slot(index: u64) -> Field {
    Field { class: Class::Record, record: START, index: 1 + index as u32 }
}

/// An object, by its number.
pub(crate) type ObjectId = u32;

/// An object.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    /// A pointer to its start; the same as `somewhere` if slots are not told apart.
    pub(crate) start: ValueId,
    /// A pointer to somewhere within it.
    pub(crate) somewhere: ValueId,
    /// The first slot, and how many there are; none if they are not told apart.
    slots: Option<(Var, u64)>,
    read: Var,
    write: Var,
    /// Views by their first slot.
    views: FxHashMap<u64, ValueId>,
}

/// What a value of the flow program points to, if it is a pointer to an object: the object, and the offset in slots if it is known.
pub(crate) type Pointee = Option<(ObjectId, Option<u64>)>;

impl Build<'_> {
    fn object_value(&mut self, record: u32, fields: u32) -> (ValueId, Var) {
        let field = self.fresh_many(fields);
        let value = Value::Object { class: Class::Record, record, field, fields };
        match record {
            ARGUMENTS => self.memory.push((field, fields)),
            _ => self.memory.push((field + 1, fields - 1)),
        }
        (self.value(value, None), field)
    }

    /// A new object of so many bytes; `None` if nobody knows.
    pub(crate) fn object(&mut self, bytes: Option<u64>) -> ObjectId {
        let id = self.objects.len() as ObjectId;
        let (somewhere, fields) = self.object_value(SOMEWHERE, 3);
        self.pointees[somewhere as usize] = Some((id, None));
        let (read, write) = (fields + 1, fields + 2);
        self.flow.init.push((fields, somewhere));
        self.link(read, write);
        let count = bytes.map_or(MAX_SLOTS, |bytes| bytes.div_ceil(self.word));
        let (mut start, mut slots) = (somewhere, None);
        if (2..=MAX_SLOTS).contains(&count) {
            let (value, fields) = self.object_value(START, 1 + count as u32);
            self.flow.init.push((fields, somewhere));
            for at in 0..count as Var {
                self.link(read, fields + 1 + at);
                self.link(fields + 1 + at, write);
            }
            self.pointees[value as usize] = Some((id, Some(0)));
            (start, slots) = (value, Some((fields + 1, count)));
        }
        let views = FxHashMap::default();
        self.objects.push(Object { start, somewhere, slots, read, write, views });
        id
    }

    /// `dst` gets what `src` has, whatever is reached.
    pub(crate) fn link(&mut self, dst: Var, src: Var) {
        self.always.push(Op::Copy { dst, src: Node::Var(src) });
    }

    /// The arguments beyond the parameters of a function: a value that collects them in a variable.
    pub(crate) fn argument_list(&mut self) -> (ValueId, Var) {
        self.object_value(ARGUMENTS, 1)
    }

    /// A pointer to an offset of an object.
    pub(crate) fn pointer_to(&mut self, id: ObjectId, offset: i64) -> ValueId {
        let object = &self.objects[id as usize];
        let Some((first, count)) = object.slots else { return object.somewhere };
        let word = self.word as i64;
        let at = offset / word;
        if offset == 0 {
            return object.start;
        }
        if offset % word != 0 || at < 0 || at as u64 >= count {
            return object.somewhere;
        }
        let at = at as u64;
        if let Some(view) = object.views.get(&at) {
            return *view;
        }
        let somewhere = object.somewhere;
        let left = (count - at) as Var;
        let (view, fields) = self.object_value(START, 1 + left);
        self.pointees[view as usize] = Some((id, Some(at)));
        self.flow.init.push((fields, somewhere));
        for index in 0..left {
            let (mine, theirs) = (fields + 1 + index, first + at as Var + index);
            self.link(mine, theirs);
            self.link(theirs, mine);
        }
        self.objects[id as usize].views.insert(at, view);
        view
    }

    /// The variables that a read of so many bytes at an offset of an object sees.
    pub(crate) fn read_vars(&self, id: ObjectId, offset: Option<i64>, bytes: u64) -> Vec<Var> {
        let object = &self.objects[id as usize];
        self.slot_vars(object, offset, bytes).unwrap_or_else(|| vec![object.read])
    }

    /// The variables that a write changes.
    pub(crate) fn write_vars(&self, id: ObjectId, offset: Option<i64>, bytes: u64) -> Vec<Var> {
        let object = &self.objects[id as usize];
        self.slot_vars(object, offset, bytes).unwrap_or_else(|| vec![object.write])
    }

    fn slot_vars(&self, object: &Object, offset: Option<i64>, bytes: u64) -> Option<Vec<Var>> {
        let (first, count) = object.slots?;
        let (low, high) = self.slot_range(offset?, bytes)?;
        (high < count).then(|| (low..=high).map(|at| first + at as Var).collect())
    }

    /// The slots that an access touches, if they are told apart.
    pub(crate) fn slot_range(&self, offset: i64, bytes: u64) -> Option<(u64, u64)> {
        let low = u64::try_from(offset).ok()?;
        let high = low.checked_add(bytes.max(1) - 1)? / self.word;
        (high < MAX_SLOTS).then_some((low / self.word, high))
    }
}
