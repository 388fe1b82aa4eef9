//! The loop of a function that the world outside names by its latch.

use lw_graph::LoopForest;
use lw_ir::{Block, Function};
use lw_sparse::function::{block, node};

/// A loop of a function.
#[derive(Clone, Debug)]
pub struct FoundLoop {
    /// The block that control enters it by; one of them if it is not reducible.
    pub header: Block,
    /// The block whose terminator it is named by.
    pub latch: Block,
    /// All its blocks.
    pub blocks: Vec<Block>,
    /// Whether control enters it only by its header.
    pub reducible: bool,
}

impl FoundLoop {
    /// The loop whose latch ends in the instruction of this [origin](lw_ir::Origin).
    pub fn by_latch(function: &Function, origin: u32) -> Option<FoundLoop> {
        let is_it = |&&b: &&Block| {
            let terminator = function.terminator(b);
            terminator
                .and_then(|t| function[t].origin.expand())
                .is_some_and(|o| o.as_u32() == origin)
        };
        let latch = *function.blocks().iter().find(is_it)?;
        let loops = LoopForest::compute(&lw_sparse::Program::graph(function));
        let l = loops.loops().find(|&l| loops.latches(l).contains(&node(latch)))?;
        Some(FoundLoop {
            header: block(loops.header(l)),
            latch,
            blocks: loops.blocks(l).iter().map(|&n| block(n)).collect(),
            reducible: loops.is_loop_reducible(l),
        })
    }
}
