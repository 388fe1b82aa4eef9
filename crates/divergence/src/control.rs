//! Control divergence: what follows from a branch at which threads part (000 §4, 001 ch. 7).
//!
//! [`Control`] knows the divergent branches found so far. When another is found, the head-rewired graph is labelled from its
//! successors once, and what comes out is kept with the branch that caused it:
//!
//! - *joins*: blocks that threads enter over different edges at once. Their φs may be varying. The header of a loop is entered
//!   from outside in its first iteration and over latches in the others, so these count apart;
//! - *divergent exits*: edges over which threads leave loops in different iterations. What is defined in the loop arrives varying;
//! - *desynchronized loops*. A greedy schedule lets a header go ahead while other threads are on the way to another latch of the
//!   same iteration: an instance of a block can then execute several times, each time for some of the threads. Values are
//!   the same at equal tags as ever, but not what depends on who executes together: operations across threads, loads from memory
//!   that threads write.
//!
//! # Irreducible cycles
//!
//! In a cycle with several entries there are no tags that a schedule would respect: threads that came in at different entries
//! meet in the same block in what would be different iterations. A branch that can reach such a cycle *scrambles* it: every
//! value defined in it may be varying, and every join and every loop exit that the branch can reach is divergent. Branches from
//! which no such cycle can be reached are treated like all others, on the graph with the cycles cut open.

use lw_graph::{
    BlockIndex, DepthFirst, DisjointPaths, DominatorTree, Edge, Graph, HeadRewired, Loop,
    LoopForest, Node, Regions,
};

/// Up to how many blocks finding regions to skip takes longer than walking through them.
const SMALL: usize = 24;

/// The divergent branches of a graph and what follows from them.
#[derive(Clone, Debug)]
pub struct Control {
    graph: Graph,
    loops: LoopForest,
    rewired: HeadRewired,
    paths: DisjointPaths,
    /// Found when the first branch is divergent.
    regions: Option<Regions>,
    /// By node: whether an irreducible cycle can be reached from it; empty if there is none.
    reaches_cycle: Vec<bool>,
    branches: Vec<Node>,
    is_divergent: Vec<bool>,
    /// By node: over entering edges, over back edges.
    joins: Vec<[Option<Node>; 2]>,
    exits: Vec<Option<(Loop, Node)>>,
    divergent_loops: Vec<Option<Node>>,
    desynchronized: Vec<Option<Node>>,
    scrambled: Vec<Option<Node>>,
    /// By node: whether a branch that scrambles reaches it; empty if there is none.
    scrambled_from: Vec<bool>,
    /// Whether some loop is in one of the last two tables.
    out_of_step: bool,
    /// By loop, if all its exits count as divergent once one does: whether one does.
    left: Option<Vec<bool>>,
}

/// What a new divergent branch changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct News {
    /// Blocks whose φs may be varying now: new joins, and targets of new divergent exits.
    pub blocks: Vec<Node>,
    /// Irreducible cycles that are scrambled now.
    pub scrambled: Vec<Loop>,
    /// Loops that are desynchronized now.
    pub desynchronized: Vec<Loop>,
}

impl Control {
    /// No branch is divergent yet.
    pub fn new(graph: &Graph, loops: &LoopForest, index: &BlockIndex) -> Control {
        Control::on(graph, loops, HeadRewired::compute(graph, loops, index).ok())
    }

    /// The same, given no more than a depth-first order of the graph.
    pub fn with_order(graph: &Graph, loops: &LoopForest, dfs: &DepthFirst) -> Control {
        Control::on(graph, loops, HeadRewired::compute_with(graph, loops, dfs).ok())
    }

    fn on(graph: &Graph, loops: &LoopForest, rewired: Option<HeadRewired>) -> Control {
        match rewired {
            Some(rewired) => Control::tables(graph, loops, rewired),
            None => Control {
                reaches_cycle: reaching_cycles(graph, loops),
                ..Control::tables(graph, loops, without_cycles(graph, loops))
            },
        }
    }

    fn tables(graph: &Graph, loops: &LoopForest, rewired: HeadRewired) -> Control {
        Control {
            rewired,
            reaches_cycle: Vec::new(),
            paths: DisjointPaths::new(),
            regions: None,
            branches: Vec::new(),
            is_divergent: vec![false; graph.node_count()],
            joins: vec![[None; 2]; graph.node_count()],
            exits: vec![None; graph.edge_count()],
            divergent_loops: vec![None; loops.len()],
            desynchronized: vec![None; loops.len()],
            scrambled: vec![None; loops.len()],
            scrambled_from: Vec::new(),
            out_of_step: false,
            left: None,
            graph: graph.clone(),
            loops: loops.clone(),
        }
    }

    /// The same where all exits of a loop count as divergent once one does: LLVM does not tell them apart.
    #[must_use]
    pub(crate) fn with_whole_loops(mut self) -> Control {
        self.left = Some(vec![false; self.loops.len()]);
        self
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
        let left = self.left.as_deref().unwrap_or_default();
        self.loops.loops().filter(|l| left.get(l.index()) == Some(&true))
    }

    /// Whether all exits of a loop count as divergent, or are because a branch scrambles what it reaches.
    pub(crate) fn is_left(&self, l: Loop) -> bool {
        self.left.as_ref().is_some_and(|left| left[l.index()])
            || self.scrambled_from.get(self.loops.header(l).index()) == Some(&true)
    }

    /// Whether some cycle is irreducible.
    pub(crate) fn has_irreducible_cycles(&self) -> bool {
        !self.reaches_cycle.is_empty()
    }

    /// Whether threads enter a block over different edges: from outside of its loop, or `back` to its header.
    pub(crate) fn meets(&self, block: Node, back: bool) -> bool {
        self.joins[block.index()][usize::from(back)].is_some()
    }

    /// Threads may part at the end of this block. `None` if that was known.
    pub fn diverge(&mut self, branch: Node) -> Option<News> {
        if std::mem::replace(&mut self.is_divergent[branch.index()], true) {
            return None;
        }
        self.branches.push(branch);
        let mut news = News::default();
        if self.reaches_cycle.get(branch.index()) == Some(&true) {
            self.scramble(branch, &mut news);
        } else {
            self.label(branch, &mut news);
        }
        news.blocks.sort_unstable();
        news.blocks.dedup();
        self.desynchronize(branch, &mut news);
        Some(news)
    }

    fn label(&mut self, branch: Node, news: &mut News) {
        let mut paths = std::mem::take(&mut self.paths);
        let labelling = if self.graph.node_count() <= SMALL {
            paths.label(&self.rewired, branch)
        } else {
            let regions = self.regions.get_or_insert_with(|| Regions::compute(&self.rewired));
            paths.meet(&self.rewired, regions, branch)
        };
        for &join in labelling.joins() {
            self.add_join(join, branch, news);
        }
        // The loops of the graph that was labelled may be numbered otherwise.
        let (labelled, loops) = (self.rewired.loops(), self.loops.clone());
        let own = |l: Loop| loops.headed_by(labelled.header(l));
        let exits: Vec<(Node, Node, Option<Loop>)> = labelling
            .divergent_exits()
            .iter()
            .map(|exit| {
                let graph = self.rewired.graph();
                (graph.source(exit.edge), graph.target(exit.edge), own(exit.outermost))
            })
            .collect();
        let left: Vec<Loop> = labelling.divergent_loops().iter().filter_map(|&l| own(l)).collect();
        for (source, target, outermost) in exits {
            if self.left.is_some() {
                self.leave_whole_loop(branch, target, news);
                continue;
            }
            for edge in self.graph.successor_edges(source) {
                if self.graph.target(edge) == target
                    && let Some(outermost) = outermost
                {
                    self.add_exit(edge, outermost, branch, news);
                }
            }
        }
        for l in left {
            self.divergent_loops[l.index()].get_or_insert(branch);
        }
        self.paths = paths;
    }

    /// Of the loops around the branch, the outermost without the target is left over all its exits.
    fn leave_whole_loop(&mut self, branch: Node, target: Node, news: &mut News) {
        let loops = self.loops.clone();
        let around = std::iter::successors(loops.innermost(branch), |&l| loops.parent(l));
        let outermost = around.take_while(|&l| !loops.contains(l, target)).last();
        if let (Some(l), Some(left)) = (outermost, &mut self.left)
            && !std::mem::replace(&mut left[l.index()], true)
        {
            for edge in loops.exiting_edges(l) {
                self.add_exit(edge, l, branch, news);
            }
        }
    }

    fn add_join(&mut self, block: Node, branch: Node, news: &mut News) {
        let inside = self.loops.headed_by(block).is_some_and(|l| self.loops.contains(l, branch));
        self.add_join_over(block, inside, branch, news);
    }

    fn add_join_over(&mut self, block: Node, latches: bool, branch: Node, news: &mut News) {
        let known = &mut self.joins[block.index()][usize::from(latches)];
        if known.is_none() {
            *known = Some(branch);
            news.blocks.push(block);
        }
    }

    fn add_exit(&mut self, edge: Edge, outermost: Loop, branch: Node, news: &mut News) {
        let known = &mut self.exits[edge.index()];
        if known.is_none_or(|(l, _)| l != outermost && self.loops.encloses(outermost, l)) {
            *known = Some((outermost, branch));
            news.blocks.push(self.graph.target(edge));
        }
    }

    /// Everything the branch reaches: joins, exits, cycles. What an earlier such branch has reached is done.
    fn scramble(&mut self, branch: Node, news: &mut News) {
        let (graph, loops) = (self.graph.clone(), self.loops.clone());
        self.scrambled_from.resize(graph.node_count(), false);
        let mut leave = vec![branch];
        let mut stack: Vec<Node> = graph.successors(branch).to_vec();
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut self.scrambled_from[node.index()], true) {
                continue;
            }
            leave.push(node);
            stack.extend(graph.successors(node));
            if graph.predecessor_edges(node).len() > 1 {
                self.add_join_over(node, false, branch, news);
                self.add_join_over(node, true, branch, news);
            }
            for l in std::iter::successors(loops.innermost(node), |&l| loops.parent(l)) {
                self.divergent_loops[l.index()].get_or_insert(branch);
                if !loops.is_loop_reducible(l) && self.scrambled[l.index()].is_none() {
                    self.scrambled[l.index()] = Some(branch);
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
    }

    /// A loop whose header threads reach over different latches, or out of an inner loop in different iterations of that.
    fn desynchronize(&mut self, branch: Node, news: &mut News) {
        for &header in &news.blocks {
            let Some(l) = self.loops.headed_by(header) else { continue };
            let over_latches = self.joins[header.index()][1].is_some();
            let early = |e: &Edge| self.exits[e.index()].is_some();
            let known = &mut self.desynchronized[l.index()];
            if known.is_none() && (over_latches || self.loops.back_edges(l).iter().any(early)) {
                *known = Some(branch);
                self.out_of_step = true;
                news.desynchronized.push(l);
            }
        }
    }

    /// The divergent branches, in the order they were found.
    pub fn branches(&self) -> &[Node] {
        &self.branches
    }

    /// Whether threads may part at the end of a block.
    pub fn is_divergent(&self, block: Node) -> bool {
        self.is_divergent[block.index()]
    }

    /// The first branch found because of which threads enter a block over different edges.
    pub fn join(&self, block: Node) -> Option<Node> {
        let [entering, latches] = self.joins[block.index()];
        entering.or(latches)
    }

    /// The same for the edges into a block that belong together: if it is the header of a loop, those from outside, or those
    /// from inside.
    pub fn join_over(&self, edge: Edge) -> Option<Node> {
        self.joins[self.graph.target(edge).index()][usize::from(self.loops.is_back_edge(edge))]
    }

    /// The outermost loop that threads leave over an edge in different iterations, and a branch that makes them.
    pub fn divergent_exit(&self, edge: Edge) -> Option<(Loop, Node)> {
        self.exits[edge.index()]
    }

    /// A branch because of which threads leave a loop in different iterations.
    pub fn divergent_loop(&self, l: Loop) -> Option<Node> {
        self.divergent_loops[l.index()]
    }

    /// A branch because of which threads execute blocks at different times although their tags are the same.
    pub fn desynchronized(&self, block: Node) -> Option<Node> {
        self.around(block).find_map(|l| self.desynchronized[l.index()])
    }

    /// A branch that scrambles an irreducible cycle around the block.
    pub fn scrambled(&self, block: Node) -> Option<Node> {
        self.around(block).find_map(|l| self.scrambled[l.index()])
    }

    /// The loops around a block, if any loop is out of step.
    fn around(&self, block: Node) -> impl Iterator<Item = Loop> + '_ {
        let innermost = self.loops.innermost(block).filter(|_| self.out_of_step);
        std::iter::successors(innermost, |&l| self.loops.parent(l))
    }

    /// The graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Its loops.
    pub fn loops(&self) -> &LoopForest {
        &self.loops
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
