//! The divergence analysis beside LLVM's UniformityInfo and other ways to find control divergence: what they find uniform in kernels,
//! and time over the corpus, over the kernels, and over families that grow.

mod baselines;
mod families;
mod plot;
mod precision;
mod refute;
mod tables;
mod times;

use clap::Parser;
use lw_bench::corpus;
use precision::Suite;
use std::path::PathBuf;
use std::process::ExitCode;
use times::{Growth, Times};

#[derive(Parser)]
struct Args {
    /// The folder that `cargo xtask corpus` fills
    #[arg(long, default_value = "target/corpus")]
    corpus: PathBuf,
    /// The folder of the kernels
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/kernels"))]
    kernels: PathBuf,
    /// Where to write the results; a plot goes beside it, as SVG
    #[arg(long)]
    json: Option<PathBuf>,
    /// How often each side runs; the fastest counts
    #[arg(long, default_value_t = 5)]
    repeat: u32,
    /// Precision in full, time once: small families, no corpus
    #[arg(long)]
    quick: bool,
    /// Only the time over programs of the corpus with this name, or over the `kernels`
    #[arg(long)]
    only: Option<String>,
    /// Compares the verdicts of the short way with those of the engine, function by function
    #[arg(long)]
    check: bool,
    /// Prints what baselines claim and we do not
    #[arg(long)]
    claims: bool,
}

/// All that was found out.
struct Results {
    suites: Vec<Suite>,
    growth: Vec<Growth>,
    times: Vec<Times>,
}

fn main() -> ExitCode {
    match bench(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("bench-divergence: {message}");
            ExitCode::from(2)
        }
    }
}

fn bench(args: &Args) -> Result<(), String> {
    let repeat = if args.quick { 1 } else { args.repeat };
    let mut results = Results { suites: Vec::new(), growth: Vec::new(), times: Vec::new() };
    if args.only.as_ref().is_none_or(|only| only == "kernels") {
        for path in precision::files(&args.kernels)? {
            let (suite, times) = precision::of_file(&path, repeat)?;
            results.suites.push(suite);
            results.times.push(times);
        }
    }
    if args.only.is_none() {
        let sizes: &[usize] = if args.quick { &[30, 100] } else { &[100, 300, 1000, 3000] };
        results.growth = times::growth(sizes, repeat)?;
    }
    if !args.quick {
        for program in corpus(&args.corpus, &["O2g"])? {
            if args.only.as_ref().is_none_or(|only| *only == program.name) {
                eprintln!("{} …", program.name);
                results.times.push(times::of_program(&program, repeat, args.check)?);
            }
        }
    }
    tables::print(&results, args.claims);
    let plot = Some(|| plot::svg(&results.growth));
    lw_bench::save_results(args.json.as_deref(), &tables::json(&results), plot)?;
    Ok(())
}
