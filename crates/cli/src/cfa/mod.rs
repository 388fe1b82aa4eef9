//! `lw cfa`: which procedures the calls of a Scheme program may call, and which values its variables may have.

mod dot;
mod html;
mod json;
mod text;

use crate::Done;
use crate::failure::Failure;
use crate::output::{show, write_file};
use lw_cfa::expand::core::Lam;
use lw_cfa::findings::{Findings, findings};
use lw_cfa::source::{FileId, Loc, Position};
use lw_cfa::{Analysis, Engine, Options, Sources};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Finds out which procedures the calls of a Scheme program may call, and which values its variables may have.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  lw cfa examples/compose.scm
  lw cfa examples/compose.scm --format html -o compose.html
  lw cfa examples/compose.scm --format dot | dot -Tsvg > calls.svg
  lw cfa examples/compose.scm --emit cps

Several files are one program, in the order given. docs/cfa.md tells how to read the results.")]
pub(crate) struct Args {
    /// The files of the program
    #[arg(required = true, value_name = "FILE.scm")]
    inputs: Vec<PathBuf>,
    /// How the constraints are solved; all but eigen yield the same
    #[arg(long, value_enum, default_value = "delta")]
    engine: EngineName,
    /// Threads for the engine matrix
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
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
enum EngineName {
    /// A worklist, the simplest
    Reference,
    /// Difference propagation, the fastest
    Delta,
    /// Rows of bits, round after round
    Matrix,
    /// As if everything were reached
    Eigen,
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

pub(crate) fn main(args: Args) -> Done {
    let mut sources = Sources::new();
    let mut files = Vec::new();
    for path in &args.inputs {
        let fail =
            |error: &dyn std::fmt::Display| Failure::cannot(format!("{}: {error}", path.display()));
        if path.is_dir() {
            return Err(fail(&"this is a directory"));
        }
        let bytes = std::fs::read(path).map_err(|error| fail(&error))?;
        // Old programs have names in Latin-1, mostly in comments.
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => error.as_bytes().iter().map(|byte| char::from(*byte)).collect(),
        };
        let name = path.display().to_string();
        files.push(sources.add(&name, text).map_err(|error| fail(&error.message))?);
    }
    let start = Instant::now();
    let options = Options { assume_unknown: args.assume_unknown, library: args.library };
    let engine = match args.engine {
        EngineName::Reference => Engine::Reference,
        EngineName::Delta => Engine::Delta,
        EngineName::Matrix => Engine::Matrix(args.threads.into()),
        EngineName::Eigen => Engine::Eigen,
    };
    let analysis = Analysis::run(&mut sources, &files, options, engine)
        .map_err(|error| Failure::cannot(explain(&error, &sources, args.assume_unknown)))?;
    let time = start.elapsed();
    let view = View {
        found: findings(&analysis, &sources, &files),
        analysis: &analysis,
        sources: &sources,
        files: &files,
        inputs: &args.inputs,
        engine: args.engine,
        time: args.stats.then_some(time),
    };
    let text = match (args.emit, args.format) {
        (Some(Emit::Cps), _) => analysis.cps.to_text(&analysis.core.data),
        (None, Format::Text) => text::show(&view),
        (None, Format::Json) => json::show(&view),
        (None, Format::Dot) => dot::show(&view),
        (None, Format::Html) => html::show(&view),
    };
    match &args.output {
        Some(path) => write_file(path, text.as_bytes()),
        None => show(&text),
    }
}

fn explain(error: &lw_cfa::Error, sources: &Sources, assumed: bool) -> String {
    let mut text = error.show(sources);
    if !assumed && error.message.contains("nothing defines") {
        text.push_str("\n  with --assume-unknown such names stand for code outside of the program");
    }
    text
}

/// What is shown.
struct View<'a> {
    found: Findings,
    analysis: &'a Analysis,
    sources: &'a Sources,
    files: &'a [FileId],
    inputs: &'a [PathBuf],
    engine: EngineName,
    time: Option<Duration>,
}

impl View<'_> {
    fn spot(&self, loc: Loc) -> Position {
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

    /// Who calls whom; `None` is the top level.
    fn edges(&self) -> BTreeMap<Option<Lam>, BTreeSet<Lam>> {
        let mut edges: BTreeMap<Option<Lam>, BTreeSet<Lam>> = BTreeMap::new();
        for call in self.found.calls.iter().filter(|call| call.reached) {
            edges.entry(call.inside).or_default().extend(&call.callees);
        }
        edges
    }
}
