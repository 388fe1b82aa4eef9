//! Every loop of real programs that may be vectorized is, whatever it costs: they must do what they did before.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::behaviour::{link_command, observe};
use super::{Case, build, choose, data};
use crate::run::{self, During, Failure, Result};
use crate::test::Counts;
use crate::{jobs, place};

/// The programs; those in C.
const PROGRAMS: &[&str] = &["sqlite", "lua", "zlib", "zstd", "bzip2"];

/// As they come from clang before its own vectorizers.
const CONFIG: &str = "O1";

/// At least so many loops over all programs.
const LOOPS: usize = 500;

/// Checks these programs, or all.
pub(super) fn check(names: &[String], counts: &mut Counts) -> Result {
    let start = Instant::now();
    let cases = choose(&programs(names), Some(CONFIG))?;
    let _lock = super::lock()?;
    build::build(&cases)?;
    data::generate()?;
    let plugin = plugin()?;
    println!("\nprogram      loops vectorized");
    let found = jobs::each(&cases, |case| {
        let done = check_case(*case, &plugin);
        match &done {
            Ok(loops) => println!("{:<12} {loops:>5}", case.0.name),
            Err(failure) => println!("{:<12} {}", case.0.name, failure.message),
        }
        Ok(done)
    })?;
    let failures: Vec<String> = found
        .iter()
        .zip(&cases)
        .filter_map(|(done, case)| {
            done.as_ref().err().map(|failure| format!("{}: {}", case.0.name, failure.message))
        })
        .collect();
    counts.failed += failures.len();
    counts.passed += found.len() - failures.len();
    let loops: usize = found.iter().flatten().sum();
    println!("corpus: {loops} loops vectorized in {:.1} s", start.elapsed().as_secs_f64());
    match failures[..] {
        [] if names.is_empty() => enough(loops),
        [] => Ok(()),
        _ => Err(Failure::step(failures.join("\n  "))),
    }
}

/// The programs of these names, or all.
pub(super) fn programs(names: &[String]) -> Vec<String> {
    match names {
        [] => PROGRAMS.iter().map(|name| (*name).to_owned()).collect(),
        _ => names.to_vec(),
    }
}

/// Whether so many loops of all programs are enough.
pub(super) fn enough(loops: usize) -> Result {
    match loops < LOOPS {
        true => Err(Failure::step(format!("only {loops} loops were vectorized, not {LOOPS}"))),
        false => Ok(()),
    }
}

/// How many loops were vectorized, according to a record of remarks.
pub(super) fn vectorized(remarks: &Path) -> Result<usize> {
    let text = std::fs::read_to_string(remarks).during(remarks.display())?;
    Ok(text.matches("vectorized loop, ").count())
}

/// The plug-in of the workspace, built if need be.
fn plugin() -> Result<PathBuf> {
    let mut build = place::cargo();
    run::echo(build.args(["build", "--quiet", "-p", "laneweaver"]))?;
    Ok(place::target().join("debug/liblaneweaver.so"))
}

/// How many loops of a program were vectorized.
fn check_case(case: Case, plugin: &Path) -> Result<usize> {
    let (program, config) = case;
    let folder = super::folder().join(config.name).join("loops").join(program.name);
    std::fs::create_dir_all(&folder).during(folder.display())?;
    let original = build::bitcode(case);
    let (before, after) = (folder.join("original"), folder.join("vectorized"));
    run::quiet(&mut link_command(program, &original, &before)?)?;
    let wanted = observe(program, &before, &folder.join("original-run"))?;
    if !wanted.good() {
        let place = folder.join("original-run");
        return Err(Failure::step(format!("the original fails: see {}", place.display())));
    }
    let (vector, remarks) = (folder.join("vectorized.bc"), folder.join("remarks.yaml"));
    run::quiet(
        Command::new(place::llvm_tool("opt"))
            .arg(format!("-load-pass-plugin={}", plugin.display()))
            .args(["-laneweaver-all-legal", "-passes=laneweaver,verify"])
            .arg(format!("-pass-remarks-output={}", remarks.display()))
            .arg(&original)
            .arg("-o")
            .arg(&vector),
    )?;
    run::quiet(&mut link_command(program, &vector, &after)?)?;
    let seen = observe(program, &after, &folder.join("vectorized-run"))?;
    if let Some(difference) = wanted.difference(&seen) {
        return Err(Failure::step(format!("{difference}: see {}", folder.display())));
    }
    vectorized(&remarks)
}
