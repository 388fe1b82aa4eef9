//! Constants: `quote` and `quasiquote`.

use super::Expander;
use super::core::{Core, Term};
use crate::prims::{self, Op};
use crate::read::{Datum, Node};
use crate::source::{Error, Loc, Result};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is known of the data of `quasiquote`s.
#[derive(Default)]
pub(super) struct Templates {
    seen: FxHashSet<Datum>,
    open: FxHashSet<Datum>,
}

impl Expander {
    /// A datum in which aliases are the names that were written.
    pub(super) fn strip(&mut self, datum: Datum) -> Datum {
        let alias = |expander: &Self, node: Node| matches!(node, Node::Symbol(symbol) if expander.scopes.written(symbol) != symbol);
        if !self.any(datum, alias) {
            return datum;
        }
        // Copies get their content when their turn comes, so data that contain themselves are no special case.
        let mut copies = FxHashMap::default();
        let mut todo = Vec::new();
        let copy = self.copied(datum, &mut copies, &mut todo);
        while let Some((old, new)) = todo.pop() {
            let node = match self.data().node(old) {
                Node::Symbol(symbol) => Node::Symbol(self.scopes.written(symbol)),
                Node::Pair(first, rest) => {
                    let first = self.copied(first, &mut copies, &mut todo);
                    Node::Pair(first, self.copied(rest, &mut copies, &mut todo))
                }
                Node::Vector(items) => {
                    let items = self.data().items(items).to_vec();
                    let items: Vec<Datum> = items
                        .into_iter()
                        .map(|item| self.copied(item, &mut copies, &mut todo))
                        .collect();
                    let loc = self.data().loc(old);
                    let vector = self.data_mut().add_vector(&items, loc);
                    self.data().node(vector)
                }
                node => node,
            };
            self.data_mut().replace(new, node);
        }
        copy
    }

    fn copied(
        &mut self,
        old: Datum,
        copies: &mut FxHashMap<Datum, Datum>,
        todo: &mut Vec<(Datum, Datum)>,
    ) -> Datum {
        if let Some(copy) = copies.get(&old) {
            return *copy;
        }
        let loc = self.data().loc(old);
        let copy = self.data_mut().add(Node::Null, loc);
        copies.insert(old, copy);
        todo.push((old, copy));
        copy
    }

    /// Whether something holds for any part of a datum.
    fn any(&self, datum: Datum, holds: impl Fn(&Self, Node) -> bool) -> bool {
        let mut seen = FxHashSet::default();
        let mut todo = vec![datum];
        while let Some(datum) = todo.pop() {
            let node = self.data().node(datum);
            if holds(self, node) {
                return true;
            }
            if matches!(node, Node::Pair(..) | Node::Vector(_)) && !seen.insert(datum) {
                continue;
            }
            match node {
                Node::Pair(first, rest) => todo.extend([first, rest]),
                Node::Vector(items) => todo.extend(self.data().items(items)),
                _ => {}
            }
        }
        false
    }

    /// The keyword and the operand of `(quasiquote x)`, `(unquote x)`, `(unquote-splicing x)`.
    fn quasi_form(&self, datum: Datum) -> Option<(&str, Datum)> {
        let Node::Pair(head, rest) = self.data().node(datum) else { return None };
        let Node::Pair(operand, end) = self.data().node(rest) else { return None };
        let name = self.data().name(self.scopes.written(self.data().as_symbol(head)?));
        let known = matches!(name, "quasiquote" | "unquote" | "unquote-splicing");
        (known && self.data().node(end) == Node::Null).then_some((name, operand))
    }

    /// A template.
    pub(super) fn quasiquote(&mut self, datum: Datum, loc: Loc) -> Result<Term> {
        self.find_open_parts(datum);
        self.quasi(datum, 1, loc)
    }

    /// Finds the parts of a datum in which something is unquoted. Templates nest, so parts are looked at once.
    fn find_open_parts(&mut self, datum: Datum) {
        let (mut order, mut todo) = (Vec::new(), vec![datum]);
        while let Some(part) = todo.pop() {
            if !self.templates.seen.insert(part) {
                continue;
            }
            order.push(part);
            match self.data().node(part) {
                Node::Pair(first, rest) => todo.extend([first, rest]),
                Node::Vector(items) => todo.extend(self.data().items(items)),
                _ => {}
            }
        }
        // A part was met before what it contains.
        for part in order.into_iter().rev() {
            let open = &self.templates.open;
            let is_open = match self.data().node(part) {
                Node::Symbol(symbol) => self.data().name(symbol).starts_with("unquote"),
                Node::Pair(first, rest) => open.contains(&first) || open.contains(&rest),
                Node::Vector(items) => {
                    self.data().items(items).iter().any(|item| open.contains(item))
                }
                _ => false,
            };
            if is_open {
                self.templates.open.insert(part);
            }
        }
    }

    /// A template at a level of nested `quasiquote`s.
    fn quasi(&mut self, datum: Datum, level: usize, loc: Loc) -> Result<Term> {
        if !self.templates.open.contains(&datum) {
            let datum = self.strip(datum);
            return Ok(self.add(Core::Quote(datum), loc));
        }
        if self.left == 0 || self.data().list(datum).is_none() {
            return Err(Error::new(loc, "this template nests too deeply", "build it in parts"));
        }
        self.left -= 1;
        let term = self.template(datum, level, loc);
        self.left += 1;
        term
    }

    fn template(&mut self, datum: Datum, level: usize, loc: Loc) -> Result<Term> {
        if let Some((name, operand)) = self.quasi_form(datum) {
            let (name, level) = match name {
                "unquote" if level == 1 => return self.expand(operand),
                "quasiquote" => ("quasiquote", level + 1),
                "unquote" => ("unquote", level - 1),
                _ => ("unquote-splicing", level.saturating_sub(1).max(1)),
            };
            let symbol = self.data_mut().add_symbol(name, loc);
            let first = self.add(Core::Quote(symbol), loc);
            let null = self.data_mut().add(Node::Null, loc);
            let null = self.add(Core::Quote(null), loc);
            let operand = self.quasi(operand, level, loc)?;
            let rest = self.prim("cons", vec![operand, null], loc);
            return Ok(self.prim("cons", vec![first, rest], loc));
        }
        match self.data().node(datum) {
            Node::Pair(..) => self.template_list(datum, level, loc),
            Node::Vector(items) => {
                let items = self.data().items(items).to_vec();
                let list = self.data_mut().add_list(&items, None, loc);
                let list = self.template_list(list, level, loc)?;
                self.library_call("list->vector", vec![list], loc)
            }
            _ => {
                let datum = self.strip(datum);
                Ok(self.add(Core::Quote(datum), loc))
            }
        }
    }

    fn template_list(&mut self, datum: Datum, level: usize, loc: Loc) -> Result<Term> {
        // The tail may be `. ,x`, which reads as two more elements.
        let (mut items, mut rest) = (Vec::new(), datum);
        while let Node::Pair(first, next) = self.data().node(rest) {
            if !items.is_empty()
                && matches!(self.quasi_form(rest), Some(("unquote" | "quasiquote", _)))
            {
                break;
            }
            items.push(first);
            rest = next;
        }
        let mut list = self.quasi(rest, level, loc)?;
        for item in items.into_iter().rev() {
            list = match self.quasi_form(item) {
                Some(("unquote-splicing", operand)) if level == 1 => {
                    let spliced = self.expand(operand)?;
                    self.library_call("append", vec![spliced, list], loc)?
                }
                _ => {
                    let item = self.quasi(item, level, loc)?;
                    self.prim("cons", vec![item, list], loc)
                }
            };
        }
        Ok(list)
    }

    fn prim(&mut self, name: &str, args: Vec<Term>, loc: Loc) -> Term {
        let op = prims::find(name).map_or(Op::Values, Op::Prim);
        self.add(Core::Prim { op, args, spread: false }, loc)
    }

    fn library_call(&mut self, name: &str, args: Vec<Term>, loc: Loc) -> Result<Term> {
        let f = self.builtin(name, loc);
        let f = self.expand(f)?;
        Ok(self.add(Core::Call(f, args), loc))
    }
}
