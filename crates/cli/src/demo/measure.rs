//! What the driver found out about the libraries of an example.

use super::build::run;
use crate::failure::Failure;
use std::path::{Path, PathBuf};
use std::process::Command;

/// An input, and what came of it with each compiler.
pub(super) struct Row {
    pub(super) input: String,
    /// CPU seconds of a run, the median of all.
    pub(super) seconds: [f64; 3],
    /// How often each ran.
    pub(super) runs: u32,
    /// What each computed, beside the first.
    pub(super) verdicts: [Verdict; 3],
}

/// How results compare with those of the scalar program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    /// Bit by bit.
    Same,
    /// Within this, which the example allows since it has other mathematical functions.
    Within(String),
    Different,
}

impl Row {
    /// Whether something came out that may not.
    pub(super) fn is_wrong(&self) -> bool {
        self.verdicts.contains(&Verdict::Different)
    }

    /// How much faster than the first the library of this number is.
    pub(super) fn speed_up(&self, number: usize) -> f64 {
        self.seconds[0] / self.seconds[number]
    }
}

/// Runs the libraries by turns for so many seconds for each input. The result of the last one goes to `picture`.
pub(super) fn measure(
    driver: &Path,
    libraries: &[PathBuf; 3],
    seconds: f64,
    picture: Option<&Path>,
) -> Result<Vec<Row>, Failure> {
    let mut command = Command::new(driver);
    command.arg(seconds.to_string());
    if let Some(picture) = picture {
        command.arg("-o").arg(picture);
    }
    for library in libraries {
        command.arg(std::path::absolute(library)?);
    }
    let done = run(&mut command)?;
    let text = String::from_utf8_lossy(&done.stdout);
    parse(&text)
        .ok_or_else(|| Failure::cannot(format!("the driver said what it should not:\n{text}")))
}

fn parse(text: &str) -> Option<Vec<Row>> {
    let mut rows: Vec<Row> = Vec::new();
    for line in text.lines() {
        let mut fields = line.split('\t');
        let number: usize = fields.next()?.parse().ok()?;
        let input = fields.next()?;
        if number == 0 {
            let verdicts = [const { Verdict::Different }; 3];
            let (input, seconds) = (input.to_string(), [0.0; 3]);
            rows.push(Row { input, seconds, runs: 0, verdicts });
        }
        let row = rows.last_mut().filter(|row| row.input == input)?;
        *row.seconds.get_mut(number)? = fields.next()?.parse().ok()?;
        row.runs = fields.next()?.parse().ok()?;
        row.verdicts[number] = match fields.next()? {
            "same" => Verdict::Same,
            "DIFFERENT" => Verdict::Different,
            other => Verdict::Within(other.strip_prefix("within ")?.to_string()),
        };
    }
    (!rows.is_empty()).then_some(rows)
}

#[cfg(test)]
mod tests {
    use super::{Verdict, parse};

    #[test]
    fn rows_have_a_column_for_each_library() {
        let text = "0\ta\t0.5\t9\tsame\n1\ta\t0.25\t9\twithin 1e-5\n2\ta\t0.125\t9\tDIFFERENT\n";
        let rows = parse(text).unwrap();
        assert_eq!(rows.len(), 1);
        assert_eq!((rows[0].speed_up(1), rows[0].speed_up(2), rows[0].runs), (2.0, 4.0, 9));
        let within = Verdict::Within("1e-5".into());
        assert_eq!(rows[0].verdicts, [Verdict::Same, within, Verdict::Different]);
        assert!(rows[0].is_wrong());
    }

    #[test]
    fn anything_else_is_an_error() {
        assert!(parse("").is_none());
        assert!(parse("0\ta\tfast\t9\tsame\n").is_none());
        assert!(parse("3\ta\t0.5\t9\tsame\n").is_none());
    }
}
