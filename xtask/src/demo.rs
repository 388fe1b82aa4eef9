//! The main job, shown.

use crate::args::Args;
use crate::place;
use crate::run::{self, Result};
use crate::setup::{self, Need};

pub(crate) const HELP: &str = "\
Sets up all that is needed, builds `lw` and lets it show the main job.

Usage: cargo xtask demo [-- ARGUMENTS OF `lw demo`]

Example: cargo xtask demo
";

pub(crate) fn main(arguments: Vec<String>) -> Result {
    let mut args = Args::new(arguments);
    let for_demo = std::mem::take(&mut args.after);
    args.none()?;
    setup::ensure(Need::Build)?;
    run::echo(
        place::cargo()
            .args(["run", "--quiet", "--release", "-p", "lw", "--", "demo"])
            .args(for_demo),
    )
}
