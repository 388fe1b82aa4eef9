//! `lw rustc`: rustc whose marked loops are vectorized.
//!
//! ```text
//! rustc ──bitcode, not optimized──▶ opt-22 with the plug-in ──▶ llc-22 ──▶ object ──▶ linker or rlib
//! ```
//!
//! All arguments are rustc's. A crate that does not depend on the crate `laneweaver`, that is not optimized or not linked is left to rustc.
//! Of others rustc writes bitcode (`-C linker-plugin-lto`) in place of objects and optimizes nothing. Where it calls the linker, that is
//! `lw-rust-cc`, which compiles the bitcode and calls the linker proper; in archives the bitcode is replaced afterwards. The two
//! processes share a folder that the environment names.

mod archive;
mod compile;
mod invocation;
mod link;

pub use link::link;

use compile::Work;
use invocation::Invocation;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// The LLVM that the plug-in is built for.
const LLVM: u32 = 22;

/// Runs rustc with arguments; its exit status.
///
/// # Errors
/// What of ours went wrong, in words.
pub fn rustc(program: &OsStr, arguments: Vec<OsString>) -> Result<u8, String> {
    let invocation = Invocation::read(&arguments);
    if !invocation.is_ours() {
        let error = Command::new(program).args(&arguments).exec();
        return Err(format!("{}: {error}", program.display()));
    }
    check_version(program)?;
    let work = Work::begin(&invocation)?;
    let mut command = Command::new(program);
    command.args(invocation.for_rustc(&linker()?)).env(compile::FOLDER, work.folder());
    let status = command.status().map_err(|error| format!("{}: {error}", program.display()))?;
    if status.success() {
        for archive in archives(program, &invocation)? {
            archive::compile_members(&work, &archive)?;
        }
        work.show_remarks();
    }
    Ok(code(status))
}

/// The exit code that says the same.
fn code(status: ExitStatus) -> u8 {
    u8::try_from(status.code().unwrap_or(101)).unwrap_or(101)
}

/// The program that rustc takes for its linker, beside this one.
fn linker() -> Result<PathBuf, String> {
    let exe = std::env::current_exe().map_err(|error| error.to_string())?;
    let exe = exe.canonicalize().unwrap_or(exe);
    let linker = exe.with_file_name("lw-rust-cc");
    match linker.is_file() {
        true => Ok(linker),
        false => Err(format!(
            "{} is not there; `cargo build --release -p lw-driver` builds it",
            linker.display()
        )),
    }
}

/// Bitcode of a later LLVM cannot be read.
fn check_version(program: &OsStr) -> Result<(), String> {
    let output = Command::new(program).arg("-vV").output();
    let output = output.map_err(|error| format!("{}: {error}", program.display()))?;
    match llvm_of(&String::from_utf8_lossy(&output.stdout)) {
        Some(version) if version > LLVM => Err(format!(
            "this rustc has LLVM {version}, whose bitcode LLVM {LLVM} cannot read: use a toolchain with LLVM {LLVM}, such as Rust 1.95 (`rustup toolchain install 1.95`)"
        )),
        _ => Ok(()),
    }
}

fn llvm_of(version: &str) -> Option<u32> {
    let line = version.lines().find_map(|line| line.strip_prefix("LLVM version: "))?;
    line.split('.').next()?.parse().ok()
}

/// The archives that rustc wrote.
fn archives(program: &OsStr, invocation: &Invocation) -> Result<Vec<PathBuf>, String> {
    if let Some(path) = &invocation.output {
        return Ok(Some(PathBuf::from(path)).filter(|path| is_archive(path)).into_iter().collect());
    }
    let mut command = Command::new(program);
    let output = command.args(&invocation.arguments).args(["--print", "file-names"]).output();
    let output = output.map_err(|error| format!("{}: {error}", program.display()))?;
    let folder = invocation.out_dir.as_ref().map(PathBuf::from).unwrap_or_default();
    let names = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(names.lines().map(|name| folder.join(name)).filter(|path| is_archive(path)).collect())
}

fn is_archive(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "rlib" || end == "a") && path.is_file()
}

#[cfg(test)]
mod tests {
    use super::llvm_of;

    #[test]
    fn the_llvm_of_rustc_is_read() {
        let text = "rustc 1.95.0\nbinary: rustc\nrelease: 1.95.0\nLLVM version: 22.1.2\n";
        assert_eq!(llvm_of(text), Some(22));
        assert_eq!(llvm_of("rustc 1.95.0\nbackend: cranelift\n"), None);
    }
}
