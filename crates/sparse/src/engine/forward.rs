//! Forward propagation: a sweep over the blocks in order, and from each block back to what it changed.
//!
//! A site is evaluated for the first time when the sweep comes to it; only sites that it has passed are ever put into the
//! worklist. The order is topological but for back edges, so what a site in the sweep defines is read by sites that are
//! still to come, or by φs at the end of back edges. Without loops nothing has to be looked up.

use super::Engine;
use crate::analysis::{Analysis, At, Out, Side, Split, Way};
use crate::chains::Site;
use crate::code::{NONE, Pos};
use crate::program::Program;
use crate::view::{Sigma, Version};
use lw_graph::{Edge, Node};
use smallvec::SmallVec;

/// Which way values move.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Down; the sweep is at the site, for the first time.
    Sweep,
    /// Down.
    Again,
    /// Up.
    Narrow,
}

impl Phase {
    /// Whether a version that has this value need not be evaluated.
    #[inline]
    fn is_settled<P, A>(self, analysis: &A, value: &A::Domain) -> bool
    where
        P: Program + ?Sized,
        A: Analysis<P>,
    {
        match self {
            Phase::Again => analysis.is_least(value),
            Phase::Sweep | Phase::Narrow => analysis.is_final(value),
        }
    }
}

/// The number of operands from which on searching a φ's takes long.
const WIDE: usize = 16;

impl<P: Program + ?Sized, D: Clone + PartialEq + std::fmt::Debug> Engine<'_, P, D> {
    pub(super) fn forward<A: Analysis<P, Domain = D>>(&mut self, analysis: &mut A) {
        let (view, chains) = (self.view, self.chains);
        let code = &*view.code;
        for (i, &var) in code.params.iter().enumerate() {
            if let Some(version) = view.param(i) {
                let value = analysis.entry(self.program, var);
                self.values[version.index()] = value;
                let value = &self.values[version.index()];
                if *value != self.top {
                    analysis.changed(view, version, value, &mut self.wake);
                    self.follow_wake(Self::insert);
                }
            }
        }
        if A::CONDITIONAL {
            self.blocks[code.graph.entry().index()] = true;
        } else {
            for &block in &code.order {
                self.blocks[block.index()] = true;
                for edge in code.graph.successor_edges(block) {
                    self.edges[edge.index()] = true;
                }
            }
        }
        if !A::CONDITIONAL && !code.is_acyclic() {
            self.mark_read_back();
        }
        for &block in &code.order {
            if self.blocks[block.index()] {
                self.sweep(analysis, block);
                self.settle(analysis);
            }
            self.cursor = chains.block(block).end as usize;
        }
        self.settle(analysis);
        self.narrow(analysis);
    }

    /// Marks the versions that φs read on edges that lead back in the order. If edges become feasible one by one, that is not
    /// needed: those that lead back do when what they carry is known, and then wake the φs.
    fn mark_read_back(&mut self) {
        let (view, chains) = (self.view, self.chains);
        let code = &*view.code;
        self.read_back = vec![false; view.version_count()];
        for &block in &code.order {
            let here = chains.block(block).start;
            let back = |edge: Edge| chains.block(code.graph.source(edge)).start >= here;
            let edges = code.graph.predecessor_edges(block);
            if !edges.iter().any(|&edge| back(edge)) {
                continue;
            }
            for &phi in view.phis_at(block) {
                for (&arg, &edge) in view.phi_args.row(phi as usize).iter().zip(edges) {
                    if arg != NONE && back(edge) {
                        self.read_back[arg as usize] = true;
                    }
                }
            }
            for pos in code.phis(block) {
                for at in code.uses.range(pos.index()) {
                    let (version, edge) = (view.use_version(at), code.use_edge[at]);
                    if version != NONE && edge != NONE && back(Edge::new(edge as usize)) {
                        self.read_back[version as usize] = true;
                    }
                }
            }
        }
    }

    /// Evaluates all sites of a block for the first time, in order.
    fn sweep<A: Analysis<P, Domain = D>>(&mut self, analysis: &mut A, block: Node) {
        let view = self.view;
        let code = &*view.code;
        for &phi in view.phis_at(block) {
            self.cursor += 1;
            self.phi(analysis, phi, Phase::Sweep);
        }
        for pos in code.phis(block) {
            self.cursor += 1;
            self.program_phi(analysis, pos, Phase::Sweep);
        }
        self.sweep_body(analysis, block);
        match self.chains.fork(block) {
            Some(_) => {
                self.cursor += 1;
                self.leave(analysis, block, Phase::Sweep);
                for &sigma in view.sigmas_at(block) {
                    if !self.chains.is_tested(block, sigma) {
                        self.cursor += 1;
                        self.sigma(analysis, sigma, Phase::Sweep);
                    }
                }
            }
            // There is nothing to decide.
            None if A::CONDITIONAL => code.graph.successor_edges(block).for_each(|e| self.take(e)),
            None => {}
        }
    }

    /// Evaluates the instructions of a block behind its φs for the first time. Without copies only those that define something
    /// are looked at.
    #[inline]
    fn sweep_body<A: Analysis<P, Domain = D>>(&mut self, analysis: &mut A, block: Node) {
        let view = self.view;
        let code = &*view.code;
        let body = code.body_range(block);
        let before = self.cursor;
        if view.copies.is_empty() {
            for def in code.defs.span(body.start as usize..body.end as usize) {
                let pos = code.def_pos[def];
                self.cursor = before + (pos - body.start) as usize + 1;
                self.define(analysis, Pos(pos), def, Phase::Sweep);
            }
        } else {
            for pos in body.clone() {
                self.cursor += 1;
                self.instr(analysis, Pos(pos), Phase::Sweep);
            }
        }
        self.cursor = before + body.len();
    }

    /// Evaluates sites that the sweep has passed until nothing changes. Mostly there are none.
    #[inline]
    fn settle<A: Analysis<P, Domain = D>>(&mut self, analysis: &mut A) {
        while !self.is_settled() {
            while let Some(block) = self.reached.pop() {
                self.enter::<A>(block);
            }
            if let Some(site) = self.worklist.pop_first() {
                self.evaluate(analysis, site, Phase::Again);
            }
        }
    }

    #[inline]
    fn is_settled(&self) -> bool {
        self.worklist.is_empty() && self.reached.is_empty()
    }

    /// Control has come to a block that the sweep passed by.
    fn enter<A: Analysis<P, Domain = D>>(&mut self, block: Node) {
        for site in self.chains.block(block) {
            self.worklist.insert(site as usize);
        }
        if A::CONDITIONAL && self.chains.fork(block).is_none() {
            self.view.code.graph.successor_edges(block).for_each(|edge| self.take(edge));
        }
    }

    /// In each round every site that can change is evaluated once, in order. At first these are the sites where something
    /// was widened.
    ///
    /// An analysis may say less of what it knows more of: a set of few intervals is not always smaller if what it is made from
    /// is. Then the values are right, but no solution any more. So sites of which that was seen, and those whose turn does not
    /// come, are evaluated as before in the end.
    fn narrow<A: Analysis<P, Domain = D>>(&mut self, analysis: &mut A) {
        if self.options.narrow_rounds == 0 {
            return;
        }
        let mut next = std::mem::take(&mut self.widened);
        let mut doubted = Vec::new();
        for _ in 0..self.options.narrow_rounds {
            for site in next.drain(..) {
                self.worklist.insert(site as usize);
            }
            while let Some(site) = self.worklist.pop_first() {
                let (view, chains) = (self.view, self.chains);
                self.evaluate(analysis, site, Phase::Narrow);
                if std::mem::take(&mut self.doubt) {
                    doubted.push(site as u32);
                }
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
        for site in next.into_iter().chain(doubted) {
            self.worklist.insert(site as usize);
        }
        self.settle(analysis);
    }

    /// Evaluates a site, if control can be there.
    pub(super) fn evaluate<A: Analysis<P, Domain = D>>(
        &mut self,
        analysis: &mut A,
        site: usize,
        phase: Phase,
    ) {
        let view = self.view;
        let site = self.chains.site(view, site);
        if !self.blocks[site.block(view).index()] {
            return;
        }
        match site {
            Site::Phi(phi) => self.phi(analysis, phi, phase),
            Site::Instr(pos) if view.code.is_phi(pos) => self.program_phi(analysis, pos, phase),
            Site::Instr(pos) => self.instr(analysis, pos, phase),
            Site::Fork(block) => self.leave(analysis, block, phase),
            Site::Sigma(sigma) => self.sigma(analysis, sigma, phase),
        }
    }

    /// A φ of the view.
    fn phi<A: Analysis<P, Domain = D>>(&mut self, analysis: &mut A, phi: u32, phase: Phase) {
        let view = self.view;
        let (block, result) = (view.phis[phi as usize].block, view.phis[phi as usize].result);
        if phase.is_settled(analysis, &self.values[result.index()]) {
            return;
        }
        self.evaluations += 1;
        let mut merged = self.top.clone();
        let args = view.phi_args.row(phi as usize);
        for (&arg, edge) in args.iter().zip(view.code.graph.predecessor_edges(block)) {
            if arg != NONE && self.edges[edge.index()] {
                analysis.meet(&mut merged, &self.values[arg as usize]);
                if analysis.is_least(&merged) {
                    break;
                }
            }
        }
        let merged = analysis.join(view, result, merged);
        self.update(analysis, result, merged, phase);
    }

    /// A φ of the program.
    fn program_phi<A: Analysis<P, Domain = D>>(
        &mut self,
        analysis: &mut A,
        pos: Pos,
        phase: Phase,
    ) {
        let view = self.view;
        let code = &*view.code;
        let uses = code.uses.range(pos.index());
        for (var, result) in view.defs(pos) {
            let Some(result) = result else { continue };
            if phase.is_settled(analysis, &self.values[result.index()]) {
                continue;
            }
            self.evaluations += 1;
            let passes_on = analysis.passes_on(self.program, code.instr(pos), var);
            let mut merged = self.top.clone();
            // Operands and edges are mostly in the same order. If they are many and are not, operands are put in order of the edges.
            let mut next = uses.start;
            let mut sorted: Vec<(u32, usize)> = Vec::new();
            for &edge in code.graph.predecessor_edges(code.block(pos)) {
                let mut first = next;
                let mut reads = next < uses.end && code.use_edge[next] == edge.index() as u32;
                next += usize::from(reads);
                if !reads && uses.len() > WIDE {
                    if sorted.is_empty() {
                        sorted = uses.clone().map(|i| (code.use_edge[i], i)).collect();
                        sorted.sort_unstable();
                    }
                    let at = sorted.partition_point(|&(e, _)| e < edge.index() as u32);
                    if let Some(&(_, i)) =
                        sorted.get(at).filter(|&&(e, _)| e == edge.index() as u32)
                    {
                        (first, reads) = (i, true);
                    }
                }
                if self.edges[edge.index()] {
                    if passes_on && reads {
                        let version = view.use_version(first);
                        if version != NONE {
                            analysis.meet(&mut merged, &self.values[version as usize]);
                            if analysis.is_least(&merged) {
                                break;
                            }
                            continue;
                        }
                    }
                    let cx = self.cx(Side::PhiEdge(pos, edge, first));
                    let value = analysis.transfer(&cx, At::Phi(pos, edge), var);
                    if merged == self.top {
                        merged = value;
                    } else {
                        analysis.meet(&mut merged, &value);
                    }
                    if analysis.is_least(&merged) {
                        break;
                    }
                }
            }
            let merged = analysis.join(view, result, merged);
            self.update(analysis, result, merged, phase);
        }
    }

    /// An instruction that is no φ, with its copies.
    fn instr<A: Analysis<P, Domain = D>>(&mut self, analysis: &mut A, pos: Pos, phase: Phase) {
        let view = self.view;
        for def in view.code.defs.range(pos.index()) {
            self.define(analysis, pos, def, phase);
        }
        for &copy in view.copies_at(pos) {
            let copy = view.copies[copy as usize];
            self.evaluations += 1;
            let value = analysis.transfer(&self.before(pos), At::Pass(pos), copy.var);
            self.update(analysis, copy.result, value, phase);
        }
    }

    /// A definition by an instruction that is no φ, by its entry in the table.
    #[inline]
    fn define<A: Analysis<P, Domain = D>>(
        &mut self,
        analysis: &mut A,
        pos: Pos,
        def: usize,
        phase: Phase,
    ) {
        let view = self.view;
        let code = &*view.code;
        let Some(result) = Version::from_table(view.def_version(def)) else { return };
        let var = code.defs.items()[def];
        if phase == Phase::Sweep {
            if let Some(value) = analysis.settled(self.program, code.instr(pos), var) {
                self.first(analysis, result, value);
                return;
            }
        } else if phase.is_settled(analysis, &self.values[result.index()]) {
            return;
        }
        self.evaluations += 1;
        let value = analysis.transfer(&self.before(pos), At::Define(pos), var);
        self.update(analysis, result, value, phase);
    }

    /// A σ of a variable that the branch does not test: the value goes on as it is.
    fn sigma<A: Analysis<P, Domain = D>>(&mut self, analysis: &mut A, sigma: u32, phase: Phase) {
        let view = self.view;
        let Sigma { block, source, .. } = view.sigmas[sigma as usize];
        self.evaluations += 1;
        let results = view.sigma_results.row(sigma as usize);
        for (&result, edge) in results.iter().zip(view.code.graph.successor_edges(block)) {
            if result != NONE && self.edges[edge.index()] {
                let value = self.values[source.index()].clone();
                self.update(analysis, Version(result), value, phase);
            }
        }
    }

    /// The fork of a block: which edges control can take, and the versions on them of what it tests.
    fn leave<A: Analysis<P, Domain = D>>(&mut self, analysis: &mut A, block: Node, phase: Phase) {
        let view = self.view;
        self.evaluations += 1;
        let sigmas = view.sigmas_at(block);
        if sigmas.is_empty() {
            let mut ways: SmallVec<[Way<'_>; 4]> = SmallVec::new();
            for edge in view.code.graph.successor_edges(block) {
                if !self.edges[edge.index()] {
                    ways.push(Way { edge, taken: !A::CONDITIONAL, split: &[] });
                }
            }
            self.branch(analysis, block, &ways, phase);
            return;
        }
        let mut split = std::mem::take(&mut self.split);
        // The σs of what is tested come for all edges together; each way has its part of the list.
        let mut ends: SmallVec<[(Edge, u32); 4]> = SmallVec::new();
        for (position, edge) in view.code.graph.successor_edges(block).enumerate() {
            let before = split.len();
            for &sigma in sigmas {
                let result = view.sigma_results.row(sigma as usize)[position];
                if result != NONE
                    && self.chains.is_tested(block, sigma)
                    && !phase.is_settled(analysis, &self.values[result as usize])
                {
                    let Sigma { var, source, .. } = view.sigmas[sigma as usize];
                    split.push(Split { var, source, result: Version(result) });
                }
            }
            if !self.edges[edge.index()] || split.len() > before {
                ends.push((edge, split.len() as u32));
            }
        }
        let mut ways: SmallVec<[Way<'_>; 4]> = SmallVec::new();
        let mut start = 0;
        for &(edge, end) in &ends {
            let taken = !A::CONDITIONAL || self.edges[edge.index()];
            ways.push(Way { edge, taken, split: &split[start..end as usize] });
            start = end as usize;
        }
        self.branch(analysis, block, &ways, phase);
        drop(ways);
        split.clear();
        self.split = split;
    }

    /// Asks what a fork says of some edges.
    fn branch<A: Analysis<P, Domain = D>>(
        &mut self,
        analysis: &mut A,
        block: Node,
        ways: &[Way<'_>],
        phase: Phase,
    ) {
        if ways.is_empty() {
            return;
        }
        let mut out = std::mem::replace(&mut self.out, Out::new());
        analysis.branch(&self.at_fork(block), ways, &mut out);
        for edge in out.taken.drain(..) {
            if !self.edges[edge.index()] {
                self.take(edge);
            }
        }
        for (version, value) in out.given.drain(..) {
            self.update(analysis, version, value, phase);
        }
        self.out = out;
    }

    /// An edge has become feasible.
    fn take(&mut self, edge: Edge) {
        self.edges[edge.index()] = true;
        for site in self.chains.sigmas(self.view.code.graph.source(edge)) {
            self.insert(site);
        }
        let target = self.view.code.graph.target(edge);
        let entered = std::mem::replace(&mut self.blocks[target.index()], true);
        if self.chains.block(target).start as usize >= self.cursor {
            return;
        }
        if entered {
            for site in self.chains.phis(self.view, target) {
                self.insert(site);
            }
        } else {
            self.reached.push(target);
        }
    }

    /// A site is to be evaluated again, unless the sweep is still to come to it.
    #[inline]
    fn insert(&mut self, site: u32) {
        if (site as usize) < self.cursor {
            self.worklist.insert(site as usize);
        }
    }

    /// A version gets its first value.
    #[inline]
    fn first<A: Analysis<P, Domain = D>>(&mut self, analysis: &mut A, version: Version, value: D) {
        let slot = &mut self.values[version.index()];
        *slot = value;
        analysis.changed(self.view, version, slot, &mut self.wake);
        if !self.wake.is_empty() {
            self.follow_wake(Self::insert);
        }
        if self.read_back.get(version.index()) == Some(&true) {
            self.wake_readers(version);
        }
    }

    /// The sites that read a version and that the sweep has passed are to be evaluated again.
    fn wake_readers(&mut self, version: Version) {
        let (view, chains) = (self.view, self.chains);
        chains.uses(view, version, |site| self.insert(site));
    }

    /// A site yields a value for a version.
    // In the sweep little is left.
    #[inline(always)]
    fn update<A: Analysis<P, Domain = D>>(
        &mut self,
        analysis: &mut A,
        version: Version,
        value: D,
        phase: Phase,
    ) {
        match phase {
            // Nothing is known of the version yet.
            Phase::Sweep => {
                if value != self.top {
                    self.first(analysis, version, value);
                }
            }
            Phase::Again => self.again(analysis, version, &value),
            Phase::Narrow => self.rise(analysis, version, value),
        }
    }

    fn again<A: Analysis<P, Domain = D>>(&mut self, analysis: &mut A, version: Version, value: &D) {
        if !self.lower(analysis, version, value) {
            return;
        }
        self.wake_readers(version);
        analysis.changed(self.view, version, &self.values[version.index()], &mut self.wake);
        if !self.wake.is_empty() {
            self.follow_wake(Self::insert);
        }
    }

    fn rise<A: Analysis<P, Domain = D>>(&mut self, analysis: &mut A, version: Version, value: D) {
        let old = &self.values[version.index()];
        let new = analysis.narrow(old, &value);
        let mut both = value;
        analysis.meet(&mut both, &new);
        self.doubt |= both != new;
        if new != *old {
            self.values[version.index()] = new;
            self.changed.push(version);
        }
    }
}
