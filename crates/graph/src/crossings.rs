//! Edges that cross loop boundaries.
//!
//! One edge may leave many nested loops at once, so a list of exits per loop can be quadratic in
//! the depth of the nest. Here each edge is stored once: ordered by the loop of its inner end
//! point, under a tree of minima over the depth of the outermost loop it crosses. The edges that
//! cross the boundary of one loop are then found in time proportional to their number (times a
//! logarithm).

use crate::graph::Edge;
use crate::rows::Rows;
use std::ops::Range;

/// Edges with one end point inside some loops that do not contain the other.
#[derive(Clone, Debug)]
pub(crate) struct Crossings {
    /// Row `i`: edges whose inner end point has the loop with preorder number `i` as its innermost
    /// one.
    edges: Rows<Edge>,
    /// A complete binary tree; leaf `width + i` is the outermost depth of the `i`-th edge.
    minimum: Vec<u32>,
    width: usize,
}

impl Crossings {
    /// Takes `(loop number of the inner end point, edge, depth of the outermost loop that is
    /// crossed)`.
    pub(crate) fn new(loop_count: usize, crossings: &[(u32, Edge, u32)]) -> Self {
        let edges = Rows::group(
            loop_count,
            crossings.iter().map(|&(inner, edge, _)| (inner as usize, edge)),
        );
        let depths = Rows::group(
            loop_count,
            crossings.iter().map(|&(inner, _, depth)| (inner as usize, depth)),
        );
        let width = crossings.len().next_power_of_two();
        let mut minimum = vec![u32::MAX; 2 * width];
        minimum[width..width + crossings.len()].copy_from_slice(depths.items());
        for i in (1..width).rev() {
            minimum[i] = minimum[2 * i].min(minimum[2 * i + 1]);
        }
        Crossings { edges, minimum, width }
    }

    /// The positions of the edges whose inner end point is in one of the loops with these preorder
    /// numbers.
    pub(crate) fn positions(&self, loops: Range<usize>) -> Range<usize> {
        self.edges.range(loops.start).start..self.edges.range(loops.end - 1).end
    }

    /// The edge at a position.
    #[cfg(test)]
    pub(crate) fn edge(&self, position: usize) -> Edge {
        self.edges.items()[position]
    }

    /// Calls `visit` for each edge in `positions` that crosses a loop of depth `depth` or less, in
    /// order of position.
    pub(crate) fn visit(&self, positions: Range<usize>, depth: u32, mut visit: impl FnMut(Edge)) {
        if positions.is_empty() {
            return;
        }
        // Climb from the first position to the subtrees that tile the range, then descend where a
        // minimum is small.
        let mut at = positions.start;
        while at < positions.end {
            let mut span = 1usize << at.trailing_zeros().min(usize::BITS - 2);
            while at + span > positions.end {
                span >>= 1;
            }
            self.descend((self.width + at) / span, depth, &mut visit);
            at += span;
        }
    }

    /// Visits the leaves below `vertex` whose value is at most `depth`, from left to right.
    fn descend(&self, vertex: usize, depth: u32, visit: &mut impl FnMut(Edge)) {
        if self.minimum[vertex] > depth {
            return;
        }
        let mut at = vertex;
        loop {
            if self.minimum[at] <= depth && at < self.width {
                at *= 2;
                continue;
            }
            if self.minimum[at] <= depth {
                visit(self.edges.items()[at - self.width]);
            }
            // The next vertex to the right that is not below one already seen.
            while at != vertex && at % 2 == 1 {
                at /= 2;
            }
            if at == vertex {
                return;
            }
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Rng;

    #[test]
    fn finds_what_a_scan_finds() {
        let mut rng = Rng::new(3);
        for len in 0..40 {
            let crossings: Vec<(u32, Edge, u32)> = (0..len)
                .map(|i| (rng.below(4) as u32, Edge::new(i), rng.below(6) as u32))
                .collect();
            let table = Crossings::new(4, &crossings);
            for from in 0..=len {
                for to in from..=len {
                    for depth in 0..6 {
                        let mut found = Vec::new();
                        table.visit(from..to, depth, |edge| found.push(edge));
                        let scan = (from..to)
                            .map(|i| table.edge(i))
                            .filter(|e| crossings[e.index()].2 <= depth);
                        assert_eq!(found, scan.collect::<Vec<_>>());
                    }
                }
            }
        }
    }
}
