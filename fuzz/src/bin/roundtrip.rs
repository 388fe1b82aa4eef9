//! The lock-step IR to LLVM and back.

fn main() -> std::process::ExitCode {
    lw_fuzz::main(lw_fuzz::targets::Roundtrip)
}
