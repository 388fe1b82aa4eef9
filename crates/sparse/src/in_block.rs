//! Variables of SSA programs that do not leave the block that defines them: most of them do not.
//!
//! Nothing about them meets at joins or forks, so all there can be is copies beside their uses. Neither live ranges nor
//! frontiers have to be found.

use crate::code::{Code, NONE, Pos};
use crate::program::Var;
use crate::settled::{flows_backward, flows_forward};
use crate::split::Informs;
use crate::strategy::Strategy;
use crate::view::{Def, ParallelCopy, Version, View};
use smallvec::SmallVec;

/// Splits a variable that stays in its block, which control can reach: at each use that says something, if the strategy names
/// uses and it is live behind it: another use follows, or the branch of the block tests it.
pub(crate) fn split_in_block(
    view: &mut View,
    code: &Code,
    var: Var,
    (strategy, informs, settles): (Strategy, &Informs<'_>, &Informs<'_>),
) {
    let uses = code.uses_of.row(var.index());
    let (Some(&last), Some(original)) = (uses.last(), code.original(var)) else { return };
    if !strategy.intersects(Strategy::USES_UP | Strategy::USES_DOWN) {
        return;
    }
    let tested = !code.tests_of(var).is_empty();
    let last = if tested { NONE } else { code.use_pos[last as usize] };
    let forward = flows_forward(code, strategy);
    let mut copies: SmallVec<[u32; 8]> = SmallVec::new();
    // Before a use that settles it backward, nothing is to be told apart.
    let mut first = 0;
    if !tested && flows_backward(code, strategy) {
        let settled = |&at: &u32| settles(code.instrs[code.use_pos[at as usize] as usize], var);
        first = uses.iter().rposition(settled).unwrap_or(0);
    }
    for &at in &uses[first..] {
        let pos = code.use_pos[at as usize];
        let user = code.instrs[pos as usize];
        if pos != last && copies.last() != Some(&pos) && informs(user, var) {
            copies.push(pos);
            if forward && settles(user, var) {
                break;
            }
        }
    }
    if copies.is_empty() {
        return;
    }
    let first = view.version_count() as u32;
    let mut source = original;
    for (result, &pos) in (first..).zip(&copies) {
        view.add_version(var, Def::Copy(view.copies.len() as u32));
        let (source, result) = (Version(std::mem::replace(&mut source, result)), Version(result));
        view.copies.push(ParallelCopy { var, pos: Pos(pos), source, result });
    }
    let (new, _) = view.was_split(code, var, first);
    let (mut version, mut ahead) = (original, (first..).zip(copies).peekable());
    for (slot, &at) in new.uses.iter_mut().zip(uses) {
        let pos = code.use_pos[at as usize];
        while let Some((copy, _)) = ahead.next_if(|&(_, copied)| copied < pos) {
            version = copy;
        }
        *slot = version;
    }
    new.tests.fill(source);
}
