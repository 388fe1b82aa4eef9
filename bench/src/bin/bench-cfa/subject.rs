//! What is analysed: members of the family F(N), and a real program.

use lw_cfa::flow::{Engine, Program, Solution, solve};
use lw_cfa::{Forms, Options, Sources, generate};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A program for the engines, with its solution.
pub(crate) struct Subject {
    pub(crate) name: String,
    /// N, if it is F(N).
    pub(crate) n: Option<usize>,
    pub(crate) lines: usize,
    pub(crate) program: Program,
    /// By `delta`, and how long it took.
    pub(crate) solution: Solution,
    pub(crate) delta: Duration,
}

impl Subject {
    fn new(name: String, n: Option<usize>, texts: &[(String, String)]) -> Result<Subject, String> {
        let lines = texts.iter().map(|(_, text)| text.lines().count()).sum();
        Ok(Subject::of(name, n, lines, lower(texts, n.is_none())?))
    }

    fn of(name: String, n: Option<usize>, lines: usize, program: Program) -> Subject {
        let start = Instant::now();
        let solution = solve(&program, Engine::Delta);
        let delta = start.elapsed();
        Subject { name, n, lines, program, solution, delta }
    }

    pub(crate) fn family(n: usize) -> Result<Subject, String> {
        Subject::new(format!("F({n})"), Some(n), &[("family.scm".into(), generate::family(n))])
    }

    /// A random constraint program of some size: all forms, and none of them rare.
    pub(crate) fn random(size: u32) -> Subject {
        Subject::of(format!("random {size}"), None, 0, generate::large_flow(1, size))
    }

    /// All files of a folder, or one file. Files that are not accepted are left out, with a message.
    pub(crate) fn program(path: &Path) -> Result<Subject, String> {
        let mut texts = Vec::new();
        for file in files(path)? {
            let bytes = std::fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
            texts.push((file.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()));
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        loop {
            let error = match lower(&texts, true) {
                Ok(_) => return Subject::new(name, None, &texts),
                Err(error) => error,
            };
            let wrong = texts.iter().position(|(name, _)| error.starts_with(&format!("{name}:")));
            let Some(wrong) = wrong.filter(|_| texts.len() > 1) else { return Err(error) };
            eprintln!("left out: {error}");
            texts.remove(wrong);
        }
    }
}

fn files(path: &Path) -> Result<Vec<PathBuf>, String> {
    if path.is_file() {
        return Ok(vec![path.into()]);
    }
    let entries = std::fs::read_dir(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "scm"))
        .collect();
    files.sort();
    Ok(files)
}

/// Alone, or as a library whose definitions code outside calls.
fn lower(texts: &[(String, String)], library: bool) -> Result<Program, String> {
    let mut sources = Sources::new();
    let mut files = Vec::new();
    for (name, text) in texts {
        files.push(sources.add(name, text.as_str()).map_err(|error| error.message)?);
    }
    let options = Options { assume_unknown: true, library, ..Options::default() };
    let forms = Forms::of(&mut sources, &files, options).map_err(|e| e.show(&sources))?;
    Ok(forms.lowered.program)
}
