//! Names as LLVM allows them: any bytes, quoted in text where they are not plain.

use std::borrow::Borrow;
use std::fmt;

/// The name of a value, block, global or struct type. Any bytes, not only UTF-8.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(Box<[u8]>);

impl Name {
    /// The bytes of the name, unquoted.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The name as a string if it is one.
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }
}

impl Borrow<[u8]> for Name {
    fn borrow(&self) -> &[u8] {
        &self.0
    }
}

impl From<&str> for Name {
    fn from(s: &str) -> Self {
        Name(s.as_bytes().into())
    }
}

impl From<String> for Name {
    fn from(s: String) -> Self {
        Name(s.into_bytes().into())
    }
}

impl From<&[u8]> for Name {
    fn from(s: &[u8]) -> Self {
        Name(s.into())
    }
}

impl From<Vec<u8>> for Name {
    fn from(s: Vec<u8>) -> Self {
        Name(s.into())
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// Whether `byte` may stand in a name without quotes.
pub(crate) fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$' | b'-')
}

/// Writes the name as it stands after `%` or `@`: bare if it is plain and does not start with a digit, else quoted.
impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = !self.0.is_empty()
            && !self.0[0].is_ascii_digit()
            && self.0.iter().copied().all(is_plain);
        if plain {
            f.write_str(std::str::from_utf8(&self.0).expect("plain names are ASCII"))
        } else {
            write_quoted(f, &self.0)
        }
    }
}

/// Writes `bytes` in double quotes; what is not printable ASCII, a quote or a backslash becomes `\XX`.
pub(crate) fn write_quoted(f: &mut impl fmt::Write, bytes: &[u8]) -> fmt::Result {
    f.write_char('"')?;
    for &b in bytes {
        match b {
            b'"' | b'\\' => write!(f, "\\{b:02X}")?,
            0x20..=0x7e => f.write_char(b as char)?,
            _ => write!(f, "\\{b:02X}")?,
        }
    }
    f.write_char('"')
}
