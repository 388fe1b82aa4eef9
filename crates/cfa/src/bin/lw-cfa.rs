//! `lw-cfa`: the command `lw cfa` alone, which needs no LLVM.
//!
//! Exit codes: 0 all is well, 2 the request cannot be carried out (bad input, bad arguments), 3 this machine lacks what it takes (a GPU).

use clap::Parser;
use lw_cfa::command::{Args, run};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "lw-cfa", version, max_term_width = 110)]
struct Cli {
    #[command(flatten)]
    args: Args,
}

fn main() -> ExitCode {
    let args = Cli::parse().args;
    let text = match run(&args) {
        Ok(text) => text,
        Err(failure) => {
            eprintln!("lw-cfa: {}", failure.message());
            return ExitCode::from(failure.code());
        }
    };
    let written = match args.output() {
        Some(path) => write_file(path, &text)
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display()))),
        None => io::stdout().lock().write_all(text.as_bytes()),
    };
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            eprintln!("lw-cfa: {error}");
            ExitCode::from(2)
        }
        _ => ExitCode::SUCCESS,
    }
}

/// Writes a file under a temporary name and renames it, so that nobody sees half of it. Devices and pipes are written to.
fn write_file(path: &Path, text: &str) -> io::Result<()> {
    if std::fs::metadata(path).is_ok_and(|known| !known.is_file() && !known.is_dir()) {
        return std::fs::write(path, text);
    }
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(format!(".{}.tmp", std::process::id()));
    std::fs::write(&temporary, text)?;
    std::fs::rename(&temporary, path).inspect_err(|_| {
        let _ = std::fs::remove_file(&temporary);
    })
}
