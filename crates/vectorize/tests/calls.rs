//! What calls become: vector functions that are made for them, variants that were declared, libmvec, or one call for each lane.

use lw_ir::interp::{Machine, Run, Val};
use lw_ir::{Function, Module};
use lw_vectorize::calls::{Calls, Math, requests, vectorize_callees};
use lw_vectorize::{Region, vectorize};
use std::sync::Arc;

/// Vectorizes a function of a module, and what it calls.
fn with_callees(text: &str, name: &str, shapes: &str, calls: Calls) -> (Module, Vec<Function>) {
    let module = lw_ir::parse_module(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let scalar = module.function(name).unwrap();
    let mut region = Region::new(4, module.layout.clone());
    region.calls = Arc::new(calls.clone());
    let region = region.read_shapes(scalar, shapes).unwrap();
    let (vector, _) = vectorize(scalar, &region).unwrap_or_else(|declined| panic!("{declined}"));
    let import = |name: &str| module.function(name).cloned();
    let made = vectorize_callees(&vector, &calls, &module.layout, |_| false, import);
    let mut all = vec![vector];
    all.extend(made.into_iter().map(|callee| callee.vector));
    for function in &all {
        lw_ir::verify(function).unwrap_or_else(|errors| panic!("{}\n{function}", errors[0]));
        for (name, _) in requests(function) {
            assert!(all.iter().any(|f| f.name.as_str() == Some(&name)), "{name} is missing");
        }
    }
    (module, all)
}

fn all_bodies(names: &[&str]) -> Calls {
    Calls { bodies: names.iter().map(|name| name.to_string()).collect(), ..Calls::default() }
}

const FIBONACCI: &str = "
func @fib(i32 %n) -> i32 {
entry:
  %small = icmp slt i32 %n, 2
  br i1 %small, label %end, label %more
more:
  %a = sub i32 %n, 1
  %b = sub i32 %n, 2
  %x = call i32 (i32) @fib(i32 %a)
  %y = call i32 (i32) @fib(i32 %b)
  %z = add i32 %x, %y
  br label %end
end:
  %r = phi i32 [ %n, %entry ], [ %z, %more ]
  ret i32 %r
}";

#[test]
fn recursion_ends() {
    let (mut module, all) = with_callees(FIBONACCI, "fib", "v -> v", all_bodies(&["fib"]));
    assert_eq!(all.len(), 2, "the masked function calls itself");
    assert!(!all[1].to_string().contains("call i32"), "no lane is called alone:\n{}", all[1]);
    let [entry, masked] = <[Function; 2]>::try_from(all).unwrap();
    module.functions = vec![entry, masked];
    let mut machine = Machine::new(&module);
    let args = vec![Val::elems([7, 1, 12, 0].map(Val::i32))];
    let outcome = machine.run("fib", &[args], &Run::default()).unwrap();
    assert_eq!(outcome.values()[0], Val::elems([13, 1, 144, 0].map(Val::i32)));
}

/// A call that returns a vector of `i1` ends LLVM's fast instruction selection with an error where masks have registers.
#[test]
fn conditions_are_returned_as_bytes() {
    let text = "
func @small(i32 %n) -> i1 {
entry:
  %c = icmp slt i32 %n, 2
  ret i1 %c
}
func @half(i32 %n) -> {i1, i32} {
entry:
  %c = icmp ugt i32 %n, 1
  %h = lshr i32 %n, 1
  %a = insertvalue {i1, i32} poison, i1 %c, 0
  %b = insertvalue {i1, i32} %a, i32 %h, 1
  ret {i1, i32} %b
}
func @f(i32 %n) -> i32 {
entry:
  %c = call i1 (i32) @small(i32 %n)
  br i1 %c, label %end, label %more
more:
  %both = call {i1, i32} (i32) @half(i32 %n)
  %large = extractvalue {i1, i32} %both, 0
  %h = extractvalue {i1, i32} %both, 1
  %one = zext i1 %large to i32
  %sum = add i32 %h, %one
  br label %end
end:
  %r = phi i32 [ 0, %entry ], [ %sum, %more ]
  ret i32 %r
}";
    let (mut module, all) = with_callees(text, "f", "v -> v", all_bodies(&["small", "half"]));
    assert_eq!(all.len(), 3);
    for made in &all[1..] {
        let ret = made.to_string().lines().next().unwrap().to_string();
        assert!(!ret.ends_with("<4 x i1> {") && !ret.contains("-> {<4 x i1>"), "{ret}");
    }
    module.functions = all;
    let mut machine = Machine::new(&module);
    let args = vec![Val::elems([7, 1, 12, 0].map(Val::i32))];
    let outcome = machine.run("f", &[args], &Run::default()).unwrap();
    assert_eq!(outcome.values()[0], Val::elems([4, 0, 7, 0].map(Val::i32)));
}

#[test]
fn a_callee_knows_what_its_arguments_are() {
    let text = "
func @get(ptr %p, i32 %i) -> float {
entry:
  %k = sext i32 %i to i64
  %q = getelementptr float, ptr %p, i64 %k
  %x = load float, ptr %q, align 4
  ret float %x
}
func @f(ptr %p, i32 %i) -> float {
entry:
  %x = call float (ptr, i32) @get(ptr %p, i32 %i)
  ret float %x
}";
    let (_, all) = with_callees(text, "f", "u, c -> v", all_bodies(&["get"]));
    assert_eq!(all[1].name.as_str(), Some("lw._ZGVbN4ul_get"));
    assert!(all[1].to_string().contains("load <4 x float>"), "{}", all[1]);
    // What cannot be vectorized is called for each lane, in a function of that name.
    let endless =
        text.replace("  ret float %x\n}\nfunc", "  br label %on\non:\n  br label %on\n}\nfunc");
    let (_, all) = with_callees(&endless, "f", "u, v -> v", all_bodies(&["get"]));
    assert_eq!(all[1].to_string().matches("@get(ptr").count(), 4, "{}", all[1]);
}

/// A call of `@g`, of which variants are declared, under a condition or not.
fn caller(variants: &str, condition: bool) -> String {
    let (branch, phi) = match condition {
        true => ("  %c = fcmp olt float %x, 1.0\n  br i1 %c, label %call, label %end", "0.0"),
        false => ("  br label %call", ""),
    };
    let phi = match phi {
        "" => "[ %y, %call ]".to_string(),
        zero => format!("[ %y, %call ], [ {zero}, %entry ]"),
    };
    format!(
        "declare @g : float (float, ptr) attrs(fn: {variants})
func @f(float %x, ptr %p) -> float attrs(fn: \"target-features\"=\"+sse2,+avx2\") {{
entry:
{branch}
call:
  %y = call float (float, ptr) @g(float %x, ptr %p)
  br label %end
end:
  %r = phi float {phi}
  ret float %r
}}"
    )
}

#[test]
fn declared_variants_are_called_where_they_fit() {
    let all = "\"_ZGVbN4vv_g\", \"_ZGVbN4vu_g\", \"_ZGVbM4vu_g\", \"_ZGVdN8vu_g\", \"_ZGVeN4vu_g\"";
    let called = |variants: &str, condition: bool, shapes: &str| -> String {
        let text = caller(variants, condition);
        let (_, made) = with_callees(&text, "f", shapes, Calls::default());
        let text = made[0].to_string();
        let call = text.lines().find(|line| line.contains(" call ") && line.contains("g("));
        call.unwrap_or(&text).trim().to_string()
    };
    assert!(called(all, false, "v, u -> v").contains("@_ZGVbN4vu_g(<4 x float> %x, ptr %p)"));
    assert!(called(all, false, "v, v -> v").contains("@_ZGVbN4vv_g("));
    assert!(called(all, true, "v, u -> v").contains("@_ZGVbM4vu_g("));
    // No variant with a mask takes different pointers, and none without a mask may be called.
    assert!(called(all, true, "v, v -> v").contains("@g("));
    // More lanes than there are, and registers that the code may not use.
    assert!(called("\"_ZGVdN8vu_g\"", false, "v, u -> v").contains("@g("));
    assert!(called("\"_ZGVeN4vu_g\"", false, "v, u -> v").contains("@g("));
    // Two lanes at a time, and lanes that grow.
    let twice = called("\"_ZGVbN2vu_g\"", false, "v, u -> v");
    assert!(twice.contains("@_ZGVbN2vu_g("), "{twice}");
    assert!(called("\"_ZGVbN4vl4_g\"", false, "v, s4 -> v").contains("@_ZGVbN4vl4_g("));
    assert!(called("\"_ZGVbN4vl4_g\"", false, "v, s8 -> v").contains("@g("));
}

#[test]
fn libmvec_is_called_if_it_may_be() {
    let text = |features: &str, flags: &str, memory: &str| {
        format!(
            "declare @sin : double (double)
func @f(double %x) -> double attrs(fn: \"target-features\"=\"{features}\") {{
entry:
  %y = call {flags} double (double) @sin(double %x) {memory}
  ret double %y
}}"
        )
    };
    let calls_of = |text: &str, math: Math| -> Vec<String> {
        let calls = Calls { math, ..Calls::default() };
        let (_, made) = with_callees(text, "f", "v -> v", calls);
        let text = made[0].to_string();
        let call = |line: &str| line.split_once('@')?.1.split_once('(').map(|(n, _)| n.to_string());
        text.lines().filter(|line| line.contains(" call ")).filter_map(call).collect()
    };
    let calls =
        |features, flags, math| calls_of(&text(features, flags, "attrs(fn: memory(0))"), math);
    assert_eq!(calls("+sse2", "", Math::Libmvec), ["_ZGVbN2v_sin"; 2]);
    assert_eq!(calls("+sse2,+avx", "", Math::Libmvec), ["_ZGVcN4v_sin"]);
    assert_eq!(calls("+sse2,+avx,+avx2", "", Math::Libmvec), ["_ZGVdN4v_sin"]);
    // As many lanes as there are.
    assert_eq!(calls("+sse2,+avx,+avx2,+avx512f", "", Math::Libmvec), ["_ZGVdN4v_sin"]);
    assert_eq!(calls("+sse2", "", Math::Approximate), ["sin"; 4]);
    assert_eq!(calls("+sse2", "afn", Math::Approximate), ["_ZGVbN2v_sin"; 2]);
    assert_eq!(calls("+sse2", "afn", Math::Scalar), ["sin"; 4]);
    assert_eq!(calls("+sse2", "", Math::Sleef), ["Sleef_sind2_u10sse2"; 2]);
    assert_eq!(calls("+sse2,+avx,+avx2", "", Math::Sleef), ["Sleef_sind4_u10avx2"]);
    // It may set `errno`.
    for math in [Math::Libmvec, Math::Sleef] {
        assert_eq!(calls_of(&text("+sse2", "afn", ""), math), ["sin"; 4]);
    }
}
