//! An order of the blocks in which loops are intervals: what solvers need of the
//! [block index](crate::block_index), without dominators.

use crate::graph::Node;
use crate::loops::{Loop, LoopForest};
use crate::orders::DepthFirst;

/// Puts the reachable nodes into a list; every loop is in one piece, its header first. In a reducible graph the order is topological up to
/// back edges; an irreducible loop may stand before nodes that lead into it. Linear time.
///
/// Nodes keep their reverse postorder, but a loop as a whole stands where its header does. `loops` may be left out if the
/// graph is [acyclic](DepthFirst::is_acyclic).
pub fn loop_order(dfs: &DepthFirst, loops: Option<&LoopForest>, order: &mut Vec<Node>) {
    order.clear();
    order.extend(dfs.reverse_postorder());
    let Some(loops) = loops.filter(|loops| !loops.is_empty()) else { return };
    // The next free place in each loop, and outside of all.
    let mut free = vec![0; loops.len() + 1];
    let outside = loops.len();
    for node in dfs.reverse_postorder() {
        let home = loops.innermost(node);
        if let Some(l) = home.filter(|&l| loops.header(l) == node) {
            // A header comes before all else in its loop.
            let around = loops.parent(l).map_or(outside, Loop::index);
            free[l.index()] = free[around];
            free[around] += loops.blocks(l).len();
        }
        let next = &mut free[home.map_or(outside, Loop::index)];
        order[*next] = node;
        *next += 1;
    }
}
