//! A report as text: each shown line with its number, and below it a line for each fact.

use crate::model::{Fact, Listing, ListingKind, Report};
use crate::order::{shown, summary};
use std::fmt::Write;

/// The report as text.
///
/// Facts stand under the line they belong to, behind a mark: `✗` wrong, `?` not proved, `✓` proved, `·` a fact. Reasons
/// follow, each on a line of its own.
pub fn text(report: &Report) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{} of {}: {}", report.kind, report.subject, summary(report));
    if !report.about.is_empty() {
        let _ = writeln!(out, "{}", report.about);
    }
    for note in &report.notes {
        let _ = writeln!(out, "note: {note}");
    }
    for (_, listing, lines) in shown(report) {
        let _ = writeln!(out, "\n{}", title(listing));
        let hunks = lines.hunks(listing);
        let width = hunks.last().map_or(4, |hunk| hunk.last.to_string().len().max(4));
        for (index, hunk) in hunks.iter().enumerate() {
            if index > 0 {
                let _ = writeln!(out, "{:>width$} |", "…");
            }
            for line in hunk.first..=hunk.last {
                let facts = lines.at(line);
                if listing.kind == ListingKind::Missing && facts.is_empty() && !lines.mentions(line)
                {
                    continue;
                }
                let row = format!("{line:>width$} | {}", listing.line(line).replace('\t', "    "));
                let _ = writeln!(out, "{}", row.trim_end());
                facts.iter().for_each(|fact| write_fact(&mut out, report, fact, width));
            }
        }
    }
    out
}

fn title(listing: &Listing) -> String {
    match listing.kind {
        ListingKind::Missing => format!("{} (the file cannot be read)", listing.name),
        _ => listing.name.clone(),
    }
}

fn write_fact(out: &mut String, report: &Report, fact: &Fact, width: usize) {
    let margin = " ".repeat(width);
    let column = match fact.place.column {
        0 => String::new(),
        column => format!("{column}: "),
    };
    let mark = fact.level.mark();
    let subject = if fact.subject.is_empty() { "" } else { " " };
    let _ = writeln!(out, "{margin} | {mark} {column}{}{subject}{}", fact.subject, fact.text);
    for step in &fact.why {
        let place = step.place.map(|place| {
            if place.listing == fact.place.listing {
                format!(" (line {})", place.line)
            } else {
                format!(" ({})", report.spot(place))
            }
        });
        let _ = writeln!(out, "{margin} |     {}{}", step.text, place.unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::text;
    use crate::model::{Fact, Level, Listing, Place, Report};

    #[test]
    fn facts_stand_under_their_lines_and_distant_lines_are_left_out() {
        let mut report = Report::new("null", "x.c");
        let many: String = (1..=40).map(|n| format!("line {n}\n")).collect();
        let file = report.add(Listing::source("x.c", &many));
        let fact = |line, column, level| Fact::new(level, Place::new(file, line, column), "p", "…");
        report.facts.push(fact(30, 0, Level::Fact));
        report.facts.push(fact(2, 9, Level::Proved));
        report
            .facts
            .push(fact(2, 5, Level::Open).because("not tested", Some(Place::new(file, 1, 0))));
        report.count(Level::Proved, "proved");
        report.count(Level::Open, "open");
        report.count(Level::Proved, "proved");
        let expected = "\
null of x.c: 1 open, 2 proved

x.c
   1 | line 1
   2 | line 2
     | ? 5: p …
     |     not tested (line 1)
     | ✓ 9: p …
   … |
  30 | line 30
     | · p …
";
        assert_eq!(text(&report), expected);
    }

    #[test]
    fn a_line_behind_the_end_and_a_missing_file_do_no_harm() {
        let mut report = Report::new("null", "x.c");
        let here = report.add(Listing::source("x.c", "one\n"));
        let gone = report.add(Listing::missing("gone.c"));
        for place in [Place::new(here, 7, 1), Place::new(here, 0, 1), Place::new(gone, 3, 0)] {
            report.facts.push(Fact::new(Level::Fact, place, "", "x"));
        }
        let out = text(&report);
        assert!(out.contains("   7 |\n     | · 1: x\n"), "{out}");
        assert!(out.contains("gone.c (the file cannot be read)\n   3 |\n     | · x\n"), "{out}");
    }
}
