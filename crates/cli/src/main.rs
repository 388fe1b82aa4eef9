//! `lw`: the command.
//!
//! Exit codes: 0 all is well, 1 the answer is no (the round trip lost something, the program has undefined behaviour),
//! 2 the request cannot be carried out (bad input, bad arguments, a missing tool), 3 this machine lacks what the request needs (a GPU).
#![forbid(unsafe_code)]

mod analyze;
mod callgraph;
mod cc;
mod cfa;
mod compile;
mod demo;
mod divergence;
mod doctor;
mod failure;
mod input;
mod names;
mod output;
mod print;
mod roundtrip;
mod run;
mod rustc;
mod sparse;
mod subject;
mod units;
mod vectorize;

use clap::{Parser, Subcommand};
use failure::Failure;
use lw_driver::Language;
use std::process::ExitCode;

/// Analyses make many small tables, on all cores; the allocator of the system takes an eighth of the time of one thread for them, and
/// threads get in each other's way there.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Parser)]
#[command(name = "lw", version, about, max_term_width = 110)]
#[command(after_help = "Examples:
  lw doctor                                   what is installed, and what each command needs
  lw demo                                     what `lw cc` makes of examples, with times and a page
  clang-22 -O1 -g -S -emit-llvm examples/escape.c -o escape.ll
  lw run escape.ll -f escape -t 8 'lane*0.1' 0.5 100
  lw analyze examples/bounds.c --analysis bounds
  lw divergence examples/tiles.cu --block 16,16")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs a function with many threads in lock step.
    Run(run::Args),
    /// Shows a program in the text form of the lock-step IR.
    Print(print::Args),
    /// Sends every function through the lock-step IR and back, and checks that nothing is lost.
    Roundtrip(roundtrip::Args),
    /// Analyses a program and shows the results line by line.
    Analyze(analyze::Args),
    /// Shows where threads that run the same code part, and which memory they access together.
    Divergence(divergence::Args),
    /// Splits live ranges by a strategy and shows the program with its φs, σs and copies.
    Sparse(sparse::Args),
    /// Finds out which functions calls through pointers may call.
    Callgraph(callgraph::Args),
    /// Finds out which procedures the calls of a Scheme program may call.
    Cfa(cfa::Args),
    /// Compiles C with clang and the plug-in; all arguments are clang's.
    Cc(cc::Args),
    /// Compiles C++ with clang and the plug-in; all arguments are clang's.
    #[command(name = "c++")]
    Cxx(cc::Args),
    /// Compiles Rust with rustc and the plug-in; all arguments are rustc's.
    Rustc(rustc::Args),
    /// Vectorizes a function: many calls become one that works on vectors.
    Vectorize(vectorize::Args),
    /// Shows what is installed, and what is missing for which command.
    Doctor(doctor::Args),
    /// Compiles examples with clang and with `lw cc`, runs and compares them, and writes a page about them.
    Demo(demo::Args),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match cli.command {
        Command::Run(args) => run::main(args),
        Command::Print(args) => print::main(args),
        Command::Roundtrip(args) => roundtrip::main(args),
        Command::Analyze(args) => analyze::main(args),
        Command::Divergence(args) => divergence::main(args),
        Command::Sparse(args) => sparse::main(args),
        Command::Callgraph(args) => callgraph::main(args),
        Command::Cfa(args) => cfa::main(args),
        Command::Cc(args) => cc::main(args, Language::C),
        Command::Cxx(args) => cc::main(args, Language::Cxx),
        Command::Rustc(args) => rustc::main(args),
        Command::Vectorize(args) => vectorize::main(args),
        Command::Doctor(args) => doctor::main(args),
        Command::Demo(args) => demo::main(args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// The result of a command.
type Done = Result<(), Failure>;
