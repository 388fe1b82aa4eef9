//! Loops with one pragma, compiled by `lw cc`, clang and gcc, run by turns on the same data.
//!
//! A kernel is one file in `examples/simd` or `bench/kernels/simd`; adding one is adding a file. Every compiler makes a shared library of
//! it, and the driver of the examples runs all of them: CPU time on one core, the median of many runs, results compared with those of
//! scalar clang.

mod compilers;
mod kernels;
mod measure;
mod tables;

use clap::Parser;
use compilers::{Compiler, compilers};
use kernels::{Kernel, kernels};
use measure::{Row, measure};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Parser)]
struct Args {
    /// Where to write the results
    #[arg(long)]
    json: Option<PathBuf>,
    /// CPU seconds for each input, over all compilers
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// Only kernels with this name; may be repeated
    #[arg(long)]
    only: Vec<String>,
    /// The command `lw`; by default the one beside this program
    #[arg(long)]
    lw: Option<PathBuf>,
    /// Where libraries are built
    #[arg(long, default_value = "target/bench/vectorize")]
    folder: PathBuf,
}

fn main() -> ExitCode {
    match bench(&Args::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(message) => {
            eprintln!("bench-vectorize: {message}");
            ExitCode::from(2)
        }
    }
}

/// Whether all results are right.
fn bench(args: &Args) -> Result<bool, String> {
    let lw = match &args.lw {
        Some(path) => path.clone(),
        None => {
            let own = std::env::current_exe().map_err(|e| e.to_string())?;
            own.with_file_name("lw")
        }
    };
    let compilers = compilers(&lw)?;
    let all = kernels()?;
    if let Some(unknown) = args.only.iter().find(|name| all.iter().all(|k| k.name != **name)) {
        return Err(format!("no kernel `{unknown}`"));
    }
    let wanted = |k: &Kernel| args.only.is_empty() || args.only.contains(&k.name);
    let chosen: Vec<Kernel> = all.into_iter().filter(wanted).collect();
    std::fs::create_dir_all(&args.folder).map_err(|e| format!("{}: {e}", args.folder.display()))?;
    let driver = compilers::driver(&args.folder)?;
    let built = build_all(&chosen, &compilers, &args.folder)?;

    print!("{}", tables::head(&compilers));
    let mut rows = Vec::new();
    for (kernel, built) in chosen.iter().zip(&built) {
        for row in measure(&driver, kernel, built, args.seconds)? {
            print!("{}", tables::row(&row));
            rows.push(row);
        }
    }
    print!("{}", tables::summary(&compilers, &rows));
    if let Some(path) = &args.json {
        lw_bench::save(path, &format!("{:#}\n", tables::json(&compilers, &rows)))?;
    }
    Ok(rows.iter().all(Row::is_right))
}

/// What the compilers made of a kernel.
struct Built {
    /// In the order of the compilers.
    libraries: Vec<PathBuf>,
    /// What `lw cc` said: `vectorized loop, …` or why not.
    remarks: Vec<String>,
}

/// Compiles kernels on all cores.
fn build_all(
    chosen: &[Kernel],
    compilers: &[Compiler],
    folder: &Path,
) -> Result<Vec<Built>, String> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(kernel) = chosen.get(number) else { break };
            let mut built = Built { libraries: Vec::new(), remarks: Vec::new() };
            let outcome = compilers.iter().try_for_each(|compiler| {
                let (library, remarks) = compiler.build(kernel, folder)?;
                built.libraries.push(library);
                built.remarks.extend(remarks);
                Ok(())
            });
            if let Ok(mut done) = done.lock() {
                done.push((number, outcome.map(|()| built)));
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_by_key(|&(number, _)| number);
    done.into_iter().map(|(_, built)| built).collect()
}
