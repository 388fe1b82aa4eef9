//! What is analysed: members of the family F(N), and a real program.

use lw_cfa::flow::{Engine, Program, Solution};
use lw_cfa::{Analysis, Options, Sources, generate};
use std::path::{Path, PathBuf};

/// A program for the engines, with its solution.
pub(crate) struct Subject {
    pub(crate) name: String,
    /// N, if it is F(N).
    pub(crate) n: Option<usize>,
    pub(crate) lines: usize,
    pub(crate) program: Program,
    /// By `delta`.
    pub(crate) solution: Solution,
}

impl Subject {
    pub(crate) fn family(n: usize) -> Result<Subject, String> {
        let text = generate::family(n);
        let lines = text.lines().count();
        let analysis = analyse(&[("family.scm".into(), text)])?;
        Ok(Subject {
            name: format!("F({n})"),
            n: Some(n),
            lines,
            program: analysis.lowered.program,
            solution: analysis.solution,
        })
    }

    /// All files of a folder, or one file. Files that are not accepted are left out, with a message.
    pub(crate) fn program(path: &Path) -> Result<Subject, String> {
        let mut texts = Vec::new();
        for file in files(path)? {
            let bytes = std::fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
            texts.push((file.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()));
        }
        loop {
            let error = match analyse(&texts) {
                Ok(analysis) => {
                    return Ok(Subject {
                        name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
                        n: None,
                        lines: texts.iter().map(|(_, text)| text.lines().count()).sum(),
                        program: analysis.lowered.program,
                        solution: analysis.solution,
                    });
                }
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

fn analyse(texts: &[(String, String)]) -> Result<Analysis, String> {
    let mut sources = Sources::new();
    let mut files = Vec::new();
    for (name, text) in texts {
        files.push(sources.add(name, text.as_str()).map_err(|error| error.message)?);
    }
    let options = Options { assume_unknown: true, library: true };
    Analysis::run(&mut sources, &files, options, Engine::Delta)
        .map_err(|error| error.show(&sources))
}
