//! Which compilers are there, and which kernels.

use lw_kernels::{Compiler, Kernel, has};
use std::path::{Path, PathBuf};

/// Where kernels are.
const FOLDERS: [&str; 2] = ["examples/simd", "bench/kernels/simd"];

/// A column of the table.
pub(crate) struct Column {
    pub(crate) compiler: Compiler,
    /// What the compiler calls itself.
    pub(crate) version: String,
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Where headers of kernels are.
pub(crate) fn includes() -> [PathBuf; 2] {
    [root().join("examples/simd"), root().join("include")]
}

/// All kernels, those of the examples first, by name.
pub(crate) fn kernels() -> Result<Vec<Kernel>, String> {
    let mut kernels = Vec::new();
    for folder in FOLDERS {
        kernels.extend(Kernel::in_folder(&root().join(folder))?);
    }
    Ok(kernels)
}

/// Those that have something to do: scalar clang first, ours last. ISPC takes part if the variable `ISPC` names it.
pub(crate) fn columns(lw: &Path, kernels: &[Kernel]) -> Result<Vec<Column>, String> {
    let ours = |flag| Compiler::Lw { command: lw.to_path_buf(), plugin: None, flag };
    let mut compilers = vec![Compiler::Clang, Compiler::ClangSimd];
    if has("gcc") && has("g++") {
        compilers.push(Compiler::GccSimd);
    }
    compilers.extend(std::env::var_os("ISPC").map(|path| Compiler::Ispc(path.into())));
    compilers.extend([ours(None), ours(Some("--no-boscc"))]);
    compilers.retain(|compiler| kernels.iter().any(|kernel| compiler.compiles(kernel)));
    let column = |compiler: Compiler| Ok(Column { version: compiler.version()?, compiler });
    compilers.into_iter().map(column).collect()
}
