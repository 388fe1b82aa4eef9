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
    marks: Vec<Marks>,
    /// By edge: the last query in which a φ reads the variable on it.
    edge_use: Vec<u32>,
    /// The blocks at whose start it is live.
    pub(crate) blocks: Vec<Node>,
}

/// The last queries in which the variable was live at the start of a block, or is defined in it.
#[derive(Clone, Copy, Debug, Default)]
struct Marks {
    live_in: u32,
    defined: u32,
}

impl Liveness {
    /// Finds the live range of a variable. Uses in unreachable blocks do not count.
    pub(crate) fn enter(&mut self, code: &Code, var: Var) {
        let n = code.graph.node_count();
        if self.marks.len() < n || self.edge_use.len() < code.graph.edge_count() {
            self.marks.resize(n.max(self.marks.len()), Marks::default());
            self.edge_use.resize(code.graph.edge_count().max(self.edge_use.len()), 0);
        }
        if self.now == u32::MAX {
            self.marks.fill(Marks::default());
            self.edge_use.fill(0);
            self.now = 0;
        }
        self.now += 1;
        self.blocks.clear();
        for &def in code.defs_of(var) {
            let block = code.block_of[code.def_pos[def as usize] as usize];
            self.marks[block as usize].defined = self.now;
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
                let here = self.marks[block.index()].defined == self.now
                    && (code.ssa || last_def_before(code, var, pos, block).is_some());
                if !here {
                    self.needed_at_start(code, block);
                }
            }
        }
        self.walk(code);
    }

    /// Goes on from the blocks that are known to those before them.
    fn walk(&mut self, code: &Code) {
        let (now, all) = (self.now, code.is_all_reachable());
        let (marks, blocks) = (&mut self.marks[..code.graph.node_count()], &mut self.blocks);
        let mut next = 0;
        while let Some(&block) = blocks.get(next) {
            next += 1;
            for from in code.graph.predecessors(block) {
                let marks = &mut marks[from.index()];
                if marks.live_in != now && marks.defined != now && (all || code.is_reachable(from))
                {
                    marks.live_in = now;
                    blocks.push(from);
                }
            }
        }
    }

    #[inline]
    fn needed_at_end(&mut self, code: &Code, block: Node) {
        let marks = &mut self.marks[block.index()];
        if marks.live_in != self.now && marks.defined != self.now && code.is_reachable(block) {
            marks.live_in = self.now;
            self.blocks.push(block);
        }
    }

    #[inline]
    fn needed_at_start(&mut self, code: &Code, block: Node) {
        let marks = &mut self.marks[block.index()];
        if marks.live_in != self.now && code.is_reachable(block) {
            marks.live_in = self.now;
            self.blocks.push(block);
        }
    }

    /// Whether it is live behind the φs of a block, and not defined by one of them.
    #[inline]
    pub(crate) fn at_start(&self, block: Node) -> bool {
        self.marks[block.index()].live_in == self.now
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

    /// Whether it is live behind an instruction that is no φ and does not define it. `number` is that of a use at the
    /// instruction among the uses of the variable.
    pub(crate) fn after(&self, code: &Code, var: Var, pos: u32, number: usize) -> bool {
        let block = Node::new(code.block_of[pos as usize] as usize);
        let end = code.range(block).end;
        // φs stand first, so a use behind `pos` in this block is not on an edge.
        let uses = code.uses_of.row(var.index())[number..].iter();
        let mut behind = uses.map(|&at| code.use_pos[at as usize]).skip_while(|&p| p <= pos);
        let next_use = behind.next().filter(|&p| p < end);
        let next_def = if code.ssa {
            None
        } else {
            let defs = code.defs_of(var);
            let at = defs.partition_point(|&def| code.def_pos[def as usize] <= pos);
            defs.get(at).map(|&def| code.def_pos[def as usize]).filter(|&p| p < end)
        };
        match (next_use, next_def) {
            (Some(u), Some(d)) => u <= d,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => {
                let mut tests = code.tests_of.row(var.index()).iter();
                tests.any(|&test| code.test_block[test as usize] == block.index() as u32)
                    || self.leaves(code, block)
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
