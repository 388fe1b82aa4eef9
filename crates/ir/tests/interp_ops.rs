//! Each family of operations against Rust's own arithmetic, over random and special operands.

use lw_graph::generate::Rng;
use lw_ir::interp::{ErrorKind, Machine, Run, Val};
use lw_ir::ops::{BinOp, CastOp, FloatPred, IntPred};
use lw_ir::types::{FloatKind, Scalar, Signature, Types};
use lw_ir::{Builder, Flags, Function, Module, Type, Value};

/// A module with one function of these parameters whose result `build` computes.
fn module(
    params: &[Type],
    ret: Type,
    build: impl FnOnce(&mut Builder<'_>, &[Value]) -> Value,
) -> Module {
    let signature = Signature { ret, params: params.into(), varargs: false };
    let mut function = Function::new("f", signature, Types::default());
    let args = function.params().to_vec();
    let mut b = Builder::new(&mut function);
    let result = build(&mut b, &args);
    b.ret(Some(result));
    Module { functions: vec![function], ..Module::default() }
}

fn call(machine: &mut Machine<'_>, args: Vec<Val>) -> Result<Val, ErrorKind> {
    match machine.run_index(0, &[args], &Run::default()) {
        Ok(outcome) => Ok(outcome.values()[0].clone()),
        Err(error) => Err(error.kind),
    }
}

fn sample(rng: &mut Rng) -> i64 {
    match rng.below(6) {
        0 => [0, 1, -1, i64::MIN, i64::MAX, 2, 31, 32, 63, 64][rng.below(10)],
        1 => rng.below(20) as i64 - 10,
        2 => 1i64.wrapping_shl(rng.below(64) as u32),
        3 => i64::from(rng.next_u64() as i32),
        _ => rng.next_u64() as i64,
    }
}

#[test]
fn integer_operators_of_64_bits() {
    type Oracle = fn(i64, i64) -> Option<i64>;
    let cases: [(BinOp, Flags, Oracle); 19] = [
        (BinOp::Add, Flags::NONE, |a, b| Some(a.wrapping_add(b))),
        (BinOp::Add, Flags::NSW, |a, b| a.checked_add(b)),
        (BinOp::Add, Flags::NUW, |a, b| (a as u64).checked_add(b as u64).map(|r| r as i64)),
        (BinOp::Sub, Flags::NONE, |a, b| Some(a.wrapping_sub(b))),
        (BinOp::Sub, Flags::NSW, |a, b| a.checked_sub(b)),
        (BinOp::Sub, Flags::NUW, |a, b| (a as u64).checked_sub(b as u64).map(|r| r as i64)),
        (BinOp::Mul, Flags::NONE, |a, b| Some(a.wrapping_mul(b))),
        (BinOp::Mul, Flags::NSW, |a, b| a.checked_mul(b)),
        (BinOp::Mul, Flags::NUW, |a, b| (a as u64).checked_mul(b as u64).map(|r| r as i64)),
        (BinOp::And, Flags::NONE, |a, b| Some(a & b)),
        (BinOp::Or, Flags::NONE, |a, b| Some(a | b)),
        (BinOp::Or, Flags::DISJOINT, |a, b| (a & b == 0).then_some(a | b)),
        (BinOp::Xor, Flags::NONE, |a, b| Some(a ^ b)),
        (BinOp::Shl, Flags::NONE, |a, b| a.checked_shl(u32::try_from(b).ok()?)),
        (BinOp::Shl, Flags::NSW, |a, b| {
            a.checked_shl(u32::try_from(b).ok()?).filter(|r| r >> b == a)
        }),
        (BinOp::Shl, Flags::NUW, |a, b| {
            a.checked_shl(u32::try_from(b).ok()?).filter(|&r| r as u64 >> b == a as u64)
        }),
        (BinOp::LShr, Flags::NONE, |a, b| {
            (a as u64).checked_shr(u32::try_from(b).ok()?).map(|r| r as i64)
        }),
        (BinOp::AShr, Flags::NONE, |a, b| a.checked_shr(u32::try_from(b).ok()?)),
        (BinOp::AShr, Flags::EXACT, |a, b| {
            a.checked_shr(u32::try_from(b).ok()?).filter(|r| r << b == a)
        }),
    ];
    let mut rng = Rng::new(1);
    for (op, flags, oracle) in cases {
        let module =
            module(&[Type::I64, Type::I64], Type::I64, |b, x| b.binary_with(op, flags, x[0], x[1]));
        let mut machine = Machine::new(&module);
        for _ in 0..500 {
            let (a, b) = (sample(&mut rng), sample(&mut rng));
            let expected = oracle(a, b).map_or(Val::Poison, Val::i64);
            assert_eq!(
                call(&mut machine, vec![Val::i64(a), Val::i64(b)]),
                Ok(expected),
                "{op:?} {flags}{a} {b}"
            );
        }
    }
}

#[test]
fn division_by_zero_and_overflow_are_errors() {
    for (op, signed) in
        [(BinOp::SDiv, true), (BinOp::SRem, true), (BinOp::UDiv, false), (BinOp::URem, false)]
    {
        let module = module(&[Type::I32, Type::I32], Type::I32, |b, x| b.binary(op, x[0], x[1]));
        let mut machine = Machine::new(&module);
        let mut rng = Rng::new(2);
        for _ in 0..500 {
            let (a, b) = (sample(&mut rng) as i32, sample(&mut rng) as i32);
            let expected = match (op, b) {
                (_, 0) => Err(ErrorKind::DivisionByZero),
                (_, -1) if signed && a == i32::MIN => Err(ErrorKind::DivisionOverflow),
                (BinOp::SDiv, _) => Ok(a / b),
                (BinOp::SRem, _) => Ok(a % b),
                (BinOp::UDiv, _) => Ok((a as u32 / b as u32) as i32),
                _ => Ok((a as u32 % b as u32) as i32),
            };
            assert_eq!(
                call(&mut machine, vec![Val::i32(a), Val::i32(b)]),
                expected.map(Val::i32),
                "{op:?} {a} {b}"
            );
        }
        for undefined in [Val::Undef, Val::Poison] {
            let error = call(&mut machine, vec![Val::i32(1), undefined]).unwrap_err();
            assert_eq!(error, ErrorKind::UndefinedUse("the divisor"));
        }
    }
}

#[test]
fn odd_widths_agree_with_wide_ones() {
    // i7, i24, i100 and i200 computed by extending to i256 and cutting again.
    let mut rng = Rng::new(3);
    let wide = Type::int(256);
    for bits in [1, 7, 24, 65, 100, 128, 200] {
        let ty = Type::int(bits);
        for op in
            [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::UDiv, BinOp::SDiv, BinOp::URem, BinOp::SRem]
        {
            let signed = matches!(op, BinOp::SDiv | BinOp::SRem);
            let module = module(&[ty, ty], Type::I1, |b, x| {
                let ext = if signed { CastOp::SExt } else { CastOp::ZExt };
                let (x0, x1) = (b.cast(ext, x[0], wide), b.cast(ext, x[1], wide));
                let full = b.binary(op, x0, x1);
                let cut = b.cast(CastOp::Trunc, full, ty);
                let direct = b.binary(op, x[0], x[1]);
                b.icmp(IntPred::Eq, cut, direct)
            });
            let mut machine = Machine::new(&module);
            for _ in 0..40 {
                let number = |rng: &mut Rng| {
                    let words: Vec<u64> = (0..4).map(|_| sample(rng) as u64).collect();
                    let bits_value = lw_ir::bits::Bits::from_words(bits, &words);
                    match bits_value.to_u128() {
                        Some(small) if bits <= 128 => Val::Int(small),
                        _ => Val::Big(Box::new(bits_value)),
                    }
                };
                match call(&mut machine, vec![number(&mut rng), number(&mut rng)]) {
                    Ok(value) => assert_eq!(value, Val::bool(true), "i{bits} {op:?}"),
                    Err(kind) => assert!(matches!(
                        kind,
                        ErrorKind::DivisionByZero | ErrorKind::DivisionOverflow
                    )),
                }
            }
        }
    }
}

#[test]
fn integer_comparisons() {
    let mut rng = Rng::new(4);
    for &pred in IntPred::ALL {
        let module = module(&[Type::I64, Type::I64], Type::I1, |b, x| b.icmp(pred, x[0], x[1]));
        let mut machine = Machine::new(&module);
        for _ in 0..200 {
            let (a, b) = (sample(&mut rng), if rng.one_in(3) { 5 } else { sample(&mut rng) });
            let (u, v) = (a as u64, b as u64);
            let expected = match pred {
                IntPred::Eq => a == b,
                IntPred::Ne => a != b,
                IntPred::Ugt => u > v,
                IntPred::Uge => u >= v,
                IntPred::Ult => u < v,
                IntPred::Ule => u <= v,
                IntPred::Sgt => a > b,
                IntPred::Sge => a >= b,
                IntPred::Slt => a < b,
                IntPred::Sle => a <= b,
            };
            assert_eq!(call(&mut machine, vec![Val::i64(a), Val::i64(b)]), Ok(Val::bool(expected)));
        }
    }
}

fn number(rng: &mut Rng) -> f64 {
    match rng.below(4) {
        0 => {
            let special = [
                0.0,
                -0.0,
                1.0,
                -1.5,
                f64::INFINITY,
                f64::NEG_INFINITY,
                f64::NAN,
                5e-324,
                f64::MAX,
                1e-310,
            ];
            special[rng.below(special.len())]
        }
        1 => rng.below(1000) as f64 / 8.0 - 60.0,
        2 => f64::from(f32::from_bits(rng.next_u64() as u32)),
        _ => f64::from_bits(rng.next_u64()),
    }
}

#[test]
fn float_arithmetic() {
    let mut rng = Rng::new(5);
    for op in [BinOp::FAdd, BinOp::FSub, BinOp::FMul, BinOp::FDiv, BinOp::FRem] {
        let doubles =
            module(&[Type::DOUBLE, Type::DOUBLE], Type::DOUBLE, |b, x| b.binary(op, x[0], x[1]));
        let floats =
            module(&[Type::FLOAT, Type::FLOAT], Type::FLOAT, |b, x| b.binary(op, x[0], x[1]));
        let (mut doubles, mut floats) = (Machine::new(&doubles), Machine::new(&floats));
        for _ in 0..400 {
            let (a, b) = (number(&mut rng), number(&mut rng));
            let (c, d) = (a as f32, b as f32);
            let (wide, narrow) = match op {
                BinOp::FAdd => (a + b, c + d),
                BinOp::FSub => (a - b, c - d),
                BinOp::FMul => (a * b, c * d),
                BinOp::FDiv => (a / b, c / d),
                _ => (a % b, c % d),
            };
            let value = call(&mut doubles, vec![Val::f64(a), Val::f64(b)]).unwrap();
            assert!(value.same_as(&Val::f64(wide)), "{op:?} {a} {b}: {value}");
            let value = call(&mut floats, vec![Val::f32(c), Val::f32(d)]).unwrap();
            assert!(value.same_as(&Val::f32(narrow)), "{op:?} {c} {d}: {value}");
        }
    }
}

#[test]
fn narrow_and_wide_formats_bracket_float() {
    // A sum of two `half`s is exact in `float`; `x86_fp80` and `fp128` sums of doubles round back to the double sum.
    let mut rng = Rng::new(6);
    for kind in [FloatKind::Half, FloatKind::BFloat] {
        let ty = Type::Scalar(Scalar::Float(kind));
        for op in [BinOp::FAdd, BinOp::FMul] {
            let direct = module(&[ty, ty], ty, |b, x| b.binary(op, x[0], x[1]));
            let via = module(&[ty, ty], ty, |b, x| {
                let (x0, x1) = (
                    b.cast(CastOp::FpExt, x[0], Type::DOUBLE),
                    b.cast(CastOp::FpExt, x[1], Type::DOUBLE),
                );
                let wide = b.binary(op, x0, x1);
                b.cast(CastOp::FpTrunc, wide, ty)
            });
            let (mut direct, mut via) = (Machine::new(&direct), Machine::new(&via));
            for _ in 0..300 {
                let (a, b) = (rng.next_u64() as u16, rng.next_u64() as u16);
                let args = vec![Val::Float(kind, a.into()), Val::Float(kind, b.into())];
                let (x, y) =
                    (call(&mut direct, args.clone()).unwrap(), call(&mut via, args).unwrap());
                // bfloat has the range of float, so that the exact sum need not fit a double; skip what rounds twice.
                if kind == FloatKind::Half || op == BinOp::FMul {
                    assert!(x.same_as(&y), "{kind:?} {op:?} {a:x} {b:x}: {x} {y}");
                }
            }
        }
    }
    for kind in [FloatKind::X86Fp80, FloatKind::Fp128] {
        let ty = Type::Scalar(Scalar::Float(kind));
        let round_trip = module(&[Type::DOUBLE], Type::DOUBLE, |b, x| {
            let wide = b.cast(CastOp::FpExt, x[0], ty);
            let doubled = b.binary(BinOp::FAdd, wide, wide);
            let half = b.binary(BinOp::FSub, doubled, wide);
            b.cast(CastOp::FpTrunc, half, Type::DOUBLE)
        });
        let mut machine = Machine::new(&round_trip);
        for _ in 0..300 {
            let x = number(&mut rng);
            let value = call(&mut machine, vec![Val::f64(x)]).unwrap();
            let expected = if x.is_infinite() {
                f64::NAN
            } else if x == 0.0 {
                0.0
            } else {
                x
            };
            assert!(value.same_as(&Val::f64(expected)), "{kind:?} {x}: {value}");
        }
    }
}

#[test]
fn float_comparisons() {
    let mut rng = Rng::new(7);
    for &pred in FloatPred::ALL {
        let module =
            module(&[Type::DOUBLE, Type::DOUBLE], Type::I1, |b, x| b.fcmp(pred, x[0], x[1]));
        let mut machine = Machine::new(&module);
        for _ in 0..200 {
            let (a, b) = (number(&mut rng), number(&mut rng));
            let unordered = a.is_nan() || b.is_nan();
            let expected = match pred {
                FloatPred::False => false,
                FloatPred::Oeq => a == b,
                FloatPred::Ogt => a > b,
                FloatPred::Oge => a >= b,
                FloatPred::Olt => a < b,
                FloatPred::Ole => a <= b,
                FloatPred::One => a.partial_cmp(&b).is_some_and(|order| order.is_ne()),
                FloatPred::Ord => !unordered,
                FloatPred::Uno => unordered,
                FloatPred::Ueq => unordered || a == b,
                FloatPred::Ugt => unordered || a > b,
                FloatPred::Uge => unordered || a >= b,
                FloatPred::Ult => unordered || a < b,
                FloatPred::Ule => unordered || a <= b,
                FloatPred::Une => a != b,
                FloatPred::True => true,
            };
            assert_eq!(
                call(&mut machine, vec![Val::f64(a), Val::f64(b)]),
                Ok(Val::bool(expected)),
                "{pred:?} {a} {b}"
            );
        }
    }
}

#[test]
fn fast_math_promises() {
    let flags = Flags::NNAN | Flags::NINF;
    let module = module(&[Type::FLOAT, Type::FLOAT], Type::FLOAT, |b, x| {
        b.binary_with(BinOp::FDiv, flags, x[0], x[1])
    });
    let mut machine = Machine::new(&module);
    let mut divide = |a: f32, b: f32| call(&mut machine, vec![Val::f32(a), Val::f32(b)]).unwrap();
    assert_eq!(divide(1.0, 4.0), Val::f32(0.25));
    assert_eq!(divide(1.0, 0.0), Val::Poison);
    assert_eq!(divide(0.0, 0.0), Val::Poison);
    assert_eq!(divide(f32::NAN, 1.0), Val::Poison);
}

#[test]
fn conversions_between_numbers() {
    let mut rng = Rng::new(8);
    let cast = |op: CastOp, from: Type, to: Type| module(&[from], to, |b, x| b.cast(op, x[0], to));
    let (si, ui) = (
        cast(CastOp::FpToSi, Type::DOUBLE, Type::I32),
        cast(CastOp::FpToUi, Type::FLOAT, Type::I64),
    );
    let (sf, uf) = (
        cast(CastOp::SiToFp, Type::I64, Type::FLOAT),
        cast(CastOp::UiToFp, Type::I64, Type::DOUBLE),
    );
    let (mut si, mut ui, mut sf, mut uf) =
        (Machine::new(&si), Machine::new(&ui), Machine::new(&sf), Machine::new(&uf));
    for _ in 0..1000 {
        let x = number(&mut rng);
        let t = x.trunc();
        let expected = if (-2147483648.0..=2147483647.0).contains(&t) {
            Val::i32(t as i32)
        } else {
            Val::Poison
        };
        assert_eq!(call(&mut si, vec![Val::f64(x)]), Ok(expected), "{x}");
        let y = x as f32;
        let t = y.trunc();
        let expected = if t > -1.0 && t < 18446744073709551616.0 {
            Val::i64(t as u64 as i64)
        } else {
            Val::Poison
        };
        assert_eq!(call(&mut ui, vec![Val::f32(y)]), Ok(expected), "{y}");
        let n = sample(&mut rng);
        assert_eq!(call(&mut sf, vec![Val::i64(n)]), Ok(Val::f32(n as f32)), "{n}");
        assert_eq!(call(&mut uf, vec![Val::i64(n)]), Ok(Val::f64(n as u64 as f64)), "{n}");
    }
}

#[test]
fn very_wide_integers_to_floats_and_back() {
    let ty = Type::int(300);
    let module = module(&[Type::I64, Type::I64], Type::I1, |b, x| {
        // x · 2^y as a product and as a conversion of the shifted integer.
        let (w, s) = (b.cast(CastOp::ZExt, x[0], ty), b.cast(CastOp::ZExt, x[1], ty));
        let shifted = b.binary(BinOp::Shl, w, s);
        let as_float = b.cast(CastOp::UiToFp, shifted, Type::DOUBLE);
        let back = b.cast(CastOp::FpToUi, as_float, ty);
        let again = b.cast(CastOp::UiToFp, back, Type::DOUBLE);
        b.fcmp(FloatPred::Oeq, as_float, again)
    });
    let mut machine = Machine::new(&module);
    for (x, y) in [(1, 0), (3, 100), (12345, 200), (0x1f_ffff_ffff_ffff, 240), (7, 255)] {
        assert_eq!(
            call(&mut machine, vec![Val::i64(x), Val::i64(y)]),
            Ok(Val::bool(true)),
            "{x} << {y}"
        );
    }
}

#[test]
fn undefined_operands() {
    let and = module(&[Type::I32, Type::I32], Type::I32, |b, x| b.binary(BinOp::And, x[0], x[1]));
    let mut and = Machine::new(&and);
    assert_eq!(call(&mut and, vec![Val::i32(0), Val::Undef]), Ok(Val::i32(0)));
    assert_eq!(call(&mut and, vec![Val::i32(1), Val::Undef]), Ok(Val::Undef));
    assert_eq!(call(&mut and, vec![Val::i32(0), Val::Poison]), Ok(Val::Poison));
    let select = module(&[Type::I1, Type::I32], Type::I32, |b, x| {
        let seven = b.int(Type::I32, 7);
        b.select(x[0], seven, x[1])
    });
    let mut select = Machine::new(&select);
    assert_eq!(call(&mut select, vec![Val::bool(true), Val::Poison]), Ok(Val::i32(7)));
    assert_eq!(call(&mut select, vec![Val::bool(false), Val::Poison]), Ok(Val::Poison));
    assert_eq!(call(&mut select, vec![Val::Undef, Val::i32(7)]), Ok(Val::i32(7)));
    let freeze = module(&[Type::I32], Type::I32, |b, x| b.freeze(x[0]));
    let outcome =
        Machine::new(&freeze).run_index(0, &[vec![Val::Poison]], &Run::default()).unwrap();
    assert_eq!(outcome.values(), [Val::i32(0)]);
    assert!(outcome.nondeterminism_used);
}

#[test]
fn vectors_go_lane_by_lane() {
    let ty = Type::vector(Scalar::Int(32), 3);
    let add = module(&[ty, ty], ty, |b, x| b.binary_with(BinOp::Add, Flags::NSW, x[0], x[1]));
    let mut add = Machine::new(&add);
    let vector = |values: [i32; 3]| Val::elems(values.map(Val::i32));
    let sum = call(&mut add, vec![vector([1, i32::MAX, 3]), vector([4, 1, -6])]);
    assert_eq!(sum, Ok(Val::elems([Val::i32(5), Val::Poison, Val::i32(-3)])));
    assert_eq!(
        call(&mut add, vec![Val::Undef, vector([4, 1, -6])]),
        Ok(Val::elems(vec![Val::Undef; 3]))
    );
}

#[test]
fn bitcasts_keep_bits() {
    let bytes = Type::vector(Scalar::Int(8), 4);
    let to_int = module(&[bytes], Type::I32, |b, x| b.cast(CastOp::BitCast, x[0], Type::I32));
    let mut to_int = Machine::new(&to_int);
    let four = Val::elems([1, 2, 3, 4].map(Val::i8));
    assert_eq!(call(&mut to_int, vec![four]), Ok(Val::i32(0x0403_0201)));
    let hole = Val::elems([Val::i8(1), Val::Undef, Val::i8(3), Val::i8(4)]);
    assert_eq!(call(&mut to_int, vec![hole]), Ok(Val::Undef));
    let flags = Type::vector(Scalar::Int(1), 11);
    let from_flags =
        module(&[flags], Type::int(11), |b, x| b.cast(CastOp::BitCast, x[0], Type::int(11)));
    let mut from_flags = Machine::new(&from_flags);
    let eleven = Val::elems((0..11).map(|i| Val::bool(i % 3 == 0)));
    assert_eq!(call(&mut from_flags, vec![eleven]), Ok(Val::Int(0b010_0100_1001)));
    let double = module(&[Type::DOUBLE], Type::vector(Scalar::Int(32), 2), |b, x| {
        b.cast(CastOp::BitCast, x[0], Type::vector(Scalar::Int(32), 2))
    });
    let halves = call(&mut Machine::new(&double), vec![Val::f64(1.0)]).unwrap();
    assert_eq!(halves, Val::elems([Val::i32(0), Val::i32(0x3ff0_0000)]));
}

#[test]
fn lanes_may_be_named_by_very_wide_integers() {
    let text = "func @f(i160 %i) -> i8 {
entry:
  %e = extractelement <2 x i8> <i8 3, i8 4>, i160 %i
  ret i8 %e
}
";
    let module = lw_ir::parse_module(text).unwrap();
    let wide = |i: u128| lw_ir::parse_module(&text.replace("i160 %i\n", &format!("i160 {i}\n")));
    let run = |m: &Module| {
        let args = vec![Val::Undef; m.functions[0].params().len()];
        Machine::new(m).run("f", &[args], &Run::default()).unwrap().values()[0].clone()
    };
    assert_eq!(run(&wide(1).unwrap()), Val::i8(4));
    assert_eq!(run(&wide(2).unwrap()), Val::Poison);
    assert_eq!(run(&wide(u128::MAX).unwrap()), Val::Poison);
    assert_eq!(run(&module), Val::Poison);
}

/// Whichever side of a `select` is taken, elements that are equal in both are known.
#[test]
fn select_by_an_undefined_condition() {
    let vector = Type::vector(Scalar::Int(32), 3);
    let module =
        module(&[Type::I1, vector, vector], vector, |b, args| b.select(args[0], args[1], args[2]));
    let mut machine = Machine::new(&module);
    let sides = [[1, 2, 3], [1, 5, 3]].map(|side| Val::elems(side.map(Val::i32)));
    let mut select = |condition: Val| {
        call(&mut machine, vec![condition, sides[0].clone(), sides[1].clone()]).unwrap()
    };
    assert_eq!(select(Val::Undef), Val::elems([Val::i32(1), Val::Undef, Val::i32(3)]));
    assert_eq!(select(Val::Poison), Val::Poison);
    assert_eq!(select(Val::Int(1)), sides[0]);
}
