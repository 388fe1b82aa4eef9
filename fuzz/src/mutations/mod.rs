//! Planted bugs: the proof that the fuzz targets find what they are for.
//!
//! Each [`Bug`] replaces one piece of source by a wrong one. The tool copies the workspace, plants one bug at a time in
//! the copy, builds, runs the target that should find it, and takes the bug out again.

mod bugs;
mod callgraph;
mod cfa;
mod compiler;
mod divergence;
mod tree;
mod vectorize;

use std::process::ExitCode;
use std::time::Instant;
use tree::Tree;

/// A wrong piece of source.
#[derive(Clone, Copy, Debug)]
pub struct Bug {
    /// What is wrong, in words.
    pub name: &'static str,
    /// Where: `import`, `emit`, `interpreter`, `text`, `sparse`, `divergence`, `callgraph`, `cfa` or `vectorize`.
    pub room: &'static str,
    /// The file, from the root of the workspace.
    pub file: &'static str,
    /// What stands there, once.
    pub from: &'static str,
    /// What stands there instead.
    pub to: &'static str,
    /// The fuzz target that should find it.
    pub target: &'static str,
}

/// All bugs, room by room.
pub fn all() -> impl Iterator<Item = &'static Bug> {
    bugs::BUGS
        .iter()
        .chain(divergence::BUGS)
        .chain(callgraph::BUGS)
        .chain(cfa::BUGS)
        .chain(vectorize::BUGS)
}

struct Flags {
    runs: u64,
    seed: u64,
    only: Option<String>,
    list: bool,
    control: bool,
}

const HELP: &str = "\
Plants bugs in a copy of the workspace, one at a time, and runs the fuzz target that should find each.

Usage: mutations [--runs N] [--seed S] [--only WORD] [--list] [--no-control]

  --runs N      after how many programs a bug must be found (default 10000)
  --seed S      the first seed
  --only WORD   bugs whose name or room contains the word
  --list        only list them, and check that what they replace is there
  --no-control  do not run the targets without a bug first
";

fn read_flags() -> Option<Flags> {
    let mut flags = Flags { runs: 10_000, seed: 0, only: None, list: false, control: true };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--list" => flags.list = true,
            "--no-control" => flags.control = false,
            "--runs" => flags.runs = words.next()?.parse().ok()?,
            "--seed" => flags.seed = words.next()?.parse().ok()?,
            "--only" => flags.only = Some(words.next()?),
            _ => return None,
        }
    }
    Some(flags)
}

/// The tool.
pub fn main() -> ExitCode {
    if let Some(memory) = std::env::var_os(compiler::VARIABLE) {
        return compiler::main(memory.as_ref());
    }
    let Some(flags) = read_flags() else {
        print!("{HELP}");
        return ExitCode::from(2);
    };
    match run(&flags) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            println!("mutations: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(flags: &Flags) -> Result<bool, String> {
    let tree = Tree::copy()?;
    let chosen: Vec<&Bug> = all()
        .filter(|bug| {
            let only = flags.only.as_deref().unwrap_or_default();
            bug.name.contains(only) || bug.room.contains(only)
        })
        .collect();
    let stale: Vec<&&Bug> = chosen.iter().filter(|bug| tree.occurrences(bug) != 1).collect();
    for bug in &stale {
        let count = tree.occurrences(bug);
        println!("out of date: {}: `{}` occurs {count} times in {}", bug.name, bug.from, bug.file);
    }
    if flags.list {
        for bug in &chosen {
            println!("{:<12} {:<46} {}", bug.room, bug.name, bug.target);
        }
    }
    if flags.list || !stale.is_empty() {
        return Ok(stale.is_empty());
    }
    if flags.control {
        let mut targets: Vec<&str> = chosen.iter().map(|bug| bug.target).collect();
        targets.sort();
        targets.dedup();
        for target in targets {
            tree.build(target)?;
            if let Some(found) = tree.run(target, flags.runs, flags.seed)? {
                return Err(format!("{target} fails without any planted bug: {found}"));
            }
            println!("{target}: {} programs without a planted bug, no failure", flags.runs);
        }
    }
    println!("{:<12} {:<46} {:<14} {:>9} {:>8}", "room", "bug", "target", "programs", "seconds");
    let mut missed = 0;
    for bug in &chosen {
        let planted = tree.plant(bug)?;
        let built = tree.build(bug.target);
        let start = Instant::now();
        let found = built.and_then(|()| tree.run(bug.target, flags.runs, flags.seed));
        planted.remove()?;
        let after = match found? {
            Some(after) => after,
            None => {
                missed += 1;
                "not found".into()
            }
        };
        let seconds = start.elapsed().as_secs_f64();
        println!("{:<12} {:<46} {:<14} {after:>9} {seconds:>8.1}", bug.room, bug.name, bug.target);
    }
    println!("{} bugs planted, {} found, {missed} not", chosen.len(), chosen.len() - missed);
    Ok(missed == 0)
}

#[cfg(test)]
mod tests {
    use super::all;
    use std::path::Path;

    /// The sources change under the bugs; one that no longer fits cannot be planted.
    #[test]
    fn what_each_bug_replaces_stands_in_its_file_once() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        for bug in all() {
            let text = std::fs::read_to_string(root.join(bug.file)).unwrap();
            assert_eq!(text.matches(bug.from).count(), 1, "{}: {}", bug.file, bug.name);
            assert_ne!(bug.from, bug.to, "{}", bug.name);
        }
    }
}
