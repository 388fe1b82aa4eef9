//! `lw print`.

use crate::output::{show, write_file};
use crate::{Done, input};
use std::path::PathBuf;

/// Shows a program in the text form of the lock-step IR.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  clang-22 -O1 -g -S -emit-llvm examples/escape.c -o escape.ll
  lw print escape.ll
  lw print escape.ll -f escape -o escape.lw
  lw print escape.lw -f escape --dot | dot -Tsvg -o escape.svg")]
pub(crate) struct Args {
    /// A program: .ll, .bc or .lw
    input: PathBuf,
    /// Only this function
    #[arg(short, long, value_name = "NAME")]
    function: Option<String>,
    /// The control-flow graph in Graphviz's language
    #[arg(long)]
    dot: bool,
    /// Into this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(crate) fn main(args: Args) -> Done {
    let module = input::program(&args.input)?;
    let chosen = match &args.function {
        Some(name) => Some(input::function(&module, name, &args.input)?),
        None => None,
    };
    let text = match (chosen, args.dot) {
        (Some(function), true) => function.to_dot(),
        (Some(function), false) => function.to_string(),
        (None, true) => module.functions.iter().map(|f| f.to_dot()).collect(),
        (None, false) => module.to_string(),
    };
    match &args.output {
        Some(path) => write_file(path, text.as_bytes()),
        None => show(&text),
    }
}
