//! The graph as a page.

use super::View;
use lw_callgraph::FuncId;
use lw_llvm::Location;
use lw_report::drawing::{Drawing, Edge, Node};
use lw_report::{Fact, Level, Listing, ListingId, Place, Report};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

/// A picture of more functions says nothing.
const MOST: usize = 120;
/// So many targets of a call are listed.
const LISTED: usize = 100;

pub(super) fn show(view: &View<'_>) -> String {
    let View { program, graph, inputs } = view;
    let names = program.names(graph);
    let files: Vec<String> = inputs.iter().map(|path| path.display().to_string()).collect();
    let mut report = Report::of_files("call graph", &files);
    report.about = "For each call through a pointer: which functions may it call?".into();
    let sum = view.summary();
    report.notes.push(format!(
        "{} functions, {} of them never called; {} calls through pointers, {:.1} targets on average where {:.1} functions of the same \
         type have their address taken.",
        sum.functions,
        sum.never_called,
        sum.sites,
        sum.average(sum.targets),
        sum.average(sum.same_type)
    ));
    let mut sources = Sources::default();
    for site in graph.sites() {
        let at = program.call(graph, site.function, site.inst);
        let inside = &names[site.function.index()];
        let place = sources.place(&mut report, at, &format!("a call in {inside}"));
        let count = site.callees.functions.len();
        let (level, label, text) =
            match (graph.is_reached(site.function), site.callees.unknown, count) {
                (false, ..) => (Level::Fact, "never reached", "is never reached".to_string()),
                (_, true, n) => (
                    Level::Open,
                    "may leave what is known",
                    format!(
                        "{n} {}, or code of which nothing is known",
                        if n == 1 { "target" } else { "targets" }
                    ),
                ),
                (_, false, 1) => (
                    Level::Proved,
                    "one target",
                    format!("calls {}", names[site.callees.functions[0].index()]),
                ),
                (_, false, n) => (Level::Proved, "all targets known", format!("{n} targets")),
            };
        let targets = site.callees.functions.iter().map(|callee| {
            let (name, at) = (&names[callee.index()], program.place(graph, *callee));
            (name, at.map(|at| sources.place(&mut report, Some(at), name)))
        });
        let mut fact = Fact::new(level, place, "call", text).because_of(targets, LISTED);
        fact.function = inside.clone();
        report.count(level, label);
        report.facts.push(fact);
    }
    for id in graph.never_called() {
        let name = &names[id.index()];
        let place = sources.place(&mut report, program.place(graph, id), name);
        report.count(Level::Fact, "functions never called");
        report.facts.push(Fact::new(Level::Fact, place, name, "is never called"));
    }
    sources.finish(&mut report);
    report.pictures.push(picture(view, &names));
    lw_report::html(&report)
}

/// All functions that are called, or, if there are too many, those that calls through pointers are about.
fn picture(view: &View<'_>, names: &[String]) -> (String, Drawing) {
    let graph = view.graph;
    let mut shown: Vec<FuncId> =
        graph.functions().map(|(id, _)| id).filter(|id| graph.is_reached(*id)).collect();
    let mut title = "The call graph; dashed arrows are calls through pointers".to_string();
    if shown.len() > MOST {
        let about: BTreeSet<FuncId> = graph
            .sites()
            .iter()
            .filter(|site| !site.callees.unknown && !site.callees.functions.is_empty())
            .flat_map(|site| site.callees.functions.iter().copied().chain([site.function]))
            .collect();
        title = format!(
            "Calls through pointers whose targets are all known ({} functions are called)",
            shown.len()
        );
        shown = about.into_iter().take(MOST).collect();
    }
    let through: BTreeSet<(FuncId, FuncId)> = graph
        .sites()
        .iter()
        .flat_map(|site| site.callees.functions.iter().map(|callee| (site.function, *callee)))
        .collect();
    let mut drawing = Drawing::default();
    let mut numbers = HashMap::new();
    for id in &shown {
        let name = &names[id.index()];
        let class = if graph.function(*id).place.is_none() { "outside" } else { "" };
        let node = Node::new(format!("f{}", id.index()), [name.as_str()]).class(class).title(name);
        numbers.insert(*id, drawing.node(node));
    }
    for id in &shown {
        for callee in graph.called_by(*id) {
            if let Some(&to) = numbers.get(callee) {
                let class = if through.contains(&(*id, *callee)) { "through" } else { "" };
                drawing.edge(Edge::new(numbers[id], to).class(class));
            }
        }
    }
    (title, drawing)
}

/// The source files, and lines for what has no place in one.
#[derive(Default)]
struct Sources {
    files: HashMap<Arc<Path>, ListingId>,
    without: Option<ListingId>,
    lines: Vec<String>,
}

impl Sources {
    fn place(&mut self, report: &mut Report, at: Option<&Location>, otherwise: &str) -> Place {
        let Some(at) = at else {
            let listing = *self.without.get_or_insert_with(|| {
                report.add(Listing::ir("without debug information (-g)", ""))
            });
            self.lines.push(otherwise.to_string());
            return Place::new(listing, self.lines.len() as u32, 0);
        };
        let listing = *self.files.entry(at.file.clone()).or_insert_with(|| {
            let name = at.file.display().to_string();
            report.add(match std::fs::read(&at.file) {
                Ok(bytes) => Listing::source(&name, &String::from_utf8_lossy(&bytes)),
                Err(_) => Listing::missing(&name),
            })
        });
        let near = (at.line.saturating_sub(2).max(1), at.line + 2, otherwise.to_string());
        report.listings[listing.index()].shown.push(near);
        Place::new(listing, at.line, at.column)
    }

    fn finish(self, report: &mut Report) {
        if let Some(listing) = self.without {
            let name = report.listings[listing.index()].name.clone();
            report.listings[listing.index()] = Listing::ir(&name, &self.lines.join("\n"));
        }
    }
}
