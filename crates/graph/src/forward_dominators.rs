//! Dominators of a reducible graph, from its forward edges alone.
//!
//! In a reducible graph the target of an edge that leads back dominates the source, so such edges change nothing. Along the others one pass
//! in reverse postorder is enough: what dominates all predecessors is where the ways up from them meet. (Cooper, Harvey and
//! Kennedy, *A Simple, Fast Dominance Algorithm*, 2001, which repeats this until nothing changes.) The ways may be long, so
//! there is a limit to the steps.

use crate::graph::{Graph, NONE};
use crate::orders::DepthFirst;

/// How many steps are taken for each node and edge.
const STEPS: usize = 8;

/// By postorder number: that of the immediate dominator, of the root its own; `None` if that takes too many steps. It is right if
/// the target of each [retreating](DepthFirst::is_retreating) edge turns out to dominate the source.
pub(crate) fn along_forward_edges(graph: &Graph, dfs: &DepthFirst) -> Option<Vec<u32>> {
    let (order, numbers) = (dfs.postorder(), dfs.post_numbers());
    let root = order.len() - 1;
    let mut above = vec![root as u32; order.len()];
    let mut steps = STEPS * (order.len() + graph.edge_count());
    for at in (0..root).rev() {
        let mut met = NONE;
        for from in graph.predecessors(order[at]) {
            let mut from = numbers[from.index()];
            if from == NONE || from as usize <= at {
                continue;
            }
            if met == NONE {
                met = from;
            }
            while met != from {
                let lower = if met < from { &mut met } else { &mut from };
                *lower = above[*lower as usize];
                steps = steps.checked_sub(1)?;
            }
        }
        above[at] = met;
    }
    Some(above)
}
