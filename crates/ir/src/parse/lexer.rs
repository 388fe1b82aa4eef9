//! Tokens of the text form, with their positions.

use super::ParseError;
use crate::name::{Name, is_plain};

/// Where a token starts; both count from one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Pos {
    pub(super) line: u32,
    pub(super) column: u32,
}

/// `%x` or `%7`, `@x` or `@7`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Ident {
    Named(Name),
    Numbered(u32),
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Token<'a> {
    /// A keyword or a plain label.
    Word(&'a str),
    /// A number as it is written: `-7`, `1.5e-3`, `0x7f`.
    Number(&'a str),
    /// `%…`.
    Local(Ident),
    /// `@…`.
    Global(Ident),
    /// `"…"`, unescaped.
    Text(Vec<u8>),
    /// `c"…"`, unescaped.
    Data(Vec<u8>),
    /// `!7`.
    Origin(u32),
    /// One of the punctuation marks, `...`, `->`.
    Mark(&'static str),
    End,
}

impl Token<'_> {
    pub(super) fn describe(&self) -> String {
        match self {
            Token::Word(w) | Token::Number(w) => format!("`{w}`"),
            Token::Local(id) => format!("`%{}`", describe_ident(id)),
            Token::Global(id) => format!("`@{}`", describe_ident(id)),
            Token::Text(_) => "a string".into(),
            Token::Data(_) => "a data string".into(),
            Token::Origin(n) => format!("`!{n}`"),
            Token::Mark(m) => format!("`{m}`"),
            Token::End => "the end of the text".into(),
        }
    }
}

pub(super) fn describe_ident(ident: &Ident) -> String {
    match ident {
        Ident::Named(name) => name.to_string(),
        Ident::Numbered(n) => n.to_string(),
    }
}

pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    /// A place in this line, and the column there: columns are counted from it on, not over and over from the start of the line.
    counted: (usize, u32),
}

const MARKS: [&str; 14] = ["...", "->", "=", ",", "(", ")", "{", "}", "[", "]", "<", ">", ":", "|"];

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Lexer<'a> {
        Lexer { text, at: 0, line: 1, counted: (0, 1) }
    }

    fn pos(&mut self) -> Pos {
        let (place, column) = self.counted;
        let column = column + self.text[place..self.at].chars().count() as u32;
        self.counted = (self.at, column);
        Pos { line: self.line, column }
    }

    fn rest(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.at..]
    }

    fn error(&self, pos: Pos, message: impl Into<String>) -> ParseError {
        ParseError { line: pos.line, column: pos.column, message: message.into() }
    }

    /// Skips white space and comments, from `;` to the end of the line.
    fn skip_space(&mut self) {
        loop {
            match self.rest().first() {
                Some(b'\n') => {
                    self.at += 1;
                    self.line += 1;
                    self.counted = (self.at, 1);
                }
                Some(b' ' | b'\t' | b'\r') => self.at += 1,
                Some(b';') => {
                    let end = self.rest().iter().position(|&b| b == b'\n');
                    self.at += end.unwrap_or(self.rest().len());
                }
                _ => return,
            }
        }
    }

    pub(super) fn next(&mut self) -> Result<(Pos, Token<'a>), ParseError> {
        self.skip_space();
        let pos = self.pos();
        let Some(&first) = self.rest().first() else { return Ok((pos, Token::End)) };
        let token = match first {
            b'%' => {
                self.at += 1;
                Token::Local(self.ident(pos)?)
            }
            b'@' => {
                self.at += 1;
                Token::Global(self.ident(pos)?)
            }
            b'!' => {
                self.at += 1;
                let digits = self.take_while(|b| b.is_ascii_digit());
                let number = digits.parse();
                Token::Origin(number.map_err(|_| self.error(pos, "expected a number after `!`"))?)
            }
            b'"' => Token::Text(self.quoted(pos)?),
            b'c' if self.rest().get(1) == Some(&b'"') => {
                self.at += 1;
                Token::Data(self.quoted(pos)?)
            }
            b'0'..=b'9' => Token::Number(self.number()),
            b'-' if self.rest().get(1).is_some_and(u8::is_ascii_digit) => {
                Token::Number(self.number())
            }
            _ => {
                let rest = &self.text[self.at..];
                if let Some(mark) = MARKS.into_iter().find(|m| rest.starts_with(m)) {
                    self.at += mark.len();
                    Token::Mark(mark)
                } else if is_plain(first) {
                    Token::Word(self.take_while(is_plain))
                } else {
                    let shown = rest.chars().next().unwrap_or_default();
                    return Err(self.error(pos, format!("unexpected character `{shown}`")));
                }
            }
        };
        Ok((pos, token))
    }

    fn take_while(&mut self, keep: impl Fn(u8) -> bool) -> &'a str {
        let start = self.at;
        while self.rest().first().is_some_and(|&b| keep(b)) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    fn number(&mut self) -> &'a str {
        let start = self.at;
        self.at += 1;
        while let Some(&b) = self.rest().first() {
            let exponent_sign = matches!(b, b'+' | b'-')
                && self.text.as_bytes()[self.at - 1] == b'e'
                && !self.text[start..].starts_with("0x");
            if !(b.is_ascii_alphanumeric() || b == b'.' || exponent_sign) {
                break;
            }
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    fn ident(&mut self, pos: Pos) -> Result<Ident, ParseError> {
        match self.rest().first() {
            Some(b'"') => Ok(Ident::Named(self.quoted(pos)?.into())),
            Some(b) if b.is_ascii_digit() => {
                let digits = self.take_while(is_plain);
                let number = digits.parse().map_err(|_| {
                    self.error(pos, format!("`{digits}` is neither a number nor a name"))
                })?;
                Ok(Ident::Numbered(number))
            }
            Some(&b) if is_plain(b) => Ok(Ident::Named(self.take_while(is_plain).into())),
            _ => Err(self.error(pos, "expected a name or a number")),
        }
    }

    fn quoted(&mut self, pos: Pos) -> Result<Vec<u8>, ParseError> {
        self.at += 1;
        let mut bytes = Vec::new();
        loop {
            match *self.rest() {
                [b'"', ..] => {
                    self.at += 1;
                    return Ok(bytes);
                }
                [b'\\', high, low, ..] => {
                    let digit = |b: u8| (b as char).to_digit(16).map(|d| d as u8);
                    let (Some(high), Some(low)) = (digit(high), digit(low)) else {
                        let pos = self.pos();
                        return Err(self.error(pos, "`\\` needs two hexadecimal digits"));
                    };
                    bytes.push(high << 4 | low);
                    self.at += 3;
                }
                [] | [b'\n', ..] | [b'\\', ..] => {
                    return Err(self.error(pos, "the string does not end"));
                }
                [byte, ..] => {
                    bytes.push(byte);
                    self.at += 1;
                }
            }
        }
    }
}
