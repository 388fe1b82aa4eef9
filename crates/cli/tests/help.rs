//! The examples in the help texts can be typed as they stand, from the root of the repository.

use std::path::Path;
use std::process::Command;

#[test]
fn the_examples_work() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("help");
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    for folder in ["examples", "tests"] {
        std::os::unix::fs::symlink(root.join(folder), dir.join(folder)).unwrap();
    }
    let lw = env!("CARGO_BIN_EXE_lw");
    // The plug-in lies beside the tests: cargo builds it for them.
    let plugin = std::env::current_exe().unwrap().with_file_name("liblaneweaver.so");
    for command in
        ["", "run", "print", "roundtrip", "analyze", "sparse", "divergence", "doctor", "demo"]
    {
        let args: Vec<&str> = [command, "--help"].into_iter().filter(|a| !a.is_empty()).collect();
        let help = Command::new(lw).args(args).output().unwrap();
        let help = String::from_utf8(help.stdout).unwrap();
        let examples = help.lines().skip_while(|line| !line.starts_with("Example"));
        let examples: Vec<&str> = examples
            .filter_map(|line| line.strip_prefix("  "))
            .filter(|line| line.starts_with("lw ") || line.starts_with("clang-22 "))
            .map(|line| line.split(" | dot ").next().unwrap_or(line))
            .map(|line| line.split("   ").next().unwrap_or(line))
            .collect();
        assert!(!examples.is_empty(), "`lw {command} --help` has no example: {help}");
        for example in examples {
            let script = format!("lw() {{ {lw} \"$@\"; }}\n{example}");
            let done = Command::new("bash")
                .args(["-c", &script])
                .current_dir(&dir)
                .env("LANEWEAVER_PLUGIN", &plugin)
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&done.stderr).into_owned();
            assert!(done.status.success(), "{example}\n{said}");
        }
    }
}
