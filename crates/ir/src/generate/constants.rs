//! Random constants and values: the limits of each type more often than the rest.

use super::Rng;
use crate::bits::Bits;
use crate::constant::{Constant, ConstantKind};
use crate::interp::{Val, canonical_nan};
use crate::types::{FloatKind, Scalar, Type, Types};

/// A random integer of `width` bits.
pub(super) fn int(rng: &mut Rng, width: u32) -> Bits {
    let words: Vec<u64> = (0..width.div_ceil(64)).map(|_| rng.next_u64()).collect();
    match rng.below(10) {
        0 => Bits::new(width, 0),
        1 => Bits::new(width, 1),
        2 => Bits::from_signed(width, -1),
        3 => power(width, width - 1),
        4 => {
            let mut all = Bits::from_signed(width, -1).words().to_vec();
            let top = (width - 1) as usize;
            all[top / 64] &= !(1 << (top % 64));
            Bits::from_words(width, &all)
        }
        5..=6 => Bits::from_signed(width, rng.below(33) as i128 - 16),
        7 => power(width, rng.below(width as usize) as u32),
        _ => Bits::from_words(width, &words),
    }
}

fn power(width: u32, bit: u32) -> Bits {
    let mut words = vec![0u64; width.div_ceil(64) as usize];
    words[bit as usize / 64] = 1 << (bit % 64);
    Bits::from_words(width, &words)
}

/// The bits of a random float that is no signalling NaN.
pub(super) fn float(rng: &mut Rng, kind: FloatKind) -> u128 {
    let sign = |bits: u128, rng: &mut Rng| bits | u128::from(rng.one_in(2)) << (kind.bits() - 1);
    if rng.one_in(12) {
        return sign(canonical_nan(kind), rng) | (rng.below(2) as u128 * 5);
    }
    // 0, 1, 1.5, 2.5, 3, a large one, the smallest, infinity.
    let table: [u128; 8] = match kind {
        FloatKind::Half => [0, 0x3c00, 0x3e00, 0x4100, 0x4200, 0x7bff, 1, 0x7c00],
        FloatKind::BFloat => [0, 0x3f80, 0x3fc0, 0x4020, 0x4040, 0x7f7f, 1, 0x7f80],
        FloatKind::Float => {
            if rng.one_in(2) {
                let x = match rng.below(3) {
                    0 => rng.below(2000) as f32 / 8.0,
                    1 => rng.below(1 << 30) as f32 * 3.7,
                    _ => 1.0 / (1.0 + rng.below(1000) as f32),
                };
                return sign(x.to_bits().into(), rng);
            }
            [0, 0x3f80_0000, 0x3fc0_0000, 0x4020_0000, 0x4040_0000, 0x7f7f_ffff, 1, 0x7f80_0000]
        }
        FloatKind::Double | FloatKind::PpcFp128 => {
            if rng.one_in(2) {
                let x = match rng.below(3) {
                    0 => rng.below(2000) as f64 / 8.0,
                    1 => rng.below(1 << 60) as f64 * 3.7,
                    _ => 1.0 / (1.0 + rng.below(1000) as f64),
                };
                return sign(x.to_bits().into(), rng);
            }
            [
                0,
                0x3ff0 << 48,
                0x3ff8 << 48,
                0x4004 << 48,
                0x4008 << 48,
                0x7fef_ffff_ffff_ffff,
                1,
                0x7ff0 << 48,
            ]
        }
        FloatKind::X86Fp80 => {
            let make = |exponent: u128, significand: u128| exponent << 64 | significand;
            [
                0,
                make(0x3fff, 0x8 << 60),
                make(0x3fff, 0xc << 60),
                make(0x4000, 0xa << 60),
                make(0x4000, 0xc << 60),
                make(0x7ffe, u128::from(u64::MAX)),
                make(0x3ff0, 0xdead_beef_0000_0001),
                make(0x7fff, 0x8 << 60),
            ]
        }
        FloatKind::Fp128 => [
            0,
            0x3fff << 112,
            0x3fff_8000 << 96,
            0x4000_4000 << 96,
            0x4000_8000 << 96,
            (0x7fff << 112) - 1,
            1,
            0x7fff << 112,
        ],
    };
    let range = if rng.one_in(4) { 8 } else { 5 };
    let pick = rng.below(range);
    sign(table[pick], rng)
}

/// A NaN of a type, in all lanes.
pub(super) fn nan(types: &Types, ty: Type) -> Option<Constant> {
    let kind = ty.float_kind()?;
    let bits = Bits::new(kind.bits(), canonical_nan(kind));
    let scalar = |ty| Constant { ty, kind: ConstantKind::Float(bits.clone()) };
    match ty {
        Type::Vector(elem, lanes) => {
            let all = vec![scalar(Type::Scalar(elem)); lanes.count as usize];
            Some(aggregate(types, ty, all))
        }
        _ => Some(scalar(ty)),
    }
}

/// A random constant of a type, in the form LLVM gives it.
pub(super) fn random(rng: &mut Rng, types: &Types, ty: Type) -> Constant {
    match ty {
        Type::Scalar(Scalar::Int(width)) => {
            Constant { ty, kind: ConstantKind::Int(int(rng, width)) }
        }
        Type::Scalar(Scalar::Float(kind)) => {
            let bits = Bits::new(kind.bits(), float(rng, kind));
            Constant { ty, kind: ConstantKind::Float(bits) }
        }
        Type::Vector(elem, lanes) => {
            let one = |rng: &mut Rng| random(rng, types, Type::Scalar(elem));
            let elements = if rng.one_in(3) {
                vec![one(rng); lanes.count as usize]
            } else {
                (0..lanes.count).map(|_| one(rng)).collect()
            };
            aggregate(types, ty, elements)
        }
        Type::Compound(_) => {
            let count = types.element_count(ty).unwrap_or(0);
            let part = |i: u64| types.element(ty, i).unwrap_or(Type::I8);
            let elements = (0..count).map(|i| random(rng, types, part(i))).collect();
            aggregate(types, ty, elements)
        }
        _ => Constant::zero(ty),
    }
}

/// The vector, array or struct of these elements, in the form LLVM gives it: zeros, undefined values and plain data
/// have forms of their own.
pub(super) fn aggregate(types: &Types, ty: Type, elements: Vec<Constant>) -> Constant {
    let all = |wanted: fn(&Constant) -> bool| elements.iter().all(wanted);
    if all(is_zero) {
        return Constant { ty, kind: ConstantKind::Zero };
    }
    if all(|e| e.kind == ConstantKind::Poison) {
        return Constant::poison(ty);
    }
    if all(|e| matches!(e.kind, ConstantKind::Undef)) {
        return Constant::undef(ty);
    }
    let is_struct = types.fields(ty).is_some();
    let plain = |e: &Constant| match (&e.kind, e.ty) {
        (ConstantKind::Int(bits), Type::Scalar(Scalar::Int(width @ (8 | 16 | 32 | 64)))) => {
            Some((bits.clone(), width))
        }
        (ConstantKind::Float(bits), Type::Scalar(Scalar::Float(kind))) if kind.bits() <= 64 => {
            Some((bits.clone(), kind.bits()))
        }
        _ => None,
    };
    let data: Option<Vec<(Bits, u32)>> = elements.iter().map(plain).collect();
    match data {
        Some(data) if !is_struct => {
            let bytes = data.iter().flat_map(|(bits, width)| {
                bits.words()[0].to_le_bytes().into_iter().take(*width as usize / 8)
            });
            Constant { ty, kind: ConstantKind::Data(bytes.collect()) }
        }
        _ => Constant { ty, kind: ConstantKind::Aggregate(elements.into()) },
    }
}

fn is_zero(constant: &Constant) -> bool {
    match &constant.kind {
        ConstantKind::Int(bits) | ConstantKind::Float(bits) => bits.is_zero(),
        ConstantKind::Zero => true,
        _ => false,
    }
}

/// A random value of a type, as an argument or as the content of memory.
pub(super) fn value(rng: &mut Rng, types: &Types, ty: Type) -> Val {
    match ty {
        Type::Scalar(Scalar::Int(width)) => Val::from_bits(width, int(rng, width)),
        Type::Scalar(Scalar::Float(kind)) => Val::Float(kind, float(rng, kind)),
        Type::Vector(elem, lanes) => {
            Val::elems((0..lanes.count).map(|_| value(rng, types, Type::Scalar(elem))))
        }
        Type::Compound(_) => {
            let count = types.element_count(ty).unwrap_or(0);
            let part = |i: u64| types.element(ty, i).unwrap_or(Type::I8);
            Val::elems((0..count).map(|i| value(rng, types, part(i))))
        }
        _ => Val::address(0),
    }
}
