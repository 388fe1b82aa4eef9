//! Uses behind which other uses say nothing any more: an access shows that a pointer is not null, and those that it dominates
//! show nothing new.
//!
//! Only for programs in SSA form and information that flows forward. There a variable keeps its value behind a use, and a use
//! that is dominated by another always comes behind it.

use crate::code::Code;
use crate::program::Var;
use crate::split::Informs;
use crate::strategy::Strategy;
use lw_graph::Node;
use smallvec::SmallVec;

/// Whether a variable is split at uses, and all information about it flows forward.
pub(crate) fn flows_forward(code: &Code, strategy: Strategy) -> bool {
    code.ssa && strategy.contains(Strategy::USES_DOWN) && strategy.up() == Strategy::NONE
}

/// Leaves out the copies of a variable that are dominated by a use that settles it. Copies are positions, ascending.
pub(crate) fn drop_settled(code: &Code, var: Var, copies: &mut Vec<u32>, settles: &Informs<'_>) {
    if copies.len() < 2 {
        return;
    }
    let mut order: SmallVec<[(usize, u32, usize); 16]> = SmallVec::new();
    for &pos in copies.iter() {
        let block = Node::new(code.block_of[pos as usize] as usize);
        let dominated = code.dominators.range(block).unwrap_or_default();
        order.push((dominated.start, pos, dominated.end));
    }
    // In a preorder of the dominator tree: the blocks that one dominates follow it.
    order.sort_unstable();
    let mut settled = 0;
    copies.clear();
    for &(start, pos, end) in &order {
        if start < settled {
            continue;
        }
        copies.push(pos);
        if settles(code.instrs[pos as usize], var) {
            settled = end;
        }
    }
    copies.sort_unstable();
}
