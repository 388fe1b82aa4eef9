//! The head-rewired graph written out, virtual nodes and all.
//!
//! This is for pictures and for tests. The analyses work on [`HeadRewired`], which never builds it:
//! an edge that leaves many loops needs a node for each.

use crate::graph::{Edge, Graph, Node};
use crate::head_rewired::HeadRewired;
use crate::loops::Loop;

/// What a node of the normalized graph stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StarNode {
    /// A block of the program.
    Block(Node),
    /// The exit node of the loop on the edge, which leaves the loop and perhaps others.
    Exit(Edge, Loop),
    /// The latch on an edge from a block to itself.
    Latch(Edge),
}

/// The normalized control-flow graph of 000 §3.1 and its head-rewired form (Def. 4.14), over the
/// same nodes.
#[derive(Clone, Debug)]
pub struct Normalized {
    /// What each node stands for. The blocks come first, under their own numbers.
    pub nodes: Vec<StarNode>,
    /// The normalized control-flow graph.
    pub graph: Graph,
    /// The head-rewired graph.
    pub rewired: Graph,
}

impl HeadRewired {
    /// Writes out the normalized graph and its head-rewired form.
    pub fn normalized(&self) -> Normalized {
        let mut nodes: Vec<StarNode> = self.graph().nodes().map(StarNode::Block).collect();
        let mut edges: Vec<(Node, Node)> = Vec::new();
        let mut early_exits: Vec<(Node, Node)> = Vec::new();
        let mut add = |node: StarNode| {
            nodes.push(node);
            Node::new(nodes.len() - 1)
        };
        for edge in self.graph().edges().filter(|&edge| self.represents(edge)) {
            let (source, target) = (self.graph().source(edge), self.graph().target(edge));
            let mut at = source;
            if source == target {
                at = add(StarNode::Latch(edge));
                edges.push((source, at));
            }
            let mut inside = self.loops().innermost(source).filter(|_| self.is_exit(edge));
            while let Some(l) = inside {
                let exit = add(StarNode::Exit(edge, l));
                edges.push((at, exit));
                early_exits.push((self.loops().header(l), exit));
                inside = self.loops().parent(l).filter(|&l| !self.loops().contains(l, target));
                if let Some(outer) = inside.filter(|_| self.has_fake_back_edges()) {
                    edges.push((exit, self.loops().header(outer)));
                }
                at = exit;
            }
            edges.push((at, target));
        }
        let is_header = |node: Node| {
            node.index() < self.graph().node_count() && self.loops().headed_by(node).is_some()
        };
        let kept = edges.iter().copied().filter(|&(source, _)| !is_header(source));
        let rewired = Graph::from_edges(nodes.len(), self.graph().entry(), kept.chain(early_exits));
        let graph = Graph::from_edges(nodes.len(), self.graph().entry(), edges);
        Normalized { nodes, graph, rewired }
    }
}
