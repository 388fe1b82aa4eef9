//! `rename` of 003 Fig. 8: which definition of a variable each use sees.
//!
//! The figure walks the dominator tree once per variable. Only the nodes where something happens to the variable matter:
//! they are listed as events, sorted by the preorder of the tree, and played back against a stack of the definitions that
//! dominate the current block.

use crate::code::{Code, NONE};
use crate::program::Var;
use crate::split::Places;
use crate::view::Def;
use lw_graph::{Edge, Node};

/// What happens to the variable somewhere.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// A σ result arrives over an edge that dominates the block: its index among the results.
    Arrive(u32),
    Param,
    Phi(u32),
    /// By number among the uses, the definitions, the tests of the variable.
    Use(u32),
    /// With its entry in the table of definitions.
    Def(u32, u32),
    Copy(u32),
    Test(u32),
    Sigma(u32),
    /// A φ of the program reads on an edge.
    UseOnEdge(u32, u32),
    /// A φ of the view reads on an edge: its slot among the operands.
    PhiArg(u32, u32),
}

/// An event with its place in the order, in one word: 32 bits of block, 32 bits of slot, and the event.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Entry(u128);

impl Entry {
    fn new(block: u32, slot: u32, event: Event) -> Entry {
        let (tag, a, b) = match event {
            Event::Arrive(a) => (0, a, 0),
            Event::Param => (1, 0, 0),
            Event::Phi(a) => (2, a, 0),
            Event::Use(a) => (3, a, 0),
            Event::Def(a, b) => (4, a, b),
            Event::Copy(a) => (5, a, 0),
            Event::Test(a) => (6, a, 0),
            Event::Sigma(a) => (7, a, 0),
            Event::UseOnEdge(a, b) => (8, a, b),
            Event::PhiArg(a, b) => (9, a, b),
        };
        debug_assert!(a < 1 << 28, "a variable has at most 2²⁸ events");
        let event = tag << 60 | u64::from(a) << 32 | u64::from(b);
        Entry(u128::from(block) << 96 | u128::from(slot) << 64 | u128::from(event))
    }

    fn block(self) -> u32 {
        (self.0 >> 96) as u32
    }

    fn event(self) -> Event {
        let event = self.0 as u64;
        let (a, b) = ((event >> 32) as u32 & ((1 << 28) - 1), event as u32);
        match event >> 60 {
            0 => Event::Arrive(a),
            1 => Event::Param,
            2 => Event::Phi(a),
            3 => Event::Use(a),
            4 => Event::Def(a, b),
            5 => Event::Copy(a),
            6 => Event::Test(a),
            7 => Event::Sigma(a),
            8 => Event::UseOnEdge(a, b),
            _ => Event::PhiArg(a, b),
        }
    }
}

/// The versions of one variable, numbered from zero, and who reads which ([`NONE`]: undefined).
#[derive(Clone, Debug, Default)]
pub(crate) struct Web {
    /// What defines each version; φs, σs and copies by their index in [`Places`].
    pub(crate) defs: Vec<Def>,
    /// Operands of all φs in a row, in order of predecessor edges; where those of each begin.
    pub(crate) phi_args: Vec<u32>,
    pub(crate) phi_start: Vec<u32>,
    pub(crate) phi_result: Vec<u32>,
    /// Results of all σs in a row, in order of successor edges; where those of each begin.
    pub(crate) sigma_results: Vec<u32>,
    pub(crate) sigma_start: Vec<u32>,
    pub(crate) sigma_source: Vec<u32>,
    pub(crate) copy_source: Vec<u32>,
    pub(crate) copy_result: Vec<u32>,
    /// (number among the uses of the variable, version) and so on.
    pub(crate) uses: Vec<(u32, u32)>,
    pub(crate) tests: Vec<(u32, u32)>,
    pub(crate) actual_defs: Vec<(u32, u32)>,
    pub(crate) param: u32,
    /// Scratch of whoever numbers the versions.
    pub(crate) number: Vec<u32>,
    events: Vec<Entry>,
    stack: Vec<(u32, u32)>,
    /// By block: the σ of the variable that was asked about last, with the number of the question.
    sigma_at: Vec<(u32, u32)>,
    now: u32,
}

/// Events of one block happen in this order; instructions lie between.
const ARRIVE: u32 = 0;
const JOIN: u32 = 1;
const FORK: u32 = u32::MAX - 1;
const EDGE: u32 = u32::MAX;

impl Web {
    /// Renames a variable that is split at `places`. `live` says on which edges σs have results.
    pub(crate) fn rename(
        &mut self,
        code: &Code,
        var: Var,
        places: &Places,
        live: impl Fn(Edge) -> bool,
    ) {
        self.clear(code);
        self.lay_out(code, places, live);
        self.collect(code, var, places);
        self.events.sort_unstable();
        self.play(code, places);
    }

    fn clear(&mut self, code: &Code) {
        let vectors = [
            &mut self.phi_args,
            &mut self.phi_start,
            &mut self.phi_result,
            &mut self.sigma_results,
            &mut self.sigma_start,
            &mut self.sigma_source,
            &mut self.copy_source,
            &mut self.copy_result,
        ];
        for vector in vectors {
            vector.clear();
        }
        for pairs in [&mut self.uses, &mut self.tests, &mut self.actual_defs] {
            pairs.clear();
        }
        self.defs.clear();
        self.events.clear();
        self.stack.clear();
        self.param = NONE;
        self.now += 1;
        if self.sigma_at.len() < code.graph.node_count() {
            self.sigma_at.resize(code.graph.node_count(), (0, 0));
        }
    }

    /// Makes room for operands and results, and gives σ results their versions.
    fn lay_out(&mut self, code: &Code, places: &Places, live: impl Fn(Edge) -> bool) {
        self.phi_start.push(0);
        for &block in &places.phis {
            let len = self.phi_args.len() + code.graph.predecessor_edges(block).len();
            self.phi_args.resize(len, NONE);
            self.phi_start.push(len as u32);
            self.phi_result.push(NONE);
        }
        self.sigma_start.push(0);
        for (k, &block) in places.sigmas.iter().enumerate() {
            self.sigma_at[block.index()] = (self.now, k as u32);
            for edge in code.graph.successor_edges(block) {
                let result = if live(edge) {
                    self.defs.push(Def::Sigma(k as u32, edge));
                    self.defs.len() as u32 - 1
                } else {
                    NONE
                };
                self.sigma_results.push(result);
            }
            self.sigma_start.push(self.sigma_results.len() as u32);
            self.sigma_source.push(NONE);
        }
        self.copy_source.resize(places.copies.len(), NONE);
        self.copy_result.resize(places.copies.len(), NONE);
    }

    fn collect(&mut self, code: &Code, var: Var, places: &Places) {
        // Reads of an instruction, then its writes. φs of the program write at the join.
        let slot = |pos: u32, write: bool| {
            let block = Node::new(code.block_of[pos as usize] as usize);
            let slot = if pos < code.body_range(block).start {
                JOIN
            } else {
                2 + 2 * (pos - code.range(block).start) + u32::from(write)
            };
            (block, slot)
        };
        let mut add = |(block, slot): (Node, u32), event: Event| {
            if let Some(range) = code.dominators().range(block) {
                self.events.push(Entry::new(range.start as u32, slot, event));
            }
        };
        if code.param_of(var).is_some() {
            add((code.graph.entry(), JOIN), Event::Param);
        }
        for (k, &def) in (0..).zip(code.defs_of(var)) {
            add(slot(code.def_pos[def as usize], true), Event::Def(k, def));
        }
        for (k, &at) in (0..).zip(code.uses_of.row(var.index())) {
            match code.use_edge[at as usize] {
                NONE => add(slot(code.use_pos[at as usize], false), Event::Use(k)),
                edge => {
                    let source = code.graph.source(Edge::new(edge as usize));
                    add((source, EDGE), Event::UseOnEdge(k, edge));
                }
            }
        }
        for (k, &test) in (0..).zip(code.tests_of(var)) {
            let block = Node::new(code.test_block[test as usize] as usize);
            add((block, FORK), Event::Test(k));
        }
        for (k, &block) in places.phis.iter().enumerate() {
            add((block, JOIN), Event::Phi(k as u32));
            for (i, &edge) in code.graph.predecessor_edges(block).iter().enumerate() {
                let arg = self.phi_start[k] + i as u32;
                add((code.graph.source(edge), EDGE), Event::PhiArg(arg, edge.index() as u32));
            }
        }
        for (k, &pos) in places.copies.iter().enumerate() {
            add(slot(pos, true), Event::Copy(k as u32));
        }
        for (k, &block) in places.sigmas.iter().enumerate() {
            add((block, FORK), Event::Sigma(k as u32));
            let results = self.sigma_start[k]..self.sigma_start[k + 1];
            for (edge, result) in code.graph.successor_edges(block).zip(results) {
                let version = self.sigma_results[result as usize];
                if version != NONE && code.edge_dominates_target(edge) {
                    add((code.graph.target(edge), ARRIVE), Event::Arrive(version));
                }
            }
        }
    }

    fn play(&mut self, code: &Code, places: &Places) {
        let events = std::mem::take(&mut self.events);
        for &entry in &events {
            let at = entry.block();
            while self.stack.last().is_some_and(|&(_, end)| end <= at) {
                self.stack.pop();
            }
            let top = self.stack.last().map_or(NONE, |&(version, _)| version);
            match entry.event() {
                Event::Arrive(version) => self.push(code, at, version),
                Event::Param => {
                    self.param = self.fresh(Def::Param);
                    self.push(code, at, self.param);
                }
                Event::Phi(k) => {
                    self.phi_result[k as usize] = self.fresh(Def::Phi(k));
                    self.push(code, at, self.phi_result[k as usize]);
                }
                Event::Def(k, def) => {
                    let pos = crate::code::Pos(code.def_pos[def as usize]);
                    let version = self.fresh(Def::Instr(pos));
                    self.actual_defs.push((k, version));
                    self.push(code, at, version);
                }
                Event::Copy(k) => {
                    self.copy_source[k as usize] = top;
                    self.copy_result[k as usize] = self.fresh(Def::Copy(k));
                    self.push(code, at, self.copy_result[k as usize]);
                }
                Event::Use(k) => self.uses.push((k, top)),
                Event::Test(k) => self.tests.push((k, top)),
                Event::Sigma(k) => self.sigma_source[k as usize] = top,
                Event::UseOnEdge(k, edge) => {
                    let version = self.on_edge(code, places, Edge::new(edge as usize), top);
                    self.uses.push((k, version));
                }
                Event::PhiArg(arg, edge) => {
                    let edge = Edge::new(edge as usize);
                    self.phi_args[arg as usize] = self.on_edge(code, places, edge, top);
                }
            }
        }
        self.events = events;
    }

    fn fresh(&mut self, def: Def) -> u32 {
        self.defs.push(def);
        self.defs.len() as u32 - 1
    }

    fn push(&mut self, code: &Code, at: u32, version: u32) {
        let block = code.dominators().preorder()[at as usize];
        self.stack.push((version, at + code.dominators().dominated(block).len() as u32));
    }

    /// The version on an edge out of a block at whose end `top` is current.
    fn on_edge(&self, code: &Code, places: &Places, edge: Edge, top: u32) -> u32 {
        let block = code.graph.source(edge);
        let (now, k) = self.sigma_at[block.index()];
        if now != self.now {
            return top;
        }
        debug_assert_eq!(places.sigmas[k as usize], block);
        self.sigma_results[self.sigma_start[k as usize] as usize + code.graph.position(edge)]
    }
}
