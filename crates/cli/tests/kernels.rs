//! The kernels of `cargo xtask bench vectorize` compute with `lw cc` what they compute with clang, and what the walks through trees
//! promise: lanes share a stack.

use lw_kernels::{Compiler, Driver, Kernel, run};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The tree codes of 001 §13.1.
const TREE_CODES: [&str; 7] =
    ["bintree", "clusters", "correlation", "gravity", "nearest", "radii", "vantage"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn includes() -> [PathBuf; 2] {
    [root().join("examples/simd"), root().join("include")]
}

fn ours(flag: &'static str) -> Compiler {
    // The plug-in lies beside the tests: cargo builds it for them.
    let plugin = std::env::current_exe().unwrap().with_file_name("liblaneweaver.so");
    Compiler::Lw {
        command: env!("CARGO_BIN_EXE_lw").into(),
        plugin: Some(plugin),
        flag: Some(flag),
    }
}

fn kernels() -> Vec<Kernel> {
    Kernel::in_folder(&root().join("bench/kernels/simd")).unwrap()
}

/// Does something with every kernel, on all cores.
fn for_each(kernels: &[Kernel], work: impl Fn(&Kernel) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(kernel) = kernels.get(next.fetch_add(1, Ordering::Relaxed)) {
                    work(kernel);
                }
            });
        }
    });
}

#[test]
fn kernels_agree() {
    let (dir, kernels) = (folder("kernels"), kernels());
    assert!(kernels.len() >= 40);
    let driver = Driver::build(&root().join("examples/simd/driver.c"), &dir).unwrap();
    for_each(&kernels, |kernel| {
        let compilers = [Compiler::Clang, ours("--force"), ours("--no-boscc")];
        let compilers = compilers.iter().filter(|compiler| compiler.compiles(kernel));
        let libraries: Vec<PathBuf> = compilers
            .map(|compiler| compiler.library(kernel, &includes(), &dir).unwrap().0)
            .collect();
        let inputs = driver.measure(&libraries, 0.0, None).unwrap();
        for input in inputs {
            assert!(!input.is_wrong(), "{}: {input:?}", kernel.name);
        }
    });
}

fn tree_codes() -> Vec<Kernel> {
    let mut kernels = kernels();
    kernels.retain(|kernel| {
        let file = kernel.path.file_stem().unwrap().to_string_lossy();
        TREE_CODES.contains(&&*file)
    });
    assert!(kernels.len() >= 25);
    kernels
}

/// What a kernel becomes in LLVM's text form, and the remarks.
fn compiled(kernel: &Kernel, flag: &'static str, dir: &Path) -> (String, String) {
    let text = dir.join(format!("{}.ll", kernel.name));
    let mut command = ours(flag).command(kernel, &includes());
    command.args(["-S", "-emit-llvm", "-o"]).arg(&text).arg(&kernel.path);
    let said = run(&mut command).unwrap();
    (std::fs::read_to_string(&text).unwrap(), String::from_utf8_lossy(&said.stderr).into_owned())
}

/// Queries that are far apart have little of their ways in common: there lanes are faster on their own, in vectors or in the scalar loop, and the
/// program must be able to find that out.
#[test]
fn tree_codes_are_tried() {
    let dir = folder("trials");
    for_each(&tree_codes(), |kernel| {
        let (_, said) = compiled(kernel, "--boscc", &dir);
        let three = "where trials find that faster, with lanes that go along or each on its own";
        assert!(said.contains(three), "{}: {said}", kernel.name);
    });
}

#[test]
fn stacks_of_tree_codes_are_shared() {
    let dir = folder("stacks");
    for_each(&tree_codes(), |kernel| {
        let (text, said) = compiled(kernel, "--force", &dir);
        assert!(said.contains("vectorized loop, "), "{}: {said}", kernel.name);
        let stacks: Vec<&str> = text.lines().filter(|line| line.contains(" = alloca ")).collect();
        // What each lane has of its own is allocated as bytes, for all lanes together.
        assert!(stacks.iter().any(|line| line.contains(" x i32]")), "{}: {stacks:?}", kernel.name);
        assert!(!stacks.iter().any(|line| line.contains(" x i8]")), "{}: {stacks:?}", kernel.name);
    });
}
