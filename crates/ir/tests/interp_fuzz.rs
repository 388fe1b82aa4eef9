//! Random straight-line functions over many types: nothing panics, and many threads do what single ones do.

use lw_graph::generate::Rng;
use lw_ir::inst::{Access, InstData, Op};
use lw_ir::interp::{Machine, Run, Val};
use lw_ir::ops::{BinOp, CastOp, FloatPred, IntPred};
use lw_ir::types::{FloatKind, Scalar, Signature, Types};
use lw_ir::{Builder, Flags, Function, Module, Type, Value};

const WIDTHS: [u32; 9] = [1, 7, 8, 16, 32, 33, 64, 128, 150];

fn scalar(rng: &mut Rng) -> Scalar {
    match rng.below(10) {
        0..6 => Scalar::Int(WIDTHS[rng.below(WIDTHS.len())]),
        6..9 => Scalar::Float(FloatKind::ALL[rng.below(6)]),
        _ => Scalar::Ptr(0),
    }
}

fn random_type(rng: &mut Rng) -> Type {
    let elem = scalar(rng);
    if rng.one_in(4) { Type::vector(elem, 1 + rng.below(5) as u32) } else { Type::Scalar(elem) }
}

/// A random value of a type, undefined in parts now and then.
fn random_value(rng: &mut Rng, ty: Type) -> Val {
    let one = |rng: &mut Rng, elem: Scalar| match rng.below(40) {
        0 => Val::Undef,
        1 => Val::Poison,
        _ => match elem {
            Scalar::Int(bits) => {
                let word = |rng: &mut Rng| match rng.below(5) {
                    0 => 0,
                    1 => u64::MAX,
                    2 => rng.below(70) as u64,
                    3 => 1 << rng.below(64),
                    _ => rng.next_u64(),
                };
                let all = lw_ir::bits::Bits::from_words(bits, &[word(rng), word(rng), word(rng)]);
                match all.to_u128() {
                    Some(small) if bits <= 128 => Val::Int(small),
                    _ => Val::Big(Box::new(all)),
                }
            }
            Scalar::Float(FloatKind::Float) => Val::f32(f32::from_bits(rng.next_u64() as u32)),
            Scalar::Float(FloatKind::Double) => Val::f64(f64::from_bits(rng.next_u64())),
            Scalar::Float(kind) => {
                let bits = u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64());
                Val::Float(
                    kind,
                    if kind.bits() == 128 { bits } else { bits & ((1 << kind.bits()) - 1) },
                )
            }
            Scalar::Ptr(_) => Val::address(rng.next_u64() >> rng.below(64)),
        },
    };
    match ty {
        Type::Scalar(elem) => one(rng, elem),
        Type::Vector(elem, lanes) => {
            Val::elems((0..lanes.count).map(|_| one(rng, elem)).collect::<Vec<_>>())
        }
        _ => Val::Unit,
    }
}

fn flags(rng: &mut Rng) -> Flags {
    if rng.one_in(2) { Flags::NONE } else { Flags::from_bits(rng.next_u64() as u16) }
}

/// Appends a random instruction on known values.
fn random_inst(rng: &mut Rng, b: &mut Builder<'_>, known: &[Value]) -> Option<Value> {
    let pick = |rng: &mut Rng| known[rng.below(known.len())];
    let x = pick(rng);
    let ty = b.function.ty(x);
    let elem = ty.scalar()?;
    let same: Vec<Value> = known.iter().copied().filter(|&v| b.function.ty(v) == ty).collect();
    let y = same[rng.below(same.len())];
    let push = |b: &mut Builder<'_>, op: Op, ty: Type, flags: Flags, args: &[Value]| {
        let inst = b.push(InstData::new(op, ty, args).with_flags(flags));
        b.function.result(inst)
    };
    let lanes = ty.lanes().map(|lanes| lanes.count);
    Some(match (rng.below(10), elem) {
        (0..4, Scalar::Int(_)) => {
            let ops: Vec<BinOp> = BinOp::ALL.iter().copied().filter(|op| !op.is_float()).collect();
            let op = ops[rng.below(ops.len())];
            push(b, Op::Binary(op), ty, flags(rng), &[x, y])
        }
        (0..4, Scalar::Float(_)) => {
            let ops = [BinOp::FAdd, BinOp::FSub, BinOp::FMul, BinOp::FDiv, BinOp::FRem];
            let op = ops[rng.below(ops.len())];
            push(b, Op::Binary(op), ty, flags(rng), &[x, y])
        }
        (4, Scalar::Float(_)) => {
            let pred = FloatPred::ALL[rng.below(FloatPred::ALL.len())];
            push(b, Op::FCmp(pred), ty.with_scalar(Scalar::Int(1)), flags(rng), &[x, y])
        }
        (4, _) => {
            let pred = IntPred::ALL[rng.below(IntPred::ALL.len())];
            push(b, Op::ICmp(pred), ty.with_scalar(Scalar::Int(1)), flags(rng), &[x, y])
        }
        (5, _) => b.freeze(x),
        (6, _) => {
            let access = Access::aligned(1);
            let slot = b.alloca(ty, 16);
            b.store(x, slot, access);
            b.load(ty, slot, access)
        }
        (7, _) if lanes.is_some() => {
            let count = lanes?;
            let mask: Vec<i32> = (0..1 + rng.below(6))
                .map(|_| rng.below(2 * count as usize + 1) as i32 - 1)
                .collect();
            let to = Type::vector(elem, mask.len() as u32);
            push(b, Op::ShuffleVector(mask.into()), to, Flags::NONE, &[x, y])
        }
        (7, _) => {
            let condition = known.iter().copied().find(|&v| b.function.ty(v) == Type::I1)?;
            b.select(condition, x, y)
        }
        (8, Scalar::Ptr(_)) => {
            let index = known
                .iter()
                .copied()
                .find(|&v| matches!(b.function.ty(v), Type::Scalar(Scalar::Int(_))))?;
            b.gep(Type::I32, flags(rng), x, &[index])
        }
        (_, _) => {
            let target = scalar(rng);
            let to = ty.with_scalar(target);
            let (op, ok) = match (elem, target) {
                (Scalar::Int(a), Scalar::Int(c)) if a > c => (CastOp::Trunc, true),
                (Scalar::Int(a), Scalar::Int(c)) => {
                    (if rng.one_in(2) { CastOp::ZExt } else { CastOp::SExt }, a < c)
                }
                (Scalar::Int(_), Scalar::Float(_)) => {
                    (if rng.one_in(2) { CastOp::UiToFp } else { CastOp::SiToFp }, true)
                }
                (Scalar::Float(_), Scalar::Int(_)) => {
                    (if rng.one_in(2) { CastOp::FpToUi } else { CastOp::FpToSi }, true)
                }
                (Scalar::Float(a), Scalar::Float(c)) if a.bits() > c.bits() => {
                    (CastOp::FpTrunc, true)
                }
                (Scalar::Float(a), Scalar::Float(c)) => (CastOp::FpExt, a.bits() < c.bits()),
                (Scalar::Ptr(_), Scalar::Int(_)) => (CastOp::PtrToInt, true),
                (Scalar::Int(_), Scalar::Ptr(_)) => (CastOp::IntToPtr, true),
                _ => (CastOp::BitCast, false),
            };
            if !ok {
                return None;
            }
            push(b, Op::Cast(op), to, flags(rng), &[x])
        }
    })
}

#[test]
fn random_functions_do_not_panic_and_threads_do_not_disturb_each_other() {
    let mut rng = Rng::new(99);
    let (mut finished, mut failed) = (0, 0);
    for _ in 0..3000 {
        let params: Vec<Type> = (0..4 + rng.below(4)).map(|_| random_type(&mut rng)).collect();
        let signature =
            Signature { ret: Type::Void, params: params.clone().into(), varargs: false };
        let mut function = Function::new("f", signature, Types::default());
        let mut known = function.params().to_vec();
        let mut b = Builder::new(&mut function);
        for _ in 0..20 {
            known.extend(random_inst(&mut rng, &mut b, &known));
        }
        let result = *known.last().unwrap();
        b.ret(Some(result));
        function.signature.ret = function.ty(result);
        let module = Module { functions: vec![function], ..Module::default() };
        let args: Vec<Vec<Val>> =
            (0..3).map(|_| params.iter().map(|&ty| random_value(&mut rng, ty)).collect()).collect();
        let together = Run { threads: 3, ..Run::default() };
        match Machine::new(&module).run_index(0, &args, &together) {
            Ok(outcome) => {
                finished += 1;
                for (list, value) in args.iter().zip(outcome.values()) {
                    let single = Machine::new(&module).run_index(
                        0,
                        std::slice::from_ref(list),
                        &Run::default(),
                    );
                    // Addresses of private memory differ from run to run.
                    if !module.functions[0].ty(result).is_ptr() {
                        assert!(
                            single.unwrap().values()[0].same_as(&value),
                            "{}",
                            module.functions[0]
                        );
                    }
                }
            }
            Err(error) => {
                failed += 1;
                assert!(error.kind.is_undefined_behaviour(), "{error}\n{}", module.functions[0]);
            }
        }
    }
    assert!(finished > 500 && failed > 100, "{finished} {failed}");
}
