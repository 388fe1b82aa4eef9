//! Kernels: C and C++ files with one loop that has a pragma, which several compilers make libraries of, and which one driver runs.
//!
//! | | |
//! | --- | --- |
//! | which kernels there are, and what their files ask for | [`Kernel`] |
//! | clang, gcc, `lw cc`, ISPC | [`Compiler`] |
//! | libraries run by turns, compared and timed | [`Driver`], [`Input`] |
//!
//! `lw demo`, `cargo xtask bench vectorize` and the tests use it; it does without LLVM.
#![forbid(unsafe_code)]

mod compiler;
mod driver;
mod kernel;

pub use compiler::{Compiler, FLAGS, has};
pub use driver::{Cell, Driver, Input, Verdict};
pub use kernel::Kernel;

use std::process::{Command, Output};

/// Runs a command.
///
/// # Errors
/// What it said, if it failed.
pub fn run(command: &mut Command) -> Result<Output, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let done = command.output().map_err(|error| format!("{program}: {error}; see `lw doctor`"))?;
    if done.status.success() {
        return Ok(done);
    }
    let said = String::from_utf8_lossy(&done.stderr);
    Err(format!("{command:?} failed ({}):\n{said}", done.status))
}

/// Remarks of clang at their lines, without the flag that asked for them, each once.
#[must_use]
pub fn remarks(said: &str) -> Vec<String> {
    let mut remarks: Vec<String> = Vec::new();
    for line in said.lines() {
        let Some((place, text)) = line.split_once(": remark: ") else { continue };
        let text = text.rsplit_once(" [-R").map_or(text, |(text, _)| text);
        let remark = format!("line {}: {text}", place.rsplit(':').nth(1).unwrap_or("?"));
        if !remarks.contains(&remark) {
            remarks.push(remark);
        }
    }
    remarks
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_remark_is_its_line_and_its_words() {
        let said = "a.c:7:1: remark: vectorized loop [-Rpass=laneweaver]\nnothing\n\
                    a.c:7:1: remark: vectorized loop [-Rpass=laneweaver]\n";
        assert_eq!(super::remarks(said), ["line 7: vectorized loop"]);
    }

    #[test]
    fn what_fails_says_why() {
        let mut command = std::process::Command::new("sh");
        let error = super::run(command.args(["-c", "echo so >&2; exit 3"])).unwrap_err();
        assert!(error.contains("so") && error.contains('3'), "{error}");
        assert!(super::run(&mut std::process::Command::new("/nowhere")).is_err());
    }
}
