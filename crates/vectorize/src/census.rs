//! What a region is made of, in the columns of 001 Fig. 13.1.

use crate::edit::Shape;
use lw_divergence::{Divergence, Stride};
use lw_graph::postdominators::PostDominatorTree;
use lw_ir::{Function, Op};
use lw_sparse::function::{block, node};

/// How many there are that are uniform, and that are not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Shares {
    /// The same for all threads.
    pub uniform: usize,
    /// Not the same, or not known to be.
    pub varying: usize,
}

impl Shares {
    fn add(&mut self, varies: bool) {
        *(if varies { &mut self.varying } else { &mut self.uniform }) += 1;
    }
}

/// Accesses of memory by the activation of their block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Masks {
    /// All threads execute them, always.
    pub none: usize,
    /// All threads execute them, or none does.
    pub uniform: usize,
    /// Some threads may execute them while others do not.
    pub varying: usize,
}

/// Counts of the program of threads, before it is changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Census {
    /// Branches with several targets.
    pub branches: Shares,
    /// Loops; varying are those that threads leave in different iterations.
    pub loops: Shares,
    /// The exits of loops that threads leave in different iterations.
    pub exits: Shares,
    /// Loads.
    pub loads: Masks,
    /// Stores.
    pub stores: Masks,
    /// Stack objects.
    pub objects: Shares,
}

impl Census {
    /// Counts a function.
    pub(crate) fn of(function: &Function, divergence: &Divergence<Stride>) -> Census {
        let shape = Shape::of(function);
        let ends = PostDominatorTree::compute(&shape.graph);
        let mut census = Census::default();
        let divergent: Vec<_> = divergence.divergent_loops().map(|(header, _)| header).collect();
        for l in shape.loops.loops() {
            let varies = divergent.contains(&block(shape.loops.header(l)));
            census.loops.add(varies);
            for exit in shape.loops.exiting_edges(l).into_iter().filter(|_| varies) {
                census.exits.add(divergence.is_divergent(block(shape.graph.source(exit))));
            }
        }
        let entry = function.entry().map(node);
        for &b in function.blocks() {
            if function.successors(b).len() > 1 {
                census.branches.add(divergence.is_divergent(b));
            }
            let always = entry.is_some_and(|entry| ends.post_dominates(node(b), entry));
            let varies = divergence.activation_varies(b);
            let count = |masks: &mut Masks| match (varies, always) {
                (true, _) => masks.varying += 1,
                (_, true) => masks.none += 1,
                _ => masks.uniform += 1,
            };
            for &inst in function.insts(b) {
                match function[inst].op {
                    Op::Load(_) => count(&mut census.loads),
                    Op::Store(_) => count(&mut census.stores),
                    Op::Alloca(_) => census.objects.add(!divergence.is_uniform_object(inst)),
                    _ => {}
                }
            }
        }
        census
    }

    /// Its columns: what is counted, and how many.
    pub fn columns(&self) -> [(&'static str, usize); 14] {
        [
            ("uniform branches", self.branches.uniform),
            ("divergent branches", self.branches.varying),
            ("uniform loops", self.loops.uniform),
            ("divergent loops", self.loops.varying),
            ("uniform exits", self.exits.uniform),
            ("divergent exits", self.exits.varying),
            ("loads without a mask", self.loads.none),
            ("loads with a uniform mask", self.loads.uniform),
            ("loads with a mask", self.loads.varying),
            ("stores without a mask", self.stores.none),
            ("stores with a uniform mask", self.stores.uniform),
            ("stores with a mask", self.stores.varying),
            ("uniform stack objects", self.objects.uniform),
            ("varying stack objects", self.objects.varying),
        ]
    }
}
