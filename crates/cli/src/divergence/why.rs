//! `--why`: the chain from a value, or from all that stands in a line, back to where divergence starts.

use super::study::{Study, Tone, Valued};
use super::text::spot;
use super::words::{Reason, Words};
use super::{Args, plain_name};
use crate::failure::Failure;
use lw_report::Report;
use std::collections::BTreeSet;
use std::fmt::Write;

pub(super) fn text(
    args: &Args,
    what: &str,
    studies: &[Study<'_>],
    report: &Report,
) -> Result<String, Failure> {
    let mut out = String::new();
    for study in studies {
        let found = match what.parse::<u32>() {
            Ok(line) => at_line(study, report, line),
            Err(_) => of_name(study, report, what),
        };
        if !found.is_empty() {
            let _ = write!(out, "{}:\n{found}", plain_name(study.subject.unit));
        }
    }
    if out.is_empty() { Err(unknown(args, what, studies)) } else { Ok(out) }
}

fn unknown(args: &Args, what: &str, studies: &[Study<'_>]) -> Failure {
    let mut lines = BTreeSet::new();
    let mut names = BTreeSet::new();
    for study in studies {
        let words = Words::new(&study.subject, false);
        for value in &study.values {
            lines.insert(value.place.line);
            if study.subject.is_named(lw_sparse::function::var(value.value)) {
                names.insert(words.value(value.value));
            }
        }
        lines.extend(study.forks.iter().map(|fork| fork.place.line));
    }
    let path = args.input.input.display();
    let few = |all: Vec<String>| {
        let more = if all.len() > 30 { ", …" } else { "" };
        format!("{}{more}", all[..all.len().min(30)].join(", "))
    };
    match what.parse::<u32>() {
        Ok(line) => Failure::cannot(format!(
            "{path}: nothing is computed at line {line}; there are the lines {}",
            few(lines.iter().map(ToString::to_string).collect())
        )),
        Err(_) => Failure::cannot(format!(
            "{path}: there is no value `{what}`; there are: {}",
            few(names.into_iter().collect())
        )),
    }
}

fn write_chain(out: &mut String, report: &Report, why: &[Reason]) {
    for reason in why {
        let place = reason.place.map(|place| spot(report, place)).unwrap_or_default();
        let _ = writeln!(out, "      {}", reason.text);
        if let Some(at) = reason.place.filter(|at| at.line > 0) {
            let line = report.listing(at.listing).line(at.line).trim();
            if !line.is_empty() {
                let _ = writeln!(out, "        {place} | {line}");
            }
        }
    }
}

fn write_value(out: &mut String, report: &Report, study: &Study<'_>, value: &Valued) {
    let words = Words::new(&study.subject, false);
    let _ = writeln!(
        out,
        "  {}: `{}` is {}: {}",
        spot(report, value.place),
        words.value(value.value),
        value.tone.class(),
        value.shape
    );
    write_chain(out, report, &value.why);
}

fn at_line(study: &Study<'_>, report: &Report, line: u32) -> String {
    let mut out = String::new();
    for fork in study.forks.iter().filter(|fork| fork.place.line == line) {
        let what = if fork.is_loop { "loop" } else { "branch" };
        let _ = writeln!(
            out,
            "  {}: the {what} on `{}` is divergent",
            spot(report, fork.place),
            fork.condition
        );
        write_chain(&mut out, report, &fork.why);
    }
    for barrier in study.barriers.iter().filter(|barrier| barrier.place.line == line) {
        if let Some((_, why)) = &barrier.divergent {
            let _ = writeln!(
                out,
                "  {}: not all threads of a block reach the barrier",
                spot(report, barrier.place)
            );
            write_chain(&mut out, report, why);
        }
    }
    for access in study.accesses.iter().filter(|access| access.place.line == line) {
        let _ = writeln!(
            out,
            "  {}: {} `{}` is {}",
            spot(report, access.place),
            access.what,
            access.target,
            access.class
        );
        write_chain(&mut out, report, &access.why);
    }
    let mut seen = BTreeSet::new();
    let words = Words::new(&study.subject, false);
    for value in study.values.iter().filter(|value| value.place.line == line) {
        let named = study.subject.is_named(lw_sparse::function::var(value.value));
        let wanted = named || out.is_empty() && value.tone != Tone::Uniform;
        if wanted && seen.insert((words.value(value.value), value.shape.clone())) {
            write_value(&mut out, report, study, value);
        }
    }
    if out.is_empty() && study.values.iter().any(|value| value.place.line == line) {
        let _ = writeln!(out, "  all that is computed at line {line} is the same for all threads");
    }
    out
}

fn of_name(study: &Study<'_>, report: &Report, name: &str) -> String {
    let mut out = String::new();
    let words = Words::new(&study.subject, false);
    let wanted = name.trim_start_matches('%');
    let mut seen = BTreeSet::new();
    for value in &study.values {
        let plain = study.subject.printer.value(value.value);
        let called = words.value(value.value);
        if called.trim_start_matches('%') == wanted || plain.trim_start_matches('%') == wanted {
            let chain: Vec<&str> = value.why.iter().map(|reason| reason.text.as_str()).collect();
            if seen.insert((value.shape.as_str(), chain)) {
                write_value(&mut out, report, study, value);
            }
        }
    }
    out
}
