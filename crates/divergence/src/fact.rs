//! What is known of a version of a variable.

use crate::lattice::Lattice;
use std::fmt;

/// A stack object whose address stays in the function: the position of its `alloca` among them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Object(pub(crate) u32);

impl Object {
    /// How many objects of a function can be told apart.
    pub(crate) const LIMIT: u32 = 64;
}

/// A set of stack objects.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct ObjectSet(u64);

impl ObjectSet {
    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The objects.
    pub fn iter(self) -> impl Iterator<Item = Object> {
        (0..Object::LIMIT).filter(move |&i| self.0 >> i & 1 == 1).map(Object)
    }

    /// Both together.
    #[must_use]
    pub fn union(self, other: ObjectSet) -> ObjectSet {
        ObjectSet(self.0 | other.0)
    }
}

impl From<Object> for ObjectSet {
    fn from(object: Object) -> ObjectSet {
        ObjectSet(1 << object.0)
    }
}

/// A shape, perhaps of an offset: if there are objects, the value is an address, that of the thread's own copy of one of them,
/// the same one on all threads, plus a number of this shape.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fact<L> {
    /// The shape of the value, or of its offset into an object.
    pub shape: L,
    /// The objects.
    pub own: ObjectSet,
}

impl<L: Lattice> Fact<L> {
    /// A value of this shape.
    pub fn plain(shape: L) -> Fact<L> {
        Fact { shape, own: ObjectSet::default() }
    }

    /// ⊥.
    pub fn bottom() -> Fact<L> {
        Fact::plain(L::bottom())
    }

    /// Whether no value was seen.
    pub fn is_bottom(&self) -> bool {
        self.shape.is_bottom()
    }

    /// Whether all threads have the same value. Addresses of their own objects are not the same.
    pub fn is_uniform(&self) -> bool {
        self.is_bottom() || self.own.is_empty() && self.shape.is_uniform()
    }

    /// The shape of the value itself.
    pub fn value(&self) -> L {
        if self.own.is_empty() { self.shape.clone() } else { L::varying() }
    }

    /// Raises this to allow what the other allows too.
    pub fn join(&mut self, other: &Fact<L>) {
        if other.is_bottom() {
            return;
        }
        if self.is_bottom() {
            *self = other.clone();
        } else if self.own.is_empty() == other.own.is_empty() {
            self.own = self.own.union(other.own);
            self.shape.join(&other.shape);
        } else {
            *self = Fact::plain(L::varying());
        }
    }

    /// What is left if threads see values of different instances.
    #[must_use]
    pub fn scatter(&self) -> Fact<L> {
        if !self.own.is_empty() && !self.is_bottom() {
            // A loop may have allocated the object anew.
            Fact::plain(L::varying())
        } else {
            Fact::plain(self.shape.scatter())
        }
    }
}

impl<L: Lattice> fmt::Display for Fact<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.own.is_empty() {
            f.write_str("own")?;
            self.own.iter().try_for_each(|object| write!(f, " #{}", object.0))?;
            f.write_str(" + ")?;
        }
        write!(f, "{}", self.shape)
    }
}
