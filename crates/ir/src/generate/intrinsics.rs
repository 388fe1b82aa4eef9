//! LLVM's intrinsics, those whose result is one number only.

use super::body::Body;
use super::constants;
use crate::attrs::{Attr, AttrListData};
use crate::constant::Constant;
use crate::entities::Value;
use crate::flags::Flags;
use crate::inst::Op;
use crate::ops::{BinOp, FloatPred};
use crate::types::{FloatKind, Scalar, Type};

/// How LLVM writes a type in the name of an intrinsic.
pub(super) fn suffix(ty: Type) -> String {
    let scalar = |scalar: Scalar| match scalar {
        Scalar::Int(bits) => format!("i{bits}"),
        Scalar::Float(FloatKind::Half) => "f16".into(),
        Scalar::Float(FloatKind::BFloat) => "bf16".into(),
        Scalar::Float(FloatKind::Float) => "f32".into(),
        Scalar::Float(FloatKind::Double) => "f64".into(),
        Scalar::Float(FloatKind::X86Fp80) => "f80".into(),
        Scalar::Float(FloatKind::Fp128) => "f128".into(),
        Scalar::Float(FloatKind::PpcFp128) => "ppcf128".into(),
        Scalar::Ptr(space) => format!("p{space}"),
    };
    match ty {
        Type::Scalar(s) => scalar(s),
        Type::Vector(s, lanes) => format!("v{}{}", lanes.count, scalar(s)),
        _ => String::new(),
    }
}

impl Body<'_> {
    pub(super) fn intrinsic(&mut self) {
        match self.rng.below(10) {
            0..=5 => self.int_intrinsic(),
            6..=7 => self.float_intrinsic(),
            8 => self.vector_intrinsic(),
            _ => self.hint(),
        }
    }

    fn int_intrinsic(&mut self) {
        let ty = self.palette.int(self.rng);
        let width = ty.int_bits().unwrap_or(1);
        if width > 128 {
            return self.int_binary();
        }
        let name = |base: &str| format!("llvm.{base}.{}", suffix(ty));
        let (a, b) = (self.pick(ty), self.pick(ty));
        match self.rng.below(8) {
            0 => {
                let bases = ["ctpop", "bitreverse", "bswap"];
                let base = bases[self.rng.below(if width.is_multiple_of(16) { 3 } else { 2 })];
                self.call_intrinsic(&name(base), ty, &[a]);
            }
            1 => {
                let base = ["ctlz", "cttz", "abs"][self.rng.below(3)];
                let poison = self.risky();
                let flag = self.int(Type::I1, poison.into());
                let value = self.call_intrinsic(&name(base), ty, &[a, flag]);
                if let Some(value) = value
                    && poison
                {
                    self.set_tainted(value, true);
                }
            }
            2 => {
                let base = ["smax", "smin", "umax", "umin"][self.rng.below(4)];
                self.call_intrinsic(&name(base), ty, &[a, b]);
            }
            3 => {
                let base = ["sadd.sat", "uadd.sat", "ssub.sat", "usub.sat"][self.rng.below(4)];
                self.call_intrinsic(&name(base), ty, &[a, b]);
            }
            4 => {
                let c = self.pick(ty);
                let base = ["fshl", "fshr"][self.rng.below(2)];
                self.call_intrinsic(&name(base), ty, &[a, b, c]);
            }
            5 => {
                // The result has at least two bits.
                let to = ty.with_scalar(Scalar::Int(8));
                let base = ["scmp", "ucmp"][self.rng.below(2)];
                let name = format!("llvm.{base}.{}.{}", suffix(to), suffix(ty));
                self.call_intrinsic(&name, to, &[a, b]);
            }
            6 => {
                let amount = self.rng.below(width as usize) as i128;
                let amount = if width > 2 { self.int(ty, amount) } else { self.int(ty, 0) };
                let base = ["sshl.sat", "ushl.sat"][self.rng.below(2)];
                self.call_intrinsic(&name(base), ty, &[a, amount]);
            }
            _ => self.with_overflow(ty, a, b),
        }
    }

    fn with_overflow(&mut self, ty: Type, a: Value, b: Value) {
        let op = ["add", "sub", "mul"][self.rng.below(3)];
        let sign = if self.rng.one_in(2) { 's' } else { 'u' };
        let flag = ty.with_scalar(Scalar::Int(1));
        let pair = self.f.types.structure(&[ty, flag]);
        let name = format!("llvm.{sign}{op}.with.overflow.{}", suffix(ty));
        let Some(result) = self.call_intrinsic(&name, pair, &[a, b]) else { return };
        for (i, part) in [ty, flag].into_iter().enumerate() {
            let path = [i as u32].as_slice().into();
            self.emit(Op::ExtractValue(path), part, &[result], Flags::NONE, false);
        }
    }

    fn float_intrinsic(&mut self) {
        let Some(ty) = self.palette.float(self.rng) else { return self.int_intrinsic() };
        let kind = ty.float_kind();
        let usual = matches!(kind, Some(FloatKind::Float | FloatKind::Double));
        let name = |base: &str| format!("llvm.{base}.{}", suffix(ty));
        let (a, b) = (self.pick(ty), self.pick(ty));
        match self.rng.below(8) {
            0 => {
                let all = ["fabs", "floor", "ceil", "trunc", "rint", "nearbyint", "sqrt"];
                let base = all[self.rng.below(all.len())];
                let flags = self.float_promises();
                self.call_with(&name(base), ty, &[a], flags, AttrListData::default());
            }
            1 => {
                let all = ["round", "roundeven", "fabs"];
                let base = all[self.rng.below(3)];
                self.call_intrinsic(&name(base), ty, &[a]);
            }
            2 => {
                self.call_intrinsic(&name("copysign"), ty, &[a, b]);
            }
            3 | 7 if usual => {
                let all = ["minnum", "maxnum", "minimum", "maximum"];
                let base = all[self.rng.below(4)];
                let nan = self.rng.one_in(3).then(|| constants::nan(&self.f.types, ty)).flatten();
                let Some(nan) = nan.map(|nan| self.f.constant(nan)) else {
                    self.call_intrinsic(&name(base), ty, &[a, b]);
                    return;
                };
                // The one place where a number and a NaN yield the number. Nobody looks at the bits of a NaN, so this asks.
                let number = if self.rng.one_in(2) { a } else { self.constant(ty, true) };
                let args = if self.rng.one_in(2) { [nan, number] } else { [number, nan] };
                if let Some(least) = self.call_intrinsic(&name(base), ty, &args) {
                    let truth = ty.with_scalar(Scalar::Int(1));
                    let ask = Op::FCmp(FloatPred::Uno);
                    self.emit(ask, truth, &[least, least], Flags::NONE, false);
                }
            }
            4 if usual => {
                let c = self.pick(ty);
                self.call_intrinsic(&name("fma"), ty, &[a, b, c]);
            }
            5 => {
                let result = ty.with_scalar(Scalar::Int(1));
                // Whether a NaN is quiet is nobody's business.
                let classes =
                    (self.rng.below(256) << 2 | if self.rng.one_in(2) { 3 } else { 0 }) as i128;
                let classes = self.int(Type::I32, classes);
                self.call_intrinsic(&name("is.fpclass"), result, &[a, classes]);
            }
            _ => {
                let ints: Vec<Type> = (self.palette.ints.iter().copied())
                    .filter(|t| t.int_bits().is_some_and(|bits| (8..=64).contains(&bits)))
                    .collect();
                let Type::Scalar(int) = ints[self.rng.below(ints.len())] else { return };
                let to = ty.with_scalar(int);
                let base = ["fptosi.sat", "fptoui.sat"][self.rng.below(2)];
                let name = format!("llvm.{base}.{}.{}", suffix(to), suffix(ty));
                self.call_intrinsic(&name, to, &[a]);
            }
        }
    }

    fn vector_intrinsic(&mut self) {
        let all = &self.palette.vectors;
        if all.is_empty() {
            return self.int_intrinsic();
        }
        let ty = all[self.rng.below(all.len())];
        let Type::Vector(elem, lanes) = ty else { return };
        let vector = self.pick(ty);
        if self.rng.one_in(5) {
            let name = format!("llvm.vector.reverse.{}", suffix(ty));
            self.call_intrinsic(&name, ty, &[vector]);
            return;
        }
        let elem_ty = Type::Scalar(elem);
        match elem {
            Scalar::Int(bits) if bits <= 128 => {
                let all = ["add", "mul", "and", "or", "xor", "smax", "smin", "umax", "umin"];
                let base = all[self.rng.below(all.len())];
                let name = format!("llvm.vector.reduce.{base}.{}", suffix(ty));
                self.call_intrinsic(&name, elem_ty, &[vector]);
            }
            Scalar::Float(FloatKind::Float | FloatKind::Double) if lanes.count > 1 => {
                let start = self.pick(elem_ty);
                let base = ["fadd", "fmul"][self.rng.below(2)];
                let name = format!("llvm.vector.reduce.{base}.{}", suffix(ty));
                self.call_intrinsic(&name, elem_ty, &[start, vector]);
            }
            _ => {}
        }
    }

    /// Masked loads, stores, gathers and scatters.
    pub(super) fn masked(&mut self) {
        let Some((places, elem, count)) = self.vector_of_pointers() else { return };
        let Type::Scalar(scalar) = elem else { return };
        let bits = self.module.layout.scalar_bits(scalar);
        // What the vector would look like in memory is not what an array of such elements looks like.
        if !bits.is_multiple_of(8) || !(bits / 8).is_power_of_two() {
            return;
        }
        let ty = Type::vector(scalar, count);
        let mask_ty = Type::vector(Scalar::Int(1), count);
        let mask = self.pick_safe(mask_ty);
        let attrs = |at: u32| AttrListData {
            params: [(at, vec![Attr::Int("align".into(), 1)])].into_iter().collect(),
            ..AttrListData::default()
        };
        if self.rng.one_in(2) {
            let pass = self.pick(ty);
            let name = format!("llvm.masked.gather.{}.v{count}p0", suffix(ty));
            let args = [places, mask, pass];
            self.call_with(&name, ty, &args, Flags::NONE, attrs(0));
        } else {
            let value = self.pick_safe(ty);
            let name = format!("llvm.masked.scatter.{}.v{count}p0", suffix(ty));
            let args = [value, places, mask];
            self.call_with(&name, Type::Void, &args, Flags::NONE, attrs(1));
        }
    }

    /// What says something rather than does something.
    fn hint(&mut self) {
        match self.rng.below(3) {
            0 => {
                let ty = self.palette.ints[self.rng.below(self.palette.ints.len())];
                let (value, likely) = (self.pick(ty), self.constant(ty, true));
                let name = format!("llvm.expect.{}", suffix(ty));
                if matches!(ty.int_bits(), Some(bits) if bits <= 64) {
                    self.call_intrinsic(&name, ty, &[value, likely]);
                }
            }
            1 => {
                let value = self.pick_safe(Type::I1);
                let yes = self.f.constant(Constant::bool(true));
                let op = Op::Binary(BinOp::Or);
                let sure = self.emit(op, Type::I1, &[value, yes], Flags::NONE, false);
                self.call_intrinsic("llvm.assume", Type::Void, &[sure]);
            }
            _ => {
                self.call_intrinsic("llvm.donothing", Type::Void, &[]);
            }
        }
    }
}
