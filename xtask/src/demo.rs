//! The main job, shown.

use crate::args::Args;
use crate::place;
use crate::run::{self, Result};
use crate::setup::{self, Need};
use std::process::Command;

pub(crate) const HELP: &str = "\
Sets up all that is needed, builds `lw` and the plug-in, and lets them show the main job: examples in C and C++ that clang leaves
scalar, vectorized, with times, pictures and a page (target/demo/index.html).

Usage: cargo xtask demo [-- ARGUMENTS OF `lw demo`]

Example: cargo xtask demo
";

pub(crate) fn main(arguments: Vec<String>) -> Result {
    let mut args = Args::new(arguments);
    let for_demo = std::mem::take(&mut args.after);
    args.none()?;
    setup::ensure(Need::Build)?;
    run::echo(place::cargo().args(["build", "--release", "-p", "lw", "-p", "laneweaver"]))?;
    let mut demo = Command::new(place::target().join("release/lw"));
    run::echo(demo.arg("demo").args(for_demo).current_dir(place::root()))
}
