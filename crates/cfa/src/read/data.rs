//! Data as an arena.

use super::number::Number;
use crate::source::{Error, Loc, Result};
use rustc_hash::FxHashMap;

/// An interned name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub(crate) u32);

/// A datum of a [`Data`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Datum(pub(crate) u32);

/// What a datum is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// `()`
    Null,
    /// `#t` or `#f`
    Bool(bool),
    /// A character.
    Char(char),
    /// A number: [`Data::number`].
    Number(u32),
    /// A string: [`Data::string`].
    Str(u32),
    /// A symbol: [`Data::name`].
    Symbol(Symbol),
    /// A pair.
    Pair(Datum, Datum),
    /// A vector: [`Data::items`].
    Vector(u32),
    /// A bytevector: [`Data::bytes`].
    Bytes(u32),
}

/// An arena of data with the place of each.
#[derive(Default)]
pub struct Data {
    nodes: Vec<Node>,
    locs: Vec<Loc>,
    numbers: Vec<Number>,
    strings: Vec<Box<str>>,
    vectors: Vec<Box<[Datum]>>,
    bytes: Vec<Box<[u8]>>,
    names: Vec<Box<str>>,
    symbols: FxHashMap<Box<str>, Symbol>,
    /// Whether a datum label made a datum that contains itself.
    pub(crate) cyclic: bool,
}

impl Data {
    /// No data.
    pub fn new() -> Data {
        Data::default()
    }

    /// How many data there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// What a datum is.
    pub fn node(&self, datum: Datum) -> Node {
        self.nodes[datum.0 as usize]
    }

    /// Where it was written.
    pub fn loc(&self, datum: Datum) -> Loc {
        self.locs[datum.0 as usize]
    }

    pub(crate) fn add(&mut self, node: Node, loc: Loc) -> Datum {
        self.nodes.push(node);
        self.locs.push(loc);
        Datum(self.nodes.len() as u32 - 1)
    }

    pub(crate) fn replace(&mut self, datum: Datum, node: Node) {
        self.nodes[datum.0 as usize] = node;
    }

    /// The symbol with a name.
    pub fn intern(&mut self, name: &str) -> Symbol {
        if let Some(symbol) = self.symbols.get(name) {
            return *symbol;
        }
        let symbol = self.fresh_symbol(name);
        self.symbols.insert(name.into(), symbol);
        symbol
    }

    /// The symbol with a name, if there is one.
    pub fn find_symbol(&self, name: &str) -> Option<Symbol> {
        self.symbols.get(name).copied()
    }

    /// A symbol unlike all others that prints like this one.
    pub(crate) fn fresh_symbol(&mut self, name: &str) -> Symbol {
        self.names.push(name.into());
        Symbol(self.names.len() as u32 - 1)
    }

    /// The name of a symbol.
    pub fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol.0 as usize]
    }

    /// The number of a [`Node::Number`].
    pub fn number(&self, index: u32) -> &Number {
        &self.numbers[index as usize]
    }

    /// The string of a [`Node::Str`].
    pub fn string(&self, index: u32) -> &str {
        &self.strings[index as usize]
    }

    /// The elements of a [`Node::Vector`].
    pub fn items(&self, index: u32) -> &[Datum] {
        &self.vectors[index as usize]
    }

    /// The elements of a [`Node::Bytes`].
    pub fn bytes(&self, index: u32) -> &[u8] {
        &self.bytes[index as usize]
    }

    pub(crate) fn add_symbol(&mut self, name: &str, loc: Loc) -> Datum {
        let symbol = self.intern(name);
        self.add(Node::Symbol(symbol), loc)
    }

    pub(crate) fn add_number(&mut self, number: Number, loc: Loc) -> Datum {
        self.numbers.push(number);
        self.add(Node::Number(self.numbers.len() as u32 - 1), loc)
    }

    pub(crate) fn add_string(&mut self, text: &str, loc: Loc) -> Datum {
        self.strings.push(text.into());
        self.add(Node::Str(self.strings.len() as u32 - 1), loc)
    }

    pub(crate) fn add_vector(&mut self, items: &[Datum], loc: Loc) -> Datum {
        self.vectors.push(items.into());
        self.add(Node::Vector(self.vectors.len() as u32 - 1), loc)
    }

    pub(crate) fn add_bytes(&mut self, bytes: Vec<u8>, loc: Loc) -> Datum {
        self.bytes.push(bytes.into());
        self.add(Node::Bytes(self.bytes.len() as u32 - 1), loc)
    }

    /// A list that ends in `tail`. Its first pair has the place given.
    pub(crate) fn add_list(&mut self, items: &[Datum], tail: Option<Datum>, loc: Loc) -> Datum {
        let mut list = tail.unwrap_or_else(|| self.add(Node::Null, loc));
        for (index, item) in items.iter().enumerate().rev() {
            let at = if index == 0 { loc } else { self.loc(*item) };
            list = self.add(Node::Pair(*item, list), at);
        }
        list
    }

    /// The elements of a list and what ends it; `None` if it is endless.
    pub(crate) fn list(&self, datum: Datum) -> Option<(Vec<Datum>, Datum)> {
        let (mut items, mut rest) = (Vec::new(), datum);
        while let Node::Pair(first, next) = self.node(rest) {
            items.push(first);
            rest = next;
            if self.cyclic && items.len() > self.nodes.len() {
                return None;
            }
        }
        Some((items, rest))
    }

    /// The elements of a proper list.
    pub(crate) fn proper(&self, datum: Datum) -> Result<Vec<Datum>> {
        match self.list(datum) {
            Some((items, end)) if self.node(end) == Node::Null => Ok(items),
            Some((_, end)) => Err(Error::new(
                self.loc(end),
                "this list ends with a dot and a tail",
                "write a list without a dot here",
            )),
            None => Err(Error::new(
                self.loc(datum),
                "this list contains itself",
                "such data must be quoted",
            )),
        }
    }

    /// The symbol that a datum is.
    pub(crate) fn as_symbol(&self, datum: Datum) -> Option<Symbol> {
        match self.node(datum) {
            Node::Symbol(symbol) => Some(symbol),
            _ => None,
        }
    }
}
