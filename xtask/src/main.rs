//! `cargo xtask`: set-up, demo, test, bench, fuzz, doc. Needs no LLVM to build; `setup` brings it.
//!
//! Each subcommand is a module with `HELP` and `main(arguments)`. A failure carries its exit status:
//! 1 when a step failed, 2 when a tool is missing or the command line is wrong.
#![forbid(unsafe_code)]

mod args;
mod bench;
mod corpus;
mod demo;
mod doc;
mod fuzz;
mod install;
mod jobs;
mod place;
mod run;
mod setup;
mod test;

use std::process::ExitCode;

use run::{Failure, Result};

const HELP: &str = "\
Set-up, demo, test, bench, fuzz, doc of Laneweaver.

Usage: cargo xtask COMMAND [ARGUMENTS]

Commands:
  setup    find LLVM 22, clang 22 and the rest, install what is missing
  demo     set up, build and show the main job
  test     set up, then everything that must hold before a change is merged
  bench    set up, then run one benchmark
  fuzz     set up, then run one fuzz target
  doc      set up, then build the documentation of the crates
  corpus   build the real programs the tests use, or check round trips on them

`cargo xtask COMMAND --help` explains one command.
Example: cargo xtask test --quick
";

/// A subcommand: its name, its help, what it does with the arguments that follow.
type Subcommand = (&'static str, &'static str, fn(Vec<String>) -> Result);

const SUBCOMMANDS: &[Subcommand] = &[
    ("setup", setup::HELP, setup::main),
    ("demo", demo::HELP, demo::main),
    ("test", test::HELP, test::main),
    ("bench", bench::HELP, bench::main),
    ("fuzz", fuzz::HELP, fuzz::main),
    ("doc", doc::HELP, doc::main),
    ("corpus", corpus::HELP, corpus::main),
];

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    match dispatch(arguments.next(), arguments.collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("xtask: {}", failure.message);
            ExitCode::from(failure.code)
        }
    }
}

fn dispatch(name: Option<String>, rest: Vec<String>) -> Result {
    let Some(name) = name else {
        print!("{HELP}");
        return Ok(());
    };
    if matches!(name.as_str(), "help" | "--help" | "-h") {
        print!("{HELP}");
        return Ok(());
    }
    let Some((_, help, main)) = SUBCOMMANDS.iter().find(|(known, ..)| *known == name) else {
        return Err(Failure::usage(format!("no command `{name}`\n\n{HELP}")));
    };
    // What follows `--` belongs to the program that is run.
    if rest
        .iter()
        .take_while(|argument| *argument != "--")
        .any(|argument| argument == "--help" || argument == "-h")
    {
        print!("{help}");
        return Ok(());
    }
    main(rest)
}
