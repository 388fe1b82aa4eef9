//! `-x` as `x · −1`.

use crate::loops::shape::LoopShape;
use lw_ir::bits::Bits;
use lw_ir::constant::{Constant, ConstantKind};
use lw_ir::ops::BinOp;
use lw_ir::types::{FloatKind, Scalar, Type};
use lw_ir::{Flags, Function, Inst, Op, Value};
use rustc_hash::FxHashSet;

impl LoopShape {
    /// Makes products of changes of sign of what iterations hand on: LLVM makes `s = c ? s : -s` of `s *= c ? 1 : -1`. Other numbers keep
    /// their signs as they are, also those that are none.
    pub(super) fn compute_signs(&self, f: &mut Function) {
        let carried = self.carried(f);
        for &b in &self.blocks {
            for inst in f.insts(b).to_vec() {
                let zero = |f: &Function| {
                    let from = f.as_constant(f[inst].args[0]);
                    from.and_then(Constant::as_i128) == Some(0)
                };
                let (op, value, flags) = match f[inst].op {
                    Op::Binary(BinOp::Sub) if zero(f) => (BinOp::Mul, f[inst].args[1], Flags::NONE),
                    Op::FNeg => (BinOp::FMul, f[inst].args[0], f[inst].flags),
                    _ => continue,
                };
                let Some(minus_one) = minus_one(f[inst].ty).filter(|_| carried.contains(&value))
                else {
                    continue;
                };
                let minus_one = f.constant(minus_one);
                f[inst].op = Op::Binary(op);
                f[inst].flags = flags;
                f[inst].args = [value, minus_one].into_iter().collect();
            }
        }
    }
}

impl LoopShape {
    /// Header φs, what merges them, and their products.
    fn carried(&self, f: &Function) -> FxHashSet<Value> {
        let mut all: FxHashSet<Value> = f.phis(self.header).map(|phi| f.result(phi)).collect();
        loop {
            let before = all.len();
            for &inst in self.blocks.iter().flat_map(|&b| f.insts(b)) {
                let args = match f[inst].op {
                    Op::Select => &f[inst].args[1..],
                    Op::Phi | Op::FNeg | Op::Binary(BinOp::Sub | BinOp::Mul | BinOp::FMul) => {
                        &f[inst].args[..]
                    }
                    _ => continue,
                };
                if args.iter().any(|arg| all.contains(arg)) {
                    all.insert(f.result(inst));
                }
            }
            if all.len() == before {
                return all;
            }
        }
    }
}

/// Whether an operation changes the sign of a number: that is exact, and may be done in any order.
pub(in crate::loops) fn is_sign(f: &Function, inst: Inst) -> bool {
    let data = &f[inst];
    let by = data.args.get(1).and_then(|&by| f.as_constant(by));
    data.op == Op::Binary(BinOp::FMul) && by.is_some() && by == minus_one(data.ty).as_ref()
}

fn minus_one(ty: Type) -> Option<Constant> {
    let bits: u128 = match ty {
        Type::Scalar(Scalar::Int(_)) => return Some(Constant::int(ty, -1)),
        Type::Scalar(Scalar::Float(kind)) => match kind {
            FloatKind::Half => 0xbc00,
            FloatKind::BFloat => 0xbf80,
            FloatKind::Float => (-1f32).to_bits().into(),
            FloatKind::Double => (-1f64).to_bits().into(),
            FloatKind::X86Fp80 => 0xbfff << 64 | 1 << 63,
            FloatKind::Fp128 => 0xbfff << 112,
            FloatKind::PpcFp128 => return None,
        },
        _ => return None,
    };
    let kind = ConstantKind::Float(Bits::new(ty.float_kind()?.bits(), bits));
    Some(Constant { ty, kind })
}
