//! A copy of the workspace in which bugs are planted. The working tree is never touched.

use super::Bug;
use super::compiler::VARIABLE;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the fuzz targets are built from.
const PARTS: &[&str] = &["crates", "plugin", "fuzz", "docs", ".cargo"];

pub(super) struct Tree {
    root: PathBuf,
    build: PathBuf,
}

/// A bug in its place.
pub(super) struct Planted {
    file: PathBuf,
    original: String,
}

impl Planted {
    /// Takes the bug out.
    pub(super) fn remove(self) -> Result<(), String> {
        fs::write(&self.file, &self.original).map_err(|e| format!("{}: {e}", self.file.display()))
    }
}

impl Tree {
    /// Copies what changed since the last time, so that little is built anew.
    pub(super) fn copy() -> Result<Tree, String> {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("no workspace")?;
        let target =
            std::env::var_os("CARGO_TARGET_DIR").map_or(source.join("target"), PathBuf::from);
        let place = target.join("mutations");
        let tree = Tree { root: place.join("tree"), build: place.join("build") };
        for part in PARTS {
            mirror(&source.join(part), &tree.root.join(part))?;
        }
        let manifest = read(&source.join("Cargo.toml"))?;
        let members = |line: &str| match line.starts_with("members = ") {
            true => "members = [\"crates/*\", \"plugin\", \"fuzz\"]".to_string(),
            false => line.to_string(),
        };
        let manifest: Vec<String> = manifest.lines().map(members).collect();
        update(&tree.root.join("Cargo.toml"), manifest.join("\n").as_bytes())?;
        let lock = source.join("Cargo.lock");
        if !tree.root.join("Cargo.lock").exists() {
            update(&tree.root.join("Cargo.lock"), read(&lock)?.as_bytes())?;
        }
        // This very program, in a place where nobody builds it anew meanwhile.
        let this = std::env::current_exe().map_err(|e| e.to_string())?;
        fs::create_dir_all(&tree.build).map_err(|e| e.to_string())?;
        fs::copy(this, tree.compiler()).map_err(|e| e.to_string())?;
        Ok(tree)
    }

    fn compiler(&self) -> PathBuf {
        self.build.join("remembering-c++")
    }

    /// How often what a bug replaces stands in its file.
    pub(super) fn occurrences(&self, bug: &Bug) -> usize {
        read(&self.root.join(bug.file)).map_or(0, |text| text.matches(bug.from).count())
    }

    pub(super) fn plant(&self, bug: &Bug) -> Result<Planted, String> {
        let file = self.root.join(bug.file);
        let original = read(&file)?;
        fs::write(&file, original.replacen(bug.from, bug.to, 1)).map_err(|e| e.to_string())?;
        Ok(Planted { file, original })
    }

    /// Builds a target: optimized a little, incrementally.
    pub(super) fn build(&self, target: &str) -> Result<(), String> {
        let settings = ["debug=0", "incremental=true", "opt-level=1", "codegen-units=16"];
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
        command.current_dir(&self.root).env("CARGO_TARGET_DIR", &self.build);
        command.args([
            "build",
            "--offline",
            "--quiet",
            "--release",
            "-p",
            "lw-fuzz",
            "--bin",
            target,
        ]);
        command.env("CXX", self.compiler()).env(VARIABLE, self.build.join("objects"));
        for setting in settings {
            command.args(["--config", &format!("profile.release.{setting}")]);
        }
        let output = command.output().map_err(|e| e.to_string())?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let lines: Vec<&str> =
            said.lines().filter(|l| !l.starts_with("warning")).take(12).collect();
        Err(format!("it does not build:\n{}", lines.join("\n")))
    }

    /// After how many programs a target fails; `None` if it does not.
    pub(super) fn run(&self, target: &str, runs: u64, seed: u64) -> Result<Option<String>, String> {
        let program = self.build.join("release").join(target);
        let output = Command::new(&program)
            .args(["--brief", "--runs", &runs.to_string(), "--seed", &seed.to_string()])
            .output()
            .map_err(|e| format!("{}: {e}", program.display()))?;
        if output.status.success() {
            return Ok(None);
        }
        let said = String::from_utf8_lossy(&output.stdout);
        let after = said.lines().find_map(|line| line.strip_prefix("found after "));
        let number = after.and_then(|rest| rest.split(' ').next());
        number.map(|n| Some(n.to_string())).ok_or_else(|| format!("{target} ended oddly: {said}"))
    }
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// Writes a file unless it is the same already.
fn update(path: &Path, content: &[u8]) -> Result<(), String> {
    if fs::read(path).is_ok_and(|old| old == content) {
        return Ok(());
    }
    let fail = |e: std::io::Error| format!("{}: {e}", path.display());
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(fail)?;
    }
    fs::write(path, content).map_err(fail)
}

/// Makes `to` a copy of the folder `from`.
fn mirror(from: &Path, to: &Path) -> Result<(), String> {
    let fail = |e: std::io::Error| format!("{}: {e}", from.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(from).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let name = entry.file_name();
        if name == "target" {
            continue;
        }
        // Folders may be links.
        if entry.path().is_dir() {
            mirror(&entry.path(), &to.join(&name))?;
        } else {
            update(&to.join(&name), &fs::read(entry.path()).map_err(fail)?)?;
        }
        names.push(name);
    }
    for entry in fs::read_dir(to).map_err(fail)?.flatten() {
        if !names.contains(&entry.file_name()) {
            let gone = entry.path();
            let removed =
                if gone.is_dir() { fs::remove_dir_all(&gone) } else { fs::remove_file(&gone) };
            removed.map_err(fail)?;
        }
    }
    Ok(())
}
