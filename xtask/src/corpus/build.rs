//! Sources to bitcode: every C file by clang, linked into one module per program; the Rust program by rustc.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Case;
use super::programs::{CSource, Source};
use super::stamp::Key;
use crate::jobs;
use crate::place;
use crate::run::{self, During, Failure, Result};

/// The bitcode of a case.
pub(super) fn bitcode((program, config): Case) -> PathBuf {
    super::folder().join(config.name).join(format!("{}.bc", program.name))
}

/// The folder of the drivers and scripts.
pub(super) fn sources() -> PathBuf {
    place::root().join("corpus")
}

/// What compiled code depends on besides its sources, for [`Key`]: the compiler, and the processor for `native`.
pub(super) fn compiler() -> Result<String> {
    let mut version = run::quiet(Command::new(place::llvm_tool("clang")).arg("--version"))?;
    let processor = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    version.extend(
        processor.lines().find(|line| line.starts_with("flags") || line.starts_with("Features")),
    );
    Ok(version)
}

/// Builds the bitcode of all cases, what is up to date excepted.
pub(super) fn build(cases: &[Case]) -> Result {
    let packages = fetch()?;
    let version = compiler()?;
    let mut compilations = Vec::new();
    let mut links = Vec::new();
    for &case in cases {
        if let Source::C(source) = &case.0.source {
            let own = compile_commands(case, source, &packages)?;
            links.push((
                case,
                own.iter().map(|compilation| compilation.object.clone()).collect::<Vec<_>>(),
            ));
            compilations.extend(own);
        }
    }
    // The longest first, so that no thread is left with SQLite at the end.
    compilations.sort_by_key(|compilation| std::cmp::Reverse(compilation.size));
    jobs::each(&compilations, |compilation| compilation.run(&version))?;
    jobs::each(&links, |(case, objects)| link(*case, objects, &version))?;
    let rustc = version + &run::quiet(Command::new("rustc").arg("-vV"))?;
    for &case in cases {
        if let (Source::Rust { panic }, Some(options)) = (&case.0.source, case.1.rust) {
            rust(case, panic, options, &rustc)?;
        }
    }
    Ok(())
}

/// Fetches the crates that bundle the sources; returns the folder of each.
fn fetch() -> Result<HashMap<String, PathBuf>> {
    let manifest = sources().join("Cargo.toml");
    let cargo = |task: &str| {
        let mut command = Command::new("cargo");
        command.arg(task).arg("--quiet").arg("--locked").arg("--manifest-path").arg(&manifest);
        command
    };
    run::quiet(&mut cargo("fetch"))?;
    let text = run::quiet(cargo("metadata").args(["--offline", "--format-version", "1"]))?;
    let unreadable = || Failure::step("`cargo metadata` printed something unexpected");
    let metadata: serde_json::Value = serde_json::from_str(&text).map_err(|_| unreadable())?;
    let packages = metadata["packages"].as_array().ok_or_else(unreadable)?;
    let folder = |package: &serde_json::Value| {
        let manifest = Path::new(package["manifest_path"].as_str()?);
        Some((package["name"].as_str()?.to_owned(), manifest.parent()?.to_owned()))
    };
    packages.iter().map(|package| folder(package).ok_or_else(unreadable)).collect()
}

/// A C file of a program, as clang is to compile it.
pub(super) struct Compilation {
    case: Case,
    /// The C file, and a header of ours that it may use.
    inputs: Vec<PathBuf>,
    object: PathBuf,
    size: u64,
    arguments: Vec<String>,
}

impl Compilation {
    /// The arguments of a compiler that makes an object rather than bitcode.
    pub(super) fn to_object(&self, object: &Path) -> Vec<OsString> {
        let bitcode = self.object.as_os_str();
        let arguments = self.arguments.iter().filter(|&argument| argument != "-emit-llvm");
        let out = |argument: &String| match OsStr::new(argument) == bitcode {
            true => object.as_os_str().to_owned(),
            false => OsString::from(argument),
        };
        arguments.map(out).collect()
    }

    fn run(&self, version: &str) -> Result {
        let mut command = Command::new(place::llvm_tool("clang"));
        command.args(&self.arguments);
        let made = Key::new(version, &command, &self.inputs)?
            .make(&self.object, || run::quiet(&mut command).map(drop))?;
        if made && self.size > 1 << 20 {
            println!("corpus: compiled {} {}", self.case.0.name, self.case.1.name);
        }
        Ok(())
    }
}

/// The C files of a program.
pub(super) fn compilations(case: Case) -> Result<Vec<Compilation>> {
    match &case.0.source {
        Source::C(source) => compile_commands(case, source, &fetch()?),
        Source::Rust { .. } => Ok(Vec::new()),
    }
}

fn compile_commands(
    case: Case,
    source: &CSource,
    packages: &HashMap<String, PathBuf>,
) -> Result<Vec<Compilation>> {
    let package = packages.get(source.package).ok_or_else(|| {
        Failure::missing(format!(
            "corpus/Cargo.toml does not name the package `{}`",
            source.package
        ))
    })?;
    let driver = sources().join(source.driver);
    let folders: Vec<_> = source.folders.iter().map(|folder| package.join(folder)).collect();
    let mut files = vec![driver.clone()];
    for folder in &folders {
        let found = files_of(folder, "c")?;
        files.extend(
            found.into_iter().filter(|file| !source.except.iter().any(|name| file.ends_with(name))),
        );
    }
    let objects = super::folder().join(case.1.name).join("objects").join(case.0.name);
    let compilation = |file: PathBuf| {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let object = objects.join(format!("{stem}.bc"));
        let mut arguments: Vec<String> =
            case.1.c.iter().chain(source.flags).map(|flag| (*flag).to_owned()).collect();
        arguments.extend(["-w", "-c", "-emit-llvm"].map(str::to_owned));
        arguments.extend(folders.iter().map(|folder| format!("-I{}", folder.display())));
        arguments.extend([
            file.display().to_string(),
            "-o".to_owned(),
            object.display().to_string(),
        ]);
        let size = std::fs::metadata(&file).map_or(0, |file| file.len());
        let mut inputs = vec![file];
        if inputs[0] == driver {
            inputs.push(sources().join("driver.h"));
        }
        Compilation { case, inputs, object, size, arguments }
    };
    Ok(files.into_iter().map(compilation).collect())
}

/// The files of a folder with an extension, sorted.
pub(super) fn files_of(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).during(folder.display())? {
        let path = entry.during(folder.display())?.path();
        if path.extension().is_some_and(|found| found == extension) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn link(case: Case, objects: &[PathBuf], version: &str) -> Result {
    let output = bitcode(case);
    let mut command = Command::new(place::llvm_tool("llvm-link"));
    command.args(objects).arg("-o").arg(&output);
    if Key::new(version, &command, objects)?.make(&output, || run::quiet(&mut command).map(drop))? {
        println!("corpus: linked {} {}", case.0.name, case.1.name);
    }
    Ok(())
}

/// The Rust program with the standard library in one module: link-time optimization merges them.
fn rust(case: Case, panic: &str, (level, debug, flags): (u8, u8, &str), rustc: &str) -> Result {
    let output = bitcode(case);
    let build = super::folder().join(case.1.name).join("cargo").join(case.0.name);
    let mut command = Command::new("cargo");
    command
        .args([
            "rustc",
            "--quiet",
            "--release",
            "--locked",
            "--bin",
            "rust_driver",
            "--manifest-path",
        ])
        .arg(sources().join("Cargo.toml"))
        .arg("--target-dir")
        .arg(&build)
        .args(["--config", &format!("profile.release.panic='{panic}'")])
        .args(["--config", &format!("profile.release.opt-level={level}")])
        .args(["--config", &format!("profile.release.debug={debug}")])
        .arg("--")
        .arg(format!("--emit=llvm-bc={}", output.display()))
        .env("RUSTFLAGS", flags)
        .env_remove("CARGO_ENCODED_RUSTFLAGS");
    let inputs = ["Cargo.toml", "Cargo.lock", "rust_driver.rs"].map(|name| sources().join(name));
    let made = Key::new(rustc, &command, &inputs)?.make(&output, || {
        // Cargo does not know of our output: without a fresh start it may find nothing to do.
        let _ = std::fs::remove_dir_all(&build);
        run::quiet(&mut command).map(drop)
    })?;
    if made {
        println!("corpus: compiled {} {}", case.0.name, case.1.name);
    }
    Ok(())
}
