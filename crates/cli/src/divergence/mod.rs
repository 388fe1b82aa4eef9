//! `lw divergence`: where threads that run the same code part, and which memory they access together.

mod access;
mod callees;
mod given;
mod llvm;
mod page;
mod results;
mod shapes;
mod study;
mod text;
mod why;
mod words;

use crate::Done;
use crate::failure::Failure;
use crate::output::{show, write_file};
use crate::subject::Subject;
use crate::units::{Input, Unit};
use callees::Callees;
use given::Setting;
use lw_divergence::targets::{Gpu, is_kernel, required_block};
use lw_divergence::{Affine, Basic, Stride};
use lw_report::Report;
use std::path::PathBuf;
use study::Study;

/// Shows where threads that run the same code part, and which memory they access together.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  lw divergence examples/tiles.cu --block 16,16
  lw divergence examples/tiles.cu --format html -o tiles.html
  lw divergence examples/tiles.cu --block 256 --function count --why 40
  lw divergence examples/walk.c --function walk --shapes uniform,strided:1,uniform
  lw divergence examples/walk.c --function all_walks --loop 23

Functions of GPU programs are executed by the threads of a warp; --block says how they are numbered. Of other
programs, either the parameters differ between threads (--shapes), or the iterations of a loop are the threads (--loop).
docs/divergence.md tells how to read the results.")]
pub(crate) struct Args {
    #[command(flatten)]
    input: Input,
    #[arg(
        help = "The shapes of the parameters, by position or as NAME=SHAPE: uniform[:ALIGN], varying, strided:STRIDE[:ALIGN], lane"
    )]
    #[arg(long, value_name = "SHAPE,…", value_delimiter = ',')]
    shapes: Vec<String>,
    /// The threads are the iterations of the loop at this line
    #[arg(long = "loop", value_name = "LINE")]
    line: Option<u32>,
    /// How many threads a block has in each dimension (GPU programs)
    #[arg(long, value_name = "X,Y,Z", value_parser = shapes::block)]
    block: Option<[u32; 3]>,
    /// How many threads run in lock step [default: that of the GPU, else unknown]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// What is told about values [default: stride, or affine on a GPU unless each row of a block fills warps]
    #[arg(long, value_enum)]
    lattice: Option<Lattice>,
    /// How to show it
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Why the values at a line, or a value, differ between threads
    #[arg(long, value_name = "LINE|VALUE")]
    why: Option<String>,
    /// Into this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Lattice {
    /// Uniform or varying
    Basic,
    /// How far apart the values of neighbouring threads are, and what divides them
    Stride,
    /// Polynomials in the numbers of the thread
    Affine,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Branches, loops, barriers and memory accesses, worst first
    Text,
    /// For other programs; docs/divergence.md describes the keys
    Json,
    /// For editors and code hosts: SARIF 2.1.0
    Sarif,
    /// One page that needs nothing else: source, control flow and causes
    Html,
    /// As LLVM's `print<uniformity>` prints, with the basic lattice and without products, stack objects and summaries
    Llvm,
}

pub(crate) fn main(args: Args) -> Done {
    if args.line.is_some() && (args.block.is_some() || !args.shapes.is_empty()) {
        return Err(Failure::cannot("--loop goes without --shapes and --block"));
    }
    if args.why.is_some() && args.format != Format::Text {
        return Err(Failure::cannot("--why prints text; it goes without --format"));
    }
    if args.format == Format::Llvm {
        let more = args.line.is_some() || args.block.is_some() || !args.shapes.is_empty();
        if more || args.lattice.is_some_and(|lattice| lattice != Lattice::Basic) {
            let message = "--format llvm goes without --loop, --block, --shapes and --lattice";
            return Err(Failure::cannot(message));
        }
        return write(&args, &llvm::text(&args)?);
    }
    let all = args.input.module(Some(FORM))?;
    let chosen = chosen(&args, &all)?;
    let mut report = Report::new("divergence", &args.input.input.display().to_string());
    report.about = ABOUT.into();
    let callees = Callees::new(&all, report);
    let mut studies = Vec::new();
    for &unit in &chosen {
        studies.push(study_of(&args, callees.chosen(unit), &callees, &all)?);
    }
    let mut report = callees.into_report();
    let text = match (&args.why, args.format) {
        (Some(what), _) => why::text(&args, what, &studies, &report)?,
        (None, Format::Text) => {
            results::add(&mut report, &studies);
            text::text(&report, &studies)
        }
        (None, Format::Json) => {
            results::add(&mut report, &studies);
            format!("{:#}\n", lw_report::json(&report))
        }
        (None, Format::Sarif) => {
            results::add(&mut report, &studies);
            format!("{:#}\n", lw_report::sarif(&report, results::RULES))
        }
        (None, Format::Html) => {
            results::add(&mut report, &studies);
            page::page(&report, &studies)
        }
        (None, Format::Llvm) => String::new(),
    };
    write(&args, &text)
}

fn write(args: &Args, text: &str) -> Done {
    match &args.output {
        Some(path) => write_file(path, text.as_bytes()),
        None => show(text),
    }
}

/// Objects become values, and loops have one way back each, so that threads are in step in them.
const FORM: &str = "sroa,loop-simplify";

const ABOUT: &str = "Where threads part, and which memory they access together.";

/// The functions to look at: the one that was asked for, else all kernels, else all.
fn chosen<'u>(args: &Args, all: &'u [Unit]) -> Result<Vec<&'u Unit>, Failure> {
    let bodies = || all.iter().filter(|unit| unit.function.entry().is_some());
    let chosen: Vec<&Unit> = match &args.input.function {
        Some(name) => vec![args.input.find(name, all)?],
        None if bodies().any(|unit| is_kernel(&unit.function)) => {
            bodies().filter(|unit| is_kernel(&unit.function)).collect()
        }
        None => bodies().collect(),
    };
    let names = || {
        let names: Vec<String> = chosen.iter().take(20).map(|u| plain_name(u)).collect();
        names.join(", ")
    };
    if chosen.len() > 1 && (args.line.is_some() || !args.shapes.is_empty()) {
        let flag = if args.line.is_some() { "--loop" } else { "--shapes" };
        return Err(Failure::cannot(format!(
            "{}: {flag} wants --function as well; there are: {}",
            args.input.input.display(),
            names()
        )));
    }
    if chosen.is_empty() {
        return Err(Failure::cannot(format!(
            "{}: there is no function with a body",
            args.input.input.display()
        )));
    }
    Ok(chosen)
}

/// The name of a function as in the source.
fn plain_name(unit: &Unit) -> String {
    words::pretty(unit.name().trim_start_matches('@'))
}

fn study_of<'u>(
    args: &Args,
    subject: Subject<'u>,
    callees: &Callees<'u>,
    all: &'u [Unit],
) -> Result<Study<'u>, Failure> {
    let unit = subject.unit;
    let gpu = Gpu::from_triple(&unit.module.triple)
        .or_else(|| args.block.is_some().then_some(Gpu::OpenCl))
        .or_else(|| given::mentions_gpu(&unit.function));
    let block = args.block.or_else(|| required_block(&unit.function));
    let setting = Setting { args, gpu: gpu.filter(|_| args.line.is_none()), block, all };
    let lattice = args.lattice.unwrap_or_else(|| setting.best_lattice());
    match lattice {
        Lattice::Basic => study::study::<Basic>(&setting, subject, callees),
        Lattice::Stride => study::study::<Stride>(&setting, subject, callees),
        Lattice::Affine => study::study::<Affine<2>>(&setting, subject, callees),
    }
}
