//! What is analysed: members of the family F(N), and a real program.

use lw_cfa::flow::{self, Engine, Program, Solution, solve};
use lw_cfa::{Options, Sources, cps, expand, generate};
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
        let program = lower(texts)?;
        let start = Instant::now();
        let solution = solve(&program, Engine::Delta);
        let delta = start.elapsed();
        let lines = texts.iter().map(|(_, text)| text.lines().count()).sum();
        Ok(Subject { name, n, lines, program, solution, delta })
    }

    pub(crate) fn family(n: usize) -> Result<Subject, String> {
        Subject::new(format!("F({n})"), Some(n), &[("family.scm".into(), generate::family(n))])
    }

    /// Random programs, one after the other: all forms in one program.
    pub(crate) fn random(count: usize) -> Result<Subject, String> {
        let text = |seed: usize| (format!("{seed}.scm"), generate::scheme(seed as u64));
        Subject::new(format!("random {count}"), None, &(0..count).map(text).collect::<Vec<_>>())
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
            let error = match lower(&texts) {
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

fn lower(texts: &[(String, String)]) -> Result<Program, String> {
    let mut sources = Sources::new();
    let mut files = Vec::new();
    for (name, text) in texts {
        files.push(sources.add(name, text.as_str()).map_err(|error| error.message)?);
    }
    let options = Options { assume_unknown: true, library: true };
    let core = expand::program(&mut sources, &files, options).map_err(|e| e.show(&sources))?;
    let records: Vec<u32> = core.records.iter().map(|record| record.fields.len() as u32).collect();
    Ok(flow::lower(&cps::convert(&core), &core.data, &records).program)
}
