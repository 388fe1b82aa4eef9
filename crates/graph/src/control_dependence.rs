//! Control dependence, on edges and on blocks.
//!
//! A block `k` is control dependent on an edge `a → b` if it post-dominates `b` but not `a` (001
//! §2.3): taking the edge makes `k` certain. A block is never dependent on its own edges here,
//! since it post-dominates itself; who wants to see a loop condition depend on itself looks at the
//! [post-dominance frontier](crate::PostFrontiers).
//!
//! All pairs together can be quadratic in number (in a deep nest of loops, say), so they are
//! enumerated on demand.

use crate::frontiers::PostFrontiers;
use crate::graph::{Edge, Graph, Node};
use crate::postdominators::PostDominatorTree;
use crate::strong_postdominators::StrongPostDominators;

/// Control dependence as in 001 §2.3.
///
/// A block that is not in the post-dominator tree (see [`PostDominatorTree`]) post-dominates only
/// itself, so it depends on every edge into it from another block.
#[derive(Clone, Debug)]
pub struct ControlDependence<'a> {
    graph: &'a Graph,
    post_dominators: &'a PostDominatorTree,
    frontiers: PostFrontiers,
}

impl<'a> ControlDependence<'a> {
    /// Prepares for queries, in linear time.
    pub fn compute(graph: &'a Graph, post_dominators: &'a PostDominatorTree) -> Self {
        let frontiers = PostFrontiers::compute(graph, post_dominators);
        ControlDependence { graph, post_dominators, frontiers }
    }

    /// The blocks that are control dependent on the edge, in time proportional to their number.
    pub fn dependents_of_edge(&self, edge: Edge) -> impl Iterator<Item = Node> + '_ {
        let branch = self.graph.source(edge);
        let chain = |&at: &Node| self.post_dominators.immediate(at);
        std::iter::successors(Some(self.graph.target(edge)), chain)
            .take_while(move |&at| !self.post_dominators.post_dominates(at, branch))
    }

    /// The blocks that are control dependent on some edge of `branch`: `cdep_on` of 001. By index.
    pub fn dependents(&self, branch: Node) -> Vec<Node> {
        distinct(self.graph.successor_edges(branch).flat_map(|e| self.dependents_of_edge(e)))
    }

    /// The edges the block is control dependent on: `cdep` of 001. By index.
    pub fn edges(&self, block: Node) -> Vec<Edge> {
        let mut edges = Vec::new();
        if self.post_dominators.reaches_end(block) {
            self.frontiers.reversed().visit_join_edges(block, |reversed| {
                edges.extend(self.post_dominators.original_edge(reversed));
            });
        } else {
            edges.extend(self.graph.predecessor_edges(block));
        }
        edges.retain(|&edge| self.graph.source(edge) != block);
        edges.sort_unstable();
        edges
    }

    /// The blocks whose branches the block is control dependent on: `cdepB` of 001. By index.
    pub fn branches(&self, block: Node) -> Vec<Node> {
        distinct(self.edges(block).into_iter().map(|edge| self.graph.source(edge)))
    }
}

/// Control dependence by strong post-dominance: the same definition with
/// [`StrongPostDominators`]. Blocks behind a loop depend on the branches that may leave it.
#[derive(Clone, Debug)]
pub struct StrongControlDependence<'a> {
    graph: &'a Graph,
    post_dominators: &'a StrongPostDominators,
}

impl<'a> StrongControlDependence<'a> {
    /// Takes what the queries need.
    pub fn new(graph: &'a Graph, post_dominators: &'a StrongPostDominators) -> Self {
        StrongControlDependence { graph, post_dominators }
    }

    /// The blocks that are control dependent on the edge, in time proportional to their number.
    pub fn dependents_of_edge(&self, edge: Edge) -> impl Iterator<Item = Node> + '_ {
        let branch = self.graph.source(edge);
        self.post_dominators
            .post_dominators(self.graph.target(edge))
            .take_while(move |&at| !self.post_dominators.post_dominates(at, branch))
    }

    /// The blocks that are control dependent on some edge of `branch`, by index.
    pub fn dependents(&self, branch: Node) -> Vec<Node> {
        distinct(self.graph.successor_edges(branch).flat_map(|e| self.dependents_of_edge(e)))
    }

    /// The edges the block is control dependent on, by index. Takes time proportional to the blocks
    /// it strongly post-dominates.
    pub fn edges(&self, block: Node) -> Vec<Edge> {
        let into = self.post_dominators.post_dominated(block).iter();
        let mut edges: Vec<Edge> = into
            .flat_map(|&node| self.graph.predecessor_edges(node))
            .copied()
            .filter(|&edge| !self.post_dominators.post_dominates(block, self.graph.source(edge)))
            .collect();
        edges.sort_unstable();
        edges
    }

    /// The blocks whose branches the block is control dependent on, by index.
    pub fn branches(&self, block: Node) -> Vec<Node> {
        distinct(self.edges(block).into_iter().map(|edge| self.graph.source(edge)))
    }
}

fn distinct(nodes: impl Iterator<Item = Node>) -> Vec<Node> {
    let mut nodes: Vec<Node> = nodes.collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}
