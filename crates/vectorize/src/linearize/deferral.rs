//! Partial linearization of graphs (001 Listing 8, loops by §8.3): where each edge of the program leads afterwards.
//!
//! Blocks are visited in the order of the block index. The *deferral relation* D holds the pairs (b, t) for which t has yet to
//! post-dominate b. Back edges are left out and put back: the latch comes last in its loop, and whatever is deferred there is outside
//! of the loop and was deferred at its exits too.

use super::numbers::Numbers;
use lw_graph::{BlockIndex, Graph, LoopForest, Node};

/// Where edges lead after linearization.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Linearized {
    /// By edge of the graph: its new target. Edges out of a folded branch all have the same.
    pub target: Vec<Node>,
    /// By node: whether it had several successors and has one now.
    pub folded: Vec<bool>,
}

/// Linearizes a graph whose loops are uniform. `is_divergent` says at the end of which blocks threads may part.
pub fn linearize_graph(
    graph: &Graph,
    loops: &LoopForest,
    index: &BlockIndex,
    is_divergent: impl Fn(Node) -> bool,
) -> Linearized {
    let order = index.order();
    let number =
        |node: Node| index.index(node).expect("successors of reachable blocks are reachable");
    let mut target: Vec<Node> = graph.edges().map(|edge| graph.target(edge)).collect();
    let mut folded = vec![false; graph.node_count()];
    // D, by the number of its first block.
    let mut deferred: Vec<Numbers> = vec![Numbers::default(); order.len()];
    for (at, &b) in order.iter().enumerate() {
        let waiting = std::mem::take(&mut deferred[at]);
        let forward: Vec<_> =
            graph.successor_edges(b).filter(|&e| !loops.is_back_edge(e)).collect();
        if forward.is_empty() {
            continue;
        }
        if is_divergent(b) {
            let mut all = waiting;
            forward.iter().for_each(|&e| all.insert(number(graph.target(e))));
            let next = all.pop_first().expect("it has successors");
            forward.iter().for_each(|e| target[e.index()] = order[next]);
            folded[b.index()] = forward.len() > 1;
            deferred[next].extend(&all);
            continue;
        }
        for &edge in &forward {
            let mut all = waiting.clone();
            all.insert(number(graph.target(edge)));
            let next = all.pop_first().expect("it has a successor");
            target[edge.index()] = order[next];
            deferred[next].extend(&all);
        }
        let several = graph.successor_edges(b).len() > 1;
        let mut targets = graph.successor_edges(b).map(|e| target[e.index()]);
        let first = targets.next();
        folded[b.index()] = several && targets.all(|t| Some(t) == first);
    }
    Linearized { target, folded }
}
