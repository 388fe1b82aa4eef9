//! A run: calls, each with its environment and control states, driven by a scheduler.

use super::code::Code;
use super::control::{Control, Mask, Next};
use super::env::Env;
use super::error::{ErrorKind, RunError};
use super::memory::Image;
use super::schedule::Scheduler;
use super::tags::Tag;
use super::trace::{Step, Trace};
use super::value::{Provenance, Val};
use super::{Machine, Run, Violation};
use crate::entities::{Block, Inst};
use std::rc::Rc;

/// The state of a run that all its calls share.
pub(crate) struct Exec<'x, 'm> {
    pub(crate) machine: &'x mut Machine<'m>,
    pub(crate) run: &'x Run,
    /// Instructions executed so far.
    pub(crate) steps: u64,
    pub(crate) depth: usize,
    /// Whether something was decided that the program leaves open.
    pub(crate) loose: bool,
    pub(crate) trace: Option<Trace>,
    pub(crate) violations: Vec<Violation>,
    pub(crate) scratch: Image,
}

/// σ without the memory (001 Def. 3): one call of a function by all threads.
pub(crate) struct Frame<'m> {
    pub(crate) code: Rc<Code<'m>>,
    pub(crate) env: Env,
    pub(crate) controls: Vec<Control>,
    /// The iteration vector of each thread, while a trace is recorded.
    pub(crate) tags: Vec<Tag>,
    /// Memory to be released when the call ends.
    pub(crate) stack: Vec<Provenance>,
    /// The block that executes.
    pub(crate) block: Block,
    /// What is recorded of the block that executes.
    pub(crate) step: Option<Step>,
    /// Arguments beyond the parameters, by thread.
    pub(crate) varargs: Vec<Vec<Val>>,
}

impl Frame<'_> {
    /// An error at the block that executes.
    pub(crate) fn error(
        &self,
        kind: ErrorKind,
        inst: Option<Inst>,
        thread: Option<usize>,
    ) -> RunError {
        RunError::at(kind, self.code.function, self.block, inst, thread)
    }
}

impl<'m> Exec<'_, 'm> {
    /// Executes a function by the threads that are active, and returns the control states in which they ended.
    /// `args` has a row of W values for each parameter, and for each argument beyond.
    pub(crate) fn call(
        &mut self,
        code: Rc<Code<'m>>,
        args: Vec<Vec<Val>>,
        active: &Mask,
    ) -> Result<Vec<Control>, RunError> {
        if self.depth >= self.run.depth_limit {
            let kind = ErrorKind::DepthLimit(self.run.depth_limit);
            return Err(RunError::at_function(kind, code.function.name.to_string()));
        }
        let mut frame = self.enter(code, args, active);
        let mut scheduler = Scheduler::new(self, &frame, active);
        self.depth += 1;
        let result = self.drive(&mut frame, &mut scheduler);
        self.depth -= 1;
        for prov in std::mem::take(&mut frame.stack) {
            self.machine.memory.release(prov);
        }
        result.map(|()| frame.controls)
    }

    fn enter(&mut self, code: Rc<Code<'m>>, mut args: Vec<Vec<Val>>, active: &Mask) -> Frame<'m> {
        let threads = self.run.threads;
        let mut env = Env::new(&code, threads);
        let params = code.function.params();
        let extra = args.split_off(params.len().min(args.len()));
        for (&param, row) in params.iter().zip(args) {
            for (thread, value) in row.into_iter().enumerate() {
                env.set(&code, param, thread, value);
            }
        }
        let varargs =
            (0..threads).map(|t| extra.iter().map(|row| row[t].clone()).collect()).collect();
        let start = |&active: &bool| {
            if active { Control::start(code.entry) } else { Control::ended(Val::Passive) }
        };
        let controls: Vec<Control> = active.iter().map(start).collect();
        let block = code.entry;
        let tags = if self.trace.is_some() { vec![Tag::default(); threads] } else { Vec::new() };
        Frame { code, env, controls, tags, stack: Vec::new(), block, step: None, varargs }
    }

    /// Executes blocks until all threads have ended or the schedule has: the transitive closure of [LSS-W-STEP].
    fn drive(&mut self, frame: &mut Frame<'m>, scheduler: &mut Scheduler) -> Result<(), RunError> {
        loop {
            let turn = scheduler
                .next(&frame.code, &frame.controls, &mut self.violations)
                .map_err(|kind| frame.error(kind, None, None))?;
            let Some((block, group)) = turn else { return Ok(()) };
            self.step(frame, block, group.as_ref())?;
            scheduler
                .executed(&frame.code, block, &frame.controls)
                .map_err(|kind| frame.error(kind, None, None))?;
        }
    }
}

/// The value a thread returned, or ⊤ if it did not.
pub(crate) fn returned(control: &Control) -> Val {
    match &control.next {
        Next::Done(value) => value.clone(),
        _ => Val::Passive,
    }
}
