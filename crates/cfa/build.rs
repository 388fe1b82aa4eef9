//! Compiles the kernels with clang 22: to PTX for the driver, and with the feature `emulator` for the CPU.
//!
//! Without clang 22 the crate builds all the same; the engine `cuda` then says what is missing.

use std::path::{Path, PathBuf};
use std::process::Command;

const KERNELS: &str = "src/flow/cuda/kernels";

fn main() {
    println!("cargo::rerun-if-changed={KERNELS}");
    println!("cargo::rerun-if-env-changed=LW_CLANG");
    println!("cargo::rustc-check-cfg=cfg(kernels)");
    println!("cargo::rustc-check-cfg=cfg(emulator)");
    let Some(out) = std::env::var_os("OUT_DIR").map(PathBuf::from) else { return };
    let Some(clang) = clang() else {
        println!(
            "cargo::warning=no clang 22: the engine `cuda` will not work; install clang-22 and build again"
        );
        return;
    };
    let source = Path::new(KERNELS).join("kernels.cu");
    let status = Command::new(&clang)
        .args(["-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib"])
        // What PTX says of the machine is the least it needs: the driver compiles it for the one it has.
        .args(["--cuda-gpu-arch=sm_80", "--cuda-feature=+ptx77"])
        .args(["-O3", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-S", "-o"])
        .args([&out.join("kernels.ptx"), &source])
        .status();
    match status {
        Ok(status) if status.success() => println!("cargo::rustc-cfg=kernels"),
        other => panic!("{} could not compile {}: {other:?}", clang.display(), source.display()),
    }
    if std::env::var_os("CARGO_FEATURE_EMULATOR").is_some() {
        cc::Build::new()
            .compiler(&clang)
            .cpp(true)
            .cpp_link_stdlib(None)
            .flag("-xc++")
            .flag("-std=c++17")
            .opt_level(2)
            .file(&source)
            .compile("lw_cfa_kernels");
        println!("cargo::rustc-cfg=emulator");
    }
}

/// clang 22: what `LW_CLANG` names, or the one of the system.
fn clang() -> Option<PathBuf> {
    let candidates = match std::env::var_os("LW_CLANG") {
        Some(path) => vec![PathBuf::from(path)],
        None => vec!["clang-22".into(), "/usr/lib/llvm-22/bin/clang".into(), "clang".into()],
    };
    candidates.into_iter().find(|clang| {
        let version = Command::new(clang).arg("--version").output();
        version.is_ok_and(|out| String::from_utf8_lossy(&out.stdout).contains("version 22."))
    })
}
