//! The life of a stack object: from where it holds nothing to the last time that it is read.
//!
//! ```text
//! begin:  call void @llvm.lifetime.start.p0(ptr %stack)       holds nothing
//!         store i32 0, ptr %stack, align 4
//! loop:   …  %at = load i32, ptr %top, align 4                live: it may be read
//! exit:   …                                                   dead: before it is read again, it holds nothing
//! ```
//!
//! Threads that meet with different states of a dead object do not differ. But lanes of a vector may have to share the object, so a
//! state must not be overwritten either as long as someone needs it. Two cases are safe:
//!
//! - threads leave a loop, and the object is dead behind it, wherever they leave it: they wait there until the loop is over;
//! - threads parted before its life began, where nobody had used it yet. The block it begins in dominates all accesses, so whoever comes
//!   to one came through that block together with all others.

use crate::control::Control;
use lw_graph::{DominatorTree, Graph, Node};
use lw_ir::{Block, Function, Inst};
use lw_sparse::function::node;
use rustc_hash::{FxHashMap, FxHashSet};
use std::iter::successors;

/// The life of an object.
#[derive(Clone, Debug)]
pub(super) struct Life {
    /// The blocks at whose start it may still be read.
    live: FxHashSet<Node>,
    /// The block it begins in: it dominates all accesses, and none comes before it in that block.
    begin: Node,
}

/// What is done to an object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Deed {
    Load,
    Store,
    /// It holds nothing afterwards.
    Empty,
}

impl Life {
    /// Of an object that these instructions load, store, and empty: its `alloca`, and marks of its life. `None` if it does not begin in
    /// one place.
    pub(super) fn find(
        function: &Function,
        (graph, dominators): (&Graph, &DominatorTree),
        (loads, stores, marks): (&[Inst], &[Inst], &[Inst]),
    ) -> Option<Life> {
        let mut deeds: FxHashMap<Inst, Deed> = FxHashMap::default();
        deeds.extend(marks.iter().map(|&inst| (inst, Deed::Empty)));
        deeds.extend(stores.iter().map(|&inst| (inst, Deed::Store)));
        deeds.extend(loads.iter().map(|&inst| (inst, Deed::Load)));
        let homes: FxHashSet<Block> =
            deeds.keys().filter_map(|&inst| function.block_of(inst)).collect();
        let in_order = |b: Block| {
            let insts = function.insts(b).iter();
            (node(b), insts.filter_map(|inst| deeds.get(inst).copied()).collect::<Vec<Deed>>())
        };
        let by_block: FxHashMap<Node, Vec<Deed>> = homes.into_iter().map(in_order).collect();
        let accessed = |(_, deeds): &(&Node, &Vec<Deed>)| deeds.iter().any(|&d| d != Deed::Empty);
        let accessed: Vec<Node> = by_block.iter().filter(accessed).map(|(&n, _)| n).collect();
        let begins = by_block.iter().filter(|(_, deeds)| deeds[0] == Deed::Empty);
        let begin = begins
            .map(|(&n, _)| n)
            .filter(|&n| accessed.iter().all(|&other| dominators.dominates(n, other)))
            .max_by_key(|&n| dominators.depth(n))?;
        // Whether it is read before it is emptied; stores may leave some of it as it was.
        let reads = |deeds: &[Deed]| deeds.iter().find(|&&d| d != Deed::Store) == Some(&Deed::Load);
        let empties = |n: &Node| by_block.get(n).is_some_and(|deeds| deeds.contains(&Deed::Empty));
        let mut live: FxHashSet<Node> = FxHashSet::default();
        let mut work: Vec<Node> =
            by_block.iter().filter(|(_, deeds)| reads(deeds)).map(|(&n, _)| n).collect();
        while let Some(n) = work.pop() {
            if live.insert(n) {
                work.extend(graph.predecessors(n).filter(|from| !empties(from)));
            }
        }
        Some(Life { live, begin })
    }

    /// Whether an object may still be read at the start of a block.
    pub(super) fn is_live(&self, at: Node) -> bool {
        self.live.contains(&at)
    }

    /// Whether threads that part at a branch meet in a block when nobody needs any more what they did to the object.
    pub(super) fn is_over(
        &self,
        control: &Control,
        dominators: &DominatorTree,
        branch: Node,
        meet: Node,
    ) -> bool {
        let (loops, meet) = (control.loops(), control.gate(meet));
        let mut around = successors(loops.innermost(branch), |&l| loops.parent(l));
        let behind =
            |l| !loops.contains(l, meet) && loops.exits(l).iter().all(|&e| !self.is_live(e));
        !self.is_live(meet) && (!dominators.dominates(self.begin, branch) || around.any(behind))
    }
}
