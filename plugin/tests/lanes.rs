//! `laneweaver.h`: lanes see each other in vector code, and there is one lane everywhere else and under other compilers.

mod common;
#[path = "common/unoptimized.rs"]
mod unoptimized;

use common::{plugin, run};
use std::path::Path;

/// Compiles the functions with a compiler and flags, links and runs them; what was said while compiling.
fn built(compiler: &str, flags: &[&str], variants: bool) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = |name: &str| root.join("tests/lanes").join(name).display().to_string();
    let include = format!("-I{}", root.join("../include").display());
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (across, program) = (path("across.o"), path("program"));
    let warnings =
        ["-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", &include, "-c", "-o", &across];
    let said = run(compiler, &[flags, &warnings, &[&file("across.c")]].concat());
    let define = if variants { "-DVARIANTS=_ZGVb" } else { "-DALONE" };
    run("gcc", &["-O1", define, "-o", &program, &file("main.c"), &across]);
    assert_eq!(run(&program, &[]), "0 failures\n", "{compiler} {flags:?}");
    said
}

#[test]
fn lanes_see_each_other() {
    let plugin = format!("-fpass-plugin={}", plugin().display());
    let ours = ["-fopenmp-simd", "-D__LANEWEAVER__", &plugin, "-Rpass-missed=laneweaver"];
    for level in ["-O0", "-O1", "-O2", "-O3"] {
        for language in [&["-x", "c"][..], &["-x", "c++", "-std=c++14"]] {
            let said = built("clang-22", &[&ours[..], &[level], language].concat(), true);
            assert!(!said.contains("was not made"), "{said}");
        }
    }
}

/// In loops too: through clang's pipelines, and in code that was not optimized.
#[test]
fn lanes_of_loops_see_each_other() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = |name: &str| root.join("tests/lanes").join(name).display().to_string();
    let include = format!("-I{}", root.join("../include").display());
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (object, program) = (path("loops.o"), path("program"));
    let (plugin, loops) = (plugin().display().to_string(), file("loops.c"));
    let pass = format!("-fpass-plugin={plugin}");
    let common = ["-fopenmp-simd", "-D__LANEWEAVER__", &include, "-g1"];
    let vectorized = |remarks: &str, what: &str| {
        assert!(!remarks.contains("not vectorized"), "{what}: {remarks}");
        assert_eq!(remarks.matches(": vectorized loop, ").count(), 5, "{what}: {remarks}");
        let main = file("main.c");
        run("clang-22", &["-O1", "-w", "-DVARIANTS=loop", "-o", &program, &main, &object]);
        assert_eq!(run(&program, &[]), "0 failures\n", "{what}");
    };
    for level in ["-O1", "-O3"] {
        let remarks = ["-Rpass=laneweaver", "-Rpass-missed=laneweaver", &pass];
        let forced = ["-Xclang", "-load", "-Xclang", &plugin, "-mllvm", "-laneweaver-force"];
        let to = [level, "-c", "-o", &object, &loops];
        let said = run("clang-22", &[&common[..], &remarks, &forced, &to].concat());
        vectorized(&said, level);
    }
    let flags = ["-D__LANEWEAVER__", &include];
    let said = unoptimized::vectorize("clang-22", &loops, &object, &flags);
    vectorized(&said, "-O0");
}

#[test]
fn other_compilers_have_one_lane() {
    for level in ["-O0", "-O2"] {
        built("gcc", &[level, "-std=c11"], false);
        built("g++", &[level, "-x", "c++"], false);
        built("clang-22", &[level], false);
        built("clang-22", &[level, "-x", "c++"], false);
    }
}
