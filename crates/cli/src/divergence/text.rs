//! Findings as text: what is wrong, then branches and loops, deepest first, then memory line by line.

use super::plain_name;
use super::study::{Access, Study};
use super::words::{Reason, Words};
use lw_report::{Place, Report};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The report as text.
pub(super) fn text(report: &Report, studies: &[Study<'_>]) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "divergence of {}", report.subject);
    for (i, study) in studies.iter().enumerate() {
        if i == 0 || studies[i - 1].about != study.about {
            let _ = writeln!(out, "{}", study.about);
        }
        function(&mut out, report, study);
    }
    out
}

/// `x.cu:12:3`, with the line of the text behind it.
pub(super) fn spot(report: &Report, place: Place) -> String {
    report.spot(Place { column: 0, ..place })
}

fn count(n: usize, of: usize, what: &str) -> String {
    format!("{n} of {of} {what}")
}

fn function(out: &mut String, report: &Report, study: &Study<'_>) {
    let name = plain_name(study.subject.unit);
    let forks = |is_loop: bool| study.forks.iter().filter(|f| f.is_loop == is_loop).count();
    let _ = writeln!(
        out,
        "\n{name} ({}): {}, {}",
        spot(report, study.subject.start),
        count(forks(false), study.branches, "branches divergent"),
        count(forks(true), study.loops, "loops divergent"),
    );
    barriers(out, report, study);
    if !study.forks.is_empty() {
        out.push_str("  branches and loops, deepest first:\n");
    }
    for fork in &study.forks {
        let what = if fork.is_loop { "loop" } else { "branch" };
        let _ = writeln!(
            out,
            "    {}: depth {}: {what} on `{}`{}",
            spot(report, fork.place),
            fork.depth,
            fork.condition,
            because(&fork.why)
        );
    }
    memory(out, report, study);
}

/// Where a chain of causes ends.
fn because(why: &[Reason]) -> String {
    match why.last() {
        Some(last) => {
            let line = last.place.map(|place| format!(" (line {})", place.line));
            format!(": {}{}", last.text, line.unwrap_or_default())
        }
        None => String::new(),
    }
}

fn barriers(out: &mut String, report: &Report, study: &Study<'_>) {
    let words = Words::new(&study.subject, false);
    let wrong = study.barriers.iter().filter(|b| b.divergent.is_some()).count();
    if study.barriers.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "  barriers: {}",
        count(wrong, study.barriers.len(), "under divergent control")
    );
    for barrier in &study.barriers {
        let Some((place, why)) = &barrier.divergent else { continue };
        let _ = writeln!(
            out,
            "    ✗ {}: {} is not reached by all threads of a block, which part at line {}{}",
            spot(report, barrier.place),
            words.callee(barrier.inst),
            place.line,
            because(why)
        );
    }
}

fn memory(out: &mut String, report: &Report, study: &Study<'_>) {
    if study.accesses.is_empty() {
        return;
    }
    let mut counts: BTreeMap<_, usize> = BTreeMap::new();
    let mut lines: BTreeMap<Place, Vec<&Access>> = BTreeMap::new();
    for access in &study.accesses {
        let order = ["gather", "strided", "contiguous", "uniform"];
        let word = access.class.word();
        *counts.entry(order.iter().position(|w| *w == word)).or_default() += 1;
        lines.entry(Place { column: 0, ..access.place }).or_default().push(access);
    }
    let counts: Vec<String> = counts
        .into_iter()
        .map(|(at, n)| {
            format!("{n} {}", ["gather", "strided", "contiguous", "uniform"][at.unwrap_or(0)])
        })
        .collect();
    let _ = writeln!(out, "  memory accesses: {}", counts.join(", "));
    for (place, accesses) in lines {
        let mut listed: Vec<String> = Vec::new();
        for access in accesses {
            let text = format!("{} `{}` {}", access.what, access.target, access.class);
            if !listed.contains(&text) {
                listed.push(text);
            }
        }
        let _ = writeln!(out, "    {}: {}", spot(report, place), listed.join("; "));
    }
}
