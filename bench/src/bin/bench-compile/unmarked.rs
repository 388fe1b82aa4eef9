//! What the plug-in costs where nothing is marked, beside LLVM's loop vectorizer in the same run of `opt -O3`.

use lw_bench::Program;
use serde_json::json;
use std::path::Path;
use std::process::{Command, Stdio};

/// The passes of the plug-in, as `-time-passes` calls them.
const OURS: [&str; 2] = ["LaneweaverStart", "Laneweaver"];
const THEIRS: &str = "LoopVectorizePass";

/// CPU time of passes on one module, in seconds.
#[derive(Clone, Debug)]
pub(crate) struct Unmarked {
    pub(crate) name: String,
    /// Both passes of the plug-in.
    pub(crate) ours: f64,
    /// LLVM's loop vectorizer, without the analyses it asks for.
    pub(crate) theirs: f64,
    /// All passes together, with the plug-in and without it.
    pub(crate) all: [f64; 2],
}

impl Unmarked {
    pub(crate) fn ratio(&self) -> f64 {
        self.ours / self.theirs.max(1e-9)
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        json!({
            "program": self.name, "plugin_s": self.ours, "loop_vectorizer_s": self.theirs,
            "all_passes_with_plugin_s": self.all[0], "all_passes_s": self.all[1],
        })
    }
}

/// Runs the pipeline on a module so many times, with and without the plug-in by turns; the least of each time counts.
pub(crate) fn measure(program: &Program, plugin: &Path, repeat: u32) -> Result<Unmarked, String> {
    let mut found = Unmarked {
        name: program.name.clone(),
        ours: f64::MAX,
        theirs: f64::MAX,
        all: [f64::MAX; 2],
    };
    for _ in 0..repeat.max(1) {
        let report = time_passes(program, Some(plugin))?;
        let ours = OURS.iter().map(|name| report.pass(name)).collect::<Option<Vec<f64>>>();
        let ours = ours.ok_or("opt does not say how long the plug-in takes")?;
        found.ours = found.ours.min(ours.iter().sum());
        let theirs = report.pass(THEIRS).ok_or("opt does not say how long its vectorizer takes")?;
        found.theirs = found.theirs.min(theirs);
        found.all[0] = found.all[0].min(report.all());
        found.all[1] = found.all[1].min(time_passes(program, None)?.all());
    }
    Ok(found)
}

/// What `-time-passes` prints.
struct Report(String);

fn time_passes(program: &Program, plugin: Option<&Path>) -> Result<Report, String> {
    let mut command = Command::new("opt-22");
    command.args(["-passes=default<O3>", "-time-passes", "-disable-output"]);
    if let Some(plugin) = plugin {
        command.arg(format!("-load-pass-plugin={}", plugin.display()));
    }
    let output = command.arg(&program.path).stdout(Stdio::null()).output();
    let output = output.map_err(|error| format!("opt-22: {error}"))?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    match output.status.success() {
        true => Ok(Report(text)),
        false => Err(format!("{}: {text}", program.path.display())),
    }
}

impl Report {
    /// The CPU time of a pass, over all functions.
    fn pass(&self, name: &str) -> Option<f64> {
        let is_it = |found: &str| found.rsplit("::").next() == Some(name);
        let (_, passes) = self.0.split_once("Pass execution timing report")?;
        let mut lines = passes.lines().take_while(|line| !line.contains("timing report"));
        lines
            .find_map(|line| line_time(line).filter(|(found, _)| is_it(found)))
            .map(|(_, time)| time)
    }

    /// The CPU time of all passes and analyses.
    fn all(&self) -> f64 {
        let totals = self.0.lines().filter_map(line_time).filter(|(name, _)| *name == "Total");
        totals.map(|(_, time)| time).sum()
    }
}

/// A line of a table: `user (share) system (share) both (share) wall (share) name`. Columns without time are left out, but the sum of
/// user and system time is always the last but one.
fn line_time(line: &str) -> Option<(&str, f64)> {
    let (columns, name) = line.rsplit_once(')')?;
    let mut times = columns.split(')').filter_map(|column| {
        column.split_once('(').and_then(|(time, _)| time.trim().parse::<f64>().ok())
    });
    let both = times.nth_back(1)?;
    Some((name.trim(), both))
}
