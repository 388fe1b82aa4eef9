//! Backward propagation: what readers say of a version reaches its definition.

use super::Engine;
use crate::analysis::{Analysis, At, Side};
use crate::chains::Site;
use crate::code::NONE;
use crate::program::Program;
use crate::view::{Phi, Sigma, Version};
use lw_graph::Edge;

impl<P: Program + ?Sized, D: Clone + PartialEq + std::fmt::Debug> Engine<'_, P, D> {
    pub(super) fn backward<A: Analysis<P, Domain = D>>(&mut self, analysis: &mut A) {
        let code = &*self.view.code;
        for &block in &code.order {
            self.blocks[block.index()] = true;
            for edge in code.graph.successor_edges(block) {
                self.edges[edge.index()] = true;
            }
        }
        for site in (0..self.chains.len()).rev() {
            self.cursor = site;
            self.evaluate_backward(analysis, site);
            while let Some(site) = self.worklist.pop_last() {
                self.evaluate_backward(analysis, site);
            }
        }
        for _ in 0..self.options.narrow_rounds {
            self.narrow_backward(analysis);
        }
    }

    pub(super) fn evaluate_backward<A: Analysis<P, Domain = D>>(
        &mut self,
        analysis: &mut A,
        site: usize,
    ) {
        self.evaluations += 1;
        let mut given = std::mem::take(&mut self.given);
        self.contributions(analysis, site, &mut |version, value| given.push((version, value)));
        for (version, value) in given.drain(..) {
            if !self.lower(analysis, version, &value) {
                continue;
            }
            if let Some(site) = self.chains.def(self.view, version) {
                self.insert_behind(site);
            }
            analysis.changed(self.view, version, &self.values[version.index()], &mut self.wake);
            if !self.wake.is_empty() {
                self.follow_wake(Self::insert_behind);
            }
        }
        self.given = given;
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
        &self,
        analysis: &A,
        site: usize,
        give: &mut dyn FnMut(Version, D),
    ) {
        let view = self.view;
        let code = &*view.code;
        match self.chains.site(view, site) {
            Site::Phi(phi) => {
                let Phi { var, block, result } = view.phis[phi as usize];
                let args = view.phi_args.row(phi as usize);
                for (&arg, &edge) in args.iter().zip(code.graph.predecessor_edges(block)) {
                    if arg == NONE {
                        continue;
                    }
                    // A φ of the program that reads the variable on this edge speaks for both.
                    let value = match self.chains.beside(view, phi, edge) {
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
