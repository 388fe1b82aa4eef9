//! What is computed from counters alone moves by steps as they do.

use super::recurrences::{Recurrences, Role, Step, induction};
use super::shape::LoopShape;
use crate::edit;
use lw_ir::constant::Constant;
use lw_ir::ops::{BinOp, CastOp};
use lw_ir::types::Type;
use lw_ir::{DataLayout, Flags, Function, InsertAt, Inst, InstData, Op, Value};
use rustc_hash::FxHashMap;

/// A value that changes by the same step in each iteration: a counter, or what is computed from counters alone (`n - 2 * i`).
#[derive(Clone, Debug)]
pub(super) struct Moving {
    value: Value,
    pub(super) step: Step,
    /// What computes it in the loop, in order.
    insts: Vec<Inst>,
}

impl Moving {
    /// Computes its value in the iteration in which the header φs have these.
    pub(super) fn at(
        &self,
        f: &mut Function,
        place: InsertAt,
        phis: &FxHashMap<Value, Value>,
    ) -> Value {
        let mut values = phis.clone();
        for &inst in &self.insts {
            let of = |arg: &Value| *values.get(arg).unwrap_or(arg);
            let args: Vec<Value> = f[inst].args.iter().map(of).collect();
            let copy = InstData::new(f[inst].op.clone(), f[inst].ty, &args);
            let copy = f.insert(place, copy);
            values.insert(f.result(inst), f.result(copy));
        }
        values.get(&self.value).copied().unwrap_or(self.value)
    }
}

/// The counters of a loop.
pub(super) struct Counters<'a> {
    f: &'a Function,
    shape: &'a LoopShape,
    layout: &'a DataLayout,
    /// Header φs, what they become, and by what step.
    inductions: Vec<(Value, Value, Step)>,
}

impl<'a> Counters<'a> {
    pub(super) fn of(
        f: &'a Function,
        shape: &'a LoopShape,
        roles: &Recurrences,
        layout: &'a DataLayout,
    ) -> Counters<'a> {
        let inductions = roles.phis.iter().filter_map(|phi| match phi.role {
            Role::Induction(step) => Some((phi.value, phi.next, step)),
            _ => None,
        });
        Counters { f, shape, layout, inductions: inductions.collect() }
    }

    /// Those that are found before anything else is known of the loop.
    pub(super) fn find(
        f: &'a Function,
        shape: &'a LoopShape,
        layout: &'a DataLayout,
    ) -> Counters<'a> {
        let inductions = f.phis(shape.header).filter_map(|phi| {
            let (value, next) = (f.result(phi), edit::incoming(f, phi, shape.latch));
            Some((value, next, induction(f, shape, layout, value, next)?))
        });
        Counters { f, shape, layout, inductions: inductions.collect() }
    }

    pub(super) fn moving(&self, value: Value) -> Option<Moving> {
        let mut insts = Vec::new();
        let step = self.step(value, &mut insts)?;
        Some(Moving { value, step, insts: insts.into_iter().map(|(inst, _)| inst).collect() })
    }

    /// By how much a value grows, modulo what fits its type. What computes it is listed, with by how much that grows.
    fn step(&self, value: Value, insts: &mut Vec<(Inst, Step)>) -> Option<Step> {
        let Counters { f, shape, layout, .. } = *self;
        if !shape.defines(f, value) {
            return Some(Step::Constant(0));
        }
        if let Some(&(.., step)) = self.inductions.iter().find(|(phi, ..)| *phi == value) {
            return Some(step);
        }
        let inst = f.def_inst(value)?;
        if let Some(&(_, step)) = insts.iter().find(|(known, _)| *known == inst) {
            return Some(step);
        }
        let data = &f[inst];
        let number = |v: Value| f.as_constant(v).and_then(Constant::as_i128);
        let times = |step: Step, by: i128| match step {
            Step::Constant(step) => Some(Step::Constant(step.checked_mul(by)?)),
            value => Some(value).filter(|_| by == 1),
        };
        // Others have the type that they are added to.
        let constant = |step: Option<Step>| step.filter(|step| matches!(step, Step::Constant(_)));
        let step = match (&data.op, &data.args[..]) {
            (Op::Binary(BinOp::Add), &[x, y]) => sum(self.step(x, insts)?, self.step(y, insts)?),
            (Op::Binary(BinOp::Or), &[x, y]) if data.flags.contains(Flags::DISJOINT) => {
                number(y).and(self.step(x, insts))
            }
            (Op::Binary(BinOp::Sub), &[x, y]) => {
                sum(self.step(x, insts)?, times(self.step(y, insts)?, -1)?)
            }
            (Op::Binary(BinOp::Mul), &[x, y]) => {
                let (x, by) = if number(x).is_some() { (y, x) } else { (x, y) };
                times(self.step(x, insts)?, number(by)?)
            }
            // −1 − x.
            (Op::Binary(BinOp::Xor), &[x, y]) if number(y) == Some(-1) => {
                times(self.step(x, insts)?, -1)
            }
            (Op::Binary(BinOp::Shl), &[x, y]) => {
                times(self.step(x, insts)?, 1i128.checked_shl(u32::try_from(number(y)?).ok()?)?)
            }
            (Op::Gep(elem), &[pointer, index])
                if f.ty(index) == Type::I64 || number(index).is_some() =>
            {
                let size = layout.alloc_size(&f.types, *elem)?;
                let by = times(self.step(index, insts)?, size.into());
                sum(self.step(pointer, insts)?, by?)
            }
            (Op::Cast(CastOp::PtrToInt), &[pointer]) if data.ty == Type::I64 => {
                self.step(pointer, insts)
            }
            (Op::Cast(CastOp::Trunc), &[x]) => constant(self.step(x, insts)),
            (Op::Cast(CastOp::SExt), &[x]) if self.stays(x, Flags::NSW) => {
                constant(self.step(x, insts))
            }
            (Op::Cast(CastOp::ZExt), &[x]) if self.stays(x, Flags::NUW) => {
                constant(self.step(x, insts))
            }
            _ => None,
        }?;
        // It is a number of the type.
        if matches!(step, Step::Constant(step) if i64::try_from(step).is_err()) {
            return None;
        }
        insts.push((inst, step));
        Some(step)
    }

    /// Whether a value is computed without wrapping around, as these flags say, in this iteration and in all others.
    fn stays(&self, value: Value, flags: Flags) -> bool {
        let Counters { f, shape, .. } = *self;
        if !shape.defines(f, value) {
            return true;
        }
        let grows = |value: Value, of: Value| {
            f.def_inst(value).is_some_and(|inst| {
                f[inst].flags.contains(flags)
                    && f[inst].op == Op::Binary(BinOp::Add)
                    && f[inst].args[0] == of
                    && !shape.defines(f, f[inst].args[1])
            })
        };
        self.inductions
            .iter()
            .any(|&(phi, next, _)| grows(next, phi) && (phi == value || grows(value, phi)))
    }
}

/// Both steps together: only one of them may be known when the program runs.
fn sum(x: Step, y: Step) -> Option<Step> {
    match (x, y) {
        (Step::Constant(x), Step::Constant(y)) => Some(Step::Constant(x.checked_add(y)?)),
        (Step::Constant(0), step) | (step, Step::Constant(0)) => Some(step),
        _ => None,
    }
}
