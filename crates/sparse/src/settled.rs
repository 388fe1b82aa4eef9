//! Uses that say all there is to say of a variable. Only for programs in SSA form, where a variable keeps its value.
//!
//! Forward, other uses say nothing any more behind one: an access shows that a pointer is not null, and those that it dominates
//! show nothing new. A use that is dominated by another always comes behind it.
//!
//! Backward, other uses say nothing before one, wherever it can be reached: what may follow counts. A store needs all bits of a
//! number, whatever is done with it on the way there.

use crate::code::{Code, NONE};
use crate::liveness::Liveness;
use crate::program::Var;
use crate::split::Informs;
use crate::strategy::Strategy;
use lw_graph::Node;
use smallvec::SmallVec;

/// Whether a variable is split at uses, and all information about it flows forward.
pub(crate) fn flows_forward(code: &Code, strategy: Strategy) -> bool {
    code.ssa && strategy.contains(Strategy::USES_DOWN) && strategy.up() == Strategy::NONE
}

/// Whether a variable is split at uses, and only to tell apart what they say backward.
pub(crate) fn flows_backward(code: &Code, strategy: Strategy) -> bool {
    const BY_USES_UP: Strategy =
        Strategy::DEFS_DOWN.or(Strategy::USES_UP).or(Strategy::LAST_USES_UP);
    code.ssa && BY_USES_UP.contains(strategy) && strategy.contains(Strategy::USES_UP)
}

/// Whether the last use of a variable in each block that uses it settles it. If so, the least value is ahead wherever the
/// variable is live: it flows backward only, and no branch tests it.
pub(crate) fn ends_settled(code: &Code, var: Var, settles: &Informs<'_>) -> bool {
    let block = |at: u32| code.block_of[code.use_pos[at as usize] as usize];
    let mut uses = code.uses_of.row(var.index()).iter().copied().peekable();
    while let Some(at) = uses.next() {
        // What reads on edges does so at the end of other blocks.
        let last = code.use_edge[at as usize] != NONE
            || uses.peek().is_none_or(|&next| block(next) != block(at));
        if last && !settles(code.instrs[code.use_pos[at as usize] as usize], var) {
            return false;
        }
    }
    true
}

/// Leaves out the copies of a variable that are followed by a use that settles it, in the same block or behind it: before and
/// behind them the value is the least. Copies are positions, ascending.
pub(crate) fn drop_settled_ahead(
    code: &Code,
    var: Var,
    copies: &mut Vec<u32>,
    settles: &Informs<'_>,
    live: &Liveness,
) {
    let uses = code.uses_of.row(var.index()).iter().rev();
    let mut uses = uses.map(|&at| code.use_pos[at as usize]).peekable();
    // The part of a block before a use that settles the variable.
    let mut settled = 0..0;
    let mut kept = copies.len();
    for at in (0..copies.len()).rev() {
        let pos = copies[at];
        while !settled.contains(&pos)
            && let Some(user) = uses.next_if(|&user| user > pos)
        {
            if settles(code.instrs[user as usize], var) {
                let block = Node::new(code.block_of[user as usize] as usize);
                settled = code.body_range(block).start..user;
            }
        }
        let behind = || {
            let block = Node::new(code.block_of[pos as usize] as usize);
            code.graph.successors(block).iter().any(|&target| live.is_settled(target))
        };
        if !settled.contains(&pos) && !behind() {
            kept -= 1;
            copies[kept] = pos;
        }
    }
    copies.drain(..kept);
}

/// Leaves out the copies of a variable that are dominated by a use that settles it. Copies are positions, ascending.
pub(crate) fn drop_settled(code: &Code, var: Var, copies: &mut Vec<u32>, settles: &Informs<'_>) {
    if copies.len() < 2 {
        return;
    }
    let mut order: SmallVec<[(usize, u32, usize); 16]> = SmallVec::new();
    for &pos in copies.iter() {
        let block = Node::new(code.block_of[pos as usize] as usize);
        let dominated = code.dominators().range(block).unwrap_or_default();
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
