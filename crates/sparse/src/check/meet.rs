//! SPLIT-MEET: where different information meets there is a φ or a σ. Information is what crossed a point last, as a set.

use super::points::{number, point_count};
use super::{Checker, Rule, Violation};
use crate::code::{NONE, Point, Pos};
use crate::strategy::Strategy;
use lw_graph::{Edge, Node};
use std::collections::BTreeSet;

impl Checker<'_> {
    /// Forward iteration of sets over points. `cross` maps the set before an instruction or fork, `enter` that on the
    /// edges to that behind the join.
    pub(super) fn iterate_forward(
        &self,
        first: u32,
        instr: impl Fn(Pos) -> Option<u32>,
        fork: impl Fn(Edge) -> Option<u32>,
        join: impl Fn(Node) -> Option<u32>,
    ) -> Vec<BTreeSet<u32>> {
        let code = self.code;
        let mut sets = vec![BTreeSet::new(); point_count(code)];
        loop {
            let mut changed = false;
            let mut add = |sets: &mut Vec<BTreeSet<u32>>, point: Point, set: BTreeSet<u32>| {
                let at = &mut sets[number(code, point)];
                let before = at.len();
                at.extend(set);
                changed |= at.len() != before;
            };
            for &block in &code.order {
                let start = match join(block) {
                    Some(token) => [token].into(),
                    None if block == code.graph.entry() => [first].into(),
                    None => {
                        let edges = code.graph.predecessor_edges(block).iter();
                        edges.flat_map(|&e| sets[number(code, Point::Edge(e))].clone()).collect()
                    }
                };
                add(&mut sets, code.start(block), start);
                for pos in code.body(block) {
                    let set = match instr(pos) {
                        Some(token) => [token].into(),
                        None => sets[pos.index()].clone(),
                    };
                    add(&mut sets, code.after(pos), set);
                }
                for edge in code.graph.successor_edges(block) {
                    let set = match fork(edge) {
                        Some(token) => [token].into(),
                        None => sets[number(code, Point::End(block))].clone(),
                    };
                    add(&mut sets, Point::Edge(edge), set);
                }
            }
            if !changed {
                return sets;
            }
        }
    }

    pub(super) fn reaching(&self) -> Vec<BTreeSet<u32>> {
        let param = self.code.params().iter().position(|&v| v == self.var);
        let first = param.and_then(|i| self.view.param(i)).map_or(NONE, |v| v.0);
        self.iterate_forward(
            first,
            |pos| self.written(pos),
            |edge| self.sigma_result(edge),
            |block| {
                if let Some(phi) = self.phi_at(block) {
                    return Some(self.view.phis()[phi as usize].result.0);
                }
                self.code.phis(block).find_map(|pos| self.written(pos))
            },
        )
    }

    pub(super) fn split_meet(&self) -> Result<(), Violation> {
        let code = self.code;
        let down = self.strategy.down();
        let base = code.len() as u32;
        let blocks = code.graph.node_count() as u32;
        let tokens = self.iterate_forward(
            NONE,
            |pos| {
                let defines = code.defs(pos).contains(&self.var);
                (defines || self.is_source_instr(pos, down)).then_some(pos.0)
            },
            |edge| {
                let block = code.graph.source(edge);
                let token = base + blocks + edge.index() as u32;
                self.is_source_fork(block, down).then_some(token)
            },
            |block| {
                let source = self.defined_at_join(block) || self.is_source_join(block, down);
                source.then_some(base + block.index() as u32)
            },
        );
        for &block in &code.order {
            let start = code.start(block);
            if !self.live(start) || self.defined_at_join(block) || self.at(start) == NONE {
                continue;
            }
            let edges = code.graph.predecessor_edges(block).iter();
            let mut edges = edges.filter(|&&e| code.is_reachable(code.graph.source(e)));
            let Some(first) = edges.next() else { continue };
            let set = |edge: &Edge| &tokens[number(code, Point::Edge(*edge))];
            if edges.any(|edge| set(edge) != set(first)) && self.phi_at(block).is_none() {
                return self.fail(Rule::SplitMeet, start);
            }
        }
        let tokens = self.backward_tokens();
        for &block in &code.order {
            let end = Point::End(block);
            if !self.live(end) || self.at(end) == NONE {
                continue;
            }
            // An edge on which the variable is dead carries ⊤, which meets with anything without a trace.
            let edges = code.graph.successor_edges(block);
            let mut edges = edges.filter(|&e| self.live(Point::Edge(e)));
            let Some(first) = edges.next() else { continue };
            let set = |edge: Edge| &tokens[number(code, Point::Edge(edge))];
            if edges.any(|edge| set(edge) != set(first)) && self.sigma_at(block).is_none() {
                return self.fail(Rule::SplitMeet, end);
            }
        }
        Ok(())
    }

    pub(super) fn backward_tokens(&self) -> Vec<BTreeSet<u32>> {
        let code = self.code;
        let up = self.strategy.up();
        let base = code.len() as u32;
        let mut sets: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); point_count(code)];
        loop {
            let mut changed = false;
            let mut add = |sets: &mut Vec<BTreeSet<u32>>, point: Point, set: BTreeSet<u32>| {
                let at = &mut sets[number(code, point)];
                let before = at.len();
                at.extend(set);
                changed |= at.len() != before;
            };
            for &block in code.order.iter().rev() {
                let end = if self.is_source_fork(block, up) {
                    [base + block.index() as u32].into()
                } else {
                    let edges = code.graph.successor_edges(block);
                    edges.flat_map(|e| sets[number(code, Point::Edge(e))].clone()).collect()
                };
                add(&mut sets, Point::End(block), end);
                for pos in code.body(block).rev() {
                    let defines = code.defs(pos).contains(&self.var);
                    let set = if self.is_source_instr(pos, up) && code.uses(pos).contains(&self.var)
                    {
                        [pos.0].into()
                    } else if defines {
                        BTreeSet::new()
                    } else {
                        sets[number(code, code.after(pos))].clone()
                    };
                    add(&mut sets, Point::Before(pos), set);
                }
                let start = sets[number(code, code.start(block))].clone();
                let defined = self.defined_at_join(block);
                for &edge in code.graph.predecessor_edges(block) {
                    let used = self.used_on(edge);
                    let last = used && (defined || !self.live(code.start(block)));
                    let source = used && up.contains(Strategy::USES_UP)
                        || last && up.contains(Strategy::LAST_USES_UP);
                    let set = if source {
                        [base + code.graph.node_count() as u32 + edge.index() as u32].into()
                    } else if defined {
                        BTreeSet::new()
                    } else {
                        start.clone()
                    };
                    add(&mut sets, Point::Edge(edge), set);
                }
            }
            if !changed {
                return sets;
            }
        }
    }
}
