//! Depth-first order of the nodes that can be reached from the entry.

use crate::graph::{Edge, Graph, NONE, Node};
use std::ops::Range;

/// The depth-first spanning tree of a graph, with its preorder and postorder.
///
/// The search follows successors in order and keeps its stack on the heap. Nodes that cannot be
/// reached are in none of the orders and have no numbers. The default has searched nothing.
#[derive(Clone, Debug, Default)]
pub struct DepthFirst {
    preorder: Vec<Node>,
    postorder: Vec<Node>,
    /// By node, [`NONE`] when unreachable.
    number: Vec<u32>,
    post_number: Vec<u32>,
    /// By preorder number: the number of the tree parent ([`NONE`] for the root), and of the last
    /// descendant.
    parent: Vec<u32>,
    last: Vec<u32>,
    acyclic: bool,
    /// Of the search: the nodes on the path to the one at hand, with the edges that are still to be followed.
    path: Vec<(Node, Range<usize>)>,
}

impl DepthFirst {
    /// Searches the graph from its entry, in linear time.
    pub fn compute(graph: &Graph) -> Self {
        let mut dfs = DepthFirst::default();
        dfs.compute_again(graph);
        dfs
    }

    /// Searches another graph, in the memory of what was there.
    pub fn compute_again(&mut self, graph: &Graph) {
        let (dfs, n) = (self, graph.node_count());
        for table in [&mut dfs.number, &mut dfs.post_number] {
            table.clear();
            table.resize(n, NONE);
        }
        for table in [&mut dfs.parent, &mut dfs.last] {
            table.clear();
            table.reserve(n);
        }
        for order in [&mut dfs.preorder, &mut dfs.postorder] {
            order.clear();
            order.reserve(n);
        }
        dfs.acyclic = true;
        dfs.discover(graph.entry(), NONE);
        dfs.path.push((graph.entry(), graph.successor_range(graph.entry())));
        while let Some((node, edges)) = dfs.path.last_mut() {
            let node = *node;
            match edges.next() {
                Some(edge) => {
                    let target = graph.target(Edge::new(edge));
                    if dfs.number[target.index()] == NONE {
                        dfs.discover(target, dfs.number[node.index()]);
                        dfs.path.push((target, graph.successor_range(target)));
                    } else if dfs.post_number[target.index()] == NONE {
                        dfs.acyclic = false;
                    }
                }
                None => {
                    dfs.last[dfs.number[node.index()] as usize] = dfs.preorder.len() as u32 - 1;
                    dfs.post_number[node.index()] = dfs.postorder.len() as u32;
                    dfs.postorder.push(node);
                    dfs.path.pop();
                }
            }
        }
    }

    fn discover(&mut self, node: Node, parent: u32) {
        self.number[node.index()] = self.preorder.len() as u32;
        self.preorder.push(node);
        self.parent.push(parent);
        self.last.push(0);
    }

    /// The reachable nodes, each before the nodes that were first seen through it. Starts with the
    /// entry.
    pub fn preorder(&self) -> &[Node] {
        &self.preorder
    }

    /// The reachable nodes, each after its tree descendants. Ends with the entry.
    pub fn postorder(&self) -> &[Node] {
        &self.postorder
    }

    /// The reachable nodes against their postorder: topological if the graph has no cycle, and
    /// topological up to [retreating](DepthFirst::is_retreating) edges in general.
    pub fn reverse_postorder(
        &self,
    ) -> impl DoubleEndedIterator<Item = Node> + ExactSizeIterator + Clone + '_ {
        self.postorder.iter().rev().copied()
    }

    /// Whether no cycle can be reached.
    #[inline]
    pub fn is_acyclic(&self) -> bool {
        self.acyclic
    }

    /// Whether the entry reaches the node.
    #[inline]
    pub fn is_reachable(&self, node: Node) -> bool {
        self.number[node.index()] != NONE
    }

    /// The position of the node in [`preorder`](DepthFirst::preorder); `None` when unreachable.
    pub fn preorder_number(&self, node: Node) -> Option<usize> {
        self.is_reachable(node).then(|| self.number[node.index()] as usize)
    }

    /// The position of the node in [`postorder`](DepthFirst::postorder); `None` when unreachable.
    pub fn postorder_number(&self, node: Node) -> Option<usize> {
        self.is_reachable(node).then(|| self.post_number[node.index()] as usize)
    }

    /// The node through which this one was first seen; `None` for the entry and for unreachable
    /// nodes.
    pub fn parent(&self, node: Node) -> Option<Node> {
        let parent = self.parent[self.preorder_number(node)?];
        (parent != NONE).then(|| self.preorder[parent as usize])
    }

    /// Whether `b` lies in the subtree of `a`, `a` itself included. False when either is
    /// unreachable.
    pub fn is_ancestor(&self, a: Node, b: Node) -> bool {
        match (self.preorder_number(a), self.preorder_number(b)) {
            (Some(a), Some(b)) => self.is_ancestor_number(a, b),
            _ => false,
        }
    }

    /// Whether the edge leads to an ancestor of its source (001 §2.4). In a reducible graph these
    /// are the back edges, whatever the order of the search. False when the source is unreachable.
    pub fn is_retreating(&self, graph: &Graph, edge: Edge) -> bool {
        self.is_ancestor(graph.target(edge), graph.source(edge))
    }

    pub(crate) fn is_ancestor_number(&self, a: usize, b: usize) -> bool {
        a <= b && b <= self.last[a] as usize
    }

    /// The preorder number of each node ([`NONE`] when unreachable), as a table.
    pub(crate) fn numbers(&self) -> &[u32] {
        &self.number
    }

    /// The postorder number of each node ([`NONE`] when unreachable), as a table.
    pub(crate) fn post_numbers(&self) -> &[u32] {
        &self.post_number
    }

    /// The number of the tree parent by preorder number ([`NONE`] for the root), as a table.
    pub(crate) fn parents(&self) -> &[u32] {
        &self.parent
    }
}
