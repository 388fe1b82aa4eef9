//! Operations in which threads see each other (001 §4.9.2, Fig. 4.15).
//!
//! The threads that take part are those that execute the instruction actively, all of them if it is `total`.

use super::control::Mask;
use super::error::{ErrorKind, RunError};
use super::eval_int::{map2, undefined};
use super::exec::{Exec, Frame};
use super::host;
use super::value::{Val, canonical_nan, is_nan, mask as low_bits};
use super::{eval_float, eval_int};
use crate::entities::Inst;
use crate::flags::Flags;
use crate::ops::{BinOp, Horizontal, IntPred, ReduceOp, RmwOp};
use crate::types::{Scalar, Type};
use std::rc::Rc;

/// The operands of an instruction: by position, then by thread.
type Rows = Vec<Vec<Val>>;

impl<'m> Exec<'_, 'm> {
    pub(crate) fn eval_horizontal(
        &mut self,
        frame: &mut Frame<'m>,
        inst: Inst,
        op: Horizontal,
        mask: &Mask,
    ) -> Result<(), RunError> {
        let code = Rc::clone(&frame.code);
        let data = &code.function[inst];
        let located = |kind| frame.error(kind, Some(inst), None);
        let mut rows: Rows = Vec::new();
        for &arg in &data.args {
            let row: Result<Vec<Val>, ErrorKind> =
                (0..mask.len()).map(|t| frame.env.eval(&code, arg, t).cloned()).collect();
            rows.push(row.map_err(located)?);
        }
        self.loose |= matches!(op, Horizontal::Reduce(_)) && data.flags.contains(Flags::REASSOC);
        let values = horizontal(op, data.ty, &rows, mask).map_err(located)?;
        for (t, value) in values.into_iter().enumerate() {
            if mask[t] {
                frame.env.set(&code, code.function.result(inst), t, value);
            }
        }
        Ok(())
    }
}

/// The result on each thread; on threads that do not take part it means nothing.
fn horizontal(op: Horizontal, ty: Type, rows: &Rows, mask: &Mask) -> Result<Vec<Val>, ErrorKind> {
    let threads = mask.len();
    let taking_part = || (0..threads).filter(|&t| mask[t]);
    let same = |value: Val| Ok(vec![value; threads]);
    let int = |value: u128| Val::Int(value & ty.int_bits().map_or(u128::MAX, low_bits));
    let each = |f: &dyn Fn(usize) -> Val| Ok((0..threads).map(f).collect());
    // The operand of another thread; the number of the thread decides, so an undefined one makes the result undefined.
    let operand_of = |lane: &Val| match lane {
        Val::Int(lane) => match usize::try_from(*lane) {
            Ok(lane) if lane < threads && mask[lane] => rows[0][lane].clone(),
            _ => Val::Poison,
        },
        other => undefined([other]).unwrap_or(Val::Poison),
    };
    match op {
        Horizontal::Any => same(fold_bool(taking_part().map(|t| &rows[0][t]), true)),
        Horizontal::All => same(fold_bool(taking_part().map(|t| &rows[0][t]), false)),
        Horizontal::Ballot | Horizontal::Popcount => {
            if let Some(undefined) = undefined(taking_part().map(|t| &rows[0][t])) {
                return same(undefined);
            }
            let set = taking_part().filter(|&t| rows[0][t].as_bool() == Some(true));
            match op {
                Horizontal::Ballot => {
                    same(int(set.filter(|&t| t < 128).fold(0, |bits, t| bits | 1 << t)))
                }
                _ => same(int(set.count() as u128)),
            }
        }
        Horizontal::Lane => each(&|t| int(t as u128)),
        Horizontal::Lanes => same(int(threads as u128)),
        Horizontal::Broadcast => {
            same(taking_part().next().map_or(Val::Poison, |t| rows[0][t].clone()))
        }
        Horizontal::Extract | Horizontal::Shuffle => each(&|t| operand_of(&rows[1][t])),
        Horizontal::Insert => each(&|t| match &rows[1][t] {
            Val::Int(lane) if *lane == t as u128 => rows[2][t].clone(),
            Val::Int(_) => rows[0][t].clone(),
            other => undefined([other]).unwrap_or(Val::Poison),
        }),
        Horizontal::Compact => {
            if let Some(undefined) = undefined(taking_part().map(|t| &rows[1][t])) {
                return same(undefined);
            }
            let chosen: Vec<usize> =
                taking_part().filter(|&t| rows[1][t].as_bool() == Some(true)).collect();
            each(&|t| chosen.get(t).map_or(Val::Poison, |&from| rows[0][from].clone()))
        }
        Horizontal::Reduce(op) => {
            let mut total: Option<Val> = None;
            for t in taking_part() {
                total = Some(match total {
                    None => rows[0][t].clone(),
                    Some(sum) => map2(ty, &sum, &rows[0][t], |a, b| combine(op, ty, a, b))?,
                });
            }
            same(total.map_or(Val::Poison, yielded))
        }
    }
}

/// Whether one value is `decisive`, else the opposite. A decisive one settles it whatever ⊤ or undef the others are.
fn fold_bool<'a>(values: impl Iterator<Item = &'a Val> + Clone, decisive: bool) -> Val {
    match undefined(values.clone()) {
        Some(Val::Poison) => Val::Poison,
        _ if values.clone().any(|v| v.as_bool() == Some(decisive)) => Val::bool(decisive),
        Some(undefined) => undefined,
        None => Val::bool(!decisive),
    }
}

/// What a reduction yields: a NaN of the program's may come out as another, even if it is the only number that took part.
pub(crate) fn yielded(total: Val) -> Val {
    match total {
        Val::Float(kind, bits) if is_nan(kind, bits) => Val::Float(kind, canonical_nan(kind)),
        total => total,
    }
}

/// One step of a reduction over threads or lanes.
pub(crate) fn combine(op: ReduceOp, ty: Type, a: &Val, b: &Val) -> Result<Val, ErrorKind> {
    let (width, kind) = match ty.scalar() {
        Some(Scalar::Int(bits)) => (bits, None),
        Some(Scalar::Float(kind)) => (kind.bits(), Some(kind)),
        _ => return Err(ErrorKind::Unsupported(format!("a reduction of the type {ty:?}"))),
    };
    let int = |op: BinOp| eval_int::binary(op, Flags::NONE, width, a, b);
    let pick = |pred: IntPred| match eval_int::icmp(pred, Flags::NONE, width, a, b)? {
        Val::Int(1) => Ok(a.clone()),
        Val::Int(_) => Ok(b.clone()),
        undefined => Ok(undefined),
    };
    let float = |op: BinOp| match kind {
        Some(kind) => eval_float::binary(op, Flags::NONE, kind, a, b),
        None => Err(ErrorKind::Unsupported(format!("the reduction `{}` of integers", op.name()))),
    };
    match op {
        ReduceOp::Add => int(BinOp::Add),
        ReduceOp::Mul => int(BinOp::Mul),
        ReduceOp::And => int(BinOp::And),
        ReduceOp::Or => int(BinOp::Or),
        ReduceOp::Xor => int(BinOp::Xor),
        ReduceOp::SMin => pick(IntPred::Slt),
        ReduceOp::SMax => pick(IntPred::Sgt),
        ReduceOp::UMin => pick(IntPred::Ult),
        ReduceOp::UMax => pick(IntPred::Ugt),
        ReduceOp::FAdd => float(BinOp::FAdd),
        ReduceOp::FMul => float(BinOp::FMul),
        ReduceOp::FMin => host::float::extremum(RmwOp::FMin, a, b),
        ReduceOp::FMax => host::float::extremum(RmwOp::FMax, a, b),
    }
}
