//! Splitting and the sparse analyses on the corpus, beside LLVM's LazyValueInfo and PredicateInfo, Singer's iteration and a
//! dense solver, all in one run.

mod arcs;
mod plot;
mod precision;
mod subject;
mod tables;
mod times;

use clap::Parser;
use lw_bench::{Program, corpus, time_command};
use lw_llvm::Context;
use precision::Precision;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Duration;
use subject::Subject;
use times::{Growth, Times, Versus};

/// The allocator of `lw`. Code of LLVM keeps that of the system.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Parser)]
struct Args {
    /// The folder that `cargo xtask corpus` fills
    #[arg(long, default_value = "target/corpus")]
    corpus: PathBuf,
    /// Where to write the results; a plot goes beside it, as SVG
    #[arg(long)]
    json: Option<PathBuf>,
    /// How often each side runs; the fastest counts
    #[arg(long, default_value_t = 3)]
    repeat: u32,
    /// Runs everything once, without SQLite and zstd
    #[arg(long)]
    quick: bool,
    /// Only programs with this name
    #[arg(long)]
    only: Option<String>,
    /// Only this configuration, O0 or O1
    #[arg(long)]
    config: Option<String>,
    /// Only the comparison with LazyValueInfo
    #[arg(long)]
    precision: bool,
    /// Leaves out what takes longest: the dense solver and `opt -O1`
    #[arg(long)]
    brief: bool,
    /// Runs one thing many times and nothing else, for a profiler: tables, ranges, or a strategy
    #[arg(long, hide = true)]
    spin: Option<String>,
    /// How many examples of each kind of difference are printed
    #[arg(long, default_value_t = 0)]
    examples: usize,
}

/// What was found out about a module.
struct Row {
    name: String,
    precision: Precision,
    times: Times,
    growth: Vec<Growth>,
    versus: Vec<Versus>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    match bench(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("bench-sparse: {message}");
            ExitCode::from(2)
        }
    }
}

fn bench(args: &Args) -> Result<(), String> {
    let wanted = |p: &Program| {
        let small = !args.quick || !matches!(p.name.as_str(), "sqlite" | "zstd");
        let config = args.config.as_ref().is_none_or(|config| *config == p.config);
        small && config && args.only.as_ref().is_none_or(|name| *name == p.name)
    };
    let mut rows = Vec::new();
    for program in corpus(&args.corpus, &["O0", "O1"])?.into_iter().filter(wanted) {
        eprintln!("{} {} …", program.config, program.name);
        if let Some(what) = &args.spin {
            let context = Context::new();
            let subject = Subject::read(&context, &program)?;
            println!("{:?}", times::spin(&subject, what, args.repeat));
            continue;
        }
        rows.push(measure(&program, args)?);
    }
    if args.spin.is_some() {
        return Ok(());
    }
    tables::print(&rows, args.examples, !args.precision);
    let plot = (!args.precision).then_some(|| plot::svg(&rows));
    lw_bench::save_results(args.json.as_deref(), &tables::json(&rows), plot)?;
    Ok(())
}

fn measure(program: &Program, args: &Args) -> Result<Row, String> {
    let repeat = if args.quick { 1 } else { args.repeat };
    let context = Context::new();
    let subject = Subject::read(&context, program)?;
    let mut lazy = subject.module.lazy_value_ranges();
    for _ in 1..repeat {
        for (best, again) in lazy.iter_mut().zip(subject.module.lazy_value_ranges()) {
            best.took = best.took.min(again.took);
        }
    }
    let took = lazy.iter().map(|f| f.took).sum();
    let precision = Precision::of(&subject, &lazy, args.examples);
    let mut row = Row {
        name: subject.name.clone(),
        precision,
        times: Times::default(),
        growth: Vec::new(),
        versus: Vec::new(),
    };
    if !args.precision {
        row.times = Times::of(&subject, repeat);
        row.times.lazy = took;
        row.growth = times::growth(&subject, 100, repeat);
        if !args.brief {
            row.times.opt = opt_time(program, repeat)?;
            row.versus = times::versus(&subject, repeat);
        }
    }
    Ok(row)
}

/// How long the passes of `opt -O1` take on the file, reading and checking it left out.
fn opt_time(program: &Program, repeat: u32) -> Result<Duration, String> {
    let run = |pipeline: &str| {
        let mut command = Command::new("opt-22");
        command.arg(format!("-passes={pipeline}")).arg("-disable-output").arg(&program.path);
        time_command(&mut command)
    };
    let (mut passes, mut reading) = (Duration::MAX, Duration::MAX);
    for _ in 0..repeat {
        passes = passes.min(run("default<O1>")?);
        reading = reading.min(run("no-op-module")?);
    }
    Ok(passes.saturating_sub(reading))
}
