//! The text form on damaged text.

fn main() -> std::process::ExitCode {
    lw_fuzz::main(lw_fuzz::targets::Parser)
}
