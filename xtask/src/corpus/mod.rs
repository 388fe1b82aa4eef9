//! Real programs: built to bitcode in three configurations, then checked through `lw roundtrip`.
//!
//! `programs` is the table, `build` makes `target/corpus/CONFIG/NAME.bc`, `data` the files to compress,
//! `check` compares the program linked from the original bitcode with the one linked from the round-tripped
//! bitcode. The sources come from crates that bundle them, pinned in `corpus/Cargo.toml`.

mod behaviour;
mod build;
mod calls;
mod check;
mod data;
mod driver;
mod loops;
mod programs;
mod stamp;
mod stats;

use std::fs::File;
use std::path::PathBuf;
use std::time::Instant;

use crate::args::Args;
use crate::place;
use crate::run::{During, Failure, Result};
use crate::setup::{self, Need};
use crate::test::Counts;
use check::Lw;
use programs::{CONFIGS, Config, PROGRAMS, Program, Source};

pub(crate) const HELP: &str = "\
Builds the bitcode of real programs (SQLite, Lua, zlib, zstd, bzip2 and a Rust program) below target/corpus,
or checks that they behave the same after `lw roundtrip`.

Usage: cargo xtask corpus [check|calls|loops] [NAME…] [--config O0g|O2g|O3native|O0|O1] [--original | --release]

  check        round-trip each program and compare what it then does
  calls        hold the calls through pointers that runs of SQLite and Lua make against their call graphs
               (O2g, or the configuration given), with `--release` beside the time of `opt -O1` (O0)
  loops        vectorize every loop that may be (O1), and compare what the programs then do; with `--release`,
               `lw cc` compiles them in place of clang (O3native): as they are, which must give clang's objects in at
               most 3 % more time, and with every loop vectorized that may be
  NAME         only these: sqlite, lua, zlib, zstd, bzip2, rust-unwind, rust-abort
  --config C   only this configuration
  --original   with `check`: only run the originals, without `lw`
  --release    with `check`: the optimized `lw`, not the one with assertions

`check` builds `lw`, unless the environment variable LW names the binary to use.
Example: cargo xtask corpus check lua --config O2g
";

/// One program in one configuration.
type Case = (&'static Program, &'static Config);

pub(crate) fn main(arguments: Vec<String>) -> Result {
    let mut args = Args::new(arguments);
    let lw = match (args.flag("--original"), args.flag("--release")) {
        (true, _) => Lw::None,
        (_, true) => Lw::Release,
        _ => Lw::Dev,
    };
    let config = args.value("--config")?;
    let mut names = args.names()?;
    let check = names.first().is_some_and(|name| name == "check");
    let calls = names.first().is_some_and(|name| name == "calls");
    let loops = names.first().is_some_and(|name| name == "loops");
    if check || calls || loops {
        names.remove(0);
    } else if lw != Lw::Dev {
        return Err(Failure::usage(
            "`--original` and `--release` go with `check`, `calls` and `loops`",
        ));
    }
    if calls {
        setup::ensure(Need::Build)?;
        let config = config.unwrap_or(if lw == Lw::Release { "O0" } else { "O2g" }.to_owned());
        return calls::check(&config, lw, lw == Lw::Release, &mut Counts::default());
    }
    if loops {
        setup::ensure(Need::Build)?;
        return match lw {
            Lw::Release => driver::check(&names),
            _ => loops::check(&names, &mut Counts::default()),
        };
    }
    let cases = choose(&names, config.as_deref())?;
    setup::ensure(Need::Build)?;
    if check { check::check(&cases, lw, &mut Counts::default()) } else { build(&cases) }
}

/// Where the corpus is built.
pub(crate) fn folder() -> PathBuf {
    place::target().join("corpus")
}

/// Builds every program in these configurations.
pub(crate) fn build_configs(configs: &[&str]) -> Result {
    let mut cases = Vec::new();
    for config in configs {
        cases.extend(choose(&[], Some(config))?);
    }
    build(&cases)
}

/// Checks the round trip of every program in every configuration, the call graphs of two, and those in C with all their loops vectorized.
pub(crate) fn check_all(counts: &mut Counts) -> Result {
    let checked = check::check(&choose(&[], None)?, Lw::Dev, counts);
    println!();
    let called = calls::check("O2g", Lw::Dev, false, counts);
    println!();
    loops::check(&[], counts).and(called).and(checked)
}

/// Keeps other tasks from writing the same files until it is dropped.
fn lock() -> Result<File> {
    std::fs::create_dir_all(folder()).during(folder().display())?;
    let path = folder().join("lock");
    let file = File::create(&path).during(path.display())?;
    if file.try_lock().is_err() {
        println!("corpus: waiting for another task that uses it");
        file.lock().during(path.display())?;
    }
    Ok(file)
}

fn build(cases: &[Case]) -> Result {
    let start = Instant::now();
    let _lock = lock()?;
    build::build(cases)?;
    data::generate()?;
    for case in cases {
        let path = build::bitcode(*case);
        let size = std::fs::metadata(&path).map_or(0, |file| file.len());
        println!(
            "{:<12} {:<9} {:>6} KiB  {}",
            case.0.name,
            case.1.name,
            size / 1024,
            path.display()
        );
    }
    println!("corpus: {} programs in {:.1} s", cases.len(), start.elapsed().as_secs_f64());
    Ok(())
}

/// The cases that names and configuration select; no name means all.
fn choose(names: &[String], config: Option<&str>) -> Result<Vec<Case>> {
    if let Some(name) =
        names.iter().find(|name| !PROGRAMS.iter().any(|program| program.name == *name))
    {
        let known: Vec<_> = PROGRAMS.iter().map(|program| program.name).collect();
        return Err(Failure::usage(format!("no program `{name}`; there are {}", known.join(", "))));
    }
    let mut cases = Vec::new();
    for program in PROGRAMS
        .iter()
        .filter(|program| names.is_empty() || names.iter().any(|name| name == program.name))
    {
        let wanted = |known: &&Config| match config {
            Some(name) => known.name == name,
            None => known.rust.is_some(),
        };
        let possible =
            |known: &&Config| known.rust.is_some() || matches!(program.source, Source::C(_));
        let configs = CONFIGS.iter().filter(wanted).filter(possible);
        cases.extend(configs.map(|known| (program, known)));
    }
    if cases.is_empty() {
        return Err(Failure::usage(format!(
            "no configuration `{}`; there are O0, O1 (for benchmarks), O0g, O2g, O3native",
            config.unwrap_or_default()
        )));
    }
    Ok(cases)
}

#[cfg(test)]
mod tests {
    use super::choose;

    #[test]
    fn names_and_configurations_select() {
        assert_eq!(choose(&[], None).map(|cases| cases.len()).ok(), Some(21));
        assert_eq!(
            choose(&["lua".into(), "zstd".into()], Some("O2g")).map(|cases| cases.len()).ok(),
            Some(2)
        );
        assert_eq!(choose(&[], Some("O1")).map(|cases| cases.len()).ok(), Some(5));
        assert!(choose(&["perl".into()], None).is_err());
        assert!(choose(&[], Some("Os")).is_err());
    }
}
