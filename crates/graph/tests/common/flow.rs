//! Node-disjoint paths by augmenting a flow twice.

use lw_graph::{Graph, Node};

/// Whether two paths lead from the sources to `to` that have no node in common but `to`. They start
/// in different sources, one of which may be `to` itself.
pub(crate) fn two_disjoint_paths(graph: &Graph, sources: &[Node], to: Node) -> bool {
    // Every node but `to` may be used once. Each node is an entrance and an exit; `used_from[v]` is
    // the node (or the start, `n`) from which a path comes to v, `used_to[v]` where it goes.
    let n = graph.node_count();
    let mut used_from = vec![None; n];
    let mut arrivals: Vec<usize> = Vec::new();
    for round in 0..2 {
        // Where the search came from, for entrances (2v) and exits (2v + 1).
        let mut before = vec![None; 2 * n];
        let mut stack: Vec<usize> = Vec::new();
        let mut last = None;
        for &s in sources {
            let used =
                if s == to { arrivals.contains(&n) } else { used_from[s.index()] == Some(n) };
            if used {
                continue;
            }
            if s == to {
                last = Some(n);
                break;
            }
            if before[2 * s.index()].is_none() {
                before[2 * s.index()] = Some(usize::MAX);
                stack.push(2 * s.index());
            }
        }
        while let (None, Some(at)) = (last, stack.pop()) {
            let v = at / 2;
            let mut go = |next: usize, before: &mut Vec<Option<usize>>| {
                if before[next].is_none() {
                    before[next] = Some(at);
                    stack.push(next);
                }
            };
            if at % 2 == 0 {
                match used_from[v] {
                    // Through the node, or back along the path that uses it.
                    None => go(2 * v + 1, &mut before),
                    Some(u) if u < n => go(2 * u + 1, &mut before),
                    Some(_) => {}
                }
            } else {
                // Undoing the use of the node from its exit.
                if used_from[v].is_some() {
                    go(2 * v, &mut before);
                }
                for &w in graph.successors(Node::new(v)) {
                    if w == to {
                        if !arrivals.contains(&v) {
                            last = Some(v);
                        }
                    } else if used_from[w.index()] != Some(v) {
                        go(2 * w.index(), &mut before);
                    }
                }
            }
        }
        let Some(last) = last else { return false };
        if round == 1 {
            return true;
        }
        // The first path is simple and uses only free nodes.
        arrivals.push(last);
        let mut at = last;
        while at != n {
            let entered = before[2 * at].expect("the search came here");
            let from = if entered == usize::MAX { n } else { entered / 2 };
            used_from[at] = Some(from);
            at = from;
        }
    }
    unreachable!("the second round returns")
}
