//! Import and emission of every function of the corpus, beside `opt-22 -O1` on the same modules in the same run, and the
//! memory it takes beside what LLVM takes for the module alone.

use clap::Parser;
use lw_bench::{Program, corpus, peak_memory, time_command};
use lw_llvm::{Context, RoundtripOptions, roundtrip};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

#[derive(Parser)]
struct Args {
    /// The folder that `cargo xtask corpus` fills
    #[arg(long, default_value = "target/corpus")]
    corpus: PathBuf,
    /// Where to write the results
    #[arg(long)]
    json: Option<PathBuf>,
    /// How often each side runs; the fastest counts
    #[arg(long, default_value_t = 3)]
    repeat: u32,
    /// Only programs with this name
    #[arg(long)]
    only: Option<String>,
    /// Measures the memory of one module in a process of its own
    #[arg(long, hide = true, num_args = 2, value_names = ["load|roundtrip", "FILE"])]
    child: Option<Vec<String>>,
}

struct Row {
    program: Program,
    instructions: u64,
    ours: Duration,
    opt: Duration,
    load_memory: u64,
    our_memory: u64,
}

impl Row {
    fn time_share(&self) -> f64 {
        self.ours.as_secs_f64() / self.opt.as_secs_f64()
    }

    fn memory_factor(&self) -> f64 {
        self.our_memory as f64 / self.load_memory as f64
    }
}

fn main() -> ExitCode {
    let args = Args::parse();
    let done = match &args.child {
        Some(child) => measure_memory(&child[0], Path::new(&child[1])),
        None => bench(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("bench-roundtrip: {message}");
            ExitCode::from(2)
        }
    }
}

const OPTIONS: RoundtripOptions = RoundtripOptions { through_text: false, compare: false };

fn bench(args: &Args) -> Result<(), String> {
    println!(
        "import + emit beside the passes of opt-22 -O1 (its reading and checking of the file left out);"
    );
    println!(
        "memory at its peak, beside a process that only loads the module (the empty process left out)\n"
    );
    println!(
        "{:<10} {:<12} {:>9} {:>10} {:>10} {:>7} {:>9} {:>9} {:>7}",
        "config", "program", "insts", "ours ms", "opt ms", "share", "ours MB", "LLVM MB", "factor"
    );
    let empty = child_memory("empty", Path::new("-"))?;
    let mut rows = Vec::new();
    let programs = corpus(&args.corpus, &["O0g", "O2g", "O3native"])?;
    let wanted = |p: &Program| args.only.as_ref().is_none_or(|name| *name == p.name);
    for program in programs.into_iter().filter(wanted) {
        let row = measure(program, args.repeat, empty)?;
        println!(
            "{:<10} {:<12} {:>9} {:>10.1} {:>10.1} {:>6.1}% {:>9.1} {:>9.1} {:>7.2}",
            row.program.config,
            row.program.name,
            row.instructions,
            row.ours.as_secs_f64() * 1e3,
            row.opt.as_secs_f64() * 1e3,
            row.time_share() * 100.0,
            row.our_memory as f64 / 1e6,
            row.load_memory as f64 / 1e6,
            row.memory_factor(),
        );
        rows.push(row);
    }
    let ours: f64 = rows.iter().map(|r| r.ours.as_secs_f64()).sum();
    let opt: f64 = rows.iter().map(|r| r.opt.as_secs_f64()).sum();
    let worst = rows.iter().map(Row::time_share).fold(0.0, f64::max);
    let memory = rows.iter().map(Row::memory_factor).fold(0.0, f64::max);
    println!(
        "\nall: {:.1} % of opt -O1 (worst module {:.1} %), memory at most {memory:.2} times LLVM's",
        100.0 * ours / opt,
        100.0 * worst
    );
    if let Some(path) = &args.json {
        let list: Vec<_> = rows.iter().map(to_json).collect();
        let summary = json!({
            "share_of_opt_O1": ours / opt, "worst_share": worst, "worst_memory_factor": memory, "modules": list,
        });
        lw_bench::save(path, &format!("{summary:#}\n"))?;
    }
    Ok(())
}

fn to_json(row: &Row) -> serde_json::Value {
    json!({
        "config": row.program.config,
        "program": row.program.name,
        "instructions": row.instructions,
        "import_emit_seconds": row.ours.as_secs_f64(),
        "opt_O1_seconds": row.opt.as_secs_f64(),
        "memory_bytes": row.our_memory,
        "llvm_memory_bytes": row.load_memory,
    })
}

/// Writes a copy of a module without `optnone`, for both sides.
fn without_optnone(program: &Program) -> Result<PathBuf, String> {
    let context = Context::new();
    let module = context.read_module(&program.path).map_err(|e| e.to_string())?;
    let text = module.to_text().replace(" optnone ", " ");
    let module = context.parse_module(text.as_bytes(), &program.name).map_err(|e| e.to_string())?;
    let name = format!("lw-bench-{}-{}.bc", std::process::id(), program.name);
    let path = std::env::temp_dir().join(name);
    std::fs::write(&path, module.to_bitcode()).map_err(|e| e.to_string())?;
    Ok(path)
}

fn measure(mut program: Program, repeat: u32, empty: u64) -> Result<Row, String> {
    program.path = without_optnone(&program)?;
    let path = program.path.clone();
    let row = measure_copy(program, repeat, empty);
    let _ = std::fs::remove_file(path);
    row
}

fn measure_copy(program: Program, repeat: u32, empty: u64) -> Result<Row, String> {
    let (mut ours, mut opt, mut read) = (Duration::MAX, Duration::MAX, Duration::MAX);
    let mut instructions = 0;
    for _ in 0..repeat {
        let context = Context::new();
        let mut module = context.read_module(&program.path).map_err(|e| e.to_string())?;
        let report = roundtrip(&mut module, OPTIONS, |_, _| {}).map_err(|e| e.to_string())?;
        instructions = report.before.instructions;
        ours = ours.min(report.bridge_time);
        let passes = |pipeline: &str| {
            time_command(
                Command::new("opt-22")
                    .arg(format!("-passes={pipeline}"))
                    .arg("-disable-output")
                    .arg(&program.path),
            )
        };
        opt = opt.min(passes("default<O1>")?);
        read = read.min(passes("no-op-module")?);
    }
    let load_memory = child_memory("load", &program.path)?.saturating_sub(empty).max(1);
    let our_memory = child_memory("roundtrip", &program.path)?.saturating_sub(empty);
    Ok(Row { program, instructions, ours, opt: opt.saturating_sub(read), load_memory, our_memory })
}

/// The peak memory of a process that does one thing.
fn child_memory(what: &str, path: &Path) -> Result<u64, String> {
    let own = std::env::current_exe().map_err(|e| e.to_string())?;
    let output = Command::new(own).arg("--child").arg(what).arg(path).output();
    let output = output.map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.trim().parse().map_err(|_| format!("no measure of {what} {}", path.display()))
}

fn measure_memory(what: &str, path: &Path) -> Result<(), String> {
    let context = Context::new();
    if what != "empty" {
        let mut module = context.read_module(path).map_err(|e| e.to_string())?;
        if what == "roundtrip" {
            roundtrip(&mut module, OPTIONS, |_, _| {}).map_err(|e| e.to_string())?;
        }
    }
    println!("{}", peak_memory().ok_or("the system does not tell the memory of a process")?);
    Ok(())
}
