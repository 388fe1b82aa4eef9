//! How much splitting adds to a program, and how long it takes.

use super::form::Form;
use crate::units::Unit;
use lw_sparse::{Code, Ssify, View, singer};
use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What one algorithm added.
#[derive(Default)]
struct Added {
    phis: usize,
    sigmas: usize,
    copies: usize,
    versions: usize,
    time: Duration,
}

impl Added {
    fn add(&mut self, view: &View, start: Instant) {
        self.time += start.elapsed();
        self.phis += view.phis().len();
        self.sigmas += view.sigmas().len();
        self.copies += view.copies().len();
        self.versions += view.version_count();
    }
}

/// Splits all functions and says how much came out, as a table.
pub(super) fn measure(units: &[Unit], form: Form, baseline: bool) -> String {
    let (mut blocks, mut instructions, mut variables) = (0, 0, 0);
    let (mut tables, mut ours, mut theirs) = (Duration::ZERO, Added::default(), Added::default());
    for unit in units {
        let start = Instant::now();
        let code = Arc::new(Code::new(&unit.function));
        tables += start.elapsed();
        blocks += unit.function.blocks().len();
        instructions += code.len();
        let results = unit.function.all_insts().filter(|&(_, i)| unit.function[i].result.is_some());
        variables += unit.function.params().len() + results.count();
        let start = Instant::now();
        let view = Ssify::new(code.clone()).view(form.strategy);
        ours.add(&view, start);
        if baseline {
            let start = Instant::now();
            let view = singer(&mut Ssify::new(code));
            theirs.add(&view, start);
        }
    }
    let mut out = format!("form          {}: {}\n", form.name, form.strategy);
    for (what, count) in [
        ("functions", units.len()),
        ("blocks", blocks),
        ("instructions", instructions),
        ("variables", variables),
    ] {
        let _ = writeln!(out, "{what:<13} {count:>10}");
    }
    let _ = writeln!(out, "tables        {:>10.2} ms", milliseconds(tables));
    let title = if baseline { ["SSIfy", "Singer"] } else { ["", ""] };
    if baseline {
        let _ = writeln!(out, "{:<13} {:>10} {:>10}", "", title[0], title[1]);
    }
    for (what, of) in [
        ("φs added", (|a| a.phis) as fn(&Added) -> usize),
        ("σs added", |a| a.sigmas),
        ("copies added", |a| a.copies),
        ("versions", |a| a.versions),
    ] {
        let _ = write!(out, "{what:<13} {:>10}", of(&ours));
        let _ = if baseline { writeln!(out, " {:>10}", of(&theirs)) } else { writeln!(out) };
    }
    let _ = write!(out, "time          {:>10.2}", milliseconds(ours.time));
    if baseline {
        let _ = write!(out, " {:>10.2}", milliseconds(theirs.time));
    }
    out.push_str(" ms\n");
    out
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
