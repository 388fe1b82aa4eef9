//! The command `lw cfa`: which procedures the calls of a Scheme program may call, and which values its variables may have.
//!
//! It is here, behind the feature `command`, because it needs no LLVM: the binary `lw-cfa` is this command alone, for machines that have
//! a GPU and little else.

mod dot;
mod engine;
mod html;
mod json;
mod text;
mod watch;

use crate::expand::core::Lam;
use crate::findings::{Findings, findings};
use crate::source::{FileId, Loc, Position};
use crate::{Analysis, Constants, Forms, Options, Sources};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub use engine::{EngineArgs, Ready, Solved, Took};

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The request cannot be carried out: bad input.
    Cannot(String),
    /// This machine lacks something: a driver, a GPU.
    Missing(String),
}

impl Failure {
    /// What to tell people.
    pub fn message(&self) -> &str {
        match self {
            Failure::Cannot(message) | Failure::Missing(message) => message,
        }
    }

    /// The exit code of a command that fails so.
    pub fn code(&self) -> u8 {
        match self {
            Failure::Cannot(_) => 2,
            Failure::Missing(_) => 3,
        }
    }
}

/// Finds out which procedures the calls of a Scheme program may call, and which values its variables may have.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  lw cfa examples/compose.scm
  lw cfa examples/compose.scm --format html -o compose.html
  lw cfa examples/compose.scm --format dot | dot -Tsvg > calls.svg
  lw cfa examples/compose.scm --emit cps

Several files are one program, in the order given. docs/cfa.md tells how to read the results.")]
pub struct Args {
    /// The files of the program
    #[arg(required = true, value_name = "FILE.scm")]
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    engine: EngineArgs,
    /// How constants, and all numbers, are abstracted
    #[arg(long, value_enum, default_value = "types")]
    constants: By,
    /// Names that nothing defines stand for code outside, instead of being errors
    #[arg(long)]
    assume_unknown: bool,
    /// The files are a library: code outside calls what they define, and a form that fails does not keep the next from running
    #[arg(long)]
    library: bool,
    /// Shows the program itself in another form instead of what was found
    #[arg(long, value_enum, conflicts_with_all = ["format", "stats"])]
    emit: Option<Emit>,
    /// How to show what was found
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Into this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// How large the problem was and how long it took
    #[arg(long)]
    stats: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum By {
    /// Integers, fractions, inexact numbers
    Types,
    /// Also whether they are negative, zero or positive
    Signs,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Emit {
    /// Continuation-passing style
    Cps,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Calls with their callees, variables with their values, code that is never reached
    Text,
    /// For other programs; docs/cfa.md describes the keys
    Json,
    /// The call graph for graphviz
    Dot,
    /// One page that needs nothing else: the source with what was found, and the call graph drawn
    Html,
}

/// The answer, before it is written.
pub struct Answer<'a> {
    args: &'a Args,
    sources: Sources,
    files: Vec<FileId>,
    what: What,
}

enum What {
    /// The program itself, in another form.
    Program(Box<Forms>),
    /// What was found, and what it took.
    Found(Box<Analysis>, Option<(Duration, Took)>),
}

/// Finds the answer.
pub fn run(args: &Args) -> Result<Answer<'_>, Failure> {
    // Whether there is a GPU is known before long work begins.
    let engine = args.engine.open()?;
    let mut sources = Sources::new();
    let mut files = Vec::new();
    for path in &args.inputs {
        files.push(read(&mut sources, path)?);
    }
    let start = Instant::now();
    let constants = match args.constants {
        By::Types => Constants::Types,
        By::Signs => Constants::Signs,
    };
    let options = Options { assume_unknown: args.assume_unknown, library: args.library, constants };
    let forms = Forms::of(&mut sources, &files, options)
        .map_err(|error| Failure::Cannot(explain(&error, &sources, args.assume_unknown)))?;
    let what = match args.emit {
        Some(Emit::Cps) => What::Program(Box::new(forms)),
        None => {
            let Solved { solution, took } = engine.solve(&forms.lowered.program)?;
            let analysis = Box::new(forms.solved(solution));
            What::Found(analysis, args.stats.then_some((start.elapsed(), took)))
        }
    };
    Ok(Answer { args, sources, files, what })
}

impl Answer<'_> {
    /// Writes it where it is to go, in the format that is asked for. All but pages are written as they are made: what was found may be
    /// larger than memory.
    pub fn write(&self) -> io::Result<()> {
        lw_report::write(self.args.output.as_deref(), |out| self.write_to(out))
    }

    fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        let (analysis, took) = match &self.what {
            What::Program(forms) => {
                let place = |term| {
                    let at = self.sources.position(forms.core.loc(term));
                    match self.files.len() {
                        1 => format!("{}:{}", at.line, at.column),
                        _ => at.to_string(),
                    }
                };
                return out.write_all(forms.cps.to_text(&forms.core.data, place).as_bytes());
            }
            What::Found(analysis, took) => (analysis, took.as_ref()),
        };
        let view = View {
            found: findings(analysis, &self.sources, &self.files),
            analysis,
            sources: &self.sources,
            files: &self.files,
            inputs: &self.args.inputs,
            engine: self.args.engine.name(),
            took,
        };
        match self.args.format {
            Format::Text => text::show(&view, out),
            Format::Json => json::show(&view, out),
            Format::Dot => dot::show(&view, out),
            Format::Html => out.write_all(html::show(&view).as_bytes()),
        }
    }
}

fn read(sources: &mut Sources, path: &Path) -> Result<FileId, Failure> {
    let fail =
        |error: &dyn std::fmt::Display| Failure::Cannot(format!("{}: {error}", path.display()));
    if path.is_dir() {
        return Err(fail(&"this is a directory"));
    }
    let bytes = std::fs::read(path).map_err(|error| fail(&error))?;
    // Old programs have names in Latin-1, mostly in comments.
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => error.as_bytes().iter().map(|byte| char::from(*byte)).collect(),
    };
    sources.add(&path.display().to_string(), text).map_err(|error| fail(&error.message))
}

fn explain(error: &crate::Error, sources: &Sources, assumed: bool) -> String {
    let mut text = error.show(sources);
    if !assumed && error.message.contains("nothing defines") {
        text.push_str("\n  with --assume-unknown such names stand for code outside of the program");
    }
    text
}

/// Who calls whom; `None` is the top level.
type Edges = BTreeMap<Option<Lam>, BTreeSet<Lam>>;

/// What is shown.
struct View<'a> {
    found: Findings<'a>,
    analysis: &'a Analysis,
    sources: &'a Sources,
    files: &'a [FileId],
    inputs: &'a [PathBuf],
    engine: &'static str,
    took: Option<&'a (Duration, Took)>,
}

impl View<'_> {
    fn spot(&self, loc: Loc) -> Position<'_> {
        self.sources.position(loc)
    }

    /// What a procedure is called.
    fn name(&self, lam: Lam) -> &str {
        self.analysis.core.lambda(lam).name.as_deref().unwrap_or("lambda")
    }

    /// A procedure with its place.
    fn procedure(&self, lam: Lam) -> String {
        format!("{} at {}", self.name(lam), self.spot(self.analysis.core.lambda(lam).loc))
    }

    fn edges(&self) -> Edges {
        let mut edges = Edges::new();
        for call in self.found.calls().filter(|call| call.reached) {
            edges.entry(call.inside).or_default().extend(&call.callees);
        }
        edges
    }
}
