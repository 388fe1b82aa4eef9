//! What the schedulers and the tags need to know of the graph of blocks. Everything is computed when first asked for.

use crate::entities::Block;
use crate::function::Function;
use crate::inst::Op;
use cranelift_entity::EntityRef;
use lw_graph::{DepthFirst, Graph, LoopForest, Node, PostDominatorTree};
use std::cell::OnceCell;

/// The graph of the blocks of a function.
///
/// *Back edges* are those that lead from inside a loop of [`LoopForest`] to its header. In a reducible graph these are
/// the edges whose target dominates their source; in an irreducible one the choice of headers depends on the order of
/// successors, and with it which schedules are greedy. In both cases the graph without them has no cycle.
pub(crate) struct Cfg {
    graph: Graph,
    returns: Vec<bool>,
    loops: OnceCell<LoopForest>,
    forward: OnceCell<Vec<Vec<u64>>>,
    reconvergence: OnceCell<Vec<Option<Block>>>,
    exit_distance: OnceCell<Vec<u32>>,
}

fn node(block: Block) -> Node {
    Node::new(block.index())
}

fn block(node: Node) -> Block {
    Block::new(node.index())
}

impl Cfg {
    pub(crate) fn new(function: &Function, entry: Block) -> Cfg {
        let blocks = function.blocks().iter();
        let edges =
            blocks.flat_map(|&b| function.successors(b).iter().map(move |&s| (node(b), node(s))));
        let mut returns = vec![false; function.block_count()];
        for &b in function.blocks() {
            returns[b.index()] = function.terminator(b).is_some_and(|t| function[t].op == Op::Ret);
        }
        Cfg {
            graph: Graph::from_edges(function.block_count(), node(entry), edges),
            returns,
            loops: OnceCell::new(),
            forward: OnceCell::new(),
            reconvergence: OnceCell::new(),
            exit_distance: OnceCell::new(),
        }
    }

    pub(crate) fn successors(&self, b: Block) -> impl Iterator<Item = Block> + '_ {
        self.graph.successors(node(b)).iter().map(|&n| block(n))
    }

    /// Whether there is an edge.
    pub(crate) fn has_edge(&self, from: Block, to: Block) -> bool {
        self.graph.successors(node(from)).contains(&node(to))
    }

    pub(crate) fn loops(&self) -> &LoopForest {
        self.loops.get_or_init(|| LoopForest::compute(&self.graph))
    }

    /// Whether `from` is in *fwdreaching(to)* (001 Def. 16): a path of at least one edge leads there, none a back edge.
    /// From every block of a loop its exits are reached, also where only the header has one: loops are left together.
    pub(crate) fn reaches_forward(&self, from: Block, to: Block) -> bool {
        let rows = self.forward.get_or_init(|| self.forward_reaching());
        rows[to.index()]
            .get(from.index() / 64)
            .is_some_and(|word| word >> (from.index() % 64) & 1 == 1)
    }

    /// For each block the set of blocks that reach it without a back edge, or by leaving a loop they are in.
    fn forward_reaching(&self) -> Vec<Vec<u64>> {
        let words = self.graph.node_count().div_ceil(64);
        let mut rows = vec![vec![0u64; words]; self.graph.node_count()];
        let loops = self.loops();
        let dfs = DepthFirst::compute(&self.graph);
        // One round does for reducible graphs. In irreducible ones the order may run against an edge that is left.
        let mut changed = true;
        while changed {
            changed = false;
            for n in dfs.reverse_postorder() {
                for &edge in self.graph.predecessor_edges(n) {
                    let from = self.graph.source(edge);
                    if loops.is_back_edge(edge) || !dfs.is_reachable(from) {
                        continue;
                    }
                    let mut row = rows[from.index()].clone();
                    let mut add = |n: Node| row[n.index() / 64] |= 1 << (n.index() % 64);
                    add(from);
                    let mut around = loops.innermost(from);
                    while let Some(left) = around.filter(|&l| !loops.contains(l, n)) {
                        loops.blocks(left).iter().copied().for_each(&mut add);
                        around = loops.parent(left);
                    }
                    for (old, new) in rows[n.index()].iter_mut().zip(row) {
                        changed |= *old | new != *old;
                        *old |= new;
                    }
                }
            }
        }
        rows
    }

    /// Where threads that part at the end of `b` meet again: its immediate post-dominator, if that is a block.
    pub(crate) fn reconvergence(&self, b: Block) -> Option<Block> {
        let all = self.reconvergence.get_or_init(|| {
            let tree = PostDominatorTree::compute(&self.graph);
            self.graph.nodes().map(|n| tree.immediate(n).map(block)).collect()
        });
        all[b.index()]
    }

    /// How many edges it takes to get from `b` to a block that returns; `u32::MAX` if none can be reached.
    pub(crate) fn exit_distance(&self, b: Block) -> u32 {
        let all = self.exit_distance.get_or_init(|| {
            let mut distance = vec![u32::MAX; self.graph.node_count()];
            let mut queue: std::collections::VecDeque<Node> =
                self.graph.nodes().filter(|n| self.returns[n.index()]).collect();
            for n in &queue {
                distance[n.index()] = 0;
            }
            while let Some(n) = queue.pop_front() {
                for &edge in self.graph.predecessor_edges(n) {
                    let from = self.graph.source(edge);
                    if distance[from.index()] == u32::MAX {
                        distance[from.index()] = distance[n.index()] + 1;
                        queue.push_back(from);
                    }
                }
            }
            distance
        });
        all[b.index()]
    }
}
