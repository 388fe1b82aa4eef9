//! Arrays of random loops: one that all iterations update, and one that each has for itself and of which the last is looked at.

use super::lives::mark;
use crate::edit;
use lw_ir::constant::Constant;
use lw_ir::generate::Rng;
use lw_ir::inst::Access;
use lw_ir::ops::{BinOp, CastOp, IntPred};
use lw_ir::types::Type;
use lw_ir::{Block, Builder, Flags, Function, Value};

/// How the array is called that iterations update.
pub(super) const UPDATED: &str = "updated";

/// How many elements an array has.
const LENGTH: i128 = 4;

/// How iterations update the array.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// An element.
    One,
    /// An element, in some iterations.
    Some,
    /// An element, if it is not good enough.
    Better,
    /// Two elements.
    Two,
    /// All elements.
    All,
    /// The elements from one on.
    From,
}

/// An array before a loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrays {
    array: Value,
    /// How it is updated; `None` if each iteration has its own.
    way: Option<Way>,
    op: BinOp,
    flags: Flags,
}

impl Arrays {
    /// Allocates an array before the loop.
    pub(super) fn random(out: &mut Function, rng: &mut Rng, before: Block) -> Arrays {
        let ways = [Way::One, Way::Some, Way::Better, Way::Two, Way::All, Way::From];
        let way = (!rng.one_in(4)).then(|| ways[rng.below(ways.len())]);
        let ops = [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Xor, BinOp::Or, BinOp::And];
        let op = ops[rng.below(ops.len())];
        let nsw = op == BinOp::Add && rng.one_in(2);
        let ty = out.types.array(Type::I64, LENGTH as u64);
        let mut b = Builder::new(out);
        b.switch_to(before);
        let array = b.alloca(ty, 8);
        for k in 0..LENGTH {
            let (k, first) = (b.int(Type::I64, k), b.int(Type::I64, 5 + k));
            let element = b.gep(Type::I64, Flags::NONE, array, &[k]);
            b.store(first, element, Access::aligned(8));
        }
        if way.is_some() {
            out.set_value_name(array, Some(UPDATED.into()));
        }
        Arrays { array, way, op, flags: if nsw { Flags::NSW } else { Flags::NONE } }
    }

    fn element(self, b: &mut Builder<'_>, k: Value) -> Value {
        b.gep(Type::I64, Flags::NONE, self.array, &[k])
    }

    /// What an iteration does to the array, at the end of a block, with a number: the block it ends in.
    pub(super) fn touch(
        self,
        out: &mut Function,
        begin: Block,
        at: Block,
        i: Value,
        number: Value,
    ) -> Block {
        let mut b = Builder::new(out);
        b.switch_to(at);
        let number = match b.function.ty(number).int_bits() {
            Some(64) => number,
            Some(bits) if bits < 64 => b.cast(CastOp::SExt, number, Type::I64),
            _ => b.cast(CastOp::Trunc, number, Type::I64),
        };
        let one = b.int(Type::I64, 1);
        let odd = b.binary(BinOp::And, i, one);
        let zero = b.int(Type::I64, 0);
        let odd = b.icmp(IntPred::Ne, odd, zero);
        // What overflows if it is not added in order, or in pairs.
        let (up, down) = (
            b.int(Type::I64, i128::from(i64::MAX / 3)),
            b.int(Type::I64, -i128::from(i64::MAX / 3)),
        );
        let swing = b.select(odd, down, up);
        let operand = if self.flags == Flags::NSW { swing } else { number };
        let three = b.int(Type::I64, LENGTH - 1);
        let place = b.binary(BinOp::Add, number, i);
        let place = b.binary(BinOp::And, place, three);
        match self.way {
            None => self.own(out, begin, at, place, number),
            Some(Way::One) => self.update(out, at, place, operand),
            Some(Way::Two) => {
                let at = self.update(out, at, place, operand);
                let mut b = Builder::new(out);
                b.switch_to(at);
                let other = b.binary(BinOp::Xor, place, one);
                self.update(out, at, other, operand)
            }
            Some(Way::Some) => {
                let (yes, join) = (out.add_named_block("some"), out.add_named_block("all"));
                edit::branch(out, at, odd, [yes, join]);
                let yes = self.update(out, yes, place, operand);
                edit::jump(out, yes, join);
                join
            }
            Some(Way::Better) => {
                let element = self.element(&mut b, place);
                let old = b.load(Type::I64, element, Access::aligned(8));
                let better = b.icmp(IntPred::Slt, number, old);
                let (yes, join) = (out.add_named_block("better"), out.add_named_block("all"));
                edit::branch(out, at, better, [yes, join]);
                let mut b = Builder::new(out);
                b.switch_to(yes);
                b.store(number, element, Access::aligned(8));
                edit::jump(out, yes, join);
                join
            }
            Some(Way::All) => self.each(out, at, zero, operand),
            Some(Way::From) => self.each(out, at, place, operand),
        }
    }

    fn update(self, out: &mut Function, at: Block, place: Value, operand: Value) -> Block {
        let mut b = Builder::new(out);
        b.switch_to(at);
        let element = self.element(&mut b, place);
        let old = b.load(Type::I64, element, Access::aligned(8));
        let new = b.binary_with(self.op, self.flags, old, operand);
        b.store(new, element, Access::aligned(8));
        at
    }

    /// Updates the elements from one on, in an inner loop.
    fn each(self, out: &mut Function, at: Block, from: Value, operand: Value) -> Block {
        let (inner, done) = (out.add_named_block("each"), out.add_named_block("done"));
        edit::jump(out, at, inner);
        let mut b = Builder::new(out);
        b.switch_to(inner);
        let k = b.phi(Type::I64, &[(from, at)]);
        self.update(out, inner, k, operand);
        let mut b = Builder::new(out);
        b.switch_to(inner);
        let (one, length) = (b.int(Type::I64, 1), b.int(Type::I64, LENGTH));
        let next = b.binary(BinOp::Add, k, one);
        b.add_incoming(k, next, inner);
        let more = b.icmp(IntPred::Ne, next, length);
        edit::branch(out, inner, more, [inner, done]);
        done
    }

    /// Fills the array of an iteration, which begins with the first block.
    fn own(
        self,
        out: &mut Function,
        begin: Block,
        at: Block,
        place: Value,
        number: Value,
    ) -> Block {
        mark(out, "llvm.lifetime.start.p0", begin, self.array);
        let zero = out.constant(Constant::int(Type::I64, 0));
        let mut b = Builder::new(out);
        b.switch_to(at);
        for k in 0..LENGTH {
            let k = b.int(Type::I64, k);
            let element = self.element(&mut b, k);
            let value = b.binary(BinOp::Xor, number, k);
            b.store(value, element, Access::aligned(8));
        }
        let element = self.element(&mut b, place);
        b.store(zero, element, Access::aligned(8));
        at
    }

    /// What is in the array, as one number.
    pub(super) fn read(self, b: &mut Builder<'_>) -> Value {
        let mut all = b.int(Type::I64, 0);
        for k in 0..LENGTH {
            let (k, factor) = (b.int(Type::I64, k), b.int(Type::I64, 31));
            let element = self.element(b, k);
            let value = b.load(Type::I64, element, Access::aligned(8));
            all = b.binary(BinOp::Mul, all, factor);
            all = b.binary(BinOp::Add, all, value);
        }
        all
    }
}
