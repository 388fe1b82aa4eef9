//! Examples as shared libraries: by clang, by clang that is told to vectorize, by `lw cc`.

use super::examples::Example;
use crate::Done;
use crate::failure::Failure;
use crate::output::write_file;
use lw_kernels::{Compiler, Kernel, remarks};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Who compiles, in the order of the table.
fn compilers() -> Result<[Compiler; 3], Failure> {
    let ours = Compiler::Lw { command: std::env::current_exe()?, plugin: None, flag: None };
    Ok([Compiler::Clang, Compiler::ClangSimd, ours])
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
    let kernels = Kernel::of(&source, example.text());
    let Some(kernel) = kernels.first() else {
        return Err(Failure::cannot(format!("{}: no inputs", example.file)));
    };
    let includes = [dir.to_path_buf()];
    let mut libraries: [PathBuf; 3] = Default::default();
    let (mut texts, mut said) = (Vec::new(), Vec::new());
    for (library, compiler) in libraries.iter_mut().zip(compilers()?) {
        let base = dir.join(format!("{}.{}", example.stem(), compiler.name().replace(' ', "-")));
        let assembly = base.with_added_extension("s");
        let mut command = compiler.command(kernel, &includes);
        command.args(["-S", "-fPIC"]).arg(&source).arg("-o").arg(&assembly);
        let done = run(&mut command)?;
        // Those of the last one, ours.
        said = remarks(&String::from_utf8_lossy(&done.stderr));
        if compiler != Compiler::ClangSimd {
            texts.push(std::fs::read_to_string(&assembly)?);
        }
        *library = base.with_added_extension("so");
        let mut link = Command::new(if kernel.is_cpp { "clang++-22" } else { "clang-22" });
        link.arg("-shared").arg(&assembly).arg("-o").arg(&*library).arg("-lm");
        run(&mut link)?;
    }
    let bitcode = dir.join(example.stem()).with_added_extension("bc");
    let mut front = Compiler::ClangSimd.command(kernel, &includes);
    front.args(["-D__LANEWEAVER__=1", "-gline-tables-only", "-fno-discard-value-names"]);
    front.args(["-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c"]);
    run(front.arg(&source).arg("-o").arg(&bitcode))?;
    let assembly = texts.try_into().unwrap_or_default();
    Ok(Built { libraries, assembly, remarks: said, bitcode })
}

/// Runs a command; what it says is the error if it fails.
pub(super) fn run(command: &mut Command) -> Result<Output, Failure> {
    lw_kernels::run(command).map_err(Failure::cannot)
}

/// Writes what examples need besides themselves.
pub(super) fn write_support(dir: &Path) -> Done {
    super::examples::SUPPORT
        .iter()
        .try_for_each(|(name, text)| write_file(&dir.join(name), text.as_bytes()))
}
