//! `lw analyze`: what the sparse analyses find, at the lines of the source.

mod bits;
mod bounds;
mod classes;
mod constants;
mod null;
mod origin;
mod ranges;
mod short_circuit;
mod taint;

use crate::Done;
use crate::failure::Failure;
use crate::output::{show, write_file};
use crate::subject::{Listings, Places, Subject};
use crate::units::{Input, Unit};
use lw_report::{Fact, Level, Report};
use lw_sparse::{all_cores, for_each};
use std::collections::HashSet;
use std::path::PathBuf;

/// Analyses a program and shows the results line by line.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  lw analyze examples/bounds.c --analysis bounds
  lw analyze examples/bounds.c --analysis null --format html -o null.html
  lw analyze examples/bounds.c --analysis ranges --function average --format json
  lw analyze examples/taint.c --analysis taint --source read_number --sink run -- -DNDEBUG

Without debug information (-g) the program is shown in the text form of the lock-step IR.
docs/analyze.md tells how to read the results.")]
pub(crate) struct Args {
    #[command(flatten)]
    input: Input,
    /// What to look for
    #[arg(short, long, value_enum)]
    analysis: Analysis,
    /// How to show it
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Into this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Speaks of intermediate values as well, not only of variables (constants, ranges, bits)
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    taint: taint::Names,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Analysis {
    /// Values that are always the same, branches that always go one way, code that is never executed
    Constants,
    /// Between which bounds integers lie, also behind branches
    Ranges,
    /// Which bits of integers are known, and which matter
    Bits,
    /// Whether pointers that are followed can be null
    Null,
    /// Whether input reaches sensitive functions (--source, --sink)
    Taint,
    /// Whether accesses stay within their objects
    Bounds,
    /// What must lie behind pointers, judging by how they are used
    Classes,
}

impl Analysis {
    fn name(self) -> &'static str {
        match self {
            Analysis::Constants => "constants",
            Analysis::Ranges => "ranges",
            Analysis::Bits => "bits",
            Analysis::Null => "null",
            Analysis::Taint => "taint",
            Analysis::Bounds => "bounds",
            Analysis::Classes => "classes",
        }
    }

    fn about(self) -> &'static str {
        match self {
            Analysis::Constants => {
                "Values that are always the same, branches that always go one way, code that is never executed."
            }
            Analysis::Ranges => {
                "Between which bounds integers lie, where they are computed and behind branches."
            }
            Analysis::Bits => {
                "Which bits of integers can be other than zero, and which of them matter."
            }
            Analysis::Null => "For each load and store: can the pointer be null?",
            Analysis::Taint => "For each call of a sink: can what a source yields reach it?",
            Analysis::Bounds => {
                "For each load and store: does it stay within the object it is made through?"
            }
            Analysis::Classes => {
                "For each pointer parameter: what must lie behind it, judging by how it is used?"
            }
        }
    }

    /// What is judged, if anything is.
    fn things(self) -> Option<[&'static str; 2]> {
        match self {
            Analysis::Null | Analysis::Bounds => Some(["access", "accesses"]),
            Analysis::Taint => Some(["call of a sink", "calls of sinks"]),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// The program with facts below its lines
    Text,
    /// For other programs; docs/analyze.md describes the keys
    Json,
    /// One page that needs nothing else
    Html,
}

pub(crate) fn main(args: Args) -> Done {
    let taint = match args.analysis {
        Analysis::Taint => Some(args.taint.check()?),
        _ if args.taint.is_empty() => None,
        _ => {
            return Err(Failure::cannot(
                "--source, --sink, --sanitizer and --validator go with --analysis taint",
            ));
        }
    };
    let mut units = args.input.units()?;
    if args.input.is_source() {
        let functions = units.iter_mut().map(|unit| &mut unit.function);
        functions.for_each(short_circuit::branch_on_conditions);
    }
    let path = args.input.input.display().to_string();
    let mut report = Report::new(args.analysis.name(), &path);
    report.about = args.analysis.about().into();
    report.things = args.analysis.things();
    let mut listings = Listings::new();
    let placed = |unit| (unit, listings.places(unit, &mut report));
    let placed: Vec<_> = units.iter().map(placed).collect();
    let size = |&(unit, _): &(&Unit, Places)| unit.function.inst_count();
    let found = for_each(&placed, all_cores(), size, |_: &mut (), (unit, places)| {
        let subject = Subject::new(unit, places.clone());
        let mut facts =
            Facts { subject: &subject, all: args.all, seen: HashSet::new(), found: Vec::new() };
        match args.analysis {
            Analysis::Constants => constants::run(&mut facts),
            Analysis::Ranges => ranges::run(&mut facts),
            Analysis::Bits => bits::run(&mut facts),
            Analysis::Null => null::run(&mut facts),
            Analysis::Bounds => bounds::run(&mut facts),
            Analysis::Classes => classes::run(&mut facts),
            Analysis::Taint => taint::run(&mut facts, taint.as_ref().expect("checked above")),
        }
        facts.found
    });
    for (fact, label) in found.into_iter().flatten() {
        report.count(fact.level, label);
        report.facts.push(fact);
    }
    if let Some(taint) = &taint {
        args.taint.note_unknown(taint, &units, &mut report);
    }
    let text = match args.format {
        Format::Text => lw_report::text(&report),
        Format::Json => format!("{:#}\n", lw_report::json(&report)),
        Format::Html => lw_report::html(&report),
    };
    match &args.output {
        Some(path) => write_file(path, text.as_bytes()),
        None => show(&text),
    }
}

/// Where an analysis puts what it found in a function.
struct Facts<'a, 'u> {
    subject: &'a Subject<'u>,
    /// Whether intermediate values are of interest.
    all: bool,
    seen: HashSet<(lw_report::Place, String, String)>,
    /// Each fact once, with the label under which it is counted.
    found: Vec<(Fact, &'static str)>,
}

impl Facts<'_, '_> {
    /// Adds a fact once.
    fn add(&mut self, mut fact: Fact, label: &'static str) {
        if self.seen.insert((fact.place, fact.subject.clone(), fact.text.clone())) {
            fact.function = self.subject.unit.name().trim_start_matches('@').to_string();
            self.found.push((fact, label));
        }
    }

    /// Adds something that is neither good nor bad.
    fn note(
        &mut self,
        place: lw_report::Place,
        subject: String,
        text: String,
        label: &'static str,
    ) {
        self.add(Fact::new(Level::Fact, place, subject, text), label);
    }
}
