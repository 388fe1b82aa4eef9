//! Draws a small graph: `cargo run -p lw-report --example drawing > graph.svg`. With a number, a ladder of so many nodes.

use lw_report::drawing::{Drawing, Edge, Node};

fn main() {
    let mut drawing = Drawing::default();
    match std::env::args().nth(1).and_then(|n| n.parse::<usize>().ok()) {
        Some(n) => {
            for i in 0..=n {
                drawing.node(Node::new("", [format!("step {i}"), format!("x = f(x, {i});")]));
            }
            for i in 0..n {
                drawing.edge(Edge::new(i, i + 1).label("next"));
                drawing.edge(Edge::new(i, n).label("leave"));
            }
        }
        None => {
            let lines = [
                &["entry:", "i = 0"][..],
                &["outer:", "if (i < n) …"],
                &["body:", "x = a[i]", "switch (x) …"],
                &["one:", "y = 1"],
                &["two:", "y = x * x", "z = y + 2"],
                &["inner:", "while (y < z)"],
                &["other:", "continue"],
                &["latch:", "i = i + 1"],
                &["done:", "return"],
            ];
            for (i, lines) in lines.iter().enumerate() {
                drawing.node(Node::new(format!("b{i}"), lines.iter().copied()));
            }
            let edges = [(0, 1), (1, 2), (1, 8), (2, 3), (2, 4), (2, 6), (3, 7), (4, 5), (5, 5)];
            let more = [(5, 7), (6, 7), (7, 1), (4, 8), (6, 2)];
            for (from, to) in edges.into_iter().chain(more) {
                drawing.edge(Edge::new(from, to));
            }
        }
    }
    print!("{}", drawing.svg_file());
}
