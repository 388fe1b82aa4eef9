//! The dominator tree.
//!
//! Reducible graphs mostly need one pass along their forward edges. For others there is Lengauer and Tarjan, *A Fast Algorithm for
//! Finding Dominators in a Flowgraph* (TOPLAS 1979), with simple path compression: O(m log n) in the worst case, whatever the
//! shape of the graph, and close to linear in practice. Nothing recurses. The finished tree answers `dominates` by
//! comparing two numbers.

use crate::forest::Forest;
use crate::forward_dominators::along_forward_edges;
use crate::graph::{Graph, NONE, Node};
use crate::orders::DepthFirst;
use std::ops::Range;
use std::sync::Arc;

/// Which nodes lie on every path from the entry to which.
///
/// Unreachable nodes are not in the tree. They have no immediate dominator and dominate, and are
/// dominated by, nothing but themselves.
#[derive(Clone, Debug)]
pub struct DominatorTree {
    tree: Arc<Forest>,
    order: Vec<Node>,
    root: Node,
}

impl DominatorTree {
    /// Builds the tree.
    pub fn compute(graph: &Graph) -> Self {
        Self::compute_with(graph, &DepthFirst::compute(graph))
    }

    /// Builds the tree, given a depth-first order of the graph.
    pub fn compute_with(graph: &Graph, dfs: &DepthFirst) -> Self {
        let easy = along_forward_edges(graph, dfs).map(|above| {
            let mut parent = vec![NONE; graph.node_count()];
            let root = above.len() - 1;
            for (node, &up) in dfs.postorder()[..root].iter().zip(&above) {
                parent[node.index()] = dfs.postorder()[up as usize].raw();
            }
            Self::of_parents(graph, dfs, &parent)
        });
        let is_right = |tree: &Self| dfs.is_acyclic() || tree.has_all_back_edges(graph, dfs);
        easy.filter(is_right).unwrap_or_else(|| Self::compute_any(graph, dfs))
    }

    /// Builds the tree of a graph that is perhaps not reducible.
    pub(crate) fn compute_any(graph: &Graph, dfs: &DepthFirst) -> Self {
        let dominators = LengauerTarjan::new(dfs).run(graph, dfs);
        let mut parent = vec![NONE; graph.node_count()];
        for (&node, vertex) in dfs.preorder().iter().zip(&dominators).skip(1) {
            parent[node.index()] = dfs.preorder()[vertex.dominator as usize].raw();
        }
        Self::of_parents(graph, dfs, &parent)
    }

    fn of_parents(graph: &Graph, dfs: &DepthFirst, parent: &[u32]) -> Self {
        let tree = Forest::new(parent, dfs.preorder().iter().map(|node| node.raw()));
        let order = tree.vertices().iter().map(|&v| Node::from_raw(v)).collect();
        DominatorTree { tree: Arc::new(tree), order, root: graph.entry() }
    }

    /// Whether the target of each edge that leads back in the search dominates the source.
    fn has_all_back_edges(&self, graph: &Graph, dfs: &DepthFirst) -> bool {
        let numbers = dfs.post_numbers();
        dfs.postorder().iter().zip(0..).all(|(&source, number)| {
            let mut targets = graph.successors(source).iter();
            targets.all(|&to| numbers[to.index()] < number || self.dominates(to, source))
        })
    }

    /// The entry of the graph.
    #[inline]
    pub fn root(&self) -> Node {
        self.root
    }

    /// The tree over node indices.
    pub(crate) fn forest(&self) -> &Arc<Forest> {
        &self.tree
    }

    /// Whether the node is in the tree, that is, reachable from the entry.
    #[inline]
    pub fn is_reachable(&self, node: Node) -> bool {
        self.tree.contains(node.raw())
    }

    /// The closest strict dominator; `None` for the entry and for unreachable nodes.
    #[inline]
    pub fn immediate(&self, node: Node) -> Option<Node> {
        self.tree.parent(node.raw()).map(Node::from_raw)
    }

    /// Whether every path from the entry to `b` contains `a` (001 §2.3). Every node dominates
    /// itself; an unreachable node dominates and is dominated by no other. Constant time.
    #[inline]
    pub fn dominates(&self, a: Node, b: Node) -> bool {
        if self.is_reachable(a) && self.is_reachable(b) {
            self.tree.is_ancestor(a.raw(), b.raw())
        } else {
            a == b
        }
    }

    /// Whether `a` dominates `b` and is not `b`. Constant time.
    #[inline]
    pub fn strictly_dominates(&self, a: Node, b: Node) -> bool {
        a != b && self.dominates(a, b)
    }

    /// The closest node that dominates both; `None` when either is unreachable. O(log n).
    pub fn common(&self, a: Node, b: Node) -> Option<Node> {
        if !self.is_reachable(a) || !self.is_reachable(b) {
            return None;
        }
        self.tree.common(a.raw(), b.raw()).map(Node::from_raw)
    }

    /// The number of strict dominators; `None` when unreachable.
    #[inline]
    pub fn depth(&self, node: Node) -> Option<usize> {
        self.is_reachable(node).then(|| self.tree.depth(node.raw()) as usize)
    }

    /// The reachable nodes in a preorder of the tree.
    #[inline]
    pub fn preorder(&self) -> &[Node] {
        &self.order
    }

    /// The nodes that `node` dominates, itself first; empty when unreachable. A slice of
    /// [`preorder`](Self::preorder).
    #[inline]
    pub fn dominated(&self, node: Node) -> &[Node] {
        if self.is_reachable(node) { &self.order[self.tree.range(node.raw())] } else { &[] }
    }

    /// Where the nodes that `node` dominates lie in the [`preorder`](Self::preorder), itself first; `None` when
    /// unreachable.
    #[inline]
    pub fn range(&self, node: Node) -> Option<Range<usize>> {
        self.is_reachable(node).then(|| self.tree.range(node.raw()))
    }

    /// The nodes whose immediate dominator is `node`, in no particular order; none when
    /// unreachable.
    pub fn children(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        let node = self.is_reachable(node).then_some(node.raw());
        node.into_iter().flat_map(|node| self.tree.children(node)).map(Node::from_raw)
    }
}

/// The working state, by preorder number of the depth-first tree.
struct LengauerTarjan {
    vertices: Vec<Vertex>,
    path: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Vertex {
    semidominator: u32,
    /// The link-eval forest: the parent there, and the vertex with the least semidominator on the
    /// compressed path.
    ancestor: u32,
    best: u32,
    dominator: u32,
    /// The vertices with this semidominator, as a list threaded through `next`.
    bucket: u32,
    next: u32,
}

impl LengauerTarjan {
    fn new(dfs: &DepthFirst) -> Self {
        let vertex = |v| Vertex {
            semidominator: v,
            ancestor: NONE,
            best: v,
            dominator: 0,
            bucket: NONE,
            next: NONE,
        };
        let vertices = (0..dfs.preorder().len() as u32).map(vertex).collect();
        LengauerTarjan { vertices, path: Vec::new() }
    }

    /// The immediate dominators; that of the root is the root.
    fn run(mut self, graph: &Graph, dfs: &DepthFirst) -> Vec<Vertex> {
        let n = self.vertices.len();
        for w in (1..n).rev() {
            let parent = dfs.parents()[w];
            let before = graph.predecessors(dfs.preorder()[w]);
            if before.len() == 1 {
                // The only predecessor is the parent, and dominates it.
                let vertex = &mut self.vertices[w];
                (vertex.semidominator, vertex.dominator) = (parent, parent);
            } else {
                let semi = self.semidominator(w as u32, before, dfs);
                let next = std::mem::replace(&mut self.vertices[semi as usize].bucket, w as u32);
                let vertex = &mut self.vertices[w];
                (vertex.semidominator, vertex.next) = (semi, next);
            }
            self.vertices[w].ancestor = parent;
            let mut v = std::mem::replace(&mut self.vertices[parent as usize].bucket, NONE);
            while v != NONE {
                let u = self.eval(v);
                let least = self.vertices[u as usize].semidominator;
                let vertex = &mut self.vertices[v as usize];
                vertex.dominator = if least < vertex.semidominator { u } else { parent };
                v = vertex.next;
            }
        }
        for w in 1..n {
            let Vertex { dominator, semidominator, .. } = self.vertices[w];
            if dominator != semidominator {
                self.vertices[w].dominator = self.vertices[dominator as usize].dominator;
            }
        }
        self.vertices
    }

    /// The semidominator of a vertex that has these nodes as predecessors.
    #[inline]
    fn semidominator(
        &mut self,
        w: u32,
        before: impl Iterator<Item = Node>,
        dfs: &DepthFirst,
    ) -> u32 {
        let mut semi = w;
        for v in before {
            let v = dfs.numbers()[v.index()];
            if v != NONE {
                let u = self.eval(v);
                semi = semi.min(self.vertices[u as usize].semidominator);
            }
        }
        semi
    }

    /// The vertex with the least semidominator on the forest path to `v`, the root of its tree
    /// excluded.
    #[inline]
    fn eval(&mut self, v: u32) -> u32 {
        let vertices = &mut self.vertices;
        let mut above = vertices[v as usize].ancestor;
        if above == NONE {
            return v;
        }
        // Compress: from the top down, every vertex takes over what its ancestor knows and is hung
        // below the root.
        let mut at = v;
        while vertices[above as usize].ancestor != NONE {
            self.path.push(at);
            at = above;
            above = vertices[at as usize].ancestor;
        }
        while let Some(at) = self.path.pop() {
            let Vertex { ancestor, best: mine, .. } = vertices[at as usize];
            let Vertex { ancestor: root, best: theirs, .. } = vertices[ancestor as usize];
            let better = vertices[theirs as usize].semidominator;
            if better < vertices[mine as usize].semidominator {
                vertices[at as usize].best = theirs;
            }
            vertices[at as usize].ancestor = root;
        }
        vertices[v as usize].best
    }
}
