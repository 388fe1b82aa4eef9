//! What depends on branches, directly or through other branches: `cdep*` of 001 §2.3, found branch by branch.
//!
//! Each block is found once, so all branches together take almost linear time, where the pairs of [`ControlDependence`] may be
//! quadratic in number.
//!
//! [`ControlDependence`]: crate::ControlDependence

use crate::disjoint_sets::DisjointSets;
use crate::graph::{Graph, Node};
use crate::postdominators::PostDominatorTree;

/// The blocks that depend on the branches asked about so far.
#[derive(Clone, Debug)]
pub struct Dependents {
    graph: Graph,
    post_dominators: PostDominatorTree,
    /// Of a block and those that post-dominate it, the closest that was not found yet; the number of blocks is "none".
    next: DisjointSets,
}

impl Dependents {
    /// Nobody has asked yet.
    pub fn new(graph: &Graph) -> Self {
        let post_dominators = PostDominatorTree::compute(graph);
        let next = DisjointSets::new(graph.node_count() + 1);
        Dependents { graph: graph.clone(), post_dominators, next }
    }

    /// The tree that decides.
    pub fn post_dominators(&self) -> &PostDominatorTree {
        &self.post_dominators
    }

    /// The blocks that depend on the branch, and on no branch asked about before. Those of `also` that were not found before count
    /// as if they did.
    pub fn of(&mut self, branch: Node, also: &[Node]) -> Vec<Node> {
        let mut found = Vec::new();
        for &block in also {
            if self.next.find(block.raw()) == block.raw() {
                self.take(block, &mut found);
            }
        }
        let none = self.graph.node_count() as u32;
        let mut at = branch;
        let mut done = 0;
        loop {
            // What post-dominates a successor, but not the block: once that is left out, all that follows is certain.
            for position in 0..self.graph.successors(at).len() {
                let mut next = self.next.find(self.graph.successors(at)[position].raw());
                while next != none {
                    let block = Node::from_raw(next);
                    if self.post_dominators.post_dominates(block, at) {
                        break;
                    }
                    self.take(block, &mut found);
                    next = self.next.find(next);
                }
            }
            let Some(&block) = found.get(done) else { return found };
            at = block;
            done += 1;
        }
    }

    fn take(&mut self, block: Node, found: &mut Vec<Node>) {
        let none = self.graph.node_count() as u32;
        let above = self.post_dominators.immediate(block);
        self.next.merge(block.raw(), above.map_or(none, Node::raw));
        found.push(block);
    }
}
