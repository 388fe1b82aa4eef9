//! Reads the text form that [`print`](crate::print) writes.
//!
//! ```
//! let module = lw_ir::parse_module(
//!     "func @twice(i32 %x) -> i32 {
//!      entry:
//!        %y = add i32 %x, %x
//!        ret i32 %y
//!      }",
//! )?;
//! assert_eq!(module.functions[0].inst_count(), 2);
//! # Ok::<(), lw_ir::ParseError>(())
//! ```

mod constant;
mod function;
mod inst;
mod lexer;
mod module;
mod types;

use crate::function::Function;
use crate::module::Module;
use crate::name::Name;
use crate::symbols::{SymbolKind, SymbolName};
use crate::types::{Type, Types};
use lexer::{Ident, Lexer, Pos, Token};
use rustc_hash::FxHashMap;
use std::fmt;

/// What is wrong with a text, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// The line, from one.
    pub line: u32,
    /// The column in characters, from one.
    pub column: u32,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

type Result<T> = std::result::Result<T, ParseError>;

/// Reads a module.
pub fn parse_module(text: &str) -> Result<Module> {
    Parser::new(text)?.module()
}

/// Reads a function with the types and declarations it needs.
pub fn parse_function(text: &str) -> Result<Function> {
    let mut functions = parse_module(text)?.functions;
    match functions.len() {
        1 => Ok(functions.remove(0)),
        count => Err(ParseError {
            line: 1,
            column: 1,
            message: format!("expected one function, found {count}"),
        }),
    }
}

/// The reader: a token to look at, one behind it, and what the file has declared so far.
struct Parser<'a> {
    lexer: Lexer<'a>,
    token: Token<'a>,
    pos: Pos,
    next: (Pos, Token<'a>),
    /// How deep types and constants are nested; bounded so that no text overflows the stack.
    depth: u32,
    /// Compound types of the whole file, as declared.
    file_types: Types,
    structs: FxHashMap<Name, Type>,
    declared: FxHashMap<SymbolName, SymbolKind>,
}

const MAX_DEPTH: u32 = 200;

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Result<Parser<'a>> {
        let mut lexer = Lexer::new(text);
        let (pos, token) = lexer.next()?;
        let next = lexer.next()?;
        Ok(Parser {
            lexer,
            token,
            pos,
            next,
            depth: 0,
            file_types: Types::default(),
            structs: FxHashMap::default(),
            declared: FxHashMap::default(),
        })
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(self.error_at(self.pos, message))
    }

    fn error_at(&self, pos: Pos, message: impl Into<String>) -> ParseError {
        ParseError { line: pos.line, column: pos.column, message: message.into() }
    }

    fn expected<T>(&self, what: &str) -> Result<T> {
        self.error(format!("expected {what}, found {}", self.token.describe()))
    }

    /// Takes the current token.
    fn bump(&mut self) -> Result<Token<'a>> {
        let following = self.lexer.next()?;
        let (pos, token) = std::mem::replace(&mut self.next, following);
        self.pos = pos;
        Ok(std::mem::replace(&mut self.token, token))
    }

    fn at_mark(&self, mark: &str) -> bool {
        matches!(self.token, Token::Mark(m) if m == mark)
    }

    fn at_word(&self, word: &str) -> bool {
        matches!(self.token, Token::Word(w) if w == word)
    }

    /// Takes the mark if it is next.
    fn eat_mark(&mut self, mark: &str) -> Result<bool> {
        let found = self.at_mark(mark);
        if found {
            self.bump()?;
        }
        Ok(found)
    }

    /// Takes the word if it is next.
    fn eat_word(&mut self, word: &str) -> Result<bool> {
        let found = self.at_word(word);
        if found {
            self.bump()?;
        }
        Ok(found)
    }

    fn mark(&mut self, mark: &str) -> Result<()> {
        if self.eat_mark(mark)? { Ok(()) } else { self.expected(&format!("`{mark}`")) }
    }

    fn word(&mut self, word: &str) -> Result<()> {
        if self.eat_word(word)? { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    /// Takes a word that `known` understands.
    fn keyword<T>(&mut self, what: &str, known: impl Fn(&str) -> Option<T>) -> Result<T> {
        if let Token::Word(word) = self.token
            && let Some(found) = known(word)
        {
            self.bump()?;
            return Ok(found);
        }
        self.expected(what)
    }

    fn number<T: std::str::FromStr>(&mut self, what: &str) -> Result<T> {
        if let Token::Number(text) = self.token
            && let Ok(number) = text.parse()
        {
            self.bump()?;
            return Ok(number);
        }
        self.expected(what)
    }

    fn text(&mut self, what: &str) -> Result<Vec<u8>> {
        match &self.token {
            Token::Text(_) => match self.bump()? {
                Token::Text(bytes) => Ok(bytes),
                _ => unreachable!("just looked at"),
            },
            _ => self.expected(what),
        }
    }

    /// Runs `inner` one level deeper.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth == MAX_DEPTH {
            return self.error(format!("nested more than {MAX_DEPTH} levels deep"));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// `item, item …` up to `close`, which is taken too.
    fn list<T>(
        &mut self,
        close: &str,
        mut item: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut items = Vec::new();
        if self.eat_mark(close)? {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if !self.eat_mark(",")? {
                self.mark(close)?;
                return Ok(items);
            }
        }
    }

    /// `align N`, as a logarithm.
    fn align(&mut self) -> Result<u8> {
        self.word("align")?;
        let pos = self.pos;
        let bytes: u64 = self.number("an alignment")?;
        if !bytes.is_power_of_two() {
            return Err(self.error_at(pos, "an alignment is a power of two"));
        }
        Ok(bytes.trailing_zeros() as u8)
    }

    fn symbol_name(&mut self) -> Result<SymbolName> {
        match &self.token {
            Token::Global(_) => match self.bump()? {
                Token::Global(Ident::Named(name)) => Ok(SymbolName::Named(name)),
                Token::Global(Ident::Numbered(n)) => Ok(SymbolName::Numbered(n)),
                _ => unreachable!("just looked at"),
            },
            _ => self.expected("a global name"),
        }
    }
}
