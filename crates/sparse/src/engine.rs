//! The propagation engine of 003 Fig. 10, forward and backward.
//!
//! Values start at ⊤ and are lowered: a site whose inputs changed is evaluated again, sites in the order of the block
//! index. Beyond the figure there are edges that become feasible one by one (conditional propagation), widening and
//! narrowing, and sites that an analysis wakes up itself.
//!
//! A problem that flows both ways is solved as two: the second analysis holds the [`Solution`] of the first.

use crate::analysis::{Analysis, At, Cx, Direction, Side, Source};
use crate::chains::{Chains, Site};
use crate::code::{Code, NONE, Point, Pos};
use crate::program::{Program, Var};
use crate::ssify::Ssify;
use crate::view::{Def, Phi, Sigma, Version, View};
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
    let code = Code::following(program, |var| analysis.follows(program, var));
    let view = Ssify::new(Arc::new(code)).view_each(|var| analysis.strategy(program, var));
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
    let top = analysis.top();
    let mut engine = Engine {
        program,
        view,
        chains,
        options,
        values: vec![top.clone(); view.version_count()],
        edges: vec![false; view.code.graph.edge_count()],
        blocks: vec![false; view.code.graph.node_count()],
        changes: if options.widen_after.is_some() { vec![0; view.version_count()] } else { vec![] },
        worklist: IndexQueue::new(chains.len()),
        latest: 0,
        widened: Vec::new(),
        changed: Vec::new(),
        wake: Wake::default(),
        evaluations: 0,
        reached: Vec::new(),
        split: Vec::new(),
        results: Vec::new(),
        given: Vec::new(),
        top,
    };
    match A::DIRECTION {
        Direction::Forward => engine.forward(analysis),
        Direction::Backward => engine.backward(analysis),
    }
    Solution {
        values: engine.values,
        edges: engine.edges,
        blocks: engine.blocks,
        evaluations: engine.evaluations,
    }
}

/// Whether a solution satisfies every constraint of a forward analysis: evaluating any site again, or any edge, would not
/// lower anything. With widening this is all there is to check.
pub fn is_post_fixpoint<P: Program + ?Sized, A: Analysis<P>>(
    program: &P,
    view: &View,
    analysis: &mut A,
    solution: &Solution<A::Domain>,
) -> bool {
    let chains = Chains::new(view);
    let mut engine = Engine {
        program,
        view,
        chains: &chains,
        options: Options::default(),
        top: analysis.top(),
        values: solution.values.clone(),
        edges: solution.edges.clone(),
        blocks: solution.blocks.clone(),
        changes: Vec::new(),
        worklist: IndexQueue::new(chains.len()),
        latest: chains.len(),
        widened: Vec::new(),
        changed: Vec::new(),
        wake: Wake::default(),
        evaluations: 0,
        reached: Vec::new(),
        split: Vec::new(),
        results: Vec::new(),
        given: Vec::new(),
    };
    for site in 0..chains.len() {
        match A::DIRECTION {
            Direction::Forward => engine.evaluate(analysis, site, false),
            Direction::Backward => engine.evaluate_backward(analysis, site),
        }
    }
    engine.values == solution.values && engine.edges == solution.edges
}

struct Engine<'a, P: ?Sized, D> {
    program: &'a P,
    view: &'a View,
    chains: &'a Chains,
    options: Options,
    top: D,
    values: Vec<D>,
    edges: Vec<bool>,
    blocks: Vec<bool>,
    changes: Vec<u32>,
    worklist: IndexQueue,
    /// Forward: no site behind this one has been evaluated yet. Those where control can be are in the worklist.
    latest: usize,
    /// The sites of versions that were widened.
    widened: Vec<u32>,
    /// The versions that narrowing has changed at a site.
    changed: Vec<Version>,
    wake: Wake,
    evaluations: u64,
    /// Blocks that control can enter, not yet entered.
    reached: Vec<Node>,
    /// Scratch of forks: the versions that are split, what they become, and the values.
    split: Vec<(Var, Version)>,
    results: Vec<Version>,
    given: Vec<(Version, D)>,
}

impl<P: Program + ?Sized, D: Clone + PartialEq + std::fmt::Debug> Engine<'_, P, D> {
    fn cx(&self, at: Side) -> Cx<'_, P, D> {
        Cx {
            program: self.program,
            code: &self.view.code,
            top: &self.top,
            source: Source::Sparse { view: self.view, values: &self.values, at },
        }
    }

    // ---- forward ----

    fn forward<A: Analysis<P, Domain = D>>(&mut self, analysis: &mut A) {
        let code = self.view.code.clone();
        for (i, &var) in code.params.iter().enumerate() {
            if let Some(version) = self.view.param(i) {
                self.values[version.index()] = analysis.entry(self.program, var);
            }
        }
        if A::CONDITIONAL {
            self.blocks[code.graph.entry().index()] = true;
            self.reached.push(code.graph.entry());
        } else {
            for &block in &code.order {
                self.blocks[block.index()] = true;
                for edge in code.graph.successor_edges(block) {
                    self.edges[edge.index()] = true;
                }
            }
            self.reached.extend(code.order.iter().rev());
        }
        self.enter_reached(analysis);
        for (i, _) in code.params.iter().enumerate() {
            if let Some(version) = self.view.param(i) {
                let value = self.values[version.index()].clone();
                if value != self.top {
                    analysis.changed(self.view, version, &value, &mut self.wake);
                    self.follow_wake();
                }
            }
        }
        while let Some(site) = self.worklist.pop_first() {
            self.latest = self.latest.max(site);
            self.evaluate(analysis, site, false);
            self.enter_reached(analysis);
        }
        self.narrow(analysis);
    }

    /// In each round every site that can change is evaluated once, in order. At first these are the sites where something
    /// was widened.
    fn narrow<A: Analysis<P, Domain = D>>(&mut self, analysis: &mut A) {
        let mut next = std::mem::take(&mut self.widened);
        for _ in 0..self.options.narrow_rounds {
            for site in next.drain(..) {
                self.worklist.insert(site as usize);
            }
            while let Some(site) = self.worklist.pop_first() {
                let (view, chains) = (self.view, self.chains);
                self.evaluate(analysis, site, true);
                while let Some(version) = self.changed.pop() {
                    let mut wake = |user: u32| {
                        if user as usize > site {
                            self.worklist.insert(user as usize);
                        } else {
                            next.push(user);
                        }
                    };
                    chains.uses(view, version, &mut wake);
                }
            }
        }
    }

    /// What happens in blocks that control can now enter is evaluated, unless it is settled.
    fn enter_reached<A: Analysis<P, Domain = D>>(&mut self, analysis: &mut A) {
        while let Some(block) = self.reached.pop() {
            self.enter(analysis, block);
        }
    }

    fn enter<A: Analysis<P, Domain = D>>(&mut self, analysis: &mut A, block: Node) {
        let view = self.view;
        let code = &*view.code;
        for site in self.chains.phis(view, block) {
            self.worklist.insert(site as usize);
        }
        let body = code.body_range(block);
        if !view.copies.is_empty() {
            for pos in body.clone().filter(|&pos| !view.copies_at(Pos(pos)).is_empty()) {
                self.open(Pos(pos));
            }
        }
        for def in code.defs_in(body) {
            let (var, pos) = (code.defs.items()[def], Pos(code.def_pos[def]));
            let Some(result) = Version::from_table(view.def_version(def)) else { continue };
            match analysis.settled(self.program, code.instr(pos), var) {
                Some(value) => {
                    self.values[result.index()] = value;
                    let value = &self.values[result.index()];
                    analysis.changed(view, result, value, &mut self.wake);
                    if !self.wake.is_empty() {
                        self.follow_wake();
                    }
                }
                None => self.open(pos),
            }
        }
        match self.chains.fork(block) {
            Some(fork) => {
                self.worklist.insert(fork as usize);
                if !A::CONDITIONAL {
                    let sigmas = self.chains.sigmas(block);
                    sigmas.for_each(|site| self.worklist.insert(site as usize));
                }
            }
            // There is nothing to decide.
            None if A::CONDITIONAL => code.graph.successor_edges(block).for_each(|e| self.take(e)),
            None => {}
        }
    }

    /// An instruction is to be evaluated.
    #[inline]
    fn open(&mut self, pos: Pos) {
        if let Some(site) = self.chains.instr(pos) {
            self.worklist.insert(site as usize);
        }
    }

    fn evaluate<A: Analysis<P, Domain = D>>(
        &mut self,
        analysis: &mut A,
        site: usize,
        narrow: bool,
    ) {
        let view = self.view;
        let code = &*view.code;
        self.evaluations += 1;
        match self.chains.site(site) {
            Site::Phi(phi) => {
                let block = view.phis[phi as usize].block;
                let result = view.phis[phi as usize].result;
                let done = analysis.is_final(&self.values[result.index()]);
                if done || !self.blocks[block.index()] {
                    return;
                }
                let mut merged = self.top.clone();
                let args = view.phi_args.row(phi as usize);
                for (&arg, edge) in args.iter().zip(code.graph.predecessor_edges(block)) {
                    if arg != NONE && self.edges[edge.index()] {
                        analysis.meet(&mut merged, &self.values[arg as usize]);
                    }
                }
                let merged = analysis.join(view, result, merged);
                self.update(analysis, result, merged, narrow);
            }
            Site::Instr(pos) => {
                let block = code.block(pos);
                if !self.blocks[block.index()] {
                    return;
                }
                if code.is_phi(pos) {
                    for (var, result) in view.defs(pos) {
                        let Some(result) = result else { continue };
                        if analysis.is_final(&self.values[result.index()]) {
                            continue;
                        }
                        let mut merged = self.top.clone();
                        for &edge in code.graph.predecessor_edges(block) {
                            if self.edges[edge.index()] {
                                let cx = self.cx(Side::PhiEdge(pos, edge));
                                let value = analysis.transfer(&cx, At::Phi(pos, edge), var);
                                if merged == self.top {
                                    merged = value;
                                } else {
                                    analysis.meet(&mut merged, &value);
                                }
                            }
                        }
                        let merged = analysis.join(view, result, merged);
                        self.update(analysis, result, merged, narrow);
                    }
                    return;
                }
                for (var, result) in view.defs(pos) {
                    if let Some(result) = result
                        && !analysis.is_final(&self.values[result.index()])
                    {
                        let cx = self.cx(Side::BeforeInstr(pos));
                        let value = analysis.transfer(&cx, At::Define(pos), var);
                        self.update(analysis, result, value, narrow);
                    }
                }
                for &copy in view.copies_at(pos) {
                    let copy = view.copies[copy as usize];
                    let cx = self.cx(Side::BeforeInstr(pos));
                    let value = analysis.transfer(&cx, At::Pass(pos), copy.var);
                    self.update(analysis, copy.result, value, narrow);
                }
            }
            Site::Fork(block) => {
                if self.blocks[block.index()] {
                    self.leave(analysis, block, narrow);
                }
            }
            Site::Sigma(sigma) => {
                let Sigma { var, block, source } = view.sigmas[sigma as usize];
                let results = view.sigma_results.row(sigma as usize);
                for (&result, edge) in results.iter().zip(code.graph.successor_edges(block)) {
                    if result != NONE && self.edges[edge.index()] {
                        let cx = self.cx(Side::BeforeFork(block, Some((var, source.0))));
                        let value = analysis.transfer(&cx, At::Branch(edge), var);
                        self.update(analysis, Version(result), value, narrow);
                    }
                }
            }
        }
    }

    /// Evaluates a fork: which edges control can take, and the versions on them of what it tests.
    fn leave<A: Analysis<P, Domain = D>>(&mut self, analysis: &mut A, block: Node, narrow: bool) {
        let view = self.view;
        let mut split = std::mem::take(&mut self.split);
        let mut results = std::mem::take(&mut self.results);
        let mut given = std::mem::take(&mut self.given);
        for (position, edge) in view.code.graph.successor_edges(block).enumerate() {
            split.clear();
            results.clear();
            let tested = |&&sigma: &&u32| self.chains.is_tested(block, sigma);
            for &sigma in view.sigmas_at(block).iter().filter(tested) {
                let result = view.sigma_results.row(sigma as usize)[position];
                if result != NONE && !analysis.is_final(&self.values[result as usize]) {
                    let Sigma { var, source, .. } = view.sigmas[sigma as usize];
                    split.push((var, source));
                    results.push(Version(result));
                }
            }
            let taken = self.edges[edge.index()];
            if taken && split.is_empty() {
                continue;
            }
            let cx = self.cx(Side::BeforeFork(block, None));
            let known = taken || !A::CONDITIONAL;
            if !analysis
                .branch(&cx, edge, &split, known, |i, value| given.push((results[i], value)))
            {
                continue;
            }
            if !taken {
                self.take(edge);
            }
            for (version, value) in given.drain(..) {
                self.update(analysis, version, value, narrow);
            }
        }
        (self.split, self.results, self.given) = (split, results, given);
    }

    /// An edge has become feasible.
    fn take(&mut self, edge: Edge) {
        self.edges[edge.index()] = true;
        for site in self.chains.sigmas(self.view.code.graph.source(edge)) {
            self.worklist.insert(site as usize);
        }
        let target = self.view.code.graph.target(edge);
        if self.blocks[target.index()] {
            for site in self.chains.phis(self.view, target) {
                self.worklist.insert(site as usize);
            }
        } else {
            self.blocks[target.index()] = true;
            self.reached.push(target);
        }
    }

    fn update<A: Analysis<P, Domain = D>>(
        &mut self,
        analysis: &mut A,
        version: Version,
        value: D,
        narrow: bool,
    ) {
        let old = &self.values[version.index()];
        if narrow {
            let new = analysis.narrow(old, &value);
            if new != *old {
                self.values[version.index()] = new;
                self.changed.push(version);
            }
            return;
        }
        if value == *old {
            return;
        }
        // The first value needs no merging.
        let mut new = if *old == self.top {
            value
        } else {
            let mut new = old.clone();
            analysis.meet(&mut new, &value);
            if new == *old {
                return;
            }
            new
        };
        if let Some(limit) = self.options.widen_after {
            // Every cycle of chains has a φ in it; widening elsewhere would only lose what branches know.
            let merges = match self.view.def(version) {
                Def::Phi(_) => true,
                Def::Instr(pos) => self.view.code.is_phi(pos),
                _ => false,
            };
            if merges {
                let changes = &mut self.changes[version.index()];
                *changes += 1;
                if *changes > limit {
                    new = analysis.widen(old, &new);
                    self.widened.extend(self.chains.def(self.view, version));
                }
            }
        }
        self.values[version.index()] = new;
        match A::DIRECTION {
            Direction::Forward => {
                // Where control has not been yet, all sites are still to come.
                self.chains.uses(self.view, version, |site| {
                    if site as usize <= self.latest
                        && self.blocks[self.chains.block_of(self.view, site).index()]
                    {
                        self.worklist.insert(site as usize);
                    }
                });
            }
            Direction::Backward => {
                if let Some(site) = self.chains.def(self.view, version) {
                    self.worklist.insert(site as usize);
                }
            }
        }
        analysis.changed(self.view, version, &self.values[version.index()], &mut self.wake);
        if !self.wake.is_empty() {
            self.follow_wake();
        }
    }

    fn follow_wake(&mut self) {
        for block in self.wake.blocks.drain(..) {
            for site in self.chains.phis(self.view, block) {
                self.worklist.insert(site as usize);
            }
        }
        for pos in self.wake.instrs.drain(..) {
            if let Some(site) = self.chains.instr(pos) {
                self.worklist.insert(site as usize);
            }
        }
    }

    // ---- backward ----

    fn backward<A: Analysis<P, Domain = D>>(&mut self, analysis: &mut A) {
        let code = self.view.code.clone();
        for &block in &code.order {
            self.blocks[block.index()] = true;
            for site in self.chains.block(block) {
                self.worklist.insert(site as usize);
            }
            for edge in code.graph.successor_edges(block) {
                self.edges[edge.index()] = true;
            }
        }
        while let Some(site) = self.worklist.pop_last() {
            self.evaluate_backward(analysis, site);
        }
        for _ in 0..self.options.narrow_rounds {
            self.narrow_backward(analysis);
        }
    }

    fn evaluate_backward<A: Analysis<P, Domain = D>>(&mut self, analysis: &mut A, site: usize) {
        self.evaluations += 1;
        let mut updates = Vec::new();
        self.contributions(analysis, site, &mut |version, value| updates.push((version, value)));
        for (version, value) in updates {
            self.update(analysis, version, value, false);
        }
    }

    /// Calls `give` with what a site says about the versions it reads.
    fn contributions<A: Analysis<P, Domain = D>>(
        &self,
        analysis: &A,
        site: usize,
        give: &mut dyn FnMut(Version, D),
    ) {
        let view = self.view;
        let code = &*view.code;
        match self.chains.site(site) {
            Site::Phi(phi) => {
                let Phi { var, block, result } = view.phis[phi as usize];
                let args = view.phi_args.row(phi as usize);
                for (&arg, &edge) in args.iter().zip(code.graph.predecessor_edges(block)) {
                    if arg == NONE {
                        continue;
                    }
                    // A φ of the program that reads the variable on this edge speaks for both.
                    let speaks = |&pos: &Pos| code.phi_uses(pos).any(|u| u == (var, edge));
                    let value = match code.phis(block).find(speaks) {
                        Some(pos) => {
                            let cx = self.cx(Side::BehindPhi(pos));
                            analysis.transfer(&cx, At::Phi(pos, edge), var)
                        }
                        None => self.values[result.index()].clone(),
                    };
                    give(Version(arg), value);
                }
            }
            Site::Instr(pos) if code.is_phi(pos) => {
                for i in code.uses.range(pos.index()) {
                    let version = view.use_version(i);
                    if version != NONE && code.use_edge[i] != NONE {
                        let edge = Edge::new(code.use_edge[i] as usize);
                        let cx = self.cx(Side::BehindPhi(pos));
                        let var = code.uses.items()[i];
                        give(Version(version), analysis.transfer(&cx, At::Phi(pos, edge), var));
                    }
                }
            }
            Site::Instr(pos) => {
                for (var, version) in view.uses(pos) {
                    if let Some(version) = version {
                        let cx = self.cx(Side::BehindInstr(pos));
                        give(version, analysis.transfer(&cx, At::Pass(pos), var));
                    }
                }
                for &copy in view.copies_at(pos) {
                    let copy = view.copies[copy as usize];
                    if !code.uses(pos).contains(&copy.var) {
                        give(copy.source, self.values[copy.result.index()].clone());
                    }
                }
            }
            Site::Fork(block) => {
                let tested = |&&sigma: &&u32| self.chains.is_tested(block, sigma);
                for &sigma in view.sigmas_at(block).iter().filter(tested) {
                    self.sigma_contributions(analysis, sigma, give);
                }
            }
            Site::Sigma(sigma) => self.sigma_contributions(analysis, sigma, give),
        }
    }

    fn sigma_contributions<A: Analysis<P, Domain = D>>(
        &self,
        analysis: &A,
        sigma: u32,
        give: &mut dyn FnMut(Version, D),
    ) {
        let view = self.view;
        let Sigma { var, block, source } = view.sigmas[sigma as usize];
        let results = view.sigma_results.row(sigma as usize);
        for (&result, edge) in results.iter().zip(view.code.graph.successor_edges(block)) {
            if result != NONE {
                let cx = self.cx(Side::OnEdge(edge, var, result));
                give(source, analysis.transfer(&cx, At::Branch(edge), var));
            }
        }
    }

    /// One round: every version is what its readers say now, if that narrows it.
    fn narrow_backward<A: Analysis<P, Domain = D>>(&mut self, analysis: &mut A) {
        let mut next = vec![self.top.clone(); self.values.len()];
        for site in (0..self.chains.len()).rev() {
            self.contributions(analysis, site, &mut |version, value| {
                analysis.meet(&mut next[version.index()], &value);
            });
        }
        for (value, next) in self.values.iter_mut().zip(&next) {
            *value = analysis.narrow(value, next);
        }
    }
}
