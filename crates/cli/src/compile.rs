//! C and C++ to LLVM modules, through clang.

use crate::failure::Failure;
use lw_llvm::{Context, Module};
use std::path::Path;
use std::process::Command;

/// No optimization, so that every line of the source is there; but passes may look at the functions later.
const FLAGS: [&str; 7] =
    ["-O0", "-g", "-Xclang", "-disable-O0-optnone", "-emit-llvm", "-fno-discard-value-names", "-c"];

/// Variables become values; nothing else changes.
const PASSES: &str = "mem2reg";

/// Whether clang compiles files with this ending.
pub(crate) fn is_source(path: &Path) -> bool {
    let extension = path.extension().and_then(|e| e.to_str());
    matches!(extension, Some("c" | "cc" | "cpp" | "cxx" | "C"))
}

/// Compiles a source file with further flags for clang. What clang has to say goes to standard error.
pub(crate) fn compile<'c>(
    context: &'c Context,
    path: &Path,
    flags: &[String],
) -> Result<Module<'c>, Failure> {
    if !path.is_file() {
        let why = if path.is_dir() { "this is a directory" } else { "no such file" };
        return Err(Failure::cannot(format!("{}: {why}", path.display())));
    }
    let mut command = Command::new("clang-22");
    command.args(FLAGS).args(flags).args(["-o", "-"]).arg(path);
    let done = command
        .output()
        .map_err(|error| Failure::cannot(format!("clang-22: {error}; see `lw doctor`")))?;
    let said = String::from_utf8_lossy(&done.stderr);
    if !done.status.success() {
        return Err(Failure::cannot(format!("clang-22 failed on {}:\n{said}", path.display())));
    }
    eprint!("{said}");
    let mut module = context.parse_module(&done.stdout, &path.display().to_string())?;
    module.run_passes(PASSES, None)?;
    Ok(module)
}
