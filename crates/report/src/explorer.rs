//! A page to look around in: the text of functions coloured by class beside pictures of them, and a chain of reasons for
//! everything that is clicked on. It needs nothing else: style, script and data are in it.
//!
//! Like the rest of this crate it knows nothing of programs: there are lines with marks, drawings, and items that link them.

use crate::drawing::{self, Drawing};
use crate::escape::escape;
use crate::model::{ListingKind, Report};
use serde_json::{Value, json};
use std::fmt::Write;

const STYLE: &str = include_str!("style.css");
const OWN_STYLE: &str = include_str!("explorer.css");
const SCRIPT: &str = include_str!("explorer.js");

/// A stretch of text that has a class, and perhaps an item to show.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mark {
    /// The line, from one.
    pub line: u32,
    /// The column, from one, in bytes; the word that begins there is marked.
    pub column: u32,
    /// Its class in the style sheet.
    pub class: String,
    /// What to show when the mouse rests on it.
    pub title: String,
    /// The number of the item that a click shows.
    pub item: Option<usize>,
}

/// A step on the way to something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stop {
    /// In words.
    pub text: String,
    /// The line it speaks of.
    pub line: Option<u32>,
    /// The node of the drawing it speaks of.
    pub node: Option<usize>,
}

/// Something that can be chosen: its text and its reasons are shown, its lines and nodes lit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    /// What it is.
    pub title: String,
    /// Its class in the style sheet.
    pub class: String,
    /// The line it stands in.
    pub line: Option<u32>,
    /// Whether it is worth being listed above the text.
    pub listed: bool,
    /// The reasons.
    pub steps: Vec<Stop>,
    /// Nodes it concerns: `from` where it begins, `to` where its effects are.
    pub from: Option<usize>,
    /// See `from`.
    pub to: Vec<usize>,
}

/// A function: lines of a listing and a drawing.
#[derive(Clone, Debug)]
pub struct View {
    /// What it is called.
    pub name: String,
    /// One sentence about it.
    pub about: String,
    /// The listing, by its number in the report, and the first and the last line to show.
    pub listing: usize,
    /// See `listing`.
    pub lines: (u32, u32),
    /// What is coloured.
    pub marks: Vec<Mark>,
    /// By line: the class of its margin.
    pub margins: Vec<(u32, String)>,
    /// The picture.
    pub drawing: Drawing,
    /// By node: the item that a click shows.
    pub nodes: Vec<Option<usize>>,
    /// What can be chosen.
    pub items: Vec<Item>,
}

/// The page of a report with these views. `legend`: classes and what they mean. `style`: colours for the classes.
pub fn explorer(report: &Report, views: &[View], legend: &[(&str, &str)], style: &str) -> String {
    let mut out = String::new();
    let title = escape(&format!("{} of {}", report.kind, report.subject));
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}{}{OWN_STYLE}{style}</style>\n</head>\n<body class=\"explorer\">\n\
         <header>\n<h1>{title}</h1>\n<p>{}</p>\n<ul class=\"counts\">\n",
        drawing::STYLE,
        escape(&report.about)
    );
    for count in crate::order::sorted_counts(report) {
        let (name, number, label) = (count.level.name(), count.count, escape(&count.label));
        let _ = writeln!(out, "<li class=\"{name}\"><b>{number}</b> {label}</li>");
    }
    out.push_str("</ul>\n<p class=\"legend\">");
    for (class, label) in legend {
        let _ = write!(out, "<span class=\"{}\">{}</span> ", escape(class), escape(label));
    }
    out.push_str("</p>\n");
    for note in &report.notes {
        let _ = writeln!(out, "<p class=\"note\">{}</p>", escape(note));
    }
    if views.len() > 1 {
        out.push_str("<nav>");
        for (i, view) in views.iter().enumerate() {
            let _ = write!(out, "<a href=\"#v{i}\">{}</a> ", escape(&view.name));
        }
        out.push_str("</nav>\n");
    }
    out.push_str("</header>\n");
    for (i, view) in views.iter().enumerate() {
        write_view(&mut out, report, i, view);
    }
    // In a script element only its end tag means something.
    let data =
        json!(views.iter().map(data).collect::<Vec<_>>()).to_string().replace('<', "\\u003c");
    let _ = write!(
        out,
        "<script type=\"application/json\" id=\"data\">{data}</script>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    );
    out
}

fn data(view: &View) -> Value {
    let items = view.items.iter().map(|item| {
        let steps = item
            .steps
            .iter()
            .map(|step| json!({ "text": step.text, "line": step.line, "node": step.node }));
        json!({
            "title": item.title, "class": item.class, "line": item.line,
            "steps": steps.collect::<Vec<_>>(), "from": item.from, "to": item.to,
        })
    });
    json!({ "items": items.collect::<Vec<_>>(), "nodes": view.nodes })
}

fn write_view(out: &mut String, report: &Report, number: usize, view: &View) {
    let _ = writeln!(
        out,
        "<section class=\"view\" id=\"v{number}\" data-view=\"{number}\">\n<h2>{}</h2>\n<p>{}</p>",
        escape(&view.name),
        escape(&view.about)
    );
    let listed = view.items.iter().enumerate().filter(|(_, item)| item.listed);
    let listed: Vec<String> = listed
        .map(|(i, item)| {
            let line = item.line.map(|line| format!("<span class=\"no\">{line}</span> "));
            format!(
                "<li><button class=\"item {}\" data-item=\"{i}\">{}{}</button></li>\n",
                escape(&item.class),
                line.unwrap_or_default(),
                escape(&item.title)
            )
        })
        .collect();
    if !listed.is_empty() {
        let _ = writeln!(out, "<ul class=\"items\">\n{}</ul>", listed.concat());
    }
    out.push_str("<div class=\"columns\">\n<div class=\"code hunk\">\n");
    let listing = &report.listings[view.listing];
    for line in view.lines.0..=view.lines.1 {
        let marks: Vec<&Mark> = view.marks.iter().filter(|mark| mark.line == line).collect();
        let margin = view.margins.iter().find(|(l, _)| *l == line);
        if listing.kind == ListingKind::Missing && marks.is_empty() && margin.is_none() {
            continue;
        }
        let class = margin.map_or(String::new(), |(_, class)| format!(" {}", escape(class)));
        let _ = writeln!(
            out,
            "<div class=\"line{class}\" data-line=\"{line}\"><span class=\"no\">{line}</span><code>{}</code></div>",
            marked(listing.line(line), &marks)
        );
    }
    out.push_str(
        "</div>\n<div class=\"side\">\n<div class=\"chain\" aria-live=\"polite\"></div>\n",
    );
    let _ = writeln!(
        out,
        "<div class=\"picture\">{}</div>\n</div>\n</div>\n</section>",
        view.drawing.svg()
    );
}

/// A line in which words are marked. Where several marks begin, the first counts.
fn marked(line: &str, marks: &[&Mark]) -> String {
    let mut marks: Vec<&&Mark> = marks.iter().filter(|mark| mark.column > 0).collect();
    marks.sort_by_key(|mark| mark.column);
    let mut out = String::new();
    let mut done = 0;
    for mark in marks {
        let start = mark.column as usize - 1;
        let Some(rest) = line.get(start..).filter(|rest| start >= done && !rest.is_empty()) else {
            continue;
        };
        let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '%' | '@' | '.');
        let sign = |c: char| {
            c.is_ascii_punctuation() && !matches!(c, '(' | ')' | ';' | ',' | '{' | '}' | '_' | '"')
        };
        let length = |belongs: &dyn Fn(char) -> bool| {
            rest.chars().take_while(|&c| belongs(c)).map(char::len_utf8).sum::<usize>()
        };
        let length = match (length(&word), length(&sign)) {
            (0, 0) => rest.chars().next().map_or(0, char::len_utf8),
            (0, signs) => signs,
            (letters, _) => letters,
        };
        let item =
            mark.item.map_or(String::new(), |item| format!(" data-item=\"{item}\" tabindex=\"0\""));
        let _ = write!(
            out,
            "{}<span class=\"mark {}\" title=\"{}\"{item}>{}</span>",
            escape(&line[done..start]),
            escape(&mark.class),
            escape(&mark.title),
            escape(&rest[..length])
        );
        done = start + length;
    }
    out.push_str(&escape(&line[done..]));
    out
}

#[cfg(test)]
mod tests {
    use super::{Item, Mark, Stop, View, explorer, marked};
    use crate::drawing::{Drawing, Node};
    use crate::model::{Listing, Report};

    #[test]
    fn words_and_signs_are_marked_once() {
        let mark = |column: u32| Mark {
            line: 1,
            column,
            class: "v".into(),
            title: "<t>".into(),
            item: Some(2),
        };
        let (a, b, again, far) = (mark(1), mark(3), mark(3), mark(90));
        let text = marked("x += y;", &[&b, &a, &again, &far]);
        let span = |text: &str| {
            format!(
                "<span class=\"mark v\" title=\"&lt;t&gt;\" data-item=\"2\" tabindex=\"0\">{text}</span>"
            )
        };
        assert_eq!(text, format!("{} {} y;", span("x"), span("+=")));
    }

    #[test]
    fn a_page_holds_its_data_and_nothing_breaks_out_of_it() {
        let mut report = Report::new("divergence", "<k>.cu");
        report.add(Listing::source("k.cu", "a < b\n</script>\n"));
        let mut drawing = Drawing::default();
        drawing.node(Node::new("", ["entry"]));
        let view = View {
            name: "f".into(),
            about: String::new(),
            listing: 0,
            lines: (1, 2),
            marks: vec![],
            margins: vec![(1, "v".into())],
            drawing,
            nodes: vec![Some(0)],
            items: vec![Item {
                title: "</script><b>".into(),
                class: "v".into(),
                line: Some(1),
                listed: true,
                steps: vec![Stop { text: "why".into(), line: None, node: Some(0) }],
                from: Some(0),
                to: vec![],
            }],
        };
        let page = explorer(&report, &[view], &[("v", "varying")], "");
        assert_eq!(
            page.matches("</script>").count(),
            2,
            "the two that end the data and the script"
        );
        assert!(page.contains("\\u003c/script>\\u003cb>") && !page.contains("<k>"));
        assert!(!page.contains("http://www.w3.org/1999") && !page.contains("src=\"http"));
    }
}
