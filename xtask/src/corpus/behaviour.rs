//! What a program does: its exit status, what it prints, and the files it leaves, all compared byte for byte.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::build::{files_of, sources};
use super::data;
use super::programs::{Input, Program, Source};
use crate::place;
use crate::run::{self, During, Failure, Result};

/// No program of the corpus needs a tenth of this.
const LIMIT: Duration = Duration::from_secs(180);

/// The command that makes a program of a module of bitcode, by code generation alone: no pass optimizes it.
pub(super) fn link_command(program: &Program, bitcode: &Path, output: &Path) -> Result<Command> {
    let mut command = Command::new(place::llvm_tool("clang"));
    command.args(["-O0", "-Wno-override-module"]).arg(bitcode);
    if let Source::Rust { .. } = program.source {
        command.arg(compiler_builtins()?).args(["-lgcc_s", "-lutil", "-lrt"]);
    }
    command.args(["-lm", "-ldl", "-lpthread", "-o"]).arg(output);
    Ok(command)
}

/// The one part of Rust's standard library that link-time optimization leaves out.
fn compiler_builtins() -> Result<PathBuf> {
    let folder = run::quiet(Command::new("rustc").args(["--print", "target-libdir"]))?;
    let files = files_of(Path::new(folder.trim()), "rlib")?;
    let ours = |file: &PathBuf| {
        file.file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with("libcompiler_builtins-"))
    };
    files
        .into_iter()
        .find(ours)
        .ok_or_else(|| Failure::missing("rustc's libcompiler_builtins was not found"))
}

/// What a run left behind: every file by name, standard output and error among them, and the exit status.
#[derive(PartialEq, Eq)]
pub(super) struct Behaviour {
    status: String,
    files: BTreeMap<String, Vec<u8>>,
}

/// The same with addresses that symbols tell.
pub(super) fn repeatable_link(program: &Program, bitcode: &Path, output: &Path) -> Result<Command> {
    let mut command = link_command(program, bitcode, output)?;
    command.arg("-no-pie");
    Ok(command)
}

/// Runs a program on its input in `folder`, which is emptied first.
pub(super) fn observe(program: &Program, executable: &Path, folder: &Path) -> Result<Behaviour> {
    observe_with(program, executable, folder, &[])
}

/// The same with variables of the environment that name files.
pub(super) fn observe_with(
    program: &Program,
    executable: &Path,
    folder: &Path,
    variables: &[(&str, &Path)],
) -> Result<Behaviour> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).during(folder.display())?;
    }
    std::fs::create_dir_all(folder).during(folder.display())?;
    let create = |name: &str| File::create(folder.join(name)).during(folder.join(name).display());
    let arguments = match program.input {
        Input::Script(name) => vec![sources().join(name)],
        Input::Scripts(name) => files_of(&sources().join(name), name)?,
        Input::Data => data::paths(),
    };
    let mut command = Command::new(executable);
    command.envs(variables.iter().copied());
    command.args(arguments).current_dir(folder).stdout(create("stdout")?).stderr(create("stderr")?);
    let status = run::limited(&mut command, LIMIT)?;
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder).during(folder.display())? {
        let path = entry.during(folder.display())?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        files.insert(name, std::fs::read(&path).during(path.display())?);
    }
    Ok(Behaviour { status: status.to_string(), files })
}

impl Behaviour {
    /// Whether the program says itself that all went well. Two programs that crash alike prove nothing.
    pub(super) fn good(&self) -> bool {
        self.status == "exit status: 0"
            && self.files.get("stdout").is_some_and(|text| text.ends_with(b"\nok\n"))
    }

    /// The first difference, in words.
    pub(super) fn difference(&self, other: &Behaviour) -> Option<String> {
        if self.status != other.status {
            return Some(format!("{} became {}", self.status, other.status));
        }
        for (name, bytes) in &self.files {
            match other.files.get(name) {
                None => return Some(format!("no file `{name}` any more")),
                Some(others) if others != bytes => {
                    let at = bytes
                        .iter()
                        .zip(others)
                        .position(|(a, b)| a != b)
                        .unwrap_or(bytes.len().min(others.len()));
                    let line = 1 + bytes[..at].iter().filter(|&&byte| byte == b'\n').count();
                    return Some(format!("`{name}` differs at byte {at}, line {line}"));
                }
                Some(_) => {}
            }
        }
        other
            .files
            .keys()
            .find(|name| !self.files.contains_key(*name))
            .map(|name| format!("a new file `{name}`"))
    }
}

#[cfg(test)]
mod tests {
    use super::Behaviour;

    fn behaviour(status: &str, files: &[(&str, &str)]) -> Behaviour {
        let files = files
            .iter()
            .map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()))
            .collect();
        Behaviour { status: status.to_owned(), files }
    }

    #[test]
    fn the_first_difference_is_named() {
        let one = behaviour("exit status: 0", &[("stdout", "a\nb\nok\n")]);
        assert!(one.good());
        assert_eq!(one.difference(&behaviour("exit status: 0", &[("stdout", "a\nb\nok\n")])), None);
        let other = behaviour("exit status: 0", &[("stdout", "a\nc\nok\n")]);
        assert_eq!(one.difference(&other).as_deref(), Some("`stdout` differs at byte 2, line 2"));
        let more = behaviour("exit status: 0", &[("stdout", "a\nb\nok\n"), ("x", "")]);
        assert_eq!(one.difference(&more).as_deref(), Some("a new file `x`"));
        assert_eq!(more.difference(&one).as_deref(), Some("no file `x` any more"));
        assert!(!behaviour("signal: 11", &[("stdout", "x\nok\n")]).good());
    }
}
