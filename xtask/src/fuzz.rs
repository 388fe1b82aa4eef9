//! The fuzz targets, as a table: adding one is one line.

use crate::args::Args;
use crate::place;
use crate::run::{self, Failure, Result};
use crate::setup::{self, Need};

pub(crate) const HELP: &str = "\
Sets up, builds and runs one fuzz target; without a name, lists them.

Usage: cargo xtask fuzz [NAME] [--minutes M | --runs N] [--seed S] [-- ARGUMENTS OF THE TARGET]

  --minutes M   stop after M minutes
  --runs N      stop after N random inputs
  --seed S      start from this seed, to repeat a run

Example: cargo xtask fuzz lockstep --minutes 10 --seed 1
";

/// Name and what is compared. Each is a binary of the crate `lw-fuzz`.
const TARGETS: &[(&str, &str)] = &[
    ("interp-vs-jit", "the interpreter against LLVM's JIT"),
    ("lockstep", "lock-step execution against one thread at a time"),
    ("roundtrip", "LLVM IR to the lock-step IR and back"),
    ("sparse", "the sparse analyses against executions and against the dense solver"),
    ("divergence", "the claims of the divergence analysis against lock-step executions"),
    ("vectorize", "the vectorizer after every stage, and its machine code, against scalar runs"),
    ("clang", "random C programs through clang, with the plug-in and without it"),
    (
        "cfa",
        "the engines of 0-CFA against one another, and runs of Scheme programs against their flow sets",
    ),
    ("callgraph", "runs of programs that call through pointers against their call graphs"),
    ("parser", "the text form: damaged and random text, print and parse"),
    ("cli", "the command line of `lw` on damaged input"),
    ("mutations", "bugs planted in a copy of the sources: the other targets must find them"),
];

pub(crate) fn main(arguments: Vec<String>) -> Result {
    let mut args = Args::new(arguments);
    let mut for_target = Vec::new();
    for option in ["--minutes", "--runs", "--seed"] {
        if let Some(number) = args.number(option)? {
            for_target.extend([option.to_owned(), number.to_string()]);
        }
    }
    if for_target.iter().any(|word| word == "--minutes")
        && for_target.iter().any(|word| word == "--runs")
    {
        return Err(Failure::usage("either --minutes or --runs"));
    }
    for_target.append(&mut args.after);
    let names = args.names()?;
    let [name] = names.as_slice() else {
        list();
        return if names.is_empty() {
            Ok(())
        } else {
            Err(Failure::usage("one fuzz target at a time"))
        };
    };
    if !TARGETS.iter().any(|(known, _)| known == name) {
        list();
        return Err(Failure::usage(format!("no fuzz target `{name}`")));
    }
    setup::ensure(Need::Build)?;
    if name == "clang" {
        run::echo(place::cargo().args(["build", "--release", "-p", "laneweaver"]))?;
    }
    run::echo(
        place::cargo()
            .args(["run", "--release", "-p", "lw-fuzz", "--bin", name, "--"])
            .args(for_target),
    )
}

fn list() {
    for (name, about) in TARGETS {
        println!("{name:<14} {about}");
    }
}
