//! Random C programs through clang, with and without the plug-in.

fn main() -> std::process::ExitCode {
    lw_fuzz::main(lw_fuzz::clang::Clang)
}
