//! Chains of causes that go through calls.

use super::{module, value};
use lw_divergence::{Basic, CallShape, Cause, Options, Program, Sources};
use lw_ir::Module;

/// The chain of a value of `@f`, as `function: value: cause`, and whether it is uniform. `@tid` yields the number of the thread.
fn chain(module: &Module, params: &[Basic], of: &str) -> Vec<String> {
    let mut sources = Sources::params(params.to_vec());
    sources.calls.insert("tid".into(), CallShape::Fixed(Basic::Varying));
    let program = Program::new(&module.functions, sources.clone(), Options::default());
    let f = module.function("f").unwrap();
    let found = program.analyze(f, &sources);
    assert!(!found.is_uniform(value(f, of)));
    let steps = program.explain(f, &found, value(f, of));
    let shown = steps.iter().map(|step| {
        let cause = match step.link.cause {
            Cause::Operand(of) => format!("of {}", step.function.display_value(of)),
            Cause::Returns { branch } => format!("Returns {}", step.function.display_block(branch)),
            other => format!("{other:?}"),
        };
        let value = step.function.display_value(step.link.value);
        format!("{}: {value}: {cause}", step.function.name.as_str().unwrap_or_default())
    });
    shown.collect()
}

#[test]
fn into_the_function_and_back_to_the_argument() {
    let m = module(
        "func @square(i32 %x) -> i32 {
entry:
  %y = mul i32 %x, %x
  ret i32 %y
}
func @f(i32 %n, i32 %t) -> i32 {
entry:
  %s = add i32 %t, 1
  %a = call i32 (i32) @square(i32 %s)
  %b = sub i32 %a, %n
  ret i32 %b
}",
    );
    let expected = [
        "f: %b: of %a",
        "f: %a: Returned",
        "square: %y: of %x",
        "square: %x: Argument",
        "f: %s: of %t",
        "f: %t: Source",
    ];
    assert_eq!(chain(&m, &[Basic::Uniform, Basic::Varying], "b"), expected);
}

#[test]
fn to_a_source_in_the_function_whatever_the_arguments_are() {
    // The argument differs between threads too, but that does not matter.
    let m = module(
        "func @inner() -> i32 {
entry:
  %t = call i32 () @tid()
  %u = and i32 %t, 7
  ret i32 %u
}
func @outer(i32 %x) -> i32 {
entry:
  %v = call i32 () @inner()
  ret i32 %v
}
func @f(i32 %n) -> i32 {
entry:
  %a = call i32 (i32) @outer(i32 %n)
  ret i32 %a
}",
    );
    let expected =
        ["f: %a: Returned", "outer: %v: Returned", "inner: %u: of %t", "inner: %t: Call"];
    assert_eq!(chain(&m, &[Basic::Varying], "a"), expected);
}

#[test]
fn to_the_branch_because_of_which_threads_come_back_from_different_returns() {
    let m = module(
        "func @sign(i32 %x) -> i32 {
entry:
  %c = icmp slt i32 %x, 0
  br i1 %c, label %minus, label %plus
minus:
  ret i32 -1
plus:
  ret i32 1
}
func @f(i32 %t) -> i32 {
entry:
  %a = call i32 (i32) @sign(i32 %t)
  ret i32 %a
}",
    );
    let expected = [
        "f: %a: Returned",
        "sign: 1: Returns %entry",
        "sign: %c: of %x",
        "sign: %x: Argument",
        "f: %t: Source",
    ];
    assert_eq!(chain(&m, &[Basic::Varying], "a"), expected);
}

#[test]
fn recursion_ends() {
    let m = module(
        "func @down(i32 %n, i32 %x) -> i32 {
entry:
  %c = icmp eq i32 %n, 0
  br i1 %c, label %done, label %more
done:
  ret i32 %x
more:
  %m = sub i32 %n, 1
  %y = add i32 %x, 1
  %r = call i32 (i32, i32) @down(i32 %m, i32 %y)
  ret i32 %r
}
func @f(i32 %n, i32 %t) -> i32 {
entry:
  br label %loop
loop:
  %i = phi i32 [ %t, %entry ], [ %a, %loop ]
  %a = call i32 (i32, i32) @down(i32 %n, i32 %i)
  %c = icmp slt i32 %a, 100
  br i1 %c, label %loop, label %end
end:
  ret i32 %a
}",
    );
    let steps = chain(&m, &[Basic::Uniform, Basic::Varying], "a");
    assert!(steps.len() < 60, "{steps:#?}");
    assert_eq!(steps.first().map(String::as_str), Some("f: %a: Returned"));
    assert_eq!(steps.last().map(String::as_str), Some("f: %t: Source"));
}
