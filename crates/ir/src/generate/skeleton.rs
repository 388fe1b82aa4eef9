//! Blocks and edges, before there is anything in them.
//!
//! Blocks are laid out one after the other while loops are opened and closed around them. Forward edges enter a loop only
//! at its header and back edges go to the header of any open loop, so the graph is reducible; several latches, jumps out
//! of many loops at once, returns from within and code after them all happen. Then every loop gets a test that counts:
//! before its header, or on each of its back edges.

use super::{Options, Rng};

/// What a block is for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Role {
    /// Anything. The terminator chooses among the edges.
    Plain,
    /// Goes to the first edge while the loop of this number may go on, else to the second.
    Test(usize),
    /// Returns.
    Return,
    /// Is entered only if something is wrong with the program.
    Trap,
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) role: Role,
    pub(super) edges: Vec<usize>,
    /// How many loops are around it.
    pub(super) depth: usize,
}

/// A loop that counts.
#[derive(Clone, Debug)]
pub(super) struct LoopShape {
    /// The block that all back edges lead to.
    pub(super) header: usize,
    /// Whether the header itself is the test; else tests are on the back edges.
    pub(super) tested_first: bool,
    /// Whether the counter is in memory rather than in a φ.
    pub(super) in_memory: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Skeleton {
    pub(super) nodes: Vec<Node>,
    pub(super) loops: Vec<LoopShape>,
    /// The order in which blocks are written, the entry first.
    pub(super) layout: Vec<usize>,
}

impl Skeleton {
    pub(super) fn random(rng: &mut Rng, options: &Options) -> Skeleton {
        let n = options.blocks.max(1);
        let mut open: Vec<Vec<usize>> = Vec::new();
        let mut stack: Vec<usize> = Vec::new();
        for block in 0..n {
            if block > 0 && stack.len() < options.depth && rng.one_in(3) {
                stack.push(block);
            } else if !stack.is_empty() && rng.one_in(4) {
                let left = 1 + rng.below(stack.len().min(2));
                stack.truncate(stack.len() - left);
            }
            open.push(stack.clone());
        }
        // Behind all others, outside all loops.
        open.push(Vec::new());
        let end = n;
        let mut nodes: Vec<Node> = open
            .iter()
            .map(|open| Node { role: Role::Plain, edges: Vec::new(), depth: open.len() })
            .collect();
        nodes[end].role = Role::Return;
        for (from, node) in nodes.iter_mut().enumerate().take(n) {
            node.edges = random_edges(rng, options, &open, from, end);
        }
        let mut skeleton = Skeleton { nodes, loops: Vec::new(), layout: Vec::new() };
        skeleton.add_returns(rng, options, n);
        skeleton.count_loops(rng, options, &open, n);
        skeleton.layout = (0..skeleton.nodes.len()).collect();
        if rng.one_in(3) {
            for i in 1..skeleton.layout.len() {
                let j = 1 + rng.below(skeleton.layout.len() - 1);
                skeleton.layout.swap(i, j);
            }
        }
        skeleton
    }

    fn add(&mut self, role: Role, edges: Vec<usize>, depth: usize) -> usize {
        self.nodes.push(Node { role, edges, depth });
        self.nodes.len() - 1
    }

    /// Returns from within, and traps that are never reached.
    fn add_returns(&mut self, rng: &mut Rng, options: &Options, n: usize) {
        for block in 0..n {
            if rng.one_in(12) {
                let role = if rng.one_in(4) { Role::Trap } else { Role::Return };
                let depth = self.nodes[block].depth;
                let exit = self.add(role, Vec::new(), depth);
                self.nodes[block].edges.push(exit);
            }
        }
        if options.unreachable_blocks && rng.one_in(4) {
            let to = 1 + rng.below(n);
            let edges = if rng.one_in(3) { vec![to, to] } else { vec![to] };
            self.add(Role::Plain, edges, 0);
        }
    }

    /// Gives every cycle a test.
    fn count_loops(&mut self, rng: &mut Rng, options: &Options, open: &[Vec<usize>], n: usize) {
        // From the inside out, so that an outer test sees what the inner ones redirected.
        for header in (1..n).rev() {
            let back: Vec<usize> = (header..n)
                .filter(|&from| self.nodes[from].edges.contains(&header))
                .filter(|&from| from != header || self.nodes[from].edges.contains(&header))
                .collect();
            if back.is_empty() {
                continue;
            }
            // The first block behind the loop.
            let inside = |block: usize| open[block].contains(&header);
            let behind = (header..=n).find(|&block| !inside(block) && block > header).unwrap_or(n);
            let mut exit = if open[header].contains(&header) { behind } else { n };
            if rng.one_in(8) {
                exit = n;
            }
            exit = self.entrance(exit);
            let number = self.loops.len();
            let in_memory = options.irreducible || options.memory && rng.one_in(4);
            let tested_first = !options.irreducible && rng.one_in(2);
            let depth = self.nodes[header].depth;
            if tested_first {
                let test = self.add(Role::Test(number), vec![header, exit], depth);
                for node in 0..test {
                    for edge in &mut self.nodes[node].edges {
                        if *edge == header {
                            *edge = test;
                        }
                    }
                }
                self.loops.push(LoopShape { header: test, tested_first, in_memory });
                continue;
            }
            for from in back {
                for i in 0..self.nodes[from].edges.len() {
                    if self.nodes[from].edges[i] == header {
                        let test = self.add(Role::Test(number), vec![header, exit], depth);
                        self.nodes[from].edges[i] = test;
                    }
                }
            }
            self.loops.push(LoopShape { header, tested_first, in_memory });
        }
    }

    /// The test before a header that has one, else the block itself.
    fn entrance(&self, block: usize) -> usize {
        let test = |l: &&LoopShape| l.tested_first && self.nodes[l.header].edges[0] == block;
        self.loops.iter().find(test).map_or(block, |l| l.header)
    }

    /// The blocks that lead to each block, once for each edge.
    pub(super) fn predecessors(&self) -> Vec<Vec<usize>> {
        let mut predecessors = vec![Vec::new(); self.nodes.len()];
        for (from, node) in self.nodes.iter().enumerate() {
            for &to in &node.edges {
                predecessors[to].push(from);
            }
        }
        predecessors
    }
}

fn random_edges(
    rng: &mut Rng,
    options: &Options,
    open: &[Vec<usize>],
    from: usize,
    end: usize,
) -> Vec<usize> {
    let mut edges = Vec::new();
    // Into a loop only through its header: go to the header of the outermost loop that is entered.
    let legal = |to: usize| match open[to].iter().find(|h| !open[from].contains(h)) {
        Some(&header) if !options.irreducible => header,
        _ => to,
    };
    // The last block of a loop mostly closes it.
    let closes = open[from].last().filter(|h| !open[from + 1].contains(h));
    let skip = options.unreachable_blocks && rng.one_in(30);
    if !skip {
        edges.push(legal(from + 1));
    }
    if let Some(&header) = closes
        && rng.below(8) > 0
    {
        edges.push(header);
    }
    let extra = match rng.below(10) {
        0..=3 => 0,
        4..=8 => 1,
        _ if options.switches => rng.below(5),
        _ => 1,
    };
    for _ in 0..extra {
        if !open[from].is_empty() && rng.one_in(3) {
            edges.push(open[from][rng.below(open[from].len())]);
        } else {
            edges.push(legal(from + 1 + rng.below((end - from).min(6))));
        }
    }
    if edges.is_empty() {
        edges.push(legal(end));
    }
    if !options.switches {
        edges.truncate(2);
    }
    if rng.one_in(2) {
        let last = edges.len() - 1;
        edges.swap(0, last);
    }
    edges
}
