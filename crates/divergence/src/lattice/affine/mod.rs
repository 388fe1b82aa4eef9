//! Affine shapes in the numbers of the thread, of degree one and two (002 §3.4).
//!
//! A shape is a polynomial in up to three thread numbers x, y, z. Each coefficient is a known integer, or unknown but the same for
//! all threads; of the highest degree only known ones are allowed. A value is uniform if the polynomial is constant.
//!
//! ```text
//! degree 1:  4·x + ?        degree 2:  x² + ?·x + 3
//! ```
//!
//! As in [`Stride`](super::stride), polynomials describe machine integers modulo 2ⁿ, or, if they are *exact*, signed values in ℤ.

mod display;
mod solve;

use super::{Kind, Lattice, Operand, Operation, frozen, generic};
use crate::targets::{Number, Plus};
use lw_ir::Flags;
use lw_ir::ops::{BinOp, CastOp, IntPred};
use solve::solvable;

/// The products of thread numbers up to degree two, by their exponents.
const MONOMIALS: [[u32; 3]; 10] = [
    [0, 0, 0],
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [2, 0, 0],
    [1, 1, 0],
    [1, 0, 1],
    [0, 2, 0],
    [0, 1, 1],
    [0, 0, 2],
];

/// The numbers of a thread: x, y, z.
pub type Thread = [u32; 3];

fn degree(monomial: usize) -> u32 {
    MONOMIALS[monomial].iter().sum()
}

/// The product of two of them; `None` if its degree is too high.
fn product(a: usize, b: usize) -> Option<usize> {
    let sum = [0, 1, 2].map(|i| MONOMIALS[a][i] + MONOMIALS[b][i]);
    MONOMIALS.iter().position(|m| *m == sum)
}

/// A polynomial in the thread numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Polynomial {
    /// By monomial; 0 where unknown.
    known: [i64; 10],
    /// A bit for each monomial whose coefficient is unknown.
    unknown: u16,
    exact: bool,
    partial: bool,
}

/// A shape of degree at most `DEGREE`, which is 1 or 2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Affine<const DEGREE: u32> {
    /// ⊥: no value was seen.
    Bottom,
    /// A polynomial in the numbers of the thread.
    Polynomial(Polynomial),
    /// Anything.
    Varying,
}

fn signed(bits: u32, value: i128) -> i128 {
    let shift = 128 - bits;
    value << shift >> shift
}

impl Polynomial {
    fn constant(known: Option<i64>) -> Polynomial {
        let mut polynomial = Polynomial { known: [0; 10], unknown: 0, exact: true, partial: false };
        match known {
            Some(value) => polynomial.known[0] = value,
            None => polynomial.unknown = 1,
        }
        polynomial
    }

    fn is_unknown(&self, monomial: usize) -> bool {
        self.unknown >> monomial & 1 == 1
    }

    fn is_zero(&self, monomial: usize) -> bool {
        self.known[monomial] == 0 && !self.is_unknown(monomial)
    }

    fn is_constant(&self) -> bool {
        (1..10).all(|m| self.is_zero(m))
    }
}

impl<const DEGREE: u32> Affine<DEGREE> {
    /// The number of the thread in one of three dimensions.
    ///
    /// # Panics
    /// If there is no such dimension.
    pub fn thread(dimension: usize) -> Self {
        let mut polynomial = Polynomial::constant(Some(0));
        polynomial.known[1 + dimension] = 1;
        Affine::Polynomial(polynomial)
    }

    /// The coefficient of the number of the thread in a dimension, if it is known and the shape is affine.
    pub fn slope(&self, dimension: usize) -> Option<i64> {
        match self {
            Affine::Polynomial(p) if (4..10).all(|m| p.is_zero(m)) => {
                (!p.is_unknown(1 + dimension)).then_some(p.known[1 + dimension])
            }
            _ => None,
        }
    }

    /// The shape with these coefficients in its normal form. `full`: it holds in ℤ.
    fn make(bits: u32, sums: &[i128; 10], unknown: u16, full: bool) -> Self {
        let mut p = Polynomial { known: [0; 10], unknown, exact: full, partial: false };
        for (monomial, &sum) in sums.iter().enumerate() {
            if p.is_unknown(monomial) {
                continue;
            }
            let wrapped = signed(bits, sum);
            p.exact &= wrapped == sum;
            p.known[monomial] = wrapped as i64;
        }
        for monomial in 0..10 {
            let degree = degree(monomial);
            let beyond = degree > DEGREE && !p.is_zero(monomial);
            if beyond || degree == DEGREE && p.is_unknown(monomial) {
                return Affine::Varying;
            }
        }
        p.exact |= p.is_constant();
        Affine::Polynomial(p)
    }

    fn with_partial(self, also: bool) -> Self {
        match self {
            Affine::Polynomial(p) => {
                Affine::Polynomial(Polynomial { partial: p.partial || also, ..p })
            }
            other => other,
        }
    }

    fn partial(&self) -> bool {
        match self {
            Affine::Bottom => false,
            Affine::Polynomial(p) => p.partial,
            Affine::Varying => true,
        }
    }

    /// `x + sign · y`.
    fn add(bits: u32, x: &Self, y: &Self, sign: i128, nsw: bool) -> Self {
        let (Affine::Polynomial(x), Affine::Polynomial(y)) = (x, y) else { return Affine::Varying };
        let sum = |m: usize| i128::from(x.known[m]) + sign * i128::from(y.known[m]);
        let sums = std::array::from_fn(sum);
        Self::make(bits, &sums, x.unknown | y.unknown, nsw && x.exact && y.exact)
    }

    fn multiply(bits: u32, x: &Self, y: &Self, nsw: bool) -> Self {
        let (Affine::Polynomial(x), Affine::Polynomial(y)) = (x, y) else { return Affine::Varying };
        let (mut sums, mut unknown) = ([0i128; 10], 0);
        for a in (0..10).filter(|&m| !x.is_zero(m)) {
            for b in (0..10).filter(|&m| !y.is_zero(m)) {
                let Some(m) = product(a, b) else { return Affine::Varying };
                if x.is_unknown(a) || y.is_unknown(b) {
                    unknown |= 1 << m;
                } else {
                    sums[m] += i128::from(x.known[a]) * i128::from(y.known[b]);
                }
            }
        }
        Self::make(bits, &sums, unknown, nsw && x.exact && y.exact)
    }

    fn number(value: i128) -> Self {
        Affine::Polynomial(Polynomial::constant(i64::try_from(value).ok()))
    }

    fn binary(bits: u32, op: BinOp, flags: Flags, x: &Operand<Self>, y: &Operand<Self>) -> Self {
        let nsw = flags.contains(Flags::NSW);
        let all = (1u128 << bits) - 1;
        let is = |operand: &Operand<Self>, c: u128| operand.constant.map(u128::from) == Some(c);
        match (op, y.constant) {
            (BinOp::Add, _) => Self::add(bits, &x.shape, &y.shape, 1, nsw),
            (BinOp::Sub, _) => Self::add(bits, &x.shape, &y.shape, -1, nsw),
            (BinOp::Mul, _) => Self::multiply(bits, &x.shape, &y.shape, nsw),
            (BinOp::Or, _) if flags.contains(Flags::DISJOINT) => {
                Self::add(bits, &x.shape, &y.shape, 1, true)
            }
            (BinOp::Xor, _) if is(y, all) => Self::add(bits, &y.shape, &x.shape, -1, true),
            (BinOp::Xor, _) if is(x, all) => Self::add(bits, &x.shape, &y.shape, -1, true),
            (BinOp::Shl, Some(c)) if c < u64::from(bits) => match &x.shape {
                Affine::Polynomial(p) => {
                    let sums = p.known.map(|known| i128::from(known) << c);
                    Self::make(bits, &sums, p.unknown, nsw && p.exact)
                }
                other => *other,
            },
            _ => generic(&[x.clone(), y.clone()]),
        }
    }

    fn compare(bits: u32, pred: IntPred, x: &Self, y: &Self) -> Self {
        let (Affine::Polynomial(p), Affine::Polynomial(q)) = (x, y) else { return Affine::Varying };
        let difference = match Self::add(bits, x, y, -1, false) {
            Affine::Polynomial(difference) => difference,
            _ => return Affine::Varying,
        };
        let uniform = match pred {
            _ if p.is_constant() && q.is_constant() => true,
            IntPred::Eq | IntPred::Ne => difference.is_constant(),
            IntPred::Sgt | IntPred::Sge | IntPred::Slt | IntPred::Sle => {
                difference.is_constant() && p.exact && q.exact
            }
            _ => false,
        };
        if uniform { Self::uniform() } else { Affine::Varying }
    }

    fn cast(bits: u32, op: CastOp, nneg: bool, from: u32, x: &Self) -> Self {
        let Affine::Polynomial(p) = x else { return *x };
        let sums = p.known.map(i128::from);
        let widened = |full: bool| Self::make(bits, &sums, p.unknown, full);
        let address = matches!(op, CastOp::PtrToInt | CastOp::PtrToAddr | CastOp::IntToPtr);
        match op {
            _ if bits < from && (address || op == CastOp::Trunc) => widened(false),
            _ if bits == from && (address || op == CastOp::BitCast) => *x,
            CastOp::SExt if p.exact => widened(true),
            CastOp::ZExt if p.exact && nneg => widened(true),
            CastOp::ZExt if p.is_constant() && p.unknown == 0 && p.known[0] >= 0 => widened(true),
            _ if p.is_constant() => Self::uniform(),
            _ => Affine::Varying,
        }
    }

    fn address(bits: u32, offset: i128, scales: &[i128], args: &[Operand<Self>]) -> Self {
        let mut sum = Self::add(bits, &args[0].shape, &Self::number(offset), 1, false);
        for (index, &scale) in args[1..].iter().zip(scales) {
            let shape = match index.bits {
                Some(from) if from < bits => {
                    Self::cast(bits, CastOp::SExt, false, from, &index.shape)
                }
                Some(from) if from > bits => {
                    Self::cast(bits, CastOp::Trunc, false, from, &index.shape)
                }
                Some(_) => index.shape,
                None if index.shape.is_uniform() => Self::uniform(),
                None => Affine::Varying,
            };
            let scaled = Self::multiply(bits, &shape, &Self::number(scale), false);
            sum = Self::add(bits, &sum, &scaled, 1, false);
        }
        sum
    }

    /// γ for threads with these numbers.
    pub fn holds_at(&self, bits: u32, lanes: &[(Thread, u128)]) -> bool {
        let p = match self {
            Affine::Bottom => return lanes.is_empty(),
            Affine::Varying => return true,
            Affine::Polynomial(p) => p,
        };
        // What holds in ℤ holds modulo a large power of two.
        let modulus = if p.exact { 100 } else { bits };
        let unknown: Vec<usize> = (0..10).filter(|&m| p.is_unknown(m)).collect();
        let value = |thread: &Thread, m: usize| {
            let powers = MONOMIALS[m].iter().zip(thread).map(|(&e, &t)| u128::from(t).pow(e));
            powers.product::<u128>()
        };
        let rows = lanes.iter().map(|(thread, lane)| {
            let lane = if p.exact { signed(bits, *lane as i128) as u128 } else { *lane };
            let known = (0..10).fold(0u128, |sum, m| {
                sum.wrapping_add(value(thread, m).wrapping_mul(p.known[m] as i128 as u128))
            });
            let row = unknown.iter().map(|&m| value(thread, m)).collect();
            (row, lane.wrapping_sub(known))
        });
        solvable(rows.collect(), modulus)
    }
}

impl<const DEGREE: u32> Lattice for Affine<DEGREE> {
    const NAME: &'static str = "affine";

    fn bottom() -> Self {
        Affine::Bottom
    }

    fn uniform() -> Self {
        Affine::Polynomial(Polynomial::constant(None))
    }

    fn varying() -> Self {
        Affine::Varying
    }

    fn is_bottom(&self) -> bool {
        *self == Affine::Bottom
    }

    fn with_gaps(self) -> Self {
        self.with_partial(true)
    }

    fn is_uniform(&self) -> bool {
        match self {
            Affine::Bottom => true,
            Affine::Polynomial(p) => p.is_constant(),
            Affine::Varying => false,
        }
    }

    fn join(&mut self, other: &Self) {
        *self = match (*self, *other) {
            (Affine::Bottom, x) | (x, Affine::Bottom) => x,
            (Affine::Polynomial(p), Affine::Polynomial(q)) => {
                let differs = |m: usize| p.known[m] != q.known[m];
                let differing = (0..10).filter(|&m| differs(m)).fold(0, |mask, m| mask | 1 << m);
                let unknown = p.unknown | q.unknown | differing;
                // The coefficients are in range already.
                let joined = Self::make(64, &p.known.map(i128::from), unknown, p.exact && q.exact);
                joined.with_partial(p.partial || q.partial)
            }
            _ => Affine::Varying,
        };
    }

    fn constant(bits: u32, value: u128) -> Self {
        if bits == 0 || bits > 64 {
            return Self::uniform();
        }
        Self::number(signed(bits, value as i128))
    }

    fn lane(bits: u32, threads: Option<u32>) -> Self {
        if bits == 0 || bits > 64 {
            return Affine::Varying;
        }
        let mut sums = [0; 10];
        sums[1] = 1;
        let fits = threads.is_some_and(|n| u64::from(n) <= 1 << (bits - 1));
        Self::make(bits, &sums, 0, fits)
    }

    fn strided(bits: u32, stride: i64, _align: u64, exact: bool, _threads: Option<u32>) -> Self {
        if stride == 0 || bits == 0 || bits > 64 {
            return if stride == 0 { Self::uniform() } else { Affine::Varying };
        }
        let mut sums = [0; 10];
        sums[1] = stride.into();
        Self::make(bits, &sums, 1, exact)
    }

    fn number(bits: u32, number: &Number) -> Self {
        match (number.line, number.along) {
            (Some((0, _)), _) => Self::uniform(),
            (_, Some((dimension, plus))) => {
                let mut sums = [0; 10];
                sums[1 + dimension] = 1;
                let unknown = u16::from(plus == Plus::Uniform);
                Self::make(bits, &sums, unknown, true)
            }
            _ => Affine::Varying,
        }
    }

    fn scatter(&self) -> Self {
        match self {
            Affine::Polynomial(p) if !p.is_constant() || p.unknown != 0 => Affine::Varying,
            other => *other,
        }
    }

    fn transfer(operation: &Operation<'_, Self>) -> Self {
        let args = operation.args;
        let shape = match (operation.kind, operation.bits) {
            (Kind::Binary(op), Some(bits)) => {
                Self::binary(bits, op, operation.flags, &args[0], &args[1])
            }
            (Kind::Compare(pred), _) => match args[0].bits {
                Some(bits) => Self::compare(bits, pred, &args[0].shape, &args[1].shape),
                None => generic(args),
            },
            (Kind::Cast(op), Some(bits)) => match args[0].bits {
                Some(from) => {
                    let nneg = operation.flags.contains(Flags::NNEG);
                    Self::cast(bits, op, nneg, from, &args[0].shape)
                }
                None => generic(args),
            },
            (Kind::Select, _) => {
                let mut both = args[1].shape;
                both.join(&args[2].shape);
                if args[0].shape.is_uniform() { both } else { both.scatter() }
            }
            (Kind::Freeze, _) => frozen(&args[0].shape, args[0].shape.partial()),
            (Kind::Address { offset, scales }, Some(bits)) => {
                Self::address(bits, offset, scales, args)
            }
            _ => generic(args),
        };
        let may_break = !operation.flags.without(Flags::FAST).is_empty()
            || matches!(operation.kind, Kind::Binary(BinOp::Shl | BinOp::LShr | BinOp::AShr))
                && args[1].constant.is_none();
        let differing = args.iter().any(|arg| !arg.shape.is_uniform());
        shape.with_partial(args.iter().any(|arg| arg.shape.partial()) || may_break && differing)
    }

    fn holds(&self, bits: Option<u32>, lanes: &[Option<u128>]) -> bool {
        let counted: Vec<Thread> = (0..lanes.len()).map(|t| [t as u32, 0, 0]).collect();
        self.holds_for(bits, lanes, &counted)
    }

    fn holds_for(&self, bits: Option<u32>, lanes: &[Option<u128>], threads: &[Thread]) -> bool {
        let seen = lanes.iter().zip(threads).filter_map(|(v, &thread)| v.map(|v| (thread, v)));
        let seen: Vec<(Thread, u128)> = seen.collect();
        match bits.filter(|bits| (1..=64).contains(bits)) {
            Some(bits) => self.holds_at(bits, &seen),
            None => !self.is_uniform() || seen.iter().all(|(_, v)| *v == seen[0].1),
        }
    }
}
