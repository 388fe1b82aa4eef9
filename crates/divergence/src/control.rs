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
//! Joins, exits and iterations are those of a reducible copy of the graph (`reducible.rs`), in which all ways to the entries of a cycle
//! lead through one block. Threads that come to that block over different edges come to each entry over different edges, and part
//! in it if their edges lead to different entries.
//!
//! A schedule of the graph does not know that block: threads of one iteration of such a cycle may execute it at different times as
//! soon as they enter it differently or part in it. It is desynchronized then.

use crate::llvm::Whole;
use crate::reducible::Reducible;
use lw_graph::{
    BlockIndex, DepthFirst, DisjointPaths, Edge, Graph, HeadRewired, Loop, LoopForest, Node,
    Regions,
};

/// Up to how many blocks finding regions to skip takes longer than walking through them.
const SMALL: usize = 24;

/// The divergent branches of a graph and what follows from them.
#[derive(Clone, Debug)]
pub struct Control {
    pub(crate) graph: Graph,
    pub(crate) copy: Reducible,
    rewired: HeadRewired,
    pub(crate) paths: DisjointPaths,
    /// Found when the first branch is divergent.
    pub(crate) regions: Option<Regions>,
    branches: Vec<Node>,
    /// By block of the copy.
    is_divergent: Vec<bool>,
    /// By node: over entering edges, over back edges.
    joins: Vec<[Option<Node>; 2]>,
    exits: Vec<Option<(Loop, Node)>>,
    divergent_loops: Vec<Option<Node>>,
    desynchronized: Vec<Option<Node>>,
    /// Whether some loop is in that table, or scrambled.
    pub(crate) out_of_step: bool,
    /// What LLVM does otherwise, if it is to decide.
    pub(crate) llvm: Option<Whole>,
}

/// What a new divergent branch changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct News {
    /// Blocks whose φs may be varying now: new joins, and targets of new divergent exits. All entries of an irreducible cycle, or none.
    pub blocks: Vec<Node>,
    /// Blocks that threads which part here enter over different edges, whether they were joins before or not.
    pub joins: Vec<Node>,
    /// Irreducible cycles that are scrambled now, as LLVM sees it.
    pub(crate) scrambled: Vec<Loop>,
    /// Loops that are desynchronized now.
    pub desynchronized: Vec<Loop>,
    /// Loops that threads leave in different iterations now.
    pub left: Vec<Loop>,
}

impl Control {
    /// No branch is divergent yet.
    pub fn new(graph: &Graph, loops: &LoopForest, index: &BlockIndex) -> Control {
        let copy = Reducible::compute(graph, loops);
        let rewired = if copy.is_same() {
            HeadRewired::compute(graph, loops, index)
        } else {
            let order = DepthFirst::compute(&copy.graph);
            HeadRewired::compute_with(&copy.graph, &copy.loops, &order)
        };
        Control::on(graph, copy, rewired.expect("a reducible copy"))
    }

    pub(crate) fn on(graph: &Graph, copy: Reducible, rewired: HeadRewired) -> Control {
        Control {
            rewired,
            paths: DisjointPaths::new(),
            regions: None,
            branches: Vec::new(),
            is_divergent: vec![false; copy.graph.node_count()],
            joins: vec![[None; 2]; graph.node_count()],
            exits: vec![None; graph.edge_count()],
            divergent_loops: vec![None; copy.loops.len()],
            desynchronized: vec![None; copy.loops.len()],
            out_of_step: false,
            llvm: None,
            graph: graph.clone(),
            copy,
        }
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
        if self.scrambles(branch) {
            self.scramble(branch, &mut news);
        } else {
            let mut parting = vec![branch];
            while let Some(at) = parting.pop() {
                self.label(at, branch, &mut news, &mut parting);
            }
        }
        news.blocks.sort_unstable();
        news.blocks.dedup();
        self.desynchronize(branch, &mut news);
        Some(news)
    }

    /// Threads part `at` the branch or, because of it, at a dispatch block. More such blocks go to `parting`.
    fn label(&mut self, at: Node, branch: Node, news: &mut News, parting: &mut Vec<Node>) {
        let mut paths = std::mem::take(&mut self.paths);
        let labelling = if self.graph.node_count() <= SMALL {
            paths.label(&self.rewired, at)
        } else {
            let regions = self.regions.get_or_insert_with(|| Regions::compute(&self.rewired));
            paths.meet(&self.rewired, regions, at)
        };
        for &join in labelling.joins() {
            let header = self.copy.loops.headed_by(join);
            let back = header.is_some_and(|l| self.copy.loops.contains(l, at));
            for block in self.copy.entries(join).map_or(vec![join], <[Node]>::to_vec) {
                self.add_join(block, back, branch, news);
            }
            if self.copy.parts(join, back)
                && !std::mem::replace(&mut self.is_divergent[join.index()], true)
            {
                parting.push(join);
            }
        }
        // The loops of the graph that was labelled may be numbered otherwise.
        let (labelled, loops) = (self.rewired.loops(), self.copy.loops.clone());
        let own = |l: Loop| loops.headed_by(labelled.header(l));
        let exits: Vec<(Node, Node, Option<Loop>)> = labelling
            .divergent_exits()
            .iter()
            .map(|exit| {
                let graph = self.rewired.graph();
                let target = self.copy.block(graph.target(exit.edge));
                (graph.source(exit.edge), target, own(exit.outermost))
            })
            .collect();
        let left: Vec<Loop> = labelling.divergent_loops().iter().filter_map(|&l| own(l)).collect();
        for (source, target, outermost) in exits {
            if self.llvm.is_some() {
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
            self.leave_apart(l, branch, news);
        }
        self.paths = paths;
    }

    /// Threads leave a loop in different iterations.
    pub(crate) fn leave_apart(&mut self, l: Loop, branch: Node, news: &mut News) {
        if self.divergent_loops[l.index()].is_none() {
            self.divergent_loops[l.index()] = Some(branch);
            news.left.push(l);
        }
    }

    /// Threads enter a block over different edges: from outside of its loop, or `back` to its header.
    pub(crate) fn add_join(&mut self, block: Node, back: bool, branch: Node, news: &mut News) {
        news.joins.push(block);
        let known = &mut self.joins[block.index()][usize::from(back)];
        if known.is_none() {
            *known = Some(branch);
            news.blocks.push(block);
        }
    }

    /// Threads leave loops over an edge in different iterations.
    pub(crate) fn add_exit(&mut self, edge: Edge, outermost: Loop, branch: Node, news: &mut News) {
        let known = &mut self.exits[edge.index()];
        if known.is_none_or(|(l, _)| l != outermost && self.copy.loops.encloses(outermost, l)) {
            *known = Some((outermost, branch));
            let target = self.graph.target(edge);
            match self.copy.entered_with(target) {
                Some(entries) => news.blocks.extend_from_slice(entries),
                None => news.blocks.push(target),
            }
        }
    }

    /// A loop whose header threads reach over different latches, or out of an inner loop in different iterations of that; and a cycle
    /// with several entries that threads enter over different edges, or in which they part.
    fn desynchronize(&mut self, branch: Node, news: &mut News) {
        let mut now: Vec<Loop> = Vec::new();
        for &block in &news.blocks {
            let gate = self.copy.gate(block);
            let known = |l: &Loop| self.desynchronized[l.index()].is_some();
            let header = self.copy.loops.headed_by(gate);
            let Some(l) = header.filter(|l| !known(l)) else { continue };
            let over_latches = self.joins[block.index()][1].is_some();
            let early = |e: &Edge| self.exits[e.index()].is_some() && self.is_back_edge(*e);
            let entered_apart = gate != block && self.joins[block.index()][0].is_some();
            let into = self.graph.predecessor_edges(block);
            if over_latches || entered_apart || into.iter().any(early) {
                now.push(l);
            }
        }
        if !self.copy.is_same() {
            let innermost = self.copy.loops.innermost(branch);
            let around = std::iter::successors(innermost, |&l| self.copy.loops.parent(l));
            now.extend(around.filter(|&l| !self.copy.is_block(self.copy.loops.header(l))));
        }
        for l in now {
            if self.desynchronized[l.index()].is_none() {
                self.desynchronized[l.index()] = Some(branch);
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
        self.joins[self.graph.target(edge).index()][usize::from(self.is_back_edge(edge))]
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

    /// The loops around a block, if any loop is out of step.
    pub(crate) fn around(&self, block: Node) -> impl Iterator<Item = Loop> + '_ {
        let innermost = self.copy.loops.innermost(block).filter(|_| self.out_of_step);
        std::iter::successors(innermost, |&l| self.copy.loops.parent(l))
    }

    /// The graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The loops whose iterations count: those of the graph, or of its reducible copy if it has cycles with several entries. The
    /// copy has more blocks, numbered behind those of the graph; they may be headers.
    pub fn loops(&self) -> &LoopForest {
        &self.copy.loops
    }

    /// The header of a loop; of a cycle with several entries, one of them.
    pub fn header(&self, l: Loop) -> Node {
        self.copy.block(self.copy.loops.header(l))
    }

    /// The blocks of a loop.
    pub fn blocks(&self, l: Loop) -> impl Iterator<Item = Node> + '_ {
        self.copy.loops.blocks(l).iter().copied().filter(|&n| self.copy.is_block(n))
    }

    /// The entries of the irreducible cycle that a block is an entry of, if it is.
    pub(crate) fn entered_with(&self, block: Node) -> Option<&[Node]> {
        self.copy.entered_with(block)
    }

    /// Whether a node of the loops is a block of the graph; the copy has more.
    pub(crate) fn is_block(&self, node: Node) -> bool {
        self.copy.is_block(node)
    }

    /// The graph whose iterations count, if it is a copy of the graph.
    pub(crate) fn copied_graph(&self) -> Option<&Graph> {
        self.is_copied().then_some(&self.copy.graph)
    }

    /// The block that leads to this entry of an irreducible cycle in the copy; any other block itself.
    pub(crate) fn gate(&self, block: Node) -> Node {
        self.copy.gate(block)
    }

    /// Whether iterations are those of a copy of the graph.
    pub(crate) fn is_copied(&self) -> bool {
        !self.copy.is_same()
    }

    /// Whether the next iteration of a loop begins behind an edge.
    pub fn is_back_edge(&self, edge: Edge) -> bool {
        self.copy.is_back_edge(&self.graph, edge)
    }
}
