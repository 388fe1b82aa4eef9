//! Variants that we write, called by what gcc compiled: the vector function ABI is kept.

mod common;

use common::{plugin, run};
use std::path::Path;

fn source(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/abi");
    folder.join(name).display().to_string()
}

/// Compiles the functions with our plug-in, and says what it did.
fn ours(object: &Path, level: &str) -> String {
    let plugin = format!("-fpass-plugin={}", plugin().display());
    let (from, to) = (source("functions.c"), object.display().to_string());
    let flags = [level, "-fopenmp-simd", "-ffp-contract=off", "-Rpass=laneweaver"];
    let missed = "-Rpass-missed=laneweaver";
    run("clang-22", &[&flags[..], &[missed, &plugin, "-c", "-o", &to, &from]].concat())
}

#[test]
fn gcc_calls_our_variants_from_its_loops() {
    let folder = tempfile::tempdir().unwrap();
    let functions = folder.path().join("functions.o");
    let remarks = ours(&functions, "-O2");
    assert!(!remarks.contains("was not made"), "{remarks}");
    assert!(remarks.contains("`_ZGVdM8vv_iterations` was made: 1 divergent loop"), "{remarks}");
    for (isa, flag, feature) in [
        ('b', "-msse2", "sse2"),
        ('c', "-mavx", "avx"),
        ('d', "-mavx2", "avx2"),
        ('e', "-mavx512f", "avx512f"),
    ] {
        let path = |name: &str| folder.path().join(name).display().to_string();
        let (object, program) = (path("caller.o"), path("caller"));
        let caller = source("caller.c");
        let flags = ["-O3", "-fopenmp-simd", "-ffp-contract=off", flag];
        run("gcc", &[&flags[..], &["-c", "-o", &object, &caller]].concat());
        let called = run("nm", &["-u", &object]);
        let ours = called.lines().filter(|line| line.contains(&format!("_ZGV{isa}"))).count();
        assert!(ours >= 3, "gcc calls few variants with {flag}:\n{called}");
        run("gcc", &["-o", &program, &object, &functions.display().to_string()]);
        if lw_llvm::Host::detect().has(feature) {
            assert_eq!(run(&program, &[]), "0 failures\n", "with {flag}");
        } else {
            eprintln!("this machine has no {feature}: linked, not run");
        }
    }
}

#[test]
fn masks_and_several_registers_are_passed_as_gcc_passes_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let flags = ["-O2", "-fopenmp-simd", "-ffp-contract=off", "-c", "-o"];
    run("gcc", &[&flags[..], &[&path("theirs.o"), &source("functions.c")]].concat());
    run("gcc", &["-O1", "-c", "-o", &path("direct.o"), &source("direct.c")]);
    let result = |object: &str| {
        run("gcc", &["-o", &path("direct"), &path("direct.o"), &path(object)]);
        run(&path("direct"), &[])
    };
    let theirs = result("theirs.o");
    assert!(theirs.lines().count() >= 10, "{theirs}");
    for level in ["-O0", "-O2"] {
        ours(&folder.path().join("ours.o"), level);
        assert_eq!(result("ours.o"), theirs, "{level}");
    }
}

#[test]
fn what_cannot_be_vectorized_is_named_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("big.c");
    let text = "struct big { int all[9]; };\n#pragma omp declare simd notinbranch\nint first(struct big *b, __int128 x) { return b->all[0] + (int)x; }\n";
    std::fs::write(&file, text).unwrap();
    let plugin = format!("-fpass-plugin={}", plugin().display());
    let (from, to) =
        (file.display().to_string(), folder.path().join("big.o").display().to_string());
    let flags = ["-O2", "-fopenmp-simd", "-Rpass-missed=laneweaver"];
    let remarks = run("clang-22", &[&flags[..], &[&plugin, "-c", "-o", &to, &from]].concat());
    assert!(
        remarks.contains("big.c:3:1: remark:") && remarks.contains("was not made"),
        "{remarks}"
    );
    let symbols = run("nm", &[&to]);
    assert!(!symbols.contains("_ZGV"), "{symbols}");
}

#[test]
fn variants_have_the_lines_of_the_source() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let plugin = format!("-fpass-plugin={}", plugin().display());
    let flags = ["-g", "-O2", "-fopenmp-simd", &plugin];
    let (llvm, object, from) = (path("functions.ll"), path("functions.o"), source("functions.c"));
    run("clang-22", &[&flags[..], &["-S", "-emit-llvm", "-o", &llvm, &from]].concat());
    run("opt-22", &["-passes=verify", "-disable-output", &llvm]);
    run("clang-22", &[&flags[..], &["-c", "-o", &object, &from]].concat());
    let symbols = run("nm", &[&object]);
    let address = |name: &str| {
        let line = symbols.lines().find(|line| line.ends_with(&format!(" T {name}")));
        let line = line.unwrap_or_else(|| panic!("{name} is not there:\n{symbols}"));
        u64::from_str_radix(line.split(' ').next().unwrap(), 16).unwrap()
    };
    let (variant, text) = ("_ZGVdM8vv_iterations", std::fs::read_to_string(&from).unwrap());
    let line_of = |what: &str| text.lines().position(|line| line.contains(what)).unwrap() + 1;
    let lines = run("llvm-dwarfdump-22", &["--debug-line", &object]);
    let start = address(variant);
    let found: Vec<usize> = lines
        .lines()
        .filter_map(|row| {
            let mut words = row.split_whitespace();
            let at = u64::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok()?;
            let line = words.next()?.parse().ok()?;
            (start..start + 200).contains(&at).then_some(line)
        })
        .collect();
    for what in ["while (x * x", "float t = ", "y = 2 * x"] {
        assert!(found.contains(&line_of(what)), "`{what}` is not among the lines {found:?}");
    }
    let info = run("llvm-dwarfdump-22", &["--debug-info", &object]);
    assert!(info.contains(&format!("\"{variant}\"")), "{variant} has no entry");
}

#[test]
fn references_are_passed_as_gcc_passes_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let plugin = format!("-fpass-plugin={}", plugin().display());
    let flags = ["-O2", "-fopenmp-simd", "-ffp-contract=off", "-c", "-o"];
    let from = source("references.cpp");
    let missed = "-Rpass-missed=laneweaver";
    let remarks =
        run("clang++-22", &[&flags[..], &[&path("ours.o"), missed, &plugin, &from]].concat());
    assert!(!remarks.contains("was not made"), "{remarks}");
    run("g++", &[&flags[..], &[&path("theirs.o"), &from]].concat());
    let result = |object: &str| {
        let direct = source("references_direct.cpp");
        run("g++", &["-O1", "-o", &path("direct"), &direct, &path(object)]);
        run(&path("direct"), &[])
    };
    let theirs = result("theirs.o");
    assert_eq!(theirs.lines().count(), 6, "{theirs}");
    assert_eq!(result("ours.o"), theirs);
}

/// Runs a program for AArch64.
fn run_aarch64(program: &str) -> String {
    run("qemu-aarch64", &["-L", "/usr/aarch64-linux-gnu", program])
}

#[test]
fn variants_for_neon_are_those_of_gcc() {
    const GCC: &str = "aarch64-linux-gnu-gcc";
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let plugin = format!("-fpass-plugin={}", plugin().display());
    let common = ["-O2", "-fopenmp-simd", "-ffp-contract=off", "-c", "-o"];
    let (ours, theirs, functions) = (path("ours.o"), path("theirs.o"), source("functions.c"));
    let target = ["--target=aarch64-linux-gnu", "-Rpass-missed=laneweaver", &plugin, &functions];
    let remarks = run("clang-22", &[&common[..], &[&ours], &target].concat());
    // Two registers for a result are passed in ways that compilers do not agree about.
    let missed: Vec<&str> = remarks.lines().filter(|line| line.contains("was not made")).collect();
    let wide = ["4ulv_from_table", "8v_wide_double", "16vv_wide_float"];
    let expected = |line: &&str| wide.iter().any(|name| line.contains(name));
    assert!(missed.iter().all(expected), "{missed:#?}");
    run(GCC, &[&common[..], &[&theirs, "-w", &functions]].concat());
    run(GCC, &["-O1", "-c", "-o", &path("direct.o"), &source("neon.c")]);
    let result = |object: &str| {
        run(GCC, &["-o", &path("direct"), &path("direct.o"), object]);
        run_aarch64(&path("direct"))
    };
    let wanted = result(&theirs);
    assert_eq!(wanted.lines().count(), 16, "{wanted}");
    assert_eq!(result(&ours), wanted);
    // And from loops that gcc vectorized.
    let caller = path("caller.o");
    run(GCC, &["-O3", common[1], common[2], "-w", "-c", "-o", &caller, &source("caller.c")]);
    let called = run("aarch64-linux-gnu-nm", &["-u", &caller]);
    assert!(called.matches("_ZGVn").count() >= 3, "{called}");
    run(GCC, &["-o", &path("caller"), &caller, &ours]);
    assert_eq!(run_aarch64(&path("caller")), "0 failures\n");
    // Scalable vectors are declined in words.
    let sve = ["--target=aarch64-linux-gnu", "-march=armv8-a+sve", "-Rpass-missed=laneweaver"];
    let remarks = run("clang-22", &[&common[..], &[&ours, &plugin], &sve, &[&functions]].concat());
    assert!(remarks.contains("no variants for scalable vectors are made"), "{remarks}");
}
