//! A program as flat tables, and its program points.
//!
//! [`Code`] is what splitting and both solvers work on: the instructions in block order, their operands, and for each
//! variable where it is defined, used and tested. It is built once per program, in linear time.
//!
//! # Control flow nodes and points (003 §2.1)
//! A block is a *join* In(b), its instructions, and a *fork* Out(b). φs, those of the program and those that splitting
//! adds, stand at the join; σs stand at the fork, behind the terminator. [`Point`]s lie between consecutive nodes: one
//! before each instruction, one behind the last, and one on each edge. Values used by a φ of the program are used on the
//! edge. Variables that a branch tests are pseudo-uses of the fork, so that a σ may depend on them (property LINK).

mod exits;
mod instructions;
mod read;

use crate::analysis::Analysis;
use crate::definitions::Definitions;
use crate::program::{Instr, Program, Test, Var};
use lw_graph::rows::Rows;
use lw_graph::{BlockIndex, DepthFirst, DominatorTree, Edge, Graph, LoopForest, Node};
use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

pub(crate) const NONE: u32 = u32::MAX;

/// No block.
const NOWHERE: u32 = u32::MAX >> 1;

/// Marks variables that leave their blocks.
const LEAVES: u32 = NOWHERE + 1;

/// How many uses of a variable that is tested are searched for what is computed from it.
const RESULTS: usize = 16;

/// An instruction by its position: blocks follow each other by index, instructions in order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pos(pub(crate) u32);

impl Pos {
    /// The position as a number below [`Code::len`].
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for Pos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{}", self.0)
    }
}

/// A place between two control flow nodes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Point {
    /// Right before this instruction, which is no φ. For the first of a block: behind the φs.
    Before(Pos),
    /// Behind the last instruction of the block, before its fork.
    End(Node),
    /// Between the fork of the source and the join of the target.
    Edge(Edge),
}

/// The tables of a program.
#[derive(Clone, Debug)]
pub struct Code {
    pub(crate) graph: Graph,
    search: DepthFirst,
    /// The reachable blocks, topologically but for back edges; loops are in one piece.
    pub(crate) order: Vec<Node>,
    /// All six are made when they are asked for.
    dominators: OnceLock<DominatorTree>,
    loops: OnceLock<LoopForest>,
    index: OnceLock<BlockIndex>,
    sole_entry: OnceLock<Vec<u32>>,
    exits: OnceLock<Rows<Node>>,
    /// By variable: entries of `tests`.
    tests_of: OnceLock<Rows<u32>>,
    /// Whether the loops are those of the graph.
    own_loops: bool,
    pub(crate) variables: usize,
    pub(crate) ssa: bool,
    pub(crate) instrs: Vec<Instr>,
    /// By block: where its instructions begin; one more entry than blocks.
    start: Vec<u32>,
    /// By block: how many of them are φs.
    phis: Vec<u32>,
    pub(crate) block_of: Vec<u32>,
    pub(crate) uses: Rows<Var>,
    /// Beside `uses`: the edge on which a φ reads, else [`NONE`].
    pub(crate) use_edge: Vec<u32>,
    pub(crate) defs: Rows<Var>,
    /// By block.
    pub(crate) tests: Rows<(Var, Test)>,
    pub(crate) params: Vec<Var>,
    definitions: Definitions,
    /// By variable, in an SSA program: the block that defines it ([`NOWHERE`] if none does), with [`LEAVES`] if it is read or
    /// tested elsewhere, or on an edge.
    home: Vec<u32>,
    /// By variable: positions in `uses`, those on edges included, in program order.
    pub(crate) uses_of: Rows<u32>,
    /// Beside `uses` and `defs`: the position.
    pub(crate) use_pos: Vec<u32>,
    pub(crate) def_pos: Vec<u32>,
    /// Beside `tests`: the block.
    pub(crate) test_block: Vec<u32>,
}

impl Code {
    /// Reads a program into tables.
    ///
    /// # Panics
    /// If the entry has predecessors.
    pub fn new<P: Program + ?Sized>(program: &P) -> Code {
        let mut code = Code::nothing();
        code.read(program, |_| true, true, true);
        code.tests_by_variable();
        code
    }

    /// Reads what an analysis looks at: the variables that it [follows](Analysis::follows). The others, and instructions that
    /// have to do with no other, are not in the tables, nor is what branches test if that [does not
    /// matter](Analysis::TESTS).
    ///
    /// # Panics
    /// If the entry has predecessors.
    pub fn of<P: Program + ?Sized, A: Analysis<P>>(program: &P, analysis: &A) -> Code {
        let mut code = Code::nothing();
        code.turn_to(program, analysis);
        code
    }

    /// Reads what an analysis looks at in another program, as [`of`](Code::of) does. The memory of the tables is used again.
    ///
    /// # Panics
    /// If the entry has predecessors.
    pub fn turn_to<P: Program + ?Sized, A: Analysis<P>>(&mut self, program: &P, analysis: &A) {
        self.read(program, |var| analysis.follows(program, var), false, A::TESTS);
        // Who splits at uses asks for the tests of each variable.
        if !A::ONLY_TESTS {
            self.tests_by_variable();
        }
    }

    /// Nothing but an entry.
    pub(crate) fn nothing() -> Code {
        let graph = Graph::from_edges(1, Node::new(0), []);
        Code {
            search: DepthFirst::default(),
            order: Vec::new(),
            dominators: OnceLock::new(),
            loops: OnceLock::new(),
            index: OnceLock::new(),
            sole_entry: OnceLock::new(),
            exits: OnceLock::new(),
            own_loops: true,
            variables: 0,
            ssa: true,
            instrs: Vec::new(),
            start: Vec::new(),
            phis: Vec::new(),
            block_of: Vec::new(),
            uses: Rows::default(),
            use_edge: Vec::new(),
            defs: Rows::default(),
            tests: Rows::default(),
            params: Vec::new(),
            definitions: Definitions::default(),
            home: Vec::new(),
            uses_of: Rows::default(),
            tests_of: OnceLock::new(),
            use_pos: Vec::new(),
            def_pos: Vec::new(),
            test_block: Vec::new(),
            graph,
        }
    }

    /// The block graph.
    #[inline]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The dominator tree of the graph.
    #[inline]
    pub fn dominators(&self) -> &DominatorTree {
        self.dominators.get_or_init(|| DominatorTree::compute_with(&self.graph, &self.search))
    }

    /// The same with loops of a graph that has these blocks and more, numbered behind them: live ranges are split where those are left.
    #[must_use]
    pub fn with_loops(mut self, loops: LoopForest) -> Code {
        // The block index is that of the program's own loops.
        self.block_index();
        self.loops = OnceLock::from(loops);
        self.own_loops = false;
        self.exits = OnceLock::new();
        self
    }

    /// The closest strict dominator; `None` for the entry and for unreachable blocks. The tree is only made for joins.
    #[inline]
    pub(crate) fn immediate_dominator(&self, block: Node) -> Option<Node> {
        match self.graph.predecessor_edges(block) {
            [] => None,
            &[only] if block != self.graph.entry() => {
                self.is_reachable(block).then(|| self.graph.source(only))
            }
            _ => self.dominators().immediate(block),
        }
    }

    /// Whether control cannot go around in a loop.
    #[inline]
    pub fn is_acyclic(&self) -> bool {
        self.search.is_acyclic()
    }

    /// The loops of the graph.
    pub fn loops(&self) -> &LoopForest {
        self.loops.get_or_init(|| LoopForest::compute_with(&self.graph, &self.search))
    }

    /// By loop: the blocks that edges out of it lead to, each once.
    fn exits(&self) -> &Rows<Node> {
        self.exits.get_or_init(|| self.find_exits())
    }

    /// The reachable blocks in the order in which the solvers go through them: topologically but for back edges, and each loop
    /// in one piece, its header first.
    #[inline]
    pub fn order(&self) -> &[Node] {
        &self.order
    }

    /// The block index of the graph.
    pub fn block_index(&self) -> &BlockIndex {
        let (dominators, loops) = (self.dominators(), self.loops());
        self.index
            .get_or_init(|| BlockIndex::compute_with(&self.graph, &self.search, dominators, loops))
    }

    /// How many instructions there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.instrs.len()
    }

    /// Whether there is no instruction.
    pub fn is_empty(&self) -> bool {
        self.instrs.is_empty()
    }

    /// One more than the largest index of a variable.
    pub fn variable_count(&self) -> usize {
        self.variables
    }

    /// The variables that have a value on entry.
    #[inline]
    pub fn params(&self) -> &[Var] {
        &self.params
    }

    /// The instruction at a position, as the program numbers it.
    #[inline]
    pub fn instr(&self, pos: Pos) -> Instr {
        self.instrs[pos.index()]
    }

    /// The block of a position.
    #[inline]
    pub fn block(&self, pos: Pos) -> Node {
        Node::new(self.block_of[pos.index()] as usize)
    }

    /// All positions of a block, φs first.
    #[inline]
    pub fn positions(&self, block: Node) -> impl DoubleEndedIterator<Item = Pos> + use<> {
        self.range(block).map(Pos)
    }

    #[inline]
    pub(crate) fn range(&self, block: Node) -> Range<u32> {
        self.start[block.index()]..self.start[block.index() + 1]
    }

    /// The φs of a block.
    #[inline]
    pub fn phis(
        &self,
        block: Node,
    ) -> impl DoubleEndedIterator<Item = Pos> + ExactSizeIterator + use<> {
        let start = self.start[block.index()];
        (start..start + self.phis[block.index()]).map(Pos)
    }

    /// Whether a position is that of a φ of a block.
    #[inline]
    pub(crate) fn is_phi_of(&self, pos: Pos, block: Node) -> bool {
        pos.0.wrapping_sub(self.start[block.index()]) < self.phis[block.index()]
    }

    /// The instructions of a block behind the φs.
    #[inline]
    pub fn body(&self, block: Node) -> impl DoubleEndedIterator<Item = Pos> + use<> {
        self.body_range(block).map(Pos)
    }

    #[inline]
    pub(crate) fn body_range(&self, block: Node) -> Range<u32> {
        let range = self.range(block);
        range.start + self.phis[block.index()]..range.end
    }

    /// Whether the instruction is a φ.
    #[inline]
    pub fn is_phi(&self, pos: Pos) -> bool {
        pos.0 < self.body_range(self.block(pos)).start
    }

    /// The variables an instruction reads. A φ may read one on several edges.
    #[inline]
    pub fn uses(&self, pos: Pos) -> &[Var] {
        self.uses.row(pos.index())
    }

    /// The variables a φ reads, with the edges on which it does.
    pub fn phi_uses(&self, pos: Pos) -> impl Iterator<Item = (Var, Edge)> + '_ {
        let range = self.uses.range(pos.index());
        range
            .filter(|&i| self.use_edge[i] != NONE)
            .map(|i| (self.uses.items()[i], Edge::new(self.use_edge[i] as usize)))
    }

    /// The variables an instruction writes.
    #[inline]
    pub fn defs(&self, pos: Pos) -> &[Var] {
        self.defs.row(pos.index())
    }

    /// The variables the branch of a block learns about.
    #[inline]
    pub fn tests(&self, block: Node) -> &[(Var, Test)] {
        self.tests.row(block.index())
    }

    /// The tests of a variable, as entries of `tests`.
    #[inline]
    pub(crate) fn tests_of(&self, var: Var) -> &[u32] {
        self.tests_by_variable().row(var.index())
    }

    #[inline]
    fn tests_by_variable(&self) -> &Rows<u32> {
        self.tests_of.get_or_init(|| {
            let tests = self.tests.items().iter().enumerate();
            Rows::group(self.variables, tests.map(|(i, (var, _))| (var.index(), i as u32)))
        })
    }

    /// The index of a variable among [`params`](Code::params), if it has a value on entry.
    #[inline]
    pub fn param_of(&self, var: Var) -> Option<usize> {
        self.definitions.param(var)
    }

    /// The first instruction that writes a variable; the only one in an SSA program.
    #[inline]
    pub fn definition(&self, var: Var) -> Option<Pos> {
        self.defs_of(var).first().map(|&def| Pos(self.def_pos[def as usize]))
    }

    /// Whether a variable of an SSA program does not leave the block that defines it, and so is not split at the end of it.
    #[inline]
    pub(crate) fn stays_in_block(&self, var: Var) -> bool {
        self.home[var.index()] < NOWHERE
    }

    /// The definitions of a variable, as positions in `defs`, in program order.
    #[inline]
    pub(crate) fn defs_of(&self, var: Var) -> &[u32] {
        self.definitions.instrs(var)
    }

    /// The number of the original version of a variable, in an SSA program: that of its definition in `defs`, or one
    /// beyond these for a parameter.
    #[inline]
    pub(crate) fn original(&self, var: Var) -> Option<u32> {
        self.definitions.original(var)
    }

    /// By variable: its [original](Code::original) version or [`NONE`]. Only in an SSA program.
    #[inline]
    pub(crate) fn originals(&self) -> Option<&[u32]> {
        self.definitions.originals()
    }

    /// How many [original](Code::original) versions there are.
    #[inline]
    pub(crate) fn original_count(&self) -> usize {
        self.defs.items().len() + self.params.len()
    }

    /// The variable of an [original](Code::original) version.
    #[inline]
    pub(crate) fn original_var(&self, number: u32) -> Var {
        let defs = self.defs.items();
        let number = number as usize;
        *defs.get(number).unwrap_or_else(|| &self.params[number - defs.len()])
    }

    /// Whether control can reach the block.
    #[inline]
    pub fn is_reachable(&self, block: Node) -> bool {
        self.search.is_reachable(block)
    }

    /// Whether control can reach all blocks.
    #[inline]
    pub(crate) fn is_all_reachable(&self) -> bool {
        self.order.len() == self.graph.node_count()
    }

    /// Whether the middle of an edge dominates its target: no other edge enters it from outside.
    #[inline]
    pub(crate) fn edge_dominates_target(&self, edge: Edge) -> bool {
        self.is_sole_entry(edge, self.graph.target(edge))
    }

    /// The same, given the target.
    #[inline]
    pub(crate) fn is_sole_entry(&self, edge: Edge, target: Node) -> bool {
        let sole = self.sole_entry.get_or_init(|| self.sole_entries());
        sole[target.index()] == edge.index() as u32
    }

    /// By block: the only edge that enters it, those from blocks that it dominates and from unreachable ones left out; or
    /// [`NONE`].
    fn sole_entries(&self) -> Vec<u32> {
        // Only an edge that leads back in the search comes from a block that its target dominates.
        let dominates = |target: Node, source: Node| {
            self.search.is_ancestor(target, source) && self.dominators().dominates(target, source)
        };
        let sole = |target: Node| {
            let edges = self.graph.predecessor_edges(target);
            if let &[edge] = edges {
                return edge.index() as u32;
            }
            let mut entering = edges.iter().filter(|&&edge| {
                let source = self.graph.source(edge);
                self.is_reachable(source) && !dominates(target, source)
            });
            match (entering.next(), entering.next()) {
                (Some(edge), None) => edge.index() as u32,
                _ => NONE,
            }
        };
        self.graph.nodes().map(sole).collect()
    }

    /// All points where control can be, block by block.
    pub fn points(&self) -> impl Iterator<Item = Point> + '_ {
        self.order.iter().flat_map(|&block| {
            let edges = self.graph.successor_edges(block).map(Point::Edge);
            self.body(block).map(Point::Before).chain([Point::End(block)]).chain(edges)
        })
    }

    /// The point behind an instruction that is no φ.
    pub fn after(&self, pos: Pos) -> Point {
        let block = self.block(pos);
        if pos.0 + 1 < self.range(block).end {
            Point::Before(Pos(pos.0 + 1))
        } else {
            Point::End(block)
        }
    }

    /// The point behind the φs of a block.
    pub fn start(&self, block: Node) -> Point {
        let body = self.body_range(block);
        if body.is_empty() { Point::End(block) } else { Point::Before(Pos(body.start)) }
    }
}
