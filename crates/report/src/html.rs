//! A report as one HTML page that needs nothing else: no scripts, no fonts, no network.

use crate::escape::escape;
use crate::model::{Fact, Level, Listing, ListingId, ListingKind, Place, Report};
use crate::order::{Lines, shown, sorted_counts, summary};
use std::fmt::Write;

const STYLE: &str = include_str!("style.css");
/// So many reasons are shown unfolded.
const UNFOLDED: usize = 12;

/// The report as a page: counts on top, then what was found with its reasons, then the listings, each line with its facts
/// beside it. Hovering a fact shows its reasons. The boxes beside the counts show and hide facts of a kind.
pub fn html(report: &Report) -> String {
    let mut out = String::new();
    let title = format!("{} of {}", report.kind, report.subject);
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<style>\n{STYLE}{}</style>\n</head>\n<body>\n",
        escape(&title),
        if report.pictures.is_empty() { "" } else { crate::drawing::STYLE }
    );
    header(&mut out, report, &title);
    findings(&mut out, report);
    pictures(&mut out, report);
    for (id, listing, lines) in shown(report) {
        write_listing(&mut out, report, id, listing, &lines);
    }
    out.push_str("</body>\n</html>\n");
    out
}

fn header(out: &mut String, report: &Report, title: &str) {
    let _ = writeln!(out, "<header>\n<h1>{}</h1>", escape(title));
    if !report.about.is_empty() {
        let _ = writeln!(out, "<p>{}</p>", escape(&report.about));
    }
    let _ = writeln!(
        out,
        "<p class=\"summary\">{}</p>\n<ul class=\"counts\">",
        escape(&summary(report))
    );
    for count in sorted_counts(report) {
        let (name, number, label) = (count.level.name(), count.count, escape(&count.label));
        let _ = writeln!(out, "<li class=\"{name}\"><b>{number}</b> {label}</li>");
    }
    out.push_str("</ul>\n<p class=\"filters\">Show:");
    let present = Level::ALL.into_iter().filter(|&l| report.facts.iter().any(|f| f.level == l));
    for level in present {
        let (name, mark) = (level.name(), level.mark());
        let _ = write!(
            out,
            " <label class=\"{name}\"><input type=\"checkbox\" id=\"show-{name}\" checked> {mark} {}</label>",
            word(level)
        );
    }
    out.push_str("</p>\n");
    for note in &report.notes {
        let _ = writeln!(out, "<p class=\"note\">{}</p>", escape(note));
    }
    out.push_str("</header>\n");
}

fn word(level: Level) -> &'static str {
    match level {
        Level::Wrong => "wrong",
        Level::Open => "not proved",
        Level::Proved => "proved",
        Level::Fact => "facts",
    }
}

fn anchor(place: Place) -> String {
    format!("f{}l{}", place.listing.index(), place.line)
}

fn link(report: &Report, place: Place) -> String {
    format!("<a href=\"#{}\">{}</a>", anchor(place), escape(&report.spot(place)))
}

/// What is wrong or open as a list, what is proved as a folded list; mere facts stand in the listings.
fn findings(out: &mut String, report: &Report) {
    for level in [Level::Wrong, Level::Open, Level::Proved] {
        let mut facts: Vec<_> = report.facts.iter().filter(|f| f.level == level).collect();
        if facts.is_empty() {
            continue;
        }
        facts.sort_by_key(|fact| fact.place);
        let open = if level == Level::Proved { "" } else { " open" };
        let (name, title) = (level.name(), word(level));
        let _ = writeln!(
            out,
            "<details class=\"findings {name}\"{open}><summary>{} {title}</summary>\n<ul>",
            facts.len()
        );
        for fact in facts {
            let function = match fact.function.as_str() {
                "" => String::new(),
                name => format!(" <span class=\"function\">in {}</span>", escape(name)),
            };
            let _ = write!(
                out,
                "<li>{}{function} <code>{}</code> {}",
                link(report, fact.place),
                escape(&fact.subject),
                escape(&fact.text)
            );
            reasons(out, report, fact);
            out.push_str("</li>\n");
        }
        out.push_str("</ul>\n</details>\n");
    }
}

/// Why, step by step; if there are many steps, folded.
fn reasons(out: &mut String, report: &Report, fact: &Fact) {
    if fact.why.is_empty() {
        return;
    }
    let (open, close) = match fact.why.len() {
        0..=UNFOLDED => (String::new(), ""),
        n => (format!("<details><summary>{n} lines</summary>"), "</details>"),
    };
    let _ = write!(out, "{open}<ol>");
    for step in &fact.why {
        let place = step.place.map(|place| format!(" {}", link(report, place)));
        let _ = write!(out, "<li>{}{}</li>", escape(&step.text), place.unwrap_or_default());
    }
    let _ = write!(out, "</ol>{close}");
}

fn pictures(out: &mut String, report: &Report) {
    for (title, drawing) in &report.pictures {
        let _ = writeln!(
            out,
            "<details class=\"picture\" open><summary>{}</summary>\n<div>{}</div>\n</details>",
            escape(title),
            drawing.svg()
        );
    }
}

fn write_listing(
    out: &mut String,
    report: &Report,
    id: ListingId,
    listing: &Listing,
    lines: &Lines<'_>,
) {
    let _ = writeln!(out, "<section class=\"listing\">\n<h2>{}</h2>", escape(&listing.name));
    if listing.kind == ListingKind::Missing {
        out.push_str(
            "<p class=\"note\">The file cannot be read; only line numbers are shown.</p>\n",
        );
    }
    for hunk in lines.hunks(listing) {
        let names: Vec<String> = hunk.names.iter().map(|name| escape(name)).collect();
        let _ = writeln!(out, "<div class=\"hunk\" aria-label=\"{}\">", names.join(", "));
        for line in hunk.first..=hunk.last {
            let facts = lines.at(line);
            if listing.kind == ListingKind::Missing && facts.is_empty() && !lines.mentions(line) {
                continue;
            }
            let anchor = anchor(Place::new(id, line, 0));
            let _ = write!(
                out,
                "<div class=\"line\" id=\"{anchor}\"><a class=\"no\" href=\"#{anchor}\">{line}</a><code>{}</code>",
                marked(listing.line(line), facts)
            );
            if !facts.is_empty() {
                out.push_str("<span class=\"chips\">");
                facts.iter().for_each(|fact| chip(out, report, fact));
                out.push_str("</span>");
            }
            out.push_str("</div>\n");
        }
        out.push_str("</div>\n");
    }
    out.push_str("</section>\n");
}

/// A fact beside its line, with its reasons to be shown on top of it.
fn chip(out: &mut String, report: &Report, fact: &Fact) {
    let (name, mark) = (fact.level.name(), fact.level.mark());
    let _ = write!(
        out,
        "<span class=\"chip {name}\" tabindex=\"0\">{mark} <b>{}</b> {}",
        escape(&fact.subject),
        escape(&fact.text)
    );
    if !fact.why.is_empty() {
        out.push_str("<span class=\"tip\">");
        for step in &fact.why {
            let place = step.place.map(|place| format!(" {}", link(report, place)));
            let _ = write!(out, "<span>{}{}</span>", escape(&step.text), place.unwrap_or_default());
        }
        out.push_str("</span>");
    }
    out.push_str("</span>");
}

/// A line of code in which what facts point at is underlined.
fn marked(line: &str, facts: &[&Fact]) -> String {
    let mut out = String::new();
    let mut done = 0;
    for (index, fact) in facts.iter().enumerate() {
        let column = fact.place.column as usize;
        let first = facts[..index].iter().all(|other| other.place.column != fact.place.column);
        let Some(start) = column.checked_sub(1).filter(|&s| first && s >= done) else { continue };
        let Some(rest) = line.get(start..).filter(|rest| !rest.is_empty()) else { continue };
        let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '%' | '@' | '.');
        let length: usize = rest.chars().take_while(|&c| word(c)).map(char::len_utf8).sum();
        let length = length.max(rest.chars().next().map_or(0, char::len_utf8));
        let _ = write!(
            out,
            "{}<u class=\"{}\">{}</u>",
            escape(&line[done..start]),
            fact.level.name(),
            escape(&rest[..length])
        );
        done = start + length;
    }
    out.push_str(&escape(&line[done..]));
    out
}

#[cfg(test)]
mod tests {
    use super::{html, marked};
    use crate::model::{Fact, Level, Listing, Place, Report};

    #[test]
    fn everything_is_escaped_and_every_link_has_a_target() {
        let mut report = Report::new("null", "<x>.c");
        let file = report.add(Listing::source("<x>.c", "if (a < b && c)\n  *p = \"1\";\n"));
        let gone = report.add(Listing::missing("gone.c"));
        let fact = Fact::new(Level::Open, Place::new(file, 2, 4), "*p", "may be <null>")
            .because("a & b", Some(Place::new(file, 1, 0)));
        report.facts.push(fact);
        report.facts.push(Fact::new(Level::Wrong, Place::new(gone, 9, 0), "q", "is null"));
        report.listings[0].shown.push((1, 2, "f".into()));
        let page = html(&report);
        assert!(!page.contains("<x>") && !page.contains("<null>") && !page.contains("a & b"));
        assert!(page.contains("<u class=\"open\">p</u>"), "{page}");
        let mut links = page.split("href=\"#").skip(1);
        assert!(links.clone().count() > 4);
        assert!(links.all(|rest| {
            let name = rest.split('"').next().unwrap_or_default();
            page.contains(&format!("id=\"{name}\""))
        }));
    }

    /// Of 40 files one is named in the title, and of 40 reasons 30 are listed, folded.
    #[test]
    fn what_is_long_is_short_at_first() {
        let names: Vec<String> = (0..40).map(|n| format!("{n}.c")).collect();
        let mut report = Report::of_files("calls", &names);
        let file = report.add(Listing::source("0.c", "f();\n"));
        let at = Place::new(file, 1, 1);
        let steps = || names.iter().map(|name| (name.as_str(), None));
        let fact = Fact::new(Level::Open, at, "call", "40 targets").because_of(steps(), 30);
        report.facts.push(fact);
        let page = html(&report);
        assert!(page.contains("<title>calls of 0.c and 39 more files</title>"), "{page}");
        assert!(page.contains("<details><summary>31 lines</summary><ol><li>0.c</li>"), "{page}");
        assert!(page.contains("<li>29.c</li><li>and 10 more</li></ol></details>"), "{page}");
        report.facts[0] = Fact::new(Level::Open, at, "call", "3").because_of(steps().take(3), 30);
        assert!(html(&report).contains("<ol><li>0.c</li><li>1.c</li><li>2.c</li></ol></li>"));
    }

    #[test]
    fn marks_follow_columns() {
        let mut report = Report::new("x", "x");
        let file = report.add(Listing::source("x", ""));
        let at = |column| Fact::new(Level::Fact, Place::new(file, 1, column), "", "");
        let (first, second, behind) = (at(1), at(6), at(99));
        let text = marked("ab + cd;", &[&first, &first, &second, &behind]);
        assert_eq!(text, "<u class=\"fact\">ab</u> + <u class=\"fact\">cd</u>;");
        // A column in the middle of a character is left alone.
        assert_eq!(marked("é", &[&at(2)]), "é");
    }
}
