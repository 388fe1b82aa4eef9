//! The divergence analysis beside LLVM's UniformityInfo: time over the corpus and over families that grow.

mod families;
mod times;

use clap::Parser;
use lw_bench::corpus;
use std::path::PathBuf;
use std::process::ExitCode;

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
    /// Runs everything once, small
    #[arg(long)]
    quick: bool,
    /// Only programs with this name
    #[arg(long)]
    only: Option<String>,
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
    let sizes: &[usize] = if args.quick { &[100] } else { &[100, 300, 1000, 3000] };
    for row in times::growth(sizes, args.repeat)? {
        let t = &row.times;
        println!("{:<8} {:>5} {:>9.0} µs {:>9.0} µs LLVM {:>7.3}  (cycles {:.0} µs)", row.family, row.n, t.ours.as_secs_f64()*1e6, t.llvm.as_secs_f64()*1e6, t.ratio(), t.cycles.as_secs_f64()*1e6);
    }
    for program in corpus(&args.corpus, &["O2g"])? {
        if args.only.as_ref().is_some_and(|only| *only != program.name) { continue; }
        let t = times::of_program(&program, args.repeat)?;
        println!("{:<20} {:>8} insts: {:>6.1} ns ours, {:>6.1} ns LLVM (+{:.1} +{:.1}), import {:.1}: {:.2}", t.name, t.instructions, t.ours.as_nanos() as f64 / t.instructions as f64, t.llvm.as_nanos() as f64/ t.instructions as f64, t.dominators.as_nanos() as f64/ t.instructions as f64, t.cycles.as_nanos() as f64/ t.instructions as f64, t.import.as_nanos() as f64/ t.instructions as f64, t.ratio());
    }
    Ok(())
}
