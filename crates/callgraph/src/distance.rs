//! How far a pointer is moved: exactly, or up to multiples of something.
//!
//! `base + 24 * i + 8` lies somewhere, but in an array of structs of 24 bytes it is always the same field. So of a number that is not constant
//! its remainder is found, as long as nothing wraps: in 64 bits `24 * i` can be any multiple of 8.

use lw_ir::ops::{BinOp, CastOp};
use lw_ir::types::{CompoundData, Types};
use lw_ir::{ConstantKind, DataLayout, Flags, Function, Op, Type, Value, ValueDef};

/// How many steps back a number is looked at, and how many in all.
const DEPTH: usize = 8;
const STEPS: usize = 100;
/// How often a φ is looked at until it is given up.
const ROUNDS: usize = 4;

/// A number: `by`, plus any multiple of `every`. No multiple at all if that is 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Distance {
    pub(crate) by: i64,
    pub(crate) every: u64,
}

impl Distance {
    /// Any number.
    pub(crate) const ANY: Distance = Distance { by: 0, every: 1 };

    pub(crate) const fn exactly(by: i64) -> Distance {
        Distance { by, every: 0 }
    }

    /// The number, if there is only one.
    pub(crate) fn constant(self) -> Option<i64> {
        (self.every == 0).then_some(self.by)
    }

    fn new(by: i64, every: u64) -> Distance {
        match i64::try_from(every) {
            Ok(0) => Distance::exactly(by),
            Ok(step) => Distance { by: by.rem_euclid(step), every },
            Err(_) => Distance::ANY,
        }
    }

    fn plus(self, other: Distance) -> Distance {
        match self.by.checked_add(other.by) {
            Some(by) => Distance::new(by, gcd(self.every, other.every)),
            None => Distance::ANY,
        }
    }

    fn times(self, factor: i64) -> Distance {
        let every = self.every.checked_mul(factor.unsigned_abs());
        match (self.by.checked_mul(factor), every) {
            (Some(by), Some(every)) => Distance::new(by, every),
            _ => Distance::ANY,
        }
    }

    /// One or the other.
    fn or(self, other: Distance) -> Distance {
        let apart = self.by.abs_diff(other.by);
        Distance::new(self.by, gcd(gcd(self.every, other.every), apart))
    }

    /// The same bits, so many of them, without a sign.
    fn unsigned(self, bits: u32) -> Distance {
        match self.every {
            0 if self.by < 0 => Distance::ANY,
            _ => self.wrapped(bits),
        }
    }

    /// What is left of it in so many bits.
    fn wrapped(self, bits: u32) -> Distance {
        let limit = 1i128 << bits.clamp(1, 64).saturating_sub(1);
        match self.every {
            0 if (-limit..limit).contains(&i128::from(self.by)) => self,
            0 => Distance::ANY,
            every => Distance::new(self.by, 1 << every.trailing_zeros().min(bits).min(62)),
        }
    }
}

pub(crate) fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The distance of an address computation, whose indices are given as numbers.
pub(crate) fn of_gep(
    types: &Types,
    layout: &DataLayout,
    elem: Type,
    indices: usize,
    mut index: impl FnMut(usize) -> Distance,
) -> Distance {
    let mut ty = elem;
    let mut sum = Distance::exactly(0);
    for at in 0..indices {
        let number = index(at);
        let scaled = |size: Option<u64>| {
            let size = size.and_then(|size| i64::try_from(size).ok());
            size.map_or(Distance::ANY, |size| number.times(size))
        };
        let step = match (ty, types.compound(ty)) {
            _ if at == 0 => scaled(layout.alloc_size(types, elem)),
            (_, Some(CompoundData::Array { elem, .. })) => {
                ty = *elem;
                scaled(layout.alloc_size(types, ty))
            }
            (Type::Vector(scalar, _), _) => {
                ty = Type::Scalar(scalar);
                scaled(layout.store_size(types, ty))
            }
            _ => match field(types, layout, ty, number) {
                Some((offset, inner)) => {
                    ty = inner;
                    Distance::exactly(offset)
                }
                None => return Distance::ANY,
            },
        };
        sum = sum.plus(step);
    }
    sum
}

fn field(types: &Types, layout: &DataLayout, ty: Type, number: Distance) -> Option<(i64, Type)> {
    let index = usize::try_from(number.constant()?).ok()?;
    let (offsets, _) = layout.struct_layout(types, ty)?;
    let offset = i64::try_from(*offsets.get(index)?).ok()?;
    Some((offset, types.element(ty, index as u64)?))
}

/// What is known of an integer, read as signed.
pub(crate) fn of_value(function: &Function, value: Value) -> Distance {
    let mut numbers = Numbers { function, phis: Vec::new(), steps: STEPS };
    numbers.number(value, DEPTH).unwrap_or(Distance::ANY)
}

struct Numbers<'f> {
    function: &'f Function,
    /// The φs that are being looked at, and what is known of them so far.
    phis: Vec<(Value, Option<Distance>)>,
    /// How many steps are left.
    steps: usize,
}

impl Numbers<'_> {
    /// `None`: no number has been seen yet.
    fn number(&mut self, value: Value, depth: usize) -> Option<Distance> {
        let function = self.function;
        if let Some(constant) = function.as_constant(value) {
            let number = match constant.kind {
                ConstantKind::Zero => Some(0),
                _ => constant.as_i128(),
            };
            let number = number.and_then(|number| i64::try_from(number).ok());
            return Some(number.map_or(Distance::ANY, Distance::exactly));
        }
        let ValueDef::Inst(inst) = function.def(value) else { return Some(Distance::ANY) };
        if depth == 0 || self.steps == 0 {
            return Some(Distance::ANY);
        }
        self.steps -= 1;
        let data = &function[*inst];
        let bits = |value: Value| function.ty(value).int_bits();
        let Some(width) = bits(value) else { return Some(Distance::ANY) };
        let mut operand = |at: usize| self.number(data.args[at], depth - 1);
        let (result, exact) = match data.op {
            Op::Binary(BinOp::Add) => (operand(0)?.plus(operand(1)?), Flags::NSW),
            Op::Binary(BinOp::Or) if data.flags.contains(Flags::DISJOINT) => {
                (operand(0)?.plus(operand(1)?), Flags::NONE)
            }
            Op::Binary(BinOp::Sub) => (operand(0)?.plus(operand(1)?.times(-1)), Flags::NSW),
            Op::Binary(BinOp::Mul) => {
                let (a, b) = (operand(0)?, operand(1)?);
                let product = match (a.constant(), b.constant()) {
                    (_, Some(factor)) => a.times(factor),
                    (Some(factor), None) => b.times(factor),
                    (None, None) => Distance::ANY,
                };
                (product, Flags::NSW)
            }
            Op::Binary(BinOp::Shl) => match operand(1)?.constant() {
                Some(by @ 0..=61) => (operand(0)?.times(1 << by), Flags::NSW),
                _ => (Distance::ANY, Flags::NONE),
            },
            Op::Cast(CastOp::SExt) => (operand(0)?, Flags::NONE),
            Op::Cast(CastOp::ZExt) => {
                let from = bits(data.args[0]).unwrap_or(0);
                let inner = operand(0)?;
                let plain = data.flags.contains(Flags::NNEG);
                (if plain { inner } else { inner.unsigned(from) }, Flags::NONE)
            }
            Op::Cast(CastOp::Trunc) => (operand(0)?, Flags::NSW),
            Op::Select => {
                let (a, b) = (operand(1), operand(2));
                return either(a, b);
            }
            Op::Phi => return self.phi(value, &data.args, depth - 1),
            _ => (Distance::ANY, Flags::NONE),
        };
        Some(if data.flags.contains(exact) { result } else { result.wrapped(width) })
    }

    /// What goes around in a loop is a multiple of what is added each time.
    fn phi(&mut self, value: Value, args: &[Value], depth: usize) -> Option<Distance> {
        if let Some((_, known)) = self.phis.iter().find(|(phi, _)| *phi == value) {
            return *known;
        }
        let mut known = None;
        for _ in 0..ROUNDS {
            self.phis.push((value, known));
            let mut all = known;
            for arg in args {
                let one = self.number(*arg, depth);
                all = either(all, one);
            }
            self.phis.pop();
            if all == known {
                return known;
            }
            known = all;
        }
        Some(Distance::ANY)
    }
}

fn either(a: Option<Distance>, b: Option<Distance>) -> Option<Distance> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.or(b)),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is known of `%x`.
    fn of(lines: &str) -> Distance {
        let text = format!("func @f(i64 %i, i32 %n, i1 %c) -> i64 {{\nentry:\n{lines}\n}}\n");
        let module = lw_ir::parse_module(&text).expect("good text");
        let function = &module.functions[0];
        let ret = function.all_insts().find(|(_, inst)| matches!(function[*inst].op, Op::Ret));
        let (_, ret) = ret.expect("a return");
        of_value(function, function[ret].args[0])
    }

    #[test]
    fn multiples_have_remainders() {
        let known = |by, every| Distance { by, every };
        let x = "%m = mul nsw i64 %i, 24\n  %x = add nsw i64 %m, 8\n  ret i64 %x";
        assert_eq!(of(x), known(8, 24));
        let x = "%m = shl nsw i64 %i, 4\n  %x = sub nsw i64 %m, 8\n  ret i64 %x";
        assert_eq!(of(x), known(8, 16));
        let x = "%m = mul nsw i32 %n, 24\n  %x = sext i32 %m to i64\n  ret i64 %x";
        assert_eq!(of(x), known(0, 24));
        let x = "%a = mul nsw i64 %i, 24\n  %b = mul nsw i64 %i, 36\n  %x = select i1 %c, i64 %a, i64 %b\n  ret i64 %x";
        assert_eq!(of(x), known(0, 12));
    }

    #[test]
    fn what_wraps_keeps_powers_of_two() {
        let known = |by, every| Distance { by, every };
        let x = "%x = mul i64 %i, 24\n  ret i64 %x";
        assert_eq!(of(x), known(0, 8));
        let x = "%m = mul nsw i32 %n, 24\n  %x = zext i32 %m to i64\n  ret i64 %x";
        assert_eq!(of(x), known(0, 8));
        let x = "%m = mul nsw i64 %i, 24\n  %x = freeze i64 %m\n  ret i64 %x";
        assert_eq!(of(x), Distance::ANY);
    }

    #[test]
    fn loops_go_in_steps() {
        let x = "br label %head\nhead:\n  %x = phi i64 [ 8, %entry ], [ %y, %head ]\n  %y = add nsw i64 %x, 24\n  %z = icmp slt i64 %y, 99\n  br i1 %z, label %head, label %done\ndone:\n  ret i64 %x";
        assert_eq!(of(x), Distance { by: 8, every: 24 });
    }
}
