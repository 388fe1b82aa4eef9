//! What primitives do.

use super::heap::Val;
use super::{Halt, Machine, Step, numbers, stop};
use crate::expand::core::Term;
use crate::flow::Field;
use crate::prims::{Class, Effect, Op};

impl Machine<'_> {
    pub(super) fn primitive(&mut self, term: Term, op: Op, args: &[Val]) -> Step<Val> {
        match op {
            Op::Prim(prim) => {
                let entry = prim.entry();
                match entry.effect {
                    Effect::Makes(class, _) => self.make(term, entry.name, class, args),
                    Effect::Tests(classes) => Ok(Val::Bool(classes.has(self.heap.class(args[0])))),
                    Effect::Loads(class, field) => self.load(entry.name, class, field, args),
                    Effect::Stores(class, _) => self.store(entry.name, class, args),
                    Effect::Halts => Err(Halt::Stopped("exit".into())),
                    _ => self.named(entry.name, args),
                }
            }
            Op::MakeRecord(_) => self.make(term, "record", Class::Record, args),
            Op::RecordRef(id, field) => {
                let object = self.record(id, args[0])?;
                Ok(self.heap.objects[object].fields[field as usize])
            }
            Op::RecordSet(id, field) => {
                let object = self.record(id, args[0])?;
                self.heap.objects[object].fields[field as usize] = args[1];
                self.check_field(object as u32, field as usize)?;
                Ok(Val::Void)
            }
            Op::IsRecord(id) => Ok(Val::Bool(self.record(id, args[0]).is_ok())),
            Op::Apply | Op::CallCc | Op::Values => stop("no primitive"),
        }
    }

    fn record(&self, id: u32, value: Val) -> Step<usize> {
        match value {
            Val::Object(at) => {
                let object = &self.heap.objects[at as usize];
                if object.class == Class::Record && object.record == id {
                    Ok(at as usize)
                } else {
                    stop("a record is of another type")
                }
            }
            _ => stop("a record is expected"),
        }
    }

    fn make(&mut self, term: Term, name: &str, class: Class, args: &[Val]) -> Step<Val> {
        let label = self.prims.get(&term);
        let Some(abstraction) =
            label.and_then(|label| self.analysis.lowered.made.get(label)).copied()
        else {
            return Err(Halt::Unsound(format!(
                "{name} runs, but makes nothing in the abstract program"
            )));
        };
        let fields = match (class, args) {
            (Class::Table, _) => Vec::new(),
            (Class::Vector, [Val::Int(count), fill]) if name == "%make-vector" => {
                vec![*fill; usize::try_from(*count).unwrap_or(0).min(100_000)]
            }
            _ => args.to_vec(),
        };
        self.object(abstraction, fields)
    }

    fn of_class(&self, value: Val, class: Class) -> Step<usize> {
        match value {
            Val::Object(at) if self.heap.objects[at as usize].class == class => Ok(at as usize),
            _ => stop(format!("a {class:?} is expected")),
        }
    }

    fn index(&self, object: usize, index: Val) -> Step<usize> {
        match index {
            Val::Int(at) if (0..self.heap.objects[object].fields.len() as i64).contains(&at) => {
                Ok(at as usize)
            }
            _ => stop("an index is out of range"),
        }
    }

    fn load(&mut self, name: &str, class: Class, field: u32, args: &[Val]) -> Step<Val> {
        let object = self.of_class(args[0], class)?;
        let at = match (class, name) {
            (Class::Vector, _) => self.index(object, args[1])?,
            (Class::Table, _) => match args[1] {
                Val::Int(at) => self.index(object, Val::Int(at * 2))?,
                _ => return stop("an index is expected"),
            },
            _ => field as usize,
        };
        Ok(self.heap.objects[object].fields[at])
    }

    fn store(&mut self, name: &str, class: Class, args: &[Val]) -> Step<Val> {
        let object = self.of_class(args[0], class)?;
        if let "%table-probe!" | "%table-function!" = name {
            let field = if name == "%table-probe!" { 2 } else { 3 };
            let abstraction = self.heap.objects[object].abstraction;
            let program = &self.analysis.lowered.program;
            if let Some(var) = program.field(abstraction, Field { class, record: 0, index: field })
            {
                self.check(var, args[1], || format!("what a table keeps by {name}"))?;
            }
            return Ok(Val::Void);
        }
        let (at, value) = match name {
            "set-car!" => (0, args[1]),
            "set-cdr!" => (1, args[1]),
            "vector-set!" => (self.index(object, args[1])?, args[2]),
            _ => {
                let at = match self.entry(object, args[1]) {
                    Some(at) => at,
                    None => {
                        self.heap.objects[object].fields.extend([args[1], args[2]]);
                        self.heap.objects[object].fields.len() - 2
                    }
                };
                self.check_field(object as u32, at)?;
                (at + 1, args[2])
            }
        };
        self.heap.objects[object].fields[at] = value;
        self.check_field(object as u32, at)?;
        Ok(Val::Void)
    }

    /// Where a table has a key.
    fn entry(&self, table: usize, key: Val) -> Option<usize> {
        let fields = &self.heap.objects[table].fields;
        (0..fields.len()).step_by(2).find(|at| self.heap.equal(fields[*at], key))
    }

    fn text(&self, value: Val) -> Step<&str> {
        match value {
            Val::Str(at) => Ok(&self.heap.strings[at as usize]),
            _ => stop("a string is expected"),
        }
    }

    fn named(&mut self, name: &str, args: &[Val]) -> Step<Val> {
        let data = &self.analysis.core.data;
        match (name, args) {
            ("%void" | "void", _) => Ok(Val::Void),
            ("%may-fail", _) => Ok(Val::Bool(false)),
            ("%failure", _) => Ok(Val::Failure),
            ("eof-object", _) => Ok(Val::Eof),
            ("eq?" | "eqv?", [a, b]) => Ok(Val::Bool(a == b)),
            ("equal?", [a, b]) => Ok(Val::Bool(self.heap.equal(*a, *b))),
            ("display" | "write", [value, ..]) => {
                let shown = self.heap.show(data, *value);
                self.output.push_str(&shown);
                Ok(Val::Void)
            }
            ("newline", _) => {
                self.output.push('\n');
                Ok(Val::Void)
            }
            ("list?", [value]) => Ok(Val::Bool(self.heap.list(*value).is_some())),
            ("length", [list]) => match self.heap.list(*list) {
                Some(items) => Ok(Val::Int(items.len() as i64)),
                None => stop("a list is expected"),
            },
            ("vector-length", [vector]) => {
                let vector = self.of_class(*vector, Class::Vector)?;
                Ok(Val::Int(self.heap.objects[vector].fields.len() as i64))
            }
            ("%table-ref", [table, key, default]) => {
                let table = self.of_class(*table, Class::Table)?;
                Ok(self
                    .entry(table, *key)
                    .map_or(*default, |at| self.heap.objects[table].fields[at + 1]))
            }
            ("%table-has?", [table, key]) => {
                let table = self.of_class(*table, Class::Table)?;
                Ok(Val::Bool(self.entry(table, *key).is_some()))
            }
            ("hash-table-count" | "hash-table-size", [table]) => {
                let table = self.of_class(*table, Class::Table)?;
                Ok(Val::Int(self.heap.objects[table].fields.len() as i64 / 2))
            }
            ("%table-delete!", [table, key]) => {
                let table = self.of_class(*table, Class::Table)?;
                if let Some(at) = self.entry(table, *key) {
                    self.heap.objects[table].fields.drain(at..at + 2);
                }
                Ok(Val::Void)
            }
            ("string-length", [s]) => Ok(Val::Int(self.text(*s)?.chars().count() as i64)),
            ("string-ref", [s, Val::Int(at)]) => {
                match self.text(*s)?.chars().nth(usize::try_from(*at).unwrap_or(usize::MAX)) {
                    Some(c) => Ok(Val::Char(c)),
                    None => stop("an index is out of range"),
                }
            }
            ("string-append", parts) => {
                let mut all = String::new();
                for part in parts {
                    all.push_str(self.text(*part)?);
                }
                Ok(self.heap.string(all))
            }
            ("list->string", [list]) => {
                let chars = self.heap.list(*list).unwrap_or_default();
                let text: String = chars
                    .iter()
                    .filter_map(|c| if let Val::Char(c) = c { Some(*c) } else { None })
                    .collect();
                Ok(self.heap.string(text))
            }
            ("char-upcase", [Val::Char(c)]) => Ok(Val::Char(c.to_ascii_uppercase())),
            ("symbol->string", [Val::Symbol(symbol)]) => {
                let name = data.name(*symbol).to_string();
                Ok(self.heap.string(name))
            }
            ("string=?", [a, b]) => Ok(Val::Bool(self.text(*a)? == self.text(*b)?)),
            ("number->string", [n]) => {
                let text = self.heap.show(data, *n);
                Ok(self.heap.string(text))
            }
            _ => numbers::apply(name, args),
        }
    }
}
