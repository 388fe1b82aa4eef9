//! The proof that nothing is lost: every function through the IR and its text form, and back.
//!
//! Each body is imported, printed, parsed, and rebuilt from what was parsed beside the old one, which is deleted. What is
//! left to compare is the text of the module before and after, and the counts of what is in it.

use crate::error::{Error, Result};
use crate::ffi::Counts;
use crate::module::Module;
use lw_ir::{Function, Op};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// What a round trip found.
#[derive(Clone, Debug, Default)]
pub struct Roundtrip {
    /// What was in the module before.
    pub before: Counts,
    /// What is in it now.
    pub after: Counts,
    /// How many bodies were rebuilt.
    pub rebuilt: u64,
    /// The opaque instructions by opcode.
    pub opaque: BTreeMap<String, u64>,
    /// Where the text of the module differs from what it was, line by line; empty if nowhere.
    pub differences: Vec<String>,
    /// The time import and emission took, without printing, parsing and comparing.
    pub bridge_time: Duration,
}

/// What a round trip does beside importing and emitting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RoundtripOptions {
    /// Prints and parses every function on the way.
    pub through_text: bool,
    /// Compares the text of the module before and after.
    pub compare: bool,
}

impl Default for RoundtripOptions {
    fn default() -> Self {
        RoundtripOptions { through_text: true, compare: true }
    }
}

impl Roundtrip {
    /// How many instructions were opaque.
    pub fn opaque_total(&self) -> u64 {
        self.opaque.values().sum()
    }
}

/// Sends every function of `module` through the IR and back. `progress` is told how many of how many are done.
pub fn roundtrip(
    module: &mut Module<'_>,
    options: RoundtripOptions,
    mut progress: impl FnMut(usize, usize),
) -> Result<Roundtrip> {
    let mut report = Roundtrip { before: module.counts(), ..Roundtrip::default() };
    let text_before = options.compare.then(|| module.to_text());
    let start = Instant::now();
    let mut elsewhere = Duration::ZERO;
    let mut bridge = module.bridge()?;
    let functions = bridge.functions();
    for (done, &id) in functions.iter().enumerate() {
        let imported = bridge.import(id);
        let aside = Instant::now();
        for (_, inst) in imported.function.all_insts() {
            if let Op::Opaque(info) = &imported.function[inst].op {
                *report.opaque.entry(info.opcode.to_string()).or_default() += 1;
            }
        }
        let parsed = if options.through_text { Some(reparse(&imported.function)?) } else { None };
        progress(done + 1, functions.len());
        elsewhere += aside.elapsed();
        bridge.replace_body(parsed.as_ref().unwrap_or(&imported.function), &imported.origins)?;
        report.rebuilt += 1;
    }
    report.bridge_time = start.elapsed() - elsewhere;
    module.verify()?;
    report.after = module.counts();
    if let Some(before) = text_before {
        report.differences = differences(&before, &module.to_text());
    }
    Ok(report)
}

fn reparse(function: &Function) -> Result<Function> {
    let text = function.to_string();
    lw_ir::parse_function(&text).map_err(|error| {
        let line = text.lines().nth(error.line as usize - 1).unwrap_or_default();
        let reason = format!("its text form does not parse: {error} in `{}`", line.trim());
        Error::Emit { function: function.name.to_string(), reason }
    })
}

/// The lines that differ. Comments do not count: LLVM lists predecessors there in the order of its use lists.
fn differences(before: &str, after: &str) -> Vec<String> {
    let canonical = |text: &str| -> Vec<String> {
        let strip = |line: &str| match line.find("; preds = ") {
            Some(at) => line[..at].trim_end().to_string(),
            None => line.trim_end().to_string(),
        };
        text.lines().map(strip).collect()
    };
    if before == after {
        return Vec::new();
    }
    let (before, after) = (canonical(before), canonical(after));
    let mut found: Vec<String> = before
        .iter()
        .zip(&after)
        .enumerate()
        .filter(|(_, (a, b))| a != b)
        .map(|(i, (a, b))| format!("line {}: `{}` became `{}`", i + 1, a.trim(), b.trim()))
        .collect();
    if before.len() != after.len() {
        found.push(format!("{} lines became {}", before.len(), after.len()));
    }
    found
}
