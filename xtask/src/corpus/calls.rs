//! The call graph of real programs: every call through a pointer that a run makes must be in it.
//!
//! `lw callgraph --instrument` makes the program tell its calls, `corpus/indirect_log.c` writes them down with addresses, the symbols of the
//! executable turn those into names, and `lw callgraph --observed` holds them against the graph.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use super::behaviour::{observe_with, repeatable_link};
use super::check::{Lw, binary};
use super::{Case, build, choose, data};
use crate::place;
use crate::run::{self, During, Failure, Result};
use crate::test::Counts;

/// The programs whose calls are watched.
const PROGRAMS: &[&str] = &["sqlite", "lua"];

/// At most this share of the time of `opt -O1`.
const SHARE: f64 = 0.2;

/// Checks SQLite and Lua in a configuration; with `time`, SQLite beside `opt -O1` as well.
pub(super) fn check(config: &str, lw: Lw, time: bool, counts: &mut Counts) -> Result {
    let names: Vec<String> = PROGRAMS.iter().map(|name| (*name).to_owned()).collect();
    let cases = choose(&names, Some(config))?;
    let _lock = super::lock()?;
    build::build(&cases)?;
    data::generate()?;
    let Some(lw) = binary(lw)? else { return Ok(()) };
    let mut failures = Vec::new();
    for &case in &cases {
        let checked = check_case(case, &lw).and_then(|()| {
            if time && case.0.name == "sqlite" { measure(case, &lw) } else { Ok(()) }
        });
        match checked {
            Ok(()) => counts.passed += 1,
            Err(failure) => {
                counts.failed += 1;
                failures.push(format!("{} {}: {}", case.0.name, case.1.name, failure.message));
            }
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(Failure::step(failures.join("\n  "))) }
}

fn check_case(case: Case, lw: &Path) -> Result {
    let (program, config) = case;
    let folder = super::folder().join(config.name).join("calls").join(program.name);
    std::fs::create_dir_all(&folder).during(folder.display())?;
    let original = build::bitcode(case);
    let (told, executable) = (folder.join("told.bc"), folder.join("told"));
    let mut instrument = Command::new(lw);
    run::quiet(instrument.arg("callgraph").arg(&original).arg("--instrument").arg(&told))?;
    let mut link = repeatable_link(program, &told, &executable)?;
    run::quiet(link.arg(build::sources().join("indirect_log.c")))?;
    let log = folder.join("log");
    let behaviour =
        observe_with(program, &executable, &folder.join("run"), &[("LW_CALL_LOG", &log)])?;
    if !behaviour.good() {
        return Err(Failure::step(format!("it fails: see {}", folder.join("run").display())));
    }
    let seen = folder.join("seen");
    std::fs::write(&seen, named(&log, &executable)?).during(seen.display())?;
    for entry in [&["--entry", "main"][..], &[]] {
        let said = run::quiet(
            Command::new(lw)
                .arg("callgraph")
                .arg(&original)
                .args(entry)
                .arg("--observed")
                .arg(&seen),
        )?;
        let json = run::quiet(
            Command::new(lw).arg("callgraph").arg(&original).args(entry).args(["--format", "json"]),
        )?;
        let value: serde_json::Value = serde_json::from_str(&json)
            .map_err(|_| Failure::step("`lw callgraph --format json` printed no JSON"))?;
        let number = |key: &str| value["summary"][key].as_f64().unwrap_or(f64::NAN);
        println!(
            "{:<8} {:<9} {:<13} {}; {:.1} targets on average, {:.1} of the same type",
            program.name,
            config.name,
            entry.join(" "),
            said.trim(),
            number("average_targets"),
            number("average_same_type"),
        );
    }
    Ok(())
}

/// The log with names for addresses; what is no function of the program is `?`.
fn named(log: &Path, executable: &Path) -> Result<String> {
    let symbols = run::quiet(Command::new(place::llvm_tool("llvm-nm")).arg(executable))?;
    let mut names: HashMap<u64, &str> = HashMap::new();
    for line in symbols.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let [address, "t" | "T" | "w" | "W", name] = words[..]
            && let Ok(address) = u64::from_str_radix(address, 16)
        {
            names.entry(address).or_insert(name);
        }
    }
    let mut out = String::new();
    let text = std::fs::read_to_string(log).during(log.display())?;
    for line in text.lines() {
        let words = line
            .split_once(' ')
            .and_then(|(site, address)| Some((site, u64::from_str_radix(address, 16).ok()?)));
        let (site, address) =
            words.ok_or_else(|| Failure::step(format!("{}: `{line}`", log.display())))?;
        let _ = writeln!(out, "{site} {}", names.get(&address).copied().unwrap_or("?"));
    }
    if out.is_empty() {
        return Err(Failure::step("no call through a pointer was seen"));
    }
    Ok(out)
}

/// The fastest of three runs each.
fn measure(case: Case, lw: &Path) -> Result {
    let bitcode = build::bitcode(case);
    let fastest = |make: &dyn Fn() -> Command| -> Result<f64> {
        let mut best = f64::INFINITY;
        for _ in 0..3 {
            let start = Instant::now();
            run::quiet(&mut make())?;
            best = best.min(start.elapsed().as_secs_f64());
        }
        Ok(best)
    };
    let ours = fastest(&|| {
        let mut command = Command::new(lw);
        command.arg("callgraph").arg(&bitcode);
        command
    })?;
    let theirs = fastest(&|| {
        let mut command = Command::new(place::llvm_tool("opt"));
        command.arg("-O1").arg(&bitcode).args(["-o", "/dev/null"]);
        command
    })?;
    let share = ours / theirs;
    println!(
        "{} {}: lw callgraph {ours:.2} s, opt -O1 {theirs:.2} s: {:.1} %",
        case.0.name,
        case.1.name,
        100.0 * share
    );
    if share > SHARE {
        return Err(Failure::step(format!("more than {:.0} % of `opt -O1`", 100.0 * SHARE)));
    }
    Ok(())
}
