//! Files with kernels.

use std::path::{Path, PathBuf};

/// A kernel: a file, and how it is compiled.
///
/// What stands above the line `// ----` is the loop, what stands below makes its data. Lines of the file say what it needs:
///
/// | | |
/// | --- | --- |
/// | `// flags: …` | for all compilers |
/// | `// vector flags: …` | for those that are told to vectorize, and know clang's flags |
/// | `// variant NAME: …` | the same file is another kernel with these flags |
/// | `// without boscc too` | `lw cc --no-boscc` is another column |
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kernel {
    /// That of the file, and of the variant behind it.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// Whether it is C++.
    pub is_cpp: bool,
    /// For all compilers.
    pub flags: Vec<String>,
    /// For those that are told to vectorize.
    pub vector_flags: Vec<String>,
    /// Whether BOSCC gadgets are compared too.
    pub without_boscc: bool,
    /// The same loop for ISPC.
    pub ispc: Option<PathBuf>,
}

impl Kernel {
    /// The kernels in a file with this text: none, if it has no inputs; else the file as it is comes first.
    #[must_use]
    pub fn of(path: &Path, text: &str) -> Vec<Kernel> {
        if !text.contains("const char *const inputs[] =") {
            return Vec::new();
        }
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let after = |mark: &str| {
            words(text.lines().find_map(|line| line.strip_prefix(mark)).unwrap_or_default())
        };
        let ispc = path.with_extension("ispc");
        let base = Kernel {
            name: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            path: path.to_path_buf(),
            is_cpp: path.extension().is_some_and(|ending| ending == "cpp"),
            flags: after("// flags:"),
            vector_flags: after("// vector flags:"),
            without_boscc: text.lines().any(|line| line == "// without boscc too"),
            ispc: ispc.is_file().then_some(ispc),
        };
        let variants = text.lines().filter_map(|line| {
            let (name, flags) = line.strip_prefix("// variant ")?.split_once(':')?;
            let mut variant = Kernel { name: format!("{}-{name}", base.name), ..base.clone() };
            variant.flags.extend(words(flags));
            variant.ispc = None;
            Some(variant)
        });
        let variants: Vec<Kernel> = variants.collect();
        std::iter::once(base).chain(variants).collect()
    }

    /// The kernels of a folder, by the names of files.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn in_folder(folder: &Path) -> Result<Vec<Kernel>, String> {
        let failed = |path: &Path, error| format!("{}: {error}", path.display());
        let entries = std::fs::read_dir(folder).map_err(|error| failed(folder, error))?;
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|e| e == "c" || e == "cpp"));
        paths.sort();
        let mut kernels = Vec::new();
        for path in paths {
            let text = std::fs::read_to_string(&path).map_err(|error| failed(&path, error))?;
            kernels.extend(Kernel::of(&path, &text));
        }
        Ok(kernels)
    }
}

#[cfg(test)]
mod tests {
    use super::Kernel;
    use std::path::Path;

    #[test]
    fn a_variant_is_a_kernel_with_more_flags() {
        let text = "// flags: -a\n// without boscc too\n// variant 9d: -b -c\nconst char *const inputs[] = {0};\n";
        let kernels = Kernel::of(Path::new("x/tree.cpp"), text);
        let shown: Vec<_> = kernels.iter().map(|k| (k.name.as_str(), k.flags.join(" "))).collect();
        assert_eq!(shown, [("tree", "-a".to_string()), ("tree-9d", "-a -b -c".to_string())]);
        assert!(kernels.iter().all(|k| k.is_cpp && k.without_boscc && k.vector_flags.is_empty()));
    }

    #[test]
    fn a_file_without_inputs_is_no_kernel() {
        assert!(Kernel::of(Path::new("driver.c"), "int main() {}\n").is_empty());
    }
}
