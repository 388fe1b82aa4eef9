//! `lw sparse`: programs after live-range splitting.

mod form;
mod stats;
mod write;

use crate::Done;
use crate::failure::Failure;
use crate::output::{show, write_file};
use crate::units::Input;
use form::Form;
use lw_sparse::{Code, Ssify};
use std::path::PathBuf;
use std::sync::Arc;
use write::Writer;

/// Splits live ranges by a strategy and shows the program with its φs, σs and copies.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  lw sparse examples/bounds.c --form essa --function checked
  lw sparse examples/bounds.c --form ssi --function average --dot | dot -Tsvg -o average.svg
  lw sparse examples/bounds.c --form ssi --stats --baseline singer

%x#2 is a version of %x. Versions are defined by instructions, by φ where control joins, by σ where it
forks, and by copies beside an instruction (∥). A strategy names the nodes where information arises,
with an arrow for the direction in which it flows.")]
pub(crate) struct Args {
    #[command(flatten)]
    input: Input,
    /// The representation to build
    #[arg(long, value_parser = form::parser(), default_value = "essa", value_name = "FORM")]
    form: Form,
    #[command(flatten)]
    shown: Shown,
    /// With --form ssi --stats: an older algorithm to compare with
    #[arg(long, value_enum, value_name = "ALGORITHM", requires = "stats")]
    baseline: Option<Baseline>,
    /// Into this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(clap::Args)]
#[group(multiple = false)]
struct Shown {
    /// The program with what was added (the default)
    #[arg(long)]
    print: bool,
    /// The same as control-flow graphs in Graphviz's language
    #[arg(long)]
    dot: bool,
    /// How much there is, and how much was added
    #[arg(long)]
    stats: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Baseline {
    /// Singer's construction of static single information form, by iteration
    Singer,
}

pub(crate) fn main(args: Args) -> Done {
    if args.baseline.is_some() && args.form.name != "ssi" {
        return Err(Failure::cannot("--baseline goes with --form ssi"));
    }
    let units = args.input.units()?;
    let mut text = String::new();
    if args.shown.stats {
        text = stats::measure(&units, args.form, args.baseline.is_some());
    } else {
        for unit in &units {
            let code = Arc::new(Code::new(&unit.function));
            let view = Ssify::new(code).view(args.form.strategy);
            let writer = Writer::new(&unit.function, &view);
            if args.shown.dot {
                writer.dot(&mut text, args.form);
            } else {
                writer.print(&mut text, args.form);
            }
        }
    }
    match &args.output {
        Some(path) => write_file(path, text.as_bytes()),
        None => show(&text),
    }
}
