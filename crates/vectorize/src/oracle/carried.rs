//! What random loops carry over: a sum, or the best so far, and a place.

use super::{fit, places};
use crate::edit;
use lw_ir::constant::Constant;
use lw_ir::generate::Rng;
use lw_ir::ops::{BinOp, CastOp, FloatPred, IntPred};
use lw_ir::types::Type;
use lw_ir::{Block, Builder, Flags, Function, InstData, Op, Value};
use lw_sparse::registers::negate;

#[derive(Clone, Copy, Debug)]
pub(super) struct Carried {
    /// The counter.
    pub(super) i: Value,
    pub(super) sum: Value,
    pub(super) place: Value,
    /// What the iteration found.
    pub(super) result: Value,
    /// What it is compared with.
    pub(super) best: Value,
}

impl Carried {
    /// The same in an inner loop, which goes round more often in some iterations than in others: the block it ends in, the sum and the place. In some,
    /// all is compared with what was there before the inner loop, so that there is nothing for lanes to choose.
    pub(super) fn in_inner_loop(
        self,
        out: &mut Function,
        from: Block,
        rng: &mut Rng,
    ) -> (Block, [Value; 2]) {
        let (inner, end) = (out.add_named_block("inner"), out.add_named_block("outer"));
        edit::jump(out, from, inner);
        let (ty, before) = (out.ty(self.result), rng.one_in(6));
        let mut b = Builder::new(out);
        b.switch_to(inner);
        let none = b.constant(Constant::int(Type::I64, 0));
        let j = b.phi(Type::I64, &[(none, from)]);
        let sum = b.phi(ty, &[(self.sum, from)]);
        let place = b.phi(Type::I64, &[(self.place, from)]);
        let result = match ty.int_bits() {
            None => {
                let j = b.cast(CastOp::SiToFp, j, ty);
                b.binary(BinOp::FSub, self.result, j)
            }
            Some(_) => {
                let j = fit(&mut b, j, ty);
                b.binary(BinOp::Xor, self.result, j)
            }
        };
        let best = if before { self.best } else { sum };
        let [next_sum, next_place] =
            Carried { i: self.i, sum, place, result, best }.next(b.function, inner, rng);
        let mut b = Builder::new(out);
        b.switch_to(inner);
        let (one, three) = (b.int(Type::I64, 1), b.int(Type::I64, 3));
        let next = b.binary(BinOp::Add, j, one);
        let times = b.binary(BinOp::And, self.i, three);
        let more = b.icmp(IntPred::Ule, next, times);
        for (phi, value) in [(j, next), (sum, next_sum), (place, next_place)] {
            b.add_incoming(phi, value, inner);
        }
        edit::branch(out, inner, more, [inner, end]);
        (end, [next_sum, next_place])
    }

    /// The best so far, with something that is only read where it is better: the block it ends in, the best and what was read.
    pub(super) fn with_what_is_read(
        self,
        out: &mut Function,
        from: Block,
        rng: &mut Rng,
    ) -> (Block, [Value; 2]) {
        let Carried { i, sum, place, result, best } = self;
        let (take, join) = (out.add_named_block("better"), out.add_named_block("chosen"));
        let mut b = Builder::new(out);
        b.switch_to(from);
        let better = match b.function.ty(result).float_kind() {
            Some(_) => b.fcmp([FloatPred::Olt, FloatPred::Oge][rng.below(2)], result, best),
            None => b.icmp([IntPred::Slt, IntPred::Uge][rng.below(2)], result, best),
        };
        edit::branch(out, from, better, [take, join]);
        let byte = places::read(out, take, i);
        let mut b = Builder::new(out);
        b.switch_to(take);
        let byte = b.cast(CastOp::ZExt, byte, Type::I64);
        b.switch_to(join);
        let ty = b.function.ty(sum);
        let next = [
            b.phi(ty, &[(result, take), (sum, from)]),
            b.phi(Type::I64, &[(byte, take), (place, from)]),
        ];
        edit::jump(out, take, join);
        (join, next)
    }

    /// What becomes of the sum and the place at the end of a block.
    pub(super) fn next(self, out: &mut Function, latch: Block, rng: &mut Rng) -> [Value; 2] {
        let Carried { i, sum, place, result, best: compared } = self;
        let float = out.ty(result).float_kind().is_some();
        let mut b = Builder::new(out);
        b.switch_to(latch);
        let three = b.int(Type::I64, 3);
        let rest = b.binary(BinOp::And, i, three);
        let zero = b.int(Type::I64, 0);
        let some = b.icmp(IntPred::Ne, rest, zero);
        match rng.below(8) {
            // A sum that goes up and down, and overflows if it is not computed in order.
            5 if !float => {
                let ty = b.function.ty(result);
                let bits = ty.int_bits().expect("it is no float").min(64);
                let most = (1i128 << (bits - 1)) / 3;
                let (up, down) = (b.int(ty, most), b.int(ty, -most));
                let one = b.int(Type::I64, 1);
                let odd = b.binary(BinOp::And, i, one);
                let odd = b.icmp(IntPred::Ne, odd, zero);
                let by = b.select(odd, down, up);
                [b.binary_with(BinOp::Add, Flags::NSW, sum, by), b.binary(BinOp::Add, place, three)]
            }
            // The best by an intrinsic, and where it was.
            6 if !float => {
                let pick = rng.below(4);
                let (name, preds) = [
                    ("smin", [IntPred::Slt, IntPred::Sle]),
                    ("smax", [IntPred::Sgt, IntPred::Sge]),
                    ("umin", [IntPred::Ult, IntPred::Ule]),
                    ("umax", [IntPred::Ugt, IntPred::Uge]),
                ][pick];
                // Few values, so that some are equal.
                let ty = b.function.ty(result);
                let few = b.int(ty, 3);
                let result = b.binary(BinOp::And, result, few);
                let better = b.icmp(preds[rng.below(2)], result, compared);
                let name = format!("llvm.{name}.i{}", ty.int_bits().expect("it is no float"));
                let (_, signature, callee) = b.declare(&name, ty, &[ty, ty]);
                let best = b.call(signature, callee, &[result, sum]).expect("it is a number");
                // In some, where the last that was not better was: nothing for lanes to choose.
                let (then, otherwise) = if rng.one_in(6) { (place, i) } else { (i, place) };
                let at = b.select(better, then, otherwise);
                match rng.below(3) {
                    // In some iterations only.
                    0 => [b.select(some, best, sum), b.select(some, at, place)],
                    _ => [best, at],
                }
            }
            // The best, and where it was.
            0 | 1 => {
                let ints = [IntPred::Slt, IntPred::Ugt, IntPred::Sge, IntPred::Ule];
                let floats = [FloatPred::Olt, FloatPred::Ogt, FloatPred::Oge, FloatPred::Ole];
                let pick = rng.below(4);
                if !float && rng.one_in(3) {
                    // It stays where something else does not hold, or nothing better was found.
                    let worse = b.icmp(negate(ints[pick]), result, compared);
                    let none = b.icmp(IntPred::Eq, rest, zero);
                    let stays = b.binary(BinOp::Or, none, worse);
                    return [b.select(stays, sum, result), b.select(stays, place, i)];
                }
                let none_yet = rng.one_in(3);
                let better = match float {
                    // Where there may be none yet, what is no number would stay the best.
                    true if none_yet => {
                        let data =
                            InstData::new(Op::FCmp(floats[pick]), Type::I1, &[result, compared]);
                        let better = b.push(data.with_flags(Flags::NNAN));
                        b.function.result(better)
                    }
                    true => b.fcmp(floats[pick], result, compared),
                    false => b.icmp(ints[pick], result, compared),
                };
                // There may be none yet; in some, what there is may be taken for none, or lanes are asked something else then.
                if none_yet {
                    let (none, at) = nothing_yet(&mut b, rng, place, i);
                    let either = match rng.below(6) {
                        0 => b.select(none, some, better),
                        1 => b.binary(BinOp::Or, none, better),
                        _ => {
                            let yes = b.constant(Constant::bool(true));
                            b.select(none, yes, better)
                        }
                    };
                    // Lanes that do few iterations may find none; in some, it is set where nothing better is found.
                    let seldom = b.icmp(IntPred::Eq, rest, three);
                    let taken = match rng.below(6) {
                        0 | 1 => either,
                        2 => b.binary(BinOp::And, some, either),
                        3 => b.binary(BinOp::Or, seldom, either),
                        _ => b.binary(BinOp::And, seldom, either),
                    };
                    return [b.select(taken, result, sum), b.select(taken, at, place)];
                }
                let better =
                    if rng.one_in(2) { better } else { b.binary(BinOp::And, some, better) };
                [b.select(better, result, sum), b.select(better, i, place)]
            }
            // A sum that begins anew now and then: nothing for lanes to sum up.
            7 if rng.one_in(3) => {
                let op = if float { BinOp::FAdd } else { BinOp::Add };
                let more = b.binary(op, sum, result);
                [b.select(some, more, result), b.binary(BinOp::Add, place, three)]
            }
            // What was found first; in some, what is found may be taken for nothing.
            2 if rng.one_in(2) => {
                let (none, at) = nothing_yet(&mut b, rng, place, i);
                let found = b.binary(BinOp::And, some, none);
                [b.select(found, result, sum), b.select(found, at, place)]
            }
            // What was set last.
            2 => [b.select(some, result, sum), b.select(some, i, place)],
            // A sum, or a product, or the like.
            n => {
                let ints = [BinOp::Add, BinOp::Mul, BinOp::Xor, BinOp::Or, BinOp::And, BinOp::Sub];
                let floats = [BinOp::FAdd, BinOp::FMul, BinOp::FSub];
                let op = match float {
                    true => floats[rng.below(floats.len())],
                    false => ints[rng.below(ints.len())],
                };
                // Whether the sum overflows depends on the order.
                let flags =
                    if op == BinOp::Add && rng.one_in(2) { Flags::NSW } else { Flags::NONE };
                let mut next = b.binary_with(op, flags, sum, result);
                // Once more, always or in some iterations: what stays in order is done lane by lane.
                if float && rng.one_in(3) {
                    let more = b.binary(op, next, result);
                    next = if rng.one_in(2) { more } else { b.select(some, more, next) };
                }
                let next = if n == 3 { b.select(some, next, sum) } else { next };
                [next, b.binary(BinOp::Add, place, three)]
            }
        }
    }
}

/// Whether a place, which is 0, 1 or 2 at first, is none yet, and the place of an iteration: in some, that may be taken for none too.
fn nothing_yet(b: &mut Builder<'_>, rng: &mut Rng, place: Value, i: Value) -> (Value, Value) {
    let (bits, more) = if rng.one_in(6) { (3, 0) } else { (255, 3) };
    let (bits, more) = (b.int(Type::I64, bits), b.int(Type::I64, more));
    let at = b.binary(BinOp::And, i, bits);
    let at = b.binary_with(BinOp::Add, Flags::NSW, at, more);
    let (pred, nothing) = [(IntPred::Slt, 2), (IntPred::Eq, 1), (IntPred::Ule, 1)][rng.below(3)];
    let nothing = b.int(Type::I64, nothing);
    (b.icmp(pred, place, nothing), at)
}
