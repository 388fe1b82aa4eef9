//! Pictures of graphs in the language of Graphviz.

use crate::graph::{Edge, Graph, Node};
use std::fmt::Write;

/// Writes the graph as a `digraph`. `name` gives the text in a node and `style` further attributes
/// of an edge (`style=dashed`, say, or nothing). The entry gets a heavy border.
pub fn dot(
    graph: &Graph,
    name: impl Fn(Node) -> String,
    style: impl Fn(Edge) -> &'static str,
) -> String {
    let mut text = String::from("digraph {\n  node [shape=box, fontname=monospace];\n");
    for node in graph.nodes() {
        let name = name(node).replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\l");
        let border = if node == graph.entry() { ", penwidth=2" } else { "" };
        let _ = writeln!(text, "  {node} [label=\"{name}\"{border}];");
    }
    for edge in graph.edges() {
        let style = style(edge);
        let (open, close) = if style.is_empty() { ("", "") } else { (" [", "]") };
        let (source, target) = (graph.source(edge), graph.target(edge));
        let _ = writeln!(text, "  {source} -> {target}{open}{style}{close};");
    }
    text.push_str("}\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted() {
        let graph = Graph::from_successors(&[vec![0, 1], vec![]]);
        let name = |node: Node| format!("\"{node}\"");
        let style = |edge: Edge| if edge.index() == 0 { "style=dashed" } else { "" };
        let expected = r#"digraph {
  node [shape=box, fontname=monospace];
  n0 [label="\"n0\"", penwidth=2];
  n1 [label="\"n1\""];
  n0 -> n0 [style=dashed];
  n0 -> n1;
}
"#;
        assert_eq!(dot(&graph, name, style), expected);
    }
}
