//! Calls in C++ that may throw where no exception goes any further: the loops are vectorized, and the program ends as it did.

mod common;
#[path = "common/unoptimized.rs"]
mod unoptimized;

use common::{plugin, run};
use std::path::Path;

fn source(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exceptions").join(name).display().to_string()
}

/// Compiles loops with the plug-in at each level, runs them beside those of clang alone, and compares how they end.
fn compare(name: &str, expected: usize, main: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (scalar, vector, program) = (path("scalar.o"), path("vector.o"), path("program"));
    let loops = source(name);
    let flags = ["-ffp-contract=off", "-c", "-o"];
    let alone = ["-O1", "-DSCALAR", "-fno-vectorize", "-fopenmp-simd", "-Wno-pass-failed"];
    run("clang++-22", &[&alone[..], &flags, &[&scalar, &loops]].concat());
    let shared = plugin().display().to_string();
    let plugin = format!("-fpass-plugin={shared}");
    let with = ["-fopenmp-simd", "-Rpass=laneweaver", "-Rpass-missed=laneweaver", &plugin];
    let forced = ["-Xclang", "-load", "-Xclang", &shared, "-mllvm", "-laneweaver-force"];
    let both = source("main.cpp");
    let beside = [&["-o", &program, &both, &scalar, &vector], main].concat();
    for level in ["-O1", "-O3"] {
        for machine in ["-march=x86-64", "-march=native"] {
            let how = [level, machine];
            let all = [&how[..], &with, &forced, &flags, &[&vector, &loops]].concat();
            let remarks = run("clang++-22", &all);
            assert!(!remarks.contains("not vectorized"), "{remarks}");
            let done = remarks.lines().filter(|line| line.contains(": vectorized loop, ")).count();
            assert_eq!(done, expected, "{level} {machine}: {remarks}");
            run("clang++-22", &beside);
            let said = run(&program, &[]);
            assert!(said.ends_with("0 failures\n"), "{level} {machine}: {said}");
        }
    }
    folder
}

#[test]
fn exceptions_end_the_program() {
    let folder = compare("exceptions.cpp", 8, &[]);
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (scalar, vector, program) = (path("scalar.o"), path("vector.o"), path("program"));
    let remarks = unoptimized::vectorize("clang++-22", &source("exceptions.cpp"), &vector, &[]);
    assert_eq!(remarks.matches(": vectorized loop, ").count(), 8, "-O0: {remarks}");
    run("clang++-22", &["-o", &program, &source("main.cpp"), &scalar, &vector]);
    assert!(run(&program, &[]).ends_with("0 failures\n"), "-O0");
}

/// `at()` of a container, and functions of the file that throw.
#[test]
fn what_the_library_throws() {
    compare("library.cpp", 6, &["-DLIBRARY"]);
}

/// A handler would see in which order iterations were done.
#[test]
fn exceptions_that_leave_a_loop() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (file, object) = (path("leaves.cpp"), path("leaves.o"));
    let code = "int may_throw(int);
        void leaves(int n, int *a) {
        #pragma clang loop vectorize(assume_safety)
          for (int i = 0; i < n; i++) a[i] = may_throw(a[i]);
        }";
    std::fs::write(&file, code).expect("a file");
    let plugin = format!("-fpass-plugin={}", plugin().display());
    let flags = ["-O2", "-Wno-pass-failed", "-Rpass-missed=laneweaver", "-c", "-o", &object];
    let reason = "leaves.cpp:4:11: remark: loop not vectorized: an exception may leave the loop";
    let remarks = run("clang++-22", &[&flags[..], &[&plugin, &file]].concat());
    assert!(remarks.contains(reason), "{remarks}");
    // Some are caught in it.
    let some = code
        .replace("a[i] = may_throw(a[i]);", "try { may_throw(i); } catch (int x) { a[i] = x; }");
    std::fs::write(&file, some).expect("a file");
    let remarks = run("clang++-22", &[&flags[..], &[&plugin, &file]].concat());
    assert!(remarks.contains(reason), "{remarks}");
}
