//! Where loops are left, and which variables leave theirs.

use super::{Code, NONE};
use crate::program::Var;
use lw_graph::rows::Rows;
use lw_graph::{Edge, Loop, Node};

impl Code {
    /// By loop: the blocks that edges out of it lead to, each once.
    pub(super) fn find_exits(&self) -> Rows<Node> {
        let loops = self.loops();
        let mut pairs: Vec<(usize, Node)> = Vec::new();
        for block in self.graph.nodes() {
            for &to in self.graph.successors(block) {
                let left = |l: &Loop| !loops.contains(*l, to);
                let mut around = loops.innermost(block).filter(left);
                while let Some(l) = around {
                    pairs.push((l.index(), to));
                    around = loops.parent(l).filter(left);
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        Rows::group(loops.len(), pairs.iter().copied())
    }

    /// The blocks that edges lead to which leave a loop around `block`; some perhaps twice.
    pub(crate) fn exits_around(&self, block: Node) -> impl Iterator<Item = Node> {
        let loops = self.loops();
        let around = std::iter::successors(loops.innermost(block), |&l| loops.parent(l));
        around.flat_map(|l| self.exits().row(l.index()).iter().copied())
    }

    /// Whether a variable of an SSA program may be live where a loop is left in which it is defined.
    pub(crate) fn may_leave_loop(&self, var: Var) -> bool {
        let Some(pos) = self.definition(var) else { return false };
        let Some(inner) = self.loops().innermost(self.block(pos)) else { return false };
        // A loop with one entry, of this graph, cannot be left and entered again without another definition.
        if !self.own_loops || !self.loops().is_loop_reducible(inner) {
            return true;
        }
        let outside = |block: u32| !self.loops().contains(inner, Node::new(block as usize));
        let tests = self.tests_of(var).iter();
        let uses =
            self.uses_of.row(var.index()).iter().map(|&at| match self.use_edge[at as usize] {
                NONE => self.block_of[self.use_pos[at as usize] as usize],
                edge => self.graph.source(Edge::new(edge as usize)).index() as u32,
            });
        uses.chain(tests.map(|&test| self.test_block[test as usize])).any(outside)
    }
}
