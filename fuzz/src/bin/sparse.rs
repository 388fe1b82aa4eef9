//! The sparse analyses against executions and against the dense solver.

fn main() -> std::process::ExitCode {
    lw_fuzz::main(lw_fuzz::targets::Sparse)
}
