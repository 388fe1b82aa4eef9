//! `rename` of 003 Fig. 8 for programs in SSA form: which version of a variable each use sees, without an order.
//!
//! The one definition of a variable dominates its live range, so the version at the start of a block is found by going up
//! the dominator tree to the closest block with a φ, a copy, the definition, or a σ result that arrives over the only edge
//! into it. What is found is noted for all blocks on the way. All of them are in the live range, so renaming a variable
//! costs no more than its liveness did, and nothing has to be sorted. Everything inserted is used and defined: there is
//! nothing to clean.

use crate::code::{Code, NONE, Pos};
use crate::liveness::Liveness;
use crate::program::Var;
use crate::split::Places;
use crate::view::{Def, ParallelCopy, Phi, Sigma, Version, View};
use lw_graph::{Edge, Node};

/// What is known of the variable in a block; a part holds if it has the number of the variable.
#[derive(Clone, Copy, Debug, Default)]
struct Here {
    at_start: u32,
    /// The version at the start, behind φs.
    start: u32,
    at_end: u32,
    /// The version of the last definition or copy.
    end: u32,
    at_fork: u32,
    /// Where the results of its σ begin in the table of the view, less the number of its first edge.
    fork: u32,
}

/// Renames one variable after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Renaming {
    blocks: Vec<Here>,
    /// The number of the variable.
    now: u32,
    path: Vec<Node>,
    /// Whether control can reach all blocks.
    all_reachable: bool,
}

impl Renaming {
    /// Renames a variable that is split at `places` and adds the result to the view.
    pub(crate) fn rename(
        &mut self,
        view: &mut View,
        code: &Code,
        var: Var,
        places: &Places,
        live: &Liveness,
    ) {
        let Some(original) = code.original(var) else { return };
        self.begin(code, var, original);
        let first = view.version_count() as u32;
        let copies = self.number(view, code, var, places, live);

        let View { phi_args, sigmas, sigma_results, .. } = view;
        let results = sigma_results.items();
        for &block in &places.phis {
            let edges = code.graph.predecessor_edges(block).iter();
            let edges = edges.zip(code.graph.predecessors(block));
            phi_args.extend(edges.map(|(&e, from)| self.on_edge(code, results, e, from, original)));
            phi_args.end_row();
        }
        sigmas.extend(places.sigmas.iter().map(|&block| {
            let source = Version(self.at_end(code, block, original));
            Sigma { var, block, source }
        }));
        for (k, &pos) in places.copies.iter().enumerate() {
            let before = k.checked_sub(1).map(|k| (places.copies[k], copies + k as u32));
            let source = Version(self.before(code, pos, before, original));
            let result = Version(copies + k as u32);
            view.copies.push(ParallelCopy { var, pos: Pos(pos), source, result });
        }

        let (new, results) = view.was_split(code, var, first);
        let mut next = 0;
        for (version, &at) in new.uses.iter_mut().zip(code.uses_of.row(var.index())) {
            let at = at as usize;
            if code.use_edge[at] != NONE {
                let edge = Edge::new(code.use_edge[at] as usize);
                let source = code.graph.source(edge);
                *version = self.on_edge(code, results, edge, source, original);
                continue;
            }
            let pos = code.use_pos[at];
            while places.copies.get(next).is_some_and(|&copy| copy < pos) {
                next += 1;
            }
            let before = next.checked_sub(1).map(|k| (places.copies[k], copies + k as u32));
            *version = self.before(code, pos, before, original);
        }
        for (version, &test) in new.tests.iter_mut().zip(code.tests_of(var)) {
            let block = Node::new(code.test_block[test as usize] as usize);
            if code.is_reachable(block) {
                *version = self.at_end(code, block, original);
            }
        }
    }

    fn begin(&mut self, code: &Code, var: Var, original: u32) {
        if self.blocks.len() < code.graph.node_count() {
            self.blocks.resize(code.graph.node_count(), Here::default());
        }
        if self.now == u32::MAX {
            self.blocks.fill(Here::default());
            self.now = 0;
        }
        self.now += 1;
        self.all_reachable = code.is_all_reachable();
        let home = match code.definition(var) {
            Some(pos) => code.block(pos),
            None => code.graph.entry(),
        };
        let home = &mut self.blocks[home.index()];
        (home.at_start, home.start) = (self.now, original);
        (home.at_end, home.end) = (self.now, original);
    }

    /// Gives versions to the results of σs, φs and copies; returns the first version of a copy.
    fn number(
        &mut self,
        view: &mut View,
        code: &Code,
        var: Var,
        places: &Places,
        live: &Liveness,
    ) -> u32 {
        let now = self.now;
        let mut next = view.version_count() as u32;
        let View { added, sigmas, sigma_results, phis, copies, .. } = view;
        for (sigma, &block) in (sigmas.len() as u32..).zip(&places.sigmas) {
            let edges = code.graph.successor_edges(block);
            let targets = code.graph.successors(block);
            let here = &mut self.blocks[block.index()];
            let results = sigma_results.items().len() as u32;
            let first = edges.clone().next().map_or(0, |edge| edge.index() as u32);
            (here.at_fork, here.fork) = (now, results.wrapping_sub(first));
            for (edge, &target) in edges.zip(targets) {
                if !live.on_edge_to(edge, target) {
                    sigma_results.push(NONE);
                    continue;
                }
                added.push((var, Def::Sigma(sigma, edge)));
                sigma_results.push(next);
                let there = &mut self.blocks[target.index()];
                let enters = code.is_sole_entry(edge, target);
                there.at_start = if enters { now } else { there.at_start };
                there.start = if enters { next } else { there.start };
                next += 1;
            }
            sigma_results.end_row();
        }
        let first = phis.len() as u32;
        added.extend((0..places.phis.len() as u32).map(|k| (var, Def::Phi(first + k))));
        phis.extend((next..).zip(&places.phis).map(|(result, &block)| {
            let here = &mut self.blocks[block.index()];
            (here.at_start, here.start) = (now, result);
            Phi { var, block, result: Version(result) }
        }));
        next += places.phis.len() as u32;
        let first = next;
        for (copy, &pos) in (copies.len() as u32..).zip(&places.copies) {
            added.push((var, Def::Copy(copy)));
            let here = &mut self.blocks[code.block_of[pos as usize] as usize];
            (here.at_end, here.end) = (now, next);
            next += 1;
        }
        first
    }

    /// The version before an instruction; `copy` is the last copy before it in the program, if there is one.
    #[inline]
    fn before(&mut self, code: &Code, pos: u32, copy: Option<(u32, u32)>, original: u32) -> u32 {
        let block = Node::new(code.block_of[pos as usize] as usize);
        if let Some((at, version)) = copy
            && at >= code.range(block).start
        {
            return version;
        }
        self.at_start(code, block, original)
    }

    /// The version at the end of a block, before its σs.
    #[inline]
    fn at_end(&mut self, code: &Code, block: Node, original: u32) -> u32 {
        let here = &self.blocks[block.index()];
        if here.at_end == self.now { here.end } else { self.at_start(code, block, original) }
    }

    /// The version behind the φs of a block.
    #[inline]
    fn at_start(&mut self, code: &Code, block: Node, original: u32) -> u32 {
        let here = &self.blocks[block.index()];
        if here.at_start == self.now {
            return here.start;
        }
        self.search(code, block, original)
    }

    fn search(&mut self, code: &Code, block: Node, original: u32) -> u32 {
        let now = self.now;
        let mut at = block;
        let version = loop {
            self.path.push(at);
            let Some(up) = code.immediate_dominator(at) else { break original };
            let above = &self.blocks[up.index()];
            if above.at_end == now {
                break above.end;
            }
            if above.at_start == now {
                break above.start;
            }
            at = up;
        };
        for at in self.path.drain(..) {
            let here = &mut self.blocks[at.index()];
            (here.at_start, here.start) = (now, version);
        }
        version
    }

    /// The version on an edge, given its source and the results of σs; [`NONE`] if the source cannot be reached.
    #[inline]
    fn on_edge(
        &mut self,
        code: &Code,
        results: &[u32],
        edge: Edge,
        source: Node,
        original: u32,
    ) -> u32 {
        let here = &self.blocks[source.index()];
        if here.at_fork == self.now {
            return results[here.fork.wrapping_add(edge.index() as u32) as usize];
        }
        if !self.all_reachable && !code.is_reachable(source) {
            return NONE;
        }
        self.at_end(code, source, original)
    }
}
