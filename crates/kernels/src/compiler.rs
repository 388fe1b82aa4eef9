//! The compilers that are compared.

use crate::{Kernel, remarks, run};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What every kernel is compiled with.
pub const FLAGS: [&str; 3] = ["-O3", "-march=native", "-ffp-contract=off"];

/// Who compiles, and how it is told to vectorize.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Compiler {
    /// clang 22; pragmas are ignored.
    Clang,
    /// clang 22 that heeds the pragmas.
    ClangSimd,
    /// gcc that heeds the pragmas.
    GccSimd,
    /// Intel's SPMD compiler, for the loops that are written for it; the rest of a kernel is clang's.
    Ispc(PathBuf),
    /// `lw cc`.
    Lw {
        /// The command `lw`.
        command: PathBuf,
        /// The plug-in, if it does not lie beside the command.
        plugin: Option<PathBuf>,
        /// A flag of ours, which is part of its name.
        flag: Option<&'static str>,
    },
}

impl Compiler {
    /// What tables call it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Compiler::Clang => "clang",
            Compiler::ClangSimd => "clang simd",
            Compiler::GccSimd => "gcc simd",
            Compiler::Ispc(_) => "ispc",
            Compiler::Lw { flag: None, .. } => "lw",
            Compiler::Lw { flag: Some("--no-boscc"), .. } => "lw no boscc",
            Compiler::Lw { flag: Some(_), .. } => "lw forced",
        }
    }

    /// Whether it has a column for a kernel.
    #[must_use]
    pub fn compiles(&self, kernel: &Kernel) -> bool {
        match self {
            Compiler::Ispc(_) => kernel.ispc.is_some(),
            Compiler::Lw { flag: Some("--no-boscc"), .. } => kernel.without_boscc,
            _ => true,
        }
    }

    /// The command with all flags for a kernel; files, and what is made of them, are still missing.
    #[must_use]
    pub fn command(&self, kernel: &Kernel, includes: &[PathBuf]) -> Command {
        let mut command = match self {
            Compiler::Lw { command: lw, plugin, flag } => {
                let mut command = Command::new(lw);
                command.arg(if kernel.is_cpp { "c++" } else { "cc" });
                command.args(["-Rpass=laneweaver", "-Rpass-missed=laneweaver"]);
                command.arg("-Rpass-analysis=laneweaver");
                command.arg("-fno-caret-diagnostics");
                command.args(flag);
                if let Some(plugin) = plugin {
                    command.env("LANEWEAVER_PLUGIN", plugin);
                }
                command
            }
            Compiler::GccSimd => Command::new(if kernel.is_cpp { "g++" } else { "gcc" }),
            _ => Command::new(if kernel.is_cpp { "clang++-22" } else { "clang-22" }),
        };
        command.args(FLAGS).args(&kernel.flags);
        match self {
            Compiler::Clang | Compiler::Ispc(_) => command.arg("-Wno-unknown-pragmas"),
            Compiler::GccSimd => command.arg("-fopenmp-simd"),
            // That clang could not do it is what tables show.
            Compiler::ClangSimd => {
                command.args(["-fopenmp-simd", "-Wno-pass-failed"]).args(&kernel.vector_flags)
            }
            Compiler::Lw { .. } => command.args(&kernel.vector_flags),
        };
        for folder in includes {
            command.arg("-idirafter").arg(folder);
        }
        command
    }

    /// Makes a library of a kernel in a folder; also what the compiler remarked about loops.
    ///
    /// # Errors
    /// What the compiler said, if it failed.
    pub fn library(
        &self,
        kernel: &Kernel,
        includes: &[PathBuf],
        folder: &Path,
    ) -> Result<(PathBuf, Vec<String>), String> {
        let base = folder.join(format!("{}.{}", kernel.name, self.name().replace(' ', "-")));
        let library = base.with_added_extension("so");
        let mut command = self.command(kernel, includes);
        command.args(["-fPIC", "-shared"]);
        match (self, &kernel.ispc) {
            (Compiler::Ispc(ispc), Some(loops)) => {
                command.args(ispc_parts(ispc, loops, kernel, &base)?);
                // What is left of the kernel is not where its headers are.
                command.arg("-I").arg(kernel.path.parent().unwrap_or(folder));
            }
            _ => _ = command.arg(&kernel.path),
        }
        let done = run(command.arg("-o").arg(&library).arg("-lm"))?;
        Ok((library, remarks(&String::from_utf8_lossy(&done.stderr))))
    }

    /// What it calls itself.
    ///
    /// # Errors
    /// If it does not start.
    pub fn version(&self) -> Result<String, String> {
        let mut command = match self {
            Compiler::Clang | Compiler::ClangSimd => Command::new("clang-22"),
            Compiler::GccSimd => Command::new("gcc"),
            Compiler::Ispc(path) => Command::new(path),
            Compiler::Lw { command: lw, plugin, .. } => {
                let mut command = Command::new(lw);
                command.arg("cc").envs(plugin.iter().map(|path| ("LANEWEAVER_PLUGIN", path)));
                command
            }
        };
        let done = run(command.arg("--version"))?;
        let text = String::from_utf8_lossy(&done.stdout);
        Ok(text.lines().next().unwrap_or_default().to_string())
    }
}

/// The loop as an object by ISPC, and what stands below the loop in the kernel, which calls it.
fn ispc_parts(
    ispc: &Path,
    loops: &Path,
    kernel: &Kernel,
    base: &Path,
) -> Result<[PathBuf; 2], String> {
    let (object, header) = (base.with_added_extension("o"), base.with_added_extension("h"));
    let mut command = Command::new(ispc);
    command.args(["-O3", "--pic", "--target=host", "--opt=disable-fma"]).arg(loops);
    run(command.arg("-o").arg(&object).arg("-h").arg(&header))?;
    let failed = |path: &Path, error| format!("{}: {error}", path.display());
    let text = std::fs::read_to_string(&kernel.path).map_err(|e| failed(&kernel.path, e))?;
    let below = text.split_once("\n// ----\n").map_or("", |(_, below)| below);
    let header = std::path::absolute(&header).map_err(|e| failed(&header, e))?;
    let names = if kernel.is_cpp { "using namespace ispc;\n" } else { "" };
    let rest = base.with_added_extension(if kernel.is_cpp { "cpp" } else { "c" });
    let text = format!("#include \"{}\"\n{names}{below}", header.display());
    std::fs::write(&rest, text).map_err(|e| failed(&rest, e))?;
    Ok([rest, object])
}

/// Whether a program is there.
#[must_use]
pub fn has(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
