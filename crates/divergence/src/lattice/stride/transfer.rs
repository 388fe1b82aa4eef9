//! The transformers of 001 §10.4, and those it leaves to the reader.

use super::compare::{compare, unsigned_spread};
use super::{Stride, gcd, make, power_of_two, signed, spread, vary};
use crate::lattice::{Kind, Lattice, Operand, Operation, frozen, generic};
use lw_ir::Flags;
use lw_ir::ops::{BinOp, CastOp};

/// What an operation knows beside its operands.
#[derive(Clone, Copy)]
struct At {
    bits: u32,
    threads: Option<u32>,
}

pub(super) fn transfer(operation: &Operation<'_, Stride>) -> Stride {
    let args = operation.args;
    let threads = operation.threads;
    let at = operation.bits.map(|bits| At { bits, threads });
    let shape = match (operation.kind, at) {
        (Kind::Binary(op), Some(at)) => at.binary(op, operation.flags, &args[0], &args[1]),
        (Kind::Compare(pred), _) => match args[0].bits {
            Some(bits) => compare(pred, bits, &args[0], &args[1], threads),
            None => generic(args),
        },
        (Kind::Cast(op), Some(at)) => match args[0].bits {
            Some(from) => at.cast(op, operation.flags, from, &args[0].shape),
            None => generic(args),
        },
        (Kind::Select, _) => {
            let mut both = args[1].shape;
            both.join(&args[2].shape);
            if args[0].shape.is_uniform() { both } else { both.scatter() }
        }
        (Kind::Freeze, _) => frozen(&args[0].shape, args[0].shape.partial()),
        (Kind::Address { offset, scales }, Some(at)) => at.address(offset, scales, args),
        _ => generic(args),
    };
    let may_break = !operation.flags.without(Flags::FAST).is_empty()
        || matches!(operation.kind, Kind::Binary(BinOp::Shl | BinOp::LShr | BinOp::AShr))
            && args[1].constant.is_none();
    let differing = args.iter().any(|arg| !arg.shape.is_uniform());
    let partial = args.iter().any(|arg| arg.shape.partial()) || may_break && differing;
    shape.with_partial(partial)
}

impl At {
    fn make(self, stride: i128, align: u128, full: bool) -> Stride {
        make(self.bits, stride, align, full, self.threads)
    }

    fn uniform(self, align: u128) -> Stride {
        self.make(0, align, true)
    }

    fn binary(self, op: BinOp, flags: Flags, x: &Operand<Stride>, y: &Operand<Stride>) -> Stride {
        let nsw = flags.contains(Flags::NSW);
        let unsigned = |operand: &Operand<Stride>| operand.constant.filter(|&c| c != 0);
        let shift = y.constant.filter(|&c| c < self.bits.into()).map(|c| 1u128 << c);
        match op {
            BinOp::Add => self.add(&x.shape, &y.shape, 1, nsw),
            BinOp::Sub => self.add(&x.shape, &y.shape, -1, nsw),
            BinOp::Mul => match (self.number(x), self.number(y)) {
                (_, Some(c)) => self.scale(&x.shape, c, nsw),
                (Some(c), _) => self.scale(&y.shape, c, nsw),
                _ => self.product(&x.shape, &y.shape, nsw),
            },
            BinOp::Shl => match shift {
                Some(factor) => self.scale(&x.shape, factor as i128, nsw),
                None => self.product(&x.shape, &y_as_factor(&y.shape), false),
            },
            BinOp::UDiv => match unsigned(y) {
                Some(c) => self.divide_unsigned(&x.shape, c.into()),
                None => generic(&[x.clone(), y.clone()]),
            },
            BinOp::LShr => match shift {
                Some(factor) => self.divide_unsigned(&x.shape, factor),
                None => generic(&[x.clone(), y.clone()]),
            },
            BinOp::SDiv => match self.number(y).filter(|&c| c != 0) {
                Some(c) => self.divide_signed(&x.shape, c),
                None => generic(&[x.clone(), y.clone()]),
            },
            BinOp::AShr => match shift {
                Some(factor) => self.divide_floor(&x.shape, factor),
                None => generic(&[x.clone(), y.clone()]),
            },
            BinOp::URem => match unsigned(y) {
                Some(c) => self.remainder(&x.shape, c.into()),
                None => generic(&[x.clone(), y.clone()]),
            },
            BinOp::SRem => {
                let align = match self.number(y) {
                    Some(c) => gcd(x.shape.lane_align(), c.unsigned_abs()),
                    None => 1,
                };
                self.each(x.shape.is_uniform() && y.shape.is_uniform(), align)
            }
            BinOp::And => match (x.constant, y.constant) {
                (_, Some(mask)) => self.and(&x.shape, mask.into()),
                (Some(mask), _) => self.and(&y.shape, mask.into()),
                _ => self.bitwise(x, y, u128::max),
            },
            BinOp::Or if flags.contains(Flags::DISJOINT) => self.add(&x.shape, &y.shape, 1, true),
            BinOp::Or | BinOp::Xor => match (x.constant, y.constant) {
                (_, Some(c)) => self.or_xor(op, x, y, c.into()),
                (Some(c), _) => self.or_xor(op, y, x, c.into()),
                _ => self.bitwise(x, y, low_bits),
            },
            _ => generic(&[x.clone(), y.clone()]),
        }
    }

    /// A constant as a signed number.
    fn number(self, operand: &Operand<Stride>) -> Option<i128> {
        operand.constant.map(|c| signed(self.bits, c.into()))
    }

    /// Uniform or varying with an alignment of each lane as a signed number.
    fn each(self, uniform: bool, align: u128) -> Stride {
        if uniform { self.uniform(align) } else { vary(self.bits, align, true) }
    }

    /// `x + sign · y`.
    fn add(self, x: &Stride, y: &Stride, sign: i128, nsw: bool) -> Stride {
        match (*x, *y) {
            (x, Stride::Strided { stride: 0, align: 0, .. }) => x,
            (
                Stride::Strided { stride: s, align: a, exact: e, .. },
                Stride::Strided { stride: t, align: b, exact: f, .. },
            ) => self.make(i128::from(s) + sign * i128::from(t), gcd(a, b), nsw && e && f),
            (x, y) => vary(self.bits, gcd(x.lane_align(), y.lane_align()), nsw),
        }
    }

    /// `factor · x`.
    fn scale(self, x: &Stride, factor: i128, nsw: bool) -> Stride {
        let size = factor.unsigned_abs();
        match *x {
            _ if factor == 0 => self.uniform(0),
            x if factor == 1 => x,
            Stride::Strided { stride, align, exact, .. } => {
                let align = self.times(align, size);
                self.make(i128::from(stride) * factor, align, nsw && exact)
            }
            x => vary(self.bits, self.times(x.lane_align(), size), nsw),
        }
    }

    fn product(self, x: &Stride, y: &Stride, nsw: bool) -> Stride {
        let align = self.times(x.lane_align(), y.lane_align());
        if x.is_uniform() && y.is_uniform() {
            self.make(0, align, nsw)
        } else {
            vary(self.bits, align, nsw)
        }
    }

    /// The alignment of a product: what is too large for a number here is a multiple of its power of two.
    fn times(self, a: u128, b: u128) -> u128 {
        a.checked_mul(b).unwrap_or_else(|| {
            let zeros = (a.trailing_zeros() + b.trailing_zeros()).min(self.bits);
            1 << zeros
        })
    }

    /// `udiv` by a constant, and `lshr`.
    fn divide_unsigned(self, x: &Stride, c: u128) -> Stride {
        if c == 1 {
            return *x;
        }
        match unsigned_spread(self.bits, x, self.threads) {
            Some((stride, align)) if align.is_multiple_of(c) => {
                self.quotients(stride, align, c, false)
            }
            Some((0, _)) => self.uniform(1),
            _ => {
                let align = power_of_two(x.lane_align());
                let align = if align.is_multiple_of(c) { align / c } else { 1 };
                vary(self.bits, align, true)
            }
        }
    }

    /// (B + s·t) / c rounded down, for c that divides B: a line if c divides s, one number if no lane reaches the next.
    fn quotients(self, stride: i128, align: u128, c: u128, full: bool) -> Stride {
        let (s, c) = (stride, c as i128);
        if s % c == 0 {
            self.make(s / c, align / c as u128, full)
        } else if spread(s, self.threads).is_some_and(|spread| spread < c as u128) {
            self.uniform(align / c as u128)
        } else {
            Stride::varying()
        }
    }

    /// `sdiv` by a constant, which rounds towards zero.
    fn divide_signed(self, x: &Stride, c: i128) -> Stride {
        let size = c.unsigned_abs();
        match *x {
            Stride::Strided { stride, align, exact: true, .. }
                if align.is_multiple_of(size) && i128::from(stride) % c == 0 =>
            {
                self.make(i128::from(stride) / c, align / size, true)
            }
            Stride::Strided { stride: 0, .. } => self.uniform(1),
            Stride::Strided { stride, align: 0, exact: true, .. }
                if spread(i128::from(stride).abs(), self.threads).is_some_and(|s| s < size) =>
            {
                self.uniform(0)
            }
            x => {
                let align = x.lane_align();
                let align = if align.is_multiple_of(size) { align / size } else { 1 };
                vary(self.bits, align, true)
            }
        }
    }

    /// `ashr`, which rounds down.
    fn divide_floor(self, x: &Stride, c: u128) -> Stride {
        match *x {
            Stride::Strided { stride, align, exact: true, .. } if align.is_multiple_of(c) => {
                self.quotients(stride.into(), align, c, true)
            }
            Stride::Strided { stride: 0, .. } => self.uniform(1),
            x => {
                let align = x.lane_align();
                let align = if align.is_multiple_of(c) { align / c } else { 1 };
                vary(self.bits, align, true)
            }
        }
    }

    /// `urem` by a constant.
    fn remainder(self, x: &Stride, c: u128) -> Stride {
        if let Some((stride, align)) = unsigned_spread(self.bits, x, self.threads)
            && align.is_multiple_of(c)
        {
            if stride % c as i128 == 0 {
                return self.uniform(0);
            }
            if spread(stride, self.threads).is_some_and(|spread| spread < c) {
                return self.make(stride, 0, false);
            }
        }
        let align = gcd(power_of_two(x.lane_align()), c);
        self.each(x.is_uniform(), if align == c { 0 } else { power_of_two(align) })
    }

    fn and(self, x: &Stride, mask: u128) -> Stride {
        let all = (1u128 << self.bits) - 1;
        let low = mask + 1;
        let cleared = (!mask & all) + 1;
        if mask == all {
            return *x;
        }
        if low.is_power_of_two() {
            return self.remainder(x, low);
        }
        if cleared.is_power_of_two() {
            // Rounds down to a multiple.
            if x.lane_align().is_multiple_of(cleared) {
                return *x;
            }
            if let Some((stride, align)) = unsigned_spread(self.bits, x, self.threads)
                && align.is_multiple_of(cleared)
                && spread(stride, self.threads).is_some_and(|spread| spread < cleared)
            {
                return self.uniform(align);
            }
        }
        let align = power_of_two(x.lane_align());
        let align = if align == 0 { 0 } else { align.max(power_of_two(mask)) };
        self.each(x.is_uniform(), align)
    }

    /// An operator bit by bit, on alignments that are powers of two.
    fn bitwise(
        self,
        x: &Operand<Stride>,
        y: &Operand<Stride>,
        combine: fn(u128, u128) -> u128,
    ) -> Stride {
        let both = [&x.shape, &y.shape];
        let [a, b] = both.map(|shape| match power_of_two(shape.lane_align()) {
            0 => 1 << self.bits,
            align => align,
        });
        let uniform = both.iter().all(|shape| shape.is_uniform());
        self.each(uniform, power_of_two(combine(a, b)))
    }

    /// `or` or `xor` with a constant: an addition where the constant falls on bits that are zero.
    fn or_xor(self, op: BinOp, x: &Operand<Stride>, y: &Operand<Stride>, constant: u128) -> Stride {
        let zeros = power_of_two(x.shape.lane_align());
        if zeros == 0 || constant < zeros {
            return self.add(&x.shape, &y.shape, 1, true);
        }
        if op == BinOp::Xor {
            if constant == (1 << self.bits) - 1 {
                // ¬x = −1 − x.
                return self.add(&y.shape, &x.shape, -1, true);
            }
            if constant == 1 << (self.bits - 1) {
                return self.add(&x.shape, &y.shape, 1, false);
            }
        }
        self.bitwise(x, y, low_bits)
    }

    fn cast(self, op: CastOp, flags: Flags, from: u32, x: &Stride) -> Stride {
        match op {
            CastOp::Trunc => self.truncate(x),
            CastOp::SExt => self.extend_signed(x),
            CastOp::ZExt => self.extend_unsigned(from, flags.contains(Flags::NNEG), x),
            CastOp::PtrToInt | CastOp::PtrToAddr | CastOp::IntToPtr if self.bits < from => {
                self.truncate(x)
            }
            CastOp::PtrToInt | CastOp::PtrToAddr | CastOp::IntToPtr if self.bits > from => {
                self.extend_unsigned(from, false, x)
            }
            CastOp::PtrToInt | CastOp::PtrToAddr | CastOp::IntToPtr => *x,
            CastOp::BitCast if self.bits == from => *x,
            _ if x.is_uniform() => Stride::uniform(),
            _ => Stride::varying(),
        }
    }

    fn truncate(self, x: &Stride) -> Stride {
        match *x {
            Stride::Strided { stride, align, .. } => self.make(stride.into(), align, false),
            x => vary(self.bits, x.lane_align(), false),
        }
    }

    fn extend_signed(self, x: &Stride) -> Stride {
        match *x {
            Stride::Strided { stride, align, exact: true, .. } => {
                self.make(stride.into(), align, true)
            }
            x => vary(self.bits, x.lane_align(), true),
        }
    }

    fn extend_unsigned(self, from: u32, nneg: bool, x: &Stride) -> Stride {
        match *x {
            Stride::Strided { exact: true, .. } if nneg => self.extend_signed(x),
            Stride::Strided { stride: 0, align, .. } => self.uniform(power_of_two(align)),
            x => match unsigned_spread(from, &x, self.threads) {
                Some((stride, align)) => self.make(stride, align, true),
                None => vary(self.bits, x.lane_align(), nneg),
            },
        }
    }

    /// 001 §10.4.6: additions and multiplications of bytes.
    fn address(self, offset: i128, scales: &[i128], args: &[Operand<Stride>]) -> Stride {
        let constant = make(self.bits, 0, offset.unsigned_abs(), false, None);
        let mut sum = self.add(&args[0].shape, &constant, 1, false);
        for (index, &scale) in args[1..].iter().zip(scales) {
            let shape = match index.bits {
                Some(bits) if bits < self.bits => self.extend_signed(&index.shape),
                Some(bits) if bits > self.bits => self.truncate(&index.shape),
                Some(_) => index.shape,
                None if index.shape.is_uniform() => Stride::uniform(),
                None => Stride::varying(),
            };
            sum = self.add(&sum, &self.scale(&shape, scale, false), 1, false);
        }
        sum
    }
}

/// The alignment of `x | y` and `x ^ y`.
fn low_bits(a: u128, b: u128) -> u128 {
    a.min(b)
}

/// 2ʸ for an unknown y is a multiple of 1.
fn y_as_factor(y: &Stride) -> Stride {
    if y.is_uniform() { Stride::uniform() } else { Stride::varying() }
}
