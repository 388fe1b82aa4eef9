//! Programs in continuation-passing style as text.

use super::{Ae, Cps, Exp, Label, LamId, Rest, Var};
use crate::expand::core::Term;
use crate::prims::{Class, Op};
use crate::read::Data;

enum Todo {
    Exp(Label, usize),
    Ae(Ae, usize),
    Label(Label),
    Text(String),
}

/// What a class is called.
pub(crate) fn class_name(class: Class) -> &'static str {
    match class {
        Class::False => "#f",
        Class::True => "#t",
        Class::Null => "'()",
        Class::Void => "VOID",
        Class::Eof => "EOF",
        Class::Int => "INT",
        Class::Ratio => "RATIO",
        Class::Real => "REAL",
        Class::Complex => "COMPLEX",
        Class::NegInt => "INT<0",
        Class::ZeroInt => "INT=0",
        Class::PosInt => "INT>0",
        Class::NegRatio => "RATIO<0",
        Class::PosRatio => "RATIO>0",
        Class::NegReal => "REAL<0",
        Class::ZeroReal => "REAL=0",
        Class::PosReal => "REAL>0",
        Class::Nan => "NAN",
        Class::Char => "CHAR",
        Class::Str => "STRING",
        Class::Symbol => "SYMBOL",
        Class::Bytes => "BYTES",
        Class::Port => "PORT",
        Class::Failure => "FAILURE",
        Class::Other => "OTHER",
        Class::Unknown => "UNKNOWN",
        Class::Procedure => "PROCEDURE",
        Class::Pair => "PAIR",
        Class::Vector => "VECTOR",
        Class::Table => "TABLE",
        Class::Condition => "CONDITION",
        Class::Record => "RECORD",
    }
}

/// The line that something so deep begins on. Deep programs would otherwise be mostly space.
fn line(depth: usize) -> Todo {
    Todo::Text(format!("\n{}", " ".repeat(depth.min(60))))
}

impl Cps {
    /// The program as text. Expressions carry their labels and, where `place` knows one, the place of the source expression that they stand for;
    /// lambda expressions that are continuations are written κ.
    pub fn to_text(&self, data: &Data, place: impl Fn(Term) -> String) -> String {
        let mut out = String::new();
        let mut stack: Vec<Todo> =
            self.entry.map(|entry| Todo::Exp(entry, 0)).into_iter().collect();
        while let Some(todo) = stack.pop() {
            let from = stack.len();
            match todo {
                Todo::Text(text) => out.push_str(&text),
                Todo::Ae(ae, depth) => self.ae(ae, depth, data, &mut out, &mut stack),
                Todo::Exp(label, depth) => self.expression(label, depth, &mut stack),
                Todo::Label(label) => {
                    let source = self.sources[label.0 as usize].map(&place).unwrap_or_default();
                    let space = if source.is_empty() { "" } else { " " };
                    out.push_str(&format!("{{{}{space}{source}}}", label.0));
                }
            }
            // What was pushed in reading order is popped in reading order.
            stack[from..].reverse();
        }
        out.push('\n');
        out
    }

    fn name(&self, x: Var) -> String {
        format!("{}.{}", self.vars[x.0 as usize], x.0)
    }

    fn ae(&self, ae: Ae, depth: usize, data: &Data, out: &mut String, stack: &mut Vec<Todo>) {
        match ae {
            Ae::Var(x) => out.push_str(&self.name(x)),
            Ae::Basic(class) => out.push_str(class_name(class)),
            Ae::Quote(datum) => {
                out.push('\'');
                out.push_str(&data.write(datum, 60));
            }
            Ae::Lam(lam) => self.lambda_text(lam, depth, stack),
        }
    }

    fn lambda_text(&self, lam: LamId, depth: usize, stack: &mut Vec<Todo>) {
        let lambda = self.lambda(lam);
        let mut params: Vec<String> = lambda.params.iter().map(|x| self.name(*x)).collect();
        match lambda.rest {
            Rest::None => {}
            Rest::List(x) => params.extend([".".into(), self.name(x)]),
            Rest::Ignored => params.extend([".".into(), "_".into()]),
        }
        let sign = if lambda.continuation { "κ" } else { "λ" };
        stack.push(Todo::Text(format!("({sign}{} ({})", lam.0, params.join(" "))));
        stack.push(line(depth + 1));
        stack.push(Todo::Exp(lambda.body, depth + 1));
        stack.push(Todo::Text(")".into()));
    }

    fn expression(&self, label: Label, depth: usize, stack: &mut Vec<Todo>) {
        let list = |head: String, items: &[Ae], stack: &mut Vec<Todo>| {
            stack.push(Todo::Text(format!("({head}")));
            for (at, item) in items.iter().enumerate() {
                if at > 0 || !head.is_empty() {
                    stack.push(Todo::Text(" ".into()));
                }
                stack.push(Todo::Ae(*item, depth));
            }
            stack.extend([Todo::Text(")".into()), Todo::Label(label)]);
        };
        match self.exp(label) {
            Exp::Halt => stack.extend([Todo::Text("(halt)".into()), Todo::Label(label)]),
            Exp::Call { f, args, spread } => {
                let head = if *spread { "apply".into() } else { String::new() };
                list(head, &[&[*f], args.as_slice()].concat(), stack);
            }
            Exp::Set { x, value, k } => {
                list(format!("set! {}", self.name(*x)), &[*value, *k], stack)
            }
            Exp::Prim { op, args, spread, k } => {
                let op = match op {
                    Op::Prim(prim) => prim.entry().name.to_string(),
                    op => format!("{op:?}"),
                };
                let word = if *spread { "prim-apply" } else { "prim" };
                list(format!("{word} {op}"), &[args.as_slice(), &[*k]].concat(), stack);
            }
            Exp::If { test, yes, no } => {
                stack.push(Todo::Text("(if ".into()));
                stack.push(Todo::Ae(*test, depth));
                for branch in [yes, no] {
                    stack.extend([line(depth + 1), Todo::Exp(*branch, depth + 1)]);
                }
                stack.extend([Todo::Text(")".into()), Todo::Label(label)]);
            }
            Exp::Fix { bindings, body } => {
                stack.push(Todo::Text("(fix (".into()));
                for (at, (x, lam)) in bindings.iter().enumerate() {
                    if at > 0 {
                        stack.push(line(depth + 6));
                    }
                    stack.push(Todo::Text(format!("({} ", self.name(*x))));
                    stack.push(Todo::Ae(Ae::Lam(*lam), depth + 6));
                    stack.push(Todo::Text(")".into()));
                }
                stack.extend([Todo::Text(")".into()), line(depth + 1)]);
                stack.push(Todo::Exp(*body, depth + 1));
                stack.extend([Todo::Text(")".into()), Todo::Label(label)]);
            }
        }
    }
}
