//! SPLIT-DEF: the nodes a strategy names, read off the program, change the version.

use super::{Checker, Rule, Violation};
use crate::code::{Code, NONE, Point, Pos};
use crate::program::Var;
use crate::strategy::Strategy;
use lw_graph::{Edge, Node};

impl Checker<'_> {
    pub(super) fn is_source_instr(&self, pos: Pos, strategy: Strategy) -> bool {
        let defines = self.code.defs(pos).contains(&self.var);
        let uses = self.code.uses(pos).contains(&self.var);
        let last = uses && (defines || !self.live(self.code.after(pos)));
        let any = |a: Strategy| strategy.intersects(a);
        defines && any(Strategy::DEFS_DOWN | Strategy::DEFS_UP)
            || uses && any(Strategy::USES_DOWN | Strategy::USES_UP)
            || last && any(Strategy::LAST_USES_DOWN | Strategy::LAST_USES_UP)
    }

    pub(super) fn is_source_fork(&self, block: Node, strategy: Strategy) -> bool {
        self.code.tests(block).iter().any(|&(var, test)| var == self.var && strategy.names(test))
    }

    pub(super) fn defined_at_join(&self, block: Node) -> bool {
        self.code.phis(block).any(|phi| self.code.defs(phi).contains(&self.var))
    }

    pub(super) fn used_on(&self, edge: Edge) -> bool {
        let block = self.code.graph.target(edge);
        let mut phis = self.code.phis(block);
        phis.any(|phi| self.code.phi_uses(phi).any(|(v, e)| v == self.var && e == edge))
    }

    pub(super) fn is_source_join(&self, block: Node, strategy: Strategy) -> bool {
        let exits = strategy.intersects(Strategy::LOOP_EXITS_DOWN)
            && leaves_loop_of_def(self.code, self.var, block);
        let mut edges = self.code.graph.predecessor_edges(block).iter();
        let uses = strategy.intersects(Strategy::USES_DOWN | Strategy::USES_UP)
            && edges.any(|&edge| {
                self.used_on(edge) && self.code.is_reachable(self.code.graph.source(edge))
            });
        exits || uses
    }

    pub(super) fn split_def(&self) -> Result<(), Violation> {
        let code = self.code;
        for &block in &code.order {
            if self.live(code.start(block))
                && !self.defined_at_join(block)
                && self.is_source_join(block, self.strategy)
                && self.phi_at(block).is_none()
                && self.at(code.start(block)) != NONE
            {
                return self.fail(Rule::SplitDef, code.start(block));
            }
            for pos in code.body(block) {
                let (before, after) = (Point::Before(pos), code.after(pos));
                if self.live(before)
                    && self.live(after)
                    && self.is_source_instr(pos, self.strategy)
                    && self.at(before) == self.at(after)
                    && self.at(before) != NONE
                {
                    return self.fail(Rule::SplitDef, before);
                }
            }
            for edge in code.graph.successor_edges(block) {
                if self.live(Point::Edge(edge))
                    && code.graph.successors(block).len() > 1
                    && self.is_source_fork(block, self.strategy)
                    && self.at(Point::End(block)) == self.at(Point::Edge(edge))
                    && self.at(Point::End(block)) != NONE
                {
                    return self.fail(Rule::SplitDef, Point::Edge(edge));
                }
            }
        }
        Ok(())
    }
}

/// Whether an edge into `block` leaves a loop in which the variable is defined.
fn leaves_loop_of_def(code: &Code, var: Var, block: Node) -> bool {
    code.graph.predecessors(block).any(|from| {
        code.defs_of(var).iter().any(|&def| {
            let at = Node::new(code.block_of[code.def_pos[def as usize] as usize] as usize);
            let around = code.loops().common(at, from);
            around.is_some_and(|l| !code.loops().contains(l, block))
        })
    })
}
