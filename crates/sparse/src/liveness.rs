//! Where one variable is live, found by walking backward from its uses.
//!
//! Splitting asks for one variable after the other, so nothing is stored per pair: the walk marks blocks with the number
//! of the query, and the next query begins without cleaning up. It costs what the live range has blocks.

use crate::code::{Code, NONE};
use crate::program::Var;
use lw_graph::{Edge, Node};

/// The live range of the variable that was [entered](Liveness::enter) last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Liveness {
    /// The number of the query.
    now: u32,
    /// By block: the last query in which the variable was live at the start, or is defined in it.
    live_in: Vec<u32>,
    defined: Vec<u32>,
    /// By edge: the last query in which a φ reads the variable on it.
    edge_use: Vec<u32>,
    /// The blocks at whose start it is live.
    pub(crate) blocks: Vec<Node>,
    worklist: Vec<Node>,
}

impl Liveness {
    /// Finds the live range of a variable. Uses in unreachable blocks do not count.
    pub(crate) fn enter(&mut self, code: &Code, var: Var) {
        let n = code.graph.node_count();
        if self.live_in.len() < n || self.edge_use.len() < code.graph.edge_count() {
            self.live_in.resize(n, 0);
            self.defined.resize(n, 0);
            self.edge_use.resize(code.graph.edge_count(), 0);
        }
        if self.now == u32::MAX {
            self.live_in.fill(0);
            self.defined.fill(0);
            self.edge_use.fill(0);
            self.now = 0;
        }
        self.now += 1;
        self.blocks.clear();
        for &def in code.defs_of(var) {
            self.defined[code.block_of[code.def_pos[def as usize] as usize] as usize] = self.now;
        }
        for &test in code.tests_of.row(var.index()) {
            self.needed_at_end(code, Node::new(code.test_block[test as usize] as usize));
        }
        for &at in code.uses_of.row(var.index()) {
            if code.use_edge[at as usize] != NONE {
                let edge = Edge::new(code.use_edge[at as usize] as usize);
                self.edge_use[edge.index()] = self.now;
                self.needed_at_end(code, code.graph.source(edge));
            } else {
                let pos = code.use_pos[at as usize];
                let block = Node::new(code.block_of[pos as usize] as usize);
                if last_def_before(code, var, pos, block).is_none() {
                    self.needed_at_start(code, block);
                }
            }
        }
        while let Some(block) = self.worklist.pop() {
            for &edge in code.graph.predecessor_edges(block) {
                self.needed_at_end(code, code.graph.source(edge));
            }
        }
    }

    #[inline]
    fn needed_at_end(&mut self, code: &Code, block: Node) {
        if self.defined[block.index()] != self.now {
            self.needed_at_start(code, block);
        }
    }

    #[inline]
    fn needed_at_start(&mut self, code: &Code, block: Node) {
        if self.live_in[block.index()] != self.now && code.is_reachable(block) {
            self.live_in[block.index()] = self.now;
            self.blocks.push(block);
            self.worklist.push(block);
        }
    }

    /// Whether it is live behind the φs of a block, and not defined by one of them.
    #[inline]
    pub(crate) fn at_start(&self, block: Node) -> bool {
        self.live_in[block.index()] == self.now
    }

    /// Whether it is live on an edge.
    #[inline]
    pub(crate) fn on_edge(&self, code: &Code, edge: Edge) -> bool {
        self.edge_use[edge.index()] == self.now || self.at_start(code.graph.target(edge))
    }

    /// Whether it is live on some edge out of a block.
    #[inline]
    pub(crate) fn leaves(&self, code: &Code, block: Node) -> bool {
        code.graph.successor_edges(block).any(|edge| self.on_edge(code, edge))
    }

    /// Whether it is live behind an instruction that is no φ and does not define it.
    pub(crate) fn after(&self, code: &Code, var: Var, pos: u32) -> bool {
        let block = Node::new(code.block_of[pos as usize] as usize);
        let end = code.range(block).end;
        // φs stand first, so a use behind `pos` in this block is not on an edge.
        let next = |row: &[u32], table: &[u32]| {
            let at = row.partition_point(|&i| table[i as usize] <= pos);
            row.get(at).map(|&i| table[i as usize]).filter(|&p| p < end)
        };
        let next_use = next(code.uses_of.row(var.index()), &code.use_pos);
        let next_def = next(code.defs_of(var), &code.def_pos);
        match (next_use, next_def) {
            (Some(u), Some(d)) => u <= d,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => {
                code.tests(block).iter().any(|&(v, _)| v == var) || self.leaves(code, block)
            }
        }
    }
}

/// The last definition of a variable before a position in the same block, as an index into `defs`.
pub(crate) fn last_def_before(code: &Code, var: Var, pos: u32, block: Node) -> Option<u32> {
    let defs = code.defs_of(var);
    let before = defs.partition_point(|&d| code.def_pos[d as usize] < pos);
    let last = *defs[..before].last()?;
    (code.def_pos[last as usize] >= code.range(block).start).then_some(last)
}
