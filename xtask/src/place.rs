//! Where things are: the repository, the target directory, cargo, and LLVM.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The name by which `llvm-sys` finds LLVM 22.1.
pub(crate) const LLVM_VARIABLE: &str = "LLVM_SYS_221_PREFIX";

/// Where Debian puts LLVM 22.
const LLVM_DEBIAN: &str = "/usr/lib/llvm-22";

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    let xtask = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    xtask.parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// Cargo's target directory.
pub(crate) fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(path) => std::path::absolute(&path).unwrap_or_else(|_| PathBuf::from(path)),
        None => root().join("target"),
    }
}

/// `cargo` in the root of the repository, told where LLVM is.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new("cargo");
    command.current_dir(root());
    if std::env::var_os(LLVM_VARIABLE).is_none() {
        command.env(LLVM_VARIABLE, llvm());
    }
    command
}

/// The directory LLVM 22 is, or is to be, installed in.
pub(crate) fn llvm() -> PathBuf {
    std::env::var_os(LLVM_VARIABLE).map_or_else(|| PathBuf::from(LLVM_DEBIAN), PathBuf::from)
}

/// A tool of LLVM 22, such as `opt`: the one below [`llvm`], else `opt-22` from the search path.
pub(crate) fn llvm_tool(name: &str) -> PathBuf {
    let here = llvm().join("bin").join(name);
    if here.is_file() { here } else { PathBuf::from(format!("{name}-22")) }
}
