//! Calls in vector code: of functions of the module, of variants that gcc wrote, of libmvec and of SLEEF.

mod common;

use common::{plugin, run};
use std::path::Path;

fn source(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/calls");
    folder.join(name).display().to_string()
}

/// Compiles our functions with these flags, links them with what gcc compiled, and runs that. The undefined symbols of our object.
fn linked(flags: &[&str], ulps: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let plugin = format!("-fpass-plugin={}", plugin().display());
    let (ours, theirs, main, program) =
        (path("ours.o"), path("theirs.o"), path("main.o"), path("program"));
    let common = ["-O2", "-fopenmp-simd", "-ffp-contract=off", "-g", &plugin];
    let remarks = ["-Rpass-missed=laneweaver", "-c", "-o", &ours];
    let functions = source("functions.c");
    let said = run("clang-22", &[&common[..], flags, &remarks, &[&functions]].concat());
    assert!(!said.contains("was not made"), "{said}");
    for (to, from) in [(&theirs, "theirs.c"), (&main, "main.c")] {
        let flags = ["-O3", "-fopenmp-simd", "-ffp-contract=off", "-mavx2", "-c", "-o"];
        run("gcc", &[&flags[..], &[to, &source(from)]].concat());
    }
    run("gcc", &["-o", &program, &main, &ours, &theirs, "-lsleef", "-lm"]);
    if lw_llvm::Host::detect().has("avx2") {
        assert_eq!(run(&program, &[ulps]), "0 failures\n", "with {flags:?}");
    } else {
        eprintln!("this machine has no avx2: linked, not run");
    }
    let symbols = run("nm", &["-u", &ours]);
    symbols.lines().filter_map(|line| Some(line.trim().strip_prefix("U ")?.to_string())).collect()
}

#[test]
fn functions_of_the_module_are_vectorized_and_variants_called() {
    let called = linked(&[], "0");
    let has = |name: &str| called.iter().any(|symbol| symbol == name);
    // The variants of gcc, with a mask under the condition and without it else.
    for name in ["_ZGVdM8vu_theirs", "_ZGVdN8ul_theirs_at", "_ZGVbM4vu_theirs"] {
        assert!(has(name), "{name} is not called: {called:?}");
    }
    // Without permission the scalar functions of the C library are called.
    assert!(has("sinf") && !called.iter().any(|symbol| symbol.ends_with("v_sinf")), "{called:?}");
}

#[test]
fn libmvec_is_called_if_the_user_allows_it() {
    for flags in [&["-fveclib=libmvec", "-fno-math-errno"][..], &["-ffast-math"]] {
        let called = linked(flags, "8");
        let has = |name: &str| called.iter().any(|symbol| symbol == name);
        for name in ["_ZGVbN4v_sinf", "_ZGVdN8v_sinf", "_ZGVeN16vv_powf", "_ZGVcN8v_expf"] {
            assert!(has(name), "{flags:?}: {name} is not called: {called:?}");
        }
    }
}

/// Someone may look at `errno` behind the loop.
#[test]
fn calls_that_may_set_errno_stay_calls() {
    let called = linked(&["-fveclib=libmvec"], "0");
    let has = |name: &str| called.iter().any(|symbol| symbol == name);
    assert!(has("sinf") && has("powf"), "{called:?}");
    assert!(!called.iter().any(|symbol| symbol.ends_with("v_sinf")), "{called:?}");
}

#[test]
fn sleef_is_called_if_the_user_wants_it() {
    let plugin = plugin().display().to_string();
    let flags =
        ["-Xclang", "-load", "-Xclang", &plugin, "-mllvm", "-laneweaver-math=sleef", "-ffast-math"];
    let called = linked(&flags, "2");
    let has = |name: &str| called.iter().any(|symbol| symbol == name);
    for name in ["Sleef_sinf4_u10sse2", "Sleef_sinf8_u10avx2", "Sleef_powf16_u10avx512f"] {
        assert!(has(name), "{name} is not called: {called:?}");
    }
    assert!(!called.iter().any(|symbol| symbol.ends_with("v_sinf")), "{called:?}");
}

/// LLVM takes parameters away from functions that nobody else can call. Loops call them vectorized all the same.
#[test]
fn local_functions_are_vectorized_for_their_calls() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let plugin = format!("-fpass-plugin={}", plugin().display());
    let text = "
#include <stdio.h>
#pragma omp declare simd uniform(unused)
__attribute__((noinline)) static float halved(float x, int unused) {
  while (x > 1) x *= 0.5f;
  return x;
}
float in[100], out[100];
__attribute__((noinline)) void all(int n) {
#pragma omp simd simdlen(4)
  for (int i = 0; i < n; ++i) out[i] = halved(in[i], n);
}
int main(void) {
  int failures = 0;
  for (int i = 0; i < 100; ++i) in[i] = i * 0.7f;
  all(100);
  for (volatile int i = 0; i < 100; ++i) failures += out[i] != halved(in[i], i);
  printf(\"%d failures\\n\", failures);
}
";
    std::fs::write(path("local.c"), text).unwrap();
    let (file, llvm) = (path("local.c"), path("local.ll"));
    let flags = ["-O2", "-fopenmp-simd", "-Rpass-missed=laneweaver", &plugin, "-S", "-emit-llvm"];
    let said = run("clang-22", &[&flags[..], &["-o", &llvm, &file]].concat());
    assert!(!said.contains("remark"), "{said}");
    let ir = std::fs::read_to_string(&llvm).unwrap();
    assert!(ir.contains("call <4 x float> @lw._ZGV"), "{ir}");
    assert!(!ir.contains("@_ZGV"), "{ir}");
    run("clang-22", &["-o", &path("local"), &llvm]);
    assert_eq!(run(&path("local"), &[]), "0 failures\n");
}

/// Vectors are passed in the registers that both sides may use, whatever each of them prefers.
#[test]
fn both_sides_of_a_call_pass_vectors_alike() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let plugin = format!("-fpass-plugin={}", plugin().display());
    for machine in [
        &["-march=x86-64"][..],
        &["-march=x86-64-v3"],
        &["-march=x86-64-v4"],
        &["-march=skylake-avx512"],
        &["-march=x86-64-v4", "-mprefer-vector-width=128"],
    ] {
        let flags = ["-O2", "-fopenmp-simd", "-ffp-contract=off", "-Rpass=laneweaver", &plugin];
        let (from, to) = (source("each_lane.c"), path("each_lane"));
        let said = run("clang-22", &[&flags[..], machine, &["-o", &to, &from]].concat());
        assert_eq!(said.matches(": vectorized loop, 16 iterations").count(), 2, "{said}");
        let level = machine[0].strip_prefix("-march=").unwrap();
        let feature = match level {
            "x86-64" => "sse2",
            "x86-64-v3" => "avx2",
            _ => "avx512vl",
        };
        if lw_llvm::Host::detect().has(feature) {
            assert_eq!(run(&to, &[]), "0 failures\n", "{machine:?}");
        } else {
            eprintln!("this machine has no {feature}: linked, not run");
        }
    }
}

/// What is called is vectorized for the machine of the caller, if that has all that the function may use, and for each machine on its own.
#[test]
fn callees_are_vectorized_for_the_machine_of_their_caller() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let plugin = plugin().display().to_string();
    let pass = format!("-fpass-plugin={plugin}");
    let (text, program, file) = (path("machines.ll"), path("program"), source("machines.c"));
    let load = ["-Xclang", "-load", "-Xclang", &plugin, "-mllvm", "-laneweaver-force"];
    let flags = ["-O2", "-fopenmp-simd", &pass, "-Rpass=laneweaver", "-Rpass-missed=laneweaver"];
    let to = ["-S", "-emit-llvm", "-o", &text, &file];
    let said = run("clang-22", &[&load[..], &flags, &to].concat());
    assert_eq!(said.matches(", 1 call of a vector function").count(), 5, "{said}");
    let made = std::fs::read_to_string(&text).unwrap();
    let callees = made.lines().filter(|line| line.starts_with("define") && line.contains("@lw."));
    // For SSE2, AVX2, AVX2 with FMA and AVX-512; `target_clones` share what is the same.
    assert!(callees.count() >= 4, "{said}");
    run("clang-22", &["-O1", "-o", &program, &text]);
    assert_eq!(run(&program, &[]), "0 failures\n");
}
