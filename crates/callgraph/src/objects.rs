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
//! of the slots from there on, held equal. A third kind, in [`elements`](crate::elements), is a pointer to a known field of some element of an
//! array; the slots of large arrays are those of one element, which stands for all.

use lw_cfa::flow::{Field, Node, Op, Value, ValueId, Var};
use lw_cfa::prims::Class;
use rustc_hash::FxHashMap;

use crate::build::Build;

/// The most slots that are told apart.
pub(crate) const MAX_SLOTS: u64 = 128;

/// Record types.
pub(crate) const START: u32 = 0;
const SOMEWHERE: u32 = 1;
const ARGUMENTS: u32 = 2;
pub(crate) const EVERY: u32 = 3;

const fn field(record: u32, index: u32) -> Field {
    Field { class: Class::Record, record, index }
}

pub(crate) const WITHIN: Field = field(START, 0);
pub(crate) const EVERY_WITHIN: Field = field(EVERY, 0);
pub(crate) const STILL_WITHIN: Field = field(SOMEWHERE, 0);
pub(crate) const READ: Field = field(SOMEWHERE, 1);
pub(crate) const WRITE: Field = field(SOMEWHERE, 2);

/// An object, by its number.
pub(crate) type ObjectId = u32;

/// Where a pointer points to in an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// At a slot.
    At(u64),
    /// At a slot with this remainder.
    Every { residue: u64, stride: u64 },
    /// Nobody knows.
    Somewhere,
}

/// The slots of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slots {
    pub(crate) first: Var,
    pub(crate) count: u64,
    /// Whether each stands for all that have the same remainder.
    pub(crate) folded: bool,
    /// How many there are in the program; `None` if nobody knows.
    pub(crate) total: Option<u64>,
}

/// An object.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    /// A pointer to its start; the same as `somewhere` if slots are not told apart.
    pub(crate) start: ValueId,
    /// A pointer to somewhere within it.
    pub(crate) somewhere: ValueId,
    /// None, if they are not told apart.
    pub(crate) slots: Option<Slots>,
    /// The size of its elements in slots, if it is an array of structs.
    pub(crate) stride: Option<u64>,
    read: Var,
    write: Var,
    /// Views by their first slot.
    views: FxHashMap<u64, ValueId>,
    /// Pointers to slots with a remainder, by stride and remainder.
    pub(crate) elements: FxHashMap<(u64, u64), ValueId>,
    /// By stride, two variables for each remainder: what any such slot has, what every such slot gets.
    pub(crate) classes: FxHashMap<u64, Var>,
}

/// What a value of the flow program points to, if it is a pointer to an object.
pub(crate) type Pointee = Option<(ObjectId, Place)>;

impl Build<'_> {
    /// How many fields come before the slots.
    pub(crate) fn moves_count(&self) -> u32 {
        1 + self.strides.len() as u32
    }

    /// Whether a field holds moved pointers.
    pub(crate) fn moves(&self, field: Field) -> bool {
        match field.record {
            START | EVERY => field.index < self.moves_count(),
            SOMEWHERE => field == STILL_WITHIN,
            _ => false,
        }
    }

    /// A slot of what a pointer points to.
    pub(crate) fn slot(&self, index: u64) -> Field {
        field(START, self.moves_count() + index as u32)
    }

    pub(crate) fn object_value(&mut self, record: u32, fields: u32) -> (ValueId, Var) {
        let first = self.fresh_many(fields);
        let value = Value::Object { class: Class::Record, record, field: first, fields };
        let moves = (0..fields).filter(|index| self.moves(field(record, *index))).count() as u32;
        self.memory.push((first + moves, fields - moves));
        (self.value(value, None), first)
    }

    /// A new object of so many bytes; `None` if nobody knows. Its elements have `stride` slots.
    pub(crate) fn object(&mut self, bytes: Option<u64>, stride: Option<u64>) -> ObjectId {
        let id = self.objects.len() as ObjectId;
        let (somewhere, fields) = self.object_value(SOMEWHERE, 3);
        self.pointees[somewhere as usize] = Some((id, Place::Somewhere));
        let (read, write) = (fields + 1, fields + 2);
        self.flow.init.push((fields, somewhere));
        self.link(read, write);
        let total = bytes.map(|bytes| bytes.div_ceil(self.word));
        let folded = stride.filter(|_| total.is_none_or(|total| total > MAX_SLOTS));
        let count = folded.or(total).unwrap_or(MAX_SLOTS);
        let (mut start, mut slots) = (somewhere, None);
        if (2..=MAX_SLOTS).contains(&count) {
            let first = if folded.is_some() {
                let first = self.fresh_many(count as u32);
                self.memory.push((first, count as u32));
                first
            } else {
                let before = self.moves_count();
                let (value, fields) = self.object_value(START, before + count as u32);
                self.pointees[value as usize] = Some((id, Place::At(0)));
                start = value;
                fields + before
            };
            for at in 0..count as Var {
                self.link(read, first + at);
                self.link(first + at, write);
            }
            slots = Some(Slots { first, count, folded: folded.is_some(), total });
        }
        self.objects.push(Object {
            start,
            somewhere,
            slots,
            stride: stride.filter(|_| slots.is_some()),
            read,
            write,
            views: FxHashMap::default(),
            elements: FxHashMap::default(),
            classes: FxHashMap::default(),
        });
        match slots {
            Some(Slots { folded: true, count, .. }) => {
                self.objects[id as usize].start = self.every(id, 0, count);
            }
            Some(Slots { first, .. }) => self.set_moves(start, first - self.moves_count()),
            None => {}
        }
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

    /// Where the start of an object is.
    pub(crate) fn start_of(&self, id: ObjectId) -> Place {
        let start = self.objects[id as usize].start;
        self.pointees[start as usize].map_or(Place::Somewhere, |(_, place)| place)
    }

    /// A pointer so many bytes from a place of an object, which is `inside` it if somebody says so.
    pub(crate) fn pointer_to(
        &mut self,
        id: ObjectId,
        place: Place,
        by: i64,
        inside: bool,
    ) -> ValueId {
        let object = &self.objects[id as usize];
        let (somewhere, word) = (object.somewhere, self.word as i64);
        if by % word != 0 {
            return somewhere;
        }
        match place {
            Place::Somewhere => somewhere,
            Place::At(from) => self.view(id, from as i64 + by / word),
            Place::Every { residue, stride } if inside || by == 0 => {
                let residue = (residue as i64 + by / word).rem_euclid(stride as i64);
                self.every(id, residue as u64, stride)
            }
            Place::Every { .. } => somewhere,
        }
    }

    /// A pointer to a slot of an object.
    pub(crate) fn view(&mut self, id: ObjectId, at: i64) -> ValueId {
        let object = &self.objects[id as usize];
        let somewhere = object.somewhere;
        let Some(Slots { first, count, folded: false, .. }) = object.slots else {
            return somewhere;
        };
        let Some(at) = u64::try_from(at).ok().filter(|at| *at < count) else { return somewhere };
        if at == 0 {
            return object.start;
        }
        if let Some(view) = object.views.get(&at) {
            return *view;
        }
        let left = (count - at) as Var;
        let before = self.moves_count();
        let (view, fields) = self.object_value(START, before + left);
        self.pointees[view as usize] = Some((id, Place::At(at)));
        self.objects[id as usize].views.insert(at, view);
        self.set_moves(view, fields);
        for index in 0..left {
            let (mine, theirs) = (fields + before + index, first + at as Var + index);
            self.link(mine, theirs);
            self.link(theirs, mine);
        }
        view
    }

    /// The variables that a read of so many bytes sees, an offset from a place of an object.
    pub(crate) fn read_vars(
        &self,
        id: ObjectId,
        place: Place,
        offset: i64,
        bytes: u64,
    ) -> Vec<Var> {
        let object = &self.objects[id as usize];
        self.slot_vars(object, place, offset, bytes, 0).unwrap_or_else(|| vec![object.read])
    }

    /// The variables that a write changes.
    pub(crate) fn write_vars(
        &self,
        id: ObjectId,
        place: Place,
        offset: i64,
        bytes: u64,
    ) -> Vec<Var> {
        let object = &self.objects[id as usize];
        self.slot_vars(object, place, offset, bytes, 1).unwrap_or_else(|| vec![object.write])
    }

    fn slot_vars(
        &self,
        object: &Object,
        place: Place,
        offset: i64,
        bytes: u64,
        write: Var,
    ) -> Option<Vec<Var>> {
        let slots = object.slots?;
        match place {
            Place::Somewhere => None,
            Place::At(at) => {
                let offset = offset.checked_add((at * self.word) as i64)?;
                let (low, high) = self.slot_range(offset, bytes)?;
                (high < slots.count)
                    .then(|| (low..=high).map(|at| slots.first + at as Var).collect())
            }
            Place::Every { residue, stride } => {
                let word = self.word as i64;
                let last = offset.checked_add(i64::try_from(bytes.max(1) - 1).ok()?)?;
                let (low, high) = (offset.div_euclid(word), last.div_euclid(word));
                if high - low >= stride as i64 {
                    return None;
                }
                let class = |at: i64| (residue as i64 + at).rem_euclid(stride as i64) as u64;
                let vars = (low..=high).filter_map(|at| object.class(stride, class(at)));
                Some(vars.map(|[read, gets]| if write == 0 { read } else { gets }).collect())
            }
        }
    }

    /// The slots that an access touches, if they are told apart.
    pub(crate) fn slot_range(&self, offset: i64, bytes: u64) -> Option<(u64, u64)> {
        let low = u64::try_from(offset).ok()?;
        let high = low.checked_add(bytes.max(1) - 1)? / self.word;
        (high < MAX_SLOTS).then_some((low / self.word, high))
    }
}
