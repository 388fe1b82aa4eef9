//! The execution of one instruction by all threads (001 §4.9).

use super::bytes::Sizes;
use super::control::Mask;
use super::error::{ErrorKind, RunError};
use super::eval_float::LOOSE;
use super::exec::{Exec, Frame};
use super::memory::AllocKind;
use super::value::Val;
use super::{eval_mem, eval_vector, pure};
use crate::entities::Inst;
use crate::function::Function;
use crate::inst::{AllocaInfo, InstData, Op};
use crate::ops::CastOp;
use crate::types::Type;
use smallvec::SmallVec;
use std::rc::Rc;

impl<'m> Exec<'_, 'm> {
    pub(crate) fn sizes(&self, function: &'m Function) -> Sizes<'m> {
        Sizes { types: &function.types, layout: &self.machine.module.layout }
    }

    /// One transition of *computecmd*: [W-CMD-INST], [W-CMD-TOTAL] or [W-CMD-MASK].
    pub(crate) fn compute_cmd(
        &mut self,
        frame: &mut Frame<'m>,
        inst: Inst,
        amask: &Mask,
    ) -> Result<(), RunError> {
        let code = Rc::clone(&frame.code);
        let data = &code.function[inst];
        let every: Mask;
        let mask = match data.total {
            true => {
                every = Mask::from_elem(true, amask.len());
                &every
            }
            false => amask,
        };
        match &data.op {
            Op::Mask => {
                for (t, &active) in amask.iter().enumerate() {
                    frame.env.set(&code, code.function.result(inst), t, Val::bool(active));
                }
                self.record(frame, inst);
                return Ok(());
            }
            Op::Horizontal(op) => self.eval_horizontal(frame, inst, *op, mask)?,
            Op::Call(_) | Op::Invoke(_) => self.eval_call(frame, inst, mask)?,
            _ => self.eval_each(frame, inst, data, mask)?,
        }
        if let Some(variable) = data.result.expand() {
            if self.run.strict_uses {
                let bad = |&t: &usize| {
                    mask[t] && frame.env.eval(&code, variable, t).is_ok_and(Val::has_passive)
                };
                if let Some(t) = (0..mask.len()).find(bad) {
                    return Err(frame.error(
                        ErrorKind::PassiveUse("an operand"),
                        Some(inst),
                        Some(t),
                    ));
                }
            }
            frame.env.update_passive(&code, variable, mask, self.run.semantics);
            self.record(frame, inst);
        }
        Ok(())
    }

    /// *evalcmd* for an instruction that each thread executes by itself, in the order of the threads.
    fn eval_each(
        &mut self,
        frame: &mut Frame<'m>,
        inst: Inst,
        data: &InstData,
        mask: &Mask,
    ) -> Result<(), RunError> {
        let code = Rc::clone(&frame.code);
        let types: SmallVec<[Type; 4]> =
            data.args.iter().map(|&arg| code.function.ty(arg)).collect();
        for t in 0..mask.len() {
            if mask[t] {
                let value = self.eval_cmd(frame, inst, data, &types, t);
                let value = value.map_err(|kind| frame.error(kind, Some(inst), Some(t)))?;
                if let Some(variable) = data.result.expand() {
                    frame.env.set(&code, variable, t, value);
                }
            }
        }
        Ok(())
    }

    fn eval_cmd(
        &mut self,
        frame: &mut Frame<'m>,
        inst: Inst,
        data: &InstData,
        types: &[Type],
        t: usize,
    ) -> Result<Val, ErrorKind> {
        let code = &frame.code;
        let sizes = self.sizes(code.function);
        let mut args: SmallVec<[&Val; 4]> = SmallVec::new();
        for &arg in &data.args {
            args.push(frame.env.eval(code, arg, t)?);
        }
        match &data.op {
            // [W-INST-LOAD]
            Op::Load(access) => {
                let ptr = eval_mem::aligned(args[0], access.align_log2)?;
                let memory = &self.machine.memory;
                let is_float = data.ty.float_kind().is_some();
                self.loose |= !is_float && memory.is_loose(ptr, sizes.store_size(data.ty)?);
                eval_mem::load(sizes, memory, data.ty, ptr)
            }
            // [W-INST-STORE]
            Op::Store(access) => {
                let ptr = eval_mem::aligned(args[1], access.align_log2)?;
                let memory = &mut self.machine.memory;
                eval_mem::store(sizes, memory, types[0], ptr, args[0], &mut self.scratch)?;
                Ok(Val::Unit)
            }
            Op::AtomicRmw(op, access) => eval_mem::rmw(
                sizes,
                &mut self.machine.memory,
                *op,
                *access,
                data.ty,
                args[0],
                args[1],
            ),
            Op::CmpXchg(info) => {
                let operands = [args[0], args[1], args[2]];
                eval_mem::cmpxchg(sizes, &mut self.machine.memory, info.access, types[1], operands)
            }
            Op::Fence(_) => Ok(Val::Unit),
            // [W-INST-ALLOCA]
            Op::Alloca(info) => {
                let ptr = self.newptr(sizes, info, args[0])?;
                if let Val::Ptr(ptr) = &ptr {
                    frame.stack.push(ptr.prov);
                }
                Ok(ptr)
            }
            Op::Freeze => {
                let (value, chosen) = eval_vector::freeze(sizes.types, data.ty, args[0])?;
                self.loose |= chosen;
                Ok(value)
            }
            Op::VaArg => Err(ErrorKind::Unsupported("`va_arg`; use `va_start` and loads".into())),
            op => {
                self.loose |= !(data.flags & LOOSE).is_empty()
                    || *op == Op::Cast(CastOp::BitCast) && eval_mem::is_loose(args[0]);
                let plan = match &code.plans[inst] {
                    Some(Err(why)) => return Err(why.clone()),
                    Some(Ok(plan)) => Some(plan),
                    None => None,
                };
                let memory = &self.machine.memory;
                let context = pure::Context {
                    sizes,
                    memory,
                    op,
                    flags: data.flags,
                    ty: data.ty,
                    types,
                    plan,
                };
                pure::evaluate(&context, &args)
                    .unwrap_or_else(|| Err(ErrorKind::Unsupported(format!("`{}`", name(&data.op)))))
            }
        }
    }

    /// *newptr* for one thread: private memory.
    fn newptr(
        &mut self,
        sizes: Sizes<'_>,
        info: &AllocaInfo,
        count: &Val,
    ) -> Result<Val, ErrorKind> {
        let Some(count) = count.as_u128() else {
            return Err(super::eval_int::undefined_use(count, "the size of an alloca"));
        };
        let size =
            u64::try_from(count).ok().and_then(|n| n.checked_mul(sizes.alloc_size(info.ty).ok()?));
        let limit = ErrorKind::MemoryLimit(self.machine.memory.limit);
        let align = 1u64.checked_shl(info.align_log2.into()).unwrap_or(1);
        let ptr = self.machine.memory.alloc(size.ok_or(limit)?, align, AllocKind::Stack)?;
        Ok(Val::Ptr(ptr))
    }
}

/// The name of an operation for a message.
fn name(op: &Op) -> String {
    match op {
        Op::Opaque(info) => info.opcode.to_string(),
        Op::LandingPad(_) => "landingpad".into(),
        other => format!("{other:?}"),
    }
}
