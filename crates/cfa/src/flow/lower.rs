//! Programs in continuation-passing style become operations.

use super::numbers::{Rule, type_of};
use super::{Expr, Field, Lambda, Node, Op, Program, Rest, Table, Value, ValueId, Var};
use crate::cps::{self, Ae, Cps, Exp};
use crate::prims::{self, Class, Classes, Effect, NOWHERE};
use crate::read::{Data, Datum};
use crate::signs::{Arith, Constants};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// A program for the engines, and where its objects come from.
#[derive(Clone, Debug, Default)]
pub struct Lowered {
    /// The program. Variables, expressions and lambda expressions have the numbers they have in continuation-passing style; there
    /// are more of each.
    pub program: Program,
    /// The objects that each primitive makes.
    pub made: FxHashMap<Expr, ValueId>,
    /// The pairs and vectors of each constant.
    pub constants: FxHashMap<Datum, (ValueId, ValueId)>,
    /// The pairs of the rest arguments of each lambda expression.
    pub rests: FxHashMap<cps::LamId, ValueId>,
}

pub(super) struct Lower<'a> {
    pub(super) cps: &'a Cps,
    pub(super) data: &'a Data,
    pub(super) records: &'a [u32],
    pub(super) constants: Constants,
    pub(super) out: Lowered,
    pub(super) tables: FxHashMap<TableKey, u32>,
    /// Expressions beyond those of the program.
    pub(super) cases: Vec<Op>,
    /// The variables that are assigned.
    pub(super) assigned: FxHashSet<Var>,
}

/// What a table of `Map` is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum TableKey {
    /// Whether a value is of some classes, and of a record type.
    Tests(Classes, Option<u32>),
    /// Whether a number is of some classes.
    Signs(Classes),
    /// True for a class, nothing for others.
    Is(Class),
    /// By kind; integers yield some classes besides.
    Kinds(Classes),
    /// A rule for one number.
    One(Arith),
    /// A rule for a number twice.
    Same(Rule),
    /// A rule for two numbers, the first of a class.
    After(Rule, Class),
    /// A rule for two numbers, the second of a class.
    Before(Rule, Class),
}

/// Lowers a program. `records` says how many fields each record type has.
pub fn lower(cps: &Cps, data: &Data, records: &[u32], constants: Constants) -> Lowered {
    let mut lower = Lower {
        cps,
        data,
        records,
        constants,
        out: Lowered::default(),
        tables: FxHashMap::default(),
        cases: Vec::new(),
        assigned: FxHashSet::default(),
    };
    let sets = cps.exps.iter().filter_map(|exp| match exp {
        Exp::Set { x, .. } => Some(x.0),
        _ => None,
    });
    lower.assigned.extend(sets);
    lower.out.program.vars = cps.vars.len() as u32;
    lower.values();
    for label in 0..cps.exps.len() {
        lower.out.program.starts.push(lower.out.program.ops.len() as u32);
        lower.expression(label as u32);
    }
    for case in std::mem::take(&mut lower.cases) {
        lower.out.program.starts.push(lower.out.program.ops.len() as u32);
        lower.push(case);
    }
    lower.out.program.starts.push(lower.out.program.ops.len() as u32);
    lower.out.program.entry = cps.entry.map_or(0, |entry| entry.0);
    lower.out
}

impl Lower<'_> {
    pub(super) fn fresh(&mut self) -> Var {
        self.out.program.vars += 1;
        self.out.program.vars - 1
    }

    pub(super) fn object(&mut self, class: Class, record: u32, fields: u32) -> ValueId {
        let field = self.out.program.vars;
        self.out.program.vars += fields;
        self.out.program.values.push(Value::Object { class, record, field, fields });
        self.out.program.values.len() as ValueId - 1
    }

    pub(super) fn basic(&self, class: Class) -> ValueId {
        self.out.program.basic(class).unwrap_or_default()
    }

    /// Lambda expressions first, then classes; objects as they are met.
    fn values(&mut self) {
        for lambda in &self.cps.lambdas {
            let params = lambda.params.iter().map(|x| x.0).collect();
            let rest = match lambda.rest {
                cps::Rest::None => Rest::None,
                cps::Rest::Ignored => Rest::Ignored,
                cps::Rest::List(x) => Rest::List(x.0, 0),
            };
            self.out.program.values.push(Value::Lambda(Lambda {
                params,
                rest,
                body: lambda.body.0,
            }));
        }
        for class in Class::ALL.iter().filter(|class| **class < Class::Procedure) {
            let next = self.out.program.values.len() as ValueId;
            let value = match (self.constants, type_of(*class)) {
                // The type stands for all its signs, or they for it.
                (Constants::Types, Some(whole)) => self.out.program.basic(whole),
                (Constants::Signs, None) if Classes::of(&[*class]).closed().iter().count() > 1 => {
                    None
                }
                _ => Some(next),
            };
            self.out.program.basics.push(value);
            if value == Some(next) {
                self.out.program.values.push(Value::Basic(*class));
            }
        }
        self.out.program.escape = Some(self.fresh());
        let null = self.basic(Class::Null);
        for index in 0..self.cps.lambdas.len() {
            if let cps::Rest::List(x) = self.cps.lambdas[index].rest {
                let pair = self.object(Class::Pair, 0, 2);
                self.out.rests.insert(cps::LamId(index as u32), pair);
                let cdr = self.out.program.vars - 1;
                self.out.program.init.extend([(cdr, null), (cdr, pair)]);
                if let Value::Lambda(lambda) = &mut self.out.program.values[index] {
                    lambda.rest = Rest::List(x.0, pair);
                }
            }
        }
    }

    pub(super) fn push(&mut self, op: Op) {
        self.out.program.ops.push(op);
    }

    fn node(&mut self, ae: Ae) -> Node {
        match ae {
            Ae::Var(x) => Node::Var(x.0),
            Ae::Lam(lam) => Node::Value(lam.0),
            Ae::Basic(class) => Node::Value(self.basic(class)),
            Ae::Quote(datum) => Node::Value(self.constant(datum)),
        }
    }

    fn expression(&mut self, label: u32) {
        let cps = self.cps;
        match &cps.exps[label as usize] {
            Exp::Halt => {}
            Exp::If { test, yes, no } => {
                let test = self.node(*test);
                self.push(Op::If { test, yes: yes.0, no: no.0 });
            }
            Exp::Fix { bindings, body } => {
                bindings
                    .iter()
                    .for_each(|(x, lam)| self.push(Op::Copy { dst: x.0, src: Node::Value(lam.0) }));
                self.push(Op::Goto { to: body.0 });
            }
            Exp::Set { x, value, k } => {
                let src = self.node(*value);
                self.push(Op::Copy { dst: x.0, src });
                let void = self.basic(Class::Void);
                self.go_on(*k, Node::Value(void));
            }
            Exp::Call { f, args, spread } => {
                let f = self.node(*f);
                let mut args: Vec<Node> = args.iter().map(|arg| self.node(*arg)).collect();
                let spread =
                    if *spread { args.pop().map(|list| self.elements(list)) } else { None };
                self.push(Op::Call { f, args, spread });
            }
            Exp::Prim { op, args, spread, k } => {
                let mut args: Vec<Node> = args.iter().map(|arg| self.node(*arg)).collect();
                if *spread && let Some(list) = args.pop() {
                    args.push(Node::Var(self.elements(list)));
                }
                self.prim(label, *op, &args, *spread, *k);
            }
        }
    }

    /// A variable with the elements of a list.
    fn elements(&mut self, list: Node) -> Var {
        let (tails, items) = (self.fresh(), self.fresh());
        self.push(Op::Copy { dst: tails, src: list });
        let part = |index| Field { class: Class::Pair, record: 0, index };
        self.push(Op::Load { dst: tails, base: Node::Var(tails), field: part(1) });
        self.push(Op::Load { dst: items, base: Node::Var(tails), field: part(0) });
        items
    }

    /// The parameter of a continuation in place.
    fn receiver(&self, k: Ae) -> Option<Var> {
        let Ae::Lam(lam) = k else { return None };
        let lambda = self.cps.lambda(lam);
        match (lambda.params.as_slice(), lambda.rest) {
            ([x], cps::Rest::None | cps::Rest::Ignored) => Some(x.0),
            _ => None,
        }
    }

    /// Hands a value to a continuation.
    pub(super) fn go_on(&mut self, k: Ae, value: Node) {
        let f = self.node(k);
        self.push(Op::Call { f, args: vec![value], spread: None });
    }

    /// Where the result of a primitive is collected, and how control goes on from there.
    pub(super) fn result(&mut self, k: Ae) -> (Var, Op) {
        if let (Some(x), Ae::Lam(lam)) = (self.receiver(k), k) {
            return (x, Op::Goto { to: self.cps.lambda(lam).body.0 });
        }
        let x = self.fresh();
        let f = self.node(k);
        (x, Op::Call { f, args: vec![Node::Var(x)], spread: None })
    }

    fn prim(&mut self, label: u32, op: prims::Op, args: &[Node], spread: bool, k: Ae) {
        use prims::Op as P;
        let arg = |at: usize| args.get(at).copied();
        let record = |record: u32, index: u32| Field { class: Class::Record, record, index };
        match op {
            P::Prim(prim) => self.table_prim(label, prim.entry().effect, args, spread, k),
            P::Apply | P::CallCc | P::Values => {}
            P::MakeRecord(id) => {
                let fields = self.records.get(id as usize).copied().unwrap_or_default();
                let object = self.object(Class::Record, id, fields);
                let first = self.out.program.vars - fields;
                self.out.made.insert(label, object);
                args.iter().enumerate().for_each(|(at, src)| {
                    self.push(Op::Copy { dst: first + at as u32, src: *src })
                });
                self.go_on(k, Node::Value(object));
            }
            P::RecordRef(id, index) => {
                let (dst, next) = self.result(k);
                if let Some(base) = arg(0) {
                    self.push(Op::Load { dst, base, field: record(id, index) });
                }
                self.push(next);
            }
            P::RecordSet(id, index) => {
                if let (Some(base), Some(src)) = (arg(0), arg(1)) {
                    self.push(Op::Store { base, field: record(id, index), src });
                }
                let void = self.basic(Class::Void);
                self.go_on(k, Node::Value(void));
            }
            P::IsRecord(id) => {
                let table = self.test_table(Classes::of(&[Class::Record]), Some(id));
                self.map(table, args, k);
            }
        }
    }

    fn table_prim(&mut self, label: u32, effect: Effect, args: &[Node], spread: bool, k: Ae) {
        let arg = |at: usize| args.get(at).copied();
        let part = |class, index| Field { class, record: 0, index };
        match effect {
            Effect::Halts => {}
            Effect::Yields(classes) => {
                if classes.has(Class::Unknown)
                    && let Some(escape) = self.out.program.escape
                {
                    args.iter().for_each(|src| self.push(Op::Copy { dst: escape, src: *src }));
                }
                let values: Vec<ValueId> =
                    classes.iter().filter_map(|class| self.out.program.basic(class)).collect();
                let values: BTreeSet<ValueId> = values.into_iter().collect();
                if let (1, Some(value)) = (values.len(), values.first()) {
                    return self.go_on(k, Node::Value(*value));
                }
                let (dst, next) = self.result(k);
                values
                    .into_iter()
                    .for_each(|value| self.push(Op::Copy { dst, src: Node::Value(value) }));
                self.push(next);
            }
            Effect::Makes(class, fields) => {
                let count = prims::fields(class);
                let object = self.object(class, 0, count);
                let first = self.out.program.vars - count;
                self.out.made.insert(label, object);
                for (at, src) in args.iter().enumerate() {
                    let field = fields.get(at).or(fields.last()).copied().unwrap_or(NOWHERE);
                    if field != NOWHERE {
                        self.push(Op::Copy { dst: first + field, src: *src });
                    }
                }
                self.go_on(k, Node::Value(object));
            }
            Effect::Loads(class, index) => {
                let (dst, next) = self.result(k);
                if let Some(base) = arg(0) {
                    self.push(Op::Load { dst, base, field: part(class, index) });
                }
                self.push(next);
            }
            Effect::LoadsOr(class, index, other) => {
                let (dst, next) = self.result(k);
                if let (Some(base), Some(src)) = (arg(0), arg(other)) {
                    self.push(Op::Load { dst, base, field: part(class, index) });
                    self.push(Op::Copy { dst, src });
                }
                self.push(next);
            }
            Effect::Stores(class, stores) => {
                for (index, at) in stores {
                    if let (Some(base), Some(src)) = (arg(0), arg(*at)) {
                        self.push(Op::Store { base, field: part(class, *index), src });
                    }
                }
                let void = self.basic(Class::Void);
                self.go_on(k, Node::Value(void));
            }
            Effect::Tests(classes) => {
                let table = self.test_table(classes, None);
                self.map(table, args, k);
            }
            Effect::Signs(classes) => {
                let table = self.sign_table(classes);
                self.map(table, args, k);
            }
            Effect::Number(rule, also) => self.number(rule, also, args, spread, k),
            Effect::Compares(order) => match (self.constants, args, spread) {
                (Constants::Signs, [a, b], false) => {
                    let (dst, next) = self.result(k);
                    self.operands(Rule::Compares(order), dst, *a, *b);
                    self.push(next);
                }
                _ => {
                    let either = Classes::of(&[Class::False, Class::True]);
                    self.table_prim(label, Effect::Yields(either), args, spread, k);
                }
            },
        }
    }

    pub(super) fn map(&mut self, table: u32, args: &[Node], k: Ae) {
        let (dst, next) = self.result(k);
        args.iter().for_each(|src| self.push(Op::Map { dst, src: *src, table }));
        self.push(next);
    }

    pub(super) fn table(&mut self, key: TableKey, image: impl Fn(Class) -> Classes) -> u32 {
        self.table_for(key, None, image)
    }

    fn table_for(
        &mut self,
        key: TableKey,
        other_record: Option<(u32, Classes)>,
        image: impl Fn(Class) -> Classes,
    ) -> u32 {
        if let Some(table) = self.tables.get(&key) {
            return *table;
        }
        let table = self.out.program.tables.len() as u32;
        let classes = Class::ALL.iter().map(|class| image(*class)).collect();
        self.out.program.tables.push(Table { classes, other_record });
        self.tables.insert(key, table);
        table
    }

    fn test_table(&mut self, classes: Classes, record: Option<u32>) -> u32 {
        let (no, yes) = (Classes::of(&[Class::False]), Classes::of(&[Class::True]));
        let other = record.map(|id| (id, no));
        self.table_for(TableKey::Tests(classes, record), other, |class| match class {
            Class::Unknown => no.and(yes),
            class if classes.has(class) => yes,
            _ => no,
        })
    }
}
