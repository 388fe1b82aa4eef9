//! What is known of a version of a variable.

use crate::lattice::Lattice;
use std::fmt;

/// A stack object whose address stays in the function: the position of its `alloca` among them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Object(pub(crate) u32);

/// A shape, perhaps of an offset: if there is an object, the value is an address, that of the thread's own copy of the object
/// plus a number of this shape.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fact<L> {
    /// The shape of the value, or of its offset into the object.
    pub shape: L,
    /// The object.
    pub object: Option<Object>,
}

impl<L: Lattice> Fact<L> {
    /// A value of this shape.
    pub fn plain(shape: L) -> Fact<L> {
        Fact { shape, object: None }
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
        self.is_bottom() || self.object.is_none() && self.shape.is_uniform()
    }

    /// The shape of the value itself.
    pub fn value(&self) -> L {
        if self.object.is_some() { L::varying() } else { self.shape.clone() }
    }

    /// Raises this to allow what the other allows too.
    pub fn join(&mut self, other: &Fact<L>) {
        if other.is_bottom() {
            return;
        }
        if self.is_bottom() {
            *self = other.clone();
        } else if self.object == other.object {
            self.shape.join(&other.shape);
        } else {
            *self = Fact::plain(L::varying());
        }
    }

    /// What is left if threads see values of different instances.
    #[must_use]
    pub fn scatter(&self) -> Fact<L> {
        if self.object.is_some() && !self.is_bottom() {
            // A loop may have allocated the object anew.
            Fact::plain(L::varying())
        } else {
            Fact::plain(self.shape.scatter())
        }
    }
}

impl<L: Lattice> fmt::Display for Fact<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.object {
            Some(object) => write!(f, "own object {} + {}", object.0, self.shape),
            None => write!(f, "{}", self.shape),
        }
    }
}
