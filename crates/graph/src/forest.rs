//! Rooted forests with constant-time ancestor tests; the shape behind dominator trees and loop
//! forests.
//!
//! Vertices are `0..n`. They are renumbered in preorder such that a vertex is followed by the child
//! with the largest subtree (its *heavy* child). Two things follow: a subtree is an interval of
//! numbers, and so is each heavy path. A path to the root crosses at most log n light edges, so
//! common ancestors and ancestors at a given depth are found in O(log n) without further tables
//! (Sleator and Tarjan 1983).

use crate::graph::NONE;
use std::ops::Range;

/// A forest over some of the vertices `0..n`.
#[derive(Clone, Debug)]
pub(crate) struct Forest {
    /// By vertex: its number, [`NONE`] when it is not in the forest.
    number: Vec<u32>,
    /// The rest is by number.
    vertex: Vec<u32>,
    parent: Vec<u32>,
    size: Vec<u32>,
    depth: Vec<u32>,
    /// The first vertex of the heavy path.
    top: Vec<u32>,
}

impl Forest {
    /// Builds the forest of the vertices in `order`, in which parents come before their children.
    /// `parent[v]` is [`NONE`] for a root.
    pub(crate) fn new(parent: &[u32], order: impl DoubleEndedIterator<Item = u32> + Clone) -> Self {
        let n = parent.len();
        let mut subtree = vec![0u32; n];
        let mut heavy = vec![NONE; n];
        let mut count = 0;
        for v in order.clone().rev() {
            count += 1;
            subtree[v as usize] += 1;
            let up = parent[v as usize];
            if up != NONE {
                subtree[up as usize] += subtree[v as usize];
                let best = &mut heavy[up as usize];
                if *best == NONE || subtree[*best as usize] <= subtree[v as usize] {
                    *best = v;
                }
            }
        }
        let mut forest = Forest {
            number: vec![NONE; n],
            vertex: vec![NONE; count],
            parent: vec![NONE; count],
            size: vec![0; count],
            depth: vec![0; count],
            top: vec![NONE; count],
        };
        // The next free number below a vertex, and for another root.
        let mut free = vec![0u32; n];
        let mut free_root = 0;
        for v in order {
            let up = parent[v as usize];
            let (number, up_number, depth, top) = if up == NONE {
                let number = free_root;
                free_root += subtree[v as usize];
                (number, NONE, 0, number)
            } else {
                let up_number = forest.number[up as usize];
                let depth = forest.depth[up_number as usize] + 1;
                if heavy[up as usize] == v {
                    (up_number + 1, up_number, depth, forest.top[up_number as usize])
                } else {
                    let number = free[up as usize];
                    free[up as usize] += subtree[v as usize];
                    (number, up_number, depth, number)
                }
            };
            let heavy_size =
                if heavy[v as usize] == NONE { 0 } else { subtree[heavy[v as usize] as usize] };
            free[v as usize] = number + 1 + heavy_size;
            forest.number[v as usize] = number;
            forest.vertex[number as usize] = v;
            forest.parent[number as usize] = up_number;
            forest.size[number as usize] = subtree[v as usize];
            forest.depth[number as usize] = depth;
            forest.top[number as usize] = top;
        }
        forest
    }

    #[inline]
    pub(crate) fn contains(&self, v: u32) -> bool {
        self.number[v as usize] != NONE
    }

    /// The number of a vertex of the forest, [`NONE`] for another vertex.
    #[inline]
    pub(crate) fn number(&self, v: u32) -> u32 {
        self.number[v as usize]
    }

    #[inline]
    pub(crate) fn parent(&self, v: u32) -> Option<u32> {
        let number = self.number(v);
        if number == NONE {
            return None;
        }
        let parent = self.parent[number as usize];
        (parent != NONE).then(|| self.vertex[parent as usize])
    }

    /// Zero for a root. The vertex must be in the forest.
    #[inline]
    pub(crate) fn depth(&self, v: u32) -> u32 {
        self.depth[self.number(v) as usize]
    }

    /// The numbers of the subtree of a vertex of the forest.
    #[inline]
    pub(crate) fn range(&self, v: u32) -> Range<usize> {
        let number = self.number(v) as usize;
        number..number + self.size[number] as usize
    }

    /// The rest of the tables, by number: subtree sizes, depths, and the numbers of the parents.
    #[inline]
    pub(crate) fn by_number(&self) -> (&[u32], &[u32], &[u32]) {
        (&self.size, &self.depth, &self.parent)
    }

    /// All vertices of the forest, by number. A subtree is the slice [`Forest::range`].
    #[inline]
    pub(crate) fn vertices(&self) -> &[u32] {
        &self.vertex
    }

    /// The vertices directly below a vertex of the forest.
    pub(crate) fn children(&self, v: u32) -> impl Iterator<Item = u32> + Clone + '_ {
        let range = self.range(v);
        let first = range.start + 1;
        let next = move |&at: &usize| {
            let after = at + self.size[at] as usize;
            (after < range.end).then_some(after)
        };
        let first = (first < self.range(v).end).then_some(first);
        std::iter::successors(first, next).map(|at| self.vertex[at])
    }

    /// Whether `a` is `b` or above it; both must be in the forest.
    #[inline]
    pub(crate) fn is_ancestor(&self, a: u32, b: u32) -> bool {
        self.range(a).contains(&(self.number(b) as usize))
    }

    /// The lowest vertex above or equal to both, if they are in one tree. Both must be in the
    /// forest.
    pub(crate) fn common(&self, a: u32, b: u32) -> Option<u32> {
        let (mut a, mut b) = (self.number(a), self.number(b));
        while self.top[a as usize] != self.top[b as usize] {
            // The vertex whose path starts with the larger number cannot have the other one below
            // that start.
            if self.top[a as usize] < self.top[b as usize] {
                std::mem::swap(&mut a, &mut b);
            }
            a = self.parent[self.top[a as usize] as usize];
            if a == NONE {
                return None;
            }
        }
        Some(self.vertex[a.min(b) as usize])
    }

    /// The vertex at the given depth on the path from the root to `v`. The depth must not exceed
    /// that of `v`.
    pub(crate) fn ancestor_at(&self, v: u32, depth: u32) -> u32 {
        let mut at = self.number(v);
        loop {
            let top = self.top[at as usize];
            let top_depth = self.depth[top as usize];
            if top_depth <= depth {
                return self.vertex[(top + depth - top_depth) as usize];
            }
            at = self.parent[top as usize];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Rng;

    /// The ancestors of a vertex, itself first.
    fn up(parent: &[u32], v: u32) -> Vec<u32> {
        std::iter::successors(Some(v), |&v| Some(parent[v as usize]).filter(|&p| p != NONE))
            .collect()
    }

    #[test]
    fn agrees_with_walking_up() {
        let mut rng = Rng::new(7);
        for size in 1..60 {
            // Vertex 0 is left out of the forest.
            let mut parent = vec![NONE; size + 1];
            for v in 2..=size as u32 {
                if rng.below(5) > 0 {
                    parent[v as usize] = 1 + rng.below(v as usize - 1) as u32;
                }
            }
            let forest = Forest::new(&parent, 1..=size as u32);
            assert!(!forest.contains(0));
            for a in 1..=size as u32 {
                let above_a = up(&parent, a);
                assert_eq!(forest.depth(a) as usize, above_a.len() - 1);
                assert_eq!(forest.parent(a), above_a.get(1).copied());
                let mut children: Vec<u32> = forest.children(a).collect();
                children.sort_unstable();
                assert!(
                    children.into_iter().eq((1..=size as u32).filter(|&c| parent[c as usize] == a))
                );
                for (steps, &ancestor) in above_a.iter().enumerate() {
                    assert_eq!(forest.ancestor_at(a, forest.depth(a) - steps as u32), ancestor);
                }
                for b in 1..=size as u32 {
                    let above_b = up(&parent, b);
                    assert_eq!(forest.is_ancestor(a, b), above_b.contains(&a));
                    assert_eq!(
                        forest.common(a, b),
                        above_a.iter().copied().find(|v| above_b.contains(v))
                    );
                }
            }
        }
    }
}
