//! clang with the plug-in, for C.

use lw_driver::Language;
use std::process::ExitCode;

fn main() -> ExitCode {
    lw_driver::main(Language::C)
}
