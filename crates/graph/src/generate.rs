//! Graphs to test and measure with: every small graph, random graphs, and families that are hard
//! for somebody.
//!
//! This is part of the library because the tests of other crates, and fuzz targets, need the same
//! graphs.

use crate::graph::{Graph, Node};

/// A small deterministic random number generator (SplitMix64, Steele et al. 2014).
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// A generator that yields the same numbers for the same seed.
    pub fn new(seed: u64) -> Self {
        Rng(seed)
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A random number in `0..bound`.
    ///
    /// # Panics
    /// If the bound is zero.
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "no number is below zero");
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }

    /// True in one of `n` cases.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// Calls `visit` with every graph of `n` nodes that has at most two successors per node and in
/// which the entry reaches every node, up to renaming of nodes. Successor lists come in both
/// orders.
///
/// A graph comes in the numbering in which a breadth-first search discovers its nodes, so no two
/// visited graphs are renamings of each other. There are 350,548 graphs of five nodes.
pub fn every_graph(n: usize, mut visit: impl FnMut(&Graph)) {
    choose(n, 1, true, &mut Vec::with_capacity(n), &mut visit);
}

/// Like [`every_graph`], for questions that do not depend on the order of successors: each graph
/// comes with at least one order of each successor list. There are 69,111 graphs of five nodes.
pub fn every_unordered_graph(n: usize, mut visit: impl FnMut(&Graph)) {
    choose(n, 1, false, &mut Vec::with_capacity(n), &mut visit);
}

/// Chooses the successors of the next node. `known` nodes have been discovered so far.
fn choose(
    n: usize,
    known: usize,
    ordered: bool,
    successors: &mut Vec<Vec<usize>>,
    visit: &mut impl FnMut(&Graph),
) {
    if successors.len() == n {
        if known == n {
            visit(&Graph::from_successors(successors));
        }
        return;
    }
    if successors.len() == known {
        return; // The next node has not been discovered and never will be.
    }
    let mut with = |list: Vec<usize>, known: usize| {
        successors.push(list);
        choose(n, known, ordered, successors, visit);
        successors.pop();
    };
    with(Vec::new(), known);
    // A new node takes the next number, so a breadth-first search can always list it last.
    for a in 0..n.min(known + 1) {
        let known_a = known.max(a + 1);
        with(vec![a], known_a);
        for b in if ordered { 0 } else { a }..n.min(known_a + 1) {
            with(vec![a, b], known_a.max(b + 1));
        }
    }
}

/// A random graph of `n` nodes: up to two successors for most nodes, some switches with up to `n`
/// successors (parallel edges among them), some nodes without successors. Nodes may be unreachable,
/// cycles irreducible.
pub fn random(rng: &mut Rng, n: usize) -> Graph {
    let mut edges = Vec::new();
    // Nearby targets make nested structure more likely than a random graph would have it.
    let near = rng.one_in(2);
    for from in 0..n {
        let degree = match rng.below(12) {
            0 => 0,
            1..=3 => 1,
            4..=10 => 2,
            _ => 2 + rng.below(n),
        };
        for _ in 0..degree {
            let to = if near { (from + 3 * n + rng.below(7) - 3) % n } else { rng.below(n) };
            edges.push((Node::new(from), Node::new(to)));
        }
    }
    Graph::from_edges(n, Node::new(0), edges)
}

/// A random reducible graph of about `n` nodes: nested loops with several latches and exits, jumps
/// out of many loops at once, switches, code that never ends. Every node is reachable.
///
/// Forward edges lead to later blocks and enter a loop only at its header, so the graph is
/// reducible by construction.
pub fn random_reducible(rng: &mut Rng, n: usize) -> Graph {
    let n = n.max(1);
    // The loop header of each block, as a stack of open loops while blocks are laid out one after
    // another.
    let mut open: Vec<Vec<usize>> = Vec::with_capacity(n);
    let mut stack: Vec<usize> = Vec::new();
    for block in 0..n {
        if block > 0 && rng.one_in(4) && stack.len() < 8 {
            stack.push(block);
        } else if !stack.is_empty() && rng.one_in(4) {
            stack.truncate(stack.len() - 1 - rng.below(stack.len().min(2)));
        }
        open.push(stack.clone());
    }
    let mut edges = Vec::new();
    for from in 0..n {
        let first = edges.len();
        let link =
            |edges: &mut Vec<(Node, Node)>, to: usize| edges.push((Node::new(from), Node::new(to)));
        // One edge to the next block keeps everything reachable.
        if from + 1 < n {
            link(&mut edges, from + 1);
        }
        // Most programs can end.
        let extra = match rng.below(10) {
            0..=8 if from + 1 == n => 0,
            0..=3 => 0,
            4..=8 => 1,
            _ => rng.below(6),
        };
        for _ in 0..extra {
            if !open[from].is_empty() && rng.one_in(2) {
                link(&mut edges, open[from][rng.below(open[from].len())]);
            } else if from + 1 < n {
                let mut to = from + 1 + rng.below((n - from - 1).min(9));
                // Into a loop only through its header: go back to the header of the outermost loop
                // that is entered.
                if let Some(&header) = open[to].iter().find(|h| !open[from].contains(h)) {
                    to = header;
                }
                link(&mut edges, to);
            }
        }
        if edges.len() > first && rng.one_in(2) {
            // Let the order of successors vary.
            let last = edges.len() - 1;
            edges.swap(first, last);
        }
    }
    Graph::from_edges(n, Node::new(0), edges)
}

/// Blocks in a row.
pub fn chain(n: usize) -> Graph {
    from_rule(n, |i, edges| edges.extend((i + 1 < n).then_some(i + 1)))
}

/// A row of conditions, each of which goes on to the next one or to a common end: a ladder of early
/// exits.
pub fn ladder(n: usize) -> Graph {
    from_rule(n, |i, edges| {
        if i + 1 < n {
            edges.extend([i + 1, n - 1]);
        }
    })
}

/// `while` loops inside each other, about `n / 2` of them: a header and a latch each.
pub fn nest(n: usize) -> Graph {
    nest_with(n, 2, |_, _| None)
}

/// Like [`nest`], with about `n / 3` loops and in each a block that may leave all loops at once.
pub fn nest_with_exits(n: usize) -> Graph {
    nest_with(n, 3, |end, level| (level > 0).then_some(end))
}

/// Loops inside each other, `per_level` blocks each: the header, between it and the next header
/// blocks with perhaps another successor, and the latch. The last block is the end.
fn nest_with(n: usize, per_level: usize, extra: impl Fn(usize, usize) -> Option<usize>) -> Graph {
    let depth = (n.saturating_sub(2) / per_level).max(1);
    let inner = per_level - 1;
    // Level `l` has its header and body at `l * inner`, the latches lie behind all of these.
    let latch = |level: usize| depth * inner + depth - 1 - level;
    let end = depth * per_level;
    from_rule(end + 1, |i, edges| {
        if i == end {
            return;
        }
        if i >= depth * inner {
            edges.push((depth - 1 - (i - depth * inner)) * inner); // Latch to header.
            return;
        }
        let level = i / inner;
        let next = if i + 1 < depth * inner { i + 1 } else { latch(level) };
        edges.push(next);
        if i % inner == 0 {
            edges.push(if level == 0 { end } else { latch(level - 1) });
        } else {
            edges.extend(extra(end, level));
        }
    })
}

/// One switch with a case for each of the other blocks; all cases go to a common end.
pub fn switch(n: usize) -> Graph {
    from_rule(n, |i, edges| {
        if i == 0 && n > 2 {
            edges.extend(1..n - 1);
        } else if i + 1 < n {
            edges.push(n - 1);
        }
    })
}

/// A grid in which control goes right, down, and from some blocks back up: cycles with many
/// entries.
pub fn mesh(n: usize) -> Graph {
    let width = n.isqrt().max(1);
    from_rule(n, |i, edges| {
        if (i + 1) % width != 0 && i + 1 < n {
            edges.push(i + 1);
        }
        if i + width < n {
            edges.push(i + width);
        }
        if i % 3 == 0 && i >= width && i + 1 < n {
            edges.push(i - width);
        }
    })
}

/// Builds a graph from a rule that lists the successors of each node.
fn from_rule(n: usize, rule: impl Fn(usize, &mut Vec<usize>)) -> Graph {
    let mut edges = Vec::new();
    let mut successors = Vec::new();
    for i in 0..n {
        rule(i, &mut successors);
        edges.extend(successors.drain(..).map(|to| (Node::new(i), Node::new(to))));
    }
    Graph::from_edges(n, Node::new(0), edges)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DepthFirst, LoopForest};

    fn count(n: usize, every: impl Fn(usize, &mut dyn FnMut(&Graph))) -> usize {
        let mut count = 0;
        every(n, &mut |_| count += 1);
        count
    }

    #[test]
    fn there_are_this_many_small_graphs() {
        let ordered = |n| count(n, |n, visit| every_graph(n, visit));
        let unordered = |n| count(n, |n, visit| every_unordered_graph(n, visit));
        // One node: no successor, itself, itself twice.
        assert_eq!((ordered(1), unordered(1)), (3, 3));
        assert_eq!((ordered(5), unordered(5)), (350_548, 69_111));
    }

    #[test]
    fn families_are_what_they_say() {
        for n in 3..60 {
            for graph in [chain(n), ladder(n), nest(n), nest_with_exits(n), switch(n), mesh(n)] {
                assert_eq!(DepthFirst::compute(&graph).preorder().len(), graph.node_count());
            }
            let depth = |graph: &Graph| {
                let loops = LoopForest::compute(graph);
                assert!(loops.is_reducible());
                graph.nodes().map(|node| loops.depth(node)).max()
            };
            assert_eq!(depth(&ladder(n)), Some(0));
            assert_eq!(depth(&nest(n)), Some(((n - 2) / 2).max(1)));
            assert_eq!(depth(&nest_with_exits(n)), Some(((n - 2) / 3).max(1)));
            assert!(nest_with_exits(n).node_count() <= n.max(4));
        }
        assert!(!LoopForest::compute(&mesh(30)).is_reducible());
    }
}
