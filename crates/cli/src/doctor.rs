//! `lw doctor`.

use crate::Done;
use crate::output::show;
use lw_llvm::Host;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// Shows what is installed, and what is missing for which command.
#[derive(clap::Args)]
#[command(after_help = "Example:
  lw doctor

Missing tools of LLVM are installed by `cargo xtask setup` in the repository, or as root by:
  apt-get install llvm-22 llvm-22-tools clang-22")]
pub(crate) struct Args {}

/// A program that commands need, and which.
struct Tool {
    name: &'static str,
    needed_for: &'static str,
}

const TOOLS: [Tool; 8] = [
    Tool {
        name: "clang-22",
        needed_for: "lw demo, C and C++ in lw analyze and lw sparse, .ll and .bc files",
    },
    Tool { name: "opt-22", needed_for: "lw rustc, cargo xtask bench roundtrip" },
    Tool { name: "llc-22", needed_for: "lw rustc" },
    Tool { name: "llvm-ar-22", needed_for: "lw rustc" },
    Tool { name: "llvm-link-22", needed_for: "cargo xtask corpus" },
    Tool { name: "FileCheck-22", needed_for: "cargo xtask test" },
    Tool { name: "dot", needed_for: "drawing what lw print --dot writes" },
    Tool { name: "valgrind", needed_for: "counting instructions in benchmarks" },
];

/// Features of processors that matter for vectors.
const FEATURES: [&str; 12] = [
    "sse2", "sse4.2", "avx", "avx2", "fma", "avx512f", "avx512vl", "avx512bw", "avx512dq", "neon",
    "sve", "sve2",
];

pub(crate) fn main(_: Args) -> Done {
    let mut text = String::new();
    let mut line = |what: &str, found: &str| {
        let _ = writeln!(text, "{what:<14} {found}");
    };
    line("laneweaver", env!("CARGO_PKG_VERSION"));
    line("LLVM", &format!("{} (linked)", lw_llvm::version()));
    let host = Host::detect();
    line("machine", &format!("{}, {}", host.triple, host.cpu));
    let features: Vec<&str> = FEATURES.into_iter().filter(|f| host.has(f)).collect();
    line("features", &features.join(" "));
    line("GPU driver", &gpu_driver());
    let mut missing = Vec::new();
    for tool in &TOOLS {
        match version(tool.name) {
            Some(version) => line(tool.name, &version),
            None => {
                line(tool.name, "not found");
                missing.push(tool);
            }
        }
    }
    if missing.is_empty() {
        text.push_str("\nNothing is missing.\n");
    } else {
        text.push_str("\nWhat is missing is needed for:\n");
        for tool in missing {
            let _ = writeln!(text, "  {:<14} {}", tool.name, tool.needed_for);
        }
        text.push_str("`lw doctor --help` says how to install it.\n");
    }
    show(&text)
}

/// The first line with a number that a program prints about its version.
fn version(tool: &str) -> Option<String> {
    let flag = if tool == "dot" { "-V" } else { "--version" };
    let output = Command::new(tool).arg(flag).output().ok()?;
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    let line = text.lines().find(|l| l.contains(|c: char| c.is_ascii_digit()))?;
    Some(line.trim().to_string())
}

fn gpu_driver() -> String {
    let kernel = std::fs::read_to_string("/proc/driver/nvidia/version").ok();
    let library = [
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
        "/usr/lib64",
        "/usr/lib",
        "/usr/local/nvidia/lib64",
    ]
    .iter()
    .map(|dir| Path::new(dir).join("libcuda.so.1"))
    .find(|path| path.exists());
    match (kernel.as_deref().and_then(|k| k.lines().next()), library) {
        (Some(kernel), Some(library)) => format!("{kernel}, {}", library.display()),
        (Some(kernel), None) => format!("{kernel}, but no libcuda.so.1"),
        (None, Some(library)) => format!("{} without a driver in the kernel", library.display()),
        (None, None) => "none (only commands that run on a GPU need one)".into(),
    }
}
