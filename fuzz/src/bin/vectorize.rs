//! The vectorizer after every stage, and its machine code, against scalar runs.

fn main() -> std::process::ExitCode {
    lw_fuzz::main(lw_fuzz::vectorize::Vectorize::default())
}
