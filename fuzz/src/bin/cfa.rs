//! 0-CFA: engines against one another, runs against flow sets.

fn main() -> std::process::ExitCode {
    lw_fuzz::main(lw_fuzz::cfa::Cfa)
}
