//! The block index of 001 §2.5: one number per block that makes loops and dominance regions
//! intervals.
//!
//! An index is *compact* for a set of blocks if their numbers form an interval. What this index
//! guarantees, for every graph:
//!
//! 1. It is topological up to back edges ([`LoopForest::is_back_edge`]).
//! 2. It is compact for every loop, and the header has the least number in it. A unique latch has
//!    the greatest, unless it is in an inner loop.
//! 3. In a reducible graph it is compact for the blocks that `v` dominates inside the innermost
//!    loop around `v`.
//! 4. In a reducible graph it is compact for all blocks that `v` dominates if `v` dominates the
//!    latches of every loop around it that this set sticks out of. That includes headers and blocks
//!    outside of loops.
//!
//! 001 asks for compactness in *all* dominance regions, but that can be at odds with 2: let `v`
//! have an exit block `x` of its own and a path to the latch it does not dominate. Then `x` must
//! follow `v` directly, and must not stand between `v` and the latch. With unique latches, 4 gives
//! every region that can be compact at all ([`BlockIndex::dominated_range`] says which are).
//!
//! # How
//!
//! Each loop is a graph of *items*: its own blocks, and the loops directly inside it, collapsed.
//! Without back edges it is acyclic, and an item's dominator among the items is the one that holds
//! the immediate dominator in the whole graph. The items are written in a preorder of that tree,
//! children in reverse postorder; where an item is a loop its own items come first. After a loop,
//! what is dominated by a block deep on the path to the latch goes first, which yields 4.

use crate::dominators::DominatorTree;
use crate::graph::{Graph, NONE, Node};
use crate::loops::{Loop, LoopForest};
use crate::orders::DepthFirst;
use crate::rows::Rows;
use std::cmp::Reverse;
use std::ops::Range;

/// A topological numbering of the reachable blocks in which loops and dominance regions are
/// intervals.
#[derive(Clone, Debug)]
pub struct BlockIndex {
    order: Vec<Node>,
    index: Vec<u32>,
    loops: Vec<Range<usize>>,
    /// By node: the greatest index it dominates, or [`NONE`] if the dominated blocks are no
    /// interval.
    dominated_end: Vec<u32>,
}

impl BlockIndex {
    /// Numbers the blocks, in O(n log n).
    pub fn compute(graph: &Graph, dominators: &DominatorTree, loops: &LoopForest) -> Self {
        Self::compute_with(graph, &DepthFirst::compute(graph), dominators, loops)
    }

    /// Numbers the blocks, given a depth-first order of the graph.
    pub fn compute_with(
        graph: &Graph,
        dfs: &DepthFirst,
        dominators: &DominatorTree,
        loops: &LoopForest,
    ) -> Self {
        let order = block_order(graph, dfs, dominators, Some(loops));
        let mut index = vec![NONE; graph.node_count()];
        for (i, node) in order.iter().enumerate() {
            index[node.index()] = i as u32;
        }
        let loop_ranges = loops.loops().map(|l| {
            let start = index[loops.header(l).index()] as usize;
            start..start + loops.blocks(l).len()
        });
        let loops = loop_ranges.collect();

        // The extent of each dominance region, from the leaves of the tree up.
        let mut last = index.clone();
        for &node in dominators.preorder().iter().rev() {
            if let Some(up) = dominators.immediate(node) {
                last[up.index()] = last[up.index()].max(last[node.index()]);
            }
        }
        for &node in dominators.preorder() {
            let extent = last[node.index()] - index[node.index()] + 1;
            if extent as usize != dominators.dominated(node).len() {
                last[node.index()] = NONE;
            }
        }
        BlockIndex { order, index, loops, dominated_end: last }
    }

    /// The number of a block, `0` for the entry; `None` when unreachable.
    #[inline]
    pub fn index(&self, node: Node) -> Option<usize> {
        let index = self.index[node.index()];
        (index != NONE).then_some(index as usize)
    }

    /// The reachable blocks, by number.
    #[inline]
    pub fn order(&self) -> &[Node] {
        &self.order
    }

    /// The numbers of the blocks of a loop. The first is that of the header.
    pub fn loop_range(&self, l: Loop) -> Range<usize> {
        self.loops[l.index()].clone()
    }

    /// The numbers of the blocks that `node` dominates, itself first, if they form an interval (see
    /// the [module](self) for when they must). `None` when unreachable.
    pub fn dominated_range(&self, node: Node) -> Option<Range<usize>> {
        let end = self.dominated_end[node.index()];
        (end != NONE).then(|| self.index[node.index()] as usize..end as usize + 1)
    }
}

/// The reachable blocks in the order of the [`BlockIndex`], without its tables. `loops` may be left out if the graph is
/// [acyclic](DepthFirst::is_acyclic).
fn block_order(
    graph: &Graph,
    dfs: &DepthFirst,
    dominators: &DominatorTree,
    loops: Option<&LoopForest>,
) -> Vec<Node> {
    match loops.filter(|loops| !loops.is_empty()) {
        None => tree_order(graph, dfs, dominators),
        Some(loops) => Items::new(graph, dfs, dominators, loops).order(),
    }
}

/// Without loops: a preorder of the dominator tree, children in reverse postorder.
fn tree_order(graph: &Graph, dfs: &DepthFirst, dominators: &DominatorTree) -> Vec<Node> {
    // The first child of each node and its next sibling.
    let mut first = vec![NONE; graph.node_count()];
    let mut next = vec![NONE; graph.node_count()];
    for &node in dfs.postorder() {
        if let Some(up) = dominators.immediate(node) {
            next[node.index()] = std::mem::replace(&mut first[up.index()], node.raw());
        }
    }
    let mut order = Vec::with_capacity(dfs.postorder().len());
    let mut stack = vec![dominators.root().raw()];
    while let Some(node) = stack.pop() {
        order.push(Node::from_raw(node));
        let (first, next) = (first[node as usize], next[node as usize]);
        stack.extend([next, first].into_iter().filter(|&node| node != NONE));
    }
    order
}

/// The trees of items of all loops at once. Item `v < n` is a block, item `n + l` a collapsed loop.
struct Items {
    n: usize,
    /// The items each item dominates immediately, in the order they are to be written.
    children: Rows<u32>,
    /// By loop, and last for the whole graph: its items that no other of its items dominates, the
    /// header first.
    roots: Rows<u32>,
}

impl Items {
    fn new(
        graph: &Graph,
        dfs: &DepthFirst,
        dominators: &DominatorTree,
        loops: &LoopForest,
    ) -> Self {
        let n = graph.node_count();
        let loop_dominators = loop_dominators(dominators, loops);
        let mut in_trees: Vec<(usize, u32)> = Vec::with_capacity(n + loops.len());
        let mut at_roots: Vec<(usize, u32)> = Vec::new();
        let mut place = |item: u32, home: Option<Loop>, dominator: Option<Node>| match dominator {
            Some(d) if home.is_none_or(|l| loops.contains(l, d)) => {
                in_trees.push((holder(loops, n, home, d) as usize, item));
            }
            _ => at_roots.push((home.map_or(loops.len(), Loop::index), item)),
        };
        for node in dfs.reverse_postorder() {
            let home = loops.innermost(node);
            match loops.headed_by(node) {
                Some(l) => {
                    place(n as u32 + l.raw(), loops.parent(l), loop_dominators[l.index()]);
                    place(node.raw(), home, None);
                }
                None => place(node.raw(), home, dominators.immediate(node)),
            }
        }
        let mut children = Rows::group(n + loops.len(), in_trees.iter().copied());
        for l in loops.loops() {
            // What follows the loop: first what is dominated from deep on the path to the latches.
            // The sort is stable, so reverse postorder decides among equals.
            let row = children.row_mut(n + l.index());
            if row.len() > 1 {
                let header = loops.header(l);
                let latches = graph.predecessors(header).filter(|&from| loops.contains(l, from));
                let path_end = common_of(dominators, latches);
                row.sort_by_cached_key(|&item| {
                    let from = match item.checked_sub(n as u32) {
                        None => dominators.immediate(Node::from_raw(item)),
                        Some(l) => loop_dominators[l as usize],
                    };
                    Reverse(
                        from.and_then(|from| dominators.depth(dominators.common(from, path_end?)?)),
                    )
                });
            }
        }
        let roots = Rows::group(loops.len() + 1, at_roots.iter().copied());
        Items { n, children, roots }
    }

    #[inline]
    fn order(&self) -> Vec<Node> {
        let mut order = Vec::with_capacity(self.n);
        let mut stack: Vec<u32> = Vec::new();
        stack.extend(self.roots.row(self.roots.row_count() - 1).iter().rev());
        while let Some(item) = stack.pop() {
            stack.extend(self.children.row(item as usize).iter().rev());
            match (item as usize).checked_sub(self.n) {
                Some(l) => stack.extend(self.roots.row(l).iter().rev()),
                None => order.push(Node::from_raw(item)),
            }
        }
        order
    }
}

/// The item of the loop `home` (`None`: of the whole graph) that is or holds the node.
fn holder(loops: &LoopForest, n: usize, home: Option<Loop>, node: Node) -> u32 {
    match loops.innermost(node) {
        inner if inner == home => node.raw(),
        Some(inner) => {
            let depth = home.map_or(0, |l| loops.loop_depth(l));
            n as u32 + loops.forest().ancestor_at(inner.raw(), depth as u32)
        }
        None => unreachable!("a node of a loop is in a loop"),
    }
}

/// By loop: the closest node outside of it on all paths into it. That is what all its blocks have
/// in common, unless it is a header that dominates them.
fn loop_dominators(dominators: &DominatorTree, loops: &LoopForest) -> Vec<Option<Node>> {
    let mut common: Vec<Option<Node>> = loops.loops().map(|l| Some(loops.header(l))).collect();
    let meet = |a: Option<Node>, b: Option<Node>| dominators.common(a?, b?);
    for &node in dominators.preorder() {
        if let Some(l) = loops.innermost(node) {
            common[l.index()] = meet(common[l.index()], Some(node));
        }
    }
    for l in loops.loops().rev() {
        if let Some(up) = loops.parent(l) {
            common[up.index()] = meet(common[up.index()], common[l.index()]);
        }
    }
    for l in loops.loops() {
        if common[l.index()] == Some(loops.header(l)) {
            common[l.index()] = dominators.immediate(loops.header(l));
        }
    }
    common
}

/// The closest common dominator of some nodes.
fn common_of(dominators: &DominatorTree, nodes: impl IntoIterator<Item = Node>) -> Option<Node> {
    nodes.into_iter().map(Some).reduce(|a, b| dominators.common(a?, b?)).flatten()
}
