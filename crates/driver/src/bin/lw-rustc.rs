//! rustc whose marked loops are vectorized, for cargo: `RUSTC_WORKSPACE_WRAPPER=lw-rustc`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    let Some(rustc) = words.next() else {
        eprintln!(
            "lw: cargo calls this program, and names rustc: RUSTC_WORKSPACE_WRAPPER=lw-rustc cargo build --release"
        );
        return ExitCode::from(2);
    };
    lw_driver::rust::rustc(&rustc, words.collect()).map_or_else(
        |error| {
            eprintln!("lw: {error}");
            ExitCode::from(2)
        },
        ExitCode::from,
    )
}
