//! Graphs to test and measure with: every small graph, random graphs, and families that are hard for somebody.
//!
//! This is part of the library because the tests of other crates, and fuzz targets, need the same graphs.

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

/// Calls `visit` with every graph of `n` nodes that has at most two successors per node and in which
/// the entry reaches every node, up to renaming of nodes. Successor lists come in both orders.
///
/// A graph comes in the numbering in which a breadth-first search discovers its nodes, so no two
/// visited graphs are renamings of each other. There are 350,548 graphs of five nodes.
pub fn every_graph(n: usize, mut visit: impl FnMut(&Graph)) {
    choose(n, 1, true, &mut Vec::with_capacity(n), &mut visit);
}

/// Like [`every_graph`], for questions that do not depend on the order of successors: each graph
/// comes with at least one order of each successor list. There are 45,654 graphs of five nodes.
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

/// A random graph of `n` nodes: up to two successors for most nodes, some switches with up to `n` successors (parallel
/// edges among them), some nodes without successors. Nodes may be unreachable, cycles irreducible.
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

/// A random reducible graph of about `n` nodes: nested loops with several latches and exits, jumps out of many loops at
/// once, switches, code that never ends. Every node is reachable.
///
/// Forward edges lead to later blocks and enter a loop only at its header, so the graph is reducible by construction.
pub fn random_reducible(rng: &mut Rng, n: usize) -> Graph {
    let n = n.max(1);
    // The loop header of each block, as a stack of open loops while blocks are laid out one after another.
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
        let extra = match rng.below(10) {
            0..=3 => 0,
            4..=8 => 1,
            _ => rng.below(6),
        };
        for _ in 0..extra {
            if !open[from].is_empty() && rng.one_in(2) {
                link(&mut edges, open[from][rng.below(open[from].len())]);
            } else if from + 1 < n {
                let mut to = from + 1 + rng.below((n - from - 1).min(9));
                // Into a loop only through its header: go back to the header of the outermost loop that is entered.
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
