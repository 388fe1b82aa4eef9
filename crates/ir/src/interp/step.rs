//! The execution of one block: φs, activation, instructions, terminator (001 §4.7, §4.8).

use super::Semantics;
use super::control::{Mask, Successor};
use super::error::{ErrorKind, RunError};
use super::eval_float::promised;
use super::eval_int::undefined_use;
use super::exec::{Exec, Frame};
use super::trace::Step;
use super::value::Val;
use crate::entities::{Block, Inst, Value};
use crate::inst::Op;
use cranelift_entity::EntityRef;
use std::rc::Rc;

impl<'m> Exec<'_, 'm> {
    /// [LSS-W-STEP] with [BLS-W-STEP]: the threads of `group` execute the scheduled block, the others passively.
    /// Without a group, the control states alone decide.
    pub(crate) fn step(
        &mut self,
        frame: &mut Frame<'m>,
        scheduled: Block,
        group: Option<&Mask>,
    ) -> Result<(), RunError> {
        let code = Rc::clone(&frame.code);
        let function = code.function;
        frame.block = scheduled;
        let insts = function.insts(scheduled);
        self.steps += insts.len().max(1) as u64;
        if self.steps > self.run.step_limit {
            return Err(frame.error(ErrorKind::StepLimit(self.run.step_limit), None, None));
        }

        let controls = frame.controls.iter().enumerate();
        let cmask: Mask = controls
            .map(|(t, control)| {
                control.cmask(&code.cfg, scheduled) && group.is_none_or(|group| group[t])
            })
            .collect();
        if self.trace.is_some() {
            self.begin_step(frame, scheduled, &cmask);
        }

        let phis = self.eval_phis(frame, scheduled, &cmask)?;
        let Some((&terminator, body)) = insts[phis..].split_last() else {
            let kind = ErrorKind::Unsupported("a block without a terminator".into());
            return Err(frame.error(kind, None, None));
        };
        // The instructions that define the predicate of this very block are total.
        let prelude = code.preludes[scheduled].saturating_sub(phis).min(body.len());
        for &inst in &body[..prelude] {
            self.compute_cmd(frame, inst, &cmask)?;
        }
        let amask = self.amask(frame, scheduled, &cmask)?;
        for &inst in &body[prelude..] {
            self.compute_cmd(frame, inst, &amask)?;
        }
        self.eval_term(frame, terminator, &cmask, &amask)?;

        if let (Some(trace), Some(mut step)) = (&mut self.trace, frame.step.take()) {
            step.active = amask.to_vec();
            step.after = frame.controls.clone();
            trace.steps.push(step);
        }
        Ok(())
    }

    fn begin_step(&mut self, frame: &mut Frame<'m>, scheduled: Block, cmask: &Mask) {
        for (t, tag) in frame.tags.iter_mut().enumerate() {
            if cmask[t] {
                tag.follow(&frame.code.cfg, frame.controls[t].came_from, scheduled);
            }
        }
        frame.step = Some(Step {
            function: frame.code.index,
            depth: self.depth - 1,
            block: scheduled,
            before: frame.controls.clone(),
            after: Vec::new(),
            cmask: cmask.to_vec(),
            active: Vec::new(),
            tags: frame.tags.clone(),
            values: Vec::new(),
        });
    }

    /// The φs of a block, as one parallel copy. Returns how many there are.
    fn eval_phis(
        &mut self,
        frame: &mut Frame<'m>,
        scheduled: Block,
        cmask: &Mask,
    ) -> Result<usize, RunError> {
        let code = Rc::clone(&frame.code);
        let function = code.function;
        let insts = function.insts(scheduled);
        let count = code.phis[scheduled];
        if count == 0 {
            return Ok(0);
        }
        let mut copies: Vec<(Value, usize, Val)> = Vec::with_capacity(count * cmask.len());
        for &phi in &insts[..count] {
            for t in 0..cmask.len() {
                let value = self.eval_phi(frame, phi, cmask[t], t);
                if let Some(value) = value.map_err(|kind| frame.error(kind, Some(phi), Some(t)))? {
                    copies.push((function.result(phi), t, value));
                }
            }
        }
        for (variable, t, value) in copies {
            frame.env.set(&code, variable, t, value);
        }
        for &phi in &insts[..count] {
            self.record(frame, phi);
        }
        Ok(count)
    }

    /// *evalphi* of one thread (001 §4.8); `None` keeps the old value.
    fn eval_phi(
        &self,
        frame: &Frame<'m>,
        phi: Inst,
        cmask: bool,
        t: usize,
    ) -> Result<Option<Val>, ErrorKind> {
        let data = &frame.code.function[phi];
        if !cmask {
            return match (data.shadow(), self.run.semantics) {
                (Some(shadow), _) => Ok(Some(frame.env.eval(&frame.code, shadow, t)?.clone())),
                (None, Semantics::Freezing) => Ok(None),
                (None, Semantics::Oblivious) => Ok(Some(Val::Passive)),
            };
        }
        let from = frame.controls[t].came_from;
        match data.incoming().find(|&(_, block)| Some(block) == from) {
            Some((value, _)) => {
                let value = frame.env.eval(&frame.code, value, t)?.clone();
                Ok(Some(promised(data.flags, value)))
            }
            None => Err(ErrorKind::Unsupported(
                "a φ without a value for the edge the thread came over".into(),
            )),
        }
    }

    /// The activation (Def. 8): the control mask where the predicate mask (Def. 7) is set.
    fn amask(&self, frame: &Frame<'m>, scheduled: Block, cmask: &Mask) -> Result<Mask, RunError> {
        let Some(predicate) = frame.code.function.predicate(scheduled) else {
            return Ok(cmask.clone());
        };
        let mut amask = cmask.clone();
        for t in 0..amask.len() {
            if cmask[t] {
                let pmask = self.condition(frame, predicate, t, "the predicate of the block");
                amask[t] = pmask.map_err(|kind| frame.error(kind, None, Some(t)))?;
            }
        }
        Ok(amask)
    }

    /// A truth value that decides something.
    fn condition(
        &self,
        frame: &Frame<'m>,
        value: Value,
        t: usize,
        what: &'static str,
    ) -> Result<bool, ErrorKind> {
        let value = frame.env.eval(&frame.code, value, t)?;
        value.as_bool().ok_or_else(|| undefined_use(value, what))
    }

    /// *evalterm* (001 Fig. 4.9) for all threads, and the control states that follow.
    fn eval_term(
        &mut self,
        frame: &mut Frame<'m>,
        inst: Inst,
        cmask: &Mask,
        amask: &Mask,
    ) -> Result<(), RunError> {
        if matches!(frame.code.function[inst].op, Op::Invoke(_)) {
            self.compute_cmd(frame, inst, amask)?;
        }
        for t in 0..amask.len() {
            let successor = match amask[t] {
                true => self.eval_term_active(frame, inst, t),
                false => Ok(Successor::Any),
            };
            let successor = successor.map_err(|kind| frame.error(kind, Some(inst), Some(t)))?;
            frame.controls[t].advance_pc(cmask[t], successor, frame.block);
        }
        Ok(())
    }

    fn eval_term_active(
        &self,
        frame: &Frame<'m>,
        inst: Inst,
        t: usize,
    ) -> Result<Successor, ErrorKind> {
        let code = &frame.code;
        let data = &code.function[inst];
        let target = |index: usize| match data.targets.get(index) {
            Some(&block) => Ok(Successor::Target(block)),
            None => Err(ErrorKind::Unsupported("a terminator without its targets".into())),
        };
        match &data.op {
            Op::Br | Op::Invoke(_) => target(0),
            Op::CondBr => {
                let taken = self.condition(frame, data.args[0], t, "the condition of a branch")?;
                target(if taken { 0 } else { 1 })
            }
            Op::Switch => {
                let value = frame.env.eval(code, data.args[0], t)?;
                if value.is_undefined() {
                    return Err(undefined_use(value, "the value of a switch"));
                }
                for (i, &case) in data.args.iter().enumerate().skip(1) {
                    if frame.env.eval(code, case, t)? == value {
                        return target(i);
                    }
                }
                target(0)
            }
            Op::IndirectBr => {
                let address = frame.env.eval(code, data.args[0], t)?;
                let Some(ptr) = address.as_ptr() else {
                    return Err(undefined_use(address, "the address of an indirect branch"));
                };
                let index = self.machine.block_at(code.index, ptr).map(Block::new);
                match index.filter(|block| data.targets.contains(block)) {
                    Some(block) => Ok(Successor::Target(block)),
                    None => Err(ErrorKind::Undefined(
                        "an indirect branch to a block it does not list".into(),
                    )),
                }
            }
            Op::Ret => match data.args.first() {
                None => Ok(Successor::Return(Val::Unit)),
                Some(&value) => {
                    let value = frame.env.eval(code, value, t)?;
                    if value.has_passive() {
                        return Err(ErrorKind::PassiveUse("the returned value"));
                    }
                    Ok(Successor::Return(value.clone()))
                }
            },
            Op::Unreachable => Err(ErrorKind::Unreachable),
            op => Err(ErrorKind::Unsupported(format!("the terminator {op:?}"))),
        }
    }

    /// Writes the values of a variable on all threads into the trace.
    pub(crate) fn record(&mut self, frame: &mut Frame<'m>, inst: Inst) {
        if frame.step.is_none() {
            return;
        }
        let Some(variable) = frame.code.function[inst].result.expand() else { return };
        let values = frame.env.vec(&frame.code, variable);
        if let Some(step) = &mut frame.step {
            step.values.push((variable, values));
        }
    }
}
