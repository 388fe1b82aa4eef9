//! The graph for graphviz.

use super::View;
use std::collections::BTreeSet;
use std::fmt::Write;

pub(super) fn show(view: &View<'_>) -> String {
    let View { program, graph, .. } = view;
    let names = program.names(graph);
    let mut out =
        String::from("digraph calls {\n  rankdir=LR;\n  node [shape=box, fontname=monospace];\n");
    let shown = |id| graph.is_reached(id);
    for (id, data) in graph.functions().filter(|(id, _)| shown(*id)) {
        let style = if data.place.is_none() { ", style=dashed" } else { "" };
        let _ =
            writeln!(out, "  f{} [label=\"{}\"{style}];", id.index(), escape(&names[id.index()]));
    }
    let mut through: BTreeSet<_> = BTreeSet::new();
    for site in graph.sites() {
        through.extend(site.callees.functions.iter().map(|callee| (site.function, *callee)));
    }
    for (id, _) in graph.functions().filter(|(id, _)| shown(*id)) {
        for callee in graph.called_by(id) {
            let style = if through.contains(&(id, *callee)) { " [style=dashed]" } else { "" };
            let _ = writeln!(out, "  f{} -> f{}{style};", id.index(), callee.index());
        }
    }
    out.push_str("}\n");
    out
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
