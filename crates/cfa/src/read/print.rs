//! Data as text that reads back.

use super::data::{Data, Datum, Node};
use super::number::Number;

enum Todo {
    Datum(Datum),
    /// The rest of a list whose opening parenthesis is out.
    Tail(Datum),
    Text(&'static str),
}

impl Data {
    /// The text of a datum, at most about `limit` bytes of it (data may contain themselves).
    pub fn write(&self, datum: Datum, limit: usize) -> String {
        let mut out = String::new();
        let mut stack = vec![Todo::Datum(datum)];
        while let Some(todo) = stack.pop() {
            if out.len() > limit {
                out.push('…');
                break;
            }
            match todo {
                Todo::Text(text) => out.push_str(text),
                Todo::Datum(datum) => self.write_one(datum, &mut out, &mut stack),
                Todo::Tail(datum) => match self.node(datum) {
                    Node::Null => out.push(')'),
                    Node::Pair(first, rest) => {
                        out.push(' ');
                        stack.extend([Todo::Tail(rest), Todo::Datum(first)]);
                    }
                    _ => {
                        out.push_str(" . ");
                        stack.extend([Todo::Text(")"), Todo::Datum(datum)]);
                    }
                },
            }
        }
        out
    }

    fn write_one(&self, datum: Datum, out: &mut String, stack: &mut Vec<Todo>) {
        match self.node(datum) {
            Node::Null => out.push_str("()"),
            Node::Bool(value) => out.push_str(if value { "#t" } else { "#f" }),
            Node::Char(c) if c.is_ascii_graphic() => out.extend(['#', '\\', c]),
            Node::Char(c) => out.push_str(&format!("#\\x{:x}", c as u32)),
            Node::Number(n) => write_number(self.number(n), out),
            Node::Str(s) => write_quoted(self.string(s), '"', out),
            Node::Symbol(symbol) => write_symbol(self.name(symbol), out),
            Node::Pair(first, rest) => {
                out.push('(');
                stack.extend([Todo::Tail(rest), Todo::Datum(first)]);
            }
            Node::Vector(index) => {
                out.push_str("#(");
                stack.push(Todo::Text(")"));
                for (at, item) in self.items(index).iter().enumerate().rev() {
                    stack.push(Todo::Datum(*item));
                    if at > 0 {
                        stack.push(Todo::Text(" "));
                    }
                }
            }
            Node::Bytes(index) => {
                let bytes: Vec<String> = self.bytes(index).iter().map(u8::to_string).collect();
                out.push_str(&format!("#u8({})", bytes.join(" ")));
            }
        }
    }
}

fn write_number(number: &Number, out: &mut String) {
    match number {
        Number::Int(value) => out.push_str(&value.to_string()),
        Number::Large(text) | Number::Ratio(text) | Number::Complex(text) => out.push_str(text),
        Number::Real(value) if value.is_nan() => out.push_str("+nan.0"),
        Number::Real(value) if value.is_infinite() => {
            out.push_str(if *value > 0.0 { "+inf.0" } else { "-inf.0" });
        }
        Number::Real(value) => out.push_str(&format!("{value:?}")),
    }
}

fn write_quoted(text: &str, quote: char, out: &mut String) {
    out.push(quote);
    for c in text.chars() {
        match c {
            c if c == quote || c == '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push_str(&format!("\\x{:x};", c as u32)),
            c => out.push(c),
        }
    }
    out.push(quote);
}

fn write_symbol(name: &str, out: &mut String) {
    let odd = |c: char| c.is_whitespace() || c.is_control() || "()[]\";'`,|\\".contains(c);
    let directive = name.starts_with("#!");
    let bars = name.is_empty()
        || name.contains(odd)
        || (name.starts_with('#') && !directive)
        || name == "."
        || super::number::parse(name).is_some();
    if bars { write_quoted(name, '|', out) } else { out.push_str(name) }
}
