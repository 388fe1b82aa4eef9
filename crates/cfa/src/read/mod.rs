//! The reader: R7RS data with places.
//!
//! Text becomes a [`Data`], an arena of nodes. Nothing here recurses on the depth of the input, dropping
//! included, so a file may nest as deeply as memory allows.

mod data;
mod lexer;
mod number;
mod print;
mod reader;

pub use data::{Data, Datum, Node, Symbol};
pub use number::Number;
#[cfg(test)]
pub(crate) use number::parse as number;
pub use reader::read;
