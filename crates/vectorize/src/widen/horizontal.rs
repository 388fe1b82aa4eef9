//! Operations across threads become operations across lanes.

use super::Widener;
use super::rep::Rep;
use super::types;
use crate::target::{allow_vectors, register_bits, widest};
use lw_ir::Flags;
use lw_ir::bits::Bits;
use lw_ir::constant::{Constant, ConstantKind};
use lw_ir::ops::{BinOp, Horizontal, IntPred, ReduceOp};
use lw_ir::types::{FloatKind, Scalar, Type};
use lw_ir::{Inst, InstData, Op, Value};

impl Widener<'_> {
    pub(super) fn horizontal(&mut self, op: Horizontal, inst: Inst) -> Rep {
        let data = self.src[inst].clone();
        self.counts.horizontal += 1;
        self.counts.reductions += usize::from(matches!(op, Horizontal::Reduce(_)));
        let reps: Vec<Rep> = data.args.iter().map(|&arg| self.rep(arg)).collect();
        // All threads take part in what is total.
        let mask = self.mask;
        if data.total {
            self.mask = None;
        }
        let rep = self.across(op, &data, &reps);
        self.mask = mask;
        rep
    }

    fn across(&mut self, op: Horizontal, data: &InstData, reps: &[Rep]) -> Rep {
        let ty = data.ty;
        match op {
            Horizontal::Lane => {
                let zero = self.int(ty, 0);
                match ty {
                    Type::Scalar(Scalar::Int(1..=64)) => Rep::Strided(zero, 1),
                    _ => {
                        let number = |t: u32| Constant::int(ty, t.into());
                        let all = (0..self.region.width).map(number).collect();
                        let vector = self.vector(ty);
                        let kind = ConstantKind::Aggregate(all);
                        Rep::Lanes(self.out.constant(Constant { ty: vector, kind }))
                    }
                }
            }
            Horizontal::Lanes => Rep::Uniform(self.int(ty, self.region.width.into())),
            Horizontal::Any => {
                let on = self.taking_part(&reps[0], false);
                let vector = self.out.ty(on);
                Rep::Uniform(self.intrinsic("llvm.vector.reduce.or", &[vector], ty, &[on]))
            }
            Horizontal::All => {
                let on = self.taking_part(&reps[0], true);
                let vector = self.out.ty(on);
                Rep::Uniform(self.intrinsic("llvm.vector.reduce.and", &[vector], ty, &[on]))
            }
            Horizontal::Ballot => {
                let on = self.taking_part(&reps[0], false);
                let bits = self.bits_of(on);
                Rep::Uniform(self.resize(bits, ty))
            }
            Horizontal::Popcount => {
                let on = self.taking_part(&reps[0], false);
                let bits = self.bits_of(on);
                // As wide as the result needs, so that the count fits.
                let wide = Type::int(self.region.width.max(ty.int_bits().unwrap_or(32)));
                let bits = self.resize(bits, wide);
                let count = self.intrinsic("llvm.ctpop", &[wide], wide, &[bits]);
                Rep::Uniform(self.resize(count, ty))
            }
            Horizontal::Broadcast => Rep::Uniform(self.of_active(&reps[0], ty)),
            Horizontal::Extract | Horizontal::Shuffle => self.other_lane(data, reps),
            Horizontal::Insert => {
                let index = self.src.ty(data.args[1]);
                let number = |t: u32| Constant::int(index, t.into());
                let all = (0..self.region.width).map(number).collect();
                let vector = self.vector(index);
                let kind = ConstantKind::Aggregate(all);
                let numbers = self.out.constant(Constant { ty: vector, kind });
                let at = self.lanes(&reps[1]);
                let here = Op::ICmp(IntPred::Eq);
                let here = self.op(here, self.vector(Type::I1), &[at, numbers]);
                self.select(&Rep::Lanes(here), &reps[2], &reps[0], ty, Flags::NONE)
            }
            Horizontal::Compact => self.compact(data, reps),
            Horizontal::Reduce(op) => self.reduce(op, data.flags, &reps[0], ty),
        }
    }

    /// The operands of lanes that take part; others have `neutral`.
    fn taking_part(&mut self, rep: &Rep, neutral: bool) -> Value {
        let lanes = self.lanes(rep);
        let Some(mask) = self.mask else { return lanes };
        let ty = self.out.ty(lanes);
        let neutral = self.out.constant(Constant::int(ty, neutral.into()));
        self.op(Op::Select, ty, &[mask, lanes, neutral])
    }

    fn other_lane(&mut self, data: &InstData, reps: &[Rep]) -> Rep {
        let ty = data.ty;
        if let Rep::Uniform(at) = reps[1] {
            return Rep::Uniform(self.pick(&reps[0], ty, at, None));
        }
        let index = self.src.ty(data.args[1]);
        if let (Some(ahead), Some(bits @ ..=64)) =
            (self.lanes_ahead(data.args[1]), index.int_bits())
        {
            let number = |lane: u32| (i128::from(lane) + ahead) & ((1 << bits) - 1);
            let there = |lane: u32| number(lane) < self.region.width.into();
            let from = |lane| if there(lane) { number(lane) as i32 } else { -1 };
            let from: Vec<i32> = (0..self.region.width).map(from).collect();
            return self.shuffled(&reps[0], ty, &from);
        }
        let mut result: Option<Rep> = None;
        for lane in 0..self.region.width {
            let at = self.lane(&reps[1], index, lane);
            let value = self.pick(&reps[0], ty, at, None);
            let old = result.unwrap_or_else(|| self.nothing(ty));
            let place = self.int(Type::I64, lane.into());
            result = Some(self.with_lane(&old, ty, value, place));
        }
        result.expect("there is a lane")
    }

    /// How far ahead of the lane that asks a lane of this number is, if all lanes ask for one as far away; numbers may wrap around.
    fn lanes_ahead(&self, index: Value) -> Option<i128> {
        let data = &self.src[self.src.def_inst(index)?];
        let constant = |v: Value| self.src.as_constant(v)?.as_i128();
        match (&data.op, &data.args[..]) {
            (Op::Horizontal(Horizontal::Lane), _) => Some(0),
            (Op::Binary(BinOp::Add), &[x, by]) => self.lanes_ahead(x)?.checked_add(constant(by)?),
            (Op::Binary(BinOp::Sub), &[x, by]) => self.lanes_ahead(x)?.checked_sub(constant(by)?),
            _ => None,
        }
    }

    /// What the lanes of these numbers have; of the one of number −1 nothing is known.
    fn shuffled(&mut self, rep: &Rep, ty: Type, from: &[i32]) -> Rep {
        match rep {
            Rep::Uniform(_) => rep.clone(),
            Rep::Parts(parts) => {
                let elements = types::elements(&self.out, ty);
                let all = parts.iter().zip(elements);
                Rep::Parts(all.map(|(part, elem)| self.shuffled(part, elem, from)).collect())
            }
            Rep::Lanes(_) | Rep::Strided(..) => {
                let lanes = self.lanes(rep);
                let vector = self.out.ty(lanes);
                let poison = self.poison(vector);
                Rep::Lanes(self.op(Op::ShuffleVector(from.into()), vector, &[lanes, poison]))
            }
        }
    }

    /// Lane k gets the operand of the k-th lane whose flag is set.
    fn compact(&mut self, data: &InstData, reps: &[Rep]) -> Rep {
        let chosen = self.taking_part(&reps[1], false);
        self.compacted(&reps[0], data.ty, chosen)
    }

    fn compacted(&mut self, rep: &Rep, ty: Type, chosen: Value) -> Rep {
        let bits = ty.int_bits().or(ty.float_kind().map(|kind| kind.bits()));
        // LLVM 22 splits what takes several registers wrongly: it stores a part as if it were aligned, or loses it (SVE).
        let fits = bits.is_some_and(|bits| bits * self.region.width <= register_bits(&self.out));
        let has_size = Self::is_number(ty) && matches!(bits, Some(8 | 16 | 32 | 64)) && fits;
        if let Rep::Parts(parts) = rep {
            let elements = types::elements(&self.out, ty);
            let all = parts.iter().zip(elements);
            Rep::Parts(all.map(|(part, elem)| self.compacted(part, elem, chosen)).collect())
        } else if has_size && self.region.width.is_power_of_two() {
            let lanes = self.lanes(rep);
            let vector = self.out.ty(lanes);
            let bits = widest(&self.out.types, vector);
            allow_vectors(&mut self.out.attrs, bits);
            let args = [lanes, chosen, self.poison(vector)];
            let name = "llvm.experimental.vector.compress";
            Rep::Lanes(self.intrinsic(name, &[vector], vector, &args))
        } else {
            self.placed(rep, ty, chosen)
        }
    }

    /// The same, lane by lane: each that is chosen goes where the number of those before says.
    fn placed(&mut self, rep: &Rep, ty: Type, chosen: Value) -> Rep {
        let mut result = self.nothing(ty);
        let mut place = self.int(Type::I64, 0);
        for lane in 0..self.region.width {
            let value = self.lane(rep, ty, lane);
            let at = self.int(Type::I64, lane.into());
            let on = self.op(Op::ExtractElement, Type::I1, &[chosen, at]);
            let with = self.with_lane(&result, ty, value, place);
            let pick = Rep::Uniform(on);
            result = self.select(&pick, &with, &result, ty, Flags::NONE);
            let step = self.op(Op::Cast(lw_ir::ops::CastOp::ZExt), Type::I64, &[on]);
            place = self.op(Op::Binary(BinOp::Add), Type::I64, &[place, step]);
        }
        result
    }

    fn reduce(&mut self, op: ReduceOp, flags: Flags, rep: &Rep, ty: Type) -> Rep {
        if !Self::is_number(ty) {
            let elements = types::elements(&self.out, ty);
            let parts = self.parts(rep, ty);
            let mut all = Vec::new();
            for (part, &elem) in parts.iter().zip(&elements) {
                all.push(self.reduce(op, Flags::NONE, part, elem));
            }
            return Rep::Parts(all);
        }
        let mut lanes = self.lanes(rep);
        let vector = self.out.ty(lanes);
        if let Some(mask) = self.mask {
            let neutral = self.out.constant(neutral(op, ty));
            let neutral = self.splat(neutral);
            lanes = self.op(Op::Select, vector, &[mask, lanes, neutral]);
        }
        let name = format!("llvm.vector.reduce.{}", op.name());
        match op {
            ReduceOp::FAdd | ReduceOp::FMul => {
                let start = self.out.constant(neutral(op, ty));
                let (_, sig, callee) = self.declare(&name, &[vector], ty, &[start, lanes]);
                let attrs = self.out.attr_lists.empty();
                let call = Op::Call(Box::new(lw_ir::inst::CallInfo::new(sig, attrs)));
                let data = InstData::new(call, ty, &[callee, start, lanes]).with_flags(flags);
                Rep::Uniform(self.push(data).expect("it has a type"))
            }
            // The order matters for zeros of different sign.
            ReduceOp::FMin | ReduceOp::FMax => {
                let each = if op == ReduceOp::FMin { "llvm.minnum" } else { "llvm.maxnum" };
                let mut total = self.out.constant(neutral(op, ty));
                for lane in 0..self.region.width {
                    let x = self.lane(&Rep::Lanes(lanes), ty, lane);
                    total = self.intrinsic(each, &[ty], ty, &[total, x]);
                }
                Rep::Uniform(total)
            }
            _ => Rep::Uniform(self.intrinsic(&name, &[vector], ty, &[lanes])),
        }
    }
}

/// What a reduction does not notice.
pub(crate) fn neutral(op: ReduceOp, ty: Type) -> Constant {
    let bits = ty.int_bits().unwrap_or(32);
    let all = |fill: u8| {
        let words = vec![u64::from_le_bytes([fill; 8]); bits.div_ceil(64) as usize];
        Bits::from_words(bits, &words)
    };
    let int = |bits: Bits| Constant { ty, kind: ConstantKind::Int(bits) };
    let float = |bits: u128| {
        let width = ty.float_kind().map_or(32, |kind| kind.bits());
        Constant { ty, kind: ConstantKind::Float(Bits::new(width, bits)) }
    };
    match op {
        ReduceOp::Add | ReduceOp::Or | ReduceOp::Xor | ReduceOp::UMax => Constant::int(ty, 0),
        ReduceOp::Mul => Constant::int(ty, 1),
        ReduceOp::And | ReduceOp::UMin => int(all(0xff)),
        ReduceOp::SMin => int(signed_extreme(bits, false)),
        ReduceOp::SMax => int(signed_extreme(bits, true)),
        ReduceOp::FAdd => float(match ty.float_kind() {
            Some(kind) => 1 << (kind.bits() - 1),
            None => 0,
        }),
        ReduceOp::FMul => float(one(ty.float_kind())),
        ReduceOp::FMin | ReduceOp::FMax => float(nan(ty.float_kind())),
    }
}

/// The least or the greatest signed integer.
fn signed_extreme(bits: u32, least: bool) -> Bits {
    let mut words = vec![if least { 0 } else { u64::MAX }; bits.div_ceil(64) as usize];
    let (word, bit) = ((bits - 1) as usize / 64, (bits - 1) % 64);
    words[word] ^= 1 << bit;
    Bits::from_words(bits, &words)
}

fn one(kind: Option<FloatKind>) -> u128 {
    match kind {
        Some(FloatKind::Half) => 0x3c00,
        Some(FloatKind::BFloat) => 0x3f80,
        Some(FloatKind::Double | FloatKind::PpcFp128) => 0x3ff0 << 48,
        Some(FloatKind::X86Fp80) => 0x3fff << 64 | 1 << 63,
        Some(FloatKind::Fp128) => 0x3fff << 112,
        _ => 0x3f80_0000,
    }
}

fn nan(kind: Option<FloatKind>) -> u128 {
    match kind {
        Some(FloatKind::Half) => 0x7e00,
        Some(FloatKind::BFloat) => 0x7fc0,
        Some(FloatKind::Double | FloatKind::PpcFp128) => 0x7ff8 << 48,
        Some(FloatKind::X86Fp80) => 0x7fff << 64 | 0b11 << 62,
        Some(FloatKind::Fp128) => 0x7fff_8000 << 96,
        _ => 0x7fc0_0000,
    }
}
