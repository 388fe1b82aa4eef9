//! Compiles the C++ shim against the LLVM that `llvm-sys` links.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=shim");
    println!("cargo::rerun-if-env-changed=LLVM_SYS_221_PREFIX");
    let prefix = std::env::var("LLVM_SYS_221_PREFIX").unwrap_or_else(|_| "/usr/lib/llvm-22".into());
    let config = Path::new(&prefix).join("bin/llvm-config");
    let output = Command::new(&config).args(["--cxxflags", "--version"]).output();
    let text = match output {
        Ok(output) if output.status.success() => {
            String::from_utf8_lossy(&output.stdout).into_owned()
        }
        _ => panic!(
            "{} does not run: install LLVM 22 (`cargo xtask setup`) or set LLVM_SYS_221_PREFIX",
            config.display()
        ),
    };
    let mut lines = text.lines();
    let flags = lines.next().unwrap_or_default();
    let version = lines.next().unwrap_or_default();
    assert!(version.starts_with("22."), "LLVM 22 is needed, {} is {version}", config.display());
    let mut build = cc::Build::new();
    build.cpp(true).warnings(true).flag_if_supported("-Wno-unused-parameter");
    for flag in flags.split_whitespace() {
        // Headers of LLVM are not ours to warn about.
        match flag.strip_prefix("-I") {
            Some(path) => build.flag(format!("-isystem{path}")),
            None => build.flag(flag),
        };
    }
    for file in [
        "convert",
        "describe",
        "build",
        "attributes",
        "body",
        "costs",
        "dead_ends",
        "latches",
        "dependences",
        "iterations",
        "loops",
        "marks",
        "module",
        "peers",
        "single_lanes",
        "source",
        "terminates",
        "trials",
        "uniformity",
        "variants",
    ] {
        build.file(format!("shim/{file}.cpp"));
    }
    build.compile("lwshim");
}
