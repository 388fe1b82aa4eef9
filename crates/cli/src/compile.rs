//! C, C++ and CUDA to LLVM modules, through clang.

use crate::failure::Failure;
use lw_llvm::{Context, Module};
use std::path::{Path, PathBuf};
use std::process::Command;

/// No optimization, so that every line of the source is there; but passes may look at the functions later.
const FLAGS: [&str; 7] =
    ["-O0", "-g", "-Xclang", "-disable-O0-optnone", "-emit-llvm", "-fno-discard-value-names", "-c"];

/// Variables become values; nothing else changes.
const PASSES: &str = "mem2reg";

/// CUDA is compiled for the device, without a toolkit: a header stands for what it would bring.
const CUDA_FLAGS: [&str; 9] = [
    "-x",
    "cuda",
    "--cuda-device-only",
    "-nocudainc",
    "-nocudalib",
    "--cuda-gpu-arch=sm_80",
    "--cuda-feature=+ptx80",
    "-fdeclspec",
    "-Wno-unknown-cuda-version",
];

/// The registers of a thread are read through objects of their own; those become values too.
const CUDA_PASSES: &str = "sroa";

/// The header.
const CUDA_HEADER: &str = include_str!("cuda.h");

/// Headers of the toolkit that sources may include.
const CUDA_HEADERS: [&str; 4] =
    ["cuda_runtime.h", "cuda.h", "cuda_runtime_api.h", "device_launch_parameters.h"];

/// A folder with the headers, for as long as it is needed.
struct Headers(PathBuf);

impl Headers {
    fn write() -> Result<Headers, Failure> {
        let name = format!("lw-cuda-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let headers = Headers(folder.clone());
        let write = || -> std::io::Result<()> {
            std::fs::create_dir_all(&folder)?;
            std::fs::write(folder.join("laneweaver_cuda.h"), CUDA_HEADER)?;
            for header in CUDA_HEADERS {
                std::fs::write(folder.join(header), "#include \"laneweaver_cuda.h\"\n")?;
            }
            Ok(())
        };
        let fail = |error| Failure::cannot(format!("{}: {error}", folder.display()));
        write().map_err(fail)?;
        Ok(headers)
    }
}

impl Drop for Headers {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Whether clang compiles files with this ending.
pub(crate) fn is_source(path: &Path) -> bool {
    let extension = path.extension().and_then(|e| e.to_str());
    matches!(extension, Some("c" | "cc" | "cpp" | "cxx" | "C")) || is_cuda(path)
}

fn is_cuda(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "cu")
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
    let headers = if is_cuda(path) { Some(Headers::write()?) } else { None };
    if let Some(Headers(folder)) = &headers {
        command
            .args(CUDA_FLAGS)
            .arg("-isystem")
            .arg(folder)
            .args(["-include", "laneweaver_cuda.h"]);
    }
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
    module.run_passes(if is_cuda(path) { CUDA_PASSES } else { PASSES }, None)?;
    Ok(module)
}
