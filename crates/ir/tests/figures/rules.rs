//! 001 ch. 4: control, activation, φs, well-formedness.

use crate::common::*;
use lw_ir::interp::{ErrorKind, Run, Semantics, Val};

#[test]
fn fig_4_5_control_mechanics() {
    let module = parse(
        "func @f(i1 %p) -> void {
A:
  br i1 %p, label %B, label %C
B:
  br label %E
C:
  br i1 %p, label %E, label %D
D:
  br label %E
E:
  ret void
}
",
    );
    let function = &module.functions[0];
    let outcome = fixed(&module, &bools(&[1, 0]), "ABCDE");
    assert_eq!(outcome.violations, []);
    let rows: Vec<_> = trace(&outcome)
        .top()
        .map(|s| {
            (
                states(function, &s.before, false),
                states(function, &s.before, true),
                digits(&s.cmask),
            )
        })
        .collect();
    let expected = [
        ("⊥⊥", "AA", "11"),
        ("AA", "BC", "10"),
        ("BA", "EC", "01"),
        ("BC", "ED", "01"),
        ("BD", "EE", "11"),
    ];
    assert_eq!(rows, expected.map(|(a, b, c)| (a.to_string(), b.to_string(), c.to_string())));
    let last = trace(&outcome).top().last().unwrap();
    assert_eq!(states(function, &last.after, true), "□□");
}

#[test]
fn fig_4_6_thread_activation() {
    let module = parse(
        "func @f(i1 %p) -> void {
A:
  %notp = xor i1 %p, 1
  br i1 %p, label %B, label %C
B:
  br label %C
C: when %notp
  br label %D
D:
  ret void
}
",
    );
    let outcome = fixed(&module, &bools(&[0, 1]), "ABCD");
    assert_eq!(outcome.violations, []);
    let masks: Vec<_> =
        trace(&outcome).top().map(|s| (digits(&s.cmask), digits(&s.active))).collect();
    let expected = [("11", "11"), ("01", "01"), ("11", "10"), ("11", "11")];
    assert_eq!(masks, expected.map(|(c, a)| (c.to_string(), a.to_string())));
}

#[test]
fn fig_4_11_shadow_phi() {
    let module = parse(
        "func @f(i1 %p) -> i32 {
A:
  br i1 %p, label %B, label %D
B: when 0
  br label %C
C:
  %x = phi i32 [ 1, %B ] shadow 2
  br label %D
D:
  ret i32 %x
}
",
    );
    for semantics in [Semantics::Freezing, Semantics::Oblivious] {
        greedy(&module, &bools(&[0, 1]), semantics, |outcome| {
            assert_eq!(outcome.values(), [Val::i32(2), Val::i32(1)]);
        });
    }
}

#[test]
fn fig_4_16a_use_under_another_predicate() {
    let module = parse(
        "declare @f : i32 (i32)
func @g(i1 %p) -> void {
A: when %p
  %notp = total xor i1 %p, 1
  %x = add i32 1, 2
  br label %B
B: when %notp
  %y = call i32 (i32) @abs(i32 %x)
  br label %C
C:
  ret void
}
declare @abs : i32 (i32)
",
    );
    let error = run(&module, &bools(&[1, 0]), Run::default()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::PassiveUse("an argument of a host function"));
    assert_eq!((error.thread, error.block), (Some(1), Some(block(&module.functions[0], "B"))));
}

#[test]
fn fig_4_16b_live_out_of_a_divergent_loop() {
    let module = parse(
        "func @f(i32 %n) -> i32 {
A:
  br label %B
B:
  %i = phi i32 [ 0, %A ], [ %x, %B ]
  %x = add i32 %i, 1
  %more = icmp slt i32 %x, %n
  br i1 %more, label %B, label %C
C:
  %lcssa = phi i32 [ %x, %B ]
  ret i32 %lcssa
}
",
    );
    let args = [vec![Val::i32(1)], vec![Val::i32(3)]];
    greedy(&module, &args, Semantics::Freezing, |outcome| {
        assert_eq!(outcome.values(), [Val::i32(1), Val::i32(3)]);
    });
    let error =
        run(&module, &args, Run { semantics: Semantics::Oblivious, ..Run::default() }).unwrap_err();
    assert_eq!((error.kind, error.thread), (ErrorKind::PassiveUse("the returned value"), Some(0)));
}
