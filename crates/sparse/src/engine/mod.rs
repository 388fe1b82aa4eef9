//! The propagation engine of 003 Fig. 10, forward and backward.
//!
//! Values start at ⊤ and are lowered: a site whose inputs changed is evaluated again, sites in the [order](Code::order)
//! of the blocks. Beyond the figure there are edges that become feasible one by one (conditional propagation), widening and
//! narrowing, and sites that an analysis wakes up itself.
//!
//! A problem that flows both ways is solved as two: the second analysis holds the [`Solution`] of the first.

mod backward;
mod forward;

use crate::analysis::{Analysis, Cx, Direction, Out, Side, Source, Split};
use crate::chains::Chains;
use crate::code::{Code, Point, Pos};
use crate::program::{Program, Var};
use crate::ssify::Ssify;
use crate::view::{Def, Version, View};
use forward::Phase;
use lw_graph::index_queue::IndexQueue;
use lw_graph::{Edge, Node};
use std::sync::Arc;

/// How a problem is solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// After how many changes of a version that a φ defines its changes are widened; `None`: never.
    pub widen_after: Option<u32>,
    /// How many rounds of narrowing follow.
    pub narrow_rounds: u32,
}

impl Options {
    /// Widening after a few changes, then two rounds of narrowing.
    pub const WIDENING: Options = Options { widen_after: Some(3), narrow_rounds: 2 };
}

/// The values of all versions, and where control can be.
#[derive(Clone, Debug)]
pub struct Solution<D> {
    values: Vec<D>,
    edges: Vec<bool>,
    blocks: Vec<bool>,
    /// How many sites were evaluated.
    pub evaluations: u64,
}

impl<D> Solution<D> {
    /// What is known of a version.
    pub fn of(&self, version: Version) -> &D {
        &self.values[version.index()]
    }

    /// What is known of a variable at a point where it is live; `None` if no definition reaches the point.
    pub fn at(&self, view: &View, var: Var, point: Point) -> Option<&D> {
        view.version_at(var, point).map(|version| self.of(version))
    }

    /// The values by version.
    pub fn values(&self) -> &[D] {
        &self.values
    }

    /// Whether control can take an edge.
    pub fn edge_reached(&self, edge: Edge) -> bool {
        self.edges[edge.index()]
    }

    /// Whether control can enter a block.
    pub fn block_reached(&self, block: Node) -> bool {
        self.blocks[block.index()]
    }

    /// Whether control can be at a point.
    pub fn reached(&self, code: &Code, point: Point) -> bool {
        match point {
            Point::Before(pos) => self.block_reached(code.block(pos)),
            Point::End(block) => self.block_reached(block),
            Point::Edge(edge) => self.edge_reached(edge),
        }
    }
}

/// Sites that an analysis wants evaluated again.
#[derive(Clone, Debug, Default)]
pub struct Wake {
    blocks: Vec<Node>,
    instrs: Vec<Pos>,
}

impl Wake {
    fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.instrs.is_empty()
    }

    /// All φs of a block, those of the view and those of the program.
    pub fn phis(&mut self, block: Node) {
        self.blocks.push(block);
    }

    /// An instruction.
    pub fn instr(&mut self, pos: Pos) {
        self.instrs.push(pos);
    }
}

/// Splits the live ranges of a program as an analysis wants it and solves the analysis.
pub fn solve<P: Program + ?Sized, A: Analysis<P>>(
    program: &P,
    analysis: &mut A,
    options: Options,
) -> (View, Solution<A::Domain>) {
    let code = Code::of(program, analysis);
    let view = Ssify::new(Arc::new(code)).view_for(program, analysis);
    let solution = solve_on(program, &view, analysis, options);
    (view, solution)
}

/// Solves an analysis on a view, which splits at least where the analysis wants it.
pub fn solve_on<P: Program + ?Sized, A: Analysis<P>>(
    program: &P,
    view: &View,
    analysis: &mut A,
    options: Options,
) -> Solution<A::Domain> {
    let chains = Chains::new(view);
    solve_with(program, view, &chains, analysis, options)
}

/// Solves an analysis with chains that were built before.
pub fn solve_with<P: Program + ?Sized, A: Analysis<P>>(
    program: &P,
    view: &View,
    chains: &Chains,
    analysis: &mut A,
    options: Options,
) -> Solution<A::Domain> {
    let mut memory = Memory::default();
    memory.solve(program, view, chains, analysis, options);
    memory.solution
}

/// What an engine works with, and what it has found. The next one uses it again.
#[derive(Clone, Debug)]
pub(crate) struct Memory<D> {
    pub(crate) solution: Solution<D>,
    changes: Vec<u32>,
    worklist: IndexQueue,
    split: Vec<Split>,
    out: Out<D>,
}

impl<D> Default for Memory<D> {
    fn default() -> Self {
        let (values, edges, blocks) = (Vec::new(), Vec::new(), Vec::new());
        Memory {
            solution: Solution { values, edges, blocks, evaluations: 0 },
            changes: Vec::new(),
            worklist: IndexQueue::default(),
            split: Vec::new(),
            out: Out::new(),
        }
    }
}

impl<D: Clone + PartialEq + std::fmt::Debug> Memory<D> {
    /// Solves an analysis. The solution replaces the one before.
    pub(crate) fn solve<P: Program + ?Sized, A: Analysis<P, Domain = D>>(
        &mut self,
        program: &P,
        view: &View,
        chains: &Chains,
        analysis: &mut A,
        options: Options,
    ) {
        let mut engine = Engine::new(program, view, chains, analysis.top(), std::mem::take(self));
        engine.options = options;
        match A::DIRECTION {
            Direction::Forward => engine.forward(analysis),
            Direction::Backward => engine.backward(analysis),
        }
        *self = engine.memory();
    }
}

/// So many times the same, in the memory of what was there.
fn again<T: Clone>(mut items: Vec<T>, count: usize, item: T) -> Vec<T> {
    items.clear();
    items.resize(count, item);
    items
}

/// Whether a solution satisfies every constraint of an analysis: evaluating any site again, or any edge, would not lower
/// anything. With widening this is all there is to check.
pub fn is_post_fixpoint<P: Program + ?Sized, A: Analysis<P>>(
    program: &P,
    view: &View,
    analysis: &mut A,
    solution: &Solution<A::Domain>,
) -> bool {
    let chains = Chains::new(view);
    let mut engine = Engine::new(program, view, &chains, analysis.top(), Memory::default());
    engine.values.clone_from(&solution.values);
    engine.edges.clone_from(&solution.edges);
    engine.blocks.clone_from(&solution.blocks);
    engine.cursor = if A::DIRECTION == Direction::Forward { chains.len() } else { 0 };
    for site in 0..chains.len() {
        match A::DIRECTION {
            Direction::Forward => engine.evaluate(analysis, site, Phase::Again),
            Direction::Backward => engine.evaluate_backward(analysis, site),
        }
    }
    engine.values == solution.values && engine.edges == solution.edges
}

struct Engine<'a, P: ?Sized, D> {
    program: &'a P,
    view: &'a View,
    /// The versions beside the tables of uses and of tests.
    read: (&'a [u32], &'a [u32]),
    chains: &'a Chains,
    options: Options,
    top: D,
    values: Vec<D>,
    edges: Vec<bool>,
    blocks: Vec<bool>,
    /// By version, once one changes again: how often it has.
    changes: Vec<u32>,
    /// Sites that the sweep has passed and that are to be evaluated again.
    worklist: IndexQueue,
    /// Where the sweep is. Forward it has passed the sites before this one, backward this one and those behind it.
    cursor: usize,
    /// Forward, by version, if the program has loops and all edges are feasible: whether a φ reads it on one that leads back.
    read_back: Vec<bool>,
    /// The sites of versions that were widened.
    widened: Vec<u32>,
    /// Whether narrowing found a site that says less although more is known.
    doubt: bool,
    /// The versions that narrowing has changed at a site.
    changed: Vec<Version>,
    wake: Wake,
    evaluations: u64,
    /// Blocks that control can enter, not yet entered, although the sweep has passed them.
    reached: Vec<Node>,
    /// Scratch of forks: the versions that are split, and what becomes of them.
    split: Vec<Split>,
    out: Out<D>,
}

impl<'a, P: Program + ?Sized, D: Clone + PartialEq + std::fmt::Debug> Engine<'a, P, D> {
    fn new(
        program: &'a P,
        view: &'a View,
        chains: &'a Chains,
        top: D,
        memory: Memory<D>,
    ) -> Engine<'a, P, D> {
        let Memory { solution, mut changes, mut worklist, split, out } = memory;
        let graph = &view.code.graph;
        changes.clear();
        worklist.reserve(chains.len());
        Engine {
            program,
            view,
            read: (view.use_versions(), view.test_versions()),
            chains,
            options: Options::default(),
            values: again(solution.values, view.version_count(), top.clone()),
            edges: again(solution.edges, graph.edge_count(), false),
            blocks: again(solution.blocks, graph.node_count(), false),
            changes,
            worklist,
            cursor: 0,
            read_back: Vec::new(),
            widened: Vec::new(),
            doubt: false,
            changed: Vec::new(),
            wake: Wake::default(),
            evaluations: 0,
            reached: Vec::new(),
            split,
            out,
            top,
        }
    }

    /// What is left when all is done.
    fn memory(self) -> Memory<D> {
        let Engine { values, edges, blocks, evaluations, changes, worklist, split, out, .. } = self;
        let solution = Solution { values, edges, blocks, evaluations };
        Memory { solution, changes, worklist, split, out }
    }

    fn cx(&self, at: Side) -> Cx<'_, P, D> {
        Cx {
            program: self.program,
            code: &self.view.code,
            top: &self.top,
            source: Source::Sparse { view: self.view, values: &self.values, at },
        }
    }

    /// What an instruction that is no φ sees before it.
    #[inline]
    fn before(&self, pos: Pos) -> Cx<'_, P, D> {
        let view = self.view;
        let range = view.code.uses.range(pos.index());
        let vars = &view.code.uses.items()[range.clone()];
        let source = Source::Uses {
            vars,
            versions: &self.read.0[range],
            values: &self.values,
            rest: (view, pos),
        };
        Cx { program: self.program, code: &view.code, top: &self.top, source }
    }

    /// What the fork of a block sees before it.
    #[inline]
    fn at_fork(&self, block: Node) -> Cx<'_, P, D> {
        let view = self.view;
        let range = view.code.tests.range(block.index());
        let source = Source::Fork {
            tests: &view.code.tests.items()[range.clone()],
            versions: &self.read.1[range],
            values: &self.values,
            rest: (view, block),
        };
        Cx { program: self.program, code: &view.code, top: &self.top, source }
    }

    /// Whether a φ defines a version. Every cycle of chains has a φ in it; widening elsewhere would only lose what branches
    /// know.
    #[inline]
    fn merges(&self, version: Version) -> bool {
        match self.view.def(version) {
            Def::Phi(_) => true,
            Def::Instr(pos) => self.view.code.is_phi(pos),
            _ => false,
        }
    }

    /// Lowers a version to a value, or further; false if it stays as it is.
    fn lower<A: Analysis<P, Domain = D>>(
        &mut self,
        analysis: &A,
        version: Version,
        value: &D,
    ) -> bool {
        let old = &self.values[version.index()];
        if *value == *old {
            return false;
        }
        let mut new = old.clone();
        analysis.meet(&mut new, value);
        if new == *old {
            return false;
        }
        if let Some(limit) = self.options.widen_after
            && self.merges(version)
        {
            if self.changes.is_empty() {
                // The sweep forward has given it its first value.
                let first = u32::from(A::DIRECTION == Direction::Forward);
                self.changes.resize(self.values.len(), first);
            }
            let changes = &mut self.changes[version.index()];
            *changes += 1;
            if *changes > limit {
                new = analysis.widen(old, &new);
                self.widened.extend(self.chains.def(self.view, version));
            }
        }
        self.values[version.index()] = new;
        true
    }

    /// An analysis has asked for sites to be evaluated again.
    fn follow_wake(&mut self, mut insert: impl FnMut(&mut Self, u32)) {
        let mut wake = std::mem::take(&mut self.wake);
        for block in wake.blocks.drain(..) {
            for site in self.chains.phis(self.view, block) {
                insert(self, site);
            }
        }
        for pos in wake.instrs.drain(..) {
            if let Some(site) = self.chains.instr(self.view, pos) {
                insert(self, site);
            }
        }
        self.wake = wake;
    }
}
