//! Constants become abstract objects.

use super::lower::Lower;
use super::{ValueId, Var};
use crate::prims::Class;
use crate::read::{Datum, Node};
use crate::signs;
use rustc_hash::FxHashSet;

impl Lower<'_> {
    pub(super) fn atom_class(&self, datum: Datum) -> Class {
        match self.data.node(datum) {
            Node::Null => Class::Null,
            Node::Bool(true) => Class::True,
            Node::Bool(false) => Class::False,
            Node::Char(_) => Class::Char,
            Node::Str(_) => Class::Str,
            Node::Symbol(_) => Class::Symbol,
            Node::Bytes(_) => Class::Bytes,
            Node::Pair(..) => Class::Pair,
            Node::Vector(_) => Class::Vector,
            Node::Number(n) => signs::class_of(self.data.number(n)),
        }
    }

    /// All pairs of a constant are one object, all its vectors another.
    pub(super) fn constant(&mut self, datum: Datum) -> ValueId {
        let class = self.atom_class(datum);
        if !matches!(class, Class::Pair | Class::Vector) {
            return self.basic(class);
        }
        if let Some((pair, vector)) = self.out.constants.get(&datum) {
            return if class == Class::Pair { *pair } else { *vector };
        }
        let (pair, car) = (self.object(Class::Pair, 0, 2), self.out.program.vars - 2);
        let (vector, item) = (self.object(Class::Vector, 0, 1), self.out.program.vars - 1);
        self.out.constants.insert(datum, (pair, vector));
        let mut facts = FxHashSet::default();
        let mut seen = FxHashSet::default();
        let mut todo = vec![datum];
        while let Some(datum) = todo.pop() {
            if !seen.insert(datum) {
                continue;
            }
            let parts: Vec<(Var, Datum)> = match self.data.node(datum) {
                Node::Pair(first, rest) => vec![(car, first), (car + 1, rest)],
                Node::Vector(items) => {
                    self.data.items(items).iter().map(|part| (item, *part)).collect()
                }
                _ => Vec::new(),
            };
            for (var, part) in parts {
                let value = match self.atom_class(part) {
                    Class::Pair => pair,
                    Class::Vector => vector,
                    class => self.basic(class),
                };
                facts.insert((var, value));
                if value == pair || value == vector {
                    todo.push(part);
                }
            }
        }
        let mut facts: Vec<(Var, ValueId)> = facts.into_iter().collect();
        facts.sort_unstable();
        self.out.program.init.extend(facts);
        if class == Class::Pair { pair } else { vector }
    }
}
