//! The call graph for graphviz.

use super::View;
use std::collections::BTreeSet;
use std::fmt::Write;

pub(super) fn show(view: &View<'_>) -> String {
    let edges = view.edges();
    let mut out =
        String::from("digraph calls {\n  rankdir=LR;\n  node [shape=box, fontname=monospace];\n");
    let callers = edges.keys().copied();
    let callees = edges.values().flatten().copied().map(Some);
    let nodes: BTreeSet<_> = callers.chain(callees).collect();
    let id = |lam: Option<crate::expand::core::Lam>| {
        lam.map_or("top".into(), |lam| format!("l{}", lam.0))
    };
    for node in &nodes {
        let label =
            node.map_or("top level".into(), |lam| view.procedure(lam).replace(" at ", "\n"));
        let label = label.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        let _ = writeln!(out, "  {} [label=\"{label}\"];", id(*node));
    }
    for (from, all) in &edges {
        for to in all {
            let _ = writeln!(out, "  {} -> {};", id(*from), id(Some(*to)));
        }
    }
    out.push_str("}\n");
    out
}
