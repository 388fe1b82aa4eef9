//! Which block executes next. The choice is no part of the semantics (001 §4.3); these are the choices on offer.

use super::code::Code;
use super::control::{Control, Mask};
use super::error::ErrorKind;
use super::exec::{Exec, Frame};
use super::greedy::{Greedy, Watch};
use super::stack::Stack;
use crate::entities::Block;

/// How blocks are chosen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Schedule {
    /// A greedy schedule (001 ch. 5), chosen at random among all by the seed.
    Greedy {
        /// The seed.
        seed: u64,
    },
    /// The reconvergence stack of µ-SIMD (002 §3.1): threads that part at a branch meet at its immediate
    /// post-dominator, the last target of the branch goes first.
    ReconvergenceStack,
    /// These blocks, greedy or not. The run ends with the list, even if threads have not. Functions that are called run
    /// under greedy schedules.
    Fixed(Vec<Block>),
}

impl Default for Schedule {
    fn default() -> Self {
        Schedule::Greedy { seed: 0 }
    }
}

/// A property of greedy schedules (001 Def. 12).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Property {
    /// Def. 14: a thread is waiting for the block, or no thread is misled.
    Progress,
    /// Def. 18: no other thread can still reach the block without a back edge.
    Synchronization,
    /// §5.3: threads do not go round passively for ever.
    Termination,
}

/// Where a schedule is not greedy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The position in the schedule.
    pub step: usize,
    /// The block that was scheduled there.
    pub block: Block,
    /// What it violates.
    pub property: Property,
}

/// A turn: the block, and the threads that may execute it if not all may.
pub(crate) type Turn = (Block, Option<Mask>);

/// The scheduler of one call.
pub(crate) enum Scheduler {
    Greedy(Greedy),
    Stack(Stack),
    Fixed { blocks: Vec<Block>, position: usize, watch: Watch },
}

impl Scheduler {
    pub(crate) fn new(exec: &Exec<'_, '_>, frame: &Frame<'_>, active: &Mask) -> Scheduler {
        match &exec.run.schedule {
            Schedule::Fixed(blocks) if exec.depth == 0 => {
                Scheduler::Fixed { blocks: blocks.clone(), position: 0, watch: Watch::default() }
            }
            Schedule::Fixed(_) => Scheduler::Greedy(Greedy::new(0)),
            // Another call, another choice.
            Schedule::Greedy { seed } => {
                Scheduler::Greedy(Greedy::new(seed ^ exec.steps.rotate_left(32)))
            }
            Schedule::ReconvergenceStack => {
                Scheduler::Stack(Stack::new(frame.code.entry, active.clone()))
            }
        }
    }

    /// The next turn; `None` if the schedule is over.
    pub(crate) fn next(
        &mut self,
        code: &Code<'_>,
        controls: &[Control],
        violations: &mut Vec<Violation>,
    ) -> Result<Option<Turn>, ErrorKind> {
        match self {
            Scheduler::Greedy(greedy) => {
                greedy.next(code, controls).map(|block| block.map(|b| (b, None)))
            }
            Scheduler::Stack(stack) => Ok(stack.next(controls)),
            Scheduler::Fixed { blocks, position, watch } => {
                let Some(&block) = blocks.get(*position) else {
                    if controls.iter().any(|control| !control.is_done()) {
                        violations.append(&mut watch.circling);
                    }
                    return Ok(None);
                };
                if !code.function.blocks().contains(&block) {
                    let what = format!("{block} of the schedule is no block of the function");
                    return Err(ErrorKind::BadArguments(what));
                }
                violations.extend(watch.violated(code, controls, block, *position));
                *position += 1;
                Ok(Some((block, None)))
            }
        }
    }

    /// Tells the scheduler what became of its last turn.
    pub(crate) fn executed(
        &mut self,
        code: &Code<'_>,
        block: Block,
        controls: &[Control],
    ) -> Result<(), ErrorKind> {
        match self {
            Scheduler::Stack(stack) => stack.executed(code, block, controls),
            Scheduler::Greedy(_) | Scheduler::Fixed { .. } => Ok(()),
        }
    }
}
