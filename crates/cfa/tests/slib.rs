//! Scheme code that nobody here wrote: SLIB, as Debian packages it (`cargo xtask setup` installs it).

use lw_cfa::flow::solve;
use lw_cfa::oracle::engines_agree;
use lw_cfa::{Analysis, Engine, Options, Sources};
use std::path::{Path, PathBuf};

const FOLDER: &str = "/usr/share/slib";

fn files() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(Path::new(FOLDER));
    let entries =
        entries.unwrap_or_else(|error| panic!("{FOLDER}: {error}; run `cargo xtask setup`"));
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "scm"));
    files.sort();
    files
}

fn analyse(paths: &[PathBuf]) -> (Analysis, usize) {
    let mut sources = Sources::new();
    let mut lines = 0;
    let ids: Vec<_> = paths
        .iter()
        .map(|path| {
            // Some names in comments are Latin-1.
            let text: String = std::fs::read(path).unwrap().into_iter().map(char::from).collect();
            lines += text.lines().count();
            sources.add(&path.display().to_string(), text).unwrap()
        })
        .collect();
    let options = Options { assume_unknown: true, library: true, ..Options::default() };
    let analysis = Analysis::run(&mut sources, &ids, options, Engine::Delta);
    (analysis.unwrap_or_else(|error| panic!("{}", error.show(&sources))), lines)
}

#[test]
fn engines_agree_on_every_file() {
    for path in files() {
        let (analysis, _) = analyse(std::slice::from_ref(&path));
        let program = &analysis.lowered.program;
        // The reference engine is slow by design.
        match analysis.solution.facts() {
            facts if facts < 20_000 => {
                engines_agree(program).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
            }
            _ => assert!(solve(program, Engine::Matrix(1)) == analysis.solution, "{path:?}"),
        }
    }
}

#[test]
fn the_whole_library_is_one_program() {
    let (analysis, lines) = analyse(&files());
    assert!(lines > 10_000, "only {lines} lines");
    let reached =
        analysis.cps.calls.iter().filter(|(_, label)| analysis.solution.reached.contains(label.0));
    let reached = reached.count();
    assert!(reached > 10_000, "only {reached} of {} calls are reached", analysis.cps.calls.len());
}
