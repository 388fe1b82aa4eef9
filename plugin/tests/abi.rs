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
    for level in ["-O0", "-O1", "-O2", "-O3"] {
        ours(&folder.path().join("ours.o"), level);
        assert_eq!(result("ours.o"), theirs, "{level}");
    }
}

/// Each clause, and parameters and results of each kind: variants that are made at any level, called from loops of ours, in place of
/// gcc's and beside them.
#[test]
fn parameters_of_each_kind() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (functions, caller) = (source("kinds.c"), source("kinds_caller.c"));
    let (object, program) = (path("caller.o"), path("caller"));
    let flags = ["-ffp-contract=off", "-w"];
    run("clang-22", &[&flags[..], &["-O0", "-o", &program, &caller, &functions]].concat());
    let wanted = run(&program, &[]);
    let plugin = plugin().display().to_string();
    let pass = format!("-fpass-plugin={plugin}");
    let forced = ["-Xclang", "-load", "-Xclang", &plugin, "-mllvm", "-laneweaver-force"];
    let remarks = ["-Rpass=laneweaver", "-Rpass-missed=laneweaver", "-fopenmp-simd", &pass];
    let theirs = path("theirs.o");
    let gcc = ["-O2", "-fopenmp-simd", "-c", "-o", &theirs, &functions];
    run("gcc", &[&flags[..], &gcc].concat());
    let mut made = vec![theirs];
    for level in ["-O0", "-O1", "-O2", "-O3"] {
        let to = path(&format!("functions{level}.o"));
        let said = run(
            "clang-22",
            &[&flags[..], &remarks, &[level, "-c", "-o", &to, &functions]].concat(),
        );
        assert!(!said.contains("was not made") && said.contains(" was made"), "{level}: {said}");
        made.push(to);
    }
    let loops = std::fs::read_to_string(&caller).unwrap();
    let marked = |line: &&str| line.starts_with("LOOP(") || line.starts_with("#pragma omp simd");
    let loops = loops.lines().filter(marked).count();
    for (machine, feature) in
        [("-msse2", "sse2"), ("-mavx", "avx"), ("-mavx2", "avx2"), ("-march=x86-64-v4", "avx512vl")]
    {
        let to = ["-O2", machine, "-c", "-o", &object, &caller];
        let said = run("clang-22", &[&flags[..], &remarks, &forced, &to].concat());
        assert_eq!(said.matches(": vectorized loop, ").count(), loops, "{machine}: {said}");
        let undefined = run("nm", &["-u", &object]);
        let called = undefined.matches(" _ZGV").count();
        assert!(called >= 16, "{machine}: {called} variants are called");
        for steps in ["ls1uv_by_steps", "ls1u_by_steps_of_bytes", "ls1u_by_short_steps"] {
            assert!(undefined.contains(steps), "{machine}: {steps} is not called:\n{undefined}");
        }
        for functions in &made {
            run("gcc", &["-o", &program, &object, functions]);
            if lw_llvm::Host::detect().has(feature) {
                assert_eq!(run(&program, &[]), wanted, "{machine} {functions}");
            }
        }
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

/// Files that see only a declaration call the variants that it promises.
#[test]
fn what_cannot_be_vectorized_is_called_for_each_lane() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (header, ours, caller) = (path("catch.h"), path("ours.cpp"), path("caller.cpp"));
    let declaration = "#pragma omp declare simd linear(at) uniform(k) notinbranch\n\
                       #pragma omp declare simd linear(at) uniform(k) inbranch\n\
                       short caught(float x, int at, signed char k)";
    std::fs::write(&header, format!("{declaration};\n")).unwrap();
    let text = "#include \"catch.h\"\nvoid may_throw(int x) { if (x % 3 == 0) throw x; }\n";
    let body = "{ try { may_throw(at); return x * 2; } catch (int y) { return y - k; } }\n";
    std::fs::write(&ours, format!("{text}{declaration} {body}")).unwrap();
    let text = "#include \"catch.h\"
#include <stdio.h>
int main() {
  float in[67];
  short to[67];
  for (int i = 0; i < 67; i++) in[i] = i * 0.75f;
#pragma omp simd
  for (int i = 0; i < 67; i++) to[i] = caught(in[i], i, -3);
#pragma omp simd
  for (int i = 0; i < 67; i++) if (i & 4) to[i] += caught(in[i] + to[i], i, 5);
  for (int i = 0; i < 67; i++) printf(\"%d \", to[i]);
}
";
    std::fs::write(&caller, text).unwrap();
    let (object, program) = (path("ours.o"), path("program"));
    run("clang++-22", &["-O1", "-w", "-o", &program, &ours, &caller]);
    let wanted = run(&program, &[]);
    let plugin = format!("-fpass-plugin={}", plugin().display());
    let flags = ["-O2", "-g", "-fopenmp-simd", "-w", "-Rpass-missed=laneweaver", &plugin];
    let said = run("clang++-22", &[&flags[..], &["-c", "-o", &object, &ours]].concat());
    let reason = "calls the function for each lane: ";
    assert!(said.contains(reason) && said.contains("exceptions may pass through"), "{said}");
    assert!(!said.contains("was not made"), "{said}");
    for machine in ["-msse4.2", "-mavx2", "-march=native"] {
        let to = ["-O2", machine, "-fopenmp-simd", "-o", &program, &object, &caller];
        run("g++", &to);
        assert_eq!(run(&program, &[]), wanted, "gcc {machine}");
        run("clang++-22", &[&flags[..], &to].concat());
        assert_eq!(run(&program, &[]), wanted, "{machine}");
    }
}

/// The reason is what the user wrote, not what follows from it; what two pragmas name is made once.
#[test]
fn reasons_are_those_of_the_source() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (file, object) = (path("reasons.c"), path("reasons.o"));
    let plugin = format!("-fpass-plugin={}", plugin().display());
    for (text, reason) in [
        (
            "simdlen(1)\nint f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }",
            "one lane is no vector",
        ),
        ("simdlen(3)\nint f(int x) { return x; }", "has 3 lanes; `simdlen` is a power of two"),
        ("\nint f(_Float16 x) { return x; }", "parameter 0 of `_ZGVbN4v_f` is a float of 16 bits"),
        ("\nint f(long double x) { return x; }", "is a float of 80 bits"),
        (
            "\nfloat f(_Complex float x) { return __real__ x; }",
            "is a short vector or a complex number",
        ),
        ("\nlong double f(int x) { return x; }", "is a float of 80 bits"),
        ("\nint f(int x, ...) { return x; }", "the function takes any number of arguments"),
        ("simdlen(128)\nchar f(char x) { return x; }", "the mask of `_ZGVeM128v_f` has 128 bits"),
    ] {
        std::fs::write(&file, format!("#pragma omp declare simd {text}\n")).unwrap();
        let flags = ["-O2", "-fopenmp-simd", "-Rpass-missed=laneweaver", "-w"];
        let said = run("clang-22", &[&flags[..], &[&plugin, "-c", "-o", &object, &file]].concat());
        assert!(said.contains("was not made") && said.contains(reason), "{text}: {said}");
    }
    let two = "#pragma omp declare simd simdlen(8)\n#pragma omp declare simd simdlen(4) inbranch\n\
               int f(int x, int y) { return x + y; }\n";
    std::fs::write(&file, two).unwrap();
    let remarks = ["-Rpass=laneweaver", "-Rpass-missed=laneweaver", &plugin];
    let to = ["-O2", "-fopenmp-simd", "-c", "-o", &object, &file];
    let said = run("clang-22", &[&remarks[..], &to].concat());
    assert!(!said.contains("was not made"), "{said}");
    assert_eq!(said.matches("`_ZGVcM4vv_f` was made").count(), 1, "{said}");
}

/// gcc calls variants with constant steps by the step as a number of the parameter's type.
#[test]
fn gcc_and_we_find_variants_with_steps_of_narrow_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (functions, caller) = (source("kinds.c"), source("kinds_caller.c"));
    let plugin = plugin().display().to_string();
    let pass = format!("-fpass-plugin={plugin}");
    let forced = ["-Xclang", "-load", "-Xclang", &plugin, "-mllvm", "-laneweaver-force"];
    let flags = ["-O3", "-mavx2", "-fopenmp-simd", "-ffp-contract=off", "-w", "-c"];
    let (ours, theirs) = (path("ours.o"), path("theirs.o"));
    run("clang-22", &[&flags[..], &[&pass, "-o", &ours, &functions]].concat());
    run("gcc", &[&flags[..], &["-o", &theirs, &functions]].concat());
    let narrow = ["_down_by_one", "_both_down", "_far_beyond"];
    let names = |symbols: String, kind: &str| -> Vec<String> {
        let all = symbols.lines().filter_map(|line| line.split_once(kind)).map(|(_, name)| name);
        let wanted =
            |name: &&str| name.starts_with("_ZGV") && narrow.iter().any(|n| name.ends_with(n));
        all.filter(wanted).map(String::from).collect()
    };
    let (made, wanted) = (names(run("nm", &[&ours]), " T "), names(run("nm", &[&theirs]), " T "));
    assert!(wanted.len() >= 3 * 8, "{wanted:?}");
    for name in &wanted {
        assert!(made.contains(name), "gcc makes {name}, we make {made:?}");
    }
    // What we call by clang's name is there, whoever compiled the function.
    let object = path("caller.o");
    run("clang-22", &[&flags[..], &forced, &[&pass, "-o", &object, &caller]].concat());
    let brought = names(run("nm", &[&object]), " W ");
    assert!(brought.len() >= 2, "{brought:?}");
}

/// Clang names other variants than gcc for static member functions and for `aligned` without a number.
#[test]
fn gcc_finds_the_variants_that_clang_names_differently() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (ours, caller, program) = (path("ours.o"), path("caller.o"), path("program"));
    let plugin = format!("-fpass-plugin={}", plugin().display());
    let flags = ["-O2", "-fopenmp-simd", "-c", "-Rpass-missed=laneweaver", &plugin];
    let members = source("members.cpp");
    let said = run("clang++-22", &[&flags[..], &["-o", &ours, &members]].concat());
    assert!(!said.contains("was not made"), "{said}");
    for (machine, feature, letter) in [
        ("-msse2", "sse2", 'b'),
        ("-mavx", "avx", 'c'),
        ("-mavx2", "avx2", 'd'),
        ("-mavx512f", "avx512f", 'e'),
    ] {
        let to = ["-O3", machine, "-fopenmp-simd", "-DCALLER", "-c", "-o", &caller, &members];
        run("g++", &to);
        let called = run("nm", &["-u", &caller]);
        assert!(called.matches(&format!("_ZGV{letter}")).count() >= 3, "{machine}: {called}");
        run("g++", &["-o", &program, &caller, &ours]);
        if lw_llvm::Host::detect().has(feature) {
            assert_eq!(run(&program, &[]), "0 failures\n", "{machine}");
        }
    }
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
    assert_eq!(theirs.lines().count(), 8, "{theirs}");
    assert!(theirs.ends_with("ended\n"), "{theirs}");
    assert_eq!(result("ours.o"), theirs);
}

const AARCH64_GCC: &str = "aarch64-linux-gnu-gcc";

/// Runs a program for AArch64.
fn run_aarch64(program: &str, flags: &[&str]) -> String {
    run("qemu-aarch64", &[&["-L", "/usr/aarch64-linux-gnu"], flags, &[program]].concat())
}

/// Compiles a file with the plug-in for AArch64 with more flags. All variants must be made.
fn compile_aarch64(file: &str, object: &str, flags: &[&str]) {
    let plugin = format!("-fpass-plugin={}", plugin().display());
    let common = ["-O2", "-fopenmp-simd", "-ffp-contract=off", "-c", "-o", object, &source(file)];
    let target = ["--target=aarch64-linux-gnu", "-Rpass-missed=laneweaver", &plugin];
    let remarks = run("clang-22", &[&common[..], &target, flags].concat());
    assert!(!remarks.contains("was not made"), "{remarks}");
}

#[test]
fn variants_for_neon_are_those_of_gcc() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (ours, theirs) = (path("ours.o"), path("theirs.o"));
    // With SVE clang names only variants for that; gcc still calls those for NEON.
    let with_sve = path("with_sve.o");
    compile_aarch64("functions.c", &ours, &[]);
    compile_aarch64("functions.c", &with_sve, &["-march=armv8-a+sve"]);
    let common = ["-fopenmp-simd", "-ffp-contract=off", "-w", "-c", "-o"];
    run(AARCH64_GCC, &[&["-O2"], &common[..], &[&theirs, &source("functions.c")]].concat());
    run(AARCH64_GCC, &["-O1", "-c", "-o", &path("direct.o"), &source("neon.c")]);
    let result = |object: &str| {
        run(AARCH64_GCC, &["-o", &path("direct"), &path("direct.o"), object]);
        run_aarch64(&path("direct"), &["-cpu", "max"])
    };
    let wanted = result(&theirs);
    assert_eq!(wanted.lines().count(), 18, "{wanted}");
    assert_eq!(result(&ours), wanted);
    assert_eq!(result(&with_sve), wanted);
    // And from loops that gcc vectorized.
    let caller = path("caller.o");
    run(AARCH64_GCC, &[&["-O3"], &common[..], &[&caller, &source("caller.c")]].concat());
    let called = run("aarch64-linux-gnu-nm", &["-u", &caller]);
    assert!(called.matches("_ZGVn").count() >= 3, "{called}");
    for functions in [&ours, &with_sve] {
        run(AARCH64_GCC, &["-o", &path("caller"), &caller, functions]);
        assert_eq!(run_aarch64(&path("caller"), &["-cpu", "max"]), "0 failures\n");
    }
}

/// gcc makes no such variants, but it knows the types of the ABI.
#[test]
fn neon_variants_take_several_registers() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    compile_aarch64("functions.c", &path("functions.o"), &[]);
    compile_aarch64("wide.c", &path("wide.o"), &[]);
    let direct = path("direct");
    let parts = [source("wide_direct.c"), path("wide.o"), path("functions.o")];
    run(AARCH64_GCC, &["-O1", "-o", &direct, &parts[0], &parts[1], &parts[2]]);
    let said = run_aarch64(&direct, &[]);
    assert!(said.ends_with(" 0 failures\n") && !said.starts_with("0 "), "{said}");
    // And from loops that we vectorized.
    let caller = path("caller.o");
    compile_aarch64("wide_caller.c", &caller, &[]);
    let called = run("aarch64-linux-gnu-nm", &["-u", &caller]);
    for name in ["_ZGVnM16vv_memory", "_ZGVnN4vvv_mixed", "_ZGVnN4v_narrowed", "_ZGVnN4v_widened"] {
        assert!(called.contains(name), "{name} is not called:\n{called}");
    }
    run(AARCH64_GCC, &["-o", &path("caller"), &caller, &parts[1]]);
    assert_eq!(run_aarch64(&path("caller"), &[]), "0 failures\n");
}

#[test]
fn variants_for_scalable_vectors_fit_registers_of_any_size() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let sve = ["-march=armv8-a+sve"];
    compile_aarch64("functions.c", &path("functions.o"), &sve);
    compile_aarch64("wide.c", &path("wide.o"), &sve);
    let (direct, caller) = (path("direct"), source("sve.c"));
    let parts = [&caller, &path("wide.o"), &path("functions.o")];
    run(AARCH64_GCC, &["-O1", sve[0], "-o", &direct, parts[0], parts[1], parts[2]]);
    for bytes in [16, 32, 64, 256] {
        let cpu = format!("max,sve-default-vector-length={bytes}");
        let said = run_aarch64(&direct, &["-cpu", &cpu]);
        assert_eq!(said, format!("{} lanes, 0 failures\n", bytes / 4));
    }
}
