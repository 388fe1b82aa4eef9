//! What was found as a page: the source with hover and links, and the call graph drawn.

use super::{Edges, View};
use crate::expand::core::Lam;
use crate::findings::Known;
use crate::source::Loc;
use lw_report::drawing::{Drawing, Edge, Node};
use lw_report::{Fact, Level, Listing, ListingId, Place, Report};
use std::collections::HashMap;

/// A picture of more procedures says nothing.
const MOST: usize = 120;
/// So many callees of a call, and values of a variable, are listed.
const LISTED: usize = 20;

pub(super) fn show(view: &View<'_>) -> String {
    let names: Vec<String> = view.inputs.iter().map(|path| path.display().to_string()).collect();
    let mut report = Report::of_files("0-CFA", &names);
    report.about =
        "For each call its callees, for each variable its values; what is never reached, and what must fail.".into();
    let mut listings: HashMap<&str, ListingId> = HashMap::new();
    for (name, file) in names.iter().zip(view.files) {
        let mut listing = Listing::source(name, view.sources.text(*file));
        let last = view.sources.text(*file).lines().count() as u32;
        listing.shown.push((1, last.max(1), String::new()));
        listings.insert(name, report.add(listing));
    }
    let place = |loc: Loc| {
        let at = view.spot(loc);
        let column = view.sources.byte_column(loc);
        listings.get(at.file).map(|listing| Place::new(*listing, at.line, column))
    };
    let core = &view.analysis.core;
    let mut facts = Vec::new();
    for call in view.found.calls() {
        let Some(at) = place(call.loc) else { continue };
        let (level, label, text) = match (&call.error, call.reached, call.callees.len()) {
            (Some(error), ..) => (Level::Wrong, "must fail", error.clone()),
            (_, false, _) => (Level::Fact, "calls never reached", "is never reached".into()),
            _ if call.unknown => {
                (Level::Open, "may call anything", "may call anything outside".into())
            }
            _ if call.is_inlinable() => {
                (Level::Proved, "one callee", format!("calls {}", view.name(call.callees[0])))
            }
            (_, _, 0) => (Level::Fact, "calls", "calls a continuation".into()),
            (_, _, n) => (Level::Fact, "calls", format!("{n} callees")),
        };
        let callees = call.callees.iter();
        let callees = callees.map(|lam| (view.name(*lam), place(core.lambda(*lam).loc)));
        let fact = Fact::new(level, at, "call", text).because_of(callees, LISTED);
        facts.push((fact, label));
    }
    for (var, values) in view.found.variables() {
        let info = &core.vars[var.0 as usize];
        let Some(at) = place(info.loc) else { continue };
        let text = match values.as_slice() {
            [] => "never has a value".to_string(),
            // The rest of the place is in the link.
            [Known { what, loc: Some(loc) }] => format!("{what}, line {}", view.spot(*loc).line),
            [one] => one.what.clone(),
            all => format!("{} values", all.len()),
        };
        let values = values.iter().map(|value| (&*value.what, value.loc.and_then(place)));
        let fact = Fact::new(Level::Fact, at, &*info.name, text).because_of(values, LISTED);
        facts.push((fact, "variables"));
    }
    for lam in view.found.never_called() {
        if let Some(at) = place(core.lambda(lam).loc) {
            facts.push((
                Fact::new(Level::Fact, at, view.name(lam), "is never called"),
                "never called",
            ));
        }
    }
    for loc in view.found.never_taken() {
        if let Some(at) = place(loc) {
            facts.push((
                Fact::new(Level::Fact, at, "branch", "is never reached"),
                "branches never reached",
            ));
        }
    }
    for (fact, label) in facts {
        report.count(fact.level, label);
        report.facts.push(fact);
    }
    let edges = view.edges();
    match picture(view, &edges) {
        _ if edges.is_empty() => {}
        Some(drawing) => report.pictures.push(("The call graph".into(), drawing)),
        None => report.notes.push(format!(
            "The call graph has more than {MOST} procedures and is not drawn; --format dot has it."
        )),
    }
    lw_report::html(&report)
}

/// The call graph; `None` if it is too large.
fn picture(view: &View<'_>, edges: &Edges) -> Option<Drawing> {
    let mut drawing = Drawing::default();
    let mut numbers: HashMap<Option<Lam>, usize> = HashMap::new();
    let nodes = edges
        .iter()
        .flat_map(|(from, to)| std::iter::once(*from).chain(to.iter().copied().map(Some)));
    for node in nodes {
        if numbers.contains_key(&node) {
            continue;
        }
        if numbers.len() == MOST {
            return None;
        }
        let drawn = match node {
            None => Node::new("top", ["top level"]),
            Some(lam) => {
                let at = view.spot(view.analysis.core.lambda(lam).loc);
                let line = format!("line {}", at.line);
                Node::new(format!("l{}", lam.0), [view.name(lam), &line]).title(view.procedure(lam))
            }
        };
        numbers.insert(node, drawing.node(drawn));
    }
    for (from, all) in edges {
        for to in all {
            drawing.edge(Edge::new(numbers[from], numbers[&Some(*to)]));
        }
    }
    Some(drawing)
}
