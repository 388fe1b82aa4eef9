//! `lw roundtrip`.

use crate::failure::Failure;
use crate::output::{show, write_file};
use crate::{Done, input};
use indicatif::{ProgressBar, ProgressStyle};
use lw_llvm::{Context, Roundtrip, RoundtripOptions};
use serde_json::json;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Sends every function through the lock-step IR and back, and checks that nothing is lost.
///
/// Each body is imported, printed, parsed, and rebuilt from what was parsed beside the old body, which is deleted. LLVM's
/// verifier checks the result, and its text is compared with that of the input.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  clang-22 -O1 -g -c -emit-llvm examples/escape.c -o escape.bc
  lw roundtrip escape.bc
  lw roundtrip escape.bc -o again.bc --stats

Exit code 1 means that something was lost; the differences are listed.")]
pub(crate) struct Args {
    /// A module: .ll or .bc
    input: PathBuf,
    /// Where to write the module that came back: .ll or .bc
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Counts instructions, calls, debug locations and records before and after, and opaque instructions
    #[arg(long, value_name = "FORMAT", num_args = 0..=1, require_equals = true, default_missing_value = "text")]
    stats: Option<Format>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Text,
    Json,
}

pub(crate) fn main(args: Args) -> Done {
    let write_text = args.output.as_deref().map(is_text).transpose()?;
    let context = Context::new();
    let mut module = input::llvm_module(&context, &args.input)?;
    let bar = progress_bar();
    let report = lw_llvm::roundtrip(&mut module, RoundtripOptions::default(), |done, all| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    let report = report?;
    let output = match args.stats {
        Some(Format::Json) => json_report(&report).to_string() + "\n",
        Some(Format::Text) => table(&args.input, &report),
        None => summary(&args.input, &report),
    };
    if let Some(path) = &args.output {
        let bytes = if write_text == Some(true) {
            module.to_text().into_bytes()
        } else {
            module.to_bitcode()
        };
        write_file(path, &bytes)?;
    }
    show(&output)?;
    if report.before == report.after && report.differences.is_empty() {
        Ok(())
    } else {
        Err(Failure::No)
    }
}

/// A bar on standard error if that is a terminal.
fn progress_bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} functions {elapsed}");
    ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Whether the output is text rather than bitcode, by its name.
fn is_text(path: &Path) -> Result<bool, Failure> {
    match path.extension().and_then(|e| e.to_str()) {
        Some("ll") => Ok(true),
        Some("bc") => Ok(false),
        _ => {
            let message = format!("{}: the output ends in .ll or .bc", path.display());
            Err(Failure::cannot(message))
        }
    }
}

fn summary(input: &Path, report: &Roundtrip) -> String {
    let mut text = format!(
        "{}: {} functions, {} instructions, {}\n",
        input.display(),
        report.rebuilt,
        report.after.instructions,
        if report.differences.is_empty() { "the same text" } else { "differences:" },
    );
    for difference in &report.differences {
        let _ = writeln!(text, "  {difference}");
    }
    text
}

/// The rows of the table: what is counted, before and after.
fn counts(report: &Roundtrip) -> [(&'static str, u64, u64); 6] {
    let (a, b) = (&report.before, &report.after);
    [
        ("functions", a.functions, b.functions),
        ("blocks", a.blocks, b.blocks),
        ("instructions", a.instructions, b.instructions),
        ("calls", a.calls, b.calls),
        ("debug locations", a.debug_locations, b.debug_locations),
        ("debug records", a.debug_records, b.debug_records),
    ]
}

fn table(input: &Path, report: &Roundtrip) -> String {
    let mut text = summary(input, report);
    let _ = writeln!(text, "{:<18} {:>10} {:>10}", "", "before", "after");
    for (name, before, after) in counts(report) {
        let mark = if before == after { "" } else { "  differs" };
        let _ = writeln!(text, "{name:<18} {before:>10} {after:>10}{mark}");
    }
    let total = report.opaque_total();
    let share = 100.0 * total as f64 / report.before.instructions.max(1) as f64;
    let _ = writeln!(text, "{:<18} {total:>10}   {share:.3} % of the instructions", "opaque");
    for (opcode, count) in &report.opaque {
        let _ = writeln!(text, "  {opcode:<16} {count:>10}");
    }
    let _ = writeln!(text, "import and emit took {:.1} ms", report.bridge_time.as_secs_f64() * 1e3);
    text
}

fn json_report(report: &Roundtrip) -> serde_json::Value {
    let (a, b) = (&report.before, &report.after);
    json!({
        "functions": a.functions,
        "functions_rebuilt": report.rebuilt,
        "blocks_before": a.blocks,
        "blocks_after": b.blocks,
        "instructions_before": a.instructions,
        "instructions_after": b.instructions,
        "calls_before": a.calls,
        "calls_after": b.calls,
        "debug_locations_before": a.debug_locations,
        "debug_locations_after": b.debug_locations,
        "debug_records_before": a.debug_records,
        "debug_records_after": b.debug_records,
        "opaque": report.opaque,
        "opaque_total": report.opaque_total(),
        "text_equal": report.differences.is_empty(),
        "differences": report.differences,
        "bridge_seconds": report.bridge_time.as_secs_f64(),
    })
}
