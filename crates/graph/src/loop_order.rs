//! An order of the blocks in which loops are intervals: what solvers need of the
//! [block index](crate::block_index), without dominators.

use crate::graph::{Graph, NONE, Node};
use crate::loop_nesting::collapse;
use crate::orders::DepthFirst;

/// Puts the reachable nodes into a list; every loop is in one piece, its header first. In a reducible graph the order is topological up to
/// back edges; an irreducible loop may stand before nodes that lead into it. Almost linear time.
///
/// Nodes keep their reverse postorder, but a loop as a whole stands where its header does.
pub fn loop_order(graph: &Graph, dfs: &DepthFirst, order: &mut Vec<Node>) {
    order.clear();
    order.extend(dfs.reverse_postorder());
    if dfs.is_acyclic() {
        return;
    }
    let (is_header, enclosing) = collapse(graph, dfs);
    // How many nodes there are in the loop of each header, and one for others. Headers come before their loops in preorder.
    let mut size = vec![1; is_header.len()];
    for x in (0..size.len()).rev() {
        if enclosing[x] != NONE {
            size[enclosing[x] as usize] += size[x];
        }
    }
    // The next free place in the loop of each header, and outside of all.
    let outside = size.len();
    let mut free = vec![0; outside + 1];
    for node in dfs.reverse_postorder() {
        let x = dfs.numbers()[node.index()] as usize;
        let mut home = if enclosing[x] == NONE { outside } else { enclosing[x] as usize };
        if is_header[x] {
            // A header comes before all else in its loop.
            free[x] = free[home];
            free[home] += size[x];
            home = x;
        }
        order[free[home]] = node;
        free[home] += 1;
    }
}
