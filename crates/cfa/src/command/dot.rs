//! The call graph for graphviz.

use super::View;
use std::collections::BTreeSet;
use std::io::{self, Write};

pub(super) fn show(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let edges = view.edges();
    writeln!(out, "digraph calls {{\n  rankdir=LR;\n  node [shape=box, fontname=monospace];")?;
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
        writeln!(out, "  {} [label=\"{label}\"];", id(*node))?;
    }
    for (from, all) in &edges {
        for to in all {
            writeln!(out, "  {} -> {};", id(*from), id(Some(*to)))?;
        }
    }
    writeln!(out, "}}")
}
