//! Calls: of functions of the module, by the threads that are active, and of host functions, thread by thread.

use super::control::Mask;
use super::error::{ErrorKind, RunError};
use super::eval_float::{breaks, promised};
use super::eval_int::undefined_use;
use super::exec::{Exec, Frame, returned};
use super::host::HostCall;
use super::memory::AllocKind;
use super::value::{Ptr, Val};
use super::{Callee, eval_mem};
use crate::attrs::Attr;
use crate::entities::Inst;
use crate::inst::InstData;
use crate::types::Type;
use smallvec::SmallVec;
use std::rc::Rc;

impl<'m> Exec<'_, 'm> {
    /// [W-CMD-CALL]. Threads that call different functions do so one function after the other, in the order of the
    /// first thread that calls each.
    pub(crate) fn eval_call(
        &mut self,
        frame: &mut Frame<'m>,
        inst: Inst,
        mask: &Mask,
    ) -> Result<(), RunError> {
        let code = Rc::clone(&frame.code);
        let data = &code.function[inst];
        let mut left = mask.clone();
        while let Some(first) = left.iter().position(|&active| active) {
            let target = |t: usize| {
                let callee = frame.env.eval(&code, data.args[0], t)?;
                match callee {
                    Val::Ptr(ptr) => Ok(ptr.addr),
                    other => Err(undefined_use(other, "the function that is called")),
                }
            };
            let located = |t: usize| move |kind: ErrorKind| (kind, t);
            let mut group = Mask::from_elem(false, mask.len());
            let mut find = || -> Result<u64, (ErrorKind, usize)> {
                let addr = target(first).map_err(located(first))?;
                for t in first..mask.len() {
                    if left[t] && target(t).map_err(located(t))? == addr {
                        group[t] = true;
                        left[t] = false;
                    }
                }
                Ok(addr)
            };
            let addr = find().map_err(|(kind, t)| frame.error(kind, Some(inst), Some(t)))?;
            let values = match self.machine.callee(addr) {
                Some(Callee::Function(index)) => {
                    self.call_function(frame, inst, data, index, &group)?
                }
                Some(Callee::Host(host)) => self.call_host(frame, inst, data, &host, &group)?,
                Some(Callee::Unknown(name)) => {
                    let kind = ErrorKind::UnknownFunction(name);
                    return Err(frame.error(kind, Some(inst), Some(first)));
                }
                None => {
                    let kind =
                        ErrorKind::Undefined(format!("a call of 0x{addr:x}, which is no function"));
                    return Err(frame.error(kind, Some(inst), Some(first)));
                }
            };
            if let Some(variable) = data.result.expand() {
                for (t, value) in values {
                    frame.env.set(&code, variable, t, promised(data.flags, value));
                }
            }
        }
        Ok(())
    }

    /// The arguments of a call on all threads, active or not: a row for each.
    fn arguments(
        &self,
        frame: &Frame<'m>,
        data: &InstData,
        group: &Mask,
    ) -> Result<Vec<Vec<Val>>, ErrorKind> {
        let bundled = data.op.call().map_or(0, |info| info.bundle_operands());
        let args = &data.args[1..data.args.len() - bundled];
        let row = |&arg| {
            let one = |t: usize| match frame.env.eval(&frame.code, arg, t) {
                Ok(value) => Ok(value.clone()),
                Err(_) if !group[t] => Ok(Val::Passive),
                Err(why) => Err(why),
            };
            (0..group.len()).map(one).collect()
        };
        args.iter().map(row).collect()
    }

    fn call_function(
        &mut self,
        frame: &mut Frame<'m>,
        inst: Inst,
        data: &InstData,
        index: usize,
        group: &Mask,
    ) -> Result<Vec<(usize, Val)>, RunError> {
        let located = |kind| frame.error(kind, Some(inst), None);
        let mut args = self.arguments(frame, data, group).map_err(located)?;
        let code = self.machine.code(index).map_err(located)?;
        let expected = code.function.params().len();
        if args.len() < expected || args.len() > expected && !code.function.signature.varargs {
            let name = &code.function.name;
            let what =
                format!("a call of {name} with {} arguments for {expected} parameters", args.len());
            return Err(located(ErrorKind::Undefined(what)));
        }
        let copies = self.copy_byval(frame, data, index, &mut args, group).map_err(located)?;
        let broken: Mask =
            (0..group.len()).map(|t| args.iter().any(|row| breaks(data.flags, &row[t]))).collect();
        let controls = self.call(code, args, group)?;
        for ptr in copies {
            self.machine.memory.release(ptr.prov);
        }
        let ended = controls.iter().enumerate().filter(|(t, _)| group[*t]);
        let value = |t: usize, control| if broken[t] { Val::Poison } else { returned(control) };
        Ok(ended.map(|(t, control)| (t, value(t, control))).collect())
    }

    /// A `byval` argument is a pointer to a copy that belongs to the callee.
    fn copy_byval(
        &mut self,
        frame: &Frame<'m>,
        data: &InstData,
        index: usize,
        args: &mut [Vec<Val>],
        group: &Mask,
    ) -> Result<Vec<Ptr>, ErrorKind> {
        let callee = &self.machine.module.functions[index];
        let call = data.op.call().map(|info| frame.code.function.call_attrs(info.attrs));
        let byval = |attrs: &[Attr]| {
            attrs.iter().find_map(|attr| match attr {
                Attr::Type(name, ty) if &**name == "byval" => Some(*ty),
                _ => None,
            })
        };
        let mut copies = Vec::new();
        for (i, row) in args.iter_mut().enumerate() {
            let here =
                call.and_then(|call| byval(call.param(i))).map(|ty| (ty, frame.code.function));
            let there = byval(callee.attrs.param(i)).map(|ty| (ty, callee));
            let Some((ty, owner)) = here.or(there) else { continue };
            let size = self.sizes(owner).alloc_size(ty)?;
            for t in 0..group.len() {
                if group[t] {
                    let from = eval_mem::pointer(&row[t])?;
                    let copy = self.machine.memory.alloc(size, 64, AllocKind::Stack)?;
                    self.machine.memory.copy(copy, from, size)?;
                    row[t] = Val::Ptr(copy);
                    copies.push(copy);
                }
            }
        }
        Ok(copies)
    }

    fn call_host(
        &mut self,
        frame: &mut Frame<'m>,
        inst: Inst,
        data: &InstData,
        host: &super::host::Host,
        group: &Mask,
    ) -> Result<Vec<(usize, Val)>, RunError> {
        let function = frame.code.function;
        let rows = self
            .arguments(frame, data, group)
            .map_err(|kind| frame.error(kind, Some(inst), None))?;
        let types: SmallVec<[Type; 4]> =
            data.args[1..].iter().take(rows.len()).map(|&arg| function.ty(arg)).collect();
        let sizes = self.sizes(function);
        let mut values = Vec::new();
        for t in 0..group.len() {
            if !group[t] {
                continue;
            }
            let args: SmallVec<[Val; 4]> = rows.iter().map(|row| row[t].clone()).collect();
            let value = if !host.pure && args.iter().any(Val::has_passive) {
                Err(ErrorKind::PassiveUse("an argument of a host function"))
            } else {
                (host.function)(&mut HostCall {
                    name: &host.name,
                    args: &args,
                    types: &types,
                    ret: data.ty,
                    flags: data.flags,
                    sizes,
                    memory: &mut self.machine.memory,
                    output: &mut self.machine.output,
                    stack: &mut frame.stack,
                    varargs: &frame.varargs[t],
                    thread: t,
                    threads: group.len(),
                    loose: &mut self.loose,
                })
            };
            values.push((t, value.map_err(|kind| frame.error(kind, Some(inst), Some(t)))?));
        }
        Ok(values)
    }
}
