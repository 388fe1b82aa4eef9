//! The control state of a thread and how it moves (001 §4.2, §4.3).

use super::cfg::Cfg;
use super::value::Val;
use crate::entities::Block;
use smallvec::SmallVec;

/// One truth value per thread.
pub(crate) type Mask = SmallVec<[bool; 16]>;

/// ℓ_next: what a thread executes next.
#[derive(Clone, PartialEq, Debug)]
pub enum Next {
    /// This block.
    Block(Block),
    /// ⊤: whichever successor of the block it executed last is scheduled first.
    Any,
    /// □(r): nothing, it returned this value. Threads that do not take part in a call are in this state from the start.
    Done(Val),
}

/// The control state of a thread: the edge it stands on.
#[derive(Clone, PartialEq, Debug)]
pub struct Control {
    /// ℓ_in: the block it executed last; `None` is ⊥.
    pub came_from: Option<Block>,
    /// ℓ_next.
    pub next: Next,
}

/// The successor index that a terminator yields on a thread (001 Fig. 4.9).
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Successor {
    /// The target, rather than its index.
    Target(Block),
    /// ⊤: the thread executed the terminator passively.
    Any,
    /// □(r).
    Return(Val),
}

impl Control {
    /// The initial state (Def. 4).
    pub(crate) fn start(entry: Block) -> Control {
        Control { came_from: None, next: Next::Block(entry) }
    }

    /// The state of a thread that has ended, or never takes part.
    pub(crate) fn ended(value: Val) -> Control {
        Control { came_from: None, next: Next::Done(value) }
    }

    /// Whether the thread has ended.
    pub fn is_done(&self) -> bool {
        matches!(self.next, Next::Done(_))
    }

    /// The block it names as next.
    pub(crate) fn named(&self) -> Option<Block> {
        match self.next {
            Next::Block(block) => Some(block),
            _ => None,
        }
    }

    /// The control mask (Def. 6): whether the thread's control state agrees with the scheduled block.
    pub(crate) fn cmask(&self, cfg: &Cfg, scheduled: Block) -> bool {
        match self.next {
            Next::Any => self.came_from.is_some_and(|from| cfg.has_edge(from, scheduled)),
            Next::Block(block) => block == scheduled,
            Next::Done(_) => false,
        }
    }

    /// The control state after a block was executed (Fig. 4.4).
    pub(crate) fn advance_pc(&mut self, cmask: bool, successor: Successor, scheduled: Block) {
        // [PC-PASSIVE]
        if !cmask {
            return;
        }
        self.came_from = Some(scheduled);
        self.next = match successor {
            Successor::Target(block) => Next::Block(block), // [PC-ACTIVE]
            Successor::Any => Next::Any,                    // [PC-ND-BRANCH]
            Successor::Return(value) => Next::Done(value),  // [PC-TERM]
        };
    }
}
