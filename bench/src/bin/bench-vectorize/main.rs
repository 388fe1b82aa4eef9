//! Loops with one pragma, compiled by `lw cc`, clang, gcc and, if there is one, ISPC, run by turns on the same data.
//!
//! A kernel is one file in `examples/simd` or `bench/kernels/simd`, or a variant of one; adding one is adding a file. Every compiler makes a
//! shared library of it, and the driver of the examples runs all of them: CPU time on one core, the median of many runs, results compared
//! with those of scalar clang.

mod compilers;
mod measure;
mod plot;
mod statistics;
mod tables;

use clap::Parser;
use compilers::{Column, columns, includes, kernels, root};
use lw_kernels::{Compiler, Driver, Kernel};
use measure::{Row, measure};
use statistics::Statistics;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Parser)]
struct Args {
    /// Where to write the results; the plots are written beside them
    #[arg(long)]
    json: Option<PathBuf>,
    /// CPU seconds for each input, over all compilers
    #[arg(long, default_value_t = 0.2)]
    seconds: f64,
    /// Only kernels with this name, or the name of a file and all its variants; may be repeated
    #[arg(long)]
    only: Vec<String>,
    /// Print what `lw cc` says it did with each kernel, and run nothing
    #[arg(long)]
    statistics: bool,
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
    if args.seconds.is_nan() || args.seconds < 0.0 {
        return Err("--seconds: a time is not negative".into());
    }
    let lw = match &args.lw {
        Some(path) => path.clone(),
        None => {
            let own = std::env::current_exe().map_err(|e| e.to_string())?;
            own.with_file_name("lw")
        }
    };
    let chosen = choose(&args.only)?;
    let mut columns = columns(&lw, &chosen)?;
    if args.statistics {
        columns.retain(|column| matches!(column.compiler, Compiler::Lw { .. }));
    }
    std::fs::create_dir_all(&args.folder).map_err(|e| format!("{}: {e}", args.folder.display()))?;
    let built = build_all(&chosen, &columns, &args.folder)?;
    let statistics: Vec<Statistics> = built.iter().flat_map(|b| b.statistics.clone()).collect();

    let mut rows = Vec::new();
    if args.statistics {
        print!("{}", statistics::table(&statistics));
    } else {
        let driver = Driver::build(&root().join("examples/simd/driver.c"), &args.folder)?;
        print!("{}", tables::head(&columns));
        for (kernel, built) in chosen.iter().zip(&built) {
            for row in measure(&driver, kernel, &columns, built, args.seconds)? {
                print!("{}", tables::row(&row));
                rows.push(row);
            }
        }
        print!("{}", tables::summary(&columns, &rows));
    }
    if let Some(path) = &args.json {
        let json = tables::json(&columns, &rows, &statistics);
        lw_bench::save(path, &format!("{json:#}\n"))?;
        for (name, svg) in plot::plots(&columns, &rows) {
            lw_bench::save(&path.with_file_name(format!("vectorize-{name}.svg")), &svg)?;
        }
    }
    Ok(rows.iter().all(Row::is_right))
}

fn choose(only: &[String]) -> Result<Vec<Kernel>, String> {
    let is = |kernel: &Kernel, name: &str| {
        kernel.name == name || kernel.path.file_stem().is_some_and(|stem| stem == name)
    };
    let all = kernels()?;
    if let Some(unknown) = only.iter().find(|name| !all.iter().any(|k| is(k, name))) {
        let names: Vec<&str> = all.iter().map(|kernel| kernel.name.as_str()).collect();
        return Err(format!("no kernel `{unknown}`; there are {}", names.join(", ")));
    }
    let wanted = |k: &Kernel| only.is_empty() || only.iter().any(|name| is(k, name));
    Ok(all.into_iter().filter(wanted).collect())
}

/// What the compilers made of a kernel.
struct Built {
    /// In the order of the compilers; `None` if one has nothing to do with it.
    libraries: Vec<Option<PathBuf>>,
    /// What `lw cc` said: `vectorized loop, …` or why not.
    remarks: Vec<String>,
    /// What it did, with and without BOSCC.
    statistics: Vec<Statistics>,
}

fn build(kernel: &Kernel, columns: &[Column], folder: &Path) -> Result<Built, String> {
    let mut built = Built { libraries: Vec::new(), remarks: Vec::new(), statistics: Vec::new() };
    for Column { compiler, .. } in columns {
        if !compiler.compiles(kernel) {
            built.libraries.push(None);
            continue;
        }
        let (library, remarks) = compiler.library(kernel, &includes(), folder)?;
        built.libraries.push(Some(library));
        if let Compiler::Lw { flag, .. } = compiler {
            let name = format!("{} {}", kernel.name, flag.unwrap_or_default());
            built.statistics.push(Statistics::read(name.trim_end().into(), &remarks));
            if flag.is_none() {
                built.remarks = remarks;
            }
        }
    }
    Ok(built)
}

/// Compiles kernels on all cores.
fn build_all(chosen: &[Kernel], columns: &[Column], folder: &Path) -> Result<Vec<Built>, String> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(kernel) = chosen.get(number) else { break };
            let built = build(kernel, columns, folder);
            if let Ok(mut done) = done.lock() {
                done.push((number, built));
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
