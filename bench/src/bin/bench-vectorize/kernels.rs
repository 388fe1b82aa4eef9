//! The kernels: files with a loop, what makes its data, and flags that it needs.

use std::path::{Path, PathBuf};

/// Where kernels are.
const FOLDERS: [&str; 2] = ["examples/simd", "bench/kernels/simd"];

/// A kernel.
pub(crate) struct Kernel {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) is_cpp: bool,
    /// What stands behind `// flags:` in the file: for all compilers.
    pub(crate) flags: Vec<String>,
    /// What stands behind `// vector flags:`: for compilers that are told to vectorize, and know clang's flags.
    pub(crate) vector_flags: Vec<String>,
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// All kernels, those of the examples first, by name.
pub(crate) fn kernels() -> Result<Vec<Kernel>, String> {
    let mut kernels = Vec::new();
    for folder in FOLDERS {
        let folder = root().join(folder);
        let entries =
            std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|e| e == "c" || e == "cpp"));
        paths.sort();
        for path in paths {
            kernels.extend(read(path)?);
        }
    }
    Ok(kernels)
}

/// The kernel in a file; `None` if it has no pragma, such as the driver.
fn read(path: PathBuf) -> Result<Option<Kernel>, String> {
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    if !text.contains("#pragma omp simd") {
        return Ok(None);
    }
    let after = |mark: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(mark)).unwrap_or_default();
        line.split_whitespace().map(str::to_owned).collect()
    };
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let is_cpp = path.extension().is_some_and(|e| e == "cpp");
    let (flags, vector_flags) = (after("// flags:"), after("// vector flags:"));
    Ok(Some(Kernel { name, path, is_cpp, flags, vector_flags }))
}
