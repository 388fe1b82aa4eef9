//! Other targets: the test programs are vectorized for them, with vectors as wide as their registers, and compute what clang alone
//! computes. They run under qemu on a processor that has nothing more than what was asked for.

mod common;

use common::{plugin, run};
use std::path::{Path, PathBuf};

struct Target {
    /// How clang is told to compile for it.
    flags: &'static [&'static str],
    /// Which processor runs the program.
    qemu: &'static [&'static str],
    /// The bits of its registers.
    bits: usize,
    /// How variants of functions are called where there is an ABI for them and vectors have a fixed size.
    variants: Option<&'static str>,
    /// The feature of a real processor that is needed where qemu (7.2: `vmaskmov`) reads memory for lanes that are off.
    native: Option<&'static str>,
}

const X86: &str = "--target=x86_64-linux-gnu";
const ARM: &str = "--target=aarch64-linux-gnu";
const RISCV: &str = "--target=riscv64-linux-gnu";

impl Target {
    fn file(name: &str) -> String {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name).display().to_string()
    }

    /// Compiles with flags.
    fn compile(&self, from: &str, to: &str, flags: &[&str]) -> String {
        let common = ["-ffp-contract=off", "-c", "-o", to, from];
        run("clang-22", &[self.flags, &common, flags].concat())
    }

    /// Compiles with the plug-in. Nothing is declined.
    fn vectorize(&self, from: &str, to: &str, flags: &[&str]) -> String {
        let plugin = plugin().display().to_string();
        let pass = format!("-fpass-plugin={plugin}");
        let ours = ["-fopenmp-simd", "-D__LANEWEAVER__", "-Rpass=laneweaver"];
        let missed = ["-Rpass-missed=laneweaver", &pass];
        let forced = ["-Xclang", "-load", "-Xclang", &plugin, "-mllvm", "-laneweaver-force"];
        let said = self.compile(from, to, &[&ours[..], &missed, &forced, flags].concat());
        assert!(!said.contains("not vectorized") && !said.contains("was not made"), "{said}");
        said
    }

    fn link(&self, program: &str, objects: &[&str]) {
        let link = ["-static", "-o", program];
        run("clang-22", &[self.flags, &link, objects, &["-lm"]].concat());
    }

    /// Links objects, and what the program says. It must not fail.
    fn run(&self, program: &str, objects: &[&str]) -> String {
        self.link(program, objects);
        let said = run(self.qemu[0], &[&self.qemu[1..], &[program]].concat());
        // It warns of features of the processor that it does not emulate.
        let lines = said.lines().filter(|line| !line.contains(": warning: "));
        lines.map(|line| format!("{line}\n")).collect()
    }

    /// All that the tests know.
    fn check(&self) {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| PathBuf::from(folder.path()).join(name).display().to_string();
        self.loops(&path);
        self.guarded(&path);
        self.functions(&path);
        self.lanes(&path);
    }

    fn loops(&self, path: &dyn Fn(&str) -> String) {
        let kernels = Target::file("loops/kernels.c");
        let (scalar, main, vector) = (path("scalar.o"), path("main.o"), path("vector.o"));
        self.compile(&kernels, &scalar, &["-O1", "-DSCALAR", "-fno-vectorize"]);
        self.compile(&Target::file("loops/compare.c"), &main, &["-O1"]);
        let text = std::fs::read_to_string(&kernels).expect("the kernels");
        let wanted = text.lines().filter(|line| line.starts_with("KERNEL(")).count();
        let line = text.lines().position(|line| line == "KERNEL(straight) {").expect("it is there");
        let plugin = plugin().display().to_string();
        let load = ["-Xclang", "-load", "-Xclang", &plugin, "-mllvm"];
        let masked = [&load[..], &["-laneweaver-masked-remainder", "-O3"]].concat();
        let alone = [&load[..], &["-laneweaver-masked-remainder=false", "-O1"]].concat();
        for flags in [&["-O2"][..], &masked, &alone] {
            let remarks = self.vectorize(&kernels, &vector, flags);
            let done = remarks.lines().filter(|line| line.contains(": vectorized loop, ")).count();
            assert!(done >= wanted, "{done} of {wanted} loops\n{remarks}");
            let straight = format!("kernels.c:{}:", line + 2);
            let lanes = format!("vectorized loop, {} iterations", self.bits / 32);
            let wide = |line: &str| line.contains(&straight) && line.contains(&lanes);
            assert!(remarks.lines().any(wide), "not {lanes} at {straight}\n{remarks}");
            let said = self.run(&path("compare"), &[&main, &scalar, &vector]);
            assert!(said.ends_with(" 0 failures\n"), "{flags:?}: {said}");
        }
    }

    /// Lanes that are off touch no memory and divide by nothing.
    fn guarded(&self, path: &dyn Fn(&str) -> String) {
        let guarded = Target::file("loops/guarded.c");
        let (scalar, main, vector) = (path("scalar.o"), path("main.o"), path("vector.o"));
        self.compile(&guarded, &scalar, &["-O1", "-DSCALAR", "-fno-vectorize"]);
        self.compile(&Target::file("loops/guards.c"), &main, &["-O1"]);
        let remarks = self.vectorize(&guarded, &vector, &["-O2", "-fno-vectorize"]);
        assert_eq!(remarks.matches(": vectorized loop, ").count(), 9, "{remarks}");
        let (program, objects) = (path("guards"), [&*main, &scalar, &vector]);
        let said = match self.native {
            None => self.run(&program, &objects),
            Some(feature) if lw_llvm::Host::detect().has(feature) => {
                self.link(&program, &objects);
                run(&program, &[])
            }
            Some(feature) => {
                eprintln!("this machine has no {feature}: masked loads are not run");
                return;
            }
        };
        assert!(said.ends_with("\n0 failures\n"), "{said}");
    }

    /// Functions with variants, and loops that call them.
    fn functions(&self, path: &dyn Fn(&str) -> String) {
        let (ours, caller) = (path("functions.o"), path("caller.o"));
        let made = self.vectorize(&Target::file("abi/functions.c"), &ours, &["-O2"]);
        assert_eq!(made.contains(" was made: "), !self.flags.contains(&RISCV), "{made}");
        self.vectorize(&Target::file("abi/caller.c"), &caller, &["-O2"]);
        if let Some(variants) = self.variants {
            let called = run("llvm-nm-22", &["-u", &caller]);
            assert!(called.matches(variants).count() >= 8, "{called}");
        }
        assert_eq!(self.run(&path("caller"), &[&caller, &ours]), "0 failures\n");
        let theirs = path("theirs.o");
        self.vectorize(&Target::file("calls/functions.c"), &ours, &["-O2"]);
        self.vectorize(&Target::file("calls/theirs.c"), &theirs, &["-O2"]);
        self.vectorize(&Target::file("calls/main.c"), &caller, &["-O2"]);
        assert_eq!(self.run(&path("calls"), &[&caller, &ours, &theirs]), "0 failures\n");
        let said = self.vectorize(&Target::file("calls/each_lane.c"), &caller, &["-O2"]);
        assert_eq!(said.matches(": vectorized loop, 16 iterations").count(), 2, "{said}");
        assert_eq!(self.run(&path("each_lane"), &[&caller]), "0 failures\n");
    }

    /// Lanes see each other.
    fn lanes(&self, path: &dyn Fn(&str) -> String) {
        let include = format!("-I{}", Target::file("../../include"));
        let (across, main) = (path("across.o"), path("main.o"));
        let loops = self.vectorize(&Target::file("lanes/loops.c"), &across, &["-O2", &include]);
        assert_eq!(loops.matches(": vectorized loop, ").count(), 5, "{loops}");
        for names in [Some("loop"), self.variants].into_iter().flatten() {
            let define = format!("-DVARIANTS={names}");
            self.compile(&Target::file("lanes/main.c"), &main, &["-O1", &define]);
            assert_eq!(self.run(&path("lanes"), &[&main, &across]), "0 failures\n", "{names}");
        }
    }
}

#[test]
fn x86_with_sse() {
    let (flags, qemu) = (&[X86, "-msse4.2"], &["qemu-x86_64", "-cpu", "Nehalem"]);
    Target { flags, qemu, bits: 128, variants: Some("_ZGVb"), native: None }.check();
}

#[test]
fn x86_with_avx() {
    let (flags, qemu) = (&[X86, "-mavx"], &["qemu-x86_64", "-cpu", "SandyBridge"]);
    Target { flags, qemu, bits: 256, variants: Some("_ZGVc"), native: Some("avx") }.check();
}

#[test]
fn x86_with_avx2() {
    let (flags, qemu) = (&[X86, "-mavx2"], &["qemu-x86_64", "-cpu", "Haswell"]);
    Target { flags, qemu, bits: 256, variants: Some("_ZGVd"), native: Some("avx2") }.check();
}

#[test]
fn aarch64_with_neon() {
    let (flags, qemu) = (&[ARM], &["qemu-aarch64", "-cpu", "cortex-a72"]);
    Target { flags, qemu, bits: 128, variants: Some("_ZGVn"), native: None }.check();
}

const SVE: &str = "-march=armv8-a+sve";

#[test]
fn aarch64_with_sve_of_256_bits() {
    let qemu = &["qemu-aarch64", "-cpu", "max,sve-default-vector-length=32"];
    let flags = &[ARM, SVE, "-msve-vector-bits=256"];
    Target { flags, qemu, bits: 256, variants: None, native: None }.check();
}

#[test]
fn aarch64_with_sve_of_512_bits() {
    let qemu = &["qemu-aarch64", "-cpu", "max,sve-default-vector-length=64"];
    let flags = &[ARM, SVE, "-msve-vector-bits=512"];
    Target { flags, qemu, bits: 512, variants: None, native: None }.check();
}

/// Code for at least 128 bits runs on registers of another size.
#[test]
fn aarch64_with_sve_of_any_size() {
    let qemu = &["qemu-aarch64", "-cpu", "max,sve-default-vector-length=64"];
    Target { flags: &[ARM, SVE], qemu, bits: 128, variants: None, native: None }.check();
}

#[test]
fn riscv_with_vectors_of_128_bits_or_more() {
    let qemu = &["qemu-riscv64", "-cpu", "rv64,v=true,vext_spec=v1.0,vlen=512"];
    let flags = &[RISCV, "-march=rv64gcv"];
    Target { flags, qemu, bits: 128, variants: None, native: None }.check();
}

#[test]
fn riscv_with_vectors_of_256_bits() {
    let qemu = &["qemu-riscv64", "-cpu", "rv64,v=true,vext_spec=v1.0,vlen=256"];
    let flags = &[RISCV, "-march=rv64gcv_zvl256b", "-mrvv-vector-bits=zvl"];
    Target { flags, qemu, bits: 256, variants: None, native: None }.check();
}
