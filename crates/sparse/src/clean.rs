//! `clean` of 003 Fig. 9: inserted instructions that reach no actual use, or that no actual definition reaches, go.

use crate::code::{Code, NONE};
use crate::rename::Web;
use crate::split::Places;
use crate::view::Def;
use lw_graph::rows::Rows;

impl Web {
    /// Whether an inserted instruction reads the variable where no definition reaches.
    pub(crate) fn has_undefined(&self, code: &Code, places: &Places) -> bool {
        let undefined = |versions: &[u32]| versions.contains(&NONE);
        undefined(&self.sigma_source)
            || undefined(&self.copy_source)
            || places.phis.iter().enumerate().any(|(k, &block)| {
                let edges = code.graph.predecessor_edges(block);
                let args = &self.phi_args[self.phi_start[k] as usize..];
                edges
                    .iter()
                    .zip(args)
                    .any(|(&edge, &arg)| arg == NONE && code.is_reachable(code.graph.source(edge)))
            })
    }

    /// Replaces versions that are not live by undef in φs, σs and copies. Those of which nothing is left are found by
    /// [`phi_is_gone`](Web::phi_is_gone) and its like.
    pub(crate) fn clean(&mut self) {
        let n = self.defs.len();
        // Inserted instructions as (uses, defs), φs first, then σs, then copies.
        let (phis, sigmas) = (self.phi_result.len(), self.sigma_source.len());
        let pairs: Vec<(usize, u32)> = {
            let phi = (0..phis).flat_map(|k| {
                let args = self.phi_start[k] as usize..self.phi_start[k + 1] as usize;
                self.phi_args[args].iter().map(move |&v| (v, k))
            });
            let sigma = self.sigma_source.iter().enumerate().map(|(k, &v)| (v, phis + k));
            let copy = self.copy_source.iter().enumerate().map(|(k, &v)| (v, phis + sigmas + k));
            let all = phi.chain(sigma).chain(copy);
            all.filter(|&(v, _)| v != NONE).map(|(v, node)| (v as usize, node as u32)).collect()
        };
        let users = Rows::group(n, pairs.iter().copied());

        let mut defined = vec![false; n];
        let mut worklist: Vec<u32> = (0..n as u32)
            .filter(|&v| matches!(self.defs[v as usize], Def::Param | Def::Instr(_)))
            .collect();
        while let Some(version) = worklist.pop() {
            if std::mem::replace(&mut defined[version as usize], true) {
                continue;
            }
            for &node in users.row(version as usize) {
                let node = node as usize;
                if node < phis {
                    worklist.push(self.phi_result[node]);
                } else if node < phis + sigmas {
                    let k = node - phis;
                    let range = self.sigma_start[k] as usize..self.sigma_start[k + 1] as usize;
                    worklist.extend(self.sigma_results[range].iter().filter(|&&v| v != NONE));
                } else {
                    worklist.push(self.copy_result[node - phis - sigmas]);
                }
            }
        }

        let mut used = vec![false; n];
        let actual = self.uses.iter().chain(&self.tests).map(|&(_, version)| version);
        worklist.extend(actual.filter(|&v| v != NONE));
        while let Some(version) = worklist.pop() {
            if std::mem::replace(&mut used[version as usize], true) {
                continue;
            }
            match self.defs[version as usize] {
                Def::Param | Def::Instr(_) => {}
                Def::Phi(k) => {
                    let k = k as usize;
                    let args = self.phi_start[k] as usize..self.phi_start[k + 1] as usize;
                    worklist.extend(self.phi_args[args].iter().filter(|&&v| v != NONE));
                }
                Def::Sigma(k, _) => {
                    worklist.extend(Some(self.sigma_source[k as usize]).filter(|&v| v != NONE));
                }
                Def::Copy(k) => {
                    worklist.extend(Some(self.copy_source[k as usize]).filter(|&v| v != NONE));
                }
            }
        }

        let live = |version: &mut u32| {
            let keep = *version != NONE && defined[*version as usize] && used[*version as usize];
            if !keep {
                *version = NONE;
            }
        };
        let tables = [
            &mut self.phi_args,
            &mut self.phi_result,
            &mut self.sigma_results,
            &mut self.sigma_source,
            &mut self.copy_source,
            &mut self.copy_result,
        ];
        for table in tables {
            table.iter_mut().for_each(live);
        }
        for (_, version) in self.uses.iter_mut().chain(&mut self.tests) {
            live(version);
        }
    }

    pub(crate) fn phi_is_gone(&self, k: usize) -> bool {
        let args = self.phi_start[k] as usize..self.phi_start[k + 1] as usize;
        self.phi_result[k] == NONE || self.phi_args[args].iter().all(|&v| v == NONE)
    }

    pub(crate) fn sigma_is_gone(&self, k: usize) -> bool {
        let results = self.sigma_start[k] as usize..self.sigma_start[k + 1] as usize;
        self.sigma_source[k] == NONE || self.sigma_results[results].iter().all(|&v| v == NONE)
    }

    pub(crate) fn copy_is_gone(&self, k: usize) -> bool {
        self.copy_source[k] == NONE || self.copy_result[k] == NONE
    }
}
