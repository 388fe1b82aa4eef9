//! Bugs planted one at a time: each must be found.

fn main() -> std::process::ExitCode {
    lw_fuzz::mutations::main()
}
