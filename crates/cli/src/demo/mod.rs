//! `lw demo`: the examples, compiled by clang and by `lw cc`, run, compared and explained.
//!
//! | | |
//! | --- | --- |
//! | the examples | `examples` |
//! | clang, clang with pragmas, `lw cc` | `build` |
//! | run by turns, compared | `lw_kernels`, `table` |
//! | control flow before and after, machine code | `stages`, `assembly` |
//! | what people look at | `picture`, `page` |
//! | threads in lock step | `lockstep` |

mod assembly;
mod build;
mod examples;
mod lockstep;
mod lockstep_picture;
mod page;
mod picture;
mod stages;
mod table;

use crate::Done;
use crate::failure::Failure;
use crate::output::{show, write_file};
use build::{Built, build, write_support};
use examples::{EXAMPLES, Example};
use indicatif::{ProgressBar, ProgressStyle};
use lw_kernels::{Driver, FLAGS, Input};
use serde_json::json;
use stages::{Stages, stages};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Compiles examples with clang and with `lw cc`, runs them, compares results and times, and writes a page that explains what was done.
#[derive(clap::Args)]
#[command(
    after_help = "Exit codes: 0 all results are those of the scalar programs, 1 some are not, 2 something is missing.

Examples:
  lw demo --only mandelbrot --only search --seconds 0.1"
)]
pub(crate) struct Args {
    /// Where the files of the demo are written
    #[arg(short, long, value_name = "DIR", default_value = "target/demo")]
    output: PathBuf,
    /// Only the example in the file of this name, without its ending; may be repeated
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// CPU seconds for each input
    #[arg(long, default_value_t = 0.5)]
    seconds: f64,
}

/// An example, and all that was found out about it.
struct Shown<'e> {
    example: &'e Example,
    built: Built,
    stages: Result<Stages, Failure>,
    rows: Vec<Input>,
    /// The picture that its result is, as PNG.
    picture: Option<Vec<u8>>,
}

pub(crate) fn main(args: Args) -> Done {
    let chosen = choose(&args.only)?;
    if args.seconds.is_nan() || args.seconds <= 0.0 {
        return Err(Failure::cannot("--seconds: it takes more than none"));
    }
    let dir = &args.output;
    std::fs::create_dir_all(dir)
        .map_err(|error| Failure::cannot(format!("{}: {error}", dir.display())))?;
    write_support(dir)?;
    let driver = Driver::build(&dir.join("driver.c"), dir).map_err(Failure::cannot)?;
    let lockstep = lockstep::lockstep(dir)?;
    write_file(&dir.join("lockstep.svg"), lockstep.picture.as_bytes())?;
    let built = build_all(&chosen, dir)?;

    let machine = machine();
    show(&format!(
        "{}\nCPU time on one core of {machine}; the median of many runs, by turns\n\n{}",
        FLAGS.join(" "),
        table::head()
    ))?;
    let mut all = Vec::new();
    for (example, (built, stages)) in chosen.into_iter().zip(built) {
        let raw = example.picture.map(|_| dir.join(example.stem()).with_added_extension("raw"));
        let rows = driver
            .measure(&built.libraries, args.seconds, raw.as_deref())
            .map_err(Failure::cannot)?;
        for (i, row) in rows.iter().enumerate() {
            show(&table::row(if i == 0 { example.title } else { "" }, row))?;
        }
        let picture = match (raw, example.picture) {
            (Some(raw), Some(width)) => Some(draw(example, dir, &raw, width)?),
            _ => None,
        };
        all.push(Shown { example, built, stages, rows, picture });
    }
    write_file(&dir.join("results.json"), format!("{:#}\n", results(&machine, &all)).as_bytes())?;
    let page = page::page(&machine, &all, &lockstep);
    write_file(&dir.join("index.html"), page.as_bytes())?;
    conclude(dir, &all, lockstep.same)
}

fn choose(only: &[String]) -> Result<Vec<&'static Example>, Failure> {
    if let Some(unknown) = only.iter().find(|name| EXAMPLES.iter().all(|e| e.stem() != *name)) {
        let names: Vec<_> = EXAMPLES.iter().map(Example::stem).collect();
        let names = names.join(", ");
        return Err(Failure::cannot(format!("no example `{unknown}`; there are {names}")));
    }
    let wanted = |e: &&Example| only.is_empty() || only.iter().any(|name| name == e.stem());
    Ok(EXAMPLES.iter().filter(wanted).collect())
}

type BuiltExample = (Built, Result<Stages, Failure>);

/// Compiles examples on all cores, in the order they are given.
fn build_all(chosen: &[&Example], dir: &Path) -> Result<Vec<BuiltExample>, Failure> {
    let style = "{spinner} {bar:28} {pos}/{len} examples compiled, {elapsed}";
    let bar = ProgressBar::new(chosen.len() as u64)
        .with_style(ProgressStyle::with_template(style).map_err(Failure::cannot)?);
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    let work = || {
        while let Some(example) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
            let built = build(example, dir).map(|built| {
                let stages = stages(example, &built.bitcode, width(&built));
                (built, stages)
            });
            bar.inc(1);
            if let Ok(mut done) = done.lock() {
                done.push((example.file, built));
            }
        }
    };
    std::thread::scope(|scope| {
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        for _ in 0..workers.min(chosen.len()) {
            scope.spawn(work);
        }
    });
    bar.finish_and_clear();
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_by_key(|(file, _)| chosen.iter().position(|example| example.file == *file));
    done.into_iter().map(|(_, built)| built).collect()
}

/// How many iterations `lw cc` says it does at a time.
fn width(built: &Built) -> u32 {
    let said = built.remarks.iter().find_map(|remark| {
        remark.split_once(" iterations at a time")?.0.rsplit(' ').next()?.parse().ok()
    });
    said.unwrap_or(8)
}

fn draw(example: &Example, dir: &Path, raw: &Path, width: usize) -> Result<Vec<u8>, Failure> {
    let steps = std::fs::read(raw)?;
    let png = picture::png(&steps, width)?;
    write_file(&dir.join(example.stem()).with_added_extension("png"), &png)?;
    std::fs::remove_file(raw)?;
    Ok(png)
}

/// The processor, as the system calls it.
fn machine() -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = cpu.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let name = name.map_or("this machine", |(_, name)| name.trim());
    let host = lw_llvm::Host::detect();
    let best = ["avx512f", "avx2", "avx", "sve", "neon", "sse2"].into_iter().find(|f| host.has(f));
    format!("{name} ({}, {})", host.cpu, best.unwrap_or("no vectors"))
}

fn results(machine: &str, all: &[Shown<'_>]) -> serde_json::Value {
    let rows = all.iter().flat_map(|shown| {
        shown.rows.iter().map(|row| {
            let [clang, simd, ours] = [0, 1, 2].map(|number| row.cells[number].seconds);
            json!({
                "example": shown.example.stem(), "input": row.name, "runs": row.runs,
                "clang_seconds": clang, "clang_openmp_simd_seconds": simd, "lw_seconds": ours,
                "same": !row.is_wrong(),
            })
        })
    });
    json!({ "machine": machine, "flags": FLAGS, "rows": rows.collect::<Vec<_>>() })
}

fn conclude(dir: &Path, all: &[Shown<'_>], lockstep: bool) -> Done {
    let rows: Vec<&Input> = all.iter().flat_map(|shown| &shown.rows).collect();
    let same = lockstep && rows.iter().all(|row| !row.is_wrong());
    let file = |name: &str| dir.join(name).display().to_string();
    let mut text = format!("\ngeometric mean of the speed-ups: {:.2}\n", table::mean(&rows));
    text.push_str(match same {
        true => "All results are those of the scalar programs, bit by bit; where vector functions compute exponentials, within what the table says.\n",
        false => "SOME RESULTS DIFFER from those of the scalar programs.\n",
    });
    text.push_str(&format!("\n{}  sources, control flow and machine code\n", file("index.html")));
    for shown in all.iter().filter(|shown| shown.picture.is_some()) {
        text.push_str(&format!("{}\n", file(&format!("{}.png", shown.example.stem()))));
    }
    show(&text)?;
    if same { Ok(()) } else { Err(Failure::No) }
}
