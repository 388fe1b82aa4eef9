//! The text form: what is printed can be read, and reads back the same.

use lw_ir::{parse_function, parse_module};

/// Every instruction and constant form once.
const ALL: &str = r#"layout "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
%pair = type { i32, ptr }
%tight = type <{ i8, i64 }>
declare @callee : i32 (ptr, ...) attrs(fn: nounwind, memory(1), "no-builtins" | ret: noundef, range(ranges 32 [0, 10]) | 0: align(16), sret(%pair))
@g = global %pair {i32 7, ptr @text}, align 16
@text = constant [4 x i8] c"ab\00\FF"
@table = addrspace(3) global [2 x ptr] [ptr @all, ptr null]
@far = external global i32
@other = alias fn i32 (i32, ptr, float, <4 x i32>, i1, ...), ptr @all
@inside = alias i8, ptr getelementptr (i8, ptr @text, i64 1)
@"odd name" = constant %tight <{i8 1, i64 -1}>
@expr = global i64 sub (i64 ptrtoint (ptr @g to i64), i64 ptrtoint (ptr @text to i64))
@inner = global ptr getelementptr nuw inbounds inrange(i32 -8, 8) (%pair, ptr @g, i32 0, i32 1)

func @all(i32 %x, ptr %p, float %f, <4 x i32> %v, i1 %c, ...) -> i32 cc 8 attrs(fn: convergent | 1: nonnull) {
entry:
  %0 = alloca %pair, i32 1, align 8
  %1 = alloca i8, i64 16, align 1, addrspace(5)
  %neg = fneg fast float %f
  %sum = total add nuw nsw i32 %x, -3 !12
  %or = or disjoint i32 %x, %sum from !12
  %fsum = fadd nnan contract float %neg, 1.5
  %z = zext nneg i32 %x to i64
  %t = trunc nuw i64 %z to i8
  %cmp = icmp samesign ult i32 %x, 10
  %fc = fcmp olt float %f, 0x000000007ff80000
  %s = select i1 %cmp, i32 %x, i32 %or
  %fr = freeze i32 %s
  %e = extractelement <4 x i32> %v, i64 2
  %i = insertelement <4 x i32> %v, i32 %e, i64 0
  %sh = shufflevector <4 x i32> %v, <4 x i32> poison, [0, -1, 2, 7, 1, 1, 1, 1]
  %ev = extractvalue %pair zeroinitializer, 1
  %iv = insertvalue %pair undef, i32 %fr, 0
  %l = load volatile i32, ptr %p, align 4
  %la = load i32, ptr %p syncscope("agent") acquire, align 4
  store <4 x i32> <i32 1, i32 2, i32 3, i32 4>, ptr %p, align 16
  store i32 %x, ptr %p syncscope("singlethread") release, align 4
  %gep = getelementptr inbounds nusw %pair, ptr %p, i64 1, i32 1
  %rmw = atomicrmw volatile umax ptr %p, i32 %x seq_cst, align 4
  %cx = cmpxchg weak ptr %p, i32 0, i32 1 acq_rel monotonic, align 4
  fence syncscope("agent") seq_cst
  %va = va_arg ptr %p, double
  %r = tail call i32 (ptr, ...) @callee(ptr %p, i32 %x, double 0.1) ["tag"(i32 %x), "empty"()] attrs(fn: nounwind | 0: nocapture)
  %foreign = call i32 (metadata) @callee2(metadata foreign 3)
  %m = mask
  %any = any i1 (i1 %c)
  %ball = ballot i64 (i1 %c)
  %lane = lane i32 ()
  %red = total reduce_fadd float (float %f)
  %asm = opaque "call" "rwt" i32 (i32 %x) !99
  switch i32 %x, label %B [1: label %C, 2: label %D, -7: label %C]
B: when %m
  br i1 %c, label %C, label %D
C:
  %phi = phi i32 [ 0, %entry ], [ %back, %B ], [ 1, %entry ] shadow 5
  %back = add i32 %phi, 1
  indirectbr ptr blockaddress(%D), [label %D, label %3]
D:
  %inv = invoke i32 (ptr) @f3(ptr %p) to label %2 unwind label %pad
2:
  unreachable
3:
  ret i32 %x
pad:
  %lp = landingpad { ptr, i32 } cleanup catch ptr null filter [0 x ptr] zeroinitializer
  resume { ptr, i32 } %lp
}
"#;

#[test]
fn every_form_survives_printing_and_parsing() {
    let source = ALL.replace(
        "declare @callee ",
        "declare @callee2 : i32 (metadata)\ndeclare @f3 : i32 (ptr)\ndeclare @callee ",
    );
    let module = parse_module(&source).unwrap_or_else(|e| panic!("{e}"));
    let once = module.to_string();
    let again = parse_module(&once).unwrap_or_else(|e| panic!("{e}\n{once}"));
    assert_eq!(once, again.to_string());
    for line in source.lines().map(str::trim).filter(|l| !l.is_empty()) {
        assert!(once.contains(line), "lost: {line}\nin: {once}");
    }
    let alone = again.functions[0].to_string();
    assert_eq!(
        alone,
        parse_function(&alone).unwrap_or_else(|e| panic!("{e}\n{alone}")).to_string()
    );
}

#[test]
fn wide_numbers_survive() {
    let text = "func @f() -> i200 {
entry:
  %a = add i200 0x0000000000000080000000000000000000000000000000000000000000000001, -5
  %b = fadd double -0.0, 1e300
  %c = fadd float 0.1, 16777216.0
  %d = fadd x86_fp80 0x00000000000040008000000000000000, 0x00000000000040008000000000000000
  ret i200 %a
}
";
    let function = parse_function(text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(function.to_string(), text);
}

#[track_caller]
fn rejects(text: &str, message: &str) {
    match parse_module(text) {
        Ok(module) => panic!("was read as {module}"),
        Err(error) => assert_eq!(error.to_string(), message),
    }
}

#[test]
fn errors_name_line_and_column() {
    rejects(
        "func @f() -> void {\nentry:\n  bogus i32 1\n}",
        "3:3: there is no instruction `bogus`",
    );
    rejects("func @f() -> void {\nentry:\n  br label %x\n}", "3:12: there is no block %x");
    rejects(
        "func @f() -> void {\n  ret void\n}",
        "2:3: expected a label (`name:`) or `}`, found `ret`",
    );
    rejects("func @f(i32 %x) -> i32 {\na:\n  ret i32 %y\n}", "3:11: there is no value %y");
    rejects("func @f(i32 %x) -> i64 {\na:\n  ret i64 %x\n}", "3:11: %x has type i32, expected i64");
    rejects(
        "func @f() -> ptr {\na:\n  ret ptr @g\n}",
        "3:11: @g is not declared; add `declare @g : ret (params)` or `@g = external global T`",
    );
    rejects(
        "func @f() -> void {\na:\n  ret void from\n}",
        "4:1: expected the origin of the instruction, found `}`",
    );
    rejects(
        "func @f() -> void {\na:\n  ret void !4294967295\n}",
        "3:12: origins are numbers below 4294967295",
    );
    rejects("func @f() -> void {\na:\na:\n}", "3:1: the block %a is already there");
    rejects("@g = global i8 \"", "1:16: the string does not end");
    rejects("func @f() -> i0 {}", "1:14: integers have 1 to 8388608 bits");
    rejects("%a = type { %b }", "1:13: the type %b is not defined before this use");
    let deep = format!("@g = global {}i8{} zeroinitializer", "[1 x ".repeat(500), "]".repeat(500));
    rejects(&deep, "1:1013: nested more than 200 levels deep");
}

#[test]
fn names_that_clash_are_told_apart() {
    let text = "func @f(i32 %x) -> i32 {\na:\n  %y = add i32 %x, 1\n  ret i32 %y\n}";
    let mut function = parse_function(text).unwrap();
    let add = function.insts(function.entry().unwrap())[0];
    let sum = function.result(add);
    function.set_value_name(sum, Some("x".into()));
    let expected = "func @f(i32 %x) -> i32 {\na:\n  %x.1 = add i32 %x, 1\n  ret i32 %x.1\n}\n";
    assert_eq!(function.to_string(), expected);
}
