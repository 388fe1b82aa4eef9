//! The dense solver that is made to be fast, for analyses that flow backward.
//!
//! An array per block holds what is known at its start, behind the φs, of the variables that cross a block boundary. A block
//! is executed again, from its end, when the array of a successor changed; blocks late in the [order](Code::order) come
//! first.

use crate::analysis::{Analysis, At, Cx, Source};
use crate::code::{Code, NONE};
use crate::dense_fast::{BlockSolution, globals};
use crate::program::{Program, Var};
use lw_graph::index_queue::IndexQueue;
use lw_graph::{Edge, Node};
use smallvec::SmallVec;

/// Solves a backward analysis block by block.
pub(crate) fn solve<P: Program + ?Sized, A: Analysis<P>>(
    program: &P,
    code: &Code,
    analysis: &A,
) -> BlockSolution<A::Domain> {
    let top = analysis.top();
    let (slot, globals) = globals(code);
    let blocks = code.graph.node_count();
    let mut reached = vec![false; blocks];
    let mut number = vec![0; blocks];
    let mut worklist = IndexQueue::new(code.order.len());
    for (i, &block) in code.order.iter().enumerate() {
        reached[block.index()] = true;
        number[block.index()] = i;
        worklist.insert(i);
    }
    let mut solver = Solver {
        program,
        code,
        analysis,
        states: vec![top.clone(); blocks * globals.len()],
        now: vec![top.clone(); code.variables],
        ahead: vec![top.clone(); code.variables],
        slot,
        globals,
        top,
    };
    while let Some(at) = worklist.pop_last() {
        let block = code.order[at];
        if solver.execute(block) {
            let from = code.graph.predecessors(block).filter(|from| reached[from.index()]);
            from.for_each(|from| worklist.insert(number[from.index()]));
        }
    }
    let Solver { slot, globals, states, .. } = solver;
    BlockSolution::new(slot, globals, states, reached)
}

struct Solver<'a, P: ?Sized, A: Analysis<P>>
where
    P: Program,
{
    program: &'a P,
    code: &'a Code,
    analysis: &'a A,
    top: A::Domain,
    slot: Vec<u32>,
    globals: Vec<Var>,
    /// By block and slot.
    states: Vec<A::Domain>,
    /// By variable: what is known where the solver is, and on an edge ahead.
    now: Vec<A::Domain>,
    ahead: Vec<A::Domain>,
}

/// A variable and what is known of it.
type News<D> = SmallVec<[(Var, D); 4]>;

impl<P: Program + ?Sized, A: Analysis<P>> Solver<'_, P, A> {
    /// Executes a block from its end; true if what is known at its start changed.
    fn execute(&mut self, block: Node) -> bool {
        let code = self.code;
        for &var in &self.globals {
            self.now[var.index()].clone_from(&self.top);
        }
        for &(var, _) in code.tests(block) {
            self.now[var.index()].clone_from(&self.top);
        }
        for edge in code.graph.successor_edges(block) {
            self.follow(block, edge);
        }
        for pos in code.body(block).rev() {
            let mut news: News<A::Domain> = News::new();
            for &var in code.uses(pos) {
                news.push((var, self.transfer(&self.now, At::Pass(pos), var)));
            }
            for &var in code.defs(pos) {
                self.now[var.index()].clone_from(&self.top);
            }
            for (var, value) in news {
                self.now[var.index()] = value;
            }
        }
        let n = self.globals.len();
        let mut changed = false;
        for (old, var) in self.states[block.index() * n..].iter_mut().zip(&self.globals) {
            let new = &self.now[var.index()];
            if new != old {
                let before = old.clone();
                self.analysis.meet(old, new);
                changed |= before != *old;
            }
        }
        changed
    }

    /// Adds what is known on an edge to what is known at the end of the block it leaves.
    fn follow(&mut self, block: Node, edge: Edge) {
        let code = self.code;
        let (target, n) = (code.graph.target(edge), self.globals.len());
        for (var, value) in self.globals.iter().zip(&self.states[target.index() * n..]) {
            self.ahead[var.index()].clone_from(value);
        }
        let mut news: News<A::Domain> = News::new();
        for pos in code.phis(target) {
            for (var, _) in code.phi_uses(pos).filter(|&(_, on)| on == edge) {
                let value = self.transfer(&self.ahead, At::Phi(pos, edge), var);
                match news.iter_mut().find(|(other, _)| *other == var) {
                    Some((_, known)) => self.analysis.meet(known, &value),
                    None => news.push((var, value)),
                }
            }
        }
        for pos in code.phis(target) {
            code.defs(pos).iter().for_each(|v| self.ahead[v.index()].clone_from(&self.top));
        }
        for (var, value) in news {
            self.ahead[var.index()] = value;
        }
        for &(var, _) in code.tests(block) {
            if self.slot[var.index()] == NONE {
                self.ahead[var.index()].clone_from(&self.top);
            }
        }
        let tests = code.tests(block).iter();
        let refined: News<A::Domain> = tests
            .map(|&(var, _)| (var, self.transfer(&self.ahead, At::Branch(edge), var)))
            .collect();
        for (var, value) in refined {
            self.ahead[var.index()] = value;
        }
        let local = |var: &&Var| self.slot[var.index()] == NONE;
        let tested = code.tests(block).iter().map(|(var, _)| var).filter(local);
        for var in self.globals.iter().chain(tested) {
            self.analysis.meet(&mut self.now[var.index()], &self.ahead[var.index()]);
        }
    }

    fn transfer(&self, values: &[A::Domain], at: At, var: Var) -> A::Domain {
        let source = Source::Dense(values);
        let cx = Cx { program: self.program, code: self.code, top: &self.top, source };
        self.analysis.transfer(&cx, at, var)
    }
}
