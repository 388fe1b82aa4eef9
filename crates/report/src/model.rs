//! The report as data.

use crate::drawing::Drawing;
use serde::Serialize;
use serde_json::{Map, Value};

/// How good the news is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// It is certainly wrong.
    Wrong,
    /// It could not be proved right.
    Open,
    /// It is proved right.
    Proved,
    /// Something that is known, neither right nor wrong.
    Fact,
}

impl Level {
    /// All levels, bad news first.
    pub const ALL: [Level; 4] = [Level::Wrong, Level::Open, Level::Proved, Level::Fact];

    /// One character that stands before a fact.
    pub const fn mark(self) -> char {
        match self {
            Level::Wrong => '✗',
            Level::Open => '?',
            Level::Proved => '✓',
            Level::Fact => '·',
        }
    }

    /// The name in JSON and in style sheets.
    pub const fn name(self) -> &'static str {
        match self {
            Level::Wrong => "wrong",
            Level::Open => "open",
            Level::Proved => "proved",
            Level::Fact => "fact",
        }
    }
}

/// A listing of a report.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ListingId(pub(crate) u32);

impl ListingId {
    /// Its index in [`Report::listings`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a listing is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ListingKind {
    /// A source file.
    Source,
    /// A source file that could not be read: places have line numbers, but there is nothing to show.
    Missing,
    /// A program in the text of an intermediate language.
    Ir,
}

/// Text that facts refer to by line and column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Listing {
    /// A path, or what else to call it.
    pub name: String,
    /// What it is.
    pub kind: ListingKind,
    /// Its lines.
    pub lines: Vec<String>,
    /// The ranges of lines to show, first and last, with what they are (a function); unsorted. Lines with facts are
    /// shown in any case.
    pub shown: Vec<(u32, u32, String)>,
}

impl Listing {
    fn new(name: &str, kind: ListingKind, text: &str) -> Listing {
        let lines = text.lines().map(str::to_owned).collect();
        Listing { name: name.into(), kind, lines, shown: Vec::new() }
    }

    /// A source file with its text.
    pub fn source(name: &str, text: &str) -> Listing {
        Listing::new(name, ListingKind::Source, text)
    }

    /// A source file that is not there.
    pub fn missing(name: &str) -> Listing {
        Listing::new(name, ListingKind::Missing, "")
    }

    /// A program in an intermediate language.
    pub fn ir(name: &str, text: &str) -> Listing {
        Listing::new(name, ListingKind::Ir, text)
    }

    /// The text of a line, counted from one; empty if there is none.
    pub fn line(&self, line: u32) -> &str {
        let index = (line as usize).checked_sub(1);
        index.and_then(|index| self.lines.get(index)).map_or("", String::as_str)
    }
}

/// A place in a listing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// Which listing.
    pub listing: ListingId,
    /// The line, from one.
    pub line: u32,
    /// The column, from one; zero: the whole line.
    pub column: u32,
}

impl Place {
    /// A place.
    pub const fn new(listing: ListingId, line: u32, column: u32) -> Place {
        Place { listing, line, column }
    }
}

/// A reason, or a step on the way to a fact, with the place it speaks of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// In words.
    pub text: String,
    /// Where.
    pub place: Option<Place>,
}

/// Something that is known, or could not be found out, about a place.
#[derive(Clone, PartialEq, Debug)]
pub struct Fact {
    /// How good the news is.
    pub level: Level,
    /// Where.
    pub place: Place,
    /// The function it belongs to.
    pub function: String,
    /// Which kind of facts it is one of, in one word for programs; may be empty.
    pub kind: &'static str,
    /// What it is about: an expression or a variable.
    pub subject: String,
    /// What is said about it.
    pub text: String,
    /// Why.
    pub why: Vec<Step>,
    /// The same for programs to read: keys and values that depend on the kind of report.
    pub data: Map<String, Value>,
}

impl Fact {
    /// A fact without reasons.
    pub fn new(
        level: Level,
        place: Place,
        subject: impl Into<String>,
        text: impl Into<String>,
    ) -> Fact {
        Fact {
            level,
            place,
            function: String::new(),
            kind: "",
            subject: subject.into(),
            text: text.into(),
            why: Vec::new(),
            data: Map::new(),
        }
    }

    /// Adds a reason.
    pub fn because(mut self, text: impl Into<String>, place: Option<Place>) -> Fact {
        self.why.push(Step { text: text.into(), place });
        self
    }

    /// Adds reasons, but no more than `most`; the others are only counted.
    pub fn because_of<S: Into<String>>(
        mut self,
        mut steps: impl ExactSizeIterator<Item = (S, Option<Place>)>,
        most: usize,
    ) -> Fact {
        for (text, place) in steps.by_ref().take(most) {
            self = self.because(text, place);
        }
        match steps.len() {
            0 => self,
            more => self.because(format!("and {more} more"), None),
        }
    }

    /// Says which kind of facts it is one of.
    pub fn kind(mut self, kind: &'static str) -> Fact {
        self.kind = kind;
        self
    }

    /// Adds something for programs to read.
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Fact {
        self.data.insert(key.into(), value.into());
        self
    }
}

/// A line of the summary.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Count {
    /// How good the news is.
    pub level: Level,
    /// What was counted.
    pub label: String,
    /// How often.
    pub count: u64,
}

/// Facts about a program, with the text they refer to.
#[derive(Clone, Debug)]
pub struct Report {
    /// What was looked for: the name of an analysis.
    pub kind: String,
    /// What was looked at: the name of a file.
    pub subject: String,
    /// One sentence that says what the facts are.
    pub about: String,
    /// What the verdicts are about, one and many: `access`, `accesses`.
    pub things: Option<[&'static str; 2]>,
    /// What was counted.
    pub counts: Vec<Count>,
    /// What a reader should know before reading on.
    pub notes: Vec<String>,
    /// The texts.
    pub listings: Vec<Listing>,
    /// The facts, in any order.
    pub facts: Vec<Fact>,
    /// Pictures with their titles; only pages show them.
    pub pictures: Vec<(String, Drawing)>,
}

impl Report {
    /// An empty report about files; of many, only the first has its name in the title.
    pub fn of_files(kind: &str, files: &[String]) -> Report {
        match files {
            [first, rest @ ..] if rest.len() > 2 => {
                Report::new(kind, &format!("{first} and {} more files", rest.len()))
            }
            _ => Report::new(kind, &files.join(" ")),
        }
    }

    /// An empty report.
    pub fn new(kind: &str, subject: &str) -> Report {
        Report {
            kind: kind.into(),
            subject: subject.into(),
            about: String::new(),
            things: None,
            counts: Vec::new(),
            notes: Vec::new(),
            listings: Vec::new(),
            facts: Vec::new(),
            pictures: Vec::new(),
        }
    }

    /// Adds a listing.
    pub fn add(&mut self, listing: Listing) -> ListingId {
        self.listings.push(listing);
        ListingId(self.listings.len() as u32 - 1)
    }

    /// Counts one more of something.
    pub fn count(&mut self, level: Level, label: &str) {
        match self.counts.iter_mut().find(|c| c.level == level && c.label == label) {
            Some(found) => found.count += 1,
            None => self.counts.push(Count { level, label: label.into(), count: 1 }),
        }
    }

    /// The listing of a place.
    pub fn listing(&self, id: ListingId) -> &Listing {
        &self.listings[id.index()]
    }

    /// `name:line:column`, as compilers write it.
    pub fn spot(&self, place: Place) -> String {
        let name = &self.listing(place.listing).name;
        match place.column {
            0 => format!("{name}:{}", place.line),
            column => format!("{name}:{}:{column}", place.line),
        }
    }
}
