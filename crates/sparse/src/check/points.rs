//! Points as numbers, and where variables are live, found by iteration.

use crate::code::{Code, Point};
use crate::program::Var;

/// Where each variable is live, found by iteration: by variable, by point.
#[derive(Clone, Debug)]
pub struct LivePoints {
    points: usize,
    live: Vec<bool>,
}

impl LivePoints {
    /// Finds all live ranges.
    pub fn compute(code: &Code) -> LivePoints {
        let points = point_count(code);
        let mut live = Vec::with_capacity(points * code.variables);
        for var in (0..code.variables).map(Var::new) {
            live.extend(live_points(code, var));
        }
        LivePoints { points, live }
    }

    /// Whether a variable is live at a point.
    pub fn at(&self, code: &Code, var: Var, point: Point) -> bool {
        self.live[var.index() * self.points + number(code, point)]
    }
}

pub(super) fn point_count(code: &Code) -> usize {
    code.len() + code.graph.node_count() + code.graph.edge_count()
}

pub(super) fn number(code: &Code, point: Point) -> usize {
    match point {
        Point::Before(pos) => pos.index(),
        Point::End(block) => code.len() + block.index(),
        Point::Edge(edge) => code.len() + code.graph.node_count() + edge.index(),
    }
}

pub(super) fn live_points(code: &Code, var: Var) -> Vec<bool> {
    let mut live = vec![false; point_count(code)];
    loop {
        let mut changed = false;
        let mut set = |live: &mut Vec<bool>, point: Point, value: bool| {
            let at = &mut live[number(code, point)];
            changed |= value && !*at;
            *at |= value;
        };
        for &block in code.order.iter().rev() {
            let tested = code.tests(block).iter().any(|&(v, _)| v == var);
            let mut edges = code.graph.successor_edges(block);
            let leaves = edges.any(|e| live[number(code, Point::Edge(e))]);
            set(&mut live, Point::End(block), tested || leaves);
            for pos in code.body(block).rev() {
                let after = live[number(code, code.after(pos))];
                let value =
                    code.uses(pos).contains(&var) || after && !code.defs(pos).contains(&var);
                set(&mut live, Point::Before(pos), value);
            }
            let start = live[number(code, code.start(block))];
            let defined = code.phis(block).any(|phi| code.defs(phi).contains(&var));
            for &edge in code.graph.predecessor_edges(block) {
                let used = code
                    .phis(block)
                    .any(|phi| code.phi_uses(phi).any(|(v, e)| v == var && e == edge));
                set(&mut live, Point::Edge(edge), used || start && !defined);
            }
        }
        if !changed {
            return live;
        }
    }
}
