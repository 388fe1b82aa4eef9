//! Where one variable is live, found by walking backward from its uses.
//!
//! Splitting asks for one variable after the other, so nothing is stored per pair: the walk marks blocks with the number
//! of the query, and the next query begins without cleaning up. It costs what the live range has blocks.

use crate::code::{Code, NONE};
use crate::program::{Instr, Var};
use lw_graph::{Edge, Node};

/// The live range of the variable that was [entered](Liveness::enter) last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Liveness {
    /// The number of the query: a multiple of [`FLAGS`].
    now: u32,
    /// By block: the flags of the query that has this number, none for another.
    marks: Vec<u32>,
    /// By edge: the last query in which a φ reads the variable on it.
    edge_use: Vec<u32>,
    /// The blocks at whose start it is live come first.
    list: Vec<Node>,
    len: usize,
    /// How many of them a use that settles the variable lies ahead of.
    settled: usize,
}

/// The variable is live at the start of the block.
const LIVE: u32 = 1;
/// It is defined in the block.
const DEFINED: u32 = 2;
/// It is live at the start of the block, and a use that settles it lies ahead.
const SETTLED: u32 = 4;
/// All flags are below this.
const FLAGS: u32 = 8;

impl Liveness {
    /// Finds the live range of a variable. Uses in unreachable blocks do not count.
    pub(crate) fn enter(&mut self, code: &Code, var: Var) {
        self.begin(code, var);
        self.find(code, var);
    }

    /// The same for a variable of an SSA program. Those parts are told apart from which a use can be reached that
    /// [settles](crate::settled) it.
    pub(crate) fn enter_settled(&mut self, code: &Code, var: Var, settles: impl Fn(Instr) -> bool) {
        self.begin(code, var);
        for &at in code.uses_of.row(var.index()) {
            let pos = code.use_pos[at as usize] as usize;
            let block = Node::new(code.block_of[pos] as usize);
            if code.use_edge[at as usize] == NONE && settles(code.instrs[pos]) {
                self.add(code, block, LIVE | SETTLED);
            }
        }
        if self.len > 0 {
            self.walk(code, 0, LIVE | SETTLED);
            self.settled = self.len;
        }
        self.find(code, var);
    }

    /// Finds the live range, or the rest of it.
    fn find(&mut self, code: &Code, var: Var) {
        for &test in code.tests_of(var) {
            self.add(code, Node::new(code.test_block[test as usize] as usize), LIVE);
        }
        for &at in code.uses_of.row(var.index()) {
            if code.use_edge[at as usize] != NONE {
                let edge = Edge::new(code.use_edge[at as usize] as usize);
                self.edge_use[edge.index()] = self.now;
                self.add(code, code.graph.source(edge), LIVE);
            } else {
                let pos = code.use_pos[at as usize];
                let block = Node::new(code.block_of[pos as usize] as usize);
                let here = self.has(block, DEFINED)
                    && (code.ssa || last_def_before(code, var, pos, block).is_some());
                if !here && !self.has(block, LIVE) && code.is_reachable(block) {
                    self.marks[block.index()] = self.marks[block.index()].max(self.now) | LIVE;
                    self.list[self.len] = block;
                    self.len += 1;
                }
            }
        }
        self.walk(code, self.settled, LIVE);
    }

    fn begin(&mut self, code: &Code, var: Var) {
        let (n, m) = (code.graph.node_count(), code.graph.edge_count());
        if self.marks.len() < n {
            self.marks.resize(n, 0);
            // With room for one that is written and not kept.
            self.list.resize(n + 1, code.graph.entry());
        }
        if self.edge_use.len() < m {
            self.edge_use.resize(m, 0);
        }
        match self.now.checked_add(FLAGS) {
            Some(now) => self.now = now,
            None => {
                self.marks.fill(0);
                self.edge_use.fill(0);
                self.now = FLAGS;
            }
        }
        (self.len, self.settled) = (0, 0);
        for &def in code.defs_of(var) {
            let block = code.block_of[code.def_pos[def as usize] as usize];
            self.marks[block as usize] = self.now | DEFINED;
        }
    }

    /// Goes on from the blocks that are known, those behind the first `done`, to those before them.
    #[inline]
    fn walk(&mut self, code: &Code, done: usize, flags: u32) {
        if code.is_all_reachable() {
            self.walk_where(code, done, flags, |_| true);
        } else {
            self.walk_where(code, done, flags, |block| code.is_reachable(block));
        }
    }

    #[inline]
    fn walk_where(
        &mut self,
        code: &Code,
        done: usize,
        flags: u32,
        reachable: impl Fn(Node) -> bool,
    ) {
        let (now, live) = (self.now, self.now | flags);
        let (marks, list) = (&mut self.marks[..], &mut self.list[..]);
        let (mut next, mut len) = (done, self.len);
        while next < len {
            for from in code.graph.predecessors(list[next]) {
                let mark = &mut marks[from.index()];
                // What has no mark of this query is not defined there, nor known. No branch: nobody could predict it.
                let new = *mark < now && reachable(from);
                *mark = if new { live } else { *mark };
                list[len] = from;
                len += usize::from(new);
            }
            next += 1;
        }
        self.len = len;
    }

    /// The variable is needed in a block that is neither known nor defines it.
    #[inline]
    fn add(&mut self, code: &Code, block: Node, flags: u32) {
        let mark = &mut self.marks[block.index()];
        if *mark < self.now && code.is_reachable(block) {
            *mark = self.now | flags;
            self.list[self.len] = block;
            self.len += 1;
        }
    }

    #[inline]
    fn has(&self, block: Node, flag: u32) -> bool {
        let mark = self.marks[block.index()];
        mark >= self.now && mark & flag != 0
    }

    /// The blocks at whose start it is live.
    #[inline]
    pub(crate) fn blocks(&self) -> &[Node] {
        &self.list[..self.len]
    }

    /// Whether it is live behind the φs of a block, and not defined by one of them.
    #[inline]
    pub(crate) fn at_start(&self, block: Node) -> bool {
        const OTHERS: u32 = DEFINED | SETTLED;
        self.marks[block.index()] | OTHERS == self.now | LIVE | OTHERS
    }

    /// Whether a use that settles it can be reached from the start of a block, if it was
    /// [entered](Liveness::enter_settled) so.
    #[inline]
    pub(crate) fn is_settled(&self, block: Node) -> bool {
        self.has(block, SETTLED)
    }

    /// Whether it is live on an edge.
    #[inline]
    pub(crate) fn on_edge(&self, code: &Code, edge: Edge) -> bool {
        self.on_edge_to(edge, code.graph.target(edge))
    }

    /// Whether it is live on an edge that ends at `target`.
    #[inline]
    pub(crate) fn on_edge_to(&self, edge: Edge, target: Node) -> bool {
        self.at_start(target) || self.edge_use[edge.index()] == self.now
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
                let mut tests = code.tests_of(var).iter();
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
