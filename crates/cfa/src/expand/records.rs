//! `define-record-type` (R7RS §5.5).

use super::Expander;
use super::core::{Core, Formals, RecordType, Term, Var};
use super::scope::{Constructor, Denotation};
use crate::prims::Op;
use crate::read::{Datum, Node};
use crate::source::{Error, Loc, Result};
use std::rc::Rc;

impl Expander {
    /// Binds the procedures of a record type.
    pub(super) fn record_type(&mut self, form: Datum) -> Result<()> {
        let help = "write (define-record-type name (constructor field ...) predicate (field accessor [modifier]) ...)";
        let items = self.data().proper(form)?;
        let [_, name, constructor, predicate, specs @ ..] = items.as_slice() else {
            return Err(self.wrong(form, help));
        };
        let name = match self.data().node(*name) {
            Node::Pair(name, _) => name,
            _ => *name,
        };
        let name = self.identifier(name)?;
        let mut fields = Vec::new();
        for spec in specs {
            let parts = match self.data().as_symbol(*spec) {
                Some(_) => vec![*spec],
                None => self.data().proper(*spec)?,
            };
            if parts.is_empty() || parts.len() > 3 {
                return Err(self.wrong(*spec, help));
            }
            fields.push(parts);
        }
        let id = self.program.records.len() as u32;
        let written =
            |datum: &Datum| self.identifier(*datum).map(|symbol| self.data().name(symbol).into());
        let names = fields.iter().map(|parts| written(&parts[0])).collect::<Result<_>>()?;
        self.program
            .records
            .push(RecordType { name: self.data().name(name).into(), fields: names });
        for (index, parts) in fields.iter().enumerate() {
            let index = index as u32;
            let ops = [(Op::RecordRef(id, index), 1), (Op::RecordSet(id, index), 2)];
            for (part, (op, count)) in parts[1..].iter().zip(ops) {
                let symbol = self.identifier(*part)?;
                self.scopes.bind(symbol, Denotation::Record(op, count));
            }
        }
        if let Some(symbol) = self.data().as_symbol(*predicate) {
            self.scopes.bind(symbol, Denotation::Record(Op::IsRecord(id), 1));
        }
        self.record_constructor(*constructor, id, &fields)
    }

    fn record_constructor(&mut self, spec: Datum, id: u32, fields: &[Vec<Datum>]) -> Result<()> {
        let (name, args) = match self.data().node(spec) {
            Node::Symbol(symbol) => (symbol, (0..fields.len()).collect()),
            Node::Pair(name, args) => {
                let mut at = Vec::new();
                for arg in self.data().proper(args)? {
                    let symbol = self.identifier(arg)?;
                    let field = fields
                        .iter()
                        .position(|parts| self.data().as_symbol(parts[0]) == Some(symbol));
                    at.push(field.ok_or_else(|| {
                        let name = self.data().name(symbol);
                        Error::new(
                            self.data().loc(arg),
                            format!("the record type has no field {name}"),
                            "add the field",
                        )
                    })?);
                }
                (self.identifier(name)?, at)
            }
            _ => return Ok(()),
        };
        let straight =
            args.len() == fields.len() && args.iter().enumerate().all(|(at, field)| at == *field);
        self.scopes.bind(
            name,
            if straight {
                Denotation::Record(Op::MakeRecord(id), args.len())
            } else {
                Denotation::Constructor(Rc::new(Constructor {
                    record: id,
                    fields: fields.len(),
                    args,
                }))
            },
        );
        Ok(())
    }

    /// A procedure that makes a record of some of its fields, in any order.
    pub(super) fn constructor(&mut self, maker: &Constructor, loc: Loc) -> Term {
        let params: Vec<Var> =
            maker.args.iter().map(|_| self.program.add_var("field", loc)).collect();
        let field =
            |field: usize| maker.args.iter().position(|at| *at == field).map(|at| params[at]);
        let args = (0..maker.fields)
            .map(|at| match field(at) {
                Some(var) => self.program.add(Core::Ref(var), loc),
                None => self.program.add(Core::Void, loc),
            })
            .collect();
        let body =
            self.add(Core::Prim { op: Op::MakeRecord(maker.record), args, spread: false }, loc);
        let lam = self.program.add_lambda(Formals { params, rest: None }, body, loc);
        self.add(Core::Lambda(lam), loc)
    }
}
