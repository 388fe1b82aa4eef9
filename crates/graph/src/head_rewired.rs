//! The head-rewired graph of 000 Def. 4.14, on a virtually normalized control-flow graph.
//!
//! In the head-rewired graph every loop header has lost its edges into the loop; instead it has
//! *early exits*, one edge to each exit of its loop. The graph is acyclic, and two threads that
//! part at a branch can arrive at a node over different (instances of) predecessors iff two
//! node-disjoint paths lead there from successors of the branch (000 Thms 4.20 and 4.22).
//!
//! # Normalization
//!
//! 000 §3.1 asks for exits that are no headers, whose predecessors are in one loop, for edges that
//! leave one loop at a time, and for no edge from a node to itself. The program is not changed for
//! that. Instead, some edges stand for chains of virtual nodes:
//!
//! - an edge that leaves the loops L1 ⊂ … ⊂ Lk for an *exit node* of each: q → x1 → … → xk → p,
//!   where xi is the exit of Li and lies in Li+1;
//! - an edge from a node to itself for a latch: b → x → b.
//!
//! Parallel edges count as one: control goes the same way on them. The one with the least number
//! represents them.
//!
//! A join of disjoint paths at an exit node means that threads leave the loop over this edge in
//! different iterations. There is no φ at such a node: what arrives over the edge is varying.
//!
//! # Fake back edges
//!
//! To make xi a member of the natural loop Li+1, 000 §3.1 also gives it an edge to the header of
//! Li+1 that is never taken. Here membership is simply declared. Nothing in the soundness proof
//! needs the edge: it turns tagged paths of traces, which never take it, into head-rewired paths
//! that use only their edges and early exits. And it costs precision: two different returns from an
//! inner loop would join in the header of the outer one. [`HeadRewired::with_fake_back_edges`] has
//! them, to be compared with the letter of the paper.

use crate::block_index::BlockIndex;
use crate::graph::{Edge, Graph, NONE, Node};
use crate::loops::{Loop, LoopForest};
use crate::orders::DepthFirst;
use std::fmt;

/// The head-rewired graph, kept as the original graph and what differs. Linear in its size,
/// although the virtual nodes can be more numerous by a factor of the nesting depth.
///
/// Unreachable nodes are not part of it.
#[derive(Clone, Debug)]
pub struct HeadRewired {
    graph: Graph,
    loops: LoopForest,
    /// By node: the position in a topological order, or [`NONE`]; and back.
    rank: Vec<u32>,
    by_rank: Vec<Node>,
    /// By edge: the depth of the outermost loop it leaves, 0 if none, [`NONE`] if an earlier
    /// parallel edge represents it or its source is unreachable.
    left: Vec<u32>,
    fake_back_edges: bool,
}

/// The graph is irreducible, so it has no head-rewired form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Irreducible {
    /// The cycles with more than one entry, and their entries.
    pub cycles: Vec<(Loop, Vec<Node>)>,
}

impl fmt::Display for Irreducible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the control flow is irreducible")?;
        for (i, (_, entries)) in self.cycles.iter().enumerate() {
            let separator = if i == 0 { ": " } else { "; " };
            write!(f, "{separator}a cycle can be entered at")?;
            for (i, entry) in entries.iter().enumerate() {
                write!(f, "{} {entry}", if i == 0 { "" } else { "," })?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Irreducible {}

impl HeadRewired {
    /// Rewires the graph, in linear time. Fails if a loop has more than one entry.
    pub fn compute(
        graph: &Graph,
        loops: &LoopForest,
        index: &BlockIndex,
    ) -> Result<Self, Irreducible> {
        Self::new(graph, loops, index.order().iter().copied(), false)
    }

    /// Like [`compute`](Self::compute), given no more than a depth-first order of the graph.
    pub fn compute_with(
        graph: &Graph,
        loops: &LoopForest,
        dfs: &DepthFirst,
    ) -> Result<Self, Irreducible> {
        Self::new(graph, loops, dfs.reverse_postorder(), false)
    }

    /// Like [`compute`](Self::compute), with the fake back edges of 000 §3.1.
    pub fn with_fake_back_edges(
        graph: &Graph,
        loops: &LoopForest,
        index: &BlockIndex,
    ) -> Result<Self, Irreducible> {
        Self::new(graph, loops, index.order().iter().copied(), true)
    }

    /// `order`: the reachable nodes, topological up to back edges.
    fn new(
        graph: &Graph,
        loops: &LoopForest,
        order: impl ExactSizeIterator<Item = Node> + Clone,
        fake_back_edges: bool,
    ) -> Result<Self, Irreducible> {
        if !loops.is_reducible() {
            let cycles = loops.irreducible_loops().map(|l| (l, loops.entries(l))).collect();
            return Err(Irreducible { cycles });
        }
        // A loop gets an interval of ranks when its header comes, which is before the rest of it; the header takes the last.
        let mut rank = vec![NONE; graph.node_count()];
        let mut by_rank = vec![graph.entry(); order.len()];
        let mut free = vec![0; loops.len()];
        let mut free_outside = 0;
        for node in order.clone() {
            let mut take = |l: Option<Loop>, ranks: usize| {
                let next = l.map_or(&mut free_outside, |l| &mut free[l.index()]);
                std::mem::replace(next, *next + ranks)
            };
            let at = match loops.innermost(node) {
                Some(l) if loops.header(l) == node => {
                    let size = loops.blocks(l).len();
                    let start = take(loops.parent(l), size);
                    free[l.index()] = start;
                    start + size - 1
                }
                l => take(l, 1),
            };
            rank[node.index()] = at as u32;
            by_rank[at] = node;
        }
        let mut left = vec![NONE; graph.edge_count()];
        let mut last_source = vec![NONE; graph.node_count()];
        for node in order {
            for edge in graph.successor_edges(node) {
                let target = graph.target(edge);
                if std::mem::replace(&mut last_source[target.index()], node.raw()) != node.raw() {
                    let common = loops.common(node, target);
                    let leaves = loops.innermost(node) != common;
                    let outermost = common.map_or(1, |l| loops.loop_depth(l) + 1);
                    left[edge.index()] = if leaves { outermost as u32 } else { 0 };
                }
            }
        }
        let (graph, loops) = (graph.clone(), loops.clone());
        Ok(HeadRewired { graph, loops, rank, by_rank, left, fake_back_edges })
    }

    /// The original graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The loops of the original graph.
    pub fn loops(&self) -> &LoopForest {
        &self.loops
    }

    /// Whether this is the graph with the fake back edges of 000 §3.1.
    pub fn has_fake_back_edges(&self) -> bool {
        self.fake_back_edges
    }

    /// The blocks in a topological order of the head-rewired graph: a header comes after its loop.
    pub fn order(&self) -> &[Node] {
        &self.by_rank
    }

    /// The edge that stands for this one and the edges parallel to it.
    pub fn representative(&self, edge: Edge) -> Edge {
        let (source, target) = (self.graph.source(edge), self.graph.target(edge));
        let parallel = self.graph.successor_edges(source);
        parallel.into_iter().find(|&e| self.graph.target(e) == target).unwrap_or(edge)
    }

    /// Whether the edge stands for a chain of exit nodes.
    pub(crate) fn is_exit(&self, edge: Edge) -> bool {
        !matches!(self.left[edge.index()], 0 | NONE)
    }

    /// The depth of the outermost loop that an exit edge leaves.
    pub(crate) fn left(&self, edge: Edge) -> u32 {
        self.left[edge.index()]
    }

    /// Whether the edge is the first of its parallel edges, and its source reachable.
    pub(crate) fn represents(&self, edge: Edge) -> bool {
        self.left[edge.index()] != NONE
    }

    /// The edges of a node, parallel ones once.
    pub(crate) fn distinct_edges(&self, node: Node) -> impl Iterator<Item = Edge> + '_ {
        self.graph.successor_edges(node).filter(|&edge| self.represents(edge))
    }

    /// The position of a reachable block in [`order`](Self::order).
    pub(crate) fn rank(&self, node: Node) -> usize {
        self.rank[node.index()] as usize
    }

    pub(crate) fn is_reachable(&self, node: Node) -> bool {
        self.rank[node.index()] != NONE
    }
}
