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

/// Types that would lose something are errors in C, as they are in C++; all integers that become an `int` are taken.
#[test]
fn types_that_the_header_does_not_take_are_errors() {
    let include = format!("-I{}/../include", env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("types.c").display().to_string();
    let accepted = |compiler: &str, expression: &str| {
        let text = format!(
            "#include <laneweaver.h>\nenum e {{ A, B = -1 }};\n\
             struct s {{ int a : 3; unsigned b : 5; bool c : 1; long d : 7; }};\n\
             double f(struct s s, enum e e, const short h, unsigned char c, volatile long l) {{\n\
             (void)s, (void)e, (void)h, (void)c, (void)l; return (double){expression}; }}\n"
        );
        std::fs::write(&file, text).unwrap();
        let flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", &include, &file];
        std::process::Command::new(compiler).args(flags).output().unwrap().status.success()
    };
    for compiler in ["gcc", "clang-22"] {
        for x in ["s.a", "s.b", "s.c", "s.d", "e", "h", "c", "l", "'a'", "(bool)1", "1ull", "2.5f"]
        {
            let taken = accepted(compiler, &format!("lw_broadcast({x})"));
            assert!(taken, "{compiler}: {x}");
        }
        for wrong in [
            "lw_broadcast(2.5L)",
            "lw_reduce_max((_Float16)1.5)",
            "lw_reduce_add((__int128)1)",
            "lw_reduce_and(1.5)",
            "lw_extract(2.5L, 0)",
        ] {
            assert!(!accepted(compiler, wrong), "{compiler}: {wrong}");
        }
    }
}
