//! Compile time: how the time of the vectorizer grows with the size of a marked loop, and what the plug-in costs where nothing is
//! marked, beside LLVM's loop vectorizer.

mod growth;
mod plot;
mod shapes;
mod tables;
mod unmarked;

use clap::Parser;
use growth::{Growth, Plan};
use lw_bench::corpus;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use unmarked::Unmarked;

#[derive(Parser)]
struct Args {
    /// Where to write the results; a plot goes beside it, as SVG
    #[arg(long)]
    json: Option<PathBuf>,
    /// How often each loop is vectorized; the fastest counts
    #[arg(long, default_value_t = 5)]
    repeat: u32,
    /// The instructions of the largest loop of each shape
    #[arg(long, default_value_t = 102_400)]
    most: usize,
    /// Only shapes with this name; may be repeated
    #[arg(long)]
    shape: Vec<String>,
    /// Larger loops of a shape are left out once one took so many seconds
    #[arg(long, default_value_t = 60.0)]
    limit: f64,
    /// A folder to write the vectorized functions to, for a comparison with those of another version
    #[arg(long)]
    save: Option<PathBuf>,
    /// The folder that `cargo xtask corpus` fills
    #[arg(long, default_value = "target/corpus")]
    corpus: PathBuf,
    /// The plug-in; by default the one beside this program
    #[arg(long)]
    plugin: Option<PathBuf>,
    /// Only how time grows
    #[arg(long)]
    growth: bool,
    /// Only what the plug-in costs where nothing is marked
    #[arg(long, conflicts_with = "growth")]
    unmarked: bool,
}

/// All that was found out.
struct Results {
    growth: Vec<Growth>,
    unmarked: Vec<Unmarked>,
}

fn main() -> ExitCode {
    match bench(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("bench-compile: {message}");
            ExitCode::from(2)
        }
    }
}

fn bench(args: &Args) -> Result<(), String> {
    let limit = Duration::try_from_secs_f64(args.limit).map_err(|e| format!("--limit: {e}"))?;
    let mut results = Results { growth: Vec::new(), unmarked: Vec::new() };
    if !args.unmarked {
        results.growth = growth::growth(&Plan {
            most: args.most,
            repeat: args.repeat,
            only: &args.shape,
            limit,
            save: args.save.as_deref(),
        })?;
    }
    if !args.growth {
        let plugin = match &args.plugin {
            Some(path) => path.clone(),
            None => {
                let own = std::env::current_exe().map_err(|e| e.to_string())?;
                own.with_file_name("liblaneweaver.so")
            }
        };
        for program in corpus(&args.corpus, &["O0"])? {
            eprintln!("{} …", program.name);
            results.unmarked.push(unmarked::measure(&program, &plugin, args.repeat)?);
        }
    }
    tables::print(&results);
    let plot = (!results.growth.is_empty()).then_some(|| plot::svg(&results.growth));
    lw_bench::save_results(args.json.as_deref(), &tables::json(&results), plot)?;
    Ok(())
}
