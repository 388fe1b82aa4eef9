//! Strong post-dominators: what control reaches for certain.
//!
//! `a` *strongly* post-dominates `b` if every path from `b` that is complete or infinite contains
//! `a`; in other words, if without `a` control cannot get from `b` to an end or into a cycle
//! (Podgurski and Clarke, TSE 1990; the `strongpd` of 000 §7.1 after Wasserrab et al. 2009). What
//! follows a loop does not strongly post-dominate it, since control may stay in there.
//!
//! In an endless loop two nodes can strongly post-dominate *each other*. So the relation is not a
//! tree but a forest in which the root of a tree may have a further successor below it: a cycle of
//! mutual post-dominators that all nodes of the tree lead to.
//!
//! # How
//!
//! The strong post-dominators of `b` are `b` and those that all its successors have in common, as a
//! least fixed point. Build a forest bottom up: a root `c` whose successors all lie in one other
//! tree is hung below their closest common ancestor. If they all lie in the tree of `c` itself, the
//! tree is *closed* with that ancestor as the further successor of `c`. When nothing more can be
//! hung, the fixed point is reached.
//!
//! Who can be hung, and in which tree, does not depend on where exactly. The first pass therefore
//! only merges trees (each branch watches two successors in different trees; merged lists of
//! watchers are scanned from the shorter side). Second, the graph of the reversed edges of all hung
//! nodes is acyclic, and their closest common ancestors are by definition its dominator tree. In
//! all O(m log n).

use crate::disjoint_sets::DisjointSets;
use crate::dominators::DominatorTree;
use crate::graph::{Graph, NONE, Node};

/// Which nodes lie on every complete or infinite path from which.
///
/// The entry of the graph plays no role; nodes it cannot reach are treated like all others.
#[derive(Clone, Debug)]
pub struct StrongPostDominators {
    /// Over the nodes and, as its root, one virtual node above all roots.
    tree: DominatorTree,
    /// By node: the root of its tree.
    root: Vec<Node>,
    /// By node, for roots of closed trees: the common ancestor of its successors.
    closing: Vec<u32>,
}

impl StrongPostDominators {
    /// Computes the relation.
    pub fn compute(graph: &Graph) -> Self {
        let merged = Merge::new(graph).run();
        let top = Node::new(graph.node_count());
        let hung = |node: Node| merged.state[node.index()] == State::Hung;
        let up = graph.edges().filter(|&edge| hung(graph.source(edge)));
        let up = up.map(|edge| (graph.target(edge), graph.source(edge)));
        let roots = graph.nodes().filter(|&node| !hung(node)).map(|node| (top, node));
        let tree =
            DominatorTree::compute(&Graph::from_edges(top.index() + 1, top, up.chain(roots)));

        let mut root: Vec<Node> = graph.nodes().collect();
        let mut closing = vec![NONE; graph.node_count()];
        for &node in &tree.preorder()[1..] {
            if let Some(up) = tree.immediate(node).filter(|&up| up != top) {
                root[node.index()] = root[up.index()];
            }
            if merged.state[node.index()] == State::Closed {
                let successors = graph.successors(node).iter().copied().map(Some);
                let common = successors.reduce(|a, b| tree.common(a?, b?)).flatten();
                closing[node.index()] = common.map_or(NONE, Node::raw);
            }
        }
        StrongPostDominators { tree, root, closing }
    }

    /// Whether every complete or infinite path from `b` contains `a`. Every node strongly
    /// post-dominates itself. Constant time.
    pub fn post_dominates(&self, a: Node, b: Node) -> bool {
        let in_cycle = || {
            let closing = Node::from_table(self.closing[self.root[b.index()].index()]);
            closing.is_some_and(|closing| self.tree.dominates(a, closing))
        };
        self.tree.dominates(a, b) || in_cycle()
    }

    /// A closest strong post-dominator other than `node`: one that all the others of `node`
    /// strongly post-dominate. `None` if there is none. Following it repeatedly leads through all
    /// strong post-dominators of `node`, and in an endless loop around in circles.
    pub fn immediate(&self, node: Node) -> Option<Node> {
        let up = if self.root[node.index()] == node {
            Node::from_table(self.closing[node.index()])
        } else {
            self.tree.immediate(node)
        };
        up.filter(|&up| up != node)
    }

    /// All strong post-dominators of `node`, itself first, each before those that strongly
    /// post-dominate it (if that is not mutual).
    pub fn post_dominators(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        let mut wrapped = false;
        std::iter::successors(Some(node), move |&at| {
            wrapped |= self.root[at.index()] == at;
            // In the cycle, stop at the first node that was on the way up.
            self.immediate(at).filter(|&next| !wrapped || !self.tree.dominates(next, node))
        })
    }

    /// The nodes that `node` strongly post-dominates, in no particular order.
    pub fn post_dominated(&self, node: Node) -> &[Node] {
        let root = self.root[node.index()];
        let closing = Node::from_table(self.closing[root.index()]);
        let in_cycle = closing.is_some_and(|closing| self.tree.dominates(node, closing));
        self.tree.dominated(if in_cycle { root } else { node })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// A root: an end, or a node whose successors have nothing in common.
    Open,
    /// Below another node.
    Hung,
    /// A root all of whose successors are in its own tree.
    Closed,
}

/// The first pass: which nodes are hung, and which trees are closed.
struct Merge<'a> {
    graph: &'a Graph,
    state: Vec<State>,
    /// The trees as sets of nodes; the representative knows the watchers.
    trees: DisjointSets,
    watchers: Vec<Vec<u32>>,
    /// By node: how many of its successors are known to be in the tree of the first one.
    agreed: Vec<u32>,
    /// Nodes whose successors are all in one tree.
    ready: Vec<u32>,
}

impl<'a> Merge<'a> {
    fn new(graph: &'a Graph) -> Self {
        let n = graph.node_count();
        Merge {
            graph,
            state: vec![State::Open; n],
            trees: DisjointSets::new(n),
            watchers: vec![Vec::new(); n],
            agreed: vec![1; n],
            ready: Vec::new(),
        }
    }

    fn run(mut self) -> Self {
        for node in self.graph.nodes() {
            if let Some(&first) = self.graph.successors(node).first() {
                self.watch(node.raw());
                // The other half of the watch: the tree of the first successor.
                self.watchers[first.index()].push(node.raw());
            }
        }
        while let Some(node) = self.ready.pop() {
            let first = self.graph.successors(Node::from_raw(node))[0];
            let (tree, target) = (self.trees.find(node), self.trees.find(first.raw()));
            if tree == target {
                self.state[node as usize] = State::Closed;
            } else {
                self.state[node as usize] = State::Hung;
                self.merge(tree, target);
            }
        }
        self
    }

    /// Looks for a successor outside of the tree of the first one and watches its tree.
    fn watch(&mut self, node: u32) {
        let graph = self.graph;
        let successors = graph.successors(Node::from_raw(node));
        let first = self.trees.find(successors[0].raw());
        while let Some(other) = successors.get(self.agreed[node as usize] as usize) {
            let other = self.trees.find(other.raw());
            if other != first {
                self.watchers[other as usize].push(node);
                return;
            }
            self.agreed[node as usize] += 1;
        }
        self.ready.push(node);
    }

    /// Makes one tree of two.
    fn merge(&mut self, tree: u32, target: u32) {
        let less = self.watchers[tree as usize].len() < self.watchers[target as usize].len();
        let (small, large) = if less { (tree, target) } else { (target, tree) };
        self.trees.merge(small, large);
        let moved = std::mem::take(&mut self.watchers[small as usize]);
        for node in moved {
            let graph = self.graph;
            let successors = graph.successors(Node::from_raw(node));
            // Who watched both trees looks for another one; a node that is ready watches nothing.
            if let Some(other) = successors.get(self.agreed[node as usize] as usize) {
                if self.trees.find(other.raw()) == self.trees.find(successors[0].raw()) {
                    self.watch(node);
                }
                self.watchers[large as usize].push(node);
            }
        }
    }
}
