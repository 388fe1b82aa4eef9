//! Def-use chains of a view, and the order in which a solver works through it.
//!
//! A *site* is what a solver evaluates at once: a φ of the view, an instruction with the copies beside it, the fork of a
//! block with the σs of what it tests, or another σ. Sites are numbered along the block index: φs of a block, its
//! instructions, its fork, its other σs. A block with a single successor has no fork.

use crate::code::{NONE, Pos};
use crate::view::{Def, Version, View};
use lw_graph::Node;
use lw_graph::rows::Rows;
use std::ops::Range;

/// What is evaluated at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Site {
    /// A φ of the view.
    Phi(u32),
    /// An instruction of the program, with its copies.
    Instr(Pos),
    /// The fork of a block, with the σs of variables that its branch tests.
    Fork(Node),
    /// A σ of another variable.
    Sigma(u32),
}

/// The chains of a view. Unreachable code has no sites.
#[derive(Clone, Debug)]
pub struct Chains {
    sites: Vec<Site>,
    /// By block: its sites; empty when unreachable.
    of_block: Vec<(u32, u32)>,
    of_fork: Vec<u32>,
    of_sigma: Vec<u32>,
    of_phi: Vec<u32>,
    of_instr: Vec<u32>,
    /// Who reads the versions that splitting made, in order, and then the originals of variables that were split.
    uses: Rows<u32>,
}

impl Chains {
    /// Builds the chains, in linear time.
    pub fn new(view: &View) -> Chains {
        let code = &view.code;
        let total = code.len() + view.phis.len() + view.sigmas.len() + code.graph.node_count();
        let mut chains = Chains {
            sites: Vec::with_capacity(total),
            of_block: vec![(0, 0); code.graph.node_count()],
            of_fork: vec![NONE; code.graph.node_count()],
            of_phi: vec![NONE; view.phis.len()],
            of_sigma: vec![NONE; view.sigmas.len()],
            of_instr: vec![NONE; code.len()],
            uses: Rows::default(),
        };
        for &block in &code.order {
            let start = chains.sites.len() as u32;
            for &phi in view.phis_at(block) {
                chains.of_phi[phi as usize] = chains.sites.len() as u32;
                chains.sites.push(Site::Phi(phi));
            }
            for pos in code.range(block) {
                chains.of_instr[pos as usize] = chains.sites.len() as u32;
                chains.sites.push(Site::Instr(Pos(pos)));
            }
            if code.graph.successors(block).len() > 1 {
                chains.of_fork[block.index()] = chains.sites.len() as u32;
                chains.sites.push(Site::Fork(block));
            }
            for &sigma in view.sigmas_at(block) {
                let var = view.sigmas[sigma as usize].var;
                let tested = code.tests(block).iter().any(|&(tested, _)| tested == var);
                chains.of_sigma[sigma as usize] = if tested {
                    chains.of_fork[block.index()]
                } else {
                    chains.sites.push(Site::Sigma(sigma));
                    chains.sites.len() as u32 - 1
                };
            }
            chains.of_block[block.index()] = (start, chains.sites.len() as u32);
        }
        chains.uses = chains.users(view);
        chains
    }

    /// The readers of versions of variables that have several.
    fn users(&self, view: &View) -> Rows<u32> {
        let code = &view.code;
        let phis = (0..view.phis.len()).flat_map(|phi| {
            view.phi_args.row(phi).iter().map(move |&version| (version, self.of_phi[phi]))
        });
        let split = view.split.iter().flat_map(|split| {
            let (uses, tests) = view.versions_read(split);
            let var = split.var.index();
            let uses = uses.iter().zip(code.uses_of.row(var)).map(|(&version, &at)| {
                (version, self.of_instr[code.use_pos[at as usize] as usize])
            });
            let tests = tests.iter().zip(code.tests_of.row(var)).map(|(&version, &test)| {
                (version, self.of_fork[code.test_block[test as usize] as usize])
            });
            uses.chain(tests)
        });
        let copies = view.copies.iter().map(|c| (c.source.0, self.of_instr[c.pos.index()]));
        let sigmas = view.sigmas.iter().zip(&self.of_sigma).map(|(s, &site)| (s.source.0, site));
        let all = phis.chain(split).chain(copies).chain(sigmas);
        let all = all.filter(|&(version, site)| version != NONE && site != NONE);
        let rows = view.version_count() - view.originals as usize + view.split.len();
        let row = |version| row(view, Version(version)).unwrap_or(0);
        Rows::group(rows, all.map(move |(version, site)| (row(version), site)))
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
    #[inline]
    pub fn site(&self, number: usize) -> Site {
        self.sites[number]
    }

    /// Calls `visit` with the numbers of the sites that read a version. One may come twice.
    #[inline]
    pub fn uses(&self, view: &View, version: Version, mut visit: impl FnMut(u32)) {
        if let Some(row) = row(view, version) {
            self.uses.row(row).iter().for_each(|&site| visit(site));
            return;
        }
        // All uses of the variable are of its only version.
        let (code, var) = (&view.code, view.var(version).index());
        for &at in code.uses_of.row(var) {
            let site = self.of_instr[code.use_pos[at as usize] as usize];
            if site != NONE {
                visit(site);
            }
        }
        for &test in code.tests_of.row(var) {
            let site = self.of_fork[code.test_block[test as usize] as usize];
            if site != NONE {
                visit(site);
            }
        }
    }

    /// The number of the site that writes a version; `None` for parameters and unreachable code.
    #[inline]
    pub fn def(&self, view: &View, version: Version) -> Option<u32> {
        let site = match view.def(version) {
            Def::Param => return None,
            Def::Instr(pos) => self.of_instr[pos.index()],
            Def::Phi(phi) => self.of_phi[phi as usize],
            Def::Sigma(sigma, _) => self.of_sigma[sigma as usize],
            Def::Copy(copy) => self.of_instr[view.copies[copy as usize].pos.index()],
        };
        (site != NONE).then_some(site)
    }

    /// The numbers of the sites of a block.
    #[inline]
    pub fn block(&self, block: Node) -> Range<u32> {
        let (start, end) = self.of_block[block.index()];
        start..end
    }

    /// The number of the fork of a block, if it has a site.
    #[inline]
    pub fn fork(&self, block: Node) -> Option<u32> {
        Some(self.of_fork[block.index()]).filter(|&site| site != NONE)
    }

    /// The numbers of the σs of a block that have sites of their own.
    #[inline]
    pub fn sigmas(&self, block: Node) -> Range<u32> {
        match self.of_fork[block.index()] {
            NONE => 0..0,
            fork => fork + 1..self.of_block[block.index()].1,
        }
    }

    /// Whether a σ is part of the fork of its block.
    #[inline]
    pub(crate) fn is_tested(&self, block: Node, sigma: u32) -> bool {
        self.of_sigma[sigma as usize] == self.of_fork[block.index()]
    }

    /// The numbers of the φs of a block, those of the view and those of the program.
    pub fn phis(&self, view: &View, block: Node) -> Range<u32> {
        let (start, end) = self.of_block[block.index()];
        let phis = view.phis_at(block).len() + view.code.phis(block).count();
        start..end.min(start + phis as u32)
    }

    /// The block of a site.
    #[inline]
    pub(crate) fn block_of(&self, view: &View, site: u32) -> Node {
        match self.sites[site as usize] {
            Site::Phi(phi) => view.phis[phi as usize].block,
            Site::Instr(pos) => view.code.block(pos),
            Site::Fork(block) => block,
            Site::Sigma(sigma) => view.sigmas[sigma as usize].block,
        }
    }

    /// The number of an instruction.
    #[inline]
    pub fn instr(&self, pos: Pos) -> Option<u32> {
        Some(self.of_instr[pos.index()]).filter(|&site| site != NONE)
    }
}

/// The row of [`Chains::uses`] of a version; `None` if its variable was not split.
#[inline]
fn row(view: &View, version: Version) -> Option<usize> {
    let originals = view.originals as usize;
    match version.index().checked_sub(originals) {
        Some(row) => Some(row),
        None => view.split_of(view.var(version)).map(|k| view.version_count() - originals + k),
    }
}
