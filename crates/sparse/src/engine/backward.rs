//! Backward propagation: what readers say of a version reaches its definition.
//!
//! As forward, a sweep over the blocks, here from the last to the first. A site that the sweep has passed and whose results
//! get new values is evaluated again when the block at hand is done.

use super::Engine;
use crate::analysis::{Analysis, At, Side};
use crate::chains::Site;
use crate::code::{NONE, Pos};
use crate::program::Program;
use crate::view::{Phi, Sigma, Version};
use lw_graph::{Edge, Node};

impl<P: Program + ?Sized, D: Clone + PartialEq + std::fmt::Debug> Engine<'_, P, D> {
    pub(super) fn backward<A: Analysis<P, Domain = D>>(&mut self, analysis: &mut A) {
        let code = &*self.view.code;
        for &block in &code.order {
            self.blocks[block.index()] = true;
            for edge in code.graph.successor_edges(block) {
                self.edges[edge.index()] = true;
            }
        }
        self.cursor = self.chains.len();
        for &block in code.order.iter().rev() {
            self.sweep_back(analysis, block);
            while let Some(site) = self.worklist.pop_last() {
                self.evaluate_backward(analysis, site);
            }
        }
        for _ in 0..self.options.narrow_rounds {
            self.narrow_backward(analysis);
        }
    }

    /// Evaluates all sites of a block for the first time, from the last to the first.
    fn sweep_back<A: Analysis<P, Domain = D>>(&mut self, analysis: &mut A, block: Node) {
        let (view, chains) = (self.view, self.chains);
        let code = &*view.code;
        if chains.fork(block).is_some() {
            for &sigma in view.sigmas_at(block).iter().rev() {
                if !chains.is_tested(block, sigma) {
                    self.step_back();
                    self.sigma_back(analysis, sigma, &mut Self::lower_back);
                }
            }
            self.step_back();
            self.fork_back(analysis, block, &mut Self::lower_back);
        }
        for pos in code.body(block).rev() {
            self.step_back();
            self.instr_back(analysis, pos, &mut Self::lower_back);
        }
        for pos in code.phis(block).rev() {
            self.step_back();
            self.program_phi_back(analysis, pos, &mut Self::lower_back);
        }
        for &phi in view.phis_at(block).iter().rev() {
            self.step_back();
            self.phi_back(analysis, phi, &mut Self::lower_back);
        }
    }

    #[inline]
    fn step_back(&mut self) {
        self.cursor -= 1;
        self.evaluations += 1;
    }

    pub(super) fn evaluate_backward<A: Analysis<P, Domain = D>>(
        &mut self,
        analysis: &mut A,
        site: usize,
    ) {
        self.evaluations += 1;
        self.contributions(analysis, site, &mut Self::lower_back);
    }

    /// A reader says this of a version.
    #[inline]
    fn lower_back<A: Analysis<P, Domain = D>>(
        &mut self,
        analysis: &mut A,
        version: Version,
        value: D,
    ) {
        if !self.lower(analysis, version, &value) {
            return;
        }
        if let Some(site) = self.chains.def(self.view, version) {
            self.insert_behind(site);
        }
        analysis.changed(self.view, version, &self.values[version.index()], &mut self.wake);
        if !self.wake.is_empty() {
            self.follow_wake(Self::insert_behind);
        }
    }

    /// A site is to be evaluated again, unless the sweep is still to come to it.
    #[inline]
    fn insert_behind(&mut self, site: u32) {
        if site as usize >= self.cursor {
            self.worklist.insert(site as usize);
        }
    }

    /// Calls `give` with what a site says about the versions it reads.
    fn contributions<A: Analysis<P, Domain = D>>(
        &mut self,
        analysis: &mut A,
        site: usize,
        give: &mut impl FnMut(&mut Self, &mut A, Version, D),
    ) {
        match self.chains.site(self.view, site) {
            Site::Phi(phi) => self.phi_back(analysis, phi, give),
            Site::Instr(pos) if self.view.code.is_phi(pos) => {
                self.program_phi_back(analysis, pos, give);
            }
            Site::Instr(pos) => self.instr_back(analysis, pos, give),
            Site::Fork(block) => self.fork_back(analysis, block, give),
            Site::Sigma(sigma) => self.sigma_back(analysis, sigma, give),
        }
    }

    /// A φ of the view.
    fn phi_back<A: Analysis<P, Domain = D>>(
        &mut self,
        analysis: &mut A,
        phi: u32,
        give: &mut impl FnMut(&mut Self, &mut A, Version, D),
    ) {
        let view = self.view;
        let Phi { var, block, result } = view.phis[phi as usize];
        let args = view.phi_args.row(phi as usize);
        let has_phis = view.code.phis(block).len() > 0;
        for (&arg, &edge) in args.iter().zip(view.code.graph.predecessor_edges(block)) {
            if arg == NONE {
                continue;
            }
            // A φ of the program that reads the variable on this edge speaks for both.
            let beside = if has_phis { self.chains.beside(view, phi, edge) } else { None };
            let value = match beside {
                Some(pos) => {
                    analysis.transfer(&self.cx(Side::BehindPhi(pos)), At::Phi(pos, edge), var)
                }
                None => self.values[result.index()].clone(),
            };
            give(self, analysis, Version(arg), value);
        }
    }

    /// A φ of the program.
    fn program_phi_back<A: Analysis<P, Domain = D>>(
        &mut self,
        analysis: &mut A,
        pos: Pos,
        give: &mut impl FnMut(&mut Self, &mut A, Version, D),
    ) {
        let view = self.view;
        let code = &*view.code;
        for at in code.uses.range(pos.index()) {
            let (version, edge) = (view.use_version(at), code.use_edge[at]);
            if version != NONE && edge != NONE {
                let at_phi = At::Phi(pos, Edge::new(edge as usize));
                let cx = self.cx(Side::BehindPhi(pos));
                let value = analysis.transfer(&cx, at_phi, code.uses.items()[at]);
                give(self, analysis, Version(version), value);
            }
        }
    }

    /// An instruction that is no φ, with its copies.
    fn instr_back<A: Analysis<P, Domain = D>>(
        &mut self,
        analysis: &mut A,
        pos: Pos,
        give: &mut impl FnMut(&mut Self, &mut A, Version, D),
    ) {
        let view = self.view;
        let code = &*view.code;
        let uses = code.uses.range(pos.index());
        let copies = view.copies_at(pos);
        let mut copied = 0;
        for at in uses.clone() {
            let version = view.use_version(at);
            if version == NONE {
                continue;
            }
            let var = code.uses.items()[at];
            let copy = copies.iter().map(|&copy| &view.copies[copy as usize]);
            let behind = match copy.clone().find(|copy| copy.var == var) {
                Some(copy) => {
                    copied += 1;
                    Side::BehindUse(pos, var, copy.result.0)
                }
                None if code.ssa => Side::BehindUse(pos, var, version),
                None => Side::BehindInstr(pos),
            };
            let value = analysis.transfer(&self.cx(behind), At::Pass(pos), var);
            give(self, analysis, Version(version), value);
        }
        // Mostly all copies are of what is used.
        if copied < copies.len() {
            for &copy in copies {
                let copy = view.copies[copy as usize];
                if !code.uses(pos).contains(&copy.var) {
                    let value = self.values[copy.result.index()].clone();
                    give(self, analysis, copy.source, value);
                }
            }
        }
    }

    /// The fork of a block, with the σs of what it tests.
    fn fork_back<A: Analysis<P, Domain = D>>(
        &mut self,
        analysis: &mut A,
        block: Node,
        give: &mut impl FnMut(&mut Self, &mut A, Version, D),
    ) {
        let view = self.view;
        for &sigma in view.sigmas_at(block) {
            if !self.chains.is_tested(block, sigma) {
                continue;
            }
            let Sigma { var, source, .. } = view.sigmas[sigma as usize];
            let results = view.sigma_results.row(sigma as usize);
            for (&result, edge) in results.iter().zip(view.code.graph.successor_edges(block)) {
                if result != NONE {
                    let cx = self.cx(Side::OnEdge(edge, var, result));
                    let value = analysis.transfer(&cx, At::Branch(edge), var);
                    give(self, analysis, source, value);
                }
            }
        }
    }

    /// A σ of a variable that the branch does not test: it only collects.
    fn sigma_back<A: Analysis<P, Domain = D>>(
        &mut self,
        analysis: &mut A,
        sigma: u32,
        give: &mut impl FnMut(&mut Self, &mut A, Version, D),
    ) {
        let view = self.view;
        let source = view.sigmas[sigma as usize].source;
        for &result in view.sigma_results.row(sigma as usize) {
            if result != NONE {
                let value = self.values[result as usize].clone();
                give(self, analysis, source, value);
            }
        }
    }

    /// One round: every version is what its readers say now, if that narrows it.
    fn narrow_backward<A: Analysis<P, Domain = D>>(&mut self, analysis: &mut A) {
        let mut next = vec![self.top.clone(); self.values.len()];
        for site in (0..self.chains.len()).rev() {
            self.contributions(analysis, site, &mut |_, analysis, version, value| {
                analysis.meet(&mut next[version.index()], &value);
            });
        }
        for (value, next) in self.values.iter_mut().zip(&next) {
            *value = analysis.narrow(value, next);
        }
    }
}
