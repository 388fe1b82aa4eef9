//! The documentation of the crates, warnings being errors.

use std::process::Command;

use crate::args::Args;
use crate::place;
use crate::run::{self, Result};
use crate::setup::{self, Need};

pub(crate) const HELP: &str = "\
Sets up, builds the documentation of the crates with warnings as errors, and prints where it is.

Usage: cargo xtask doc [--open]

  --open   show it in a browser

Example: cargo xtask doc
";

pub(crate) fn main(arguments: Vec<String>) -> Result {
    let mut args = Args::new(arguments);
    let open = args.flag("--open");
    args.none()?;
    setup::ensure(Need::Build)?;
    let mut command = command();
    if open {
        command.arg("--open");
    }
    run::echo(&mut command)?;
    let folder = place::target().join("doc");
    let crates = std::fs::read_dir(place::root().join("crates")).into_iter().flatten().flatten();
    for name in crates.map(|entry| entry.file_name()) {
        let page = folder.join(format!("lw_{}", name.to_string_lossy())).join("index.html");
        if page.is_file() {
            println!("{}", page.display());
        }
    }
    Ok(())
}

/// The command that builds it; `test` runs it too.
pub(crate) fn command() -> Command {
    let mut command = place::cargo();
    command.args(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-Dwarnings");
    command
}
