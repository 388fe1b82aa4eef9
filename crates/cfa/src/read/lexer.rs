//! Tokens of R7RS §7.1.1.

use crate::source::{Error, Loc, Result};

/// A token. Text stays in the source where that is possible.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token<'a> {
    /// `(` or `[`
    Open(char),
    /// `)` or `]`
    Close(char),
    /// `#(`
    OpenVector,
    /// `#u8(`
    OpenBytes,
    Dot,
    /// `'` and its kind: the name of the form it stands for.
    Prefix(&'static str),
    /// `#;`
    Discard,
    /// `#n=`
    Label(u32),
    /// `#n#`
    Reference(u32),
    /// A number, symbol, boolean: decided by the reader.
    Word(&'a str),
    /// A symbol between bars, or one with escapes.
    Symbol(String),
    Str(String),
    Char(char),
}

pub(crate) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    start: u32,
}

fn delimiter(c: char) -> bool {
    c.is_whitespace() || matches!(c, '(' | ')' | '[' | ']' | '"' | ';' | '\'' | '`' | ',')
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a str, start: Loc) -> Lexer<'a> {
        Lexer { text, at: 0, start: start.0 }
    }

    pub(crate) fn loc(&self, offset: usize) -> Loc {
        Loc(self.start + offset as u32)
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn error(&self, offset: usize, message: impl Into<String>, help: &str) -> Error {
        Error::new(self.loc(offset), message, help)
    }

    /// The next token and its place; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<(Token<'a>, Loc)>> {
        self.skip()?;
        let (start, rest) = (self.at, self.rest());
        let Some(first) = rest.chars().next() else { return Ok(None) };
        let mut take = |length: usize, token: Token<'a>| {
            self.at += length;
            token
        };
        let token = match first {
            '(' | '[' => take(1, Token::Open(first)),
            ')' | ']' => take(1, Token::Close(first)),
            '\'' => take(1, Token::Prefix("quote")),
            '`' => take(1, Token::Prefix("quasiquote")),
            ',' if rest.starts_with(",@") => take(2, Token::Prefix("unquote-splicing")),
            ',' => take(1, Token::Prefix("unquote")),
            '"' => Token::Str(self.quoted('"')?),
            '|' => Token::Symbol(self.barred()?),
            '#' => self.hash()?,
            _ => self.word()?,
        };
        Ok(Some((token, self.loc(start))))
    }

    /// Goes past space and comments.
    fn skip(&mut self) -> Result<()> {
        loop {
            let rest = self.rest();
            let space = rest.len() - rest.trim_start().len();
            if space > 0 {
                self.at += space;
            } else if rest.starts_with(';')
                || (rest.starts_with("#!")
                    && self.at == 0
                    && !rest.starts_with("#!fold")
                    && !rest.starts_with("#!no-fold")
                    && !rest.starts_with("#!eof"))
            {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("#|") {
                self.nested_comment()?;
            } else {
                return Ok(());
            }
        }
    }

    fn nested_comment(&mut self) -> Result<()> {
        let (start, bytes) = (self.at, self.text.as_bytes());
        let mut depth = 0usize;
        loop {
            match bytes.get(self.at..self.at + 2) {
                Some(b"#|") => (depth, self.at) = (depth + 1, self.at + 2),
                Some(b"|#") => (depth, self.at) = (depth - 1, self.at + 2),
                Some(_) => self.at += 1,
                None => {
                    return Err(self.error(
                        start,
                        "this comment is never closed",
                        "close it with |#",
                    ));
                }
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    fn word(&mut self) -> Result<Token<'a>> {
        let rest = self.rest();
        let end = rest.find(|c| delimiter(c) || c == '|').unwrap_or(rest.len());
        self.at += end;
        if !rest[end..].starts_with('|') {
            return Ok(if &rest[..end] == "." { Token::Dot } else { Token::Word(&rest[..end]) });
        }
        // Parts between bars in the middle of a name: `a|b c|d`.
        let mut name = rest[..end].to_string();
        loop {
            let rest = self.rest();
            if rest.starts_with('|') {
                name.push_str(&self.barred()?);
                continue;
            }
            let end = rest.find(|c| delimiter(c) || c == '|').unwrap_or(rest.len());
            name.push_str(&rest[..end]);
            self.at += end;
            if end == 0 {
                return Ok(Token::Symbol(name));
            }
        }
    }

    fn hash(&mut self) -> Result<Token<'a>> {
        let (start, rest) = (self.at, self.rest());
        if rest.starts_with("#(") {
            self.at += 2;
            return Ok(Token::OpenVector);
        }
        if rest.len() >= 4 && rest.is_char_boundary(4) && rest[..4].eq_ignore_ascii_case("#u8(") {
            self.at += 4;
            return Ok(Token::OpenBytes);
        }
        if rest.starts_with("#;") {
            self.at += 2;
            return Ok(Token::Discard);
        }
        if rest.starts_with("#\\") {
            return self.character().map(Token::Char);
        }
        let digits = rest[1..].bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            let number = rest[1..1 + digits].parse();
            let after = rest[1 + digits..].chars().next();
            if let (Ok(number), Some('=' | '#')) = (number, after) {
                self.at += digits + 2;
                let label = after == Some('=');
                return Ok(if label { Token::Label(number) } else { Token::Reference(number) });
            }
            return Err(self.error(start, "this is no datum label", "write #n= or #n#"));
        }
        self.word()
    }

    fn character(&mut self) -> Result<char> {
        let (start, rest) = (self.at, &self.rest()[2..]);
        let Some(first) = rest.chars().next() else {
            return Err(self.error(
                start,
                "a character is missing after #\\",
                "write #\\space for a space",
            ));
        };
        let more = &rest[first.len_utf8()..];
        let length = first.len_utf8() + more.find(delimiter).unwrap_or(more.len());
        let name = &rest[..length];
        self.at += 2 + length;
        if name.chars().count() == 1 {
            return Ok(first);
        }
        let named = match name {
            "space" => Some(' '),
            "newline" | "linefeed" | "nl" => Some('\n'),
            "tab" => Some('\t'),
            "return" => Some('\r'),
            "alarm" => Some('\u{7}'),
            "backspace" => Some('\u{8}'),
            "delete" | "rubout" => Some('\u{7f}'),
            "escape" | "altmode" => Some('\u{1b}'),
            "null" | "nul" => Some('\0'),
            "page" => Some('\u{c}'),
            _ => name
                .strip_prefix(['x', 'X'])
                .and_then(|digits| u32::from_str_radix(digits, 16).ok())
                .and_then(char::from_u32),
        };
        named.ok_or_else(|| {
            self.error(
                start,
                format!("#\\{name} is no character"),
                "use a name of R7RS §6.6 or #\\x and hexadecimal digits",
            )
        })
    }

    fn barred(&mut self) -> Result<String> {
        self.quoted('|')
    }

    /// A string or a symbol between bars, escapes resolved.
    fn quoted(&mut self, end: char) -> Result<String> {
        let start = self.at;
        let mut text = String::new();
        let mut chars = self.rest().char_indices().skip(1).peekable();
        while let Some((at, c)) = chars.next() {
            if c == end {
                self.at = start + at + c.len_utf8();
                return Ok(text);
            }
            if c != '\\' {
                text.push(c);
                continue;
            }
            let Some((_, escape)) = chars.next() else { break };
            match escape {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                'r' => text.push('\r'),
                'a' => text.push('\u{7}'),
                'b' => text.push('\u{8}'),
                'x' | 'X' => {
                    let digits: String = std::iter::from_fn(|| {
                        chars.next_if(|(_, c)| c.is_ascii_hexdigit()).map(|(_, c)| c)
                    })
                    .collect();
                    let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                    match (code, chars.next_if(|(_, c)| *c == ';')) {
                        (Some(c), Some(_)) => text.push(c),
                        _ => {
                            return Err(self.error(
                                start + at,
                                "this escape is no character",
                                "write \\x, hexadecimal digits and ;",
                            ));
                        }
                    }
                }
                c if c.is_whitespace() => {
                    // A line that goes on: space before and after the end of the line does not count.
                    let mut newline = c == '\n';
                    while let Some((_, c)) =
                        chars.next_if(|(_, c)| c.is_whitespace() && !(newline && *c == '\n'))
                    {
                        newline |= c == '\n';
                    }
                }
                c => text.push(c),
            }
        }
        let what = if end == '"' { "string" } else { "symbol" };
        Err(self.error(
            start,
            format!("this {what} is never closed"),
            &format!("close it with {end}"),
        ))
    }
}
