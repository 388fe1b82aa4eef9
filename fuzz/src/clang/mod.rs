//! Random C programs through clang: with the plug-in they print what they print without it.

mod checked;
mod generate;
mod loops;

pub(crate) use generate::whole;

use crate::{Subject, Target, Verdict};
use lw_graph::generate::Rng;
use lw_ir::generate::Coverage;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Marked loops of random C programs, by clang with the plug-in against clang alone.
#[derive(Default)]
pub struct Clang;

impl Target for Clang {
    const NAME: &'static str = "clang";
    const RUNS: u64 = 2_000;

    fn subject(&self, seed: u64) -> Subject {
        Subject::Source(seed, generate::program(seed))
    }

    fn check(&mut self, subject: &Subject, coverage: &mut Coverage) -> Verdict {
        let Subject::Source(seed, text) = subject else { return Verdict::Same };
        let folder = std::env::temp_dir().join(format!("lw-clang-{}", std::process::id()));
        if let Err(error) = std::fs::create_dir_all(&folder) {
            return Verdict::Nothing(error.to_string());
        }
        let verdict = check(&folder, *seed, text, coverage);
        let _ = std::fs::remove_dir_all(&folder);
        verdict.unwrap_or_else(Verdict::Nothing)
    }
}

/// Compiles and runs a program both ways.
fn check(folder: &Path, seed: u64, text: &str, coverage: &mut Coverage) -> Result<Verdict, String> {
    let path = |name: &str| folder.join(name).display().to_string();
    let (file, plain, vector) = (path("program.c"), path("plain"), path("vector"));
    std::fs::write(&file, whole(seed, text)).map_err(|error| error.to_string())?;
    let quiet = ["-w", "-ffp-contract=off", "-lm", "-o"];
    // LLVM lets iterations share arrays of the body where a pragma says that they are independent; not at this level.
    // What was shortened too far, so that a function returns nothing, is no program.
    let plainly = ["-O0", "-Wno-everything", "-Werror=return-type"];
    run("clang-22", &[&plainly[..], &quiet[1..], &[&plain, &file]].concat())?;
    let wanted = run(&plain, &[])?;
    let how = flags(seed);
    let how: Vec<&str> = how.iter().map(String::as_str).collect();
    let compiled = Command::new("clang-22").args(&how).args(quiet).args([&vector, &file]).output();
    let compiled = compiled.map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&compiled.stderr);
    if !compiled.status.success() || said.contains("an error in the") {
        let last = said.lines().rev().take(3).collect::<Vec<_>>().join(" ");
        return Ok(Verdict::Different(format!("clang {}: {last}", how.join(" "))));
    }
    for line in said.lines() {
        if let Some((_, reason)) = line.split_once("loop not vectorized: ") {
            coverage.add_feature(&format!("declined: {}", shortened(reason)), 1);
        }
    }
    let done = said.lines().filter(|line| line.contains(": vectorized loop, ")).count();
    coverage.add_feature("loops vectorized", done as u64);
    let got = run(&vector, &[]);
    if got.as_ref() == Ok(&wanted) {
        return Ok(Verdict::Same);
    }
    let got = got.unwrap_or_else(|error| error);
    // LLVM 22 miscompiles some of the loops of which nothing is promised on its own (`o[i & 31] = o[i & 15]`).
    let alone = path("alone");
    run("clang-22", &[&how[..3], &quiet, &[&alone, &file]].concat())?;
    if run(&alone, &[]).is_ok_and(|alone| alone == got) {
        return Ok(Verdict::Nothing("clang alone does the same".into()));
    }
    let both = wanted.lines().zip(got.lines());
    let at = both.into_iter().find(|(a, b)| a != b).map_or((&*wanted, &*got), |lines| lines);
    Ok(Verdict::Different(format!("clang {}: `{}` instead of `{}`", how.join(" "), at.1, at.0)))
}

/// How a program is compiled with the plug-in.
fn flags(seed: u64) -> Vec<String> {
    let plugin = plugin().display().to_string();
    let mut rng = Rng::new(seed ^ 0x3005);
    let mut all = vec![
        // At the last one loops stay tested at their top.
        ["-O1", "-O2", "-O3", "-Oz"][rng.below(4)].to_owned(),
        ["-march=x86-64", "-march=x86-64-v3", "-march=native"][rng.below(3)].to_owned(),
        "-fopenmp-simd".to_owned(),
        format!("-fpass-plugin={plugin}"),
        "-Rpass=laneweaver".to_owned(),
        "-Rpass-missed=laneweaver".to_owned(),
    ];
    let mut option = |text: &str| all.extend(["-mllvm".to_owned(), text.to_owned()]);
    // Before it may be named, the plug-in must be loaded.
    if !rng.one_in(4) {
        option("-laneweaver-force");
    }
    if rng.one_in(3) {
        option(["-laneweaver-masked-remainder=1", "-laneweaver-masked-remainder=0"][rng.below(2)]);
    }
    if rng.one_in(3) {
        option(["-laneweaver-boscc=1", "-laneweaver-boscc=0"][rng.below(2)]);
    }
    all.extend(["-Xclang", "-load", "-Xclang", &plugin].map(String::from));
    all
}

/// The plug-in: named by the variable `LANEWEAVER`, or built beside this program.
fn plugin() -> PathBuf {
    if let Some(path) = std::env::var_os("LANEWEAVER") {
        return path.into();
    }
    std::env::current_exe().unwrap_or_default().with_file_name("liblaneweaver.so")
}

/// What a program prints if it succeeds.
fn run(program: &str, args: &[&str]) -> Result<String, String> {
    let output = Command::new(program).args(args).output();
    let output = output.map_err(|error| format!("{program}: {error}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("{program} ended with {}", output.status)),
    }
}

/// A reason without the instruction it is about, numbers of lines, and help.
fn shortened(reason: &str) -> String {
    let reason = reason.rsplit_once("`: ").map_or(reason, |(_, reason)| reason);
    let reason = reason.split([';', '[', ':']).next().unwrap_or_default();
    let is_number = |word: &&str| word.chars().all(|c| c.is_ascii_digit());
    let words: Vec<&str> = reason.split_whitespace().filter(|word| !is_number(word)).collect();
    words.join(" ").chars().take(70).collect()
}
