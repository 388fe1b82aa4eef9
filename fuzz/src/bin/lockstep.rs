//! Lock-step execution against one thread at a time.

fn main() -> std::process::ExitCode {
    lw_fuzz::main(lw_fuzz::targets::Lockstep)
}
