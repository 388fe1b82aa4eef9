//! The dense solver: every variable at every point (003 Def. 1), the reference the sparse one is held against.
//!
//! It knows nothing of views. It is simple and slow on purpose; [`dense_fast`](crate::dense_fast) is the one to measure
//! with.

use crate::analysis::{Analysis, At, Cx, Direction, Source};
use crate::code::{Code, NONE, Point, Pos};
use crate::program::{Program, Var};
use lw_graph::{Edge, Node};

/// The values of all variables at all points.
#[derive(Clone, Debug)]
pub struct DenseSolution<D> {
    /// Before each instruction, by position; unused for φs.
    before: Vec<Vec<D>>,
    end: Vec<Vec<D>>,
    edge: Vec<Vec<D>>,
    edges: Vec<bool>,
    blocks: Vec<bool>,
}

impl<D> DenseSolution<D> {
    /// What is known of a variable at a point.
    pub fn at(&self, var: Var, point: Point) -> &D {
        &self.state(point)[var.index()]
    }

    fn state(&self, point: Point) -> &[D] {
        match point {
            Point::Before(pos) => &self.before[pos.index()],
            Point::End(block) => &self.end[block.index()],
            Point::Edge(edge) => &self.edge[edge.index()],
        }
    }

    fn state_mut(&mut self, point: Point) -> &mut Vec<D> {
        match point {
            Point::Before(pos) => &mut self.before[pos.index()],
            Point::End(block) => &mut self.end[block.index()],
            Point::Edge(edge) => &mut self.edge[edge.index()],
        }
    }

    /// Whether control can be at a point.
    pub fn reached(&self, code: &Code, point: Point) -> bool {
        match point {
            Point::Before(pos) => self.blocks[code.block(pos).index()],
            Point::End(block) => self.blocks[block.index()],
            Point::Edge(edge) => self.edges[edge.index()],
        }
    }
}

/// Solves an analysis at every point.
pub fn solve_dense<P: Program + ?Sized, A: Analysis<P>>(
    program: &P,
    code: &Code,
    analysis: &A,
) -> DenseSolution<A::Domain> {
    let top = analysis.top();
    let states = |n: usize| vec![vec![top.clone(); code.variables]; n];
    let mut dense = Dense {
        program,
        code,
        analysis,
        solution: DenseSolution {
            before: states(code.len()),
            end: states(code.graph.node_count()),
            edge: states(code.graph.edge_count()),
            edges: vec![!A::CONDITIONAL; code.graph.edge_count()],
            blocks: vec![!A::CONDITIONAL; code.graph.node_count()],
        },
        top,
    };
    dense.solution.blocks[code.graph.entry().index()] = true;
    for edge in code.graph.edges() {
        dense.solution.edges[edge.index()] &= code.is_reachable(code.graph.source(edge));
    }
    loop {
        let mut changed = false;
        match A::DIRECTION {
            Direction::Forward => {
                for &block in &code.order {
                    changed |= dense.forward(block);
                }
            }
            Direction::Backward => {
                for &block in code.order.iter().rev() {
                    changed |= dense.backward(block);
                }
            }
        }
        if !changed {
            return dense.solution;
        }
    }
}

struct Dense<'a, P: Program + ?Sized, A: Analysis<P>> {
    program: &'a P,
    code: &'a Code,
    analysis: &'a A,
    top: A::Domain,
    solution: DenseSolution<A::Domain>,
}

impl<P: Program + ?Sized, A: Analysis<P>> Dense<'_, P, A> {
    fn transfer(&self, point: Point, at: At, var: Var) -> A::Domain {
        self.analysis.transfer(&self.cx(point), at, var)
    }

    fn cx(&self, point: Point) -> Cx<'_, P, A::Domain> {
        let source = Source::Dense(self.solution.state(point));
        Cx { program: self.program, code: self.code, top: &self.top, source }
    }

    fn vars(&self) -> impl Iterator<Item = Var> + use<P, A> {
        (0..self.code.variables).map(Var::new)
    }

    /// Lowers a state to what `new` allows; true if it changed.
    fn lower(&mut self, point: Point, new: Vec<A::Domain>) -> bool {
        let mut changed = false;
        for (old, new) in self.solution.state_mut(point).iter_mut().zip(&new) {
            let before = old.clone();
            self.analysis.meet(old, new);
            changed |= before != *old;
        }
        changed
    }

    fn forward(&mut self, block: Node) -> bool {
        if !self.solution.blocks[block.index()] {
            return false;
        }
        let code = self.code;
        let start = self.start(block);
        let mut changed = self.lower(code.start(block), start);
        for pos in code.body(block) {
            let before = Point::Before(pos);
            let state = self
                .vars()
                .map(|var| {
                    if code.defs(pos).contains(&var) {
                        self.transfer(before, At::Define(pos), var)
                    } else if code.uses(pos).contains(&var) {
                        self.transfer(before, At::Pass(pos), var)
                    } else {
                        self.solution.at(var, before).clone()
                    }
                })
                .collect();
            changed |= self.lower(code.after(pos), state);
        }
        for edge in code.graph.successor_edges(block) {
            let end = Point::End(block);
            if !self.solution.edges[edge.index()] {
                if !self.analysis.feasible(&self.cx(end), edge) {
                    continue;
                }
                self.solution.edges[edge.index()] = true;
                self.solution.blocks[code.graph.target(edge).index()] = true;
                changed = true;
            }
            let state = self
                .vars()
                .map(|var| {
                    if code.tests(block).iter().any(|&(v, _)| v == var) {
                        self.transfer(end, At::Branch(edge), var)
                    } else {
                        self.solution.at(var, end).clone()
                    }
                })
                .collect();
            changed |= self.lower(Point::Edge(edge), state);
        }
        changed
    }

    /// The state behind the φs of a block.
    fn start(&self, block: Node) -> Vec<A::Domain> {
        let code = self.code;
        let mut phi_of = vec![NONE; code.variables];
        for pos in code.phis(block) {
            for var in code.defs(pos) {
                phi_of[var.index()] = pos.0;
            }
        }
        let edges: Vec<Edge> = code
            .graph
            .predecessor_edges(block)
            .iter()
            .copied()
            .filter(|e| self.solution.edges[e.index()])
            .collect();
        self.vars()
            .map(|var| {
                let mut value = self.top.clone();
                if block == code.graph.entry() && code.param_of(var).is_some() {
                    value = self.analysis.entry(self.program, var);
                }
                for &edge in &edges {
                    let point = Point::Edge(edge);
                    let from = match phi_of[var.index()] {
                        NONE => self.solution.at(var, point).clone(),
                        pos => self.transfer(point, At::Phi(Pos(pos), edge), var),
                    };
                    self.analysis.meet(&mut value, &from);
                }
                value
            })
            .collect()
    }

    fn backward(&mut self, block: Node) -> bool {
        let code = self.code;
        let mut changed = false;
        let end: Vec<A::Domain> = self
            .vars()
            .map(|var| {
                let tested = code.tests(block).iter().any(|&(v, _)| v == var);
                let mut value = self.top.clone();
                for edge in code.graph.successor_edges(block) {
                    let point = Point::Edge(edge);
                    let from = if tested {
                        self.transfer(point, At::Branch(edge), var)
                    } else {
                        self.solution.at(var, point).clone()
                    };
                    self.analysis.meet(&mut value, &from);
                }
                value
            })
            .collect();
        changed |= self.lower(Point::End(block), end);
        for pos in code.body(block).rev() {
            let after = code.after(pos);
            let state = self
                .vars()
                .map(|var| {
                    if code.uses(pos).contains(&var) {
                        self.transfer(after, At::Pass(pos), var)
                    } else if code.defs(pos).contains(&var) {
                        self.top.clone()
                    } else {
                        self.solution.at(var, after).clone()
                    }
                })
                .collect();
            changed |= self.lower(Point::Before(pos), state);
        }
        let start = code.start(block);
        for &edge in code.graph.predecessor_edges(block) {
            let state = self.vars().map(|var| self.before_join(block, edge, start, var)).collect();
            changed |= self.lower(Point::Edge(edge), state);
        }
        changed
    }

    /// What is known of a variable before the join of a block, on an edge.
    fn before_join(&self, block: Node, edge: Edge, start: Point, var: Var) -> A::Domain {
        let code = self.code;
        let mut value = self.top.clone();
        let (mut used, mut defined) = (false, false);
        for pos in code.phis(block) {
            defined |= code.defs(pos).contains(&var);
            if code.phi_uses(pos).any(|(v, e)| v == var && e == edge) {
                used = true;
                let from = self.transfer(start, At::Phi(pos, edge), var);
                self.analysis.meet(&mut value, &from);
            }
        }
        if !used && !defined {
            return self.solution.at(var, start).clone();
        }
        value
    }
}
