//! Examples as shared libraries: by clang, by clang that is told to vectorize, by `lw cc`.

use super::examples::{Example, FLAGS};
use crate::Done;
use crate::failure::Failure;
use crate::output::write_file;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Who compiles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Compiler {
    /// clang; pragmas are ignored.
    Clang,
    /// clang that heeds the pragmas.
    ClangSimd,
    /// clang with our plug-in.
    Ours,
}

impl Compiler {
    /// In the order of the table.
    pub(super) const ALL: [Compiler; 3] = [Compiler::Clang, Compiler::ClangSimd, Compiler::Ours];

    fn name(self) -> &'static str {
        match self {
            Compiler::Clang => "clang",
            Compiler::ClangSimd => "simd",
            Compiler::Ours => "lw",
        }
    }
}

/// What became of an example.
pub(super) struct Built {
    /// A library for each compiler.
    pub(super) libraries: [PathBuf; 3],
    /// The assembly of the first and the last.
    pub(super) assembly: [String; 2],
    /// What `lw cc` said about it.
    pub(super) remarks: Vec<String>,
    /// Its program before LLVM's passes, as bitcode.
    pub(super) bitcode: PathBuf,
}

/// Compiles an example in a folder that has the files it includes.
pub(super) fn build(example: &Example, dir: &Path) -> Result<Built, Failure> {
    let source = dir.join(example.file);
    write_file(&source, example.text().as_bytes())?;
    let mut libraries: [PathBuf; 3] = Default::default();
    let (mut texts, mut remarks) = (Vec::new(), Vec::new());
    for (library, compiler) in libraries.iter_mut().zip(Compiler::ALL) {
        let base = dir.join(format!("{}.{}", example.stem(), compiler.name()));
        let assembly = base.with_added_extension("s");
        let done = run(command(example, compiler, dir)?
            .args(["-S", "-fPIC"])
            .arg(&source)
            .arg("-o")
            .arg(&assembly))?;
        if compiler == Compiler::Ours {
            remarks = remarks_of(&String::from_utf8_lossy(&done.stderr));
        }
        if compiler != Compiler::ClangSimd {
            texts.push(std::fs::read_to_string(&assembly)?);
        }
        *library = base.with_added_extension("so");
        let linker = if example.is_cpp() { "clang++-22" } else { "clang-22" };
        let mut link = Command::new(linker);
        run(link.arg("-shared").arg(&assembly).arg("-o").arg(&*library).arg("-lm"))?;
    }
    let bitcode = dir.join(example.stem()).with_added_extension("bc");
    let mut front = command(example, Compiler::ClangSimd, dir)?;
    front.args(["-D__LANEWEAVER__=1", "-gline-tables-only", "-fno-discard-value-names"]);
    front.args(["-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c"]);
    run(front.arg(&source).arg("-o").arg(&bitcode))?;
    let assembly = texts.try_into().unwrap_or_default();
    Ok(Built { libraries, assembly, remarks, bitcode })
}

/// The program that runs libraries.
pub(super) fn build_driver(dir: &Path) -> Result<PathBuf, Failure> {
    let driver = dir.join("driver");
    let mut command = Command::new("clang-22");
    command.args(["-O2", "-rdynamic"]).arg(dir.join("driver.c")).arg("-o").arg(&driver);
    run(command.args(["-ldl", "-lm"]))?;
    Ok(std::path::absolute(driver)?)
}

fn command(example: &Example, compiler: Compiler, dir: &Path) -> Result<Command, Failure> {
    let (flags, vector_flags) = example.flags();
    let mut command = match compiler {
        Compiler::Ours => {
            let mut ours = Command::new(std::env::current_exe()?);
            ours.arg(if example.is_cpp() { "c++" } else { "cc" });
            ours.args(["-Rpass=laneweaver", "-Rpass-missed=laneweaver", "-fno-caret-diagnostics"]);
            ours
        }
        _ => Command::new(if example.is_cpp() { "clang++-22" } else { "clang-22" }),
    };
    command.args(FLAGS).args(flags).arg("-idirafter").arg(dir);
    if compiler != Compiler::Clang {
        command.args(vector_flags);
    }
    if compiler == Compiler::ClangSimd {
        // That clang could not do it is what the table shows.
        command.args(["-fopenmp-simd", "-Wno-pass-failed"]);
    }
    Ok(command)
}

/// Remarks without the name of the file and the flag that asked for them, each once.
fn remarks_of(said: &str) -> Vec<String> {
    let mut remarks: Vec<String> = Vec::new();
    for line in said.lines() {
        let Some((place, text)) = line.split_once(": remark: ") else { continue };
        let text = text.rsplit_once(" [-R").map_or(text, |(text, _)| text);
        let number = place.rsplit(':').nth(1).unwrap_or("?");
        let remark = format!("line {number}: {text}");
        if !remarks.contains(&remark) {
            remarks.push(remark);
        }
    }
    remarks
}

/// Runs a command; what it says is the error if it fails.
pub(super) fn run(command: &mut Command) -> Result<Output, Failure> {
    let program = command.get_program().to_string_lossy().into_owned();
    let done = command
        .output()
        .map_err(|error| Failure::cannot(format!("{program}: {error}; see `lw doctor`")))?;
    if done.status.success() {
        return Ok(done);
    }
    let said = String::from_utf8_lossy(&done.stderr);
    Err(Failure::cannot(format!("{program} failed ({}):\n{said}", done.status)))
}

/// Writes what examples need besides themselves.
pub(super) fn write_support(dir: &Path) -> Done {
    super::examples::SUPPORT
        .iter()
        .try_for_each(|(name, text)| write_file(&dir.join(name), text.as_bytes()))
}
