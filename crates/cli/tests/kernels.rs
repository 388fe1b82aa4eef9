//! The kernels of `cargo xtask bench vectorize` compute with `lw cc` what they compute with clang.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn run(command: &mut Command) -> String {
    let done = command.output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success(), "{command:?}: {}\n{said}", done.status);
    String::from_utf8_lossy(&done.stdout).into_owned()
}

/// A library of a kernel; `vector` flags are those of compilers that vectorize.
fn library(compiler: &mut Command, kernel: &Path, vector: bool, output: &Path) {
    let text = std::fs::read_to_string(kernel).unwrap();
    let after = |mark: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(mark)).unwrap_or_default();
        line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    compiler.args(["-O3", "-march=native", "-ffp-contract=off", "-fPIC", "-shared", "-I"]);
    compiler.arg(root().join("examples/simd")).arg("-idirafter").arg(root().join("include"));
    compiler.args(after("// flags:"));
    if vector {
        compiler.args(after("// vector flags:"));
    }
    run(compiler.arg(kernel).arg("-o").arg(output).arg("-lm"));
}

#[test]
fn kernels_agree() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kernels");
    std::fs::create_dir_all(&dir).unwrap();
    let driver = dir.join("driver");
    let source = root().join("examples/simd/driver.c");
    let mut build = Command::new("clang-22");
    run(build.args(["-O2", "-rdynamic"]).arg(source).arg("-o").arg(&driver).args(["-ldl", "-lm"]));
    // The plug-in lies beside the tests: cargo builds it for them.
    let plugin = std::env::current_exe().unwrap().with_file_name("liblaneweaver.so");
    let entries = std::fs::read_dir(root().join("bench/kernels/simd")).unwrap();
    let mut kernels: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    kernels.retain(|path| path.extension().is_some_and(|e| e == "c" || e == "cpp"));
    kernels.sort();
    assert!(kernels.len() >= 15);
    for kernel in &kernels {
        let name = kernel.file_stem().unwrap().to_string_lossy();
        let is_cpp = kernel.extension().is_some_and(|e| e == "cpp");
        let (scalar, vector) = (dir.join(format!("{name}.s.so")), dir.join(format!("{name}.v.so")));
        let clang = if is_cpp { "clang++-22" } else { "clang-22" };
        library(&mut Command::new(clang), kernel, false, &scalar);
        let mut lw = Command::new(env!("CARGO_BIN_EXE_lw"));
        lw.arg(if is_cpp { "c++" } else { "cc" }).env("LANEWEAVER_PLUGIN", &plugin);
        library(&mut lw, kernel, true, &vector);
        let said = run(Command::new(&driver).arg("0.001").arg(&scalar).arg(&vector));
        assert!(said.lines().count() >= 2 && !said.contains("DIFFERENT"), "{name}:\n{said}");
    }
}
