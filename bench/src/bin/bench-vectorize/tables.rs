//! Results as text and JSON.

use crate::compilers::Column;
use crate::measure::Row;
use crate::statistics::Statistics;
use lw_kernels::{FLAGS, Verdict};
use serde_json::{Value, json};
use std::fmt::Write;

/// What stands above the rows.
pub(crate) fn head(columns: &[Column]) -> String {
    let mut text = format!("{} on {}\n", FLAGS.join(" "), machine());
    for Column { compiler, version } in columns {
        let _ = writeln!(text, "  {:<10} {version}", compiler.name());
    }
    let _ = write!(text, "\n{:<22} {:<26} {:>10}", "kernel", "input", "clang ms");
    for column in &columns[1..] {
        let _ = write!(text, " {:>11}", column.compiler.name());
    }
    text.push_str("   (times faster than clang)\n");
    text
}

/// A row.
pub(crate) fn row(row: &Row) -> String {
    let mut text = format!("{:<22} {:<26} {:>10.4}", row.kernel, row.input, row.scalar() * 1e3);
    for (number, cell) in row.cells.iter().enumerate().skip(1) {
        let mark = match cell.as_ref().map(|cell| &cell.verdict) {
            None | Some(Verdict::Same) => " ",
            Some(Verdict::Different) => "!",
            Some(Verdict::Within(_)) => "~",
        };
        match row.speed_up(number) {
            Some(speed_up) => _ = write!(text, " {speed_up:>10.2}{mark}"),
            None => _ = write!(text, " {:>10}{mark}", ""),
        }
    }
    text + if row.is_vectorized() { "\n" } else { "  left scalar\n" }
}

/// What follows the rows: means, and what was lost.
pub(crate) fn summary(columns: &[Column], rows: &[Row]) -> String {
    let mut text = String::from(
        "\n~ results within what the kernel allows, ! results differ\ngeometric mean: ",
    );
    for (number, column) in columns.iter().enumerate().skip(1) {
        let mean = mean(rows, |row| row.speed_up(number));
        let _ = write!(text, " {} {mean:.2}", column.compiler.name());
    }
    text.push('\n');
    let slower: Vec<&Row> =
        rows.iter().filter(|row| row.is_vectorized() && row.ours() < 1.0).collect();
    if !slower.is_empty() {
        text.push_str("\nvectorized and slower than scalar clang:\n");
        for row in slower {
            let _ = writeln!(text, "  {:<22} {:<26} {:.2}", row.kernel, row.input, row.ours());
        }
    }
    let mut declined: Vec<&Row> = rows.iter().filter(|row| !row.is_vectorized()).collect();
    declined.dedup_by_key(|row| &row.kernel);
    for row in declined {
        let reasons: Vec<&str> = row.remarks.iter().map(String::as_str).collect();
        let _ = writeln!(text, "\n{} was left scalar: {}", row.kernel, reasons.join("; "));
    }
    text
}

/// The geometric mean over the kernels that have a number; inputs and variants of a kernel count together as one. Of none it is
/// not a number.
fn mean(rows: &[Row], speed_up: impl Fn(&Row) -> Option<f64>) -> f64 {
    let mut logs: Vec<(&str, f64, f64)> = Vec::new();
    for row in rows {
        let Some(log) = speed_up(row).map(f64::ln) else { continue };
        match logs.last_mut().filter(|(name, ..)| *name == row.file) {
            Some((_, sum, count)) => (*sum, *count) = (*sum + log, *count + 1.0),
            None => logs.push((&row.file, log, 1.0)),
        }
    }
    let sum: f64 = logs.iter().map(|(_, sum, count)| sum / count).sum();
    (sum / logs.len() as f64).exp()
}

/// Everything.
pub(crate) fn json(columns: &[Column], rows: &[Row], statistics: &[Statistics]) -> Value {
    let list = rows.iter().map(|row| {
        let cells = columns.iter().zip(&row.cells).filter_map(|(column, cell)| {
            let cell = cell.as_ref()?;
            let (compiler, result) = (column.compiler.name(), cell.verdict.to_string());
            Some(json!({ "compiler": compiler, "seconds": cell.seconds, "result": result }))
        });
        json!({
            "kernel": row.kernel, "input": row.input, "runs": row.runs, "lw_speed_up": row.ours(),
            "compilers": cells.collect::<Vec<_>>(), "remarks": row.remarks,
        })
    });
    let versions = columns
        .iter()
        .map(|column| json!({ "name": column.compiler.name(), "version": column.version }));
    json!({
        "machine": machine(), "flags": FLAGS, "compilers": versions.collect::<Vec<_>>(),
        "lw_geometric_mean": mean(rows, |row| Some(row.ours())), "rows": list.collect::<Vec<_>>(),
        "statistics": statistics.iter().map(Statistics::json).collect::<Vec<_>>(),
    })
}

/// The processor, as the system calls it.
fn machine() -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = cpu.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or("this machine", |(_, name)| name.trim()).to_string()
}
