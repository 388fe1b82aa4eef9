//! What the benchmarks share: the corpus, timing of other programs, memory of processes, files with results.
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A module of the corpus.
pub struct Program {
    /// `sqlite`, `lua`, …
    pub name: String,
    /// How it was compiled: `O0g`, `O2g`, ….
    pub config: String,
    /// Its bitcode.
    pub path: PathBuf,
}

/// The modules of some configurations under `dir`, which `cargo xtask corpus` fills.
pub fn corpus(dir: &Path, configs: &[&str]) -> Result<Vec<Program>, String> {
    let mut programs = Vec::new();
    for &config in configs {
        let folder = dir.join(config);
        let entries = std::fs::read_dir(&folder).map_err(|error| {
            format!("{}: {error}; `cargo xtask corpus` builds it", folder.display())
        })?;
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.extension().is_some_and(|e| e == "bc") {
                let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                programs.push(Program { name, config: config.into(), path });
            }
        }
    }
    programs.sort_by(|a, b| (&a.config, &a.name).cmp(&(&b.config, &b.name)));
    Ok(programs)
}

/// Saves what was measured: nothing is half written.
pub fn save(path: &Path, text: &str) -> Result<(), String> {
    lw_report::write(Some(path), |out| out.write_all(text.as_bytes())).map_err(|e| e.to_string())
}

/// Saves what was measured as JSON, if somebody wants it, and a plot of it beside it, if there is one.
pub fn save_results(
    path: Option<&Path>,
    results: &serde_json::Value,
    plot: Option<impl FnOnce() -> String>,
) -> Result<(), String> {
    let Some(path) = path else { return Ok(()) };
    save(path, &format!("{results:#}\n"))?;
    if let Some(plot) = plot {
        let file = path.with_extension("svg");
        save(&file, &plot())?;
        println!("plot: {}", file.display());
    }
    Ok(())
}

/// How long a command runs. Its output is dropped.
pub fn time_command(command: &mut Command) -> Result<Duration, String> {
    let start = Instant::now();
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    let took = start.elapsed();
    match status {
        Ok(status) if status.success() => Ok(took),
        Ok(status) => Err(format!("{command:?} ended with {status}")),
        Err(error) => Err(format!("{command:?}: {error}")),
    }
}

/// The CPU time that this thread has had so far. Other work on the machine does not add to it.
pub fn cpu_time() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec.unsigned_abs() as u32)
}

/// The most memory this process has had resident so far, in bytes.
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}
