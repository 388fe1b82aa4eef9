//! Numbers: operators, comparisons, conversions, selects.

use super::body::Body;
use crate::entities::Value;
use crate::flags::Flags;
use crate::inst::Op;
use crate::ops::{BinOp, CastOp, FloatPred, IntPred};
use crate::types::{FloatKind, Scalar, Type};

impl Body<'_> {
    /// One or a few instructions.
    pub(super) fn random_inst(&mut self) {
        match self.rng.below(100) {
            0..=17 => self.int_binary(),
            18..=24 => self.shift(),
            25..=29 => self.division(),
            30..=36 => self.int_compare(),
            37..=44 => self.float_inst(),
            45..=52 => {
                let ty = self.palette.number(self.rng);
                self.converted(ty, false);
            }
            53..=57 => self.select(),
            58..=59 => self.freeze(),
            60..=65 if self.options.vectors => self.vector_inst(),
            66..=69 if self.options.aggregates => self.aggregate_inst(),
            70..=82 if self.options.memory => self.memory_inst(),
            83..=90 if self.options.intrinsics => self.intrinsic(),
            91..=93 if self.options.calls => self.call(),
            94..=95 if self.options.undefined > 0 => self.promise(),
            96..=98 if self.options.predicates || self.options.horizontal => self.across_threads(),
            _ => self.int_binary(),
        }
    }

    pub(super) fn int_binary(&mut self) {
        let ty = self.palette.int(self.rng);
        let ops = [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::And, BinOp::Or, BinOp::Xor];
        let op = ops[self.rng.below(ops.len())];
        let args = [self.pick(ty), self.pick(ty)];
        let flags = match op {
            BinOp::Add | BinOp::Sub | BinOp::Mul => [Flags::NUW, Flags::NSW].as_slice(),
            BinOp::Or => &[Flags::DISJOINT],
            _ => &[],
        };
        let flags = self.promises(flags);
        self.emit(Op::Binary(op), ty, &args, flags, !flags.is_empty());
    }

    /// Some of these flags, if a promise may be broken.
    pub(super) fn promises(&mut self, all: &[Flags]) -> Flags {
        let mut flags = Flags::NONE;
        if !self.risky() {
            return flags;
        }
        for &flag in all {
            if self.rng.one_in(2) {
                flags |= flag;
            }
        }
        flags
    }

    /// An amount that shifts within the width.
    fn amount(&mut self, ty: Type) -> Value {
        let width = ty.int_bits().unwrap_or(1);
        let value = self.pick(ty);
        if width == 1 {
            return self.int(ty, 0);
        }
        if width.is_power_of_two() && self.rng.below(3) > 0 {
            let mask = self.int(ty, i128::from(width) - 1);
            return self.emit(Op::Binary(BinOp::And), ty, &[value, mask], Flags::NONE, false);
        }
        if self.rng.one_in(2) {
            let amount = self.rng.below(width as usize) as i128;
            return self.int(ty, amount);
        }
        // The width fits its own type from three bits on.
        if width < 3 {
            return self.int(ty, 1);
        }
        let value = self.defined(value);
        let limit = self.int(ty, width.into());
        self.emit(Op::Binary(BinOp::URem), ty, &[value, limit], Flags::NONE, false)
    }

    /// `value` itself if it is never undefined, else another of its type.
    pub(super) fn defined(&mut self, value: Value) -> Value {
        if self.is_tainted(value) { self.pick_safe(self.ty_of(value)) } else { value }
    }

    fn shift(&mut self) {
        let ty = self.palette.int(self.rng);
        let op = [BinOp::Shl, BinOp::LShr, BinOp::AShr][self.rng.below(3)];
        let value = self.pick(ty);
        let wild = self.risky();
        let amount = if wild { self.wild_amount(ty) } else { self.amount(ty) };
        let flags = match op {
            BinOp::Shl => self.promises(&[Flags::NUW, Flags::NSW]),
            _ => self.promises(&[Flags::EXACT]),
        };
        self.emit(Op::Binary(op), ty, &[value, amount], flags, wild || !flags.is_empty());
    }

    /// An amount that may be too large, often just so.
    fn wild_amount(&mut self, ty: Type) -> Value {
        let width = ty.int_bits().unwrap_or(1);
        if width < 4 || self.rng.one_in(3) {
            return self.pick(ty);
        }
        let amount = i128::from(width) - 1 + self.rng.below(3) as i128;
        self.int(ty, amount)
    }

    fn division(&mut self) {
        let ty = self.palette.int(self.rng);
        let width = ty.int_bits().unwrap_or(1);
        if width < 2 || width > 128 && self.rng.below(4) > 0 {
            return self.int_binary();
        }
        let op = [BinOp::UDiv, BinOp::SDiv, BinOp::URem, BinOp::SRem][self.rng.below(4)];
        let value = self.pick_safe(ty);
        let divisor = if self.rng.one_in(3) {
            let number = 1 + self.rng.below((1 << (width - 1).min(5)) - 1) as i128;
            self.int(ty, number)
        } else {
            let number = self.pick_safe(ty);
            let (shift, one) = (self.int(ty, 1), self.int(ty, 1));
            // Positive and odd: never zero, and never -1.
            let half = self.emit(Op::Binary(BinOp::LShr), ty, &[number, shift], Flags::NONE, false);
            self.emit(Op::Binary(BinOp::Or), ty, &[half, one], Flags::NONE, false)
        };
        let flags = match op {
            BinOp::UDiv | BinOp::SDiv => self.promises(&[Flags::EXACT]),
            _ => Flags::NONE,
        };
        self.emit(Op::Binary(op), ty, &[value, divisor], flags, !flags.is_empty());
    }

    pub(super) fn int_compare(&mut self) {
        let ty = self.palette.int(self.rng);
        let pred = IntPred::ALL[self.rng.below(10)];
        let a = self.pick(ty);
        // Equal operands matter, and are rare by chance.
        let b = if self.rng.one_in(6) { a } else { self.pick(ty) };
        let flags = self.promises(&[Flags::SAMESIGN]);
        let result = ty.with_scalar(Scalar::Int(1));
        self.emit(Op::ICmp(pred), result, &[a, b], flags, !flags.is_empty());
    }

    fn float_inst(&mut self) {
        let Some(ty) = self.palette.float(self.rng) else { return self.int_binary() };
        let args = [self.pick(ty), self.pick(ty)];
        match self.rng.below(8) {
            0 => {
                let flags = self.float_promises();
                self.emit(Op::FNeg, ty, &args[..1], flags, !flags.is_empty());
            }
            1..=2 => {
                let pred = FloatPred::ALL[self.rng.below(16)];
                let flags = self.float_promises();
                let result = ty.with_scalar(Scalar::Int(1));
                self.emit(Op::FCmp(pred), result, &args, flags, !flags.is_empty());
            }
            n => {
                let ops = [BinOp::FAdd, BinOp::FSub, BinOp::FMul, BinOp::FDiv, BinOp::FRem];
                let op = ops[if n == 3 { 4 } else { self.rng.below(4) }];
                let op = if op == BinOp::FRem && !has_remainder(ty) { BinOp::FAdd } else { op };
                let flags = self.float_promises();
                self.emit(Op::Binary(op), ty, &args, flags, !flags.is_empty());
            }
        }
    }

    /// `nnan` and `ninf`, whose breaking is poison. The others allow other numbers and would leave nothing to compare.
    pub(super) fn float_promises(&mut self) -> Flags {
        if self.options.loose_floats && self.rng.one_in(4) {
            return Flags::from_bits(self.rng.next_u64() as u16) & Flags::FAST;
        }
        self.promises(&[Flags::NNAN, Flags::NINF])
    }

    fn select(&mut self) {
        let ty = self.palette.value(self.rng);
        let lanes = match ty {
            Type::Vector(..) if self.rng.one_in(2) => ty.with_scalar(Scalar::Int(1)),
            _ => Type::I1,
        };
        let pointers = self.scope_of(|k| k.cell.is_some());
        if self.rng.one_in(6) && !pointers.is_empty() {
            // Between pointers to the same kind of memory.
            let first = pointers[self.rng.below(pointers.len())];
            let alike: Vec<Value> =
                pointers.iter().filter(|k| k.cell == first.cell).map(|k| k.value).collect();
            let second = alike[self.rng.below(alike.len())];
            let condition = self.pick_safe(Type::I1);
            let args = [condition, first.value, second];
            let inst = self.push(crate::inst::InstData::new(Op::Select, Type::PTR, &args));
            let value = self.f.result(inst);
            return self.know(value, first.cell);
        }
        let condition = self.pick(lanes);
        let args = [condition, self.pick(ty), self.pick(ty)];
        self.emit(Op::Select, ty, &args, Flags::NONE, false);
    }

    fn freeze(&mut self) {
        let ty = self.palette.value(self.rng);
        // Freezing what is undefined makes the rest of the program anybody's guess: not too often.
        let value = if self.rng.one_in(12) { self.pick(ty) } else { self.pick_safe(ty) };
        let frozen = self.emit(Op::Freeze, ty, &[value], Flags::NONE, false);
        self.set_tainted(frozen, false);
    }

    /// A value of a type by converting another.
    pub(super) fn converted(&mut self, ty: Type, safe: bool) -> Option<Value> {
        let to = ty.scalar()?;
        let same_lanes = self.scope_of(|k| {
            k.cell.is_none() && k.ty != ty && k.ty.scalar().is_some() && k.ty.lanes() == ty.lanes()
        });
        let mut from: Vec<Value> = same_lanes.iter().map(|k| k.value).collect();
        from.retain(|&v| !(self.ty_of(v).is_ptr() || safe && self.is_tainted(v)));
        if self.rng.one_in(4)
            && let Some(value) = self.reinterpreted(ty, safe)
        {
            return Some(value);
        }
        if from.is_empty() {
            return None;
        }
        let value = from[self.rng.below(from.len())];
        let source = self.ty_of(value).scalar()?;
        let (op, flags, risky) = match (source, to) {
            (Scalar::Int(a), Scalar::Int(b)) if a > b => {
                let flags =
                    if safe { Flags::NONE } else { self.promises(&[Flags::NUW, Flags::NSW]) };
                (CastOp::Trunc, flags, !flags.is_empty())
            }
            (Scalar::Int(_), Scalar::Int(_)) if self.rng.one_in(2) => {
                let flags = if safe { Flags::NONE } else { self.promises(&[Flags::NNEG]) };
                (CastOp::ZExt, flags, !flags.is_empty())
            }
            (Scalar::Int(_), Scalar::Int(_)) => (CastOp::SExt, Flags::NONE, false),
            (Scalar::Int(bits), Scalar::Float(kind)) => {
                // Narrow formats are computed in wider ones and rounded twice by some compilers.
                // LLVM 22 turns the largest ones into something else than infinity.
                if kind == FloatKind::BFloat && bits > 24 || bits > 128 {
                    return None;
                }
                let op = if self.rng.one_in(2) { CastOp::UiToFp } else { CastOp::SiToFp };
                (op, Flags::NONE, false)
            }
            (Scalar::Float(_), Scalar::Int(_)) => {
                if safe || !self.risky() {
                    return None;
                }
                let op = if self.rng.one_in(2) { CastOp::FpToUi } else { CastOp::FpToSi };
                (op, Flags::NONE, true)
            }
            (Scalar::Float(a), Scalar::Float(b)) if a.bits() > b.bits() => {
                (CastOp::FpTrunc, Flags::NONE, false)
            }
            (Scalar::Float(a), Scalar::Float(b)) if a.bits() < b.bits() => {
                (CastOp::FpExt, Flags::NONE, false)
            }
            _ => return None,
        };
        Some(self.emit(Op::Cast(op), ty, &[value], flags, risky))
    }

    /// The same bits as another type.
    fn reinterpreted(&mut self, ty: Type, safe: bool) -> Option<Value> {
        let layout = &self.module.layout;
        let bits = |ty: Type| {
            let lanes = ty.lanes().map_or(1, |lanes| lanes.count);
            Some(layout.scalar_bits(ty.scalar()?) * lanes)
        };
        let wanted = bits(ty)?;
        let lanes = |ty: Type| ty.lanes().map_or(1, |lanes| lanes.count);
        let fits = self.scope_of(|k| {
            // LLVM 22 folds a bit cast of constant lanes wrongly if neither number of lanes divides the other.
            let (a, b) = (lanes(k.ty), lanes(ty));
            // The bits of a NaN are nobody's business: only integers are looked at.
            k.cell.is_none()
                && k.ty != ty
                && k.ty.int_bits().is_some()
                && bits(k.ty) == Some(wanted)
                && a.max(b).is_multiple_of(a.min(b))
        });
        let mut from: Vec<Value> = fits.iter().map(|k| k.value).collect();
        from.retain(|&v| !(safe && self.is_tainted(v)));
        if from.is_empty() || ty.float_kind() == Some(FloatKind::X86Fp80) {
            return None;
        }
        let value = from[self.rng.below(from.len())];
        Some(self.emit(Op::Cast(CastOp::BitCast), ty, &[value], Flags::NONE, false))
    }
}

/// Formats whose remainder LLVM computes by a library that is everywhere.
fn has_remainder(ty: Type) -> bool {
    matches!(ty.float_kind(), Some(FloatKind::Float | FloatKind::Double))
}
