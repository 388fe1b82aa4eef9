//! Greedy schedules (001 ch. 5): which blocks may come next, and the choice among them.
//!
//! A scheduled block must make *progress* (Def. 14) and be *synchronizing* (Def. 17), and threads must not go round
//! passively for ever (§5.3). Three places of the text need a reading:
//!
//! * Def. 14, case 2, holds of a block that no thread can enter at all. The text asks for "at least one thread with an
//!   active control mask", so that is required too.
//! * Def. 17 counts a thread whose next block is ⊤ at every successor it accepts, so that it would keep itself from
//!   leaving a loop (the good schedule of Fig. 5.5 would be bad). The sentence before it speaks of *passive* threads: only
//!   threads that would not enter the block itself are waited for.
//! * S in Def. 13, "the blocks that can be scheduled", are the synchronizing ones. Then there always is a block to
//!   schedule: of the blocks that threads accept, one that no other reaches is synchronizing; and if a thread names
//!   one of the synchronizing ones that one makes progress, else no guide set holds any and all make progress.
//! * Def. 16 to the letter lets threads that leave a loop at its header run ahead of those in the body, whose way out goes
//!   over the back edge; the exit would then be executed several times. §5.4 rules that out (a block executes "once and
//!   for all threads that reach it"), and generated code cannot do it. So leaving a loop counts as forward from all its
//!   blocks, and threads leave loops together. These schedules are a part of those Def. 12 admits.
//!
//! Termination: a step that only ⊤-threads take (nobody names the block) decides nothing the program asked for. Such
//! steps never go where no return can be reached, and after a bounded number of them (per call) always to the block
//! nearest to a return. Along such a path the distance falls with each step, so that passive threads reach either the
//! end or a block that they execute actively; from there the program decides.

use super::cfg::Cfg;
use super::code::Code;
use super::control::{Control, Next};
use super::error::ErrorKind;
use super::schedule::{Property, Violation};
use crate::entities::Block;
use lw_graph::generate::Rng;

/// A scheduler that picks one of the greedy candidates at random.
pub(crate) struct Greedy {
    rng: Rng,
    /// How many steps were taken that no thread asked for.
    idle: u32,
}

/// After so many steps that no thread asked for, they head for the end.
const IDLE_LIMIT: u32 = 64;

impl Greedy {
    pub(crate) fn new(seed: u64) -> Greedy {
        Greedy { rng: Rng::new(seed), idle: 0 }
    }

    /// The next block; `None` if all threads have ended.
    pub(crate) fn next(
        &mut self,
        code: &Code<'_>,
        controls: &[Control],
    ) -> Result<Option<Block>, ErrorKind> {
        let mut waiting = controls.iter().filter(|control| !control.is_done());
        let Some(first) = waiting.next() else { return Ok(None) };
        // All threads together: nothing to decide.
        if let Some(block) = first.named()
            && waiting.all(|control| control.named() == Some(block))
        {
            return Ok(Some(block));
        }
        let state = State { cfg: &code.cfg, controls };
        let candidates = state.candidates();
        let named = |&b: &Block| state.is_named(b);
        let useful = |&b: &Block| named(&b) || code.cfg.exit_distance(b) != u32::MAX;
        let mut choice: Vec<Block> = candidates.iter().copied().filter(useful).collect();
        if choice.is_empty() {
            choice = candidates;
        }
        // A thread that others guide along a uniform branch must not be taken elsewhere while they can go first.
        let straight: Vec<Block> =
            choice.iter().copied().filter(|&b| !state.leads_astray(b)).collect();
        if !straight.is_empty() {
            choice = straight;
        }
        if choice.is_empty() {
            return Err(ErrorKind::Stuck);
        }
        let mut block = choice[self.rng.below(choice.len())];
        if !named(&block) {
            self.idle = self.idle.saturating_add(1);
            if self.idle > IDLE_LIMIT {
                let idle = choice.iter().copied().filter(|b| !named(b));
                block = idle.min_by_key(|&b| code.cfg.exit_distance(b)).unwrap_or(block);
            }
        }
        Ok(Some(block))
    }
}

/// The control states of all threads, as a scheduler sees them.
pub(crate) struct State<'a> {
    cfg: &'a Cfg,
    controls: &'a [Control],
}

impl State<'_> {
    /// The blocks for which a thread has an active control mask.
    fn accepted(&self, control: &Control) -> Vec<Block> {
        match (&control.next, control.came_from) {
            (Next::Block(block), _) => vec![*block],
            (Next::Any, Some(from)) => self.cfg.successors(from).collect(),
            _ => Vec::new(),
        }
    }

    /// Whether a thread waits for exactly this block.
    pub(crate) fn is_named(&self, block: Block) -> bool {
        self.controls.iter().any(|control| control.named() == Some(block))
    }

    /// Def. 17: no thread that stays out of `block` can still reach it without a back edge.
    pub(crate) fn is_synchronizing(&self, block: Block) -> bool {
        self.controls.iter().filter(|control| !control.cmask(self.cfg, block)).all(|control| {
            self.accepted(control).iter().all(|&waiting| !self.cfg.reaches_forward(waiting, block))
        })
    }

    /// Def. 13: the schedulable blocks that threads at the same edge source branch to actively.
    fn guides<'b>(
        &'b self,
        from: Option<Block>,
        schedulable: &'b [Block],
    ) -> impl Iterator<Item = Block> + 'b {
        let same_source = self.controls.iter().filter(move |control| control.came_from == from);
        same_source.filter_map(Control::named).filter(|block| schedulable.contains(block))
    }

    /// Def. 14.
    fn makes_progress(&self, block: Block, schedulable: &[Block]) -> bool {
        if self.is_named(block) {
            return true;
        }
        let entered = self.controls.iter().any(|control| control.cmask(self.cfg, block));
        let could = self
            .controls
            .iter()
            .filter(|c| c.came_from.is_some_and(|from| self.cfg.has_edge(from, block)));
        entered
            && could
                .clone()
                .all(|control| self.guides(control.came_from, schedulable).next().is_none())
    }

    /// All blocks that some thread accepts and that are synchronizing.
    fn schedulable(&self) -> Vec<Block> {
        let mut blocks: Vec<Block> =
            self.controls.iter().flat_map(|control| self.accepted(control)).collect();
        blocks.sort();
        blocks.dedup();
        blocks.retain(|&block| self.is_synchronizing(block));
        blocks
    }

    /// The blocks that a greedy schedule may schedule now.
    pub(crate) fn candidates(&self) -> Vec<Block> {
        let schedulable = self.schedulable();
        schedulable
            .iter()
            .copied()
            .filter(|&block| self.makes_progress(block, &schedulable))
            .collect()
    }

    /// Whether a ⊤-thread that has guides would enter `block`, which is none of them.
    fn leads_astray(&self, block: Block) -> bool {
        let misled =
            self.controls.iter().filter(|c| c.next == Next::Any && c.cmask(self.cfg, block));
        misled.clone().any(|control| {
            let mut guides = self.controls.iter().filter(|c| c.came_from == control.came_from);
            let mut named = guides.by_ref().filter_map(Control::named).peekable();
            named.peek().is_some() && named.all(|guide| guide != block)
        })
    }
}

/// Checks a given schedule step by step.
#[derive(Default)]
pub(crate) struct Watch {
    /// The control states since a thread last did something it was asked to.
    seen: Vec<Vec<Control>>,
    /// The steps since then that led nowhere new. They are a violation if the schedule ends like that.
    pub(crate) circling: Vec<Violation>,
}

impl Watch {
    /// The properties that scheduling `block` at position `step` in this state violates.
    pub(crate) fn violated(
        &mut self,
        code: &Code<'_>,
        controls: &[Control],
        block: Block,
        step: usize,
    ) -> Vec<Violation> {
        let state = State { cfg: &code.cfg, controls };
        let violation = |property| Violation { step, block, property };
        let mut violated = Vec::new();
        if !state.makes_progress(block, &state.schedulable()) {
            violated.push(violation(Property::Progress));
        }
        if !state.is_synchronizing(block) {
            violated.push(violation(Property::Synchronization));
        }
        if state.is_named(block) {
            self.seen.clear();
            self.circling.clear();
        } else {
            // The same control states again, and no thread was named in between: this can go on for ever.
            if violated.is_empty() && self.seen.iter().any(|seen| seen == controls) {
                self.circling.push(violation(Property::Termination));
            }
            self.seen.push(controls.to_vec());
        }
        violated
    }
}
