//! What a run records on request: enough to print the tables of 001 and to check claims about values by their tags.

use super::control::Control;
use super::tags::Tag;
use super::value::Val;
use crate::entities::{Block, Value};

/// The blocks in the order in which they were scheduled.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// One for each scheduled block. The steps of a called function come before the step of the block that calls it.
    pub steps: Vec<Step>,
}

/// The execution of one scheduled block by all threads.
#[derive(Clone, Debug)]
pub struct Step {
    /// The position of the function in its module.
    pub function: usize,
    /// How many calls lie above: 0 for the function that is run.
    pub depth: usize,
    /// ℓ_sc.
    pub block: Block,
    /// The control states before.
    pub before: Vec<Control>,
    /// The control states after.
    pub after: Vec<Control>,
    /// The control mask.
    pub cmask: Vec<bool>,
    /// The activation.
    pub active: Vec<bool>,
    /// The tag of each thread. It belongs to this block on the threads of the control mask; on others it is that of the
    /// block they executed last.
    pub tags: Vec<Tag>,
    /// The variables that were assigned, in order, with their value on each thread after the assignment.
    pub values: Vec<(Value, Vec<Val>)>,
}

impl Step {
    /// The values a variable was given in this step.
    pub fn values_of(&self, variable: Value) -> Option<&[Val]> {
        self.values.iter().rev().find(|(v, _)| *v == variable).map(|(_, values)| values.as_slice())
    }
}

impl Trace {
    /// The runtime schedule of the function that was run, without those of the functions it called.
    pub fn schedule(&self) -> Vec<Block> {
        self.steps.iter().filter(|step| step.depth == 0).map(|step| step.block).collect()
    }

    /// The steps of the function that was run.
    pub fn top(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(|step| step.depth == 0)
    }
}
