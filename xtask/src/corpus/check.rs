//! The round trip of real programs: nothing lost in the bitcode, nothing changed in what the program does.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::behaviour::{link_command, observe};
use super::stamp::Key;
use super::stats::Stats;
use super::{Case, build, data};
use crate::jobs;
use crate::place;
use crate::run::{self, Failure, Result};
use crate::test::Counts;

/// Who makes the round trip.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lw {
    /// Nobody: only the originals are run.
    None,
    /// The `lw` of the workspace as the tests build it, with its assertions.
    Dev,
    /// The `lw` that users get.
    Release,
}

/// Checks all cases.
pub(super) fn check(cases: &[Case], lw: Lw, counts: &mut Counts) -> Result {
    let start = Instant::now();
    let _lock = super::lock()?;
    build::build(cases)?;
    data::generate()?;
    println!("corpus: built in {:.1} s", start.elapsed().as_secs_f64());
    let lw = binary(lw)?;
    let version = build::compiler()?;
    println!("\n{}", Row::HEADER);
    let rows = jobs::each(cases, |case| {
        let row = check_case(*case, lw.as_deref(), &version);
        println!("{row}");
        Ok(row)
    })?;
    counts.failed += rows.iter().filter(|row| !row.broken.is_empty()).count();
    counts.passed += rows.iter().filter(|row| row.broken.is_empty()).count();
    println!("corpus: {} programs in {:.1} s", rows.len(), start.elapsed().as_secs_f64());
    let failures: Vec<_> = rows.iter().flat_map(Row::failures).collect();
    if failures.is_empty() {
        return Ok(());
    }
    Err(Failure::step(format!(
        "{} of {} programs failed\n  {}",
        counts.failed,
        rows.len(),
        failures.join("\n  ")
    )))
}

/// The binary that the environment names, else the one of the workspace, built if need be.
pub(super) fn binary(lw: Lw) -> Result<Option<PathBuf>> {
    if lw == Lw::None {
        return Ok(None);
    }
    if let Some(path) = std::env::var_os("LW") {
        let path = std::path::absolute(&path).unwrap_or_else(|_| PathBuf::from(path));
        if path.is_file() {
            return Ok(Some(path));
        }
        return Err(Failure::missing(format!("LW names `{}`, which is no file", path.display())));
    }
    let mut build = place::cargo();
    build.args(["build", "--quiet", "-p", "lw", "--bin", "lw"]);
    if lw == Lw::Release {
        build.arg("--release");
    }
    run::echo(&mut build)?;
    let profile = if lw == Lw::Release { "release" } else { "debug" };
    Ok(Some(place::target().join(profile).join("lw")))
}

/// The result of one case, as it is printed.
struct Row {
    case: Case,
    /// Absent without a round trip, or if it failed.
    stats: Option<Stats>,
    /// How long the round trip took.
    seconds: f64,
    same: Option<bool>,
    /// What is wrong.
    broken: Vec<String>,
}

fn check_case(case: Case, lw: Option<&Path>, version: &str) -> Row {
    let mut row = Row { case, stats: None, seconds: 0.0, same: None, broken: Vec::new() };
    if let Err(failure) = fill(&mut row, lw, version) {
        row.broken.push(failure.message);
    }
    row
}

fn fill(row: &mut Row, lw: Option<&Path>, version: &str) -> Result {
    let (program, config) = row.case;
    let folder = super::folder().join(config.name).join("check").join(program.name);
    let original = build::bitcode(row.case);
    let executable = folder.join("original");
    let mut link = link_command(program, &original, &executable)?;
    Key::new(version, &link, std::slice::from_ref(&original))?
        .make(&executable, || run::quiet(&mut link).map(drop))?;
    let before = observe(program, &executable, &folder.join("original-run"))?;
    if !before.good() {
        row.same = Some(false);
        return Err(Failure::step(format!(
            "the original fails: see {}",
            folder.join("original-run").display()
        )));
    }
    let Some(lw) = lw else {
        return Ok(());
    };
    let (bitcode, executable) = (folder.join("roundtripped.bc"), folder.join("roundtripped"));
    let start = Instant::now();
    let json = run::quiet(
        Command::new(lw)
            .arg("roundtrip")
            .arg(&original)
            .arg("-o")
            .arg(&bitcode)
            .arg("--stats=json"),
    )?;
    row.seconds = start.elapsed().as_secs_f64();
    let mut stats = Stats::read(&json)?;
    row.broken.append(&mut stats.broken);
    row.stats = Some(stats);
    run::quiet(&mut link_command(program, &bitcode, &executable)?)?;
    let after = observe(program, &executable, &folder.join("roundtripped-run"))?;
    let difference = before.difference(&after);
    row.same = Some(difference.is_none());
    row.broken.extend(difference.map(|what| format!("{what}: see {}", folder.display())));
    Ok(())
}

impl Row {
    const HEADER: &'static str =
        "program      config    functions instructions   opaque seconds  same output";

    fn failures(&self) -> impl Iterator<Item = String> {
        self.broken.iter().map(|what| format!("{} {}: {what}", self.case.0.name, self.case.1.name))
    }
}

impl std::fmt::Display for Row {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{:<12} {:<9} ", self.case.0.name, self.case.1.name)?;
        match &self.stats {
            Some(stats) => {
                let percent = 100.0 * stats.opaque_share();
                write!(out, "{:>9} {:>12} {percent:>7.4}% ", stats.functions, stats.instructions)?;
                write!(out, "{:>7.2}  ", self.seconds)?;
            }
            None => write!(out, "{:>9} {:>12} {:>8} {:>7}  ", "-", "-", "-", "-")?,
        }
        out.write_str(match self.same {
            Some(true) => "yes",
            Some(false) => "no",
            None if self.broken.is_empty() => "original runs",
            None => "-",
        })?;
        if self.broken.is_empty() { Ok(()) } else { out.write_str("  FAILED") }
    }
}
