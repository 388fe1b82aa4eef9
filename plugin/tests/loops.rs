//! Marked loops of each kind: all of them are vectorized, and compute what clang alone computes, bit by bit.

mod common;
#[path = "common/unoptimized.rs"]
mod unoptimized;

use common::{plugin, run};
use std::path::{Path, PathBuf};

fn source(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/loops").join(name).display().to_string()
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> String {
        PathBuf::from(self.0.path()).join(name).display().to_string()
    }

    /// Links the kernels with what clang alone makes of them, and compares.
    fn compare(&self, vector: &str, what: &str) {
        let (scalar, program) = (self.path("scalar.o"), self.path("compare"));
        let flags = ["-O1", "-DSCALAR", "-ffp-contract=off", "-fno-vectorize"];
        run("clang-22", &[&flags[..], &["-c", "-o", &scalar, &source("kernels.c")]].concat());
        run("clang-22", &["-o", &program, &source("compare.c"), &scalar, vector, "-lm"]);
        let said = run(&program, &[]);
        assert!(said.ends_with(" 0 failures\n"), "{what}: {said}");
    }
}

const FLAGS: [&str; 4] =
    ["-fopenmp-simd", "-ffp-contract=off", "-Rpass=laneweaver", "-Rpass-missed=laneweaver"];

/// The kernels whose loops must be vectorized.
fn kernels() -> usize {
    let text = std::fs::read_to_string(source("kernels.c")).expect("the kernels");
    text.lines().filter(|line| line.starts_with("KERNEL(")).count()
}

/// Every kernel has a vectorized loop, and no marked loop is declined.
fn all_vectorized(remarks: &str, what: &str) {
    assert!(!remarks.contains("not vectorized"), "{what}:\n{remarks}");
    let done = remarks.lines().filter(|line| line.contains(": vectorized loop, ")).count();
    assert!(done >= kernels(), "{what}: {done} of {} loops\n{remarks}", kernels());
}

/// Every marked loop is vectorized, or left as it is because it would be slower, which few are.
fn vectorized_or_slower(remarks: &str, what: &str) {
    let mut declined = remarks.lines().filter(|line| line.contains("not vectorized"));
    assert!(declined.all(|line| line.contains("it would be slower")), "{what}:\n{remarks}");
    let done = remarks.lines().filter(|line| line.contains(": vectorized loop, ")).count();
    assert!(done * 5 >= kernels() * 4, "{what}: {done} of {} loops\n{remarks}", kernels());
}

/// All that is marked is vectorized, and always taken.
fn compile(folder: &Folder, flags: &[&str]) -> String {
    let plugin = plugin().display().to_string();
    let forced = ["-Xclang", "-load", "-Xclang", &plugin, "-mllvm", "-laneweaver-force"];
    compile_as_it_is(folder, &[&forced[..], flags].concat())
}

fn compile_as_it_is(folder: &Folder, flags: &[&str]) -> String {
    let plugin = format!("-fpass-plugin={}", plugin().display());
    let object = folder.path("vector.o");
    let kernels = source("kernels.c");
    let all = [&FLAGS[..], flags, &[&plugin, "-c", "-o", &object, &kernels]].concat();
    run("clang-22", &all)
}

#[test]
fn in_clang_at_all_levels() {
    for level in ["-O1", "-O2", "-O3"] {
        for machine in ["-march=x86-64", "-march=native"] {
            let folder = Folder::new();
            let remarks = compile(&folder, &[level, machine]);
            let what = format!("{level} {machine}");
            all_vectorized(&remarks, &what);
            folder.compare(&folder.path("vector.o"), &what);
        }
    }
}

/// Where lanes part, the vector loop is one of two that are tried.
#[test]
fn with_trials() {
    for machine in ["-march=x86-64", "-march=native"] {
        let folder = Folder::new();
        let remarks = compile_as_it_is(&folder, &["-O2", machine]);
        vectorized_or_slower(&remarks, machine);
        let tried = remarks.lines().filter(|line| line.contains(" where trials find that faster"));
        assert!(tried.count() >= 5, "{remarks}");
        folder.compare(&folder.path("vector.o"), machine);
    }
}

/// Nobody takes a function that remembers trials for one without effects; and only those are tried that compute the same both ways.
#[test]
fn trials_are_no_secret() {
    let folder = Folder::new();
    let (file, text) = (folder.path("tried.c"), folder.path("tried.ll"));
    let code = "
        int steps(int n, const unsigned *a) {
          int all = 0;
        #pragma omp simd reduction(+ : all)
          for (int i = 0; i < n; i++)
            for (unsigned x = a[i]; x > 1; x = x % 2 ? 3 * x + 1 : x / 2) all++;
          return all;
        }
        int twice(int n, const unsigned *a) { return steps(n, a) * 2; }
        float sum(int n, const unsigned *a) {
          float all = 0;
        #pragma omp simd reduction(+ : all)
          for (int i = 0; i < n; i++)
            for (unsigned x = a[i]; x > 1; x = x % 2 ? 3 * x + 1 : x / 2) all += 0.1f;
          return all;
        }";
    std::fs::write(&file, code).expect("a file");
    let pass = format!("-fpass-plugin={}", plugin().display());
    let emit = ["-O2", "-fno-inline", "-S", "-emit-llvm", "-o", &text, &file];
    let remarks = run("clang-22", &[&FLAGS[..], &[pass.as_str()], &emit].concat());
    let tried: Vec<bool> = (remarks.lines().filter(|line| line.contains(": vectorized loop, ")))
        .map(|line| line.contains("where trials find that faster"))
        .collect();
    assert_eq!(tried, [true, false], "{remarks}");
    let text = std::fs::read_to_string(&text).expect("clang wrote it");
    assert!(text.contains("@laneweaver.trial."), "{text}");
    assert!(text.contains("call i64 @llvm.readcyclecounter()"), "{text}");
    for name in ["@steps(", "@twice("] {
        let line = text.lines().find(|line| line.starts_with("define") && line.contains(name));
        let group =
            line.and_then(|line| line.split_whitespace().find(|word| word.starts_with('#')));
        let group = group.unwrap_or_else(|| panic!("{name} has no attributes"));
        let attributes = text.lines().find(|l| l.starts_with(&format!("attributes {group} = ")));
        let attributes = attributes.expect("they are at the end");
        assert!(!attributes.contains("memory(argmem: read)"), "{name}: {attributes}");
    }
}

#[test]
fn with_both_remainders_and_gadgets() {
    for remainder in ["-laneweaver-masked-remainder", "-laneweaver-masked-remainder=false"] {
        let folder = Folder::new();
        let ours = ["-mllvm", remainder, "-mllvm", "-laneweaver-boscc"];
        let remarks = compile(&folder, &[&["-O2", "-march=native"], &ours[..]].concat());
        all_vectorized(&remarks, remainder);
        folder.compare(&folder.path("vector.o"), remainder);
    }
}

#[test]
fn with_debug_information_and_thin_lto() {
    let folder = Folder::new();
    let remarks = compile(&folder, &["-O2", "-g", "-flto=thin", "-march=native"]);
    all_vectorized(&remarks, "-flto=thin");
    let (bitcode, object) = (folder.path("vector.o"), folder.path("linked.o"));
    run("opt-22", &["-passes=verify", "-disable-output", &bitcode]);
    run("llc-22", &["-O2", "-filetype=obj", "-relocation-model=pic", "-o", &object, &bitcode]);
    folder.compare(&object, "-flto=thin");
}

#[test]
fn from_unoptimized_code() {
    let folder = Folder::new();
    let object = folder.path("vector.o");
    let said = unoptimized::vectorize("clang-22", &source("kernels.c"), &object, &[]);
    all_vectorized(&said, "-O0");
    folder.compare(&object, "-O0");
}

/// Lanes without an iteration, or with a false condition, touch no memory and divide by nothing.
#[test]
fn against_pages_that_must_not_be_touched() {
    let plugin = plugin().display().to_string();
    let load = ["-Xclang", "-load", "-Xclang", &plugin];
    let forced = [&load[..], &["-mllvm", "-laneweaver-force"]].concat();
    let masked = [&forced[..], &["-mllvm", "-laneweaver-masked-remainder"]].concat();
    let scalar = [&forced[..], &["-mllvm", "-laneweaver-masked-remainder=false"]].concat();
    for (machine, more) in [
        ("-march=x86-64", &forced[..]),
        ("-march=x86-64", &masked[..]),
        ("-march=native", &forced[..]),
        ("-march=native", &scalar[..]),
    ] {
        let folder = Folder::new();
        let (scalar, vector, program) =
            (folder.path("scalar.o"), folder.path("vector.o"), folder.path("guards"));
        let pass = format!("-fpass-plugin={plugin}");
        let guarded = source("guarded.c");
        run("clang-22", &["-O1", "-fno-vectorize", "-DSCALAR", "-c", "-o", &scalar, &guarded]);
        let flags = [machine, "-O2", "-fno-vectorize", &pass, "-c", "-o", &vector, &guarded];
        let remarks = run("clang-22", &[&FLAGS[..], &flags, more].concat());
        let done = remarks.lines().filter(|line| line.contains(": vectorized loop, ")).count();
        assert_eq!(done, 9, "{remarks}");
        run("clang-22", &["-O1", "-o", &program, &source("guards.c"), &scalar, &vector]);
        let said = run(&program, &[]);
        assert!(said.ends_with("0 failures\n"), "{machine}: {said}");
        let remarks = unoptimized::vectorize("clang-22", &guarded, &vector, &[machine]);
        assert_eq!(remarks.matches(": vectorized loop, ").count(), 9, "-O0: {remarks}");
        run("clang-22", &["-O1", "-o", &program, &source("guards.c"), &scalar, &vector]);
        let said = run(&program, &[]);
        assert!(said.ends_with("0 failures\n"), "-O0 {machine}: {said}");
    }
}

/// What LLVM knows because no iteration follows one that ended the program is not what lanes beside it may rely on.
#[test]
fn where_an_iteration_may_end_the_program() {
    let plugin = plugin().display().to_string();
    for (level, machine) in
        [("-O1", "-march=x86-64"), ("-O2", "-march=native"), ("-O3", "-march=native")]
    {
        let folder = Folder::new();
        let program = folder.path("ends");
        let pass = format!("-fpass-plugin={plugin}");
        let forced = ["-Xclang", "-load", "-Xclang", &plugin, "-mllvm", "-laneweaver-force"];
        let flags = [machine, level, "-fno-vectorize", &pass, "-o", &program];
        let ends = source("ends.c");
        let remarks = run("clang-22", &[&FLAGS[..], &forced, &flags, &[&ends]].concat());
        let done = remarks.lines().filter(|line| line.contains(": vectorized loop, ")).count();
        assert_eq!(done, marked("ends.c"), "{remarks}");
        let said = run(&program, &[]);
        assert!(said.ends_with("0 failures\n"), "{level} {machine}: {said}");
    }
    let folder = Folder::new();
    let (object, program) = (folder.path("ends.o"), folder.path("ends"));
    let remarks = unoptimized::vectorize("clang-22", &source("ends.c"), &object, &[]);
    assert_eq!(remarks.matches(": vectorized loop, ").count(), marked("ends.c"), "-O0: {remarks}");
    run("clang-22", &["-o", &program, &object]);
    assert!(run(&program, &[]).ends_with("0 failures\n"), "-O0");
}

/// With `-ftrapv` most of what is computed may end the program, and each kind of operation does so in one place of the function.
#[test]
fn where_an_overflow_ends_the_program() {
    let folder = Folder::new();
    let (program, plugin) = (folder.path("ends"), plugin().display().to_string());
    let pass = format!("-fpass-plugin={plugin}");
    let forced = ["-Xclang", "-load", "-Xclang", &plugin, "-mllvm", "-laneweaver-force"];
    let flags = ["-O2", "-ftrapv", "-march=native", "-fno-vectorize", &pass, "-o", &program];
    let remarks = run("clang-22", &[&FLAGS[..], &forced, &flags, &[&source("ends.c")]].concat());
    let done = remarks.lines().filter(|line| line.contains(": vectorized loop, ")).count();
    assert!(done >= 4, "{remarks}");
    let said = run(&program, &[]);
    assert!(said.ends_with("0 failures\n"), "{said}");
}

/// How many loops of a program are marked.
fn marked(name: &str) -> usize {
    let text = std::fs::read_to_string(source(name)).expect("the program");
    // Macros have one loop at least.
    let marks = ["#pragma omp simd", "#pragma clang loop vectorize", "LOOP(", "BEST(", "LEAST("];
    let marked = |line: &&str| marks.iter().any(|mark| line.trim_start().starts_with(mark));
    text.lines().filter(marked).count()
}

/// A program without vectors prints what it prints with all marked loops vectorized: at each level, with both remainders. What that is.
fn all_at_each_level(folder: &Folder, name: &str) -> String {
    let (plain, program) = (folder.path("plain"), folder.path("program"));
    let (file, loops) = (source(name), marked(name));
    // LLVM takes the pragma for a permission to reorder sums.
    let in_order = ["-mllvm", "-hints-allow-reordering=false"];
    let flags = ["-O1", "-fno-vectorize", "-ffp-contract=off", "-Wno-source-uses-openmp"];
    run("clang-22", &[&flags[..], &in_order, &["-o", &plain, &file, "-lm", "-lstdc++"]].concat());
    let wanted = run(&plain, &[]);
    let plugin = plugin().display().to_string();
    let pass = format!("-fpass-plugin={plugin}");
    let forced = ["-Xclang", "-load", "-Xclang", &plugin, "-mllvm", "-laneweaver-force"];
    for level in ["-O1", "-O2", "-O3"] {
        for machine in ["-march=x86-64", "-march=native"] {
            for remainder in ["", "=false"] {
                let remainder = format!("-laneweaver-masked-remainder{remainder}");
                let flags = [level, machine, "-mllvm", &remainder, &pass, "-o", &program];
                let all = [&FLAGS[..], &forced, &flags, &[&file, "-lm", "-lstdc++"]].concat();
                let remarks = run("clang-22", &all);
                let what = format!("{level} {machine} {remainder}:\n{remarks}");
                assert!(!remarks.contains("not vectorized"), "{what}");
                let done = remarks.lines().filter(|line| line.contains(": vectorized loop, "));
                assert!(done.count() >= loops, "{what}");
                assert_eq!(run(&program, &[]), wanted, "{what}");
            }
        }
    }
    wanted
}

/// The same, and from code that no pass has seen.
fn all_of_a_program(name: &str) {
    let folder = Folder::new();
    let wanted = all_at_each_level(&folder, name);
    let (program, file, loops) = (folder.path("program"), source(name), marked(name));
    let object = folder.path("program.o");
    let remarks = unoptimized::vectorize("clang-22", &file, &object, &[]);
    let done = remarks.lines().filter(|line| line.contains(": vectorized loop, "));
    assert!(done.count() >= loops, "-O0:\n{remarks}");
    run("clang-22", &["-o", &program, &object, "-lm", "-lstdc++"]);
    assert_eq!(run(&program, &[]), wanted, "-O0");
}

/// Lanes that take a lock one after the other would never end.
#[test]
fn what_lanes_would_wait_for() {
    let folder = Folder::new();
    let (plain, program, file) =
        (folder.path("plain"), folder.path("program"), source("waits.cpp"));
    run("clang++-22", &["-O1", "-w", "-o", &plain, &file]);
    let wanted = run(&plain, &[]);
    let shared = plugin().display().to_string();
    let pass = format!("-fpass-plugin={shared}");
    let forced = ["-Xclang", "-load", "-Xclang", &shared, "-mllvm", "-laneweaver-force"];
    let text = std::fs::read_to_string(&file).expect("the source");
    for level in ["-O1", "-O3"] {
        let flags = [level, &pass, "-o", &program, &file];
        let remarks = run("clang++-22", &[&FLAGS[..], &forced, &flags].concat());
        for (number, line) in text.lines().enumerate() {
            let Some((_, what)) = line.split_once("i++) // ") else { continue };
            let reason = what.strip_prefix("remark: ").unwrap_or("remark: vectorized loop, ");
            let near = [format!("waits.cpp:{}:", number), format!("waits.cpp:{}:", number + 1)];
            let is_it =
                |said: &str| near.iter().any(|at| said.contains(at)) && said.contains(reason);
            assert!(remarks.lines().any(is_it), "{level} {}: {reason}\n{remarks}", number + 1);
        }
        assert_eq!(run("timeout", &["20", &program]), wanted, "{level}");
    }
}

#[test]
fn several_conditions() {
    all_at_each_level(&Folder::new(), "conditions.c");
}

/// What is found out in a loop, and tested behind it.
#[test]
fn outcomes_that_are_tested() {
    all_of_a_program("outcomes.c");
}

/// Functions that may set `errno`: LLVM has to know them.
#[test]
fn what_sets_errno() {
    let folder = Folder::new();
    let (plain, program, file) = (folder.path("plain"), folder.path("program"), source("errno.c"));
    run("clang-22", &["-O1", "-fno-vectorize", "-w", "-o", &plain, &file, "-lm"]);
    let plugin = plugin().display().to_string();
    let pass = format!("-fpass-plugin={plugin}");
    let forced = ["-Xclang", "-load", "-Xclang", &plugin, "-mllvm", "-laneweaver-force"];
    for level in ["-O1", "-O2", "-O3"] {
        let flags = [level, &pass, "-o", &program, &file, "-lm"];
        let remarks = run("clang-22", &[&FLAGS[..], &forced, &flags].concat());
        assert_eq!(remarks.matches(": vectorized loop, ").count(), marked("errno.c"), "{remarks}");
        assert_eq!(run(&program, &[]), run(&plain, &[]), "{level}");
    }
}

/// Arrays that iterations share, and those of which each has its own, which clang does not tell apart.
#[test]
fn arrays_on_the_stack() {
    all_of_a_program("arrays.c");
}

/// What is computed from the addresses of arrays that each iteration has for itself.
#[test]
fn addresses_in_arrays_of_the_body() {
    all_of_a_program("addresses.c");
}

/// Arrays of which each iteration has its own, which are combined, or of which the last is kept.
#[test]
fn arrays_in_clauses() {
    all_of_a_program("clauses.c");
}

/// Operations of each kind on numbers of each type, which iterations combine or choose from.
#[test]
fn reductions() {
    all_of_a_program("reductions.c");
}

/// Places of the best, where the best is read again.
#[test]
fn places_of_the_best() {
    all_of_a_program("places.c");
}

/// The best, where there may be none yet.
#[test]
fn the_best_if_there_is_one() {
    all_of_a_program("none_yet.c");
}

/// Elements of each type, reached in each way; short vectors and structs.
#[test]
fn elements_of_each_type() {
    all_of_a_program("numbers.c");
}

/// Calls, intrinsics, and what is done by one lane after the other.
#[test]
fn calls_and_effects() {
    all_of_a_program("effects.c");
}

/// Counters of each width, in each direction, and pointers; all forms of clang's pragma.
#[test]
fn counters() {
    all_of_a_program("counters.c");
}

/// What C++ puts between a loop and its numbers.
#[test]
fn classes_and_templates() {
    all_of_a_program("classes.cpp");
}

/// Loops of OpenMP are known as such, however they count.
#[test]
fn loops_that_count_in_all_ways() {
    all_of_a_program("heads.cpp");
}

/// Where clang says of iterations that they are independent although they share what each should have for itself, and it cannot be given
/// to them, or a variable that a function changes, nobody vectorizes.
#[test]
fn arrays_that_iterations_cannot_have() {
    let folder = Folder::new();
    let (plain, program) = (folder.path("plain"), folder.path("program"));
    let file = source("doubted.c");
    run("clang-22", &["-O0", "-fopenmp-simd", "-o", &plain, &file]);
    let wanted = run(&plain, &[]);
    let plugin = format!("-fpass-plugin={}", plugin().display());
    for machine in ["-march=x86-64", "-march=native"] {
        for level in ["-O1", "-O2", "-O3"] {
            let flags = [level, machine, "-Wno-pass-failed", &plugin, "-o", &program, &file];
            let remarks = run("clang-22", &[&FLAGS[..], &flags].concat());
            let reasons = ["more with than to update", "write to memory that is not on the stack"];
            let why = remarks.lines().filter(|line| reasons.iter().any(|why| line.contains(why)));
            assert_eq!(why.count(), marked("doubted.c"), "{level} {machine}: {remarks}");
            assert!(!remarks.contains(": vectorized loop"), "{level} {machine}: {remarks}");
            assert_eq!(run(&program, &[]), wanted, "{level} {machine}: {remarks}");
        }
    }
}

/// Places that come back to where they were: only loops in which no lanes meet are vectorized.
#[test]
fn numbers_that_come_back() {
    let folder = Folder::new();
    let (program, file) = (folder.path("program"), source("comebacks.c"));
    run("clang-22", &["-O0", "-w", "-o", &program, &file]);
    let wanted = run(&program, &[]);
    let plugin = plugin().display().to_string();
    let pass = format!("-fpass-plugin={plugin}");
    let forced = ["-w", "-Xclang", "-load", "-Xclang", &plugin, "-mllvm", "-laneweaver-force"];
    for level in ["-O1", "-O2", "-O3"] {
        for machine in ["-march=x86-64", "-march=native"] {
            let flags = [level, machine, &pass, "-o", &program, &file];
            let remarks = run("clang-22", &[&FLAGS[..], &forced, &flags].concat());
            let done = remarks.matches(": vectorized loop, ").count();
            assert!((5..10).contains(&done), "{level} {machine}: {remarks}");
            assert_eq!(run(&program, &[]), wanted, "{level} {machine}: {remarks}");
        }
    }
}

/// Loops that cannot be vectorized are left as they were, with a remark at the line that says why.
#[test]
fn reasons_against() {
    let folder = Folder::new();
    let (plugin, object) =
        (format!("-fpass-plugin={}", plugin().display()), folder.path("declined.ll"));
    let flags =
        ["-O2", "-fno-vectorize", "-fno-slp-vectorize", "-Wno-pass-failed", "-S", "-emit-llvm"];
    let declined = source("declined.c");
    let of = |more: &[&str]| {
        let all = [&FLAGS[..], &flags, more, &["-o", &object, &declined]].concat();
        let said = run("clang-22", &all);
        let text = std::fs::read_to_string(&object).expect("clang wrote it");
        (said, text)
    };
    let (remarks, with) = of(&[&plugin, "-Rpass-analysis=laneweaver"]);
    let (_, without) = of(&[]);
    assert_eq!(with, without, "declined loops are left as they were");
    let text = std::fs::read_to_string(source("declined.c")).expect("the source");
    for (number, line) in text.lines().enumerate() {
        let Some((_, reason)) = line.split_once("// remark: ") else { continue };
        let place = format!("declined.c:{}:", number + 1);
        let found = remarks.lines().any(|line| line.contains(&place) && line.contains(reason));
        assert!(found, "no remark at line {} about {reason:?}:\n{remarks}", number + 1);
    }
}

/// The functions of a module as text, without the numbers of metadata, of which loops have more or less.
fn functions(text: &str) -> Vec<String> {
    let number = |c: char| c.is_ascii_digit();
    let plain = |line: &str| -> String {
        line.split('!').map(|part| part.trim_start_matches(number)).collect::<Vec<_>>().join("!")
    };
    let body = |part: &str| part.split("\n}").next().map(|body| body.lines().map(plain).collect());
    text.split("\ndefine ").skip(1).filter_map(body).collect()
}

/// What the first pass did for the sake of a loop that is declined is taken back.
#[test]
fn what_was_prepared_is_taken_back() {
    let folder = Folder::new();
    let plain = folder.path("plain.ll");
    let front = ["-O1", "-Xclang", "-disable-llvm-passes", "-fopenmp-simd", "-S", "-emit-llvm"];
    run("clang-22", &[&front[..], &["-o", &plain, &source("restored.c")]].concat());
    let load = format!("-load-pass-plugin={}", plugin().display());
    let behind = |passes: &str| {
        let passes = format!("-passes={passes}");
        functions(&run("opt-22", &[&load, &passes, "-S", "-o", "-", &plain]))
    };
    let (before, prepared, restored) =
        (behind("verify"), behind("laneweaver-start"), behind("laneweaver-start,laneweaver"));
    assert_eq!(before.len(), 5, "{before:#?}");
    for ((before, prepared), restored) in before.iter().zip(&prepared).zip(&restored) {
        assert_ne!(before, prepared);
        assert_eq!(before, restored);
    }
}

/// `aligned` makes accesses aligned; `nontemporal`, which clang does not hand on, is not lost without a word.
#[test]
fn clauses_that_llvm_sees() {
    let folder = Folder::new();
    let (plugin, text) = (format!("-fpass-plugin={}", plugin().display()), folder.path("c.ll"));
    let source = folder.path("clauses.c");
    let code = "void f(float *restrict a, const float *restrict b, int n) {
#pragma omp simd aligned(b : 64) nontemporal(a)
  for (int i = 0; i < n; i++) a[i] = b[i] * 2;
}
";
    std::fs::write(&source, code).expect("the source");
    let flags = ["-O2", "-march=x86-64-v4", "-mprefer-vector-width=512", "-S", "-emit-llvm"];
    let said = run("clang-22", &[&FLAGS[..], &flags, &[&plugin, "-o", &text, &source]].concat());
    let text = std::fs::read_to_string(&text).expect("clang wrote it");
    let access = |what: &str| text.lines().find(|line| line.contains(what)).map(str::to_owned);
    let read = access("load <16 x float>").expect("a contiguous read");
    assert!(read.contains("align 64"), "{read}");
    let write = access("store <16 x float>").expect("a contiguous write");
    assert!(write.contains("align 4"), "{write}");
    let remark = "clauses.c:2:1: remark: `nontemporal` has no effect";
    assert!(said.contains(remark), "{said}");
}
