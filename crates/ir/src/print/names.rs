//! The names that values and blocks get in text: their own, made unique, or the next number.

use crate::entities::{Block, Value};
use crate::function::Function;
use crate::name::Name;
use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashSet;

#[derive(Clone, Default)]
enum Label {
    #[default]
    Absent,
    Number(u32),
    Name(Name),
}

pub(crate) struct Names<'a> {
    function: &'a Function,
    values: SecondaryMap<Value, Label>,
    blocks: SecondaryMap<Block, Label>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(function: &'a Function) -> Names<'a> {
        let mut names =
            Names { function, values: SecondaryMap::new(), blocks: SecondaryMap::new() };
        let (mut used_values, mut used_blocks) = (FxHashSet::default(), FxHashSet::default());
        let mut next = 0;
        for &param in function.params() {
            names.values[param] = label(function.value_name(param), &mut used_values, &mut next);
        }
        for &block in function.blocks() {
            names.blocks[block] = label(function.block_name(block), &mut used_blocks, &mut next);
            for &inst in function.insts(block) {
                if let Some(value) = function[inst].result.expand() {
                    names.values[value] =
                        label(function.value_name(value), &mut used_values, &mut next);
                }
            }
        }
        names
    }

    /// `%name` or `%7` of a parameter or result.
    pub(crate) fn value(&self, value: Value) -> String {
        match &self.values[value] {
            Label::Absent => format!("%<erased {value}>"),
            Label::Number(n) => format!("%{n}"),
            Label::Name(name) => format!("%{name}"),
        }
    }

    /// `%name` or `%7` of a block.
    pub(crate) fn block(&self, block: Block) -> String {
        format!("%{}", self.label(block))
    }

    /// `name` or `7` of a block.
    pub(crate) fn label(&self, block: Block) -> String {
        match &self.blocks[block] {
            Label::Absent => format!("<erased {block}>"),
            Label::Number(n) => n.to_string(),
            Label::Name(name) => name.to_string(),
        }
    }

    pub(crate) fn function(&self) -> &'a Function {
        self.function
    }
}

/// The wanted name with a number behind it if it is taken, or the next number where none is wanted.
fn label(wanted: Option<&Name>, used: &mut FxHashSet<Name>, next: &mut u32) -> Label {
    let Some(wanted) = wanted else {
        *next += 1;
        return Label::Number(*next - 1);
    };
    let mut unique = wanted.clone();
    let mut suffix = 0;
    while !used.insert(unique.clone()) {
        suffix += 1;
        let mut bytes = wanted.as_bytes().to_vec();
        bytes.extend_from_slice(format!(".{suffix}").as_bytes());
        unique = bytes.into();
    }
    Label::Name(unique)
}
