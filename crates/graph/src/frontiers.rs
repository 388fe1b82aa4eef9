//! Dominance frontiers and iterated frontiers, of nodes and of edges.
//!
//! The frontier of `x` holds the nodes `y` that `x` does not strictly dominate although it
//! dominates a predecessor of `y`. The frontier of an edge is that of a node placed in the middle
//! of it (003, Fig. 6 and text). Nothing is stored per pair: with the *join* edges (those that do
//! not start at the immediate dominator of their target) hung onto the dominator tree, `y` is in
//! the frontier of `x` iff a join edge leads from the subtree of `x` to `y` and `y` is not deeper
//! than `x`. Iterated frontiers are found by visiting subtrees from the deepest root up, each node
//! once: Sreedhar and Gao, *A Linear Time Algorithm for Placing φ-nodes* (POPL 1995). In addition
//! each node knows the least depth any join edge from its subtree leads to, so subtrees without
//! news are not entered.

use crate::dominators::DominatorTree;
use crate::forest::Forest;
use crate::graph::{Edge, Graph, NONE, Node};
use crate::index_queue::IndexQueue;
use crate::postdominators::PostDominatorTree;
use crate::rows::Rows;
use std::sync::Arc;

/// A node, or the middle of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// In the node.
    Node(Node),
    /// Between the source and the target of the edge.
    Edge(Edge),
}

impl From<Node> for Place {
    fn from(node: Node) -> Self {
        Place::Node(node)
    }
}

impl From<Edge> for Place {
    fn from(edge: Edge) -> Self {
        Place::Edge(edge)
    }
}

/// Dominance frontiers of one graph.
///
/// Unreachable nodes, and edges that leave them, have empty frontiers and are in none.
#[derive(Clone, Debug)]
pub struct Frontiers {
    graph: Graph,
    /// The dominator tree. What follows is by its numbers.
    tree: Arc<Forest>,
    /// The join edges from a node: the number of the target, and the edge.
    joins: Rows<(u32, Edge)>,
    /// The least depth a join edge from the subtree leads to.
    least: Vec<u32>,
    /// The only edge that enters the node from outside its subtree, or [`NONE`].
    sole_entry: Vec<u32>,
    /// A numbering by depth, and back.
    rank: Vec<u32>,
    at_rank: Vec<u32>,
}

/// Memory for frontier queries. Give the same one to many queries and they will not allocate.
#[derive(Clone, Debug, Default)]
pub struct FrontierScratch {
    queue: IndexQueue,
    /// By number: the flags of the query that has this number, none for another.
    flags: Vec<u32>,
    /// The number of the query; a multiple of [`FLAGS`].
    now: u32,
}

/// The subtree has been searched.
const VISITED: u32 = 1;
/// In the frontier.
const FOUND: u32 = 2;
/// A node whose frontier is wanted, as opposed to the edge into it.
const WANTED: u32 = 4;
/// All flags are below this.
const FLAGS: u32 = 8;

/// A part of a graph in which frontiers are searched.
pub trait Region {
    /// Whether frontiers lead on from a node, and from those that it dominates. `given`: the node is one of those whose
    /// frontiers are wanted, or was found.
    fn enters(&self, node: Node, given: bool) -> bool;

    /// Whether a node in a frontier counts. If not, its own frontier does not count either.
    fn holds(&self, node: Node) -> bool;
}

/// The whole graph.
struct Everywhere;

impl Region for Everywhere {
    fn enters(&self, _: Node, _: bool) -> bool {
        true
    }

    fn holds(&self, _: Node) -> bool {
        true
    }
}

/// What is searched for, and what was found.
struct Search<'a, R> {
    iterate: bool,
    scratch: &'a mut FrontierScratch,
    found: &'a mut Vec<Node>,
    region: &'a R,
}

impl FrontierScratch {
    /// Empty scratch memory; it grows with the first query.
    pub fn new() -> Self {
        Self::default()
    }

    /// Begins a query about a tree of so many nodes.
    fn begin(&mut self, n: usize) {
        self.queue.reserve(n);
        if self.flags.len() < n {
            self.flags.resize(n, 0);
        }
        match self.now.checked_add(FLAGS) {
            Some(now) => self.now = now,
            None => {
                self.flags.fill(0);
                self.now = FLAGS;
            }
        }
    }

    #[inline]
    fn has(&self, number: u32, flag: u32) -> bool {
        let flags = self.flags[number as usize];
        flags >= self.now && flags & flag != 0
    }

    /// Sets a flag; says whether it was set.
    #[inline]
    fn set(&mut self, number: u32, flag: u32) -> bool {
        let flags = &mut self.flags[number as usize];
        let before = (*flags).max(self.now);
        *flags = before | flag;
        before & flag != 0
    }
}

impl Frontiers {
    /// Prepares the tables, in linear time.
    pub fn compute(graph: &Graph, dominators: &DominatorTree) -> Self {
        let tree = dominators.forest().clone();
        let (size, depth, up) = tree.by_number();
        let n = size.len();
        let mut sole_entry = vec![NONE; n];
        let mut entered = vec![false; n];
        entered[0] = true; // Control enters here without an edge.
        let mut joins = Rows::with_capacity(n, n / 2);
        let mut least = vec![NONE; n];
        for (i, &source) in dominators.preorder().iter().enumerate() {
            for edge in graph.successor_edges(source) {
                let target = tree.number(graph.target(edge).raw());
                let at = target as usize;
                let back = (target..target + size[at]).contains(&(i as u32));
                if !back {
                    let first = !std::mem::replace(&mut entered[at], true);
                    sole_entry[at] = if first { edge.raw() } else { NONE };
                }
                if up[at] != i as u32 {
                    joins.push((target, edge));
                    least[i] = least[i].min(depth[at]);
                }
            }
            joins.end_row();
        }
        for i in (1..n).rev() {
            least[up[i] as usize] = least[up[i] as usize].min(least[i]);
        }
        let (rank, at_rank) = by_depth(depth);
        Frontiers { graph: graph.clone(), joins, least, sole_entry, rank, at_rank, tree }
    }

    /// The frontier of a node or edge, each node once, in no particular order.
    ///
    /// Takes time proportional to the part of the subtree from which join edges lead out of it.
    pub fn frontier(&self, of: impl Into<Place>, scratch: &mut FrontierScratch) -> Vec<Node> {
        let mut found = Vec::new();
        let region = &Everywhere;
        let mut search = Search { iterate: false, scratch, found: &mut found, region };
        self.search(std::iter::once(of.into()), &mut search);
        found
    }

    /// The iterated frontier: the least set that holds the frontiers of the given places and of its
    /// own nodes. Each node once, in no particular order.
    ///
    /// At most linear time in the size of the graph, however many places there are.
    pub fn iterated<P: Into<Place>>(
        &self,
        of: impl IntoIterator<Item = P>,
        scratch: &mut FrontierScratch,
    ) -> Vec<Node> {
        let mut found = Vec::new();
        self.add_iterated(of, scratch, &mut found);
        found
    }

    /// Adds the [iterated](Self::iterated) frontier to a list.
    pub fn add_iterated<P: Into<Place>>(
        &self,
        of: impl IntoIterator<Item = P>,
        scratch: &mut FrontierScratch,
        found: &mut Vec<Node>,
    ) {
        self.add_iterated_within(of, scratch, found, &Everywhere);
    }

    /// Adds that part of the [iterated](Self::iterated) frontier to a list that can be found inside of a region. It takes
    /// time proportional to the region and what the tree has directly below it.
    pub fn add_iterated_within<P: Into<Place>>(
        &self,
        of: impl IntoIterator<Item = P>,
        scratch: &mut FrontierScratch,
        found: &mut Vec<Node>,
        region: &impl Region,
    ) {
        let mut search = Search { iterate: true, scratch, found, region };
        self.search(of.into_iter().map(Into::into), &mut search);
    }

    fn search(&self, places: impl Iterator<Item = Place>, to: &mut Search<'_, impl Region>) {
        to.scratch.begin(self.least.len());
        for place in places {
            match place {
                Place::Node(node) => {
                    let number = self.tree.number(node.raw());
                    if number != NONE {
                        to.scratch.set(number, WANTED);
                        to.scratch.queue.insert(self.rank[number as usize] as usize);
                    }
                }
                Place::Edge(edge) => {
                    if !self.tree.contains(self.graph.source(edge).raw()) {
                        continue;
                    }
                    let number = self.tree.number(self.graph.target(edge).raw());
                    if self.sole_entry[number as usize] == edge.raw() {
                        // The node on the edge dominates what the target does, and the target.
                        to.scratch.queue.insert(self.rank[number as usize] as usize);
                    } else {
                        self.add(number, to);
                    }
                }
            }
        }
        while let Some(rank) = to.scratch.queue.pop_last() {
            self.visit(self.at_rank[rank], to);
        }
    }

    /// Follows the join edges from the subtree of `root` that lead no deeper than `root`.
    fn visit(&self, root: u32, to: &mut Search<'_, impl Region>) {
        let (size, depths, _) = self.tree.by_number();
        let vertices = self.tree.vertices();
        let depth = depths[root as usize];
        let whole = to.scratch.has(root, WANTED);
        let mut at = root;
        let end = root + size[root as usize];
        while at < end {
            // What was visited was visited from a root at least as deep.
            let node = Node::from_raw(vertices[at as usize]);
            if self.least[at as usize] > depth
                || to.scratch.has(at, VISITED)
                || !to.region.enters(node, at == root && whole)
            {
                at += size[at as usize];
                continue;
            }
            to.scratch.set(at, VISITED);
            for &(target, _) in self.joins.row(at as usize) {
                // The node on the only edge into `root` strictly dominates `root`.
                if depths[target as usize] <= depth && (whole || target != root) {
                    self.add(target, to);
                }
            }
            at += 1;
        }
    }

    #[inline]
    fn add(&self, number: u32, to: &mut Search<'_, impl Region>) {
        if to.scratch.has(number, FOUND) {
            return;
        }
        let node = Node::from_raw(self.tree.vertices()[number as usize]);
        if !to.region.holds(node) {
            return;
        }
        to.scratch.set(number, FOUND);
        to.found.push(node);
        if to.iterate && !to.scratch.set(number, WANTED) {
            to.scratch.queue.insert(self.rank[number as usize] as usize);
        }
    }

    /// Calls `visit` with each join edge from the subtree of `node` to a node that is not deeper.
    pub(crate) fn visit_join_edges(&self, node: Node, mut visit: impl FnMut(Edge)) {
        let root = self.tree.number(node.raw());
        if root == NONE {
            return;
        }
        let (size, depth, _) = self.tree.by_number();
        let mut at = root;
        while at < root + size[root as usize] {
            if self.least[at as usize] > depth[root as usize] {
                at += size[at as usize];
                continue;
            }
            for &(target, edge) in self.joins.row(at as usize) {
                if depth[target as usize] <= depth[root as usize] {
                    visit(edge);
                }
            }
            at += 1;
        }
    }
}

/// A numbering by depth, and back.
fn by_depth(depth: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut next = vec![0u32; depth.len() + 1];
    for &depth in depth {
        next[depth as usize + 1] += 1;
    }
    for i in 1..next.len() {
        next[i] += next[i - 1];
    }
    let mut rank = vec![0; depth.len()];
    let mut at_rank = vec![0; depth.len()];
    for (number, &depth) in depth.iter().enumerate() {
        let next = &mut next[depth as usize];
        rank[number] = *next;
        at_rank[*next as usize] = number as u32;
        *next += 1;
    }
    (rank, at_rank)
}

/// Post-dominance frontiers of one graph: frontiers of the reversed graph.
///
/// `b` is in the frontier of `x` if `x` post-dominates a successor of `b` but not strictly `b`: it
/// is at `b` that control decides whether it will come through `x`. What is not in the
/// post-dominator tree (see [`PostDominatorTree`]) has an empty frontier and is in none.
#[derive(Clone, Debug)]
pub struct PostFrontiers {
    frontiers: Frontiers,
    reversed_edge: Arc<[Edge]>,
}

impl PostFrontiers {
    /// Prepares the tables, in linear time.
    pub fn compute(graph: &Graph, post_dominators: &PostDominatorTree) -> Self {
        debug_assert_eq!(graph.edge_count(), post_dominators.reversed_edges().len());
        PostFrontiers {
            frontiers: Frontiers::compute(post_dominators.reversed(), post_dominators.tree()),
            reversed_edge: post_dominators.reversed_edges().clone(),
        }
    }

    /// The post-dominance frontier of a node or edge, each node once, in no particular order.
    pub fn frontier(&self, of: impl Into<Place>, scratch: &mut FrontierScratch) -> Vec<Node> {
        self.frontiers.frontier(self.reverse(of.into()), scratch)
    }

    /// The iterated post-dominance frontier, each node once, in no particular order.
    pub fn iterated<P: Into<Place>>(
        &self,
        of: impl IntoIterator<Item = P>,
        scratch: &mut FrontierScratch,
    ) -> Vec<Node> {
        self.frontiers.iterated(of.into_iter().map(|place| self.reverse(place.into())), scratch)
    }

    /// Adds the [iterated](Self::iterated) post-dominance frontier to a list.
    pub fn add_iterated<P: Into<Place>>(
        &self,
        of: impl IntoIterator<Item = P>,
        scratch: &mut FrontierScratch,
        found: &mut Vec<Node>,
    ) {
        self.add_iterated_within(of, scratch, found, &Everywhere);
    }

    /// Adds that part of the [iterated](Self::iterated) post-dominance frontier to a list that can be found inside of a
    /// region; see [`Frontiers::add_iterated_within`].
    pub fn add_iterated_within<P: Into<Place>>(
        &self,
        of: impl IntoIterator<Item = P>,
        scratch: &mut FrontierScratch,
        found: &mut Vec<Node>,
        region: &impl Region,
    ) {
        let of = of.into_iter().map(|place| self.reverse(place.into()));
        self.frontiers.add_iterated_within(of, scratch, found, region);
    }

    fn reverse(&self, place: Place) -> Place {
        match place {
            Place::Node(node) => Place::Node(node),
            Place::Edge(edge) => Place::Edge(self.reversed_edge[edge.index()]),
        }
    }

    pub(crate) fn reversed(&self) -> &Frontiers {
        &self.frontiers
    }
}
