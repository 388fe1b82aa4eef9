//! Which node heads a loop, and which loop is directly around each node.
//!
//! Tarjan's collapsing of loop bodies in reverse preorder (1974), with the treatment of cross edges
//! that makes it almost linear on irreducible graphs as well: Ramalingam, *Identifying Loops in
//! Almost Linear Time* (TOPLAS 1999). All nodes are preorder numbers of a depth-first search.

use crate::disjoint_sets::DisjointSets;
use crate::graph::{Graph, NONE};
use crate::orders::DepthFirst;
use crate::rows::Rows;

/// Finds, by preorder number, which nodes are headers and the header of the innermost loop strictly
/// around each node (its own loop, if it heads one, not counted).
pub(crate) fn collapse(graph: &Graph, dfs: &DepthFirst) -> (Vec<bool>, Vec<u32>) {
    collapse_reducible(graph, dfs).unwrap_or_else(|| collapse_any(graph, dfs))
}

/// The same for a graph in which loops are only entered at their headers; `None` for another. All predecessors of a loop's body are then in the
/// body, or are the header: no cross edges have to be found first.
fn collapse_reducible(graph: &Graph, dfs: &DepthFirst) -> Option<(Vec<bool>, Vec<u32>)> {
    let n = dfs.preorder().len();
    let mut is_header = vec![false; n];
    let mut enclosing = vec![NONE; n];
    let mut collapsed = DisjointSets::new(n);
    let mut body = Vec::new();
    for x in (0..n as u32).rev() {
        for y in graph.predecessors(dfs.preorder()[x as usize]) {
            let y = dfs.numbers()[y.index()];
            if y != NONE && dfs.is_ancestor_number(x as usize, y as usize) {
                is_header[x as usize] = true;
                absorb(collapsed.find(y), x, &mut enclosing, &mut body);
            }
        }
        let mut next = 0;
        while next < body.len() {
            for y in graph.predecessors(dfs.preorder()[body[next] as usize]) {
                let y = dfs.numbers()[y.index()];
                if y == NONE {
                    continue;
                }
                let y = collapsed.find(y);
                if !dfs.is_ancestor_number(x as usize, y as usize) {
                    return None;
                }
                absorb(y, x, &mut enclosing, &mut body);
            }
            next += 1;
        }
        for y in body.drain(..) {
            collapsed.merge(y, x);
        }
    }
    Some((is_header, enclosing))
}

/// The same for any graph.
fn collapse_any(graph: &Graph, dfs: &DepthFirst) -> (Vec<bool>, Vec<u32>) {
    let n = dfs.preorder().len();
    let mut is_header = vec![false; n];
    let mut enclosing = vec![NONE; n];
    let cross_edges = cross_edges(graph, dfs);
    // Each node stands for the outermost loop found so far that it heads or belongs to.
    let mut collapsed = DisjointSets::new(n);
    // Cross edges into a node of that kind, as lists of `(source, next)`.
    let mut extra = vec![NONE; n];
    let mut links: Vec<(u32, u32)> = Vec::new();
    let mut body = Vec::new();
    for x in (0..n as u32).rev() {
        // A cross edge becomes visible at the first node that has both ends below it. Forward edges
        // never matter: the tree path beside them is enough.
        for &(y, z) in cross_edges.row(x as usize) {
            let z = collapsed.find(z) as usize;
            links.push((y, extra[z]));
            extra[z] = links.len() as u32 - 1;
        }
        body.clear();
        for y in graph.predecessors(dfs.preorder()[x as usize]) {
            let y = dfs.numbers()[y.index()];
            if y != NONE && dfs.is_ancestor_number(x as usize, y as usize) {
                is_header[x as usize] = true;
                absorb(collapsed.find(y), x, &mut enclosing, &mut body);
            }
        }
        let mut next = 0;
        while next < body.len() {
            let y = body[next] as usize;
            next += 1;
            absorb(collapsed.find(dfs.parents()[y]), x, &mut enclosing, &mut body);
            let mut link = extra[y];
            while link != NONE {
                let (source, following) = links[link as usize];
                absorb(collapsed.find(source), x, &mut enclosing, &mut body);
                link = following;
            }
        }
        for &y in &body {
            collapsed.merge(y, x);
        }
    }
    (is_header, enclosing)
}

fn absorb(y: u32, header: u32, enclosing: &mut [u32], body: &mut Vec<u32>) {
    if y != header && enclosing[y as usize] != header {
        enclosing[y as usize] = header;
        body.push(y);
    }
}

/// The cross edges by the lowest common ancestor of their ends in the depth-first tree, in preorder
/// numbers.
fn cross_edges(graph: &Graph, dfs: &DepthFirst) -> Rows<(u32, u32)> {
    let mut found = Vec::new();
    // When a node is finished, it is merged with its parent. While `y` is being finished, the nodes
    // on its tree path are the ones that still stand for themselves, so `find(z)` is the lowest
    // ancestor of `z` on that path.
    let mut finished = DisjointSets::new(dfs.preorder().len());
    for &node in dfs.postorder() {
        let y = dfs.numbers()[node.index()];
        for &z in graph.successors(node) {
            let z = dfs.numbers()[z.index()];
            if z < y && !dfs.is_ancestor_number(z as usize, y as usize) {
                found.push((finished.find(z) as usize, (y, z)));
            }
        }
        if dfs.parents()[y as usize] != NONE {
            finished.merge(y, dfs.parents()[y as usize]);
        }
    }
    Rows::group(dfs.preorder().len(), found.iter().copied())
}
