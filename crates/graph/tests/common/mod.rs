//! What the analyses must answer, computed from the definitions and nothing else.
//!
//! Everything here is exponential or cubic and obviously right; it is what the library is compared
//! with.
#![allow(dead_code)]

pub(crate) mod flow;
pub(crate) mod tagged;

use lw_graph::{Edge, Graph, Node};

/// A node of the normalized graph of 000 §3.1, by indices: a block, the exit node of a loop on an
/// edge, or the latch on an edge from a block to itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum StarNodeKey {
    Block(usize),
    Exit(usize, usize),
    Latch(usize),
}

/// A set of nodes of a graph with up to 64 nodes.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Set(pub(crate) u64);

impl Set {
    pub(crate) fn of(nodes: impl IntoIterator<Item = Node>) -> Self {
        let mut set = Set::default();
        nodes.into_iter().for_each(|node| set.insert(node));
        set
    }

    pub(crate) fn insert(&mut self, node: Node) {
        self.0 |= 1 << node.index();
    }

    pub(crate) fn remove(&mut self, node: Node) {
        self.0 &= !(1 << node.index());
    }

    pub(crate) fn contains(self, node: Node) -> bool {
        self.0 >> node.index() & 1 == 1
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    pub(crate) fn is_subset(self, other: Set) -> bool {
        self.0 & !other.0 == 0
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = Node> {
        (0..64).filter(move |i| self.0 >> i & 1 == 1).map(Node::new)
    }
}

impl std::fmt::Debug for Set {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// All nodes reachable from `from` inside `within`, `from` included if it is in there.
pub(crate) fn reach(graph: &Graph, from: Node, within: Set) -> Set {
    let mut seen = Set::default();
    let mut stack = vec![from];
    while let Some(node) = stack.pop() {
        if within.contains(node) && !seen.contains(node) {
            seen.insert(node);
            stack.extend(graph.successors(node));
        }
    }
    seen
}

pub(crate) fn all(graph: &Graph) -> Set {
    Set::of(graph.nodes())
}

pub(crate) fn without(set: Set, node: Node) -> Set {
    let mut set = set;
    set.remove(node);
    set
}

pub(crate) fn reachable(graph: &Graph) -> Set {
    reach(graph, graph.entry(), all(graph))
}

/// `table[b]` holds the nodes that dominate `b`: without them, `b` cannot be reached. For an
/// unreachable `b`, itself.
pub(crate) fn dominators(graph: &Graph) -> Vec<Set> {
    let reachable = reachable(graph);
    let mut table: Vec<Set> = graph.nodes().map(|b| Set::of([b])).collect();
    for a in reachable.iter() {
        let rest = reach(graph, graph.entry(), without(all(graph), a));
        for b in reachable.iter().filter(|&b| !rest.contains(b)) {
            table[b.index()].insert(a);
        }
    }
    table
}

/// `table[b]` holds the nodes on every complete path from `b` (001 §2.2, 2.3). For a `b` without
/// such a path, itself. Paths may also end in one of `ends`.
pub(crate) fn postdominators(graph: &Graph, ends: Set) -> Vec<Set> {
    let leaves = |set: Set| set.iter().any(|n| graph.successors(n).is_empty() || ends.contains(n));
    let mut table: Vec<Set> = graph.nodes().map(|b| Set::of([b])).collect();
    for b in graph.nodes().filter(|&b| leaves(reach(graph, b, all(graph)))) {
        for a in graph.nodes() {
            if !leaves(reach(graph, b, without(all(graph), a))) {
                table[b.index()].insert(a);
            }
        }
    }
    table
}

/// Whether there is a cycle among the nodes of the set.
pub(crate) fn has_cycle(graph: &Graph, set: Set) -> bool {
    set.iter().any(|node| {
        graph
            .successors(node)
            .iter()
            .any(|&next| set.contains(next) && reach(graph, next, set).contains(node))
    })
}

/// `table[b]` holds the nodes on every path from `b` that is complete or infinite: without `a`, `b`
/// reaches neither an end nor a cycle.
pub(crate) fn strong_postdominators(graph: &Graph) -> Vec<Set> {
    let mut table: Vec<Set> = graph.nodes().map(|b| Set::of([b])).collect();
    for b in graph.nodes() {
        for a in graph.nodes().filter(|&a| a != b) {
            let rest = reach(graph, b, without(all(graph), a));
            if !rest.iter().any(|n| graph.successors(n).is_empty()) && !has_cycle(graph, rest) {
                table[b.index()].insert(a);
            }
        }
    }
    table
}

/// The maximal strongly connected subsets of `within` that have an edge inside.
pub(crate) fn components(graph: &Graph, within: Set) -> Vec<Set> {
    let mut found: Vec<Set> = Vec::new();
    for node in within.iter() {
        if found.iter().any(|set| set.contains(node)) {
            continue;
        }
        let from = reach(graph, node, within);
        let set = Set::of(from.iter().filter(|&other| reach(graph, other, within).contains(node)));
        if set.len() > 1 || graph.successors(node).contains(&node) {
            found.push(set);
        }
    }
    found
}

/// Whether every retreating edge of one depth-first search leads to a dominator of its source. (001
/// §2.4; that the choice of search does not matter is Hecht and Ullman's theorem.) Uses repeated
/// removal of self-loops and merging of nodes with a single predecessor instead (T1 and T2), which
/// needs no search at all.
pub(crate) fn is_reducible(graph: &Graph) -> bool {
    let nodes: Vec<Node> = reachable(graph).iter().collect();
    let mut alive = Set::of(nodes.iter().copied());
    let mut successors: Vec<Set> =
        graph.nodes().map(|n| Set::of(graph.successors(n).iter().copied())).collect();
    loop {
        let mut changed = false;
        for &node in &nodes {
            if !alive.contains(node) {
                continue;
            }
            successors[node.index()].remove(node);
            let before: Vec<Node> =
                alive.iter().filter(|p| successors[p.index()].contains(node)).collect();
            if node != graph.entry() && before.len() == 1 {
                let merged = successors[node.index()];
                let into = &mut successors[before[0].index()];
                into.remove(node);
                into.0 |= merged.0;
                alive.remove(node);
                changed = true;
            }
        }
        if !changed {
            return alive.len() == 1;
        }
    }
}

/// The edges whose source can be reached.
pub(crate) fn live_edges(graph: &Graph) -> Vec<Edge> {
    let reachable = reachable(graph);
    graph.edges().filter(|&e| reachable.contains(graph.source(e))).collect()
}

/// Every graph of `n` numbered nodes with at most two successors each, unreachable nodes and all.
pub(crate) fn every_numbered_graph(n: usize, mut visit: impl FnMut(&Graph)) {
    let mut lists: Vec<Vec<usize>> = vec![Vec::new()];
    lists.extend((0..n).map(|a| vec![a]));
    lists.extend((0..n).flat_map(|a| (0..n).map(move |b| vec![a, b])));
    for code in 0..lists.len().pow(n as u32) {
        let digit = |node: usize| code / lists.len().pow(node as u32) % lists.len();
        let successors: Vec<&Vec<usize>> = (0..n).map(|node| &lists[digit(node)]).collect();
        visit(&Graph::from_successors(&successors));
    }
}
