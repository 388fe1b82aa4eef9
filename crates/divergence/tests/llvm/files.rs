//! Our re-creations of what LLVM's tests are about, one phenomenon each. FileCheck reads what both print; `CHECK` lines are for
//! both, and `OURS` and `LLVM` lines where LLVM is wrong.

use crate::{both, ordered};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/divergence")
}

fn files() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder()).expect("the folder is there");
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "ll"));
    files.sort();
    assert!(files.len() >= 20, "files are missing in {}", folder().display());
    files
}

#[test]
fn ours_and_llvm_print_the_same() {
    for path in files() {
        let text = std::fs::read_to_string(&path).expect("it can be read");
        for (theirs, ours) in both(text.as_bytes(), &path.to_string_lossy()) {
            let same = ordered(&theirs) == ordered(&ours);
            let wrong = theirs.lines().next().is_some_and(|name| name.contains("llvm_is_wrong"));
            assert!(same != wrong, "{}: LLVM says\n{theirs}\nand we say\n{ours}", path.display());
        }
    }
}

#[test]
fn filecheck_reads_ours() {
    for path in files() {
        let text = std::fs::read_to_string(&path).expect("it can be read");
        let pairs = both(text.as_bytes(), &path.to_string_lossy());
        for (prefix, ours) in [("LLVM", false), ("OURS", true)] {
            let pick = |(theirs, own): &(String, String)| {
                if ours { own.clone() } else { theirs.clone() }
            };
            let all: String = pairs.iter().map(pick).collect();
            file_check(&path, prefix, &all);
        }
    }
}

fn file_check(path: &Path, prefix: &str, text: &str) {
    let prefix_dir = std::env::var("LLVM_SYS_221_PREFIX").unwrap_or("/usr/lib/llvm-22".into());
    let mut child = Command::new(Path::new(&prefix_dir).join("bin/FileCheck"))
        .arg(path)
        .arg(format!("--check-prefixes=CHECK,{prefix}"))
        .arg("--allow-unused-prefixes")
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("FileCheck of LLVM 22 runs");
    let mut input = child.stdin.take().expect("it is piped");
    input.write_all(text.as_bytes()).expect("FileCheck reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    assert!(
        output.status.success(),
        "{prefix} {}: {}\n{text}",
        path.display(),
        String::from_utf8_lossy(&output.stderr)
    );
}
