//! Disjoint sets under union.

/// Union-find in which the caller says who represents the union.
#[derive(Clone, Debug)]
pub(crate) struct DisjointSets {
    up: Vec<u32>,
}

impl DisjointSets {
    pub(crate) fn new(n: usize) -> Self {
        DisjointSets { up: (0..n as u32).collect() }
    }

    /// The representative of the set of `x`.
    pub(crate) fn find(&mut self, mut x: u32) -> u32 {
        while self.up[x as usize] != x {
            self.up[x as usize] = self.up[self.up[x as usize] as usize];
            x = self.up[x as usize];
        }
        x
    }

    /// Joins the set of `x`, which must represent it, to that of `into`.
    pub(crate) fn merge(&mut self, x: u32, into: u32) {
        self.up[x as usize] = into;
    }
}
