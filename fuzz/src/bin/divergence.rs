//! The claims of the divergence analysis against executions.

fn main() -> std::process::ExitCode {
    lw_fuzz::main(lw_fuzz::divergence::Divergence)
}
