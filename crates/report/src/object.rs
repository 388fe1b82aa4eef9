//! JSON that is too large to be held: an object whose lists are written one element at a time.

use serde::Serialize;
use std::io::{self, Write};

/// An object of JSON that is being written. Each key has a line of its own, and so has each element of a list.
///
/// ```
/// let mut out = Vec::new();
/// let mut object = lw_report::Object::new(&mut out)?;
/// object.key("engine", &"delta")?;
/// object.list("squares", (1..4).map(|n| n * n))?;
/// object.end()?;
/// assert_eq!(out, b"{\n  \"engine\": \"delta\",\n  \"squares\": [\n    1,\n    4,\n    9\n  ]\n}\n");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Object<'a> {
    out: &'a mut dyn Write,
    /// What goes before the next key.
    before: &'static str,
}

impl<'a> Object<'a> {
    /// Begins.
    pub fn new(out: &'a mut dyn Write) -> io::Result<Object<'a>> {
        out.write_all(b"{")?;
        Ok(Object { out, before: "\n  " })
    }

    fn begin(&mut self, key: &str) -> io::Result<()> {
        self.out.write_all(self.before.as_bytes())?;
        self.before = ",\n  ";
        serde_json::to_writer(&mut *self.out, key)?;
        self.out.write_all(b": ")
    }

    /// A key with its value.
    pub fn key(&mut self, key: &str, value: &impl Serialize) -> io::Result<()> {
        self.begin(key)?;
        Ok(serde_json::to_writer(&mut *self.out, value)?)
    }

    /// A key with a list, of which no more than one element is there at a time.
    pub fn list(
        &mut self,
        key: &str,
        elements: impl IntoIterator<Item = impl Serialize>,
    ) -> io::Result<()> {
        self.begin(key)?;
        self.out.write_all(b"[")?;
        let mut before = "\n    ";
        for element in elements {
            self.out.write_all(before.as_bytes())?;
            serde_json::to_writer(&mut *self.out, &element)?;
            before = ",\n    ";
        }
        self.out.write_all(if before.starts_with(',') { b"\n  ]" } else { b"]" })
    }

    /// Ends it, with a line break.
    pub fn end(self) -> io::Result<()> {
        self.out.write_all(if self.before.starts_with(',') { b"\n}\n" } else { b"}\n" })
    }
}
