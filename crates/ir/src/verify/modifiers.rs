//! Flags and `total`.

use super::Report;
use crate::flags::Flags;
use crate::inst::{InstData, Op};
use crate::ops::{BinOp, CastOp};

pub(super) fn check(report: &mut Report<'_>) {
    let function = report.function;
    for (block, inst) in function.all_insts() {
        let data = &function[inst];
        if data.total && !may_be_total(&data.op) {
            report.inst(block, inst, "terminators, φs and `mask` cannot be total");
        }
        let extra = data.flags.without(allowed(data));
        if !extra.is_empty() {
            let flags = extra.to_string();
            report.inst(block, inst, format!("`{}` has no meaning here", flags.trim_end()));
        }
    }
}

/// 001 §4.9: `mask` returns the activation, a φ is controlled by its shadow, a terminator by the activation.
fn may_be_total(op: &Op) -> bool {
    !op.is_terminator() && !matches!(op, Op::Phi | Op::Mask | Op::LandingPad(_))
}

/// The flags an instruction may carry.
fn allowed(data: &InstData) -> Flags {
    let wrap = Flags::NUW | Flags::NSW;
    let float = data.ty.float_kind().is_some();
    match &data.op {
        Op::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Shl) => wrap,
        Op::Binary(BinOp::UDiv | BinOp::SDiv | BinOp::LShr | BinOp::AShr) => Flags::EXACT,
        Op::Binary(BinOp::Or) => Flags::DISJOINT,
        Op::Binary(op) if op.is_float() => Flags::FAST,
        Op::Cast(CastOp::Trunc) => wrap,
        Op::Cast(CastOp::ZExt) => Flags::NNEG,
        Op::Cast(CastOp::UiToFp) => Flags::NNEG | Flags::FAST,
        Op::Cast(CastOp::SiToFp | CastOp::FpTrunc | CastOp::FpExt) => Flags::FAST,
        Op::ICmp(_) => Flags::SAMESIGN,
        Op::FNeg | Op::FCmp(_) => Flags::FAST,
        Op::Gep(_) => Flags::INBOUNDS | Flags::NUSW | Flags::NUW,
        // Aggregates of floats may carry them too.
        Op::Select | Op::Phi | Op::Call(_) if float || data.ty.scalar().is_none() => Flags::FAST,
        _ => Flags::NONE,
    }
}
