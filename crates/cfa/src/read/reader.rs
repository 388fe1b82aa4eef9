//! Tokens become data. The stack of open forms is a vector, not the machine's stack.

use super::data::{Data, Datum, Node};
use super::lexer::{Lexer, Token};
use super::number;
use crate::source::{Error, FileId, Loc, Result, Sources};
use rustc_hash::FxHashMap;

enum Open {
    List { close: char, tail: Tail },
    Vector,
    Bytes,
    Prefix(&'static str),
    Discard,
    Label { number: u32, patches: Vec<Datum> },
}

enum Tail {
    None,
    Awaited,
    Read(Datum),
}

struct Frame {
    open: Open,
    loc: Loc,
    /// Where its elements start in the reader's `items`.
    start: usize,
}

struct Reader<'a> {
    data: &'a mut Data,
    stack: Vec<Frame>,
    items: Vec<Datum>,
    labels: FxHashMap<u32, Datum>,
    fold_case: bool,
}

/// The data of a file, in order.
pub fn read(sources: &Sources, file: FileId, data: &mut Data) -> Result<Vec<Datum>> {
    let mut lexer = Lexer::new(sources.text(file), sources.loc(file, 0));
    let mut reader = Reader {
        data,
        stack: Vec::new(),
        items: Vec::new(),
        labels: FxHashMap::default(),
        fold_case: false,
    };
    while let Some((token, loc)) = lexer.next()? {
        reader.token(token, loc)?;
    }
    match reader.stack.last() {
        None => Ok(reader.items),
        Some(frame) => Err(match frame.open {
            Open::List { close, .. } => unclosed(frame.loc, close),
            Open::Vector | Open::Bytes => unclosed(frame.loc, ')'),
            Open::Prefix(_) | Open::Discard | Open::Label { .. } => Error::new(
                frame.loc,
                "the file ends before the datum that belongs to this",
                "add it",
            ),
        }),
    }
}

fn unclosed(at: Loc, close: char) -> Error {
    Error::new(at, "this parenthesis is never closed", format!("add the missing {close}"))
}

impl Reader<'_> {
    fn push(&mut self, open: Open, loc: Loc) {
        self.stack.push(Frame { open, loc, start: self.items.len() });
    }

    fn token(&mut self, token: Token, loc: Loc) -> Result<()> {
        match token {
            Token::Open(c) => {
                let close = if c == '(' { ')' } else { ']' };
                self.push(Open::List { close, tail: Tail::None }, loc);
            }
            Token::OpenVector => self.push(Open::Vector, loc),
            Token::OpenBytes => self.push(Open::Bytes, loc),
            Token::Prefix(name) => self.push(Open::Prefix(name), loc),
            Token::Discard => self.push(Open::Discard, loc),
            Token::Label(number) => {
                self.labels.remove(&number);
                self.push(Open::Label { number, patches: Vec::new() }, loc);
            }
            Token::Close(c) => return self.close(c, loc),
            Token::Dot => return self.dot(loc),
            Token::Reference(number) => return self.reference(number, loc),
            Token::Word(word) => {
                if let Some(datum) = self.word(word, loc)? {
                    return self.deliver(datum);
                }
            }
            Token::Symbol(name) => {
                let datum = self.data.add_symbol(&name, loc);
                return self.deliver(datum);
            }
            Token::Str(text) => {
                let datum = self.data.add_string(&text, loc);
                return self.deliver(datum);
            }
            Token::Char(c) => {
                let datum = self.data.add(Node::Char(c), loc);
                return self.deliver(datum);
            }
        }
        Ok(())
    }

    /// A word that is a datum; directives are none.
    fn word(&mut self, word: &str, loc: Loc) -> Result<Option<Datum>> {
        let datum = match word {
            "#t" | "#T" | "#true" => self.data.add(Node::Bool(true), loc),
            "#f" | "#F" | "#false" => self.data.add(Node::Bool(false), loc),
            "#!fold-case" | "#!no-fold-case" => {
                self.fold_case = word == "#!fold-case";
                return Ok(None);
            }
            "#!eof" | "#!default" | "#!optional" | "#!rest" | "#!unspecific" => {
                self.data.add_symbol(word, loc)
            }
            _ => match number::parse(word) {
                Some(number) => self.data.add_number(number, loc),
                None if word.starts_with('#') => {
                    return Err(Error::new(
                        loc,
                        format!("{word} is no datum"),
                        "see R7RS §7.1 for what may follow #",
                    ));
                }
                None if self.fold_case => self.data.add_symbol(&word.to_lowercase(), loc),
                None => self.data.add_symbol(word, loc),
            },
        };
        Ok(Some(datum))
    }

    fn dot(&mut self, loc: Loc) -> Result<()> {
        match self.stack.last_mut() {
            Some(Frame { open: Open::List { tail: tail @ Tail::None, .. }, start, .. })
                if *start < self.items.len() =>
            {
                *tail = Tail::Awaited;
                Ok(())
            }
            _ => Err(Error::new(
                loc,
                "a dot makes no sense here",
                "a dot comes before the last element of a list",
            )),
        }
    }

    fn reference(&mut self, number: u32, loc: Loc) -> Result<()> {
        if let Some(datum) = self.labels.get(&number) {
            return self.deliver(*datum);
        }
        let placeholder = self.data.add(Node::Null, loc);
        let open = self.stack.iter_mut().rev().find_map(|frame| match &mut frame.open {
            Open::Label { number: n, patches } if *n == number => Some(patches),
            _ => None,
        });
        let Some(patches) = open else {
            return Err(Error::new(
                loc,
                format!("no datum has the label #{number}="),
                "label one, or write the datum out",
            ));
        };
        patches.push(placeholder);
        self.data.cyclic = true;
        self.deliver(placeholder)
    }

    fn close(&mut self, c: char, loc: Loc) -> Result<()> {
        let help = "remove it, or add the parenthesis that opens this form";
        let Some(frame) = self.stack.pop() else {
            return Err(Error::new(loc, format!("this {c} closes nothing"), help));
        };
        let items = self.items.split_off(frame.start);
        let datum = match frame.open {
            Open::List { close, .. } if close != c => {
                return Err(Error::new(loc, format!("a {close} was expected here, not {c}"), help));
            }
            Open::List { tail: Tail::Awaited, .. } => {
                return Err(Error::new(
                    loc,
                    "a datum is missing after the dot",
                    "add it, or remove the dot",
                ));
            }
            Open::List { tail: Tail::None, .. } => self.data.add_list(&items, None, frame.loc),
            Open::List { tail: Tail::Read(tail), .. } => {
                self.data.add_list(&items, Some(tail), frame.loc)
            }
            Open::Vector => self.data.add_vector(&items, frame.loc),
            Open::Bytes => {
                let bytes = self.byte_values(&items)?;
                self.data.add_bytes(bytes, frame.loc)
            }
            Open::Prefix(_) | Open::Discard | Open::Label { .. } => {
                return Err(Error::new(
                    loc,
                    "a datum is missing before this parenthesis",
                    "add it",
                ));
            }
        };
        self.deliver(datum)
    }

    fn byte_values(&self, items: &[Datum]) -> Result<Vec<u8>> {
        let byte = |item: &Datum| match self.data.node(*item) {
            Node::Number(n) => match self.data.number(n) {
                number::Number::Int(value) => u8::try_from(*value).ok(),
                _ => None,
            },
            _ => None,
        };
        let check = |item: &Datum| {
            byte(item).ok_or_else(|| {
                Error::new(
                    self.data.loc(*item),
                    "a bytevector holds bytes",
                    "write a number from 0 to 255",
                )
            })
        };
        items.iter().map(check).collect()
    }

    /// A datum is complete: hands it to the form that is open.
    fn deliver(&mut self, mut datum: Datum) -> Result<()> {
        loop {
            match self.stack.last_mut() {
                Some(Frame { open: Open::List { tail: Tail::Read(_), .. }, .. }) => {
                    return Err(Error::new(
                        self.data.loc(datum),
                        "one datum follows a dot, not two",
                        "close the list",
                    ));
                }
                Some(Frame { open: Open::List { tail: tail @ Tail::Awaited, .. }, .. }) => {
                    *tail = Tail::Read(datum);
                    return Ok(());
                }
                None | Some(Frame { open: Open::List { .. } | Open::Vector | Open::Bytes, .. }) => {
                    self.items.push(datum);
                    return Ok(());
                }
                Some(Frame {
                    open: Open::Prefix(_) | Open::Discard | Open::Label { .. }, ..
                }) => {}
            }
            let Some(frame) = self.stack.pop() else { return Ok(()) };
            match frame.open {
                Open::Prefix(name) => {
                    let name = self.data.add_symbol(name, frame.loc);
                    datum = self.data.add_list(&[name, datum], None, frame.loc);
                }
                Open::Label { number, patches } => {
                    if patches.contains(&datum) {
                        return Err(Error::new(
                            frame.loc,
                            "this label is the datum itself",
                            "label a pair or a vector",
                        ));
                    }
                    let node = self.data.node(datum);
                    patches.into_iter().for_each(|patch| self.data.replace(patch, node));
                    self.labels.insert(number, datum);
                }
                _ => return Ok(()),
            }
        }
    }
}
