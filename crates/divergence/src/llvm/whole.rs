//! What LLVM does otherwise with divergent branches: loops are left as a whole, and irreducible cycles are given up.
//!
//! - All exits of a loop count as divergent once one does.
//! - A branch that can reach a cycle with several entries *scrambles* it: every value defined in it is varying, and every join
//!   and every loop exit that the branch can reach is divergent. Branches from which no such cycle can be reached are treated like all
//!   others, on the graph with the cycles cut open.

use crate::control::{Control, News};
use crate::reducible::Reducible;
use lw_graph::{
    BlockIndex, DepthFirst, DisjointPaths, DominatorTree, Graph, HeadRewired, Loop, LoopForest,
    Node,
};

/// What is known of loops as a whole.
#[derive(Clone, Debug)]
pub(crate) struct Whole {
    /// By loop: whether all its exits are divergent.
    left: Vec<bool>,
    /// By node: whether an irreducible cycle can be reached from it; empty if there is none.
    reaches_cycle: Vec<bool>,
    /// By loop.
    scrambled: Vec<Option<Node>>,
    /// By node: whether a branch that scrambles reaches it; empty if there is none.
    scrambled_from: Vec<bool>,
}

impl Control {
    /// No branch is divergent yet, and LLVM is to say what follows.
    pub(crate) fn as_llvm(graph: &Graph, loops: &LoopForest, dfs: &DepthFirst) -> Control {
        let (rewired, reaches_cycle) = match HeadRewired::compute_with(graph, loops, dfs) {
            Ok(rewired) => (rewired, Vec::new()),
            Err(_) => (without_cycles(graph, loops), reaching_cycles(graph, loops)),
        };
        let mut control = Control::on(graph, Reducible::uncopied(graph, loops), rewired);
        control.llvm = Some(Whole {
            left: vec![false; loops.len()],
            reaches_cycle,
            scrambled: vec![None; loops.len()],
            scrambled_from: Vec::new(),
        });
        control
    }

    /// The same with memory that another one has [given back](Control::give_back).
    #[must_use]
    pub(crate) fn with_memory(mut self, paths: DisjointPaths) -> Control {
        self.paths = paths;
        self
    }

    /// Memory that is needed no more when all divergent branches are known.
    pub(crate) fn give_back(&mut self) -> DisjointPaths {
        self.regions = None;
        std::mem::take(&mut self.paths)
    }

    /// The loops whose exits all count as divergent.
    pub(crate) fn left(&self) -> impl Iterator<Item = Loop> + '_ {
        let left = self.llvm.as_ref().map_or(&[][..], |whole| &whole.left);
        self.loops().loops().filter(|l| left.get(l.index()) == Some(&true))
    }

    /// Whether all exits of a loop count as divergent, or are because a branch scrambles what it reaches.
    pub(crate) fn is_left(&self, l: Loop) -> bool {
        let header = self.loops().header(l).index();
        self.llvm.as_ref().is_some_and(|whole| {
            whole.left[l.index()] || whole.scrambled_from.get(header) == Some(&true)
        })
    }

    /// Whether some cycle is given up if threads come to it apart.
    pub(crate) fn gives_up_cycles(&self) -> bool {
        self.llvm.as_ref().is_some_and(|whole| !whole.reaches_cycle.is_empty())
    }

    /// Whether a branch scrambles what it reaches.
    pub(crate) fn scrambles(&self, branch: Node) -> bool {
        let reaches = |whole: &Whole| whole.reaches_cycle.get(branch.index()) == Some(&true);
        self.llvm.as_ref().is_some_and(reaches)
    }

    /// A branch that scrambles an irreducible cycle around the block.
    pub(crate) fn scrambled(&self, block: Node) -> Option<Node> {
        let whole = self.llvm.as_ref()?;
        self.around(block).find_map(|l| whole.scrambled[l.index()])
    }

    /// Of the loops around the branch, the outermost without the target is left over all its exits.
    pub(crate) fn leave_whole_loop(&mut self, branch: Node, target: Node, news: &mut News) {
        let loops = self.loops().clone();
        let around = std::iter::successors(loops.innermost(branch), |&l| loops.parent(l));
        let outermost = around.take_while(|&l| !loops.contains(l, target)).last();
        if let (Some(l), Some(whole)) = (outermost, &mut self.llvm)
            && !std::mem::replace(&mut whole.left[l.index()], true)
        {
            for edge in loops.exiting_edges(l) {
                self.add_exit(edge, l, branch, news);
            }
        }
    }

    /// Everything the branch reaches: joins, exits, cycles. What an earlier such branch has reached is done.
    pub(crate) fn scramble(&mut self, branch: Node, news: &mut News) {
        let Some(mut whole) = self.llvm.take() else { return };
        let (graph, loops) = (self.graph.clone(), self.loops().clone());
        whole.scrambled_from.resize(graph.node_count(), false);
        let mut leave = vec![branch];
        let mut stack: Vec<Node> = graph.successors(branch).to_vec();
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut whole.scrambled_from[node.index()], true) {
                continue;
            }
            leave.push(node);
            stack.extend(graph.successors(node));
            if graph.predecessor_edges(node).len() > 1 {
                self.add_join(node, false, branch, news);
                self.add_join(node, true, branch, news);
            }
            for l in std::iter::successors(loops.innermost(node), |&l| loops.parent(l)) {
                self.leave_apart(l, branch, news);
                if !loops.is_loop_reducible(l) && whole.scrambled[l.index()].is_none() {
                    whole.scrambled[l.index()] = Some(branch);
                    self.out_of_step = true;
                    news.scrambled.push(l);
                }
            }
        }
        for edge in leave.into_iter().flat_map(|node| graph.successor_edges(node)) {
            let target = graph.target(edge);
            let innermost = loops.innermost(graph.source(edge));
            let around = std::iter::successors(innermost, |&l| loops.parent(l));
            if let Some(outermost) = around.take_while(|&l| !loops.contains(l, target)).last() {
                self.add_exit(edge, outermost, branch, news);
            }
        }
        self.llvm = Some(whole);
    }
}

/// Whether a node is in an irreducible cycle.
fn in_cycle(loops: &LoopForest, node: Node) -> Option<Loop> {
    let around = std::iter::successors(loops.innermost(node), |&l| loops.parent(l));
    around.filter(|&l| !loops.is_loop_reducible(l)).last()
}

/// By node: whether an irreducible cycle can be reached from it.
fn reaching_cycles(graph: &Graph, loops: &LoopForest) -> Vec<bool> {
    let mut reaches = vec![false; graph.node_count()];
    let mut stack: Vec<Node> = graph.nodes().filter(|&n| in_cycle(loops, n).is_some()).collect();
    while let Some(node) = stack.pop() {
        if !std::mem::replace(&mut reaches[node.index()], true) {
            stack.extend(graph.predecessors(node));
        }
    }
    reaches
}

/// The graph in which control passes each irreducible cycle in one step, from any of its blocks to any of its exits. The edges
/// of blocks outside are as they were.
fn without_cycles(graph: &Graph, loops: &LoopForest) -> HeadRewired {
    let reachable = DepthFirst::compute(graph);
    let mut edges = Vec::new();
    for node in graph.nodes() {
        match in_cycle(loops, node) {
            Some(cycle) => edges.extend(loops.exits(cycle).into_iter().map(|exit| (node, exit))),
            None => edges.extend(graph.successors(node).iter().map(|&to| (node, to))),
        }
    }
    edges.retain(|&(from, _)| reachable.is_reachable(from));
    let cut = Graph::from_edges(graph.node_count(), graph.entry(), edges);
    let loops = LoopForest::compute(&cut);
    let index = BlockIndex::compute(&cut, &DominatorTree::compute(&cut), &loops);
    HeadRewired::compute(&cut, &loops, &index).expect("no irreducible cycle is left")
}
