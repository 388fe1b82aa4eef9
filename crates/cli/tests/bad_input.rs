//! Bad input gets one clear message and exit code 2, leaves no output file, and never panics.

use std::path::{Path, PathBuf};
use std::process::Command;

const MODULE: &str =
    "define i32 @twice(i32 %x, ptr %p) {\n  %y = add i32 %x, %x\n  ret i32 %y\n}\n";

/// A folder of its own for a test, with a module in text and bitcode in it.
fn folder(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bad_input").join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("m.ll"), MODULE).unwrap();
    let made = lw(&dir, &["roundtrip", "m.ll", "-o", "m.bc"]);
    assert_eq!(made.0, 0, "{}", made.1);
    dir
}

/// The exit code, and what was printed on both streams.
fn lw(dir: &Path, args: &[&str]) -> (i32, String) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_lw")).args(args).current_dir(dir).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&text).into_owned())
}

#[track_caller]
fn refuses(dir: &Path, args: &[&str], message: &str) {
    let (code, text) = lw(dir, args);
    assert_eq!(code, 2, "{args:?} printed {text}");
    assert!(text.contains(message), "{args:?} printed {text}, without `{message}`");
    assert!(!text.contains("panicked"), "{text}");
    assert!(!dir.join("out.bc").exists() && !dir.join("out.ll").exists(), "{args:?} wrote a file");
}

#[test]
fn truncated_bitcode_at_every_length() {
    let dir = folder("truncated");
    let bitcode = std::fs::read(dir.join("m.bc")).unwrap();
    for length in (0..bitcode.len()).step_by(97) {
        std::fs::write(dir.join("cut.bc"), &bitcode[..length]).unwrap();
        let (code, text) = lw(&dir, &["roundtrip", "cut.bc", "-o", "out.bc"]);
        // An empty file is an empty module in LLVM's text.
        assert!(code == 2 || length == 0, "{length} bytes: {text}");
        assert!(!text.contains("panicked"), "{text}");
        assert!(length == 0 || !dir.join("out.bc").exists());
        let _ = std::fs::remove_file(dir.join("out.bc"));
    }
}

#[test]
fn files_that_are_not_programs() {
    let dir = folder("files");
    std::fs::create_dir(dir.join("folder.bc")).unwrap();
    std::fs::write(dir.join("bytes.lw"), [0xff, 0xfe, 0x00]).unwrap();
    std::fs::write(dir.join("wrong.ll"), "define i32 @f() {\n  ret i33 0\n}\n").unwrap();
    refuses(&dir, &["roundtrip", "folder.bc", "-o", "out.bc"], "folder.bc: this is a directory");
    refuses(&dir, &["print", "absent.ll"], "absent.ll: No such file");
    refuses(&dir, &["print", "m.txt"], "expected a file that ends in .ll, .bc or .lw");
    refuses(&dir, &["print", "bytes.lw"], "bytes.lw: this is not text");
    refuses(&dir, &["roundtrip", "wrong.ll", "-o", "out.ll"], "wrong.ll:2:7: ");
    refuses(&dir, &["roundtrip", "bytes.lw"], "expected .ll or .bc");
}

#[test]
fn wrong_arguments() {
    let dir = folder("arguments");
    refuses(
        &dir,
        &["run", "m.ll", "-f", "thrice", "1", "i32*4"],
        "there is no function `thrice`; there are: twice",
    );
    refuses(
        &dir,
        &["run", "m.ll", "-f", "twice", "1"],
        "@twice takes 2 arguments (i32, ptr), 1 were given",
    );
    refuses(
        &dir,
        &["run", "m.ll", "-f", "twice", "x", "i32*4"],
        "argument 1 `x` (i32): `x` is not an integer",
    );
    refuses(
        &dir,
        &["run", "m.ll", "-f", "twice", "1", "7"],
        "argument 2 `7` (ptr): expected a buffer",
    );
    refuses(&dir, &["run", "m.ll", "-f", "twice", "-t", "0", "1", "i32*4"], "0 is not in 1..=1024");
    refuses(
        &dir,
        &["run", "m.ll", "-f", "twice", "-t", "3", "[1,2]", "i32*4"],
        "there are 3 threads, but 2 values",
    );
    refuses(&dir, &["roundtrip", "m.ll", "-o", "out.txt"], "the output ends in .ll or .bc");
    refuses(&dir, &["roundtrip", "m.ll", "-o", "absent/out.bc"], "absent/out.bc: No such file");
    refuses(&dir, &["frobnicate"], "unrecognized subcommand");
    refuses(&dir, &[], "Usage: lw");
}

#[test]
fn a_closed_pipe_is_no_error() {
    let dir = folder("pipe");
    let script = format!("{} print m.ll | true; exit ${{PIPESTATUS[0]}}", env!("CARGO_BIN_EXE_lw"));
    let output = Command::new("bash").args(["-c", &script]).current_dir(&dir).output().unwrap();
    assert!(output.status.success());
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A pipe that is named as the output is written to, not replaced by a file; nor is a device.
#[test]
fn what_is_no_file_stays_what_it_is() {
    let dir = folder("fifo");
    let script = format!(
        "mkfifo out.ll; cat out.ll > read.ll & {} roundtrip m.ll -o out.ll && test -p out.ll && wait && grep -q twice read.ll",
        env!("CARGO_BIN_EXE_lw")
    );
    let output = Command::new("bash").args(["-c", &script]).current_dir(&dir).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
