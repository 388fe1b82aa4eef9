//! The operations of a program as rows of numbers, before they are sorted by form.

use super::image::{DENSE, FLAG, Form, NONE};
use super::{Expr, Field, Node, Op, Program, Value, ValueId, Var};
use crate::prims::Class;
use rustc_hash::FxHashMap;

/// An operation before sorting: its form, operands, and expression.
pub(super) struct Flat {
    pub(super) form: usize,
    pub(super) operands: [u32; 3],
    pub(super) expr: Expr,
    /// The variables that activate it.
    pub(super) reads: Vec<Var>,
    /// The field that activates it, as a number of `groups`.
    pub(super) group: Option<u32>,
}

/// What is flattened so far.
pub(super) struct Flatten<'a> {
    pub(super) program: &'a Program,
    pub(super) flat: Vec<Flat>,
    pub(super) gotos: Vec<Vec<u32>>,
    pub(super) args: Vec<u32>,
    pub(super) groups: FxHashMap<(Class, u32, u32), u32>,
    pub(super) expr: Expr,
}

fn encode(node: Node) -> u32 {
    match node {
        Node::Var(var) => var,
        Node::Value(value) => value | FLAG,
    }
}

impl Flatten<'_> {
    fn push(&mut self, form: usize, operands: [u32; 3], reads: Vec<Var>) {
        self.flat.push(Flat { form, operands, expr: self.expr, reads, group: None });
    }

    pub(super) fn initially(&mut self) {
        let program = self.program;
        for (var, value) in &program.init {
            self.push(Form::Put as usize, [*var, *value, 0], Vec::new());
        }
        for value in &program.values {
            if let Value::Object { class, record, fields, .. } = value {
                (0..*fields).for_each(|index| {
                    self.group(Field { class: *class, record: *record, index });
                });
            }
        }
        if let (Some(escape), Some(_)) = (program.escape, program.basic(Class::Unknown)) {
            self.push(Form::Expose as usize, [escape, 0, 0], vec![escape]);
        }
        if program.exprs() > 0 {
            self.gotos[self.expr as usize].push(program.entry);
        }
    }

    fn group(&mut self, field: Field) -> u32 {
        let next = self.groups.len() as u32;
        *self.groups.entry((field.class, field.record, field.index)).or_insert(next)
    }

    fn goto(&mut self, to: Expr) {
        self.gotos[self.expr as usize].push(to);
    }

    fn flow(&mut self, dst: Var, src: Node) {
        match src {
            Node::Value(value) => self.push(Form::Put as usize, [dst, value, 0], Vec::new()),
            Node::Var(src) => self.push(Form::Copy as usize, [dst, src, 0], vec![src]),
        }
    }

    pub(super) fn op(&mut self, op: &Op) {
        let program = self.program;
        match op {
            Op::Copy { dst, src } => self.flow(*dst, *src),
            Op::Goto { to } => self.goto(*to),
            Op::If { test: Node::Value(value), yes, no } => {
                let falsy = program.basic(Class::False) == Some(*value);
                if !falsy {
                    self.goto(*yes);
                }
                if falsy || program.is_unknown(*value) {
                    self.goto(*no);
                }
            }
            Op::If { test: Node::Var(test), yes, no } => {
                self.push(Form::If as usize, [*test, *yes, *no], vec![*test]);
            }
            Op::Map { dst, src: Node::Value(value), table } => {
                for class in program.image(*table, *value).iter() {
                    program
                        .basic(class)
                        .into_iter()
                        .for_each(|value| self.flow(*dst, Node::Value(value)));
                }
            }
            Op::Map { dst, src: Node::Var(src), table } => {
                self.push(Form::Map as usize, [*src, *dst, *table], vec![*src]);
            }
            Op::Load { dst, base: Node::Value(value), field } => {
                match program.field(*value, *field) {
                    Some(field) => self.flow(*dst, Node::Var(field)),
                    None if program.is_unknown(*value) => self.flow(*dst, Node::Value(*value)),
                    None => {}
                }
            }
            Op::Load { dst, base: Node::Var(base), field } => {
                let group = self.group(*field);
                self.push(Form::Load as usize, [*base, *dst, group], vec![*base]);
                if let Some(op) = self.flat.last_mut() {
                    op.group = Some(group);
                }
            }
            Op::Store { base: Node::Value(value), field, src } => {
                match (program.field(*value, *field), program.escape) {
                    (Some(field), _) => self.flow(field, *src),
                    (None, Some(escape)) if program.is_unknown(*value) => self.flow(escape, *src),
                    _ => {}
                }
            }
            Op::Store { base: Node::Var(base), field, src } => {
                let group = self.group(*field);
                let src_var = if let Node::Var(var) = src { Some(*var) } else { None };
                let reads = [*base].into_iter().chain(src_var).collect();
                self.push(Form::Store as usize, [*base, encode(*src), group], reads);
            }
            Op::Call { f: Node::Value(value), args, spread } => self.known(*value, args, *spread),
            Op::Call { f: Node::Var(f), args, spread } => {
                let form = match (spread, args.len()) {
                    (Some(_), _) => Form::CallSpread as usize,
                    (None, count) if count < DENSE => Form::Call as usize + count,
                    _ => Form::CallMany as usize,
                };
                let at = self.args.len() as u32;
                self.args.extend(args.iter().map(|arg| encode(*arg)));
                self.args.push(spread.unwrap_or(NONE));
                let vars = args.iter().filter_map(|arg| match arg {
                    Node::Var(var) => Some(*var),
                    Node::Value(_) => None,
                });
                let reads = [*f].into_iter().chain(vars).chain(*spread).collect();
                self.push(form, [*f, at, args.len() as u32], reads);
            }
        }
    }

    fn known(&mut self, value: ValueId, args: &[Node], spread: Option<Var>) {
        let program = self.program;
        if let Some(lambda) = program.lambda(value) {
            if program.bind(lambda, args, spread, |dst, src| self.flow(dst, src)) {
                self.goto(lambda.body);
            }
        } else if let (true, Some(escape)) = (program.is_unknown(value), program.escape) {
            args.iter().for_each(|arg| self.flow(escape, *arg));
            spread.iter().for_each(|arg| self.flow(escape, Node::Var(*arg)));
        }
    }
}
