//! The program that runs libraries, and what it says about them.

use crate::run;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The program that runs libraries by turns: `examples/simd/driver.c`.
#[derive(Clone, Debug)]
pub struct Driver {
    program: PathBuf,
}

/// An input of a kernel, and what came of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Input {
    /// As the kernel calls it.
    pub name: String,
    /// How often each library ran.
    pub runs: u32,
    /// One for each library.
    pub cells: Vec<Cell>,
}

/// What a library did with an input.
#[derive(Clone, PartialEq, Debug)]
pub struct Cell {
    /// CPU seconds of a run, the median of all.
    pub seconds: f64,
    /// What it computed, beside the first library.
    pub verdict: Verdict,
}

/// How results compare with those of the scalar program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Bit by bit.
    Same,
    /// Within this, which the kernel allows.
    Within(String),
    /// They differ.
    Different,
}

impl Input {
    /// How much faster than the first library the one of this number is.
    #[must_use]
    pub fn speed_up(&self, number: usize) -> f64 {
        self.cells[0].seconds / self.cells[number].seconds
    }

    /// Whether something came out that may not.
    #[must_use]
    pub fn is_wrong(&self) -> bool {
        self.cells.iter().any(|cell| cell.verdict == Verdict::Different)
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Verdict::Same => f.write_str("same"),
            Verdict::Within(difference) => write!(f, "within {difference}"),
            Verdict::Different => f.write_str("DIFFERENT"),
        }
    }
}

impl Driver {
    /// Compiles `driver.c` to a program in a folder.
    ///
    /// # Errors
    /// What the compiler said, if it failed.
    pub fn build(source: &Path, folder: &Path) -> Result<Driver, String> {
        let program = std::path::absolute(folder.join("driver"))
            .map_err(|error| format!("{}: {error}", folder.display()))?;
        let mut command = Command::new("clang-22");
        command.args(["-O2", "-rdynamic"]).arg(source).arg("-o").arg(&program);
        run(command.args(["-ldl", "-lm"]))?;
        Ok(Driver { program })
    }

    /// Runs libraries by turns, for so many seconds for each input; none: once, for the results only. The first result of the last library
    /// goes to `picture`.
    ///
    /// # Errors
    /// If the driver fails, or leaves something out.
    pub fn measure(
        &self,
        libraries: &[PathBuf],
        seconds: f64,
        picture: Option<&Path>,
    ) -> Result<Vec<Input>, String> {
        let mut command = Command::new(&self.program);
        command.arg(seconds.to_string());
        if let Some(picture) = picture {
            command.arg("-o").arg(picture);
        }
        for library in libraries {
            let failed = |error| format!("{}: {error}", library.display());
            command.arg(std::path::absolute(library).map_err(failed)?);
        }
        let done = run(&mut command)?;
        let text = String::from_utf8_lossy(&done.stdout);
        parse(&text, libraries.len())
            .ok_or_else(|| format!("the driver said what it should not:\n{text}"))
    }
}

fn parse(text: &str, libraries: usize) -> Option<Vec<Input>> {
    let mut inputs: Vec<Input> = Vec::new();
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [number, name, seconds, runs, verdict] = fields[..] else { return None };
        let runs = runs.parse().ok()?;
        if number == "0" {
            inputs.push(Input { name: name.to_string(), runs, cells: Vec::new() });
        }
        let input = inputs.last_mut().filter(|input| input.name == name)?;
        if number.parse() != Ok(input.cells.len()) {
            return None;
        }
        let verdict = match verdict {
            "same" => Verdict::Same,
            "DIFFERENT" => Verdict::Different,
            other => Verdict::Within(other.strip_prefix("within ")?.to_string()),
        };
        input.cells.push(Cell { seconds: seconds.parse().ok()?, verdict });
    }
    let whole = inputs.iter().all(|input| input.cells.len() == libraries);
    (whole && !inputs.is_empty()).then_some(inputs)
}

#[cfg(test)]
mod tests {
    use super::{Verdict, parse};

    #[test]
    fn inputs_have_a_cell_for_each_library() {
        let text = "0\ta\t0.5\t9\tsame\n1\ta\t0.25\t9\twithin 1e-5\n2\ta\t0.125\t9\tDIFFERENT\n";
        let inputs = parse(text, 3).unwrap();
        assert_eq!(inputs.len(), 1);
        assert_eq!((inputs[0].speed_up(1), inputs[0].speed_up(2), inputs[0].runs), (2.0, 4.0, 9));
        let verdicts: Vec<_> = inputs[0].cells.iter().map(|cell| cell.verdict.clone()).collect();
        assert_eq!(verdicts, [Verdict::Same, Verdict::Within("1e-5".into()), Verdict::Different]);
        assert!(inputs[0].is_wrong());
    }

    #[test]
    fn anything_else_is_an_error() {
        assert!(parse("", 1).is_none());
        assert!(parse("0\ta\tfast\t9\tsame\n", 1).is_none());
        assert!(parse("3\ta\t0.5\t9\tsame\n", 1).is_none());
        assert!(parse("0\ta\t0.5\t9\tsame\n", 2).is_none());
    }
}
