//! Where divergence starts.

use crate::lattice::Lattice;
use lw_ir::{Function, Inst, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a call of a named function yields.
#[derive(Clone, PartialEq, Debug)]
pub enum CallShape<L> {
    /// Always this shape.
    Fixed(L),
    /// A uniform result if all arguments are uniform.
    OfArguments,
    /// One of these, by the number that the only argument is; varying if that is not constant.
    OfDimension([L; 3]),
    /// The same on all threads that take part: the active ones, or those in the mask that this argument is.
    OfMask(Option<usize>),
}

/// A table of where divergence starts.
#[derive(Clone, PartialEq, Debug)]
pub struct Sources<L> {
    /// The shapes of the parameters, by position; those that are missing are varying.
    pub params: Vec<L>,
    /// Values whose shape is given: the induction variable of a loop whose iterations are the threads.
    pub values: FxHashMap<Value, L>,
    /// What calls of functions of these names yield.
    pub calls: FxHashMap<String, CallShape<L>>,
    /// Integers that are not negative, read as signed numbers.
    pub nonnegative: FxHashSet<Value>,
    /// Stack objects, by their `alloca`, that threads may share: those that use one at the same time leave the same in it.
    pub objects: FxHashSet<Inst>,
    /// What `lane()` yields; `None`: as many threads as the options say are counted from zero.
    pub lane: Option<L>,
}

impl<L: Lattice> Default for Sources<L> {
    fn default() -> Self {
        Sources {
            params: Vec::new(),
            values: FxHashMap::default(),
            calls: FxHashMap::default(),
            nonnegative: FxHashSet::default(),
            objects: FxHashSet::default(),
            lane: None,
        }
    }
}

impl<L: Lattice> Sources<L> {
    /// All parameters have this shape.
    pub fn all_params(function: &Function, shape: L) -> Sources<L> {
        Sources { params: vec![shape; function.params().len()], ..Sources::default() }
    }

    /// Parameters with these shapes.
    pub fn params(shapes: impl IntoIterator<Item = L>) -> Sources<L> {
        Sources { params: shapes.into_iter().collect(), ..Sources::default() }
    }

    /// The same where a value has a given shape.
    #[must_use]
    pub fn with_value(mut self, value: Value, shape: L) -> Sources<L> {
        self.values.insert(value, shape);
        self
    }

    /// The same where calls of a function yield this.
    #[must_use]
    pub fn with_call(mut self, name: &str, shape: CallShape<L>) -> Sources<L> {
        self.calls.insert(name.into(), shape);
        self
    }

    pub(crate) fn param(&self, position: usize) -> L {
        self.params.get(position).cloned().unwrap_or_else(L::varying)
    }
}
