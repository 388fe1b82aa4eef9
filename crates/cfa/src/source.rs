//! Source files, places in them, and errors that name a place.

use std::fmt;

/// A place in one of the files of a [`Sources`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Loc(pub(crate) u32);

/// A place as people write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position<'a> {
    /// The name of the file.
    pub file: &'a str,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

impl fmt::Display for Position<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// What is wrong with a program, where, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Where.
    pub at: Loc,
    /// What is wrong.
    pub message: String,
    /// What would help.
    pub help: String,
}

impl Error {
    pub(crate) fn new(at: Loc, message: impl Into<String>, help: impl Into<String>) -> Error {
        Error { at, message: message.into(), help: help.into() }
    }

    /// The error with its place, as one line and a line of help.
    pub fn show(&self, sources: &Sources) -> String {
        let help =
            if self.help.is_empty() { String::new() } else { format!("\n  help: {}", self.help) };
        format!("{}: error: {}{help}", sources.position(self.at), self.message)
    }
}

/// What the stages of the front end yield.
pub type Result<T> = std::result::Result<T, Error>;

/// Which file of a [`Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileId(usize);

struct File {
    name: String,
    text: String,
    start: u32,
    /// The offset at which each line starts.
    lines: Vec<u32>,
}

/// The files of a program. All of them share one range of offsets, so that a [`Loc`] is one number.
#[derive(Default)]
pub struct Sources {
    files: Vec<File>,
}

impl Sources {
    /// No files.
    pub fn new() -> Sources {
        Sources::default()
    }

    /// Adds a file. More than 4 GiB of text in all is an error.
    pub fn add(&mut self, name: &str, text: impl Into<String>) -> Result<FileId> {
        let text = text.into();
        let start =
            self.files.last().map_or(0, |file| file.start as u64 + file.text.len() as u64 + 1);
        if start + text.len() as u64 >= u32::MAX as u64 {
            let at = Loc(self.files.last().map_or(0, |file| file.start));
            return Err(Error::new(
                at,
                format!("with {name} there are over 4 GiB of text"),
                "analyse fewer files at once",
            ));
        }
        let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let lines = std::iter::once(0).chain(newlines.map(|(at, _)| at as u32 + 1)).collect();
        self.files.push(File { name: name.into(), text, start: start as u32, lines });
        Ok(FileId(self.files.len() - 1))
    }

    /// The places of some files, as ranges.
    pub(crate) fn ranges(&self, files: &[FileId]) -> Vec<(u32, u32)> {
        let range = |file: &FileId| {
            let file = &self.files[file.0];
            (file.start, file.start + file.text.len() as u32 + 1)
        };
        files.iter().map(range).collect()
    }

    /// The text of a file.
    pub fn text(&self, file: FileId) -> &str {
        &self.files[file.0].text
    }

    /// The place of an offset in a file.
    pub fn loc(&self, file: FileId, offset: usize) -> Loc {
        Loc(self.files[file.0].start + offset as u32)
    }

    /// The file of a place, its line from 1, and what stands before it in its line.
    fn line(&self, loc: Loc) -> Option<(&File, u32, &[u8])> {
        let index = self.files.partition_point(|file| file.start <= loc.0).saturating_sub(1);
        let file = self.files.get(index)?;
        let offset = loc.0 - file.start;
        let line = file.lines.partition_point(|start| *start <= offset).max(1);
        let start = file.lines[line - 1] as usize;
        let before = file.text.as_bytes().get(start..offset as usize).unwrap_or_default();
        Some((file, line as u32, before))
    }

    /// File, line and column of a place.
    pub fn position(&self, loc: Loc) -> Position<'_> {
        let Some((file, line, before)) = self.line(loc) else {
            return Position { file: "?", line: 1, column: 1 };
        };
        // Continuation bytes of UTF-8 are no characters.
        let column = before.iter().filter(|byte| (**byte as i8) >= -0x40).count() as u32 + 1;
        Position { file: &file.name, line, column }
    }

    /// The column of a place in bytes, from 1.
    #[cfg(feature = "command")]
    pub(crate) fn byte_column(&self, loc: Loc) -> u32 {
        self.line(loc).map_or(1, |(_, _, before)| before.len() as u32 + 1)
    }
}
