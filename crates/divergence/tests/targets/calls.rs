//! Summaries of the functions that are called.

use super::{analyze, module, value};
use lw_divergence::{Basic, Lattice, Limits, Options, Program, Sources, Stride};

const U: Basic = Basic::Uniform;
const V: Basic = Basic::Varying;

#[test]
fn a_function_is_summarized_for_each_list_of_shapes() {
    let m = module(
        "func @next(i32 %x) -> i32 {
entry:
  %y = add nsw i32 %x, 1
  ret i32 %y
}
func @f(i32 %n, i32 %tid) -> i32 {
entry:
  %a = call i32 (i32) @next(i32 %n)
  %b = call i32 (i32) @next(i32 %tid)
  %c = call i32 (i32) @next(i32 %b)
  ret i32 %a
}",
    );
    let f = m.function("f").unwrap();
    let shapes = [Stride::uniform(), Stride::exact(32, 4, 8)];
    let found = analyze(&m, &shapes, &Options::default());
    assert!(found.is_uniform(value(f, "a")));
    assert_eq!(found.shape(value(f, "b")).stride(), Some(4));
    assert_eq!(found.shape(value(f, "c")).stride(), Some(4));
}

#[test]
fn threads_that_come_back_from_different_returns_are_mixed() {
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
func @f(i32 %n, i32 %tid) -> i32 {
entry:
  %a = call i32 (i32) @sign(i32 %n)
  %b = call i32 (i32) @sign(i32 %tid)
  ret i32 %a
}",
    );
    let f = m.function("f").unwrap();
    let found = analyze(&m, &[U, V], &Options::default());
    assert!(found.is_uniform(value(f, "a")) && !found.is_uniform(value(f, "b")));
}

const RECURSION: &str = "func @even(i32 %n, i32 %x) -> i32 {
entry:
  %c = icmp eq i32 %n, 0
  br i1 %c, label %done, label %more
done:
  br label %end
more:
  %m = sub i32 %n, 1
  %r = call i32 (i32, i32) @odd(i32 %m, i32 %x)
  br label %end
end:
  %y = phi i32 [ 1, %done ], [ %r, %more ]
  ret i32 %y
}
func @odd(i32 %n, i32 %x) -> i32 {
entry:
  %c = icmp eq i32 %n, 0
  br i1 %c, label %done, label %more
done:
  br label %end
more:
  %m = sub i32 %n, 1
  %r = call i32 (i32, i32) @even(i32 %m, i32 %x)
  %s = add i32 %r, %x
  br label %end
end:
  %y = phi i32 [ 0, %done ], [ %s, %more ]
  ret i32 %y
}
func @f(i32 %n, i32 %tid) -> i32 {
entry:
  %a = call i32 (i32, i32) @even(i32 %n, i32 %n)
  %b = call i32 (i32, i32) @even(i32 %tid, i32 %n)
  %c = call i32 (i32, i32) @even(i32 %n, i32 %tid)
  ret i32 %a
}";

#[test]
fn functions_that_call_each_other_are_iterated() {
    let m = module(RECURSION);
    let f = m.function("f").unwrap();
    let found = analyze(&m, &[U, V], &Options::default());
    let is = |name: &str| found.is_uniform(value(f, name));
    assert!(is("a") && !is("b") && !is("c"));
}

#[test]
fn limits_end_what_would_go_on_for_ever() {
    // Each call has another constant alignment.
    let m = module(
        "func @down(i32 %n) -> i32 {
entry:
  %m = shl i32 %n, 1
  %c = icmp eq i32 %m, 0
  br i1 %c, label %done, label %more
done:
  br label %end
more:
  %r = call i32 (i32) @down(i32 %m)
  br label %end
end:
  %y = phi i32 [ 1, %done ], [ %r, %more ]
  ret i32 %y
}
func @f(i32 %n) -> i32 {
entry:
  %a = call i32 (i32) @down(i32 %n)
  ret i32 %a
}",
    );
    let f = m.function("f").unwrap();
    let sources = Sources::params([Stride::uniform()]);
    let limits = Limits { shapes: 3, ..Limits::default() };
    let program =
        Program::new(&m.functions, sources.clone(), Options::default()).with_limits(limits);
    let found = program.analyze(f, &sources);
    assert!(found.is_uniform(value(f, "a")));
    assert!(program.summaries().1 <= 6, "{:?}", program.summaries());
    let none = Limits { depth: 0, ..limits };
    let program = Program::new(&m.functions, sources.clone(), Options::default()).with_limits(none);
    assert!(!program.analyze(f, &sources).is_uniform(value(f, "a")));
}

#[test]
fn what_a_function_loads_holds_where_it_is_called_at_once() {
    // The loop has two latches: threads are out of step in it, and the store may lie between their calls.
    let m = module(
        "func @peek(ptr %p) -> i32 {
entry:
  %x = load i32, ptr %p, align 4
  ret i32 %x
}
func @f(ptr %p, i32 %tid, i32 %n) -> void {
entry:
  %before = call i32 (ptr) @peek(ptr %p)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %left ], [ %next, %right ]
  %inside = call i32 (ptr) @peek(ptr %p)
  %next = add i32 %i, 1
  %stop = icmp eq i32 %next, %n
  br i1 %stop, label %end, label %body
body:
  %c = icmp eq i32 %tid, 0
  br i1 %c, label %left, label %right
left:
  store i32 %i, ptr %p, align 4
  br label %loop
right:
  br label %loop
end:
  ret void
}",
    );
    let f = m.function("f").unwrap();
    let found = analyze(&m, &[U, V, U], &Options::default());
    let is = |name: &str| found.is_uniform(value(f, name));
    assert!(is("before") && !is("inside"));
}

#[test]
fn a_table_knows_the_functions_of_the_c_library() {
    let m = module(
        "func @f(float %x, float %y) -> float {
entry:
  %a = call float (float) @sinf(float %x)
  %b = call float (float) @sinf(float %y)
  %c = call float (float) @unknown(float %x)
  ret float %a
}",
    );
    let f = m.function("f").unwrap();
    let found = analyze(&m, &[U, V], &Options::default());
    let is = |name: &str| found.is_uniform(value(f, name));
    assert!(is("a") && !is("b") && !is("c"));
}
