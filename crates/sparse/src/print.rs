//! A view as text: for each block its φs, the versions each instruction writes and reads, copies behind `∥`, and its σs.

use crate::view::{Version, View};
use lw_graph::Node;
use std::fmt;

impl View {
    fn name(&self, version: Option<Version>) -> String {
        match version {
            None => "undef".into(),
            Some(version) => {
                let var = self.var(version);
                let number = self.versions_of(var).position(|v| v == version);
                format!("{var:?}.{}", number.unwrap_or(0))
            }
        }
    }

    fn write_block(&self, f: &mut fmt::Formatter<'_>, block: Node) -> fmt::Result {
        let list = |versions: &mut dyn Iterator<Item = Option<Version>>| {
            versions.map(|v| self.name(v)).collect::<Vec<_>>().join(", ")
        };
        writeln!(f, "{block} → {:?}:", self.code.graph.successors(block))?;
        for &phi in self.phis_at(block) {
            let result = self.name(Some(self.phis[phi as usize].result));
            writeln!(f, "  {result} = φ({})", list(&mut self.phi_args(phi)))?;
        }
        for pos in self.code.positions(block) {
            let defs = list(&mut self.defs(pos).map(|(_, v)| v));
            let uses = list(&mut self.uses(pos).map(|(_, v)| v));
            write!(f, "  {:?}: {defs} ← {uses}", self.code.instr(pos))?;
            for &copy in self.copies_at(pos) {
                let copy = self.copies[copy as usize];
                let (to, from) = (self.name(Some(copy.result)), self.name(Some(copy.source)));
                write!(f, " ∥ {to} = {from}")?;
            }
            writeln!(f)?;
        }
        for &sigma in self.sigmas_at(block) {
            let source = self.name(Some(self.sigmas[sigma as usize].source));
            writeln!(f, "  ({}) = σ({source})", list(&mut self.sigma_results(sigma)))?;
        }
        Ok(())
    }
}

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.code.block_index().order().iter().try_for_each(|&block| self.write_block(f, block))
    }
}
