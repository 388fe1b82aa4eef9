//! Runs every file under `tests/`: the input, the command and what is expected stand in one file.
//!
//! A line `; RUN: command` is run by the shell with `%s` for the file and `%t` for a temporary path; `lw` is the command
//! under test. All commands of a file must succeed; `not --exit N command` wants exit code N. `FileCheck-22` compares.

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let trials = files.into_iter().map(|path| {
        let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
        Trial::test(name, move || run(&path))
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, files);
        } else if matches!(
            path.extension().and_then(|e| e.to_str()),
            Some("ll" | "lw" | "c" | "cpp" | "cu" | "scm" | "rs")
        ) {
            files.push(path);
        }
    }
}

fn run(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let commands: Vec<&str> = text
        .lines()
        .filter_map(|line| line.trim_start_matches([';', '/', ' ']).strip_prefix("RUN: "))
        .collect();
    if commands.is_empty() {
        return Err("the file has no line `; RUN: …`".into());
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().replace('.', "_");
    let temporary = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    for command in commands {
        let command = command
            .replace("%s", &path.display().to_string())
            .replace("%t", &temporary.display().to_string());
        let script = format!(
            "set -o pipefail\n\
             lw() {{ \"$LW\" \"$@\"; }}\n\
             not() {{ shift; local want=$1; shift; \"$@\"; local got=$?; [ $got -eq $want ] || \
             {{ echo \"exit code $got instead of $want\" >&2; return 1; }}; }}\n{command}"
        );
        let output = Command::new("bash")
            .args(["-c", &script])
            .env("LW", env!("CARGO_BIN_EXE_lw"))
            .output()?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let printed = String::from_utf8_lossy(&output.stdout).into_owned();
            return Err(format!("{command}\n{printed}{said}").into());
        }
    }
    Ok(())
}
