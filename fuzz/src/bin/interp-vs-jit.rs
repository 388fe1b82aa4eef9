//! The interpreter against LLVM's JIT.

fn main() -> std::process::ExitCode {
    lw_fuzz::main(lw_fuzz::targets::InterpVsJit::default())
}
