//! Values and objects.

use super::numbers;
use crate::expand::core::{Lam, Term};
use crate::flow::{Program, Value as Abstract, ValueId};
use crate::prims::Class;
use crate::read::{Data, Datum, Node, Number, Symbol};
use crate::signs;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Val {
    Void,
    Null,
    Eof,
    Failure,
    Bool(bool),
    Int(i64),
    /// An exact fraction in lowest terms; the second number is above one.
    Ratio(i64, i64),
    Real(f64),
    /// A number that is not interpreted.
    Number(Class),
    Char(char),
    Str(u32),
    Symbol(Symbol),
    Bytes(u32),
    Closure(u32),
    /// A continuation as a procedure, and the `call/cc` that made it.
    Escape(u32, Term),
    Object(u32),
}

impl Val {
    /// The class of a value that is no procedure or object.
    pub(super) fn class(self) -> Class {
        match self {
            Val::Void => Class::Void,
            Val::Null => Class::Null,
            Val::Eof => Class::Eof,
            Val::Failure => Class::Failure,
            Val::Bool(true) => Class::True,
            Val::Bool(false) => Class::False,
            Val::Int(value) => signs::class_of_int(value),
            Val::Ratio(over, _) if over < 0 => Class::NegRatio,
            Val::Ratio(..) => Class::PosRatio,
            Val::Real(value) => signs::class_of_real(value),
            Val::Number(class) => class,
            Val::Char(_) => Class::Char,
            Val::Str(_) => Class::Str,
            Val::Symbol(_) => Class::Symbol,
            Val::Bytes(_) => Class::Bytes,
            Val::Closure(_) | Val::Escape(..) => Class::Procedure,
            Val::Object(_) => Class::Other,
        }
    }
}

pub(super) struct Closure {
    pub(super) lams: Rc<[Lam]>,
    pub(super) env: u32,
}

/// A pair, vector, record, condition, or table; the fields of a table are keys and values in turn.
pub(super) struct Object {
    pub(super) class: Class,
    pub(super) record: u32,
    pub(super) abstraction: ValueId,
    pub(super) fields: Vec<Val>,
}

#[derive(Default)]
pub(super) struct Heap {
    pub(super) objects: Vec<Object>,
    pub(super) closures: Vec<Closure>,
    pub(super) strings: Vec<String>,
    /// Constants are the same object each time.
    constants: FxHashMap<Datum, Val>,
}

impl Heap {
    pub(super) fn closure(&mut self, lams: Vec<Lam>, env: u32) -> Val {
        self.closures.push(Closure { lams: lams.into(), env });
        Val::Closure(self.closures.len() as u32 - 1)
    }

    pub(super) fn string(&mut self, text: impl Into<String>) -> Val {
        self.strings.push(text.into());
        Val::Str(self.strings.len() as u32 - 1)
    }

    pub(super) fn object(
        &mut self,
        program: &Program,
        abstraction: ValueId,
        fields: Vec<Val>,
    ) -> u32 {
        let (class, record) = match &program.values[abstraction as usize] {
            Abstract::Object { class, record, .. } => (*class, *record),
            _ => (Class::Other, 0),
        };
        self.objects.push(Object { class, record, abstraction, fields });
        self.objects.len() as u32 - 1
    }

    fn raw(&mut self, class: Class, abstraction: ValueId) -> u32 {
        self.objects.push(Object { class, record: 0, abstraction, fields: Vec::new() });
        self.objects.len() as u32 - 1
    }

    /// The value of a constant. Its pairs and vectors are those of an abstract pair and vector.
    pub(super) fn constant(
        &mut self,
        data: &Data,
        datum: Datum,
        objects: Option<(ValueId, ValueId)>,
    ) -> Val {
        if let Some(value) = self.constants.get(&datum) {
            return *value;
        }
        let (pair, vector) = objects.unwrap_or_default();
        let mut made: FxHashMap<Datum, Val> = FxHashMap::default();
        let mut todo = vec![datum];
        // First every part, then what the parts contain: data may contain themselves.
        while let Some(part) = todo.pop() {
            if made.contains_key(&part) {
                continue;
            }
            let value = match data.node(part) {
                Node::Null => Val::Null,
                Node::Bool(value) => Val::Bool(value),
                Node::Char(c) => Val::Char(c),
                Node::Str(s) => self.string(data.string(s)),
                Node::Symbol(symbol) => Val::Symbol(symbol),
                Node::Bytes(bytes) => Val::Bytes(bytes),
                Node::Number(n) => match data.number(n) {
                    Number::Int(value) => Val::Int(*value),
                    Number::Real(value) => Val::Real(*value),
                    Number::Ratio(text) => numbers::fraction(text)
                        .unwrap_or(Val::Number(signs::class_of(data.number(n)))),
                    other => Val::Number(signs::class_of(other)),
                },
                Node::Pair(first, rest) => {
                    todo.extend([first, rest]);
                    Val::Object(self.raw(Class::Pair, pair))
                }
                Node::Vector(items) => {
                    todo.extend(data.items(items));
                    Val::Object(self.raw(Class::Vector, vector))
                }
            };
            made.insert(part, value);
        }
        for (part, value) in &made {
            let Val::Object(object) = value else { continue };
            self.objects[*object as usize].fields = match data.node(*part) {
                Node::Pair(first, rest) => vec![made[&first], made[&rest]],
                Node::Vector(items) => data.items(items).iter().map(|item| made[item]).collect(),
                _ => Vec::new(),
            };
        }
        self.constants.insert(datum, made[&datum]);
        made[&datum]
    }

    pub(super) fn class(&self, value: Val) -> Class {
        match value {
            Val::Object(object) => self.objects[object as usize].class,
            value => value.class(),
        }
    }

    /// The elements of a proper list.
    pub(super) fn list(&self, mut value: Val) -> Option<Vec<Val>> {
        let mut items = Vec::new();
        while let Val::Object(object) = value {
            let object = &self.objects[object as usize];
            if object.class != Class::Pair || items.len() > self.objects.len() {
                return None;
            }
            items.push(object.fields[0]);
            value = object.fields[1];
        }
        (value == Val::Null).then_some(items)
    }

    /// `equal?`; data that contain themselves count as different after a while.
    pub(super) fn equal(&self, a: Val, b: Val) -> bool {
        let (mut todo, mut budget) = (vec![(a, b)], 100_000);
        while let Some((a, b)) = todo.pop() {
            budget -= 1;
            match (a, b) {
                _ if budget == 0 => return false,
                _ if a == b => {}
                (Val::Str(a), Val::Str(b))
                    if self.strings[a as usize] == self.strings[b as usize] => {}
                (Val::Object(a), Val::Object(b)) => {
                    let (a, b) = (&self.objects[a as usize], &self.objects[b as usize]);
                    let structural = matches!(a.class, Class::Pair | Class::Vector);
                    if a.class != b.class || !structural || a.fields.len() != b.fields.len() {
                        return false;
                    }
                    todo.extend(a.fields.iter().copied().zip(b.fields.iter().copied()));
                }
                _ => return false,
            }
        }
        true
    }

    /// What `display` shows.
    pub(super) fn show(&self, data: &Data, value: Val) -> String {
        enum Todo {
            Val(Val),
            Tail(Val),
            Text(&'static str),
        }
        let mut out = String::new();
        let mut todo = vec![Todo::Val(value)];
        while let Some(next) = todo.pop() {
            if out.len() > 10_000 {
                break;
            }
            match next {
                Todo::Text(text) => out.push_str(text),
                Todo::Tail(Val::Null) => out.push(')'),
                Todo::Tail(Val::Object(at)) if self.objects[at as usize].class == Class::Pair => {
                    let fields = &self.objects[at as usize].fields;
                    out.push(' ');
                    todo.extend([Todo::Tail(fields[1]), Todo::Val(fields[0])]);
                }
                Todo::Tail(value) => {
                    out.push_str(" . ");
                    todo.extend([Todo::Text(")"), Todo::Val(value)]);
                }
                Todo::Val(Val::Object(at)) => {
                    let object = &self.objects[at as usize];
                    match object.class {
                        Class::Pair => {
                            out.push('(');
                            todo.extend([
                                Todo::Tail(object.fields[1]),
                                Todo::Val(object.fields[0]),
                            ]);
                        }
                        Class::Vector => {
                            out.push_str("#(");
                            todo.push(Todo::Text(")"));
                            for (index, field) in object.fields.iter().enumerate().rev() {
                                todo.push(Todo::Val(*field));
                                if index > 0 {
                                    todo.push(Todo::Text(" "));
                                }
                            }
                        }
                        class => out.push_str(&format!("#<{class:?}>")),
                    }
                }
                Todo::Val(value) => out.push_str(&self.show_atom(data, value)),
            }
        }
        out
    }

    fn show_atom(&self, data: &Data, value: Val) -> String {
        match value {
            Val::Null => "()".into(),
            Val::Bool(true) => "#t".into(),
            Val::Bool(false) => "#f".into(),
            Val::Int(value) => value.to_string(),
            Val::Ratio(over, under) => format!("{over}/{under}"),
            Val::Real(value) => format!("{value:?}"),
            Val::Char(c) => c.to_string(),
            Val::Str(s) => self.strings[s as usize].clone(),
            Val::Symbol(symbol) => data.name(symbol).to_string(),
            value => format!("#<{:?}>", value.class()),
        }
    }
}
