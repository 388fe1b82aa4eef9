//! Calls: other functions, recursion, indirect calls, host functions.

use lw_ir::interp::{ErrorKind, Machine, Outcome, Run, RunError, Schedule, Val};
use lw_ir::{Module, parse_module};
use std::sync::Arc;

fn parse(text: &str) -> Module {
    parse_module(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn run(text: &str, args: &[Vec<Val>]) -> Result<Outcome, RunError> {
    let module = parse(text);
    Machine::new(&module).run_index(0, args, &Run { threads: args.len(), ..Run::default() })
}

#[test]
fn recursion_by_the_active_threads() {
    let module = parse(
        "func @fib(i32 %n) -> i32 {
A:
  %small = icmp slt i32 %n, 2
  br i1 %small, label %B, label %C
C:
  %a = sub i32 %n, 1
  %b = sub i32 %n, 2
  %x = call i32 (i32) @fib(i32 %a)
  %y = call i32 (i32) @fib(i32 %b)
  %s = add i32 %x, %y
  br label %B
B:
  %r = phi i32 [ %n, %A ], [ %s, %C ]
  ret i32 %r
}
",
    );
    let args: Vec<Vec<Val>> = (0..8).map(|n| vec![Val::i32(n)]).collect();
    for schedule in [Schedule::Greedy { seed: 3 }, Schedule::ReconvergenceStack] {
        let run = Run { threads: 8, schedule, ..Run::default() };
        let outcome = Machine::new(&module).run("fib", &args, &run).unwrap();
        assert_eq!(outcome.values(), [0, 1, 1, 2, 3, 5, 8, 13].map(Val::i32));
    }
}

#[test]
fn endless_recursion_reaches_the_depth_limit() {
    let error = run(
        "func @f(i32 %n) -> i32 {
A:
  %m = add i32 %n, 1
  %r = call i32 (i32) @f(i32 %m)
  ret i32 %r
}
",
        &[vec![Val::i32(0)]],
    )
    .unwrap_err();
    assert_eq!(error.kind, ErrorKind::DepthLimit(Run::default().depth_limit));
    assert!(error.kind.is_limit());
}

#[test]
fn endless_loops_reach_the_step_limit() {
    let module = parse("func @f() -> void {\nA:\n  br label %A\n}\n");
    let run = Run { step_limit: 1000, ..Run::default() };
    let error = Machine::new(&module).run("f", &[vec![]], &run).unwrap_err();
    assert_eq!(error.kind, ErrorKind::StepLimit(1000));
}

#[test]
fn threads_may_call_different_functions() {
    let outcome = run(
        "@table = constant [2 x ptr] [ptr @inc, ptr @dec]
func @f(i32 %which, i32 %x) -> i32 {
A:
  %slot = getelementptr [2 x ptr], ptr @table, i64 0, i32 %which
  %callee = load ptr, ptr %slot, align 8
  %r = call i32 (i32) %callee(i32 %x)
  ret i32 %r
}
func @inc(i32 %x) -> i32 {
A:
  %n = popcount i32 (i1 1)
  %s = mul i32 %n, 100
  %r = add i32 %x, %s
  ret i32 %r
}
func @dec(i32 %x) -> i32 {
A:
  %r = sub i32 %x, 1
  ret i32 %r
}
",
        &[0, 1, 0, 1].map(|which| vec![Val::i32(which), Val::i32(10)]),
    );
    // The two threads that call @inc execute it together.
    assert_eq!(outcome.unwrap().values(), [210, 9, 210, 9].map(Val::i32));
}

#[test]
fn unknown_functions_are_named() {
    let text = "declare @mystery : i32 ()
func @f() -> i32 {
A:
  %r = call i32 () @mystery()
  ret i32 %r
}
";
    let error = run(text, &[vec![]]).unwrap_err();
    assert_eq!(error.kind, ErrorKind::UnknownFunction("@mystery".into()));
    let module = parse(text);
    let mut machine = Machine::new(&module);
    machine.host("mystery", Arc::new(|call| Ok(Val::i32(call.thread as i32 + 40))));
    let outcome =
        machine.run("f", &[vec![], vec![]], &Run { threads: 2, ..Run::default() }).unwrap();
    assert_eq!(outcome.values(), [Val::i32(40), Val::i32(41)]);
}

#[test]
fn printing_and_stopping() {
    let module = parse(
        "@text = constant [17 x i8] c\"%d: %5.2f %s|%x\\0A\\00\"
@word = constant [3 x i8] c\"ok\\00\"
declare @printf : i32 (ptr, ...)
declare @abort : void ()
func @f(i32 %x) -> void {
A:
  %n = call i32 (ptr, ...) @printf(ptr @text, i32 %x, double 3.14159, ptr @word, i32 255)
  %c = icmp eq i32 %n, 0
  br i1 %c, label %B, label %C
B:
  ret void
C:
  call void () @abort()
  unreachable
}
",
    );
    let mut machine = Machine::new(&module);
    let error = machine.run("f", &[vec![Val::i32(-7)]], &Run::default()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Stopped("abort".into()));
    assert_eq!(String::from_utf8_lossy(&machine.output), "-7:  3.14 ok|ff\n");
}

#[test]
fn the_heap() {
    let text = |tail: &str| {
        format!(
            "declare @malloc : ptr (i64)
declare @calloc : ptr (i64, i64)
declare @realloc : ptr (ptr, i64)
declare @free : void (ptr)
declare @memset : ptr (ptr, i32, i64)
func @f() -> i32 {{
A:
  %p = call ptr (i64) @malloc(i64 8)
  store i32 5, ptr %p, align 4
  %q = call ptr (ptr, i64) @realloc(ptr %p, i64 16)
  %x = load i32, ptr %q, align 4
  %z = call ptr (i64, i64) @calloc(i64 2, i64 4)
  %y = load i32, ptr %z, align 4
  %s = add i32 %x, %y
  call void (ptr) @free(ptr %q)
{tail}
  ret i32 %s
}}
"
        )
    };
    let result =
        |tail: &str| run(&text(tail), &[vec![]]).map(|o| o.values()[0].clone()).map_err(|e| e.kind);
    assert_eq!(result(""), Ok(Val::i32(5)));
    assert!(matches!(result("  call void (ptr) @free(ptr %q)"), Err(ErrorKind::UseAfterFree(_))));
    assert!(matches!(result("  %l = load i32, ptr %p, align 4"), Err(ErrorKind::UseAfterFree(_))));
    let inner = "  %i = getelementptr i8, ptr %z, i64 1\n  call void (ptr) @free(ptr %i)";
    assert!(matches!(result(inner), Err(ErrorKind::Undefined(_))));
}

#[test]
fn by_value_arguments_are_copies() {
    let outcome = run(
        "func @f() -> i32 {
A:
  %p = alloca i32, i32 1, align 4
  store i32 1, ptr %p, align 4
  %r = call i32 (ptr) @g(ptr %p) attrs(0: byval(i32))
  %x = load i32, ptr %p, align 4
  %s = mul i32 %r, 10
  %t = add i32 %s, %x
  ret i32 %t
}
func @g(ptr %p) -> i32 attrs(0: byval(i32)) {
A:
  store i32 2, ptr %p, align 4
  %x = load i32, ptr %p, align 4
  ret i32 %x
}
",
        &[vec![]],
    );
    assert_eq!(outcome.unwrap().values(), [Val::i32(21)]);
}

#[test]
fn variable_arguments_lie_in_the_overflow_area() {
    let outcome = run(
        "declare @llvm.va_start.p0 : void (ptr)
func @f() -> i64 {
A:
  %r = call i64 (i32, ...) @g(i32 2, i64 40, double 2.5)
  ret i64 %r
}
func @g(i32 %n, ...) -> i64 {
A:
  %list = alloca [24 x i8], i32 1, align 16
  call void (ptr) @llvm.va_start.p0(ptr %list)
  %at = getelementptr i8, ptr %list, i64 8
  %area = load ptr, ptr %at, align 8
  %x = load i64, ptr %area, align 8
  %next = getelementptr i8, ptr %area, i64 8
  %y = load double, ptr %next, align 8
  %z = fptosi double %y to i64
  %s = add i64 %x, %z
  ret i64 %s
}
",
        &[vec![]],
    );
    assert_eq!(outcome.unwrap().values(), [Val::i64(42)]);
}

#[test]
fn invoke_takes_the_normal_way() {
    let outcome = run(
        "func @f(i32 %x) -> i32 {
A:
  %r = invoke i32 (i32) @g(i32 %x) to label %B unwind label %P
B:
  ret i32 %r
P:
  %lp = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %lp
}
func @g(i32 %x) -> i32 {
A:
  %r = add i32 %x, 1
  ret i32 %r
}
",
        &[vec![Val::i32(4)], vec![Val::i32(5)]],
    );
    assert_eq!(outcome.unwrap().values(), [Val::i32(5), Val::i32(6)]);
}

#[test]
fn indirect_branches_go_to_block_addresses() {
    let text = "func @f(i1 %c) -> i32 {
A:
  %to = select i1 %c, ptr blockaddress(%B), ptr blockaddress(%C)
  indirectbr ptr %to, [label %B, label %C]
B:
  ret i32 1
C:
  ret i32 2
}
";
    let outcome = run(text, &[vec![Val::bool(true)], vec![Val::bool(false)]]);
    assert_eq!(outcome.unwrap().values(), [Val::i32(1), Val::i32(2)]);
}

#[test]
fn opaque_instructions_are_declined_by_name() {
    let text = "func @f(i32 %x) -> i32 {
A:
  %r = opaque \"callbr\" \"rwt\" i32 (i32 %x) !99
  ret i32 %r
}
";
    let error = run(text, &[vec![Val::i32(1)]]).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unsupported("`callbr`".into()));
}
