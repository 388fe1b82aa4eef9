//! The command line of `lw` on damaged input.

fn main() -> std::process::ExitCode {
    lw_fuzz::main(lw_fuzz::targets::CommandLine::default())
}
