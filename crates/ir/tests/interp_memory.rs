//! Memory: layout, bounds, lifetimes, undefined bytes, pointers, atomics.

use lw_ir::interp::{ErrorKind, Machine, Outcome, Run, RunError, Val};
use lw_ir::types::FloatKind;
use lw_ir::{Module, parse_module};

fn parse(text: &str) -> Module {
    parse_module(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn run(text: &str, args: &[Vec<Val>]) -> Result<Outcome, RunError> {
    let module = parse(text);
    let run = Run { threads: args.len(), ..Run::default() };
    Machine::new(&module).run_index(0, args, &run)
}

fn one(text: &str) -> Result<Val, ErrorKind> {
    run(text, &[vec![]]).map(|outcome| outcome.values()[0].clone()).map_err(|error| error.kind)
}

/// Stores `value` of type `ty` and loads it again.
fn round_trip(ty: &str, value: Val) -> Val {
    let text = format!(
        "func @f({ty} %x) -> {ty} {{
A:
  %p = alloca {ty}, i32 1, align 16
  store {ty} %x, ptr %p, align 1
  %y = load {ty}, ptr %p, align 1
  ret {ty} %y
}}
"
    );
    run(&text, &[vec![value]]).unwrap_or_else(|error| panic!("{ty}: {error}")).values()[0].clone()
}

#[test]
fn values_of_every_type_survive_memory() {
    for (ty, value) in [
        ("i1", Val::bool(true)),
        ("i8", Val::i8(-5)),
        ("i24", Val::int(24, -7)),
        ("i64", Val::i64(i64::MIN)),
        ("i128", Val::int(128, i128::MIN + 5)),
        ("half", Val::Float(FloatKind::Half, 0x3c01)),
        ("float", Val::f32(-0.0)),
        ("x86_fp80", Val::Float(FloatKind::X86Fp80, 0x3fff_8000_0000_0000_0001)),
        ("fp128", Val::Float(FloatKind::Fp128, 0x3fff << 112 | 77)),
        ("<3 x i16>", Val::elems([1, -2, 3].map(Val::i16))),
        ("<11 x i1>", Val::elems((0..11).map(|i| Val::bool(i % 2 == 0)))),
        ("<5 x i7>", Val::elems((0..5).map(|i| Val::int(7, 60 - i)))),
        (
            "{ i8, i32, <2 x float> }",
            Val::elems([Val::i8(1), Val::i32(2), Val::elems([Val::f32(3.0), Val::f32(4.0)])]),
        ),
        ("[3 x { i8, i16 }]", Val::elems((0..3).map(|i| Val::elems([Val::i8(i), Val::i16(-1)])))),
    ] {
        assert_eq!(round_trip(ty, value.clone()), value, "{ty}");
    }
    let wide =
        round_trip("i200", Val::Big(Box::new(lw_ir::bits::Bits::from_words(200, &[1, 2, 3, 4]))));
    assert_eq!(wide, Val::Big(Box::new(lw_ir::bits::Bits::from_words(200, &[1, 2, 3, 4]))));
    assert_eq!(round_trip("i32", Val::Poison), Val::Poison);
    let holes = Val::elems([Val::i32(1), Val::Undef, Val::Poison]);
    assert_eq!(round_trip("<3 x i32>", holes.clone()), holes);
}

#[test]
fn bytes_are_little_endian_and_padding_is_undefined() {
    let module = parse(
        "func @f(ptr %p) -> void {
A:
  store { i8, i32 } { i8 1, i32 287454020 }, ptr %p, align 4
  ret void
}
",
    );
    let mut machine = Machine::new(&module);
    let p = machine.alloc_undefined(8).unwrap();
    machine.run("f", &[vec![Val::Ptr(p)]], &Run::default()).unwrap();
    let bytes = machine.read_bytes(p, 8).unwrap();
    assert_eq!(bytes, [Some(1), None, None, None, Some(0x44), Some(0x33), Some(0x22), Some(0x11)]);
}

#[test]
fn a_computed_nan_has_no_particular_bits_in_memory() {
    let module = parse(
        "func @f(ptr %p, float %x) -> void {
A:
  %nan = fdiv float %x, %x
  store float %nan, ptr %p, align 4
  ret void
}
",
    );
    let mut machine = Machine::new(&module);
    let p = machine.alloc_undefined(4).unwrap();
    machine.run("f", &[vec![Val::Ptr(p), Val::f32(0.0)]], &Run::default()).unwrap();
    assert_eq!(machine.read_bytes(p, 4).unwrap(), [None; 4]);
}

#[test]
fn globals_hold_their_initializers() {
    let text = "@text = constant [4 x i8] c\"ab\\00\\FF\"
@table = global [2 x ptr] [ptr @text, ptr @last]
@last = global i16 7
@inner = global ptr getelementptr inbounds ([4 x i8], ptr @text, i64 0, i64 1)
@zeros = global [1000 x i64] zeroinitializer
func @f() -> i32 {
A:
  %slot = getelementptr [2 x ptr], ptr @table, i64 0, i64 1
  %last = load ptr, ptr %slot, align 8
  %seven = load i16, ptr %last, align 2
  %inner = load ptr, ptr @inner, align 8
  %b = load i8, ptr %inner, align 1
  %far = getelementptr [1000 x i64], ptr @zeros, i64 0, i64 999
  %zero = load i64, ptr %far, align 8
  %s = zext i16 %seven to i32
  %c = zext i8 %b to i32
  %z = trunc i64 %zero to i32
  %t = mul i32 %s, 1000
  %u = add i32 %t, %c
  %v = add i32 %u, %z
  ret i32 %v
}
";
    assert_eq!(one(text), Ok(Val::i32(7000 + 'b' as i32)));
    let module = parse(text);
    let machine = Machine::new(&module);
    assert_eq!(machine.read_global("last"), Some(vec![Some(7), Some(0)]));
}

#[test]
fn bounds_and_lifetimes_are_checked() {
    let body = |code: &str| {
        let text = format!(
            "@c = constant i32 1
@escape = global ptr null
func @f() -> i32 {{
A:
  %p = alloca [4 x i32], i32 1, align 4
  %q = alloca [4 x i32], i32 1, align 4
{code}
  ret i32 0
}}
func @leak() -> void {{
A:
  %p = alloca i32, i32 1, align 4
  store ptr %p, ptr @escape, align 8
  ret void
}}
"
        );
        one(&text)
    };
    let over = body("  %e = getelementptr i32, ptr %p, i64 4\n  store i32 1, ptr %e, align 4");
    assert!(matches!(over, Err(ErrorKind::OutOfBounds { size: 4, .. })), "{over:?}");
    let under = body("  %e = getelementptr i32, ptr %p, i64 -1\n  %x = load i32, ptr %e, align 4");
    assert!(matches!(under, Err(ErrorKind::OutOfBounds { .. })), "{under:?}");
    // Into the neighbour: the address is that of memory, but not of this pointer's.
    let across = body(
        "  %a = ptrtoint ptr %p to i64
  %b = ptrtoint ptr %q to i64
  %d = sub i64 %b, %a
  %e = getelementptr i8, ptr %p, i64 %d
  %x = load i32, ptr %e, align 4",
    );
    assert!(matches!(across, Err(ErrorKind::OutOfBounds { .. })), "{across:?}");
    // A pointer made from the number may go there.
    let through = body(
        "  %b = ptrtoint ptr %q to i64
  %e = inttoptr i64 %b to ptr
  store i32 1, ptr %e, align 4",
    );
    assert_eq!(through, Ok(Val::i32(0)));
    let inbounds =
        body("  %e = getelementptr inbounds i32, ptr %p, i64 5\n  %x = load i32, ptr %e, align 4");
    assert_eq!(inbounds, Err(ErrorKind::UndefinedUse("the address of a memory access")));
    assert_eq!(body("  %x = load i32, ptr null, align 4"), Err(ErrorKind::NoAllocation(0)));
    assert!(matches!(body("  store i32 2, ptr @c, align 4"), Err(ErrorKind::ReadOnly(_))));
    let dangling = body(
        "  call void () @leak()
  %l = load ptr, ptr @escape, align 8
  %x = load i32, ptr %l, align 4",
    );
    assert!(matches!(dangling, Err(ErrorKind::UseAfterFree(_))), "{dangling:?}");
    let crooked = body("  %e = getelementptr i8, ptr %p, i64 2\n  %x = load i32, ptr %e, align 4");
    assert!(matches!(crooked, Err(ErrorKind::Misaligned { align: 4, .. })), "{crooked:?}");
    let unset = body(
        "  %x = load i32, ptr %p, align 4
  %c = icmp eq i32 %x, 0
  br i1 %c, label %B, label %B
B:",
    );
    assert_eq!(unset, Err(ErrorKind::UndefinedUse("the condition of a branch")));
    let huge = body("  %h = alloca i64, i64 1000000000000, align 8");
    assert!(matches!(huge, Err(ErrorKind::MemoryLimit(_))), "{huge:?}");
}

#[test]
fn errors_say_where_and_what_to_do() {
    let error = run(
        "func @f(ptr %p) -> i32 {
entry:
  %x = load i32, ptr %p, align 4
  ret i32 %x
}
",
        &[vec![Val::address(0)]],
    )
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "@f, block %entry, `%x = load i32, ptr %p, align 4`, thread 0: access through the null pointer; test it before"
    );
    assert!(error.kind.is_undefined_behaviour());
}

#[test]
fn allocas_are_private_to_threads() {
    let outcome = run(
        "func @f(i32 %x) -> i32 {
A:
  %p = alloca i32, i32 1, align 4
  store i32 %x, ptr %p, align 4
  %y = load i32, ptr %p, align 4
  ret i32 %y
}
",
        &[1, 2, 3, 4].map(|x| vec![Val::i32(x)]),
    );
    assert_eq!(outcome.unwrap().values(), [1, 2, 3, 4].map(Val::i32));
}

#[test]
fn atomics_execute_in_thread_order() {
    let module = parse(
        "@count = global i32 10
@max = global i32 0
func @f(i32 %x) -> i32 {
A:
  %old = atomicrmw add ptr @count, i32 %x seq_cst, align 4
  %m = atomicrmw max ptr @max, i32 %x monotonic, align 4
  %cx = cmpxchg ptr @count, i32 16, i32 100 acq_rel monotonic, align 4
  %won = extractvalue { i32, i1 } %cx, 1
  %w = zext i1 %won to i32
  %r = mul i32 %w, 1000
  %s = add i32 %r, %old
  ret i32 %s
}
",
    );
    let mut machine = Machine::new(&module);
    let args: Vec<Vec<Val>> = [1, 2, 3].map(|x| vec![Val::i32(x)]).to_vec();
    let outcome = machine.run("f", &args, &Run { threads: 3, ..Run::default() }).unwrap();
    // All add, then all compare: the first thread sees 16 and wins.
    assert_eq!(outcome.values(), [1010, 11, 13].map(Val::i32));
    assert_eq!(machine.read_global("count").unwrap()[0], Some(100));
    assert_eq!(machine.read_global("max").unwrap()[0], Some(3));
}

#[test]
fn address_computations() {
    let text = "%pair = type { i8, [3 x i16] }
func @f(ptr %p, i64 %i) -> i64 {
A:
  %q = getelementptr %pair, ptr %p, i64 %i, i32 1, i64 2
  %a = ptrtoint ptr %p to i64
  %b = ptrtoint ptr %q to i64
  %d = sub i64 %b, %a
  ret i64 %d
}
";
    for (i, expected) in [(0, 6), (3, 30), (-1, -2)] {
        let outcome = run(text, &[vec![Val::address(1 << 40), Val::i64(i)]]).unwrap();
        assert_eq!(outcome.values(), [Val::i64(expected)]);
    }
    let vector = "func @g(ptr %p, <2 x i64> %i) -> <2 x i1> {
A:
  %q = getelementptr i32, ptr %p, <2 x i64> %i
  %b = ptrtoint <2 x ptr> %q to <2 x i64>
  %c = icmp ugt <2 x i64> %b, <i64 1000, i64 1000>
  ret <2 x i1> %c
}
";
    let args = vec![Val::address(996), Val::elems([Val::i64(1), Val::i64(2)])];
    assert_eq!(
        run(vector, &[args]).unwrap().values(),
        [Val::elems([Val::bool(false), Val::bool(true)])]
    );
}
