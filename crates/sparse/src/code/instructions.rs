//! Reads the instructions of a program into the tables.
//!
//! What is followed and what is not alternates without a rule, so nothing here branches on it: each operand is written, and the
//! next one over it if it is not to be kept. The tables are longer than what is in them, until all has been read.

use super::{Code, NONE};
use crate::program::{Instr, Program, Reader, Var};
use lw_graph::rows::Rows;
use lw_graph::{DepthFirst, Edge, Graph, Node};

/// Tables of uses and definitions, and how much is in them.
struct Tables {
    instrs: Vec<Instr>,
    use_ends: Vec<u32>,
    uses: Vec<Var>,
    def_ends: Vec<u32>,
    defs: Vec<Var>,
    len: usize,
    used: usize,
    defined: usize,
}

impl Tables {
    /// Makes room for so many more instructions.
    fn grow(&mut self, more: usize) {
        let (none, len) = (Var::new(0), self.instrs.len() + more);
        self.instrs.resize(len, Instr::new(0));
        self.use_ends.resize(len + 1, 0);
        self.uses.resize(self.uses.len() + 2 * more, none);
        self.def_ends.resize(len + 1, 0);
        self.defs.resize(self.defs.len() + more, none);
    }

    /// Ends an instruction that is to be kept.
    #[inline]
    fn end(&mut self, instr: Instr, keep: bool) {
        self.instrs[self.len] = instr;
        self.len += usize::from(keep);
        self.use_ends[self.len] = self.used as u32;
        self.def_ends[self.len] = self.defined as u32;
    }
}

impl Code {
    /// `all`: also the instructions that have to do with no variable.
    pub(super) fn read_instructions<P: Program + ?Sized>(
        &mut self,
        program: &P,
        follows: &impl Fn(Var) -> bool,
        all: bool,
    ) {
        let (use_ends, mut uses) = std::mem::take(&mut self.uses).into_parts();
        let (def_ends, mut defs) = std::mem::take(&mut self.defs).into_parts();
        let mut instrs = std::mem::take(&mut self.instrs);
        uses.clear();
        defs.clear();
        instrs.clear();
        let (len, used, defined) = (0, 0, 0);
        let mut tables = Tables { instrs, use_ends, uses, def_ends, defs, len, used, defined };
        tables.grow(program.size() + 1);
        (tables.use_ends[0], tables.def_ends[0]) = (0, 0);
        self.use_edge.clear();
        self.start.push(0);
        for block in self.graph.nodes() {
            let mut instrs = program.instructions(block);
            let mut next = instrs.next();
            let before = tables.len;
            while let Some(phi) = next.filter(|&instr| program.is_phi(instr)) {
                self.read_phi(program, phi, block, &mut tables, (follows, all));
                next = instrs.next();
            }
            self.phis.push((tables.len - before) as u32);
            while let Some(first) = next {
                let home = &mut self.home[..];
                next = read_body(
                    program,
                    first,
                    &mut instrs,
                    &mut tables,
                    (follows, all, home, block),
                );
                if next.is_some() {
                    tables.grow(tables.len.max(64));
                }
            }
            self.block_of.resize(tables.len, block.index() as u32);
            self.start.push(tables.len as u32);
        }
        let Tables { mut instrs, mut use_ends, mut uses, mut def_ends, mut defs, .. } = tables;
        instrs.truncate(tables.len);
        use_ends.truncate(tables.len + 1);
        uses.truncate(tables.used);
        def_ends.truncate(tables.len + 1);
        defs.truncate(tables.defined);
        self.use_edge.resize(uses.len(), NONE);
        self.instrs = instrs;
        self.uses = Rows::from_parts(use_ends, uses);
        self.defs = Rows::from_parts(def_ends, defs);
    }

    /// Reads a φ of a block.
    fn read_phi<P: Program + ?Sized>(
        &mut self,
        program: &P,
        phi: Instr,
        block: Node,
        tables: &mut Tables,
        (follows, all): (&impl Fn(Var) -> bool, bool),
    ) {
        if tables.len == tables.instrs.len() {
            tables.grow(tables.len.max(64));
        }
        let before = (tables.used, tables.defined);
        let Code { graph, search, use_edge, home, .. } = self;
        program.read(phi, &mut Phi { graph, search, use_edge, home, block, tables, follows });
        tables.end(phi, all | (before != (tables.used, tables.defined)));
    }
}

/// Reads the instructions of a block behind its φs, until there are no more, or no room for one: that is returned.
fn read_body<P: Program + ?Sized>(
    program: &P,
    first: Instr,
    rest: &mut impl Iterator<Item = Instr>,
    tables: &mut Tables,
    (follows, all, home, block): (&impl Fn(Var) -> bool, bool, &mut [u32], Node),
) -> Option<Instr> {
    let Tables { instrs, use_ends, uses, def_ends, defs, len, used, defined } = tables;
    let (instrs, use_ends, def_ends) = (&mut instrs[..], &mut use_ends[..], &mut def_ends[..]);
    let block = block.index() as u32;
    let (uses, defs) = (&mut uses[..], &mut defs[..]);
    let mut body = Body { uses, used: *used, defs, defined: *defined, home, block, follows };
    let mut at = *len;
    let mut next = Some(first);
    while let Some(instr) = next {
        let before = (body.used, body.defined);
        program.read(instr, &mut body);
        let fits = body.used <= body.uses.len() && body.defined <= body.defs.len();
        if !fits || at >= instrs.len() {
            (body.used, body.defined) = before;
            break;
        }
        instrs[at] = instr;
        at += usize::from(all | (before != (body.used, body.defined)));
        use_ends[at] = body.used as u32;
        def_ends[at] = body.defined as u32;
        next = rest.next();
    }
    (*len, *used, *defined) = (at, body.used, body.defined);
    next
}

/// What an instruction that is no φ reads and writes. If there is no room, it is only counted.
struct Body<'a, F> {
    uses: &'a mut [Var],
    used: usize,
    defs: &'a mut [Var],
    defined: usize,
    home: &'a mut [u32],
    block: u32,
    follows: &'a F,
}

impl<F: Fn(Var) -> bool> Reader for Body<'_, F> {
    #[inline(always)]
    fn uses(&mut self, var: Var, is_variable: bool) {
        // What is asked of the variable is asked before anything is written.
        let keep = is_variable & (self.follows)(var);
        if let Some(slot) = self.uses.get_mut(self.used) {
            *slot = var;
        }
        self.used += usize::from(keep);
    }

    fn uses_from(&mut self, _: Var, _: Node) {
        debug_assert!(false, "φs come first");
    }

    #[inline(always)]
    fn defines(&mut self, var: Var) {
        let keep = (self.follows)(var);
        if let Some(slot) = self.defs.get_mut(self.defined) {
            *slot = var;
        }
        self.home[var.index()] = self.block;
        self.defined += usize::from(keep);
    }
}

/// What a φ reads and writes.
struct Phi<'a, F> {
    graph: &'a Graph,
    search: &'a DepthFirst,
    use_edge: &'a mut Vec<u32>,
    home: &'a mut [u32],
    block: Node,
    tables: &'a mut Tables,
    follows: &'a F,
}

impl<F: Fn(Var) -> bool> Reader for Phi<'_, F> {
    fn uses(&mut self, _: Var, _: bool) {
        debug_assert!(false, "a φ reads on edges");
    }

    fn uses_from(&mut self, var: Var, from: Node) {
        // What comes from where control cannot be is not read.
        if !(self.follows)(var) || !self.search.is_reachable(from) {
            return;
        }
        // Edges are numbered by source.
        let edges = self.graph.predecessor_edges(self.block);
        let first = edges.partition_point(|&edge| self.graph.source(edge) < from);
        let here = |edge: &&Edge| self.graph.source(**edge) == from;
        for &edge in edges[first..].iter().take_while(here) {
            // Those between are not on edges.
            self.use_edge.resize(self.tables.used, NONE);
            self.use_edge.push(edge.index() as u32);
            if self.tables.used == self.tables.uses.len() {
                self.tables.uses.push(var);
            }
            self.tables.uses[self.tables.used] = var;
            self.tables.used += 1;
        }
    }

    fn defines(&mut self, var: Var) {
        if (self.follows)(var) {
            self.home[var.index()] = self.block.index() as u32;
            if self.tables.defined == self.tables.defs.len() {
                self.tables.defs.push(var);
            }
            self.tables.defs[self.tables.defined] = var;
            self.tables.defined += 1;
        }
    }
}
