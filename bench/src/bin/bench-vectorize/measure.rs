//! What the driver says about the libraries of a kernel.

use crate::Built;
use crate::compilers::run;
use crate::kernels::Kernel;
use std::path::Path;
use std::process::Command;

/// A kernel and one of its inputs.
pub(crate) struct Row {
    pub(crate) kernel: String,
    pub(crate) input: String,
    /// How often each library ran.
    pub(crate) runs: u32,
    /// For each compiler: CPU seconds of a run, the median, and how the result compares with the first one's.
    pub(crate) cells: Vec<(f64, String)>,
    /// What `lw cc` said about the kernel.
    pub(crate) remarks: Vec<String>,
}

impl Row {
    /// How much faster than the first compiler the one of this number is.
    pub(crate) fn speed_up(&self, number: usize) -> f64 {
        self.cells[0].0 / self.cells[number].0
    }

    /// How much faster than the first compiler ours, the last one, is.
    pub(crate) fn ours(&self) -> f64 {
        self.speed_up(self.cells.len() - 1)
    }

    /// Whether `lw cc` says that it vectorized a loop.
    pub(crate) fn is_vectorized(&self) -> bool {
        self.remarks.iter().any(|remark| remark.contains("vectorized loop, "))
    }

    /// Whether the result of ours is that of the first, or as close as the kernel allows.
    pub(crate) fn is_right(&self) -> bool {
        self.cells.last().is_some_and(|(_, verdict)| verdict != "DIFFERENT")
    }
}

/// Runs the libraries by turns.
pub(crate) fn measure(
    driver: &Path,
    kernel: &Kernel,
    built: &Built,
    seconds: f64,
) -> Result<Vec<Row>, String> {
    let mut command = Command::new(driver);
    command.arg(seconds.to_string());
    for library in &built.libraries {
        command.arg(std::path::absolute(library).map_err(|e| e.to_string())?);
    }
    let done = run(&mut command)?;
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    let mut rows: Vec<Row> = Vec::new();
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [number, input, seconds, runs, verdict] = fields[..] else {
            return Err(format!("{}: the driver said `{line}`", kernel.name));
        };
        if number == "0" {
            rows.push(Row {
                kernel: kernel.name.clone(),
                input: input.to_string(),
                runs: runs.parse().unwrap_or(0),
                cells: Vec::new(),
                remarks: built.remarks.clone(),
            });
        }
        let seconds: f64 = seconds.parse().map_err(|_| format!("`{line}`: not a number"))?;
        if let Some(row) = rows.last_mut() {
            row.cells.push((seconds, verdict.to_string()));
        }
    }
    match rows.iter().all(|row| row.cells.len() == built.libraries.len()) {
        true if !rows.is_empty() => Ok(rows),
        _ => Err(format!("{}: the driver left something out:\n{text}", kernel.name)),
    }
}
