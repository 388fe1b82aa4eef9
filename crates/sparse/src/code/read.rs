//! Reads the instructions of a block into the tables.

use super::{Code, LEAVES, NONE};
use crate::program::{Operand, Program, Var};
use lw_graph::{Edge, Node};

impl Code {
    pub(super) fn read_block<P: Program + ?Sized>(
        &mut self,
        program: &P,
        block: Node,
        (follows, all): (&impl Fn(Var) -> bool, bool),
    ) {
        let pos = self.instrs.len() as u32;
        let mut reader = Reader { code: self, block, pos };
        for instr in program.instructions(block) {
            let (uses, defs) = (reader.code.uses.items().len(), reader.code.defs.items().len());
            program.operands(instr, |operand| {
                if follows(operand.var()) {
                    reader.operand(operand);
                }
            });
            let code = &mut *reader.code;
            if !all && (uses, defs) == (code.uses.items().len(), code.defs.items().len()) {
                continue;
            }
            code.instrs.push(instr);
            code.uses.end_row();
            code.defs.end_row();
            code.phis[block.index()] += u32::from(program.is_phi(instr));
            reader.pos += 1;
        }
        self.block_of.resize(self.instrs.len(), block.index() as u32);
        self.start.push(self.instrs.len() as u32);
    }

    pub(super) fn read_tests<P: Program + ?Sized>(
        &mut self,
        program: &P,
        block: Node,
        follows: &impl Fn(Var) -> bool,
    ) {
        let first = self.tests.items().len();
        program.tests(block, |var, test| {
            if follows(var) && self.tests.items()[first..].iter().all(|known| known.0 != var) {
                self.tests.push((var, test));
                self.test_block.push(block.index() as u32);
                leave(&mut self.home, var, block.index() as u32);
            }
        });
    }
}

/// Where operands are read into.
struct Reader<'a> {
    code: &'a mut Code,
    block: Node,
    pos: u32,
}

impl Reader<'_> {
    #[inline]
    fn operand(&mut self, operand: Operand) {
        match operand {
            Operand::Use(var) => self.use_here(var),
            Operand::UseFrom(var, from) => self.use_from(var, from),
            Operand::Def(var) => self.define(var),
        }
    }

    fn use_here(&mut self, var: Var) {
        let code = &mut *self.code;
        code.uses.push(var);
        code.use_pos.push(self.pos);
        leave(&mut code.home, var, self.block.index() as u32);
        code.uses_of.count(var.index());
    }

    fn define(&mut self, var: Var) {
        let code = &mut *self.code;
        code.defs.push(var);
        code.def_pos.push(self.pos);
        let home = &mut code.home[var.index()];
        *home = *home & LEAVES | self.block.index() as u32;
    }

    /// A φ reads a variable on the edges from a block.
    fn use_from(&mut self, var: Var, from: Node) {
        let Code { graph, search, uses, use_edge, use_pos, uses_of, home, .. } = &mut *self.code;
        // What comes from where control cannot be is not read.
        if !search.is_reachable(from) {
            return;
        }
        // Edges are numbered by source.
        let edges = graph.predecessor_edges(self.block);
        let first = edges.partition_point(|&edge| graph.source(edge) < from);
        let here = |edge: &&Edge| graph.source(**edge) == from;
        for &edge in edges[first..].iter().take_while(here) {
            // Those between are not on edges.
            use_edge.resize(uses.items().len(), NONE);
            uses.push(var);
            use_edge.push(edge.index() as u32);
            use_pos.push(self.pos);
            home[var.index()] |= LEAVES;
            uses_of.count(var.index());
        }
    }
}

/// A variable is read or tested in a block. If it is defined there as well, that was seen before.
#[inline]
pub(super) fn leave(home: &mut [u32], var: Var, block: u32) {
    let home = &mut home[var.index()];
    if *home != block {
        *home |= LEAVES;
    }
}
