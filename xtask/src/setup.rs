//! Finds what building and testing need, installs what is missing with apt, and does nothing the second time.
//!
//! What is needed is the table [`THINGS`]. Debian 12 carries LLVM 22 in its security suite, so plain `apt-get`
//! suffices: as root, with `sudo` where that asks for no password, else the commands are printed.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::args::Args;
use crate::place;
use crate::run::{self, Failure, Result};

pub(crate) const HELP: &str = "\
Finds LLVM 22.1, clang 22, FileCheck, a C++ compiler, rustfmt and clippy, and installs what is missing.

Usage: cargo xtask setup [--bench] [--verbose] [--dry-run]

  --bench     also what only benchmarks need (valgrind)
  --verbose   say where each thing was found, even if nothing is missing
  --dry-run   print the commands that would install what is missing

Set LLVM_SYS_221_PREFIX to use an LLVM 22.1 that is not in /usr/lib/llvm-22.
Exit status 2: something is missing and could not be installed.
Example: cargo xtask setup
";

/// What is going to be done, and so what must be there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// Building, testing, demonstrating.
    Build,
    /// Benchmarks as well.
    Bench,
}

/// How a thing is recognized.
enum Probe {
    /// A tool of LLVM whose `--version` says 22.1.
    LlvmTool(&'static str),
    /// A file below LLVM's prefix.
    LlvmFile(&'static str),
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
    need: Need,
}

const fn apt(what: &'static str, probe: Probe, package: &'static str) -> Thing {
    Thing { what, probe, source: Source::Apt(package), need: Need::Build }
}

const fn rustup(what: &'static str, probe: Probe, component: &'static str) -> Thing {
    Thing { what, probe, source: Source::Rustup(component), need: Need::Build }
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
        what: "valgrind",
        probe: Probe::Program("valgrind"),
        source: Source::Apt("valgrind"),
        need: Need::Bench,
    },
    rustup("rustfmt", Probe::Cargo("fmt"), "rustfmt"),
    rustup("clippy", Probe::Cargo("clippy"), "clippy"),
];

pub(crate) fn main(arguments: Vec<String>) -> Result {
    let mut args = Args::new(arguments);
    let need = if args.flag("--bench") { Need::Bench } else { Need::Build };
    let verbose = args.flag("--verbose");
    let dry_run = args.flag("--dry-run");
    args.none()?;
    if dry_run {
        let missing = look(need, true);
        install_commands(&missing).iter().for_each(|command| println!("{}", run::shown(command)));
        return Ok(());
    }
    set_up(need, verbose)
}

/// Makes sure that all that `need` asks for is there. The other tasks call this first.
pub(crate) fn ensure(need: Need) -> Result {
    set_up(need, false)
}

fn set_up(need: Need, verbose: bool) -> Result {
    let missing = look(need, verbose);
    if missing.is_empty() {
        println!("set-up: all present");
        return Ok(());
    }
    if !verbose {
        // Something changes this time, so say where everything stands.
        look(need, true);
    }
    install(&missing)?;
    let still = look(need, true);
    if let Some(thing) = still.first() {
        return Err(Failure::missing(format!(
            "{} is still missing after the installation",
            thing.what
        )));
    }
    compiles()?;
    println!("set-up: done");
    Ok(())
}

/// Looks for everything; returns what is missing.
fn look(need: Need, say: bool) -> Vec<&'static Thing> {
    let wanted = THINGS.iter().filter(|thing| thing.need == Need::Build || need == Need::Bench);
    wanted
        .filter(|thing| {
            let found = probe(&thing.probe);
            if say {
                match (&found, &thing.source) {
                    (Some(what), _) => println!("set-up: {:<18} {what}", thing.what),
                    (None, Source::Apt(package)) => {
                        println!("set-up: {:<18} missing: package {package}", thing.what)
                    }
                    (None, Source::Rustup(name)) => {
                        println!("set-up: {:<18} missing: rustup component {name}", thing.what)
                    }
                }
            }
            found.is_none()
        })
        .collect()
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
        Probe::Program(name) => first_line(Command::new(name).arg("--version")),
        Probe::Cargo(name) => first_line(Command::new("cargo").args([name, "--version"])),
    }
}

fn first_line(command: &mut Command) -> Option<String> {
    run::quiet(command).ok()?.lines().next().map(str::to_owned)
}

/// The commands that install `missing`, without `sudo`.
fn install_commands(missing: &[&Thing]) -> Vec<Command> {
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
    let mut commands = Vec::new();
    if !packages.is_empty() {
        let mut update = Command::new("apt-get");
        update.arg("update");
        let mut install = Command::new("apt-get");
        install.args(["install", "--yes", "--no-install-recommends"]).args(packages);
        commands.extend([update, install]);
    }
    if !components.is_empty() {
        let mut add = Command::new("rustup");
        add.args(["component", "add"]).args(components);
        commands.push(add);
    }
    commands
}

fn install(missing: &[&Thing]) -> Result {
    let commands = install_commands(missing);
    let apt = commands.iter().any(|command| command.get_program() == "apt-get");
    let privilege = if apt { privilege() } else { Some(Vec::new()) };
    let Some(prefix) = privilege else {
        let lines: Vec<_> = commands.iter().map(run::shown).collect();
        let reason = if works(Command::new("apt-get").arg("--version")) {
            "installing needs root and there is no sudo without a password; run these and start again"
        } else {
            "there is no apt-get here; install what these would"
        };
        return Err(Failure::missing(format!("{reason}:\n  {}", lines.join("\n  "))));
    };
    for command in commands {
        let mut words: Vec<_> = match command.get_program() {
            program if program == "apt-get" => prefix.iter().map(Into::into).collect(),
            _ => Vec::new(),
        };
        words.push(command.get_program().to_owned());
        words.extend(command.get_args().map(ToOwned::to_owned));
        let mut whole = Command::new(&words[0]);
        whole.args(&words[1..]).stdin(Stdio::null());
        run::echo(&mut whole).map_err(|failure| {
            Failure::missing(format!(
                "{}\nLLVM 22 is in the security suite of Debian 12 (bookworm-security, component main): \
                 is it among the sources of apt?",
                failure.message
            ))
        })?;
    }
    Ok(())
}

/// The words to put before `apt-get`; `None` if it cannot be run with the rights it needs.
fn privilege() -> Option<Vec<&'static str>> {
    const QUIET: &str = "DEBIAN_FRONTEND=noninteractive";
    if !works(Command::new("apt-get").arg("--version")) {
        return None;
    }
    let root = run::quiet(Command::new("id").arg("-u")).is_ok_and(|uid| uid.trim() == "0");
    if root {
        return Some(vec!["env", QUIET]);
    }
    works(Command::new("sudo").args(["-n", "true"])).then(|| vec!["sudo", "-n", "env", QUIET])
}

fn works(command: &mut Command) -> bool {
    run::quiet(command).is_ok()
}

/// A C and a C++ program that compile and run: packages can be present and still not fit together.
fn compiles() -> Result {
    let folder = place::target().join("setup");
    let made = std::fs::create_dir_all(&folder);
    run::During::during(made, folder.display())?;
    for (name, compiler, text) in [
        ("c.c", "clang", "#include <stdio.h>\nint main(void) { return puts(\"\") < 0; }\n"),
        (
            "cpp.cpp",
            "clang++",
            "#include <string>\nint main(int c, char **v) { return std::string(v[0]).empty() + c - 1; }\n",
        ),
    ] {
        let (source, program) = (folder.join(name), folder.join("program"));
        run::During::during(std::fs::write(&source, text), source.display())?;
        run::quiet(Command::new(place::llvm_tool(compiler)).arg(&source).arg("-o").arg(&program))?;
        run::quiet(&mut Command::new(&program))?;
    }
    println!("set-up: clang and clang++ compile, link and run");
    Ok(())
}
