//! Regions that a labelling can skip.
//!
//! Disjoint paths that enter a part of the graph over one block and leave it to one block do not meet inside: every block of
//! the part takes the label of its first one ([`DisjointPaths`](crate::DisjointPaths)). [`Regions`] knows for each block whether
//! it opens such a part of the head-rewired graph, and where that ends, so that a run can go there at once. A ladder of early
//! exits then costs each of its branches a constant number of steps, and so does an `if` around a thousand others.
//!
//! Regions are found from the inside out, in topological order backwards: what lies between a block and its end is walked with
//! the regions found already. Blocks with many ways to go on that do not close again soon have none: the walk gives up after a
//! number of steps in proportion to the block's successors, so all of it takes linear time (times the logarithm of the queue).
//!
//! A region lies in one loop. Loops inside of it count as one block, their header, with edges to their exits.
//!
//! A run also wants to know where a loop leads, without looking at each of its exits: `ways_out`.

use crate::graph::{Edge, NONE, Node};
use crate::head_rewired::HeadRewired;
use crate::index_queue::IndexQueue;
use crate::loops::Loop;

/// Where regions end.
#[derive(Clone, Debug)]
pub struct Regions {
    /// By node: the end of the region it opens, or [`NONE`].
    end: Vec<u32>,
    /// In order: a loop, a block outside to which edges lead that leave this loop and none around it, how many.
    ways_out: Vec<(Loop, Node, u32)>,
}

impl Regions {
    /// Finds the regions of a graph.
    pub fn compute(rewired: &HeadRewired) -> Regions {
        let graph = rewired.graph();
        let n = graph.node_count();
        let mut edges = Plain::compute(rewired);
        let mut search = Search {
            end: vec![NONE; n],
            weight: vec![0; n],
            arrived: vec![0; n],
            queue: IndexQueue::default(),
            touched: Vec::new(),
        };
        search.queue.reserve(n);
        for &node in rewired.order().iter().rev() {
            search.open(rewired, &mut edges, node);
        }
        Regions { end: search.end, ways_out: ways_out(rewired) }
    }

    /// The block to which all paths from this one come, with nothing that other paths could enter before it.
    pub fn end(&self, node: Node) -> Option<Node> {
        let end = self.end[node.index()];
        (end != NONE).then(|| Node::from_raw(end))
    }

    /// The blocks to which edges lead that leave this loop and none around it, and how many; parallel edges are one.
    pub(crate) fn ways_out(&self, l: Loop) -> impl Iterator<Item = (Node, u32)> + '_ {
        let first = self.ways_out.partition_point(|&(of, _, _)| of.raw() < l.raw());
        let of_loop = self.ways_out[first..].iter().take_while(move |&&(of, _, _)| of == l);
        of_loop.map(|&(_, target, edges)| (target, edges))
    }
}

fn ways_out(rewired: &HeadRewired) -> Vec<(Loop, Node, u32)> {
    let loops = rewired.loops();
    let mut ways: Vec<(Loop, Node)> = Vec::new();
    // Backwards the header comes first in its loop. These are the loops around the block, the outermost first.
    let mut around: Vec<Loop> = Vec::new();
    for &node in rewired.order().iter().rev() {
        around.truncate(loops.depth(node) - usize::from(loops.headed_by(node).is_some()));
        around.extend(loops.headed_by(node));
        for edge in rewired.distinct_edges(node).filter(|&edge| rewired.is_exit(edge)) {
            ways.push((around[rewired.left(edge) as usize - 1], rewired.graph().target(edge)));
        }
    }
    ways.sort_unstable_by_key(|&(l, target)| (l.raw(), target));
    ways.chunk_by(|a, b| a == b).map(|same| (same[0].0, same[0].1, same.len() as u32)).collect()
}

/// Edges of the head-rewired graph that lead from a block to one in the same loop, without exit nodes of loops around it.
struct Plain {
    /// By node: how many lead to it.
    incoming: Vec<u32>,
    targets: Vec<Node>,
}

impl Plain {
    fn compute(rewired: &HeadRewired) -> Plain {
        let graph = rewired.graph();
        let loops = rewired.loops();
        let mut incoming = vec![0; graph.node_count()];
        for edge in graph.edges().filter(|&edge| rewired.represents(edge)) {
            if !loops.is_back_edge(edge) {
                incoming[graph.target(edge).index()] += 1;
            }
        }
        Plain { incoming, targets: Vec::new() }
    }

    /// Where a block leads, if it leads to blocks of its own loop only: as it is passed from outside if it is a header.
    fn targets(&mut self, rewired: &HeadRewired, node: Node) -> Option<&[Node]> {
        let (graph, loops) = (rewired.graph(), rewired.loops());
        self.targets.clear();
        let mut plain = true;
        match loops.headed_by(node) {
            Some(l) => {
                let depth = loops.loop_depth(l) as u32;
                let exits = loops.exit_table();
                let positions = exits.positions(loops.forest().range(l.raw()));
                exits.visit(positions, depth, |edge| {
                    plain &= !rewired.represents(edge) || rewired.left(edge) == depth;
                    if rewired.represents(edge) {
                        self.targets.push(graph.target(edge));
                    }
                });
            }
            None => {
                let mut add = |edge: Edge| {
                    plain &= !rewired.is_exit(edge);
                    self.targets.push(graph.target(edge));
                };
                rewired.distinct_edges(node).for_each(&mut add);
            }
        }
        plain.then_some(&self.targets)
    }
}

struct Search {
    end: Vec<u32>,
    /// By node: how many edges lead from the region it opens to the end of that.
    weight: Vec<u32>,
    /// By node: how many edges into it come from the region.
    arrived: Vec<u32>,
    queue: IndexQueue,
    touched: Vec<Node>,
}

impl Search {
    fn open(&mut self, rewired: &HeadRewired, edges: &mut Plain, first: Node) {
        let Some(targets) = edges.targets(rewired, first) else { return };
        let mut steps = 8 + 2 * targets.len();
        targets.iter().for_each(|&target| self.arrive(rewired, target, 1));
        let mut end = None;
        while let Some(rank) = self.queue.pop_first() {
            let node = rewired.order()[rank];
            if self.queue.is_empty() {
                end = Some(node);
                break;
            }
            let closed = self.arrived[node.index()] == edges.incoming[node.index()];
            if !closed || steps == 0 {
                break;
            }
            steps -= 1;
            let inner = self.end[node.index()];
            if inner != NONE {
                self.arrive(rewired, Node::from_raw(inner), self.weight[node.index()]);
            } else if let Some(targets) = edges.targets(rewired, node) {
                steps = steps.saturating_sub(targets.len());
                targets.iter().for_each(|&target| self.arrive(rewired, target, 1));
            } else {
                break;
            }
        }
        while self.queue.pop_first().is_some() {}
        if let Some(end) = end {
            self.end[first.index()] = end.raw();
            self.weight[first.index()] = self.arrived[end.index()];
        }
        for node in self.touched.drain(..) {
            self.arrived[node.index()] = 0;
        }
    }

    fn arrive(&mut self, rewired: &HeadRewired, node: Node, edges: u32) {
        self.arrived[node.index()] += edges;
        self.touched.push(node);
        self.queue.insert(rewired.rank(node));
    }
}
