//! Build systems take `lw-cc` and `lw-cxx` for clang.

use std::path::Path;
use std::process::Command;

const CC: &str = env!("CARGO_BIN_EXE_lw-cc");
const CXX: &str = env!("CARGO_BIN_EXE_lw-cxx");

#[track_caller]
fn tool(dir: &Path, program: &str, args: &[&str], variables: &[(&str, &str)]) -> String {
    let plugin = std::env::current_exe().unwrap().with_file_name("liblaneweaver.so");
    let mut command = Command::new(program);
    command.args(args).current_dir(dir).env("LANEWEAVER_PLUGIN", plugin);
    let output = command.envs(variables.iter().copied()).output().unwrap();
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.status.success(), "{program} {args:?}: {}\n{said}", output.status);
    said
}

const SUM: &str = "float sum(const float *a, int n) {
  float s = 0;
#pragma omp simd reduction(+ : s)
  for (int i = 0; i < n; i++) s += a[i] > 0 ? a[i] : 0;
  return s;
}
";

const MAIN: &str = "extern \"C\" float sum(const float *, int);
int main() {
  float a[100];
  for (int i = 0; i < 100; i++) a[i] = i - 50;
  return sum(a, 100) == 1225 ? 7 : 1;
}
";

#[test]
fn builds_with_make() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    std::fs::write(dir.join("sum.c"), SUM).unwrap();
    std::fs::write(dir.join("main.cpp"), MAIN).unwrap();
    std::fs::write(dir.join("Makefile"), "main: main.o sum.o\n\t$(CXX) -o $@ $^\n").unwrap();
    let flags = ["-O2 -Rpass=laneweaver", "-O2"];
    let variables = [("CC", CC), ("CXX", CXX), ("CFLAGS", flags[0]), ("CXXFLAGS", flags[1])];
    let said = tool(dir, "make", &[], &variables);
    assert!(said.contains("vectorized loop"), "{said}");
    assert_eq!(Command::new(dir.join("main")).status().unwrap().code(), Some(7));
}

#[test]
fn builds_with_cmake() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    std::fs::write(dir.join("sum.c"), SUM).unwrap();
    std::fs::write(dir.join("main.cpp"), MAIN).unwrap();
    let lists = "cmake_minimum_required(VERSION 3.16)\nproject(test C CXX)\nadd_executable(main main.cpp sum.c)\n\
                 set_source_files_properties(sum.c PROPERTIES COMPILE_OPTIONS \"-Rpass=laneweaver\")\n";
    std::fs::write(dir.join("CMakeLists.txt"), lists).unwrap();
    let variables = [("CC", CC), ("CXX", CXX)];
    tool(dir, "cmake", &["-B", "build", "-DCMAKE_BUILD_TYPE=Release"], &variables);
    let said = tool(dir, "cmake", &["--build", "build", "--verbose"], &[]);
    assert!(said.contains("vectorized loop"), "{said}");
    assert_eq!(Command::new(dir.join("build/main")).status().unwrap().code(), Some(7));
}

/// What it compiled once is not compiled again; what it is then given is the same, with the plug-in's work in it.
#[test]
fn ccache_finds_what_it_made() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    std::fs::write(dir.join("sum.c"), SUM).unwrap();
    let cache = dir.join("cache").display().to_string();
    let variables = [("CCACHE_DIR", &*cache), ("CCACHE_NOHASHDIR", "1")];
    let mut objects = Vec::new();
    for name in ["first.o", "second.o"] {
        let args = [CC, "-O2", "-march=x86-64-v3", "-c", "sum.c", "-o", name];
        tool(dir, "ccache", &args, &variables);
        objects.push(std::fs::read(dir.join(name)).unwrap());
    }
    assert_eq!(objects[0], objects[1]);
    let statistics = tool(dir, "ccache", &["--print-stats"], &variables);
    let count = |what: &str| -> u32 {
        let line = statistics.lines().find_map(|line| line.strip_prefix(what));
        line.and_then(|rest| rest.trim().parse().ok()).unwrap_or(0)
    };
    let hits = count("direct_cache_hit") + count("preprocessed_cache_hit");
    assert_eq!((hits, count("cache_miss")), (1, 1), "{statistics}");
}

/// The preprocessed file goes to another machine, whose `lw-cc` compiles it. The way there is a program that runs the server here.
#[test]
fn distcc_compiles_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    std::fs::write(dir.join("sum.c"), SUM).unwrap();
    std::fs::write(dir.join("main.cpp"), MAIN).unwrap();
    let script = "#!/bin/sh\nshift\nexec \"$@\" --log-stderr --log-level=info\n";
    std::fs::write(dir.join("way"), script).unwrap();
    // The server is another user, who must be able to read what it runs.
    let plugin = std::env::current_exe().unwrap().with_file_name("liblaneweaver.so");
    for (from, to) in [(Path::new(CC), "lw-cc"), (&plugin, "liblaneweaver.so")] {
        std::fs::copy(from, dir.join(to)).unwrap();
    }
    tool(dir, "chmod", &["a+rx", ".", "way", "lw-cc", "liblaneweaver.so"], &[]);
    let there = |name: &str| dir.join(name).display().to_string();
    let (cc, plugin) = (there("lw-cc"), there("liblaneweaver.so"));
    let (way, state) = (there("way"), there("state"));
    std::fs::create_dir(&state).unwrap();
    let variables = [
        ("DISTCC_HOSTS", "@elsewhere"),
        ("DISTCC_SSH", &*way),
        ("DISTCC_FALLBACK", "0"),
        ("DISTCC_DIR", &*state),
        ("LANEWEAVER_PLUGIN", &*plugin),
    ];
    let args = [&*cc, "-O2", "-Rpass=laneweaver", "-MD", "-c", "sum.c", "-o", "sum.o"];
    let said = tool(dir, "distcc", &args, &variables);
    assert!(said.contains("remark: vectorized loop"), "{said}");
    assert!(said.contains("distccd[") && said.contains("COMPILE_OK"), "{said}");
    assert!(dir.join("sum.d").exists(), "the dependencies are found here");
    tool(dir, CXX, &["-O2", "main.cpp", "sum.o", "-o", "main"], &[]);
    assert_eq!(Command::new(dir.join("main")).status().unwrap().code(), Some(7));
}

/// A link whose name ends in `++` compiles C++.
#[test]
fn a_link_for_cpp() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let link = dir.join("lw-c++");
    std::os::unix::fs::symlink(CC, &link).unwrap();
    std::fs::write(dir.join("one.c"), "int main() { return []{ return 5; }(); }\n").unwrap();
    tool(dir, &link.display().to_string(), &["-x", "c++", "one.c", "-o", "one"], &[]);
    assert_eq!(Command::new(dir.join("one")).status().unwrap().code(), Some(5));
    let said = tool(dir, &link.display().to_string(), &["-###", "one.c"], &[]);
    assert!(said.contains("-lstdc++"), "{said}");
}
