//! Host functions: intrinsics and the C library, against Rust's own functions.

use lw_ir::interp::{ErrorKind, Machine, Outcome, Run, RunError, Val};
use lw_ir::{Module, parse_module};

fn parse(text: &str) -> Module {
    parse_module(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn run(text: &str, args: &[Vec<Val>]) -> Result<Outcome, RunError> {
    let module = parse(text);
    Machine::new(&module).run_index(0, args, &Run { threads: args.len(), ..Run::default() })
}

/// Calls `name` with arguments of these types.
fn intrinsic(name: &str, ret: &str, types: &[&str], args: Vec<Val>) -> Val {
    let params: Vec<String> =
        types.iter().enumerate().map(|(i, ty)| format!("{ty} %a{i}")).collect();
    let params = params.join(", ");
    let sig = types.join(", ");
    let text = format!(
        "declare @{name} : {ret} ({sig})
func @f({params}) -> {ret} {{
A:
  %r = call {ret} ({sig}) @{name}({params})
  ret {ret} %r
}}
"
    );
    run(&text, &[args]).unwrap_or_else(|error| panic!("{error}")).values()[0].clone()
}

#[test]
fn integer_intrinsics() {
    let two = |name: &str, a: i32, b: i32| {
        intrinsic(
            &format!("llvm.{name}.i32"),
            "i32",
            &["i32", "i32"],
            vec![Val::i32(a), Val::i32(b)],
        )
    };
    for (a, b) in [(3, -4), (-4, 3), (i32::MIN, 1), (i32::MAX, i32::MAX), (0, 31), (7, 7), (-1, 33)]
    {
        assert_eq!(two("smin", a, b), Val::i32(a.min(b)));
        assert_eq!(two("smax", a, b), Val::i32(a.max(b)));
        assert_eq!(two("umin", a, b), Val::i32((a as u32).min(b as u32) as i32));
        assert_eq!(two("umax", a, b), Val::i32((a as u32).max(b as u32) as i32));
        assert_eq!(two("sadd.sat", a, b), Val::i32(a.saturating_add(b)));
        assert_eq!(two("ssub.sat", a, b), Val::i32(a.saturating_sub(b)));
        assert_eq!(two("uadd.sat", a, b), Val::i32((a as u32).saturating_add(b as u32) as i32));
        assert_eq!(two("usub.sat", a, b), Val::i32((a as u32).saturating_sub(b as u32) as i32));
        let overflow = |name: &str| {
            let name = format!("llvm.{name}.with.overflow.i32");
            intrinsic(&name, "{ i32, i1 }", &["i32", "i32"], vec![Val::i32(a), Val::i32(b)])
        };
        let pair =
            |(value, wrapped): (i32, bool)| Val::elems([Val::i32(value), Val::bool(wrapped)]);
        let unsigned = |(value, wrapped): (u32, bool)| pair((value as i32, wrapped));
        assert_eq!(overflow("sadd"), pair(a.overflowing_add(b)));
        assert_eq!(overflow("ssub"), pair(a.overflowing_sub(b)));
        assert_eq!(overflow("smul"), pair(a.overflowing_mul(b)));
        assert_eq!(overflow("uadd"), unsigned((a as u32).overflowing_add(b as u32)));
        assert_eq!(overflow("usub"), unsigned((a as u32).overflowing_sub(b as u32)));
        assert_eq!(overflow("umul"), unsigned((a as u32).overflowing_mul(b as u32)));
        let three = |name: &str| {
            let args = vec![Val::i32(a), Val::i32(b), Val::i32(37)];
            intrinsic(&format!("llvm.{name}.i32"), "i32", &["i32", "i32", "i32"], args)
        };
        let joined = u64::from(a as u32) << 32 | u64::from(b as u32);
        assert_eq!(three("fshl"), Val::i32((joined << 5 >> 32) as i32));
        assert_eq!(three("fshr"), Val::i32((joined >> 5) as i32));
        assert_eq!(
            intrinsic("llvm.ctpop.i32", "i32", &["i32"], vec![Val::i32(a)]),
            Val::i32(a.count_ones() as i32)
        );
        assert_eq!(
            intrinsic("llvm.bswap.i32", "i32", &["i32"], vec![Val::i32(a)]),
            Val::i32(a.swap_bytes())
        );
        assert_eq!(
            intrinsic("llvm.bitreverse.i32", "i32", &["i32"], vec![Val::i32(a)]),
            Val::i32(a.reverse_bits())
        );
        let zeros = |name: &str, poison: bool| {
            intrinsic(
                &format!("llvm.{name}.i32"),
                "i32",
                &["i32", "i1"],
                vec![Val::i32(a), Val::bool(poison)],
            )
        };
        assert_eq!(zeros("ctlz", false), Val::i32(a.leading_zeros() as i32));
        assert_eq!(zeros("cttz", false), Val::i32(a.trailing_zeros() as i32));
        assert_eq!(
            zeros("cttz", true),
            if a == 0 { Val::Poison } else { Val::i32(a.trailing_zeros() as i32) }
        );
        assert_eq!(zeros("abs", false), Val::i32(a.wrapping_abs()));
        let compare =
            intrinsic("llvm.scmp.i8.i32", "i8", &["i32", "i32"], vec![Val::i32(a), Val::i32(b)]);
        assert_eq!(compare, Val::i8(a.cmp(&b) as i8));
    }
    assert_eq!(two("sshl.sat", 1 << 30, 1), Val::i32(i32::MAX));
    assert_eq!(two("ushl.sat", -1, 4), Val::i32(-1));
    let vector = |v: [i32; 4]| Val::elems(v.map(Val::i32));
    let args = vec![vector([1, -2, 3, -4]), vector([0, 0, 9, -9])];
    let lanes = intrinsic("llvm.smax.v4i32", "<4 x i32>", &["<4 x i32>", "<4 x i32>"], args);
    assert_eq!(lanes, vector([1, 0, 9, -4]));
}

#[test]
fn float_intrinsics() {
    let one = |name: &str, x: f64| {
        intrinsic(&format!("llvm.{name}.f64"), "double", &["double"], vec![Val::f64(x)])
    };
    for x in [0.0, -0.0, 0.5, -1.5, 2.5, 1e300, -7.25, f64::INFINITY, f64::NAN, 5e-324] {
        for (name, expected) in [
            ("fabs", x.abs()),
            ("sqrt", x.sqrt()),
            ("floor", x.floor()),
            ("ceil", x.ceil()),
            ("trunc", x.trunc()),
            ("round", x.round()),
            ("rint", x.round_ties_even()),
            ("roundeven", x.round_ties_even()),
            ("sin", x.sin()),
            ("exp", x.exp()),
            ("log2", x.log2()),
        ] {
            assert!(one(name, x).same_as(&Val::f64(expected)), "{name}({x}): {}", one(name, x));
        }
        let two = |name: &str, y: f64| {
            intrinsic(
                &format!("llvm.{name}.f64"),
                "double",
                &["double", "double"],
                vec![Val::f64(x), Val::f64(y)],
            )
        };
        assert!(two("copysign", -1.0).same_as(&Val::f64(x.copysign(-1.0))));
        assert!(two("minnum", 1.0).same_as(&Val::f64(x.min(1.0))));
        assert!(two("maxnum", f64::NAN).same_as(&Val::f64(x)));
        let strict = two("maximum", f64::NAN);
        assert!(strict.as_f64().unwrap().is_nan());
        assert!(two("pow", 2.0).same_as(&Val::f64(x.powf(2.0))));
    }
    let fma = intrinsic(
        "llvm.fma.f32",
        "float",
        &["float"; 3],
        [1.5f32, 2.0, -3.0].map(Val::f32).to_vec(),
    );
    assert_eq!(fma, Val::f32(0.0));
    let saturated =
        |x: f64| intrinsic("llvm.fptosi.sat.i8.f64", "i8", &["double"], vec![Val::f64(x)]);
    assert_eq!([300.0, -300.0, f64::NAN, 5.9].map(saturated), [127, -128, 0, 5].map(Val::i8));
    let class = |x: f64, mask: i32| {
        intrinsic(
            "llvm.is.fpclass.f64",
            "i1",
            &["double", "i32"],
            vec![Val::f64(x), Val::i32(mask)],
        )
    };
    for (x, bit) in [
        (f64::NAN, 1),
        (f64::NEG_INFINITY, 2),
        (-1.0, 3),
        (-5e-324, 4),
        (-0.0, 5),
        (0.0, 6),
        (5e-324, 7),
        (1.0, 8),
        (f64::INFINITY, 9),
    ] {
        assert_eq!(class(x, 1 << bit), Val::bool(true), "{x}");
        assert_eq!(class(x, 0x3ff & !(1 << bit)), Val::bool(false), "{x}");
    }
    assert_eq!(
        intrinsic("llvm.lrint.i64.f64", "i64", &["double"], vec![Val::f64(2.5)]),
        Val::i64(2)
    );
    assert_eq!(
        intrinsic("llvm.lround.i64.f64", "i64", &["double"], vec![Val::f64(2.5)]),
        Val::i64(3)
    );
    assert_eq!(
        intrinsic(
            "llvm.ldexp.f64.i32",
            "double",
            &["double", "i32"],
            vec![Val::f64(3.0), Val::i32(4)]
        ),
        Val::f64(48.0)
    );
    let frexp =
        intrinsic("llvm.frexp.f64.i32", "{ double, i32 }", &["double"], vec![Val::f64(48.0)]);
    assert_eq!(frexp, Val::elems([Val::f64(0.75), Val::i32(6)]));
}

#[test]
fn roots_of_every_format() {
    use lw_ir::types::FloatKind;
    // 2 in each format, and the bits of its root.
    for (ty, kind, two, root) in [
        ("half", FloatKind::Half, 0x4000, 0x3da8),
        ("bfloat", FloatKind::BFloat, 0x4000, 0x3fb5),
        ("float", FloatKind::Float, 0x4000_0000, u128::from(2f32.sqrt().to_bits())),
        ("x86_fp80", FloatKind::X86Fp80, 0x4000_8000_0000_0000_0000, 0x3fff_b504_f333_f9de_6484),
        ("fp128", FloatKind::Fp128, 0x4000 << 112, 0x3fff_6a09_e667_f3bc_c908_b2fb_1366_ea95),
    ] {
        let suffix = ty
            .replace("x86_fp80", "f80")
            .replace("fp128", "f128")
            .replace("bfloat", "bf16")
            .replace("half", "f16")
            .replace("float", "f32");
        let value =
            intrinsic(&format!("llvm.sqrt.{suffix}"), ty, &[ty], vec![Val::Float(kind, two)]);
        assert_eq!(value, Val::Float(kind, root), "{ty}");
    }
}

#[test]
fn the_math_library() {
    let double = |name: &str, x: f64| intrinsic(name, "double", &["double"], vec![Val::f64(x)]);
    let single = |name: &str, x: f32| intrinsic(name, "float", &["float"], vec![Val::f32(x)]);
    assert_eq!(double("sin", 1.0), Val::f64(1f64.sin()));
    assert_eq!(single("sinf", 1.0), Val::f32(1f32.sin()));
    assert_eq!(double("log10", 1000.0), Val::f64(1000f64.log10()));
    assert_eq!(single("tanf", 0.5), Val::f32(0.5f32.tan()));
    assert_eq!(double("cbrt", 27.0), Val::f64(27f64.cbrt()));
    let two = |name: &str| {
        intrinsic(name, "double", &["double", "double"], vec![Val::f64(-7.5), Val::f64(2.0)])
    };
    assert_eq!(two("fmod"), Val::f64(-1.5));
    assert_eq!(two("fmin"), Val::f64(-7.5));
    assert_eq!(two("hypot"), Val::f64((-7.5f64).hypot(2.0)));
    assert_eq!(two("atan2"), Val::f64((-7.5f64).atan2(2.0)));
    assert_eq!(intrinsic("abs", "i32", &["i32"], vec![Val::i32(-3)]), Val::i32(3));
}

#[test]
fn vector_intrinsics() {
    let v = |v: &[i32]| Val::elems(v.iter().map(|&x| Val::i32(x)));
    let reduce = |name: &str| {
        intrinsic(
            &format!("llvm.vector.reduce.{name}.v4i32"),
            "i32",
            &["<4 x i32>"],
            vec![v(&[3, -1, 7, 2])],
        )
    };
    assert_eq!(
        ["add", "smax", "umax", "xor"].map(reduce),
        [11, 7, -1, 3 ^ -1 ^ 7 ^ 2].map(Val::i32)
    );
    let floats = Val::elems([1.0, 2.0, 4.0].map(Val::f32));
    let sum = intrinsic(
        "llvm.vector.reduce.fadd.v3f32",
        "float",
        &["float", "<3 x float>"],
        vec![Val::f32(0.5), floats],
    );
    assert_eq!(sum, Val::f32(7.5));
    let reversed =
        intrinsic("llvm.vector.reverse.v4i32", "<4 x i32>", &["<4 x i32>"], vec![v(&[1, 2, 3, 4])]);
    assert_eq!(reversed, v(&[4, 3, 2, 1]));
    let pair = vec![v(&[1, 2]), v(&[3, 4])];
    let woven = intrinsic("llvm.vector.interleave2.v4i32", "<4 x i32>", &["<2 x i32>"; 2], pair);
    assert_eq!(woven, v(&[1, 3, 2, 4]));
    let mask = intrinsic(
        "llvm.get.active.lane.mask.v4i1.i32",
        "<4 x i1>",
        &["i32", "i32"],
        vec![Val::i32(6), Val::i32(8)],
    );
    assert_eq!(mask, Val::elems([true, true, false, false].map(Val::bool)));
}

#[test]
fn masked_accesses_touch_only_active_lanes() {
    let text = "declare @llvm.masked.load.v4i32.p0 : <4 x i32> (ptr, i32, <4 x i1>, <4 x i32>)
declare @llvm.masked.store.v4i32.p0 : void (<4 x i32>, ptr, i32, <4 x i1>)
declare @llvm.masked.compressstore.v4i32 : void (<4 x i32>, ptr, <4 x i1>)
func @f(ptr %p, ptr %q) -> <4 x i32> {
A:
  %x = call <4 x i32> (ptr, i32, <4 x i1>, <4 x i32>) @llvm.masked.load.v4i32.p0(ptr %p, i32 4, <4 x i1> <i1 1, i1 1, i1 0, i1 0>, <4 x i32> <i32 9, i32 9, i32 9, i32 9>)
  call void (<4 x i32>, ptr, i32, <4 x i1>) @llvm.masked.store.v4i32.p0(<4 x i32> %x, ptr %q, i32 4, <4 x i1> <i1 0, i1 1, i1 0, i1 0>)
  %past = getelementptr i32, ptr %q, i64 2
  call void (<4 x i32>, ptr, <4 x i1>) @llvm.masked.compressstore.v4i32(<4 x i32> %x, ptr %past, <4 x i1> <i1 1, i1 0, i1 0, i1 1>)
  ret <4 x i32> %x
}
";
    let module = parse(text);
    let mut machine = Machine::new(&module);
    // Two elements only: lanes 2 and 3 would be out of bounds.
    let p = machine.alloc_buffer(&[1, 0, 0, 0, 2, 0, 0, 0]).unwrap();
    let q = machine.alloc_buffer(&[0; 16]).unwrap();
    let outcome = machine.run("f", &[vec![Val::Ptr(p), Val::Ptr(q)]], &Run::default()).unwrap();
    assert_eq!(outcome.values(), [Val::elems([1, 2, 9, 9].map(Val::i32))]);
    let expected: Vec<Option<u8>> =
        [0, 2, 1, 9i32].into_iter().flat_map(i32::to_le_bytes).map(Some).collect();
    assert_eq!(machine.read_bytes(q, 16).unwrap(), expected);
}

#[test]
fn memory_intrinsics_and_markers() {
    let text = "declare @llvm.memcpy.p0.p0.i64 : void (ptr, ptr, i64, i1)
declare @llvm.memset.p0.i64 : void (ptr, i8, i64, i1)
declare @llvm.lifetime.start.p0 : void (ptr)
declare @llvm.lifetime.end.p0 : void (ptr)
declare @llvm.assume : void (i1)
declare @llvm.nvvm.read.ptx.sreg.tid.x : i32 ()
func @f(ptr %p, i1 %c) -> i32 {
A:
  %t = alloca [2 x i32], i32 1, align 4
  call void (ptr) @llvm.lifetime.start.p0(ptr %t)
  call void (ptr, i8, i64, i1) @llvm.memset.p0.i64(ptr %t, i8 1, i64 8, i1 0)
  call void (ptr, ptr, i64, i1) @llvm.memcpy.p0.p0.i64(ptr %t, ptr %p, i64 4, i1 0)
  %second = getelementptr i32, ptr %t, i64 1
  %x = load i32, ptr %t, align 4
  %y = load i32, ptr %second, align 4
  call void (ptr) @llvm.lifetime.end.p0(ptr %t)
  call void (i1) @llvm.assume(i1 %c)
  %s = add i32 %x, %y
  %tid = call i32 () @llvm.nvvm.read.ptx.sreg.tid.x()
  %r = add i32 %s, %tid
  ret i32 %r
}
";
    let module = parse(text);
    let mut machine = Machine::new(&module);
    let p = machine.alloc_buffer(&[5, 0, 0, 0]).unwrap();
    let args = |c: bool| vec![vec![Val::Ptr(p), Val::bool(c)]; 2];
    let two = Run { threads: 2, ..Run::default() };
    let outcome = machine.run("f", &args(true), &two).unwrap();
    assert_eq!(outcome.values(), [Val::i32(0x0101_0106), Val::i32(0x0101_0107)]);
    let error = machine.run("f", &args(false), &two).unwrap_err();
    assert!(matches!(error.kind, ErrorKind::Undefined(_)));
}

#[test]
fn the_allocator_of_rust() {
    let outcome = run(
        "declare @_RNvCsfLfy6EI15iL_7___rustc12___rust_alloc : ptr (i64, i64)
declare @_RNvCsfLfy6EI15iL_7___rustc14___rust_realloc : ptr (ptr, i64, i64, i64)
declare @_RNvCsfLfy6EI15iL_7___rustc14___rust_dealloc : void (ptr, i64, i64)
func @f() -> i32 {
A:
  %p = call ptr (i64, i64) @_RNvCsfLfy6EI15iL_7___rustc12___rust_alloc(i64 4, i64 4)
  store i32 9, ptr %p, align 4
  %q = call ptr (ptr, i64, i64, i64) @_RNvCsfLfy6EI15iL_7___rustc14___rust_realloc(ptr %p, i64 4, i64 4, i64 8)
  %x = load i32, ptr %q, align 4
  call void (ptr, i64, i64) @_RNvCsfLfy6EI15iL_7___rustc14___rust_dealloc(ptr %q, i64 8, i64 4)
  ret i32 %x
}
",
        &[vec![]],
    );
    assert_eq!(outcome.unwrap().values(), [Val::i32(9)]);
}
