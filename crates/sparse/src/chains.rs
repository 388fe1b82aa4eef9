//! Def-use chains of a view, and the order in which a solver works through it.
//!
//! A *site* is what a solver evaluates at once: a φ of the view, an instruction with the copies beside it, the fork of a
//! block with the σs of what it tests, or another σ. Sites are numbered along the
//! [order](crate::Code::order) of the blocks: φs of a block, its instructions, its fork, its other σs. A block with a single successor has no fork.

use crate::code::{NONE, Pos};
use crate::view::{Def, Version, View};
use lw_graph::rows::Rows;
use lw_graph::{Edge, Node};
use std::ops::Range;
use std::sync::OnceLock;

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

impl Site {
    /// The block of a site.
    #[inline]
    pub(crate) fn block(self, view: &View) -> Node {
        match self {
            Site::Phi(phi) => view.phis[phi as usize].block,
            Site::Instr(pos) => view.code.block(pos),
            Site::Fork(block) => block,
            Site::Sigma(sigma) => view.sigmas[sigma as usize].block,
        }
    }
}

/// The chains of a view. Unreachable code has no sites. The default is of nothing.
#[derive(Clone, Debug, Default)]
pub struct Chains {
    len: usize,
    blocks: Vec<Sites>,
    /// By site: its block, if the program has loops, so that sites are evaluated again.
    block_of: Vec<Node>,
    of_sigma: Vec<u32>,
    of_phi: Vec<u32>,
    /// Who reads the versions that splitting made, in order, and then the originals of variables that were split. Made when
    /// it is asked for.
    uses: OnceLock<Rows<u32>>,
    /// By φ of the view: the φs of the program that read its variable, and on which edges. Made when it is asked for.
    beside: OnceLock<Rows<(u32, Pos)>>,
}

/// The sites of a block; all zero when unreachable.
#[derive(Clone, Copy, Debug)]
struct Sites {
    start: u32,
    /// That of its first instruction; [`NONE`] when unreachable.
    instrs: u32,
    /// [`NONE`] if it has none.
    fork: u32,
    end: u32,
}

impl Chains {
    /// Numbers the sites, in linear time.
    pub fn new(view: &View) -> Chains {
        let mut chains = Chains::default();
        chains.turn_to(view);
        chains
    }

    /// Numbers the sites of another view, in the memory of what was there.
    pub(crate) fn turn_to(&mut self, view: &View) {
        let Chains { blocks, block_of, of_phi, of_sigma, .. } = self;
        let code = &view.code;
        let none = Sites { start: 0, instrs: NONE, fork: NONE, end: 0 };
        blocks.clear();
        blocks.resize(code.graph.node_count(), none);
        of_phi.clear();
        of_phi.resize(view.phis.len(), NONE);
        of_sigma.clear();
        of_sigma.resize(view.sigmas.len(), NONE);
        block_of.clear();
        let mut next = 0;
        for &block in &code.order {
            let start = next;
            for &phi in view.phis_at(block) {
                of_phi[phi as usize] = next;
                next += 1;
            }
            let instrs = next;
            next += code.range(block).len() as u32;
            let mut fork = NONE;
            if code.graph.successors(block).len() > 1 {
                fork = next;
                next += 1;
                for &sigma in view.sigmas_at(block) {
                    let var = view.sigmas[sigma as usize].var;
                    let tested = code.tests(block).iter().any(|&(tested, _)| tested == var);
                    of_sigma[sigma as usize] = if tested { fork } else { next };
                    next += u32::from(!tested);
                }
            }
            blocks[block.index()] = Sites { start, instrs, fork, end: next };
            if !code.is_acyclic() {
                block_of.resize(next as usize, block);
            }
        }
        self.len = next as usize;
        self.uses = OnceLock::new();
        self.beside = OnceLock::new();
    }

    /// The readers of versions of variables that have several.
    fn readers(&self, view: &View) -> Rows<u32> {
        let code = &view.code;
        let rows = view.version_count() - view.originals as usize + view.split.len();
        let mut pairs: Vec<(usize, u32)> = Vec::with_capacity(rows + view.phi_args.items().len());
        let mut reads = |version: u32, site: u32| {
            if version != NONE && site != NONE {
                pairs.push((row(view, Version(version)).unwrap_or(0), site));
            }
        };
        for (phi, &site) in self.of_phi.iter().enumerate() {
            view.phi_args.row(phi).iter().for_each(|&version| reads(version, site));
        }
        for split in &view.split {
            let (uses, tests) = view.versions_read(split);
            let var = split.var.index();
            for (&version, &at) in uses.iter().zip(code.uses_of.row(var)) {
                reads(version, self.of_instr(view, Pos(code.use_pos[at as usize])));
            }
            for (&version, &test) in tests.iter().zip(code.tests_of(split.var)) {
                reads(version, self.blocks[code.test_block[test as usize] as usize].fork);
            }
        }
        view.copies.iter().for_each(|c| reads(c.source.0, self.of_instr(view, c.pos)));
        view.sigmas.iter().zip(&self.of_sigma).for_each(|(s, &site)| reads(s.source.0, site));
        Rows::group(rows, pairs.iter().copied())
    }

    /// The φ of the program beside a φ of the view that reads the same variable on an edge.
    pub(crate) fn beside(&self, view: &View, phi: u32, edge: Edge) -> Option<Pos> {
        let beside = self.beside.get_or_init(|| self.phis_beside(view));
        let mut row = beside.row(phi as usize).iter();
        row.find(|&&(on, _)| on == edge.index() as u32).map(|&(_, pos)| pos)
    }

    fn phis_beside(&self, view: &View) -> Rows<(u32, Pos)> {
        let code = &view.code;
        let mut pairs: Vec<(usize, (u32, Pos))> = Vec::new();
        // By variable: its φ in the block at hand.
        let mut here = vec![NONE; code.variables];
        for &block in &code.order {
            let phis = view.phis_at(block);
            if phis.is_empty() || code.phis(block).len() == 0 {
                continue;
            }
            phis.iter().for_each(|&phi| here[view.phis[phi as usize].var.index()] = phi);
            for pos in code.phis(block) {
                for (var, edge) in code.phi_uses(pos) {
                    if here[var.index()] != NONE {
                        pairs.push((here[var.index()] as usize, (edge.index() as u32, pos)));
                    }
                }
            }
            phis.iter().for_each(|&phi| here[view.phis[phi as usize].var.index()] = NONE);
        }
        Rows::group(view.phis.len(), pairs.iter().copied())
    }

    /// The number of an instruction; [`NONE`] when unreachable.
    #[inline]
    fn of_instr(&self, view: &View, pos: Pos) -> u32 {
        let block = view.code.block(pos);
        match self.blocks[block.index()].instrs {
            NONE => NONE,
            first => first + pos.0 - view.code.range(block).start,
        }
    }

    /// How many sites there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// A site by number.
    #[inline]
    pub fn site(&self, view: &View, number: usize) -> Site {
        let (order, number) = (&view.code.order, number as u32);
        let block = match self.block_of.get(number as usize) {
            Some(&block) => block,
            None => {
                // Blocks without sites begin where the next one does.
                let begins = |block: &Node| self.blocks[block.index()].start <= number;
                order[order.partition_point(begins) - 1]
            }
        };
        let Sites { start, instrs, fork, .. } = self.blocks[block.index()];
        if number < instrs {
            return Site::Phi(view.phis_at(block)[(number - start) as usize]);
        }
        match number.checked_sub(fork) {
            None => Site::Instr(Pos(view.code.range(block).start + number - instrs)),
            Some(0) => Site::Fork(block),
            Some(k) => {
                let mut others =
                    view.sigmas_at(block).iter().filter(|&&s| !self.is_tested(block, s));
                Site::Sigma(others.nth(k as usize - 1).copied().unwrap_or(NONE))
            }
        }
    }

    /// Calls `visit` with the numbers of the sites that read a version. One may come twice.
    #[inline]
    pub fn uses(&self, view: &View, version: Version, mut visit: impl FnMut(u32)) {
        if let Some(row) = row(view, version) {
            let uses = self.uses.get_or_init(|| self.readers(view));
            uses.row(row).iter().for_each(|&site| visit(site));
            return;
        }
        // All uses of the variable are of its only version.
        let (code, var) = (&view.code, view.var(version));
        for &at in code.uses_of.row(var.index()) {
            let site = self.of_instr(view, Pos(code.use_pos[at as usize]));
            if site != NONE {
                visit(site);
            }
        }
        for &test in code.tests_of(var) {
            let site = self.blocks[code.test_block[test as usize] as usize].fork;
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
            Def::Instr(pos) => self.of_instr(view, pos),
            Def::Phi(phi) => self.of_phi[phi as usize],
            Def::Sigma(sigma, _) => self.of_sigma[sigma as usize],
            Def::Copy(copy) => self.of_instr(view, view.copies[copy as usize].pos),
        };
        (site != NONE).then_some(site)
    }

    /// The numbers of the sites of a block.
    #[inline]
    pub fn block(&self, block: Node) -> Range<u32> {
        let sites = &self.blocks[block.index()];
        sites.start..sites.end
    }

    /// The number of the fork of a block, if it has a site.
    #[inline]
    pub fn fork(&self, block: Node) -> Option<u32> {
        Some(self.blocks[block.index()].fork).filter(|&site| site != NONE)
    }

    /// The numbers of the σs of a block that have sites of their own.
    #[inline]
    pub fn sigmas(&self, block: Node) -> Range<u32> {
        let sites = &self.blocks[block.index()];
        match sites.fork {
            NONE => 0..0,
            fork => fork + 1..sites.end,
        }
    }

    /// Whether a σ is part of the fork of its block.
    #[inline]
    pub(crate) fn is_tested(&self, block: Node, sigma: u32) -> bool {
        self.of_sigma[sigma as usize] == self.blocks[block.index()].fork
    }

    /// The numbers of the φs of a block, those of the view and those of the program.
    pub fn phis(&self, view: &View, block: Node) -> Range<u32> {
        let sites = &self.blocks[block.index()];
        let phis = view.phis_at(block).len() + view.code.phis(block).len();
        sites.start..sites.end.min(sites.start + phis as u32)
    }

    /// The number of an instruction.
    #[inline]
    pub fn instr(&self, view: &View, pos: Pos) -> Option<u32> {
        Some(self.of_instr(view, pos)).filter(|&site| site != NONE)
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
