//! What the tests of the plug-in share.

use std::process::Command;

/// The plug-in, which lies beside the tests.
pub(crate) fn plugin() -> std::path::PathBuf {
    let test = std::env::current_exe().expect("a test runs from a file");
    test.with_file_name("liblaneweaver.so")
}

/// What a program of the system that the set-up brings says; it must succeed.
pub(crate) fn run(program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).output();
    let output =
        output.unwrap_or_else(|e| panic!("{program}: {e}; `cargo xtask setup` installs it"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let all = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success(), "{program} {args:?}: {}\n{all}", output.status);
    all
}
