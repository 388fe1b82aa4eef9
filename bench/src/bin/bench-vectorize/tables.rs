//! Results as text and JSON.

use crate::compilers::{Compiler, FLAGS};
use crate::measure::Row;
use serde_json::{Value, json};
use std::fmt::Write;

/// What stands above the rows.
pub(crate) fn head(compilers: &[Compiler]) -> String {
    let mut text = format!("{} on {}\n", FLAGS.join(" "), machine());
    for Compiler { name, version, .. } in compilers {
        let _ = writeln!(text, "  {name:<10} {version}");
    }
    let _ = write!(text, "\n{:<14} {:<26} {:>10}", "kernel", "input", "clang ms");
    for compiler in &compilers[1..] {
        let _ = write!(text, " {:>11}", compiler.name);
    }
    text.push_str("   (times faster than clang)\n");
    text
}

/// A row.
pub(crate) fn row(row: &Row) -> String {
    let mut text = format!("{:<14} {:<26} {:>10.4}", row.kernel, row.input, row.cells[0].0 * 1e3);
    for number in 1..row.cells.len() {
        let mark = match row.cells[number].1.as_str() {
            "same" => " ",
            "DIFFERENT" => "!",
            _ => "~",
        };
        let _ = write!(text, " {:>10.2}{mark}", row.speed_up(number));
    }
    text + if row.is_vectorized() { "\n" } else { "  left scalar\n" }
}

/// What follows the rows: means, and what was lost.
pub(crate) fn summary(compilers: &[Compiler], rows: &[Row]) -> String {
    let mut text = String::from(
        "\n~ results within what the kernel allows, ! results differ\ngeometric mean: ",
    );
    for (number, compiler) in compilers.iter().enumerate().skip(1) {
        let _ = write!(text, " {} {:.2}", compiler.name, mean(rows, |row| row.speed_up(number)));
    }
    text.push('\n');
    let slower: Vec<&Row> =
        rows.iter().filter(|row| row.is_vectorized() && row.ours() < 1.0).collect();
    if !slower.is_empty() {
        text.push_str("\nvectorized and slower than scalar clang:\n");
        for row in slower {
            let _ = writeln!(text, "  {:<14} {:<26} {:.2}", row.kernel, row.input, row.ours());
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

/// The geometric mean over kernels; inputs of one kernel count together as one.
fn mean(rows: &[Row], speed_up: impl Fn(&Row) -> f64) -> f64 {
    let mut logs: Vec<(&str, f64, f64)> = Vec::new();
    for row in rows {
        let log = speed_up(row).ln();
        match logs.last_mut().filter(|(name, ..)| *name == row.kernel) {
            Some((_, sum, count)) => (*sum, *count) = (*sum + log, *count + 1.0),
            None => logs.push((&row.kernel, log, 1.0)),
        }
    }
    let sum: f64 = logs.iter().map(|(_, sum, count)| sum / count).sum();
    (sum / logs.len().max(1) as f64).exp()
}

/// Everything.
pub(crate) fn json(compilers: &[Compiler], rows: &[Row]) -> Value {
    let list = rows.iter().map(|row| {
        let cells = compilers.iter().zip(&row.cells);
        let cells = cells.map(|(compiler, (seconds, verdict))| {
            json!({ "compiler": compiler.name, "seconds": seconds, "result": verdict })
        });
        json!({
            "kernel": row.kernel, "input": row.input, "runs": row.runs, "lw_speed_up": row.ours(),
            "compilers": cells.collect::<Vec<_>>(), "remarks": row.remarks,
        })
    });
    let versions = compilers.iter().map(|c| json!({ "name": c.name, "version": c.version }));
    json!({
        "machine": machine(), "flags": FLAGS, "compilers": versions.collect::<Vec<_>>(),
        "lw_geometric_mean": mean(rows, Row::ours), "rows": list.collect::<Vec<_>>(),
    })
}

/// The processor, as the system calls it.
fn machine() -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = cpu.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or("this machine", |(_, name)| name.trim()).to_string()
}
