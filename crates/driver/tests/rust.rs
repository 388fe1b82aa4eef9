//! Rust crates with marked functions, built by cargo and by `lw rustc`: what is marked is vectorized, and the program says the same.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const RUSTC: &str = env!("CARGO_BIN_EXE_lw-rustc");
const LINKER: &str = env!("CARGO_BIN_EXE_lw-rust-cc");

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[track_caller]
fn done(command: &mut Command) -> Output {
    let plugin = std::env::current_exe().unwrap().with_file_name("liblaneweaver.so");
    let output = command.env("LANEWEAVER_PLUGIN", plugin).output().unwrap();
    let said = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{said}", output.status);
    output
}

/// Whether the compiler at hand writes bitcode that LLVM 22 reads.
fn is_readable() -> bool {
    let said = text(&done(Command::new("rustc").arg("-vV")).stdout);
    let version = said.lines().find_map(|line| line.strip_prefix("LLVM version: "));
    let version = version.and_then(|text| text.split('.').next()?.parse::<u32>().ok());
    let readable = version.is_some_and(|version| version <= 22);
    if !readable {
        eprintln!("rustc has LLVM {version:?}: not tested");
    }
    readable
}

/// Where cargo builds for a test.
fn target(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// Builds the example in a folder; what was said.
fn example(target: &Path, variables: &[(&str, &str)]) -> String {
    // Remarks are only made when something is compiled.
    let _ = std::fs::remove_dir_all(target.join("release"));
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--release", "-p", "lw-example-rust"]).current_dir(root());
    let flags = "-C target-cpu=native -C remark=laneweaver -C debuginfo=line-tables-only";
    cargo.env("CARGO_TARGET_DIR", target).env("RUSTFLAGS", flags).envs(variables.iter().copied());
    text(&done(&mut cargo).stderr)
}

/// Lines of the example behind whose mark there is a loop.
fn marked(file: &str) -> Vec<usize> {
    let source = std::fs::read_to_string(root().join(file)).unwrap();
    let lines: Vec<&str> = source.lines().collect();
    let behind = |at: usize| {
        let loops = lines[at].contains("loops");
        let what = if loops { "for " } else { "pub fn " };
        at + lines[at..].iter().position(|line| line.trim_start().starts_with(what)).unwrap() + 1
    };
    let is_mark = |at: &usize| lines[*at].starts_with("#[laneweaver::");
    (0..lines.len()).filter(is_mark).map(behind).collect()
}

#[test]
fn cargo_builds_what_is_marked() {
    if !is_readable() {
        return;
    }
    let folder = target("rust");
    example(&folder, &[]);
    let program = folder.join("release/kernels-demo");
    let wanted = text(&done(&mut Command::new(&program)).stdout);
    assert_eq!(wanted.lines().count(), 4, "{wanted}");
    // As a library beside a program, and with all that there is in one piece.
    for lto in ["false", "fat"] {
        let variables = [("RUSTC_WORKSPACE_WRAPPER", RUSTC), ("CARGO_PROFILE_RELEASE_LTO", lto)];
        let said = example(&folder, &variables);
        assert!(!said.contains("not vectorized") && !said.contains("warning"), "{said}");
        for file in ["examples/rust/src/lib.rs", "examples/rust/src/main.rs"] {
            let lines = marked(file);
            assert!(!lines.is_empty());
            for line in lines {
                let place = format!("{file}:{line}:");
                let is_it =
                    |text: &str| text.contains(&place) && text.contains(": vectorized loop");
                assert!(said.lines().any(is_it), "no remark at {place}\n{said}");
            }
        }
        assert_eq!(text(&done(&mut Command::new(&program)).stdout), wanted, "LTO: {lto}");
    }
}

/// The macro crate that cargo built for the other test, or builds now.
fn attributes() -> PathBuf {
    let folder = target("rust-attributes");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "-p", "laneweaver-attributes"]).current_dir(root());
    done(cargo.env("CARGO_TARGET_DIR", &folder));
    folder.join("debug/liblaneweaver_attributes.so")
}

#[test]
fn all_forms_of_loops() {
    if !is_readable() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rust/forms.rs");
    let given = format!("laneweaver={}", attributes().display());
    let flags = ["--edition=2024", "--extern", &given, "-C", "target-cpu=native"];
    let build = |compiler: &[&str], level: &str, program: &Path| {
        let mut command = Command::new(compiler[0]);
        command.args(&compiler[1..]).arg(&source).args(flags).arg("-o").arg(program);
        text(&done(command.arg(format!("-Copt-level={level}"))).stderr)
    };
    let output = |program: &Path| text(&done(&mut Command::new(program)).stdout);
    let scalar = folder.path().join("scalar");
    build(&["rustc"], "2", &scalar);
    let wanted = output(&scalar);
    assert_eq!(wanted.lines().count(), 53);
    let text = std::fs::read_to_string(&source).unwrap();
    for level in ["1", "2", "3", "s"] {
        let vector = folder.path().join("vector");
        let ours = ["-C", "remark=laneweaver", "-C", "llvm-args=-laneweaver-force"];
        let said = build(&[&[RUSTC, "rustc"], &ours[..]].concat(), level, &vector);
        // Loops are simple enough if rustc's iterators were seen through.
        let all = text.lines().enumerate().filter(|_| matches!(level, "2" | "3"));
        for (number, line) in all {
            let Some((_, remark)) = line.split_once("//~ ") else { continue };
            let place = format!("forms.rs:{}:", number + 1);
            let is_it = |line: &str| line.contains(&place) && line.contains(remark);
            assert!(said.lines().any(is_it), "-O{level}: not {remark:?} at {place}\n{said}");
        }
        let found = output(&vector);
        for (found, wanted) in found.lines().zip(wanted.lines()) {
            assert_eq!(found, wanted, "-O{level}");
        }
        assert_eq!(found.len(), wanted.len(), "-O{level}");
    }
}

#[test]
fn rustc_is_left_alone_where_nothing_is_marked() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("plain.rs");
    std::fs::write(&file, "pub fn f(x: u32) -> u32 { x + 1 }\n").unwrap();
    let build = |compiler: &[&str], name: &str| {
        let to = folder.path().join(name);
        let mut command = Command::new(compiler[0]);
        command.args(&compiler[1..]).args(["-O", "--crate-type=rlib", "--crate-name=plain", "-o"]);
        done(command.arg(&to).arg(&file));
        std::fs::read(to).unwrap()
    };
    let plain = build(&["rustc"], "libplain.rlib");
    assert!(plain == build(&[RUSTC, "rustc"], "libplain.rlib"), "the libraries differ");
}

#[test]
fn what_goes_wrong_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let said = |command: &mut Command| {
        let output = command.output().unwrap();
        (output.status.code(), text(&output.stderr))
    };
    let (code, error) = said(&mut Command::new(RUSTC));
    assert!(code == Some(2) && error.contains("RUSTC_WORKSPACE_WRAPPER"), "{error}");
    let (code, error) = said(&mut Command::new(LINKER));
    assert!(code == Some(2) && error.contains("the linker of `lw rustc`"), "{error}");
    // A compiler whose bitcode nobody here can read.
    let later = folder.path().join("rustc");
    std::fs::write(&later, "#!/bin/sh\necho 'LLVM version: 99.1.0'\n").unwrap();
    done(Command::new("chmod").arg("a+x").arg(&later));
    let marked = ["-O", "x.rs", "--extern", "laneweaver=liblaneweaver.so"];
    let (code, error) = said(Command::new(RUSTC).arg(&later).args(marked));
    assert!(code == Some(2) && error.contains("LLVM 99") && error.contains("1.95"), "{error}");
    // What rustc finds wrong has its exit status.
    let file = folder.path().join("wrong.rs");
    std::fs::write(&file, "fn main() { 1 + }\n").unwrap();
    let (code, error) = said(Command::new(RUSTC).arg("rustc").arg(&file));
    assert!(code == Some(1) && error.contains("wrong.rs:1:17"), "{error}");
}
