//! Graphs as pictures: blocks of a function, functions of a program, whatever has nodes and edges.
//!
//! The layout is layered (Sugiyama): nodes get *ranks* so that edges point down, long edges get a *bend* on each rank they
//! pass, ranks are ordered to have few crossings, and then cells get places. Edges that close a cycle leave their node at
//! the bottom, go up beside everything between, and come in at the top.
//!
//! ```
//! use lw_report::drawing::{Drawing, Edge, Node};
//!
//! let mut drawing = Drawing::default();
//! let entry = drawing.node(Node::new("b0", ["entry:", "if (x < n)"]).class("divergent"));
//! let body = drawing.node(Node::new("b1", ["body:"]));
//! drawing.edge(Edge::new(entry, body).label("yes"));
//! drawing.edge(Edge::new(body, entry).class("hot"));
//! let svg = drawing.svg();
//! assert!(svg.starts_with("<svg ") && svg.contains("id=\"b1\""));
//! ```
//!
//! The picture has no colours of its own. [`STYLE`] gives it some, for light and for dark pages, through variables that a page
//! may set; classes of nodes and edges are written as they are, so a page can colour them. Elements of nodes and edges have
//! `data-node` and `data-from`, `data-to` with positions for scripts. The same drawing is always laid out the same.

mod crossings;
mod layers;
mod place;
mod ranks;
mod svg;

use layers::Layers;

/// The style of pictures, to be put in a page. It reads the variables `--drawing-text`, `--drawing-box`, `--drawing-line`.
pub const STYLE: &str = include_str!("drawing.css");

/// A box with text in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    id: String,
    lines: Vec<String>,
    class: String,
    title: String,
}

impl Node {
    /// A box with lines of text. The id is that of the element in the page; it may be empty.
    pub fn new<T: Into<String>>(id: impl Into<String>, lines: impl IntoIterator<Item = T>) -> Node {
        let lines = lines.into_iter().map(Into::into).collect();
        Node { id: id.into(), lines, class: String::new(), title: String::new() }
    }

    /// Classes of the element, separated by spaces.
    pub fn class(mut self, class: impl Into<String>) -> Node {
        self.class = class.into();
        self
    }

    /// What is shown when the mouse rests on the box.
    pub fn title(mut self, title: impl Into<String>) -> Node {
        self.title = title.into();
        self
    }
}

/// An arrow between boxes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    from: usize,
    to: usize,
    id: String,
    label: String,
    class: String,
}

impl Edge {
    /// An arrow between two nodes, by the numbers that [`Drawing::node`] gave them.
    pub fn new(from: usize, to: usize) -> Edge {
        Edge { from, to, id: String::new(), label: String::new(), class: String::new() }
    }

    /// The id of the element in the page.
    pub fn id(mut self, id: impl Into<String>) -> Edge {
        self.id = id.into();
        self
    }

    /// A short text where the arrow begins.
    pub fn label(mut self, label: impl Into<String>) -> Edge {
        self.label = label.into();
        self
    }

    /// Classes of the element, separated by spaces.
    pub fn class(mut self, class: impl Into<String>) -> Edge {
        self.class = class.into();
        self
    }
}

/// A graph to be drawn. The first node is on top.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Drawing {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
}

impl Drawing {
    /// Adds a node; its number.
    pub fn node(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Adds an edge. Edges that leave a node are drawn in the order they are added, from left to right where possible.
    ///
    /// # Panics
    ///
    /// If the edge names a node that was not added.
    pub fn edge(&mut self, edge: Edge) {
        let n = self.nodes.len();
        assert!(edge.from < n && edge.to < n, "an edge between nodes that are not there");
        self.edges.push(edge);
    }

    /// The picture as an element for a page that has [`STYLE`].
    pub fn svg(&self) -> String {
        svg::write(self, &self.layout(), None)
    }

    /// The picture as a file of its own.
    pub fn svg_file(&self) -> String {
        svg::write(self, &self.layout(), Some(STYLE))
    }

    fn layout(&self) -> Layout {
        let pairs: Vec<(usize, usize)> = self.edges.iter().map(|e| (e.from, e.to)).collect();
        let sizes: Vec<(f64, f64)> = self.nodes.iter().map(svg::size).collect();
        let ranks = ranks::ranks(self.nodes.len(), &pairs);
        let widths: Vec<f64> = sizes.iter().map(|&(width, _)| width).collect();
        let mut layers = Layers::new(&ranks, &pairs, &widths);
        crossings::reduce(&mut layers);
        let x = place::place(&layers);
        Layout { layers, x, sizes }
    }
}

/// Where everything goes.
struct Layout {
    layers: Layers,
    /// The middle of each cell.
    x: Vec<f64>,
    /// Width and height of each node.
    sizes: Vec<(f64, f64)>,
}

#[cfg(test)]
mod tests;
