//! `cargo xtask`: set-up, demo, test, bench. Needs no LLVM to build.
fn main() {}
