//! Numbers that are cut and widened by masks and shifts, as LLVM writes it: `x & 255`, `x << 24 >> 24`.

use super::narrow::Narrow;
use lw_ir::constant::Constant;
use lw_ir::ops::{BinOp, CastOp};
use lw_ir::types::Type;
use lw_ir::{InsertAt, InstData, Op, Value};

impl Narrow<'_> {
    /// The operand of an operation with a constant, and the constant.
    fn with_constant(&self, value: Value, wanted: BinOp) -> Option<(Value, u128)> {
        let &[a, b] = self.args(value) else { return None };
        let fits = self.op(value) == Some(&Op::Binary(wanted));
        self.f.as_constant(b).and_then(Constant::as_u128).filter(|_| fits).map(|b| (a, b))
    }

    /// Whether an integer has no other bits than those of a narrower one, widened in this way: LLVM cuts and widens by masks and shifts.
    pub(super) fn is_low_part(&self, value: Value, op: CastOp, ty: Type) -> bool {
        let (Some(wide), Some(bits)) = (self.f.ty(value).int_bits(), ty.int_bits()) else {
            return false;
        };
        let shifted = |by| {
            let shift = self.with_constant(value, by);
            shift.is_some_and(|(_, by)| by < wide.into() && by + u128::from(bits) >= wide.into())
        };
        match op {
            CastOp::ZExt => {
                let masked = self.with_constant(value, BinOp::And);
                shifted(BinOp::LShr) || masked.is_some_and(|(_, mask)| mask >> bits == 0)
            }
            CastOp::SExt => shifted(BinOp::AShr),
            _ => false,
        }
    }

    /// Such an integer in the narrower type, in the words that LLVM has for it where it is not compared.
    pub(super) fn low_part(&mut self, value: Value, ty: Type) -> Value {
        let bits = ty.int_bits().expect("it is an integer");
        let wide = self.f.ty(value).int_bits().expect("it is an integer");
        let exactly = |&(_, by): &(Value, u128)| by + u128::from(bits) == wide.into();
        let all = |&(_, mask): &(Value, u128)| mask == u128::MAX >> (128 - bits);
        if let Some((of, _)) = self.with_constant(value, BinOp::And).filter(all) {
            return self.cut_as_it_is(of, ty);
        }
        if let Some((of, by)) = self.with_constant(value, BinOp::AShr).filter(exactly) {
            if let Some((of, _)) = self.with_constant(of, BinOp::Shl).filter(|it| it.1 == by) {
                return self.cut_as_it_is(of, ty);
            }
            let inst = self.f.def_inst(value).expect("it is an operation");
            let (ty_of, by) = (self.f.ty(of), self.f[inst].args[1]);
            let shift = InstData::new(Op::Binary(BinOp::LShr), ty_of, &[of, by]);
            let shift = self.f.insert(InsertAt::Before(inst), shift);
            return self.cut_as_it_is(self.f.result(shift), ty);
        }
        self.cut_as_it_is(value, ty)
    }
}
