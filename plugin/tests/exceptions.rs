//! Calls in C++ that may throw where no exception goes any further: the loops are vectorized, and the program ends as it did.

mod common;
#[path = "common/unoptimized.rs"]
mod unoptimized;

use common::{plugin, run};
use std::path::Path;

fn source(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exceptions").join(name).display().to_string()
}

#[test]
fn exceptions_end_the_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (scalar, vector, program) = (path("scalar.o"), path("vector.o"), path("program"));
    let loops = source("exceptions.cpp");
    let flags = ["-ffp-contract=off", "-c", "-o"];
    let alone = ["-O1", "-DSCALAR", "-fno-vectorize", "-fopenmp-simd", "-Wno-pass-failed"];
    run("clang++-22", &[&alone[..], &flags, &[&scalar, &loops]].concat());
    let shared = plugin().display().to_string();
    let plugin = format!("-fpass-plugin={shared}");
    let with = ["-fopenmp-simd", "-Rpass=laneweaver", "-Rpass-missed=laneweaver", &plugin];
    let forced = ["-Xclang", "-load", "-Xclang", &shared, "-mllvm", "-laneweaver-force"];
    for level in ["-O1", "-O3"] {
        for machine in ["-march=x86-64", "-march=native"] {
            let how = [level, machine];
            let all = [&how[..], &with, &forced, &flags, &[&vector, &loops]].concat();
            let remarks = run("clang++-22", &all);
            assert!(!remarks.contains("not vectorized"), "{remarks}");
            let done = remarks.lines().filter(|line| line.contains(": vectorized loop, ")).count();
            assert_eq!(done, 8, "{level} {machine}: {remarks}");
            run("clang++-22", &["-o", &program, &source("main.cpp"), &scalar, &vector]);
            let said = run(&program, &[]);
            assert!(said.ends_with("0 failures\n"), "{level} {machine}: {said}");
        }
    }
    let remarks = unoptimized::vectorize("clang++-22", &loops, &vector, &[]);
    assert_eq!(remarks.matches(": vectorized loop, ").count(), 8, "-O0: {remarks}");
    run("clang++-22", &["-o", &program, &source("main.cpp"), &scalar, &vector]);
    assert!(run(&program, &[]).ends_with("0 failures\n"), "-O0");
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
    let remarks = run("clang++-22", &[&flags[..], &[&plugin, &file]].concat());
    let reason = "leaves.cpp:4:11: remark: loop not vectorized: an exception may leave the loop";
    assert!(remarks.contains(reason), "{remarks}");
}
