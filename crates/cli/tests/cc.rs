//! `lw cc` is clang for everybody who looks at it from outside, and writes vector variants.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cc").join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

fn lw(dir: &Path, args: &[&str]) -> Output {
    // The plug-in lies beside the tests: cargo builds it for them.
    let plugin = std::env::current_exe().unwrap().with_file_name("liblaneweaver.so");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lw"));
    command.args(args).current_dir(dir).env("LANEWEAVER_PLUGIN", plugin).output().unwrap()
}

#[track_caller]
fn quietly(dir: &Path, args: &[&str]) {
    let output = lw(dir, args);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{args:?}: {}\n{said}", output.status);
}

const SQUARE: &str = "#pragma omp declare simd notinbranch
double square(double x) { return x * x; }
";

#[test]
fn compiles_links_preprocesses_and_writes_dependencies_without_a_word() {
    let dir = folder("builds");
    std::fs::write(dir.join("square.c"), SQUARE).unwrap();
    std::fs::write(dir.join("main.c"), "#include \"two.h\"\nint main(void) { return TWO + 1; }\n")
        .unwrap();
    std::fs::write(dir.join("two.h"), "#define TWO 2\n").unwrap();
    let strict = ["-O2", "-Wall", "-Wextra", "-Werror", "-pedantic"];
    let with = |args: &[&'static str]| [&["cc"], &strict[..], args].concat();
    quietly(&dir, &with(&["-MMD", "-MF", "main.d", "-c", "main.c", "-o", "main.o"]));
    quietly(&dir, &with(&["-c", "square.c", "-o", "square.o"]));
    quietly(&dir, &with(&["-E", "main.c", "-o", "main.i"]));
    quietly(&dir, &["cc", "main.o", "square.o", "-o", "main"]);
    assert!(std::fs::read_to_string(dir.join("main.d")).unwrap().contains("two.h"));
    let object = std::fs::read(dir.join("square.o")).unwrap();
    let has = |name: &[u8]| object.windows(name.len()).any(|part| part == name);
    assert!(has(b"_ZGVbN2v_square") && has(b"_ZGVeN8v_square"), "the variants are not there");
    let ran = Command::new(dir.join("main")).status().unwrap();
    assert_eq!(ran.code(), Some(3));
}

#[test]
fn takes_response_files_and_cpp_and_gives_the_exit_code_of_clang() {
    let dir = folder("arguments");
    std::fs::write(dir.join("one.cpp"), "int main() { return []{ return 5; }(); }\n").unwrap();
    std::fs::write(dir.join("flags"), "-O1 one.cpp -o one\n").unwrap();
    quietly(&dir, &["c++", "@flags"]);
    assert_eq!(Command::new(dir.join("one")).status().unwrap().code(), Some(5));
    std::fs::write(dir.join("bad.c"), "int main(void) { return }\n").unwrap();
    let output = lw(&dir, &["cc", "-c", "bad.c"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("bad.c:1:"));
    let help = lw(&dir, &["cc", "--version"]);
    assert!(String::from_utf8_lossy(&help.stdout).contains("clang version 22"));
}

/// Build systems put flags into response files; those of ours too.
#[test]
fn flags_of_ours_may_be_in_response_files() {
    let dir = folder("response");
    let text = "#ifndef TEXT\n#error TEXT\n#endif\nvoid f(float *a, int n) {\n#pragma omp simd\n\
                for (int i = 0; i < n; i++) a[i] = a[i] > 0 ? a[i] : TEXT[i & 1];\n}\n";
    std::fs::write(dir.join("a b.c"), text).unwrap();
    std::fs::write(dir.join("more"), "--math libmvec\n--force").unwrap();
    let flags = "-O2 -c \"a b.c\" '-DTEXT=\"x y\"' -Rpass=laneweaver @more -o a.o";
    std::fs::write(dir.join("flags"), flags).unwrap();
    let output = lw(&dir, &["cc", "@flags"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("vectorized loop"), "{said}");
}

/// There is no OpenMP for some targets: what is compiled for them is compiled as by clang.
#[test]
fn targets_without_openmp_are_compiled_as_by_clang() {
    let dir = folder("gpu");
    std::fs::write(dir.join("gpu.c"), "int f(int x) { return x + 1; }\n").unwrap();
    std::fs::write(dir.join("target"), "--target=nvptx64").unwrap();
    quietly(&dir, &["cc", "--target=nvptx64", "-O2", "-S", "gpu.c"]);
    quietly(&dir, &["cc", "@target", "-O2", "-S", "gpu.c"]);
    quietly(&dir, &["cc", "-target", "amdgcn", "-O2", "-S", "gpu.c"]);
    let unused = "-Wno-unused-command-line-argument";
    let cuda = ["-x", "cuda", "-nocudainc", "-nocudalib", "--cuda-gpu-arch=sm_80", unused];
    let emitted =
        ["--cuda-feature=+ptx80", "-Wno-unknown-cuda-version", "-emit-llvm", "-S", "-O2", "gpu.c"];
    for part in ["--cuda-device-only", "--cuda-host-only"] {
        quietly(&dir, &[&["cc", part], &cuda[..], &emitted].concat());
    }
}

#[test]
fn a_plug_in_that_is_not_there_is_named() {
    let dir = folder("missing");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lw"));
    command.args(["cc", "-c", "x.c"]).current_dir(&dir).env("LANEWEAVER_PLUGIN", "nowhere.so");
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("LANEWEAVER_PLUGIN=nowhere.so: no such file"), "{said}");
}

#[test]
fn laneweaver_h_is_found_and_what_it_declares_is_resolved() {
    let dir = folder("header");
    let text = "#include <laneweaver.h>\n\
                #ifndef __LANEWEAVER__\n#error\n#endif\n\
                int main(void) { return 4 * lw_any(1) + lw_lanes() + lw_lane(); }\n";
    std::fs::write(dir.join("main.c"), text).unwrap();
    std::fs::write(dir.join("main.cpp"), text.replace("void", "")).unwrap();
    for (compiler, file) in [("cc", "main.c"), ("c++", "main.cpp")] {
        for level in ["-O0", "-O2"] {
            quietly(&dir, &[compiler, level, "-Wall", "-Werror", file, "-o", "main"]);
            assert_eq!(Command::new(dir.join("main")).status().unwrap().code(), Some(5));
        }
    }
}

const SUM: &str = "float sum(const float *a, int n) {
  float s = 0;
#pragma omp simd reduction(+ : s)
  for (int i = 0; i < n; i++) s += a[i] > 0 ? a[i] : 0;
  return s;
}
";

/// What `-###` shows can be typed with the compiler's own name.
#[test]
fn what_clang_calls_itself() {
    let dir = folder("inside");
    std::fs::write(dir.join("one.c"), "int one(void) { return 1; }\n").unwrap();
    quietly(&dir, &["cc", "-cc1", "-emit-obj", "one.c", "-o", "one.o"]);
    assert!(dir.join("one.o").is_file());
}

#[test]
fn remarks_are_in_the_record() {
    let dir = folder("record");
    std::fs::write(dir.join("sum.c"), SUM).unwrap();
    let record = ["-fsave-optimization-record", "-foptimization-record-passes=laneweaver"];
    quietly(&dir, &[&["cc", "-O2", "-c", "sum.c"], &record[..]].concat());
    let record = std::fs::read_to_string(dir.join("sum.opt.yaml")).unwrap();
    assert!(record.contains("--- !Passed\nPass:            laneweaver"), "{record}");
    assert!(record.contains("Line: 4,") || record.contains("Line: 3,"), "{record}");
}

#[test]
fn rustc_answers_as_itself() {
    let dir = folder("rustc");
    let output = lw(&dir, &["rustc", "-vV"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.starts_with("rustc "), "{said}");
    std::fs::write(dir.join("wrong.rs"), "fn main() { 1 + }\n").unwrap();
    let output = lw(&dir, &["rustc", "wrong.rs"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(1) && said.contains("wrong.rs:1:17"), "{said}");
}
