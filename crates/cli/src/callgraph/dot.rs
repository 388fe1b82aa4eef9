//! The graph for graphviz.

use super::View;
use std::collections::BTreeSet;
use std::io::{self, Write};

pub(super) fn show(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let View { program, graph, .. } = view;
    let names = program.names(graph);
    writeln!(out, "digraph calls {{\n  rankdir=LR;\n  node [shape=box, fontname=monospace];")?;
    let shown = |id| graph.is_reached(id);
    for (id, data) in graph.functions().filter(|(id, _)| shown(*id)) {
        let style = if data.place.is_none() { ", style=dashed" } else { "" };
        let label = escape(&names[id.index()]);
        writeln!(out, "  f{} [label=\"{label}\"{style}];", id.index())?;
    }
    let mut through: BTreeSet<_> = BTreeSet::new();
    for site in graph.sites() {
        through.extend(site.callees.functions.iter().map(|callee| (site.function, *callee)));
    }
    for (id, _) in graph.functions().filter(|(id, _)| shown(*id)) {
        for callee in graph.called_by(id) {
            let style = if through.contains(&(id, *callee)) { " [style=dashed]" } else { "" };
            writeln!(out, "  f{} -> f{}{style};", id.index(), callee.index())?;
        }
    }
    writeln!(out, "}}")
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
