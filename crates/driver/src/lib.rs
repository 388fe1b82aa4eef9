//! `lw cc` and `lw c++`: clang with the plug-in.
//!
//! All arguments are clang's. The process becomes clang, so that whatever a build system can see of a compiler (exit code, signals,
//! output, dependency files) is clang's. The crate stands alone: `lw-cc` and `lw-cxx`, which build systems start once for each file, do not
//! load LLVM themselves. [`rust`] does the same for rustc.
#![forbid(unsafe_code)]

mod response;
pub mod rust;

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// Where the plug-in is, if it does not lie beside the command.
const PLUGIN: &str = "LANEWEAVER_PLUGIN";

/// The arguments that are not clang's, and what the plug-in calls them.
const OURS: [(&str, &str); 8] = [
    ("--vectorize-all-legal", "-laneweaver-all-legal"),
    ("--masked-remainder", "-laneweaver-masked-remainder"),
    ("--scalar-remainder", "-laneweaver-masked-remainder=false"),
    ("--boscc", "-laneweaver-boscc"),
    ("--no-boscc", "-laneweaver-boscc=false"),
    ("--force", "-laneweaver-force"),
    ("--math=libmvec", "-laneweaver-math=libmvec"),
    ("--math=sleef", "-laneweaver-math=sleef"),
];

/// Which clang.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// `clang-22`.
    C,
    /// `clang++-22`.
    Cxx,
}

/// Becomes clang; if it returns, that is why it could not.
pub fn become_clang(language: Language, arguments: impl IntoIterator<Item = OsString>) -> String {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let compiler = match language {
        Language::C => "clang-22",
        Language::Cxx => "clang++-22",
    };
    let mut command = Command::new(compiler);
    // What clang calls itself (`-cc1`, `-cc1as`) takes no arguments of the driver; the plug-in is among those it was given.
    match arguments.first().is_some_and(|first| first.to_string_lossy().starts_with("-cc1")) {
        true => {
            command.args(arguments);
        }
        false => {
            if let Err(why) = add_arguments(&mut command, arguments) {
                return why;
            }
        }
    }
    let error = command.exec();
    format!("{compiler}: {error}; see `lw doctor`")
}

/// What clang is given: the plug-in, and the arguments of the user.
fn add_arguments(command: &mut Command, arguments: Vec<OsString>) -> Result<(), String> {
    let plugin = plugin()?;
    let is_ours = |word: &OsStr| OURS.iter().any(|(name, _)| word == *name);
    let (words, all) = response::expanded(arguments, |word| is_ours(word) || word == "--math");
    let (ours, clangs): (Vec<_>, Vec<_>) =
        joined(words.into_iter()).into_iter().partition(|word| is_ours(word));
    let mut flag = OsString::from("-fpass-plugin=");
    flag.push(&plugin);
    // Linking and preprocessing need no plug-in; that is nothing to warn about. The user's flags come last and win.
    // A marked loop that is declined has a remark with the reason; clang's warning only says that there is one.
    command.args(["--start-no-unused-arguments", "-Wno-pass-failed"]).arg(flag);
    if !refuses_openmp(&all) {
        // Where a file is compiled for a GPU as well, that is no host of OpenMP.
        command.args(["-Xarch_host", "-fopenmp-simd"]);
    }
    command.arg("-D__LANEWEAVER__=1");
    if let Some(include) = include() {
        command.arg("-idirafter").arg(include);
    }
    if !ours.is_empty() {
        // Options of a plug-in are only known if it is loaded before they are read.
        command.args(["-Xclang", "-load", "-Xclang"]).arg(&plugin);
    }
    for (_, option) in OURS.iter().filter(|(name, _)| ours.iter().any(|argument| argument == name))
    {
        command.args(["-mllvm", option]);
    }
    command.arg("--end-no-unused-arguments").args(&clangs);
    Ok(())
}

/// Whether the target is one for which clang knows no OpenMP, not even `-fopenmp-simd`.
fn refuses_openmp(words: &[OsString]) -> bool {
    let mut target = None;
    for (i, word) in words.iter().enumerate() {
        let joined = word.to_str().and_then(|word| word.strip_prefix("--target="));
        let next = || words.get(i + 1).and_then(|word| word.to_str());
        let split = if word == "-target" || word == "--target" { next() } else { None };
        target = joined.or(split).or(target);
    }
    target.is_some_and(|target| target.starts_with("nvptx"))
}

/// `--math NAME` in two words is `--math=NAME`.
fn joined(mut words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut all = Vec::new();
    while let Some(mut word) = words.next() {
        if word == "--math"
            && let Some(name) = words.next()
        {
            word.push("=");
            word.push(name);
        }
        all.push(word);
    }
    all
}

/// A program that is a compiler and nothing else. By whatever name that ends in `++` it is called, it compiles C++.
pub fn main(language: Language) -> ExitCode {
    let mut words = std::env::args_os();
    let name = words.next().map(PathBuf::from).unwrap_or_default();
    let language = match name.to_string_lossy().ends_with("++") {
        true => Language::Cxx,
        false => language,
    };
    eprintln!("lw: {}", become_clang(language, words));
    ExitCode::from(2)
}

/// Where `laneweaver.h` is: where an installation puts it, or in the sources that this was built from.
fn include() -> Option<PathBuf> {
    let exe = std::env::current_exe().ok()?;
    let exe = exe.canonicalize().unwrap_or(exe);
    let places = [
        exe.parent()?.join("../include"),
        exe.parent()?.join("include"),
        PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../include")),
    ];
    places.into_iter().find(|folder| folder.join("laneweaver.h").is_file())
}

/// The plug-in: named by the environment, or beside the command, or where an installation puts libraries.
fn plugin() -> Result<PathBuf, String> {
    if let Some(path) = std::env::var_os(PLUGIN) {
        let path = PathBuf::from(path);
        return match path.is_file() {
            true => Ok(path),
            false => Err(format!("{PLUGIN}={}: no such file", path.display())),
        };
    }
    let exe = std::env::current_exe().map_err(|error| error.to_string())?;
    let exe = exe.canonicalize().unwrap_or(exe);
    let mut places = Vec::new();
    for (folder, name) in [("", "liblaneweaver.so"), ("../lib", "liblaneweaver.so")] {
        places.extend(exe.parent().map(|beside| beside.join(folder).join(name)));
    }
    let found = places.iter().find(|path| path.is_file()).cloned();
    found.ok_or_else(|| {
        let places: Vec<_> = places.iter().map(|path| path.display().to_string()).collect();
        format!(
            "the plug-in is not there; looked at {}. `cargo build --release -p laneweaver` builds it, {PLUGIN} names another place",
            places.join(" and ")
        )
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn openmp_is_not_for_gpus() {
        let refuses = |words: &[&str]| {
            super::refuses_openmp(&words.iter().map(Into::into).collect::<Vec<_>>())
        };
        assert!(refuses(&["--target=nvptx64", "-c"]) && refuses(&["-target", "nvptx-nvidia-cuda"]));
        assert!(!refuses(&["-c"]) && !refuses(&["--target=nvptx64", "--target=x86_64-linux-gnu"]));
    }

    #[test]
    fn flags_in_two_words() {
        let words = ["-O2", "--math", "sleef", "-c", "--math=libmvec", "--math"];
        let joined = super::joined(words.iter().map(Into::into));
        assert_eq!(joined, ["-O2", "--math=sleef", "-c", "--math=libmvec", "--math"]);
    }
}
