//! Numbers and pointers that grow from lane to lane by something that is only known when the program runs, which variants with
//! `linear(i : step)` take: of `f(i * step, step)`, lane 0's `i * step` is enough.

use super::Widener;
use super::kinds::Kind;
use super::rep::Rep;
use crate::abi::lanes::Lanes;
use lw_ir::ops::{BinOp, CastOp};
use lw_ir::types::{Scalar, Type};
use lw_ir::{Flags, Inst, Op, Value};
use rustc_hash::FxHashSet;

impl Widener<'_> {
    /// Whether a value of each lane is that of the lane before and `step`, of pointers in bytes, for lanes that are off, too.
    pub(super) fn grows_by(&self, value: Value, rep: &Rep, step: Value) -> bool {
        match (rep, self.src.as_constant(step).and_then(|step| step.as_i128())) {
            (Rep::Strided(_, stride), step) => step == Some((*stride).into()),
            (Rep::Lanes(_), None) => self.grows(value, step, &mut FxHashSet::default()),
            _ => false,
        }
    }

    /// The same of a value that depends on itself, if it does so only by growing. All lanes take the same way to a φ.
    fn grows(&self, value: Value, step: Value, seen: &mut FxHashSet<Value>) -> bool {
        let Some(inst) = self.src.def_inst(value) else { return false };
        let uniform = |value: Value| self.kinds.of(value) == Kind::Uniform;
        let data = &self.src[inst];
        match (&data.op, &data.args[..]) {
            (Op::Binary(BinOp::Mul), &[x, y]) => {
                let counts = |value: Value| self.kinds.of(value) == Kind::Strided(1);
                self.is_step(x, step) && counts(y) || self.is_step(y, step) && counts(x)
            }
            (Op::Binary(BinOp::Add), &[x, y]) => {
                uniform(y) && self.grows(x, step, seen) || uniform(x) && self.grows(y, step, seen)
            }
            (Op::Binary(BinOp::Sub), &[x, y]) => uniform(y) && self.grows(x, step, seen),
            (Op::Cast(CastOp::Trunc), &[x]) => self.grows(x, step, seen),
            (Op::Gep(elem), &[pointer, index]) => {
                let bytes = self.region.layout.alloc_size(&self.src.types, *elem);
                let grows = self.src.ty(index) == Type::I64
                    && bytes == Some(1)
                    && uniform(pointer)
                    && self.grows(index, step, seen);
                grows || uniform(index) && self.grows(pointer, step, seen)
            }
            (Op::Phi, args) => {
                !seen.insert(value) || args.iter().all(|&arg| self.grows(arg, step, seen))
            }
            _ => false,
        }
    }

    /// Whether a value is a step, in the width of what grows.
    fn is_step(&self, value: Value, step: Value) -> bool {
        let cast = |inst: Inst| {
            matches!(self.src[inst].op, Op::Cast(CastOp::SExt | CastOp::Trunc))
                && self.src[inst].args[0] == step
        };
        value == step || self.src.def_inst(value).is_some_and(cast)
    }

    /// What lane 0 has of a vector whose lanes grow by a step. Lane 0 may be off, and then have nothing: so it is computed from the
    /// first that is not.
    pub(super) fn first_of(&mut self, vector: Value, step: Value) -> Value {
        let (lane, off) = (self.first_active(), self.mask.is_some());
        let ty = self.out.ty(vector).scalar().map_or(Type::PTR, Type::Scalar);
        let first = self.op(Op::ExtractElement, ty, &[vector, lane]);
        match off {
            true => self.stepped(first, step, lane, BinOp::Sub),
            false => first,
        }
    }

    /// A number or pointer so many steps further, or (`Sub`) before.
    pub(super) fn stepped(&mut self, value: Value, step: Value, count: Value, way: BinOp) -> Value {
        self.with_lanes(1, |at: &mut Lanes<'_>| {
            let step = at.step_of(value, step);
            let (wide, ty) = (at.b.function.ty(step), at.b.function.ty(value));
            let count = at.step_of(step, count);
            let by = at.b.binary(BinOp::Mul, step, count);
            match ty {
                Type::Scalar(Scalar::Ptr(_)) => {
                    let none = at.b.int(wide, 0);
                    let by = at.b.binary(way, none, by);
                    at.b.gep(Type::I8, Flags::NONE, value, &[by])
                }
                _ => at.b.binary(way, value, by),
            }
        })
    }
}
