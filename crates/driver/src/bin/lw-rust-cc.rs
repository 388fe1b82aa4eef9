//! The linker of `lw rustc`.

use std::process::ExitCode;

fn main() -> ExitCode {
    lw_driver::rust::link(std::env::args_os().skip(1)).map_or_else(
        |error| {
            eprintln!("lw: {error}");
            ExitCode::from(2)
        },
        ExitCode::from,
    )
}
