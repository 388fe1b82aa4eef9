//! The block graph all analyses of this crate work on.
//!
//! A graph is immutable and compact: successors and predecessors lie in flat arrays. It knows
//! nothing about instructions; a client numbers its blocks `0..n` and hands over the edges.
//!
//! Edges are triples `(b, i, s)` as in 001 §2.2: `s` is the `i`-th successor of `b`. Parallel edges
//! are allowed (a switch may name the same block twice) and each edge has an identity of its own,
//! [`Edge`]. The edges of a block have consecutive numbers, in successor order.

use crate::rows::Rows;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// "No node" in the dense `u32` tables of this crate.
pub(crate) const NONE: u32 = u32::MAX;

/// A graph has fewer nodes and edges.
const MOST: usize = 1 << 31;

/// A block of a [`Graph`]: an index into tables the client keeps about its blocks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node(u32);

impl Node {
    /// The node with this index: that of a node of some graph, all of which fit into 31 bits. Others are only noticed in debug builds.
    #[inline]
    pub const fn new(index: usize) -> Self {
        debug_assert!(index < MOST, "node index out of range");
        Node(index as u32)
    }

    /// The index of this node, `0..graph.node_count()`.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) const fn raw(self) -> u32 {
        self.0
    }

    pub(crate) const fn from_raw(raw: u32) -> Self {
        Node(raw)
    }

    /// Reads a table entry in which [`NONE`] stands for "no node".
    pub(crate) fn from_table(raw: u32) -> Option<Self> {
        (raw != NONE).then_some(Node(raw))
    }
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "n{}", self.0)
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "n{}", self.0)
    }
}

/// An edge of a [`Graph`]. Parallel edges are different edges.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge(u32);

impl Edge {
    /// The edge with this index: that of an edge of some graph, all of which fit into 31 bits. Others are only noticed in debug builds.
    #[inline]
    pub const fn new(index: usize) -> Self {
        debug_assert!(index < MOST, "edge index out of range");
        Edge(index as u32)
    }

    /// The index of this edge, `0..graph.edge_count()`.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) const fn raw(self) -> u32 {
        self.0
    }

    pub(crate) const fn from_raw(raw: u32) -> Self {
        Edge(raw)
    }
}

impl fmt::Debug for Edge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "e{}", self.0)
    }
}

/// A compact immutable directed graph with an entry node.
///
/// Nodes that cannot be reached from the entry are allowed; each analysis says what it answers for
/// them. Clones share the memory.
#[derive(Clone, PartialEq, Eq)]
pub struct Graph {
    entry: Node,
    tables: Arc<Tables>,
}

#[derive(PartialEq, Eq, Default)]
struct Tables {
    sources: Vec<Node>,
    successors: Rows<Node>,
    predecessors: Rows<Edge>,
    /// Beside the items of `predecessors`: the sources.
    predecessor_nodes: Vec<Node>,
}

impl Graph {
    /// Builds a graph of `node_count` nodes. The edges of one source keep their order: the `i`-th
    /// pair with source `b` becomes the `i`-th successor of `b`.
    ///
    /// # Panics
    /// If an edge or the entry names a node outside `0..node_count`.
    pub fn from_edges<I>(node_count: usize, entry: Node, edges: I) -> Self
    where
        I: IntoIterator<Item = (Node, Node)>,
    {
        assert!(entry.index() < node_count, "the entry is not a node of the graph");
        let edges: Vec<(Node, Node)> = edges.into_iter().collect();
        for &(from, to) in &edges {
            assert!(from.index() < node_count, "edge {from} -> {to} leaves the graph");
        }
        let successors = edges.iter().map(|&(from, to)| (from.index(), to));
        Graph::from_rows(entry, Rows::group(node_count, successors))
    }

    /// Builds a graph from a row of successors for each node.
    ///
    /// # Panics
    /// If the entry or a successor has no row, or if there are 2³¹ nodes or edges, or more.
    pub fn from_rows(entry: Node, successors: Rows<Node>) -> Self {
        let mut graph = Graph { entry, tables: Arc::default() };
        graph.refill(entry, |rows| *rows = successors);
        graph
    }

    /// Becomes another graph. `fill` makes a row of successors for each node, in the memory of those before. If no clone is left,
    /// the rest of the memory is used again as well.
    ///
    /// # Panics
    /// If the entry or a successor has no row, or if there are 2³¹ nodes or edges, or more.
    pub fn refill(&mut self, entry: Node, fill: impl FnOnce(&mut Rows<Node>)) {
        if Arc::get_mut(&mut self.tables).is_none() {
            self.tables = Arc::default();
        }
        let tables = Arc::get_mut(&mut self.tables).expect("nobody else has it yet");
        fill(&mut tables.successors);
        let Tables { sources, successors, predecessors, predecessor_nodes } = tables;
        let n = successors.row_count();
        assert!(n.max(successors.items().len()) < MOST, "the graph is too large");
        assert!(entry.index() < n, "the entry is not a node of the graph");
        self.entry = entry;
        sources.clear();
        sources.reserve(successors.items().len());
        predecessors.begin_counting(n);
        for from in (0..n).map(Node::new) {
            for &to in successors.row(from.index()) {
                assert!(to.index() < n, "edge {from} -> {to} leaves the graph");
                predecessors.count(to.index());
                sources.push(from);
            }
        }
        let edges = (0..).map(Edge).zip(successors.items());
        predecessors.fill(edges.map(|(edge, to)| (to.index(), edge)));
        predecessor_nodes.clear();
        let nodes = predecessors.items().iter().map(|edge: &Edge| sources[edge.index()]);
        predecessor_nodes.extend(nodes);
    }

    /// Builds a graph from the successor list of each node; node 0 is the entry.
    ///
    /// # Panics
    /// If the list is empty or a successor is out of range.
    pub fn from_successors<S: AsRef<[usize]>>(successors: &[S]) -> Self {
        let n = successors.len();
        let edges = successors.iter().enumerate().flat_map(|(from, list)| {
            list.as_ref().iter().map(move |&to| {
                assert!(to < n, "edge n{from} -> n{to} leaves the graph");
                (Node::new(from), Node::new(to))
            })
        });
        Graph::from_edges(n, Node::new(0), edges)
    }

    /// Where control enters.
    #[inline]
    pub fn entry(&self) -> Node {
        self.entry
    }

    /// How many nodes there are, reachable or not.
    #[inline]
    pub fn node_count(&self) -> usize {
        self.tables.successors.row_count()
    }

    /// How many edges there are, parallel ones counted each.
    #[inline]
    pub fn edge_count(&self) -> usize {
        self.tables.sources.len()
    }

    /// All nodes, by index.
    #[inline]
    pub fn nodes(
        &self,
    ) -> impl DoubleEndedIterator<Item = Node> + ExactSizeIterator + Clone + use<> {
        (0..self.node_count()).map(Node::new)
    }

    /// All edges, by index: grouped by source, in successor order.
    #[inline]
    pub fn edges(
        &self,
    ) -> impl DoubleEndedIterator<Item = Edge> + ExactSizeIterator + Clone + use<> {
        (0..self.edge_count()).map(Edge::new)
    }

    /// The successors of a node in order; a node occurs once for each parallel edge.
    #[inline]
    pub fn successors(&self, node: Node) -> &[Node] {
        self.tables.successors.row(node.index())
    }

    /// The edges that leave a node, in successor order.
    #[inline]
    pub fn successor_edges(
        &self,
        node: Node,
    ) -> impl DoubleEndedIterator<Item = Edge> + ExactSizeIterator + Clone + use<> {
        self.tables.successors.range(node.index()).map(Edge::new)
    }

    /// The edges that enter a node, by index.
    #[inline]
    pub fn predecessor_edges(&self, node: Node) -> &[Edge] {
        self.tables.predecessors.row(node.index())
    }

    /// The predecessors of a node; a node occurs once for each parallel edge.
    #[inline]
    pub fn predecessors(
        &self,
        node: Node,
    ) -> impl DoubleEndedIterator<Item = Node> + ExactSizeIterator + Clone + '_ {
        let range = self.tables.predecessors.range(node.index());
        self.tables.predecessor_nodes[range].iter().copied()
    }

    /// The edge to the `i`-th successor of `node`.
    ///
    /// # Panics
    /// If the node has no `i`-th successor.
    #[inline]
    pub fn edge(&self, node: Node, i: usize) -> Edge {
        let range = self.tables.successors.range(node.index());
        assert!(i < range.len(), "{node} has no successor number {i}");
        Edge::new(range.start + i)
    }

    /// Where the edge starts.
    #[inline]
    pub fn source(&self, edge: Edge) -> Node {
        self.tables.sources[edge.index()]
    }

    /// Where the edge ends.
    #[inline]
    pub fn target(&self, edge: Edge) -> Node {
        self.tables.successors.items()[edge.index()]
    }

    /// The `i` for which this edge goes to the `i`-th successor of its source.
    #[inline]
    pub fn position(&self, edge: Edge) -> usize {
        edge.index() - self.successor_range(self.source(edge)).start
    }

    /// The edges by target: a row for each node, as [`predecessor_edges`](Self::predecessor_edges) has them.
    pub(crate) fn edges_by_target(&self) -> (&Rows<Edge>, &[Node]) {
        (&self.tables.predecessors, &self.tables.predecessor_nodes)
    }

    pub(crate) fn successor_range(&self, node: Node) -> Range<usize> {
        self.tables.successors.range(node.index())
    }
}

impl fmt::Debug for Graph {
    /// Writes `n0 -> [n1, n2]; …`, which is what one wants to see when a test fails.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Graph(entry {}", self.entry)?;
        for node in self.nodes() {
            write!(f, "; {node} -> {:?}", self.successors(node))?;
        }
        write!(f, ")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn successors_keep_their_order_and_parallel_edges_their_identity() {
        let n = Node::new;
        // The pairs come in no particular order of sources.
        let graph =
            Graph::from_edges(3, n(0), [(n(1), n(2)), (n(0), n(2)), (n(0), n(1)), (n(0), n(2))]);
        assert_eq!(graph.successors(n(0)), [n(2), n(1), n(2)]);
        assert_eq!(graph.successors(n(2)), []);
        assert_eq!(graph.predecessors(n(2)).collect::<Vec<_>>(), [n(0), n(0), n(1)]);
        for edge in graph.edges() {
            assert_eq!(graph.edge(graph.source(edge), graph.position(edge)), edge);
            assert_eq!(
                graph.successors(graph.source(edge))[graph.position(edge)],
                graph.target(edge)
            );
            assert!(graph.predecessor_edges(graph.target(edge)).contains(&edge));
        }
        assert_eq!(
            format!("{graph:?}"),
            "Graph(entry n0; n0 -> [n2, n1, n2]; n1 -> [n2]; n2 -> [])"
        );
    }

    #[test]
    #[should_panic(expected = "leaves the graph")]
    fn an_edge_to_nowhere_is_refused() {
        Graph::from_successors(&[[1usize]]);
    }
}
