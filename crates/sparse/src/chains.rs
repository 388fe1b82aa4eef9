//! Def-use chains of a view, and the order in which a solver works through it.
//!
//! A *site* is what a solver evaluates at once: a φ of the view, an instruction with the copies beside it, or the fork of
//! a block with its σs. Sites are numbered along the block index: φs of a block, its instructions, its fork.

use crate::code::{NONE, Pos};
use crate::rows::Rows;
use crate::view::{Def, Version, View};
use lw_graph::Node;
use std::ops::Range;

/// What is evaluated at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Site {
    /// A φ of the view.
    Phi(u32),
    /// An instruction of the program, with its copies.
    Instr(Pos),
    /// The fork of a block.
    Fork(Node),
}

/// The chains of a view. Unreachable code has no sites.
#[derive(Clone, Debug)]
pub struct Chains {
    sites: Vec<Site>,
    /// By block: its sites; empty when unreachable.
    of_block: Vec<(u32, u32)>,
    of_phi: Vec<u32>,
    of_instr: Vec<u32>,
    uses: Rows<u32>,
}

impl Chains {
    /// Builds the chains, in linear time.
    pub fn new(view: &View) -> Chains {
        let code = &view.code;
        let total = code.len() + view.phis.len() + code.graph.node_count();
        let mut chains = Chains {
            sites: Vec::with_capacity(total),
            of_block: vec![(0, 0); code.graph.node_count()],
            of_phi: vec![NONE; view.phis.len()],
            of_instr: vec![NONE; code.len()],
            uses: Rows::default(),
        };
        for &block in code.index.order() {
            let start = chains.sites.len() as u32;
            for &phi in view.phis_at(block) {
                chains.of_phi[phi as usize] = chains.sites.len() as u32;
                chains.sites.push(Site::Phi(phi));
            }
            for pos in code.range(block) {
                chains.of_instr[pos as usize] = chains.sites.len() as u32;
                chains.sites.push(Site::Instr(Pos(pos)));
            }
            chains.sites.push(Site::Fork(block));
            chains.of_block[block.index()] = (start, chains.sites.len() as u32);
        }
        chains.uses = chains.users(view);
        chains
    }

    fn users(&self, view: &View) -> Rows<u32> {
        let code = &view.code;
        let phis = (0..view.phis.len()).flat_map(|phi| {
            view.phi_args.row(phi).iter().map(move |&version| (version, self.of_phi[phi]))
        });
        let uses = view.use_version.iter().zip(&code.use_pos);
        let uses = uses.map(|(&version, &pos)| (version, self.of_instr[pos as usize]));
        let copies = view.copies.iter().map(|c| (c.source.0, self.of_instr[c.pos.index()]));
        let fork = |block: Node| self.of_block[block.index()].1.wrapping_sub(1);
        let sigmas = view.sigmas.iter().map(|s| (s.source.0, fork(s.block)));
        let tests = view.test_version.iter().zip(&code.test_block);
        let tests = tests.map(|(&version, &block)| (version, fork(Node::new(block as usize))));
        let all = phis.chain(uses).chain(copies).chain(sigmas).chain(tests);
        let all = all.filter(|&(version, site)| version != NONE && site != NONE);
        Rows::group(view.version_count(), all.map(|(version, site)| (version as usize, site)))
    }

    /// How many sites there are.
    pub fn len(&self) -> usize {
        self.sites.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.sites.is_empty()
    }

    /// A site by number.
    pub fn site(&self, number: usize) -> Site {
        self.sites[number]
    }

    /// The numbers of the sites that read a version. One may come twice.
    pub fn uses(&self, version: Version) -> &[u32] {
        self.uses.row(version.index())
    }

    /// The number of the site that writes a version; `None` for parameters and unreachable code.
    pub fn def(&self, view: &View, version: Version) -> Option<u32> {
        let site = match view.def(version) {
            Def::Param => return None,
            Def::Instr(pos) => self.of_instr[pos.index()],
            Def::Phi(phi) => self.of_phi[phi as usize],
            Def::Sigma(sigma, _) => return self.fork(view.sigmas[sigma as usize].block),
            Def::Copy(copy) => self.of_instr[view.copies[copy as usize].pos.index()],
        };
        (site != NONE).then_some(site)
    }

    /// The numbers of the sites of a block.
    pub fn block(&self, block: Node) -> Range<u32> {
        let (start, end) = self.of_block[block.index()];
        start..end
    }

    /// The number of the fork of a block.
    pub fn fork(&self, block: Node) -> Option<u32> {
        let (start, end) = self.of_block[block.index()];
        (start < end).then(|| end - 1)
    }

    /// The numbers of the φs of a block, those of the view and those of the program.
    pub fn phis(&self, view: &View, block: Node) -> Range<u32> {
        let (start, end) = self.of_block[block.index()];
        let phis = view.phis_at(block).len() + view.code.phis(block).count();
        start..end.min(start + phis as u32)
    }

    /// The number of an instruction.
    pub fn instr(&self, pos: Pos) -> Option<u32> {
        Some(self.of_instr[pos.index()]).filter(|&site| site != NONE)
    }
}
