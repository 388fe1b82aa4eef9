//! A dense solver made to be fast: what sparse solving must beat.
//!
//! One array per block holds the values of all variables that cross a block boundary; a block whose array changed is
//! executed again from its start, in the [order](Code::order) of the blocks. Values between instructions are not kept. This is the
//! forward half; the other one is alike.

use crate::analysis::{Analysis, At, Cx, Direction, Source};
use crate::code::{Code, NONE};
use crate::dense_backward;
use crate::engine::Options;
use crate::program::{Program, Var};
use lw_graph::Node;
use lw_graph::index_queue::IndexQueue;

/// The values at the start of each block, behind its φs.
#[derive(Clone, Debug)]
pub struct BlockSolution<D> {
    slot: Vec<u32>,
    globals: Vec<Var>,
    states: Vec<D>,
    reached: Vec<bool>,
}

impl<D> BlockSolution<D> {
    pub(crate) fn new(
        slot: Vec<u32>,
        globals: Vec<Var>,
        states: Vec<D>,
        reached: Vec<bool>,
    ) -> BlockSolution<D> {
        BlockSolution { slot, globals, states, reached }
    }

    /// What is known of a variable at the start of a block; `None` if it crosses no block boundary, or control does not
    /// reach the block.
    pub fn at_start(&self, block: Node, var: Var) -> Option<&D> {
        let slot = self.slot[var.index()];
        (slot != NONE && self.reached[block.index()])
            .then(|| &self.states[block.index() * self.globals.len() + slot as usize])
    }
}

/// Solves an analysis block by block. Widening is for forward analyses only.
pub fn solve_blocks<P: Program + ?Sized, A: Analysis<P>>(
    program: &P,
    code: &Code,
    analysis: &A,
    options: Options,
) -> BlockSolution<A::Domain> {
    if A::DIRECTION == Direction::Backward {
        return dense_backward::solve(program, code, analysis);
    }
    let top = analysis.top();
    let (slot, globals) = globals(code);
    let n = globals.len();
    let blocks = code.graph.node_count();
    let mut states = vec![top.clone(); blocks * n];
    let mut reached = vec![false; blocks];
    let mut visits = vec![0u32; blocks];
    let mut edges = vec![false; code.graph.edge_count()];
    let mut worklist = IndexQueue::new(blocks);
    let defs = code.defs.items().iter().zip(&code.def_pos);
    let settled: Vec<Option<A::Domain>> = defs
        .map(|(&var, &pos)| analysis.settled(program, code.instrs[pos as usize], var))
        .collect();
    let mut now = vec![top.clone(); code.variables];
    let entry = code.graph.entry();
    for &param in &code.params {
        let value = analysis.entry(program, param);
        match slot[param.index()] {
            NONE => now[param.index()] = value,
            slot => states[entry.index() * n + slot as usize] = value,
        }
    }
    reached[entry.index()] = true;
    worklist.insert(0);
    while let Some(at) = worklist.pop_first() {
        let block = code.order[at];
        visits[block.index()] += 1;
        for (var, value) in globals.iter().zip(&states[block.index() * n..]) {
            now[var.index()].clone_from(value);
        }
        for pos in code.body(block) {
            let cx = |now| Cx { program, code, top: &top, source: Source::Dense(now) };
            // Passing and defining happen at once; an instruction writes little.
            let mut new: smallvec::SmallVec<[(Var, A::Domain); 2]> = smallvec::SmallVec::new();
            for &var in code.uses(pos) {
                if !code.defs(pos).contains(&var) {
                    new.push((var, analysis.transfer(&cx(&now), At::Pass(pos), var)));
                }
            }
            for (i, &var) in code.defs.range(pos.index()).zip(code.defs(pos)) {
                let value = match &settled[i] {
                    Some(value) => value.clone(),
                    None => analysis.transfer(&cx(&now), At::Define(pos), var),
                };
                new.push((var, value));
            }
            for (var, value) in new {
                now[var.index()] = value;
            }
        }
        for edge in code.graph.successor_edges(block) {
            let cx = |now| Cx { program, code, top: &top, source: Source::Dense(now) };
            if A::CONDITIONAL && !edges[edge.index()] && !analysis.feasible(&cx(&now), edge) {
                continue;
            }
            let first = !std::mem::replace(&mut edges[edge.index()], true);
            let target = code.graph.target(edge);
            let mut changed = !std::mem::replace(&mut reached[target.index()], true) || first;
            let tests = code.tests(block);
            let refined: smallvec::SmallVec<[A::Domain; 2]> = tests
                .iter()
                .map(|&(var, _)| analysis.transfer(&cx(&now), At::Branch(edge), var))
                .collect();
            let mut saved: smallvec::SmallVec<[(Var, A::Domain); 2]> = smallvec::SmallVec::new();
            for (&(var, _), value) in tests.iter().zip(refined) {
                saved.push((var, std::mem::replace(&mut now[var.index()], value)));
            }
            let cx = |now| Cx { program, code, top: &top, source: Source::Dense(now) };
            let phis: smallvec::SmallVec<[(Var, A::Domain); 4]> = code
                .phis(target)
                .flat_map(|pos| code.defs(pos).iter().map(move |&var| (pos, var)))
                .map(|(pos, var)| (var, analysis.transfer(&cx(&now), At::Phi(pos, edge), var)))
                .collect();
            let state = &mut states[target.index() * n..(target.index() + 1) * n];
            let widen = options.widen_after.is_some_and(|limit| visits[target.index()] > limit);
            let mut lower = |into: &mut A::Domain, with: &A::Domain| {
                let mut new = into.clone();
                analysis.meet(&mut new, with);
                if new != *into {
                    *into = if widen { analysis.widen(into, &new) } else { new };
                    changed = true;
                }
            };
            for (var, value) in &phis {
                if slot[var.index()] != NONE {
                    lower(&mut state[slot[var.index()] as usize], value);
                }
            }
            for (into, var) in state.iter_mut().zip(&globals) {
                if phis.iter().all(|(phi, _)| phi != var) {
                    lower(into, &now[var.index()]);
                }
            }
            for (var, value) in saved.into_iter().rev() {
                now[var.index()] = value;
            }
            if changed && let Some(index) = code.block_index().index(target) {
                worklist.insert(index);
            }
        }
    }
    BlockSolution { slot, globals, states, reached }
}

/// The variables that are used in another block than they are defined in, or by φs, or defined by them; and their slots.
pub(crate) fn globals(code: &Code) -> (Vec<u32>, Vec<Var>) {
    let mut slot = vec![NONE; code.variables];
    let mut globals = Vec::new();
    let mut add = |var: Var| {
        if slot[var.index()] == NONE {
            slot[var.index()] = globals.len() as u32;
            globals.push(var);
        }
    };
    for &block in &code.order {
        code.phis(block).for_each(|pos| code.defs(pos).iter().for_each(|&var| add(var)));
    }
    for (i, &var) in code.uses.items().iter().enumerate() {
        let block = Node::new(code.block_of[code.use_pos[i] as usize] as usize);
        let local = code.use_edge[i] == NONE
            && crate::liveness::last_def_before(code, var, code.use_pos[i], block).is_some();
        if !local {
            add(var);
        }
    }
    for (i, &(var, _)) in code.tests.items().iter().enumerate() {
        let block = Node::new(code.test_block[i] as usize);
        let end = code.range(block).end;
        if crate::liveness::last_def_before(code, var, end, block).is_none() {
            add(var);
        }
    }
    (slot, globals)
}
