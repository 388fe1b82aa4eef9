//! The reconvergence stack of µ-SIMD (002 §3.1, Figs 5 and 6), one entry per group of threads that parted.
//!
//! A branch on which threads part leaves an entry for its immediate post-dominator, the *sync* point, and puts one on top
//! for each target that threads take. The top entry runs until it gets to its sync point and is dropped; when
//! all are, the threads go on together. As in rule BD, the last target (the "else" side) goes first. Unlike a greedy
//! schedule this may execute a block twice for threads that could have met in it (001 Fig. 5.6).
//!
//! µ-SIMD has no predicates. A thread that executed a branch passively (⊤) goes with the group that runs first, and a
//! group of such threads alone towards the nearest return.

use super::code::Code;
use super::control::{Control, Mask, Next};
use super::error::ErrorKind;
use super::schedule::Turn;
use crate::entities::Block;

/// Threads that execute together.
struct Entry {
    /// The block they execute next.
    next: Block,
    /// Where they wait for others.
    sync: Option<Block>,
    threads: Mask,
}

/// The stack; the last entry is the top.
pub(crate) struct Stack {
    entries: Vec<Entry>,
}

impl Stack {
    pub(crate) fn new(entry: Block, active: Mask) -> Stack {
        Stack { entries: vec![Entry { next: entry, sync: None, threads: active }] }
    }

    /// The block and the threads of the top entry, once entries are dropped that are at their sync point or ended.
    pub(crate) fn next(&mut self, controls: &[Control]) -> Option<Turn> {
        loop {
            let top = self.entries.last_mut()?;
            for (thread, control) in top.threads.iter_mut().zip(controls) {
                *thread &= !control.is_done();
            }
            // Rules SS and SP.
            if top.sync == Some(top.next) || !top.threads.contains(&true) {
                self.entries.pop();
                continue;
            }
            return Some((top.next, Some(top.threads.clone())));
        }
    }

    /// Follows the branch at the end of `block`: rules BT, BF (together) and BD (apart).
    pub(crate) fn executed(
        &mut self,
        code: &Code<'_>,
        block: Block,
        controls: &[Control],
    ) -> Result<(), ErrorKind> {
        let Some(top) = self.entries.last_mut() else { return Ok(()) };
        let threads = controls.len();
        let in_group = |t: &usize| top.threads[*t];
        let mut groups: Vec<(Block, Mask)> = Vec::new();
        for target in code.cfg.successors(block) {
            let goes: Mask =
                (0..threads).map(|t| in_group(&t) && controls[t].named() == Some(target)).collect();
            if goes.contains(&true) && groups.iter().all(|(known, _)| *known != target) {
                groups.push((target, goes));
            }
        }
        let follows: Vec<usize> =
            (0..threads).filter(in_group).filter(|&t| controls[t].next == Next::Any).collect();
        if groups.is_empty() && !follows.is_empty() {
            let nearest = code.cfg.successors(block).min_by_key(|&b| code.cfg.exit_distance(b));
            groups.push((nearest.ok_or(ErrorKind::Stuck)?, Mask::from_elem(false, threads)));
        }
        if let Some((_, mask)) = groups.last_mut() {
            for t in follows {
                mask[t] = true;
            }
        }
        match groups.as_slice() {
            [] => {}
            [(target, _)] => top.next = *target,
            _ => {
                let sync = code.cfg.reconvergence(block).or(top.sync);
                match sync {
                    Some(at) if top.sync != Some(at) => top.next = at,
                    _ => drop(self.entries.pop()),
                }
                let apart = groups.into_iter().map(|(next, threads)| Entry { next, sync, threads });
                self.entries.extend(apart);
            }
        }
        Ok(())
    }
}
