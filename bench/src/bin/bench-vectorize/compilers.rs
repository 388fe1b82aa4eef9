//! The compilers that are compared.

use crate::kernels::{Kernel, root};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// What all kernels are compiled with.
pub(crate) const FLAGS: [&str; 3] = ["-O3", "-march=native", "-ffp-contract=off"];

/// A compiler and how it is told to vectorize.
pub(crate) struct Compiler {
    /// What the table calls it.
    pub(crate) name: &'static str,
    c: Vec<String>,
    cpp: Vec<String>,
    flags: &'static [&'static str],
    /// Whether it gets the vector flags of kernels.
    vector_flags: bool,
    /// What it calls itself.
    pub(crate) version: String,
}

/// Those that are there, scalar clang first and ours last.
pub(crate) fn compilers(lw: &Path) -> Result<Vec<Compiler>, String> {
    let words = |program: &str| vec![program.to_string()];
    let ours = |language: &str| vec![lw.display().to_string(), language.to_string()];
    let mut compilers = vec![
        Compiler {
            name: "clang",
            c: words("clang-22"),
            cpp: words("clang++-22"),
            flags: &["-Wno-unknown-pragmas"],
            vector_flags: false,
            version: String::new(),
        },
        Compiler {
            name: "clang simd",
            c: words("clang-22"),
            cpp: words("clang++-22"),
            flags: &["-fopenmp-simd", "-Wno-pass-failed"],
            vector_flags: true,
            version: String::new(),
        },
    ];
    if has("gcc") && has("g++") {
        compilers.push(Compiler {
            name: "gcc simd",
            c: words("gcc"),
            cpp: words("g++"),
            flags: &["-fopenmp-simd"],
            vector_flags: false,
            version: String::new(),
        });
    }
    compilers.push(Compiler {
        name: "lw",
        c: ours("cc"),
        cpp: ours("c++"),
        flags: &["-Rpass=laneweaver", "-Rpass-missed=laneweaver", "-fno-caret-diagnostics"],
        vector_flags: true,
        version: String::new(),
    });
    for compiler in &mut compilers {
        let done = run(Command::new(&compiler.c[0]).args(&compiler.c[1..]).arg("--version"))?;
        let text = String::from_utf8_lossy(&done.stdout).into_owned();
        compiler.version = text.lines().next().unwrap_or_default().to_string();
    }
    Ok(compilers)
}

impl Compiler {
    /// Makes a library of a kernel; also what the compiler remarked about loops.
    pub(crate) fn build(
        &self,
        kernel: &Kernel,
        folder: &Path,
    ) -> Result<(PathBuf, Vec<String>), String> {
        let words = if kernel.is_cpp { &self.cpp } else { &self.c };
        let library = folder.join(format!("{}.{}.so", kernel.name, self.name.replace(' ', "-")));
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).args(FLAGS).args(self.flags).args(&kernel.flags);
        if self.vector_flags {
            command.args(&kernel.vector_flags);
        }
        command.args(["-fPIC", "-shared", "-I"]).arg(root().join("examples/simd"));
        command.arg("-idirafter").arg(root().join("include"));
        let done = run(command.arg(&kernel.path).arg("-o").arg(&library).arg("-lm"))?;
        Ok((library, remarks(&String::from_utf8_lossy(&done.stderr))))
    }
}

/// The program that runs libraries.
pub(crate) fn driver(folder: &Path) -> Result<PathBuf, String> {
    let path = folder.join("driver");
    let mut command = Command::new("clang-22");
    command.args(["-O2", "-rdynamic"]).arg(root().join("examples/simd/driver.c"));
    run(command.arg("-o").arg(&path).args(["-ldl", "-lm"]))?;
    std::path::absolute(path).map_err(|e| e.to_string())
}

/// Remarks at their lines, each once.
fn remarks(said: &str) -> Vec<String> {
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

fn has(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Runs a command; what it says is the error if it fails.
pub(crate) fn run(command: &mut Command) -> Result<Output, String> {
    let done = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    match done.status.success() {
        true => Ok(done),
        false => {
            let said = String::from_utf8_lossy(&done.stderr);
            Err(format!("{command:?} failed ({}):\n{said}", done.status))
        }
    }
}
