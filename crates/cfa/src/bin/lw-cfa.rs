//! `lw-cfa`: the command `lw cfa` alone, which needs no LLVM.
//!
//! Exit codes: 0 all is well, 2 the request cannot be carried out (bad input, bad arguments), 3 this machine lacks what it takes (a GPU).

use clap::Parser;
use lw_cfa::command::{Args, run};
use std::io;
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "lw-cfa", version, max_term_width = 110)]
struct Cli {
    #[command(flatten)]
    args: Args,
}

fn main() -> ExitCode {
    let args = Cli::parse().args;
    let answer = match run(&args) {
        Ok(answer) => answer,
        Err(failure) => {
            eprintln!("lw-cfa: {}", failure.message());
            return ExitCode::from(failure.code());
        }
    };
    match answer.write() {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            eprintln!("lw-cfa: {error}");
            ExitCode::from(2)
        }
        _ => ExitCode::SUCCESS,
    }
}
