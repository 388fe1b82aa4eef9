//! The names of things: `u32` newtypes that index the tables of a [`Function`](crate::Function).

use cranelift_entity::entity_impl;

/// A basic block of a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Block(u32);
entity_impl!(Block, "block");

/// An instruction of a function, terminators and φs included.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Inst(u32);
entity_impl!(Inst, "inst");

/// Whatever an operand can be: a parameter, the result of an instruction, or a constant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value(u32);
entity_impl!(Value, "v");

/// A global name that a function or an initializer mentions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(u32);
entity_impl!(Symbol, "sym");

/// An array, struct, function or target type, in a table of [`Types`](crate::Types).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Compound(u32);
entity_impl!(Compound, "type");

/// An interned list of attributes of a function or a call site.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AttrList(u32);
entity_impl!(AttrList, "attrs");

/// Where an instruction came from: an index into a side table that whoever imported the function owns.
///
/// The text form writes it as `!N`. The IR itself never looks behind it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin(u32);
entity_impl!(Origin, "!");
