//! Finds what building and testing need, installs what is missing with apt, and does nothing the second time.
//!
//! What is needed is the table [`THINGS`]. Debian 12 carries LLVM 22 in its security suite, so plain `apt-get`
//! suffices.

use std::path::PathBuf;
use std::process::Command;

use crate::args::Args;
use crate::install;
use crate::place;
use crate::run::{self, During, Failure, Result};

pub(crate) const HELP: &str = "\
Finds LLVM 22.1, clang 22, FileCheck, C++ compilers, qemu, SLIB, chromium, rustfmt and clippy, and installs what is missing.

Usage: cargo xtask setup [--bench] [--verbose] [--dry-run]

  --bench     also what only benchmarks need (valgrind, SLIB)
  --verbose   say where each thing was found, even if nothing is missing
  --dry-run   print the commands that would install what is missing

Set LLVM_SYS_221_PREFIX to use an LLVM 22.1 that is not in /usr/lib/llvm-22.
Exit status 2: something is missing and could not be installed.
Example: cargo xtask setup
";

/// What is going to be done, and so what must be there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// Building, demonstrating, fuzzing.
    Build,
    /// Building and testing.
    Test,
    /// Building and measuring.
    Bench,
}

/// How a thing is recognized.
enum Probe {
    /// A tool of LLVM whose `--version` says 22.1.
    LlvmTool(&'static str),
    /// A file below LLVM's prefix.
    LlvmFile(&'static str),
    /// A file with this path.
    File(&'static str),
    /// A header of a C library, for all machines or for this one.
    Header(&'static str),
    /// A program that answers to `--version`.
    Program(&'static str),
    /// A subcommand of cargo that answers to `--version`.
    Cargo(&'static str),
}

/// Where a thing comes from.
enum Source {
    Apt(&'static str),
    Rustup(&'static str),
}

struct Thing {
    what: &'static str,
    probe: Probe,
    source: Source,
    /// `Build` is part of the others.
    need: Need,
}

const fn apt(what: &'static str, probe: Probe, package: &'static str) -> Thing {
    Thing { what, probe, source: Source::Apt(package), need: Need::Build }
}

const fn rustup(what: &'static str, probe: Probe, component: &'static str) -> Thing {
    Thing { what, probe, source: Source::Rustup(component), need: Need::Test }
}

const THINGS: &[Thing] = &[
    apt("llvm-config", Probe::LlvmTool("llvm-config"), "llvm-22-dev"),
    apt("LLVM's C headers", Probe::LlvmFile("include/llvm-c/Core.h"), "llvm-22-dev"),
    apt("LLVM's C++ headers", Probe::LlvmFile("include/llvm/Plugins/PassPlugin.h"), "llvm-22-dev"),
    apt("LLVM's library", Probe::LlvmFile("lib/libLLVM.so"), "llvm-22-dev"),
    apt("opt", Probe::LlvmTool("opt"), "llvm-22"),
    apt("llvm-link", Probe::LlvmTool("llvm-link"), "llvm-22"),
    apt("FileCheck", Probe::LlvmTool("FileCheck"), "llvm-22-tools"),
    apt("clang", Probe::LlvmTool("clang"), "clang-22"),
    apt("C++ compiler", Probe::Program("c++"), "g++"),
    Thing {
        what: "gcc for AArch64",
        probe: Probe::Program("aarch64-linux-gnu-gcc"),
        source: Source::Apt("gcc-aarch64-linux-gnu"),
        need: Need::Test,
    },
    Thing {
        what: "a C library for AArch64",
        probe: Probe::File("/usr/aarch64-linux-gnu/include/stdio.h"),
        source: Source::Apt("libc6-dev-arm64-cross"),
        need: Need::Test,
    },
    Thing {
        what: "gcc for RISC-V",
        probe: Probe::Program("riscv64-linux-gnu-gcc"),
        source: Source::Apt("gcc-riscv64-linux-gnu"),
        need: Need::Test,
    },
    Thing {
        what: "a C library for RISC-V",
        probe: Probe::File("/usr/riscv64-linux-gnu/include/stdio.h"),
        source: Source::Apt("libc6-dev-riscv64-cross"),
        need: Need::Test,
    },
    Thing {
        what: "SLEEF",
        probe: Probe::Header("sleef.h"),
        source: Source::Apt("libsleef-dev"),
        need: Need::Test,
    },
    Thing {
        what: "qemu for programs",
        probe: Probe::Program("qemu-riscv64"),
        source: Source::Apt("qemu-user"),
        need: Need::Test,
    },
    Thing {
        what: "make",
        probe: Probe::Program("make"),
        source: Source::Apt("make"),
        need: Need::Test,
    },
    Thing {
        what: "CMake",
        probe: Probe::Program("cmake"),
        source: Source::Apt("cmake"),
        need: Need::Test,
    },
    Thing {
        what: "ccache",
        probe: Probe::Program("ccache"),
        source: Source::Apt("ccache"),
        need: Need::Test,
    },
    Thing {
        what: "distcc",
        probe: Probe::Program("distccd"),
        source: Source::Apt("distcc"),
        need: Need::Test,
    },
    Thing {
        what: "valgrind",
        probe: Probe::Program("valgrind"),
        source: Source::Apt("valgrind"),
        need: Need::Bench,
    },
    Thing {
        what: "SLIB",
        probe: Probe::File("/usr/share/slib/require.scm"),
        source: Source::Apt("slib"),
        need: Need::Test,
    },
    Thing {
        what: "a browser",
        probe: Probe::Program("chromium"),
        source: Source::Apt("chromium"),
        need: Need::Test,
    },
    Thing {
        what: "SLIB",
        probe: Probe::File("/usr/share/slib/require.scm"),
        source: Source::Apt("slib"),
        need: Need::Bench,
    },
    rustup("rustfmt", Probe::Cargo("fmt"), "rustfmt"),
    rustup("clippy", Probe::Cargo("clippy"), "clippy"),
];

pub(crate) fn main(arguments: Vec<String>) -> Result {
    let mut args = Args::new(arguments);
    let needs: &[Need] =
        if args.flag("--bench") { &[Need::Test, Need::Bench] } else { &[Need::Test] };
    let verbose = args.flag("--verbose");
    let dry_run = args.flag("--dry-run");
    args.none()?;
    if dry_run {
        let missing = look(needs, true);
        let (packages, components) = sources(&missing);
        install::apt_commands(&packages).iter().for_each(|words| println!("{}", words.join(" ")));
        components.iter().for_each(|name| println!("rustup component add {name}"));
        return Ok(());
    }
    set_up(needs, verbose)
}

/// Makes sure that all that `need` asks for is there. The other tasks call this first.
pub(crate) fn ensure(need: Need) -> Result {
    set_up(&[need], false)
}

fn set_up(needs: &[Need], verbose: bool) -> Result {
    let missing = look(needs, verbose);
    let (packages, mut components) = sources(&missing);
    if !components.is_empty() && !install::has_rustup() {
        // Format and lints are for those who change the code: not a reason to do nothing.
        let names = components.join(" and ");
        println!(
            "set-up: no {names}, and no rustup to add them: `cargo xtask test` leaves out what needs them"
        );
        components.clear();
    }
    if packages.is_empty() && components.is_empty() {
        println!("set-up: all present");
        return Ok(());
    }
    if !verbose {
        // Something changes this time, so say where everything stands.
        look(needs, true);
    }
    install::apt(&packages)?;
    install::rustup(&components)?;
    for thing in missing {
        let found = probe(&thing.probe);
        say(thing, found.as_deref());
        if let (None, Source::Apt(_)) = (found, &thing.source) {
            return Err(Failure::missing(format!(
                "{} is still missing after the installation; LLVM is looked for in {} ({})",
                thing.what,
                place::llvm().display(),
                place::LLVM_VARIABLE
            )));
        }
    }
    if !packages.is_empty() {
        compiles()?;
    }
    println!("set-up: done");
    Ok(())
}

/// Looks for everything; returns what is missing.
fn look(needs: &[Need], verbose: bool) -> Vec<&'static Thing> {
    let mut missing = Vec::new();
    for thing in
        THINGS.iter().filter(|thing| thing.need == Need::Build || needs.contains(&thing.need))
    {
        let found = probe(&thing.probe);
        if verbose {
            say(thing, found.as_deref());
        }
        if found.is_none() {
            missing.push(thing);
        }
    }
    missing
}

fn say(thing: &Thing, found: Option<&str>) {
    let missing = match thing.source {
        Source::Apt(package) => format!("missing: package {package}"),
        Source::Rustup(component) => format!("missing: rustup component {component}"),
    };
    println!("set-up: {:<18} {}", thing.what, found.unwrap_or(&missing));
}

/// What was found, in words; `None` if it is missing or of another version.
fn probe(probe: &Probe) -> Option<String> {
    match probe {
        Probe::LlvmTool(name) => {
            let tool = place::llvm_tool(name);
            let said = run::quiet(Command::new(&tool).arg("--version")).ok()?;
            let version = said.split_whitespace().find(|word| word.starts_with("22.1"))?;
            Some(format!("{} ({version})", tool.display()))
        }
        Probe::LlvmFile(name) => {
            let path: PathBuf = place::llvm().join(name);
            path.exists().then(|| path.display().to_string())
        }
        Probe::File(path) => PathBuf::from(path).exists().then(|| (*path).to_owned()),
        Probe::Header(name) => header(name),
        Probe::Program(name) => first_line(Command::new(name).arg("--version")),
        Probe::Cargo(name) => first_line(Command::new("cargo").args([name, "--version"])),
    }
}

/// Where a header lies: Debian has a folder for each kind of machine.
fn header(name: &str) -> Option<String> {
    let root = PathBuf::from("/usr/include");
    let machines = std::fs::read_dir(&root).ok()?.flatten().map(|entry| entry.path());
    let folders = machines.filter(|path| path.to_string_lossy().contains("-linux-"));
    let mut places = std::iter::once(root).chain(folders).map(|folder| folder.join(name));
    places.find(|path| path.is_file()).map(|path| path.display().to_string())
}

/// Whether a subcommand of cargo, such as `fmt`, is installed.
pub(crate) fn has_cargo(subcommand: &'static str) -> bool {
    probe(&Probe::Cargo(subcommand)).is_some()
}

fn first_line(command: &mut Command) -> Option<String> {
    run::quiet(command).ok()?.lines().next().map(str::to_owned)
}

/// The packages and the components that bring `missing`, each once.
fn sources(missing: &[&Thing]) -> (Vec<&'static str>, Vec<&'static str>) {
    let (mut packages, mut components) = (Vec::new(), Vec::new());
    for thing in missing {
        let (list, name) = match thing.source {
            Source::Apt(name) => (&mut packages, name),
            Source::Rustup(name) => (&mut components, name),
        };
        if !list.contains(&name) {
            list.push(name);
        }
    }
    (packages, components)
}

/// A C and a C++ program that compile and run: packages can be present and still not fit together.
fn compiles() -> Result {
    let folder = place::target().join("setup");
    let made = std::fs::create_dir_all(&folder);
    made.during(folder.display())?;
    for (name, compiler, text) in [
        ("c.c", "clang", "#include <stdio.h>\nint main(void) { return puts(\"\") < 0; }\n"),
        (
            "cpp.cpp",
            "clang++",
            "#include <string>\nint main(int c, char **v) { return std::string(v[0]).empty() + c - 1; }\n",
        ),
    ] {
        let (source, program) = (folder.join(name), folder.join("program"));
        std::fs::write(&source, text).during(source.display())?;
        run::quiet(Command::new(place::llvm_tool(compiler)).arg(&source).arg("-o").arg(&program))?;
        run::quiet(&mut Command::new(&program))?;
    }
    println!("set-up: clang and clang++ compile, link and run");
    Ok(())
}
