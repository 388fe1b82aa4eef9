//! Idioms in which an optimizer relies on a promise: where an interpreter does not see that it is broken, they differ.

use super::body::Body;
use crate::entities::Value;
use crate::flags::Flags;
use crate::inst::Op;
use crate::ops::{BinOp, CastOp, IntPred};
use crate::types::{Scalar, Type};

impl Body<'_> {
    fn limit_or_pick(&mut self, ty: Type) -> Value {
        let width = ty.int_bits().unwrap_or(1).min(127);
        let limits = [(1i128 << (width - 1)) - 1, -(1 << (width - 1)), -1, 0];
        if self.rng.one_in(4) {
            let limit = limits[self.rng.below(4)];
            return self.int(ty, limit);
        }
        self.pick_safe(ty)
    }

    fn math(&mut self, op: BinOp, flags: Flags, a: Value, b: Value) -> Value {
        let ty = self.ty_of(a);
        self.emit(Op::Binary(op), ty, &[a, b], flags, !flags.is_empty())
    }

    /// An operation that makes a promise, and one whose result depends on it being kept.
    pub(super) fn promise(&mut self) {
        let ty = self.palette.ints[self.rng.below(self.palette.ints.len())];
        let width = ty.int_bits().unwrap_or(1);
        if width < 4 {
            return self.int_binary();
        }
        let x = self.limit_or_pick(ty);
        let one = self.int(ty, 1);
        let small = 1 + self.rng.below(3) as i128;
        let small = self.int(ty, small);
        let compare = |body: &mut Self, pred: IntPred, a: Value, b: Value| {
            body.emit(Op::ICmp(pred), Type::I1, &[a, b], Flags::NONE, false);
        };
        match self.rng.below(12) {
            0 => {
                let y = self.math(BinOp::Add, Flags::NSW, x, small);
                compare(self, IntPred::Sgt, y, x);
            }
            1 => {
                let y = self.math(BinOp::Add, Flags::NUW, x, small);
                compare(self, IntPred::Ugt, y, x);
            }
            2 => {
                let y = self.math(BinOp::Sub, Flags::NSW, x, small);
                compare(self, IntPred::Slt, y, x);
            }
            3 => {
                let y = self.math(BinOp::Sub, Flags::NUW, x, small);
                compare(self, IntPred::Ult, y, x);
            }
            4 => {
                let y = self.math(BinOp::Shl, Flags::NUW, x, small);
                self.math(BinOp::LShr, Flags::NONE, y, small);
            }
            5 => {
                let y = self.math(BinOp::Shl, Flags::NSW, x, small);
                self.math(BinOp::AShr, Flags::NONE, y, small);
            }
            6 => {
                let three = self.int(ty, 3);
                let y = self.math(BinOp::Mul, Flags::NSW, x, three);
                self.math(BinOp::SDiv, Flags::NONE, y, three);
            }
            7 => {
                let three = self.int(ty, 3);
                let y = self.math(BinOp::Mul, Flags::NUW, x, three);
                self.math(BinOp::UDiv, Flags::NONE, y, three);
            }
            8 => {
                let y = self.math(BinOp::LShr, Flags::EXACT, x, small);
                self.math(BinOp::Shl, Flags::NONE, y, small);
            }
            9 => {
                let seven = self.int(ty, 7);
                let y = self.math(BinOp::UDiv, Flags::EXACT, x, seven);
                self.math(BinOp::Mul, Flags::NONE, y, seven);
            }
            10 => {
                let y = self.math(BinOp::Or, Flags::DISJOINT, x, one);
                self.math(BinOp::Sub, Flags::NONE, y, one);
            }
            _ => {
                let wide = Type::Scalar(Scalar::Int(width + 8));
                let op = if self.rng.one_in(2) { CastOp::ZExt } else { CastOp::SExt };
                let flags = if op == CastOp::ZExt { Flags::NNEG } else { Flags::NONE };
                let y = self.emit(Op::Cast(op), wide, &[x], flags, true);
                let zero = self.int(wide, 0);
                compare(self, IntPred::Sge, y, zero);
                let back = Op::Cast(CastOp::Trunc);
                let flags = [Flags::NSW, Flags::NUW][self.rng.below(2)];
                let z = self.emit(back, ty, &[y], flags, true);
                let again = Op::Cast(CastOp::SExt);
                self.emit(again, wide, &[z], Flags::NONE, false);
            }
        }
    }
}
