//! Post-dominators.
//!
//! `a` post-dominates `b` if every *complete* path from `b` contains `a` (001 §2.3); a path is
//! complete if it ends in a node without successors. The tree is the dominator tree of the reversed
//! graph with a virtual exit behind all such ends.
//!
//! # Endless loops
//!
//! A node from which no end can be reached has no complete path, and by the letter everything would
//! post-dominate it. [`PostDominatorTree::compute`] leaves such nodes out of the tree: they are
//! post-dominated by themselves only. Clients that need a place for every reachable node use
//! [`PostDominatorTree::compute_total`], which lets control leave every endless loop from its
//! header. Neither says that control *does* leave a loop: for that there is
//! [`StrongPostDominators`](crate::StrongPostDominators).

use crate::dominators::DominatorTree;
use crate::graph::{Edge, Graph, Node};
use crate::loops::LoopForest;
use crate::orders::DepthFirst;
use std::sync::Arc;

/// Which nodes lie on every complete path from which.
///
/// The entry of the graph plays no role; nodes it cannot reach are treated like all others.
#[derive(Clone, Debug)]
pub struct PostDominatorTree {
    /// The reversed graph; the virtual exit is its entry and last node. Its first edges are those
    /// of the original, grouped by target.
    reversed: Graph,
    tree: DominatorTree,
    /// The graph, whose edges by target are the first ones of the reversed graph.
    original: Graph,
    /// By edge of the original: the same edge in the reversed graph.
    reversed_edge: Arc<[Edge]>,
}

impl PostDominatorTree {
    /// Builds the tree by the definition. Nodes that reach no end are not in it.
    pub fn compute(graph: &Graph) -> Self {
        Self::with_ends(graph, std::iter::empty())
    }

    /// Builds a tree that holds every reachable node: an outermost loop that control cannot leave
    /// counts as left from its header.
    pub fn compute_total(graph: &Graph, loops: &LoopForest) -> Self {
        // Outer loops come first, so the outermost one around their parent is known.
        let mut outermost = Vec::with_capacity(loops.len());
        for l in loops.loops() {
            outermost.push(loops.parent(l).map_or(l, |parent| outermost[parent.index()]));
        }
        let around = |node: Node| loops.innermost(node).map(|l| outermost[l.index()]);
        let mut is_left = vec![false; loops.len()];
        for edge in graph.edges() {
            if let Some(l) = around(graph.source(edge))
                && around(graph.target(edge)) != Some(l)
            {
                is_left[l.index()] = true;
            }
        }
        let endless = loops.loops().filter(|&l| outermost[l.index()] == l && !is_left[l.index()]);
        Self::with_ends(graph, endless.map(|l| loops.header(l)))
    }

    /// Builds the tree as if complete paths could also end in the given nodes.
    pub fn with_ends(graph: &Graph, ends: impl IntoIterator<Item = Node>) -> Self {
        let exit = Node::new(graph.node_count());
        let mut is_end: Vec<bool> =
            graph.nodes().map(|node| graph.successors(node).is_empty()).collect();
        for node in ends {
            is_end[node.index()] = true;
        }
        // An edge has in the reversed graph the number that it has by target in the original; those from the exit follow.
        let (by_target, sources) = graph.edges_by_target();
        let m = graph.edge_count();
        let mut rows = by_target.with_items(sources.to_vec());
        graph.nodes().filter(|node| is_end[node.index()]).for_each(|node| rows.push(node));
        rows.end_row();
        let reversed = Graph::from_rows(exit, rows);
        let mut reversed_edge: Arc<[Edge]> = std::iter::repeat_n(Edge::new(0), m).collect();
        if let Some(reversed_edge) = Arc::get_mut(&mut reversed_edge) {
            for (number, original) in (0..).zip(by_target.items()) {
                reversed_edge[original.index()] = Edge::from_raw(number);
            }
        }
        let dfs = DepthFirst::compute(&reversed);
        // Reversed, a graph with loops is seldom reducible.
        let tree = if dfs.is_acyclic() {
            DominatorTree::compute_with(&reversed, &dfs)
        } else {
            DominatorTree::compute_any(&reversed, &dfs)
        };
        PostDominatorTree { reversed, tree, original: graph.clone(), reversed_edge }
    }

    /// Whether the node is in the tree, that is, has a complete path.
    pub fn reaches_end(&self, node: Node) -> bool {
        self.tree.is_reachable(node)
    }

    /// The closest strict post-dominator. `None` if there is none, as for a node without
    /// successors, and for nodes that reach no end.
    pub fn immediate(&self, node: Node) -> Option<Node> {
        self.tree.immediate(node).filter(|&up| up != self.exit())
    }

    /// Whether every complete path from `b` contains `a`. Every node post-dominates itself; one
    /// that reaches no end post-dominates and is post-dominated by no other. Constant time.
    pub fn post_dominates(&self, a: Node, b: Node) -> bool {
        self.tree.dominates(a, b)
    }

    /// Whether `a` post-dominates `b` and is not `b`. Constant time.
    pub fn strictly_post_dominates(&self, a: Node, b: Node) -> bool {
        self.tree.strictly_dominates(a, b)
    }

    /// The closest node that post-dominates both; `None` if there is none or either reaches no end.
    pub fn common(&self, a: Node, b: Node) -> Option<Node> {
        self.tree.common(a, b).filter(|&node| node != self.exit())
    }

    /// The nodes that `node` post-dominates, itself first; empty if it reaches no end.
    pub fn post_dominated(&self, node: Node) -> &[Node] {
        self.tree.dominated(node)
    }

    /// The virtual exit, which is no node of the graph, as a node of [`reversed`](Self::reversed).
    pub fn exit(&self) -> Node {
        self.reversed.entry()
    }

    /// The reversed graph with the virtual exit as its entry.
    pub fn reversed(&self) -> &Graph {
        &self.reversed
    }

    /// The dominator tree of [`reversed`](Self::reversed).
    pub fn tree(&self) -> &DominatorTree {
        &self.tree
    }

    /// By edge of the graph: the same edge of [`reversed`](Self::reversed).
    pub(crate) fn reversed_edges(&self) -> &Arc<[Edge]> {
        &self.reversed_edge
    }

    /// An edge of the graph as an edge of [`reversed`](Self::reversed).
    pub fn reversed_edge(&self, edge: Edge) -> Edge {
        self.reversed_edge[edge.index()]
    }

    /// An edge of [`reversed`](Self::reversed) as an edge of the graph; `None` if it leaves the
    /// exit.
    pub fn original_edge(&self, reversed: Edge) -> Option<Edge> {
        self.original.edges_by_target().0.items().get(reversed.index()).copied()
    }
}
