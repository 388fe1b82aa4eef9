//! Reads a program into the tables.

use super::{Code, LEAVES, NONE, NOWHERE, RESULTS};
use crate::program::{Program, Test, Var};
use lw_graph::{Node, loop_order};
use std::sync::OnceLock;

impl Code {
    /// `all`: also the instructions that have to do with no variable. `tests`: also what branches test.
    pub(super) fn read<P: Program + ?Sized>(
        &mut self,
        program: &P,
        follows: impl Fn(Var) -> bool,
        all: bool,
        tests: bool,
    ) {
        self.forget(program);
        program.parameters(|var| {
            if follows(var) {
                self.params.push(var);
            }
        });
        self.read_instructions(program, &follows, all);
        self.use_edge.resize(self.uses.items().len(), NONE);
        self.uses.number(&mut self.use_pos);
        self.defs.number(&mut self.def_pos);
        self.count_uses();
        for block in self.graph.nodes() {
            if tests {
                self.read_tests(program, block, &follows);
            }
            self.tests.end_row();
        }
        self.definitions.find(self.ssa, self.variables, &self.params, self.defs.items());
        let uses = self.uses.items().iter().enumerate();
        self.uses_of.fill(uses.map(|(i, var)| (var.index(), i as u32)));
        if self.ssa {
            self.test_results(program);
        }
    }

    /// Begins with the graph of a program and empty tables, which have room for it.
    fn forget<P: Program + ?Sized>(&mut self, program: &P) {
        self.loops = OnceLock::new();
        self.dominators = OnceLock::new();
        self.index = OnceLock::new();
        self.sole_entry = OnceLock::new();
        self.exits = OnceLock::new();
        self.tests_of = OnceLock::new();
        program.graph_again(&mut self.graph);
        let graph = &self.graph;
        assert!(
            graph.predecessor_edges(graph.entry()).is_empty(),
            "the entry of a program has no predecessors"
        );
        let (n, variables) = (graph.node_count(), program.variable_count());
        self.search.compute_again(graph);
        loop_order(graph, &self.search, &mut self.order);
        self.own_loops = true;
        (self.variables, self.ssa) = (variables, program.is_ssa());
        again(&mut self.start, n + 1);
        again(&mut self.phis, n);
        self.block_of.clear();
        self.tests.begin(n, n);
        self.params.clear();
        again(&mut self.home, variables);
        self.home.resize(variables, NOWHERE);
        self.uses_of.begin_counting(variables);
        again(&mut self.test_block, n);
    }

    /// A branch that tests a variable also tests what was computed from it before.
    fn test_results<P: Program + ?Sized>(&mut self, program: &P) {
        let mut more: Vec<(u32, Var)> = Vec::new();
        for (test, &(var, kind)) in self.tests.items().iter().enumerate() {
            if kind == Test::Through {
                continue;
            }
            let at = self.test_block[test];
            for &used in self.uses_of.row(var.index()).iter().take(RESULTS) {
                let pos = self.use_pos[used as usize] as usize;
                let [result] = *self.defs.row(pos) else { continue };
                // What is not needed in another block is not split.
                if self.home[result.index()] & LEAVES == 0 {
                    continue;
                }
                let [block, fork] = [self.block_of[pos], at].map(|block| Node::new(block as usize));
                if program.computed_from(self.instrs[pos]) == Some(var)
                    && self.tests(fork).iter().all(|&(known, _)| known != result)
                    && !more.iter().rev().take_while(|(b, _)| *b == at).any(|m| m.1 == result)
                    && (block == fork || self.dominators().dominates(block, fork))
                {
                    more.push((at, result));
                    leave(&mut self.home, result, at);
                }
            }
        }
        if more.is_empty() {
            return;
        }
        let known = self.test_block.iter().zip(self.tests.items());
        let known = known.map(|(&block, &test)| (block as usize, test));
        let more = more.iter().map(|&(block, var)| (block as usize, (var, Test::Through)));
        let all: Vec<_> = known.chain(more).collect();
        let blocks = self.graph.node_count();
        self.tests.regroup(blocks, all.iter().copied());
        self.test_block.clear();
        for block in 0..blocks {
            let row = self.tests.row(block).len();
            self.test_block.extend(std::iter::repeat_n(block as u32, row));
        }
    }

    /// Counts the uses of each variable, and finds out which ones leave the blocks that define them.
    fn count_uses(&mut self) {
        let Code { uses, use_edge, use_pos, uses_of, block_of, home, .. } = self;
        let edges = use_edge.iter().zip(&*use_pos);
        for (&var, (&edge, &pos)) in uses.items().iter().zip(edges) {
            uses_of.count(var.index());
            if edge == NONE {
                leave(home, var, block_of[pos as usize]);
            } else {
                home[var.index()] |= LEAVES;
            }
        }
    }

    fn read_tests<P: Program + ?Sized>(
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

/// A variable is read or tested in a block. Where it is defined is known.
#[inline]
fn leave(home: &mut [u32], var: Var, block: u32) {
    let home = &mut home[var.index()];
    *home |= if *home == block { 0 } else { LEAVES };
}

/// Makes room for so many items in the memory of others.
fn again<T>(items: &mut Vec<T>, room: usize) {
    items.clear();
    items.reserve(room);
}
