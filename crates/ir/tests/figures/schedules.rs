//! 001 ch. 5: which schedules are greedy.

use crate::common::*;
use lw_ir::interp::{Outcome, Property, Run, Schedule, Semantics, Val};

fn violations(outcome: &Outcome) -> Vec<(usize, Property)> {
    outcome.violations.iter().map(|v| (v.step, v.property)).collect()
}

#[test]
fn fig_5_1_stalling() {
    let module = parse(DIAMOND);
    let args = bools(&[0, 0]);
    let stalled = fixed(&module, &args, "ABBBB");
    assert_eq!(stalled.results, [None, None]);
    assert_eq!(
        violations(&stalled),
        (1..5).map(|step| (step, Property::Progress)).collect::<Vec<_>>()
    );
    let finished = fixed(&module, &args, "ACD");
    assert_eq!(finished.violations, []);
    assert_eq!(finished.values(), [Val::i32(1), Val::i32(1)]);
}

#[test]
fn fig_5_2_spurious_divergence() {
    let module = parse(
        "func @f(i1 %p) -> i32 {
A: when %p
  br i1 1, label %B, label %C
B:
  br label %D
C:
  br label %D
D:
  %x = phi i32 [ 0, %B ], [ 1, %C ]
  ret i32 %x
}
",
    );
    let args = bools(&[1, 0]);
    // Thread 1 is led to C although the branch in A is uniform.
    let astray = fixed(&module, &args, "ACBD");
    assert_eq!(violations(&astray), [(1, Property::Progress)]);
    assert_eq!(astray.values(), [Val::i32(0), Val::i32(1)]);
    greedy(&module, &args, Semantics::Freezing, |outcome| {
        assert_eq!(letters(&module.functions[0], outcome), "ABD");
        assert_eq!(outcome.values(), [Val::i32(0), Val::i32(0)]);
    });
}

#[test]
fn fig_5_3a_any_depends_on_schedule() {
    let module = parse(
        "func @f(i1 %v) -> i32 {
A:
  br i1 %v, label %C, label %B
B:
  br label %D
C:
  br label %D
D:
  %q = any i1 (i1 %v)
  br i1 %q, label %E, label %F
E:
  br label %G
F:
  br label %G
G:
  %x = phi i32 [ 0, %E ], [ 1, %F ]
  ret i32 %x
}
",
    );
    let args = bools(&[0, 1]);
    assert_eq!(fixed(&module, &args, "ABCDEFG").values(), [Val::i32(0), Val::i32(0)]);
    let other = fixed(&module, &args, "ABDCDEFG");
    assert_eq!(other.values(), [Val::i32(1), Val::i32(0)]);
    assert!(violations(&other).contains(&(2, Property::Synchronization)));
    greedy(&module, &args, Semantics::Freezing, |outcome| {
        assert_eq!(outcome.values(), [Val::i32(0), Val::i32(0)]);
    });
}

#[test]
fn fig_5_3b_iterations_in_lock_step() {
    let module = parse(
        "func @f(i1 %v) -> i32 {
A:
  br label %H
H:
  %i = phi i32 [ 0, %A ], [ %next, %L ]
  br i1 %v, label %B, label %L
B:
  br label %L
L:
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, 3
  br i1 %more, label %H, label %X
X:
  ret i32 %next
}
",
    );
    let function = &module.functions[0];
    let i = variable(function, "i");
    let args = bools(&[1, 0]);
    // Thread 1 runs ahead: in the third H both threads are active and see different numbers.
    let apart = fixed(&module, &args, "AHLHBLH");
    assert_eq!(violations(&apart)[0], (2, Property::Synchronization));
    let last = trace(&apart).top().last().unwrap();
    assert_eq!(digits(&last.active), "11");
    assert_eq!(last.values_of(i).unwrap(), [Val::i32(1), Val::i32(2)]);
    assert_eq!((last.tags[0].to_string(), last.tags[1].to_string()), ("⟨1⟩".into(), "⟨2⟩".into()));
    greedy(&module, &args, Semantics::Freezing, |outcome| {
        for step in trace(outcome).top().filter(|step| step.active == [true, true]) {
            assert_eq!(step.tags[0], step.tags[1]);
            if let Some(values) = step.values_of(i) {
                assert_eq!(values[0], values[1]);
            }
        }
    });
}

#[test]
fn fig_5_4_not_a_barrier() {
    let module = parse(DIAMOND);
    let outcome = fixed(&module, &bools(&[1, 0]), "ABDCD");
    assert_eq!(violations(&outcome), [(2, Property::Synchronization)]);
    assert_eq!(outcome.values(), [Val::i32(0), Val::i32(1)]);
}

/// Fig. 5.5b: the loop in B, if-converted, with all threads off.
const IF_CONVERTED: &str = "func @f(i1 %p, i1 %q) -> i32 {
A:
  br label %B
B: when %p
  br i1 %q, label %B, label %C
C:
  br label %D
D:
  ret i32 7
}
";

#[test]
fn fig_5_5_termination() {
    let module = parse(IF_CONVERTED);
    let args = vec![vec![Val::bool(false), Val::bool(true)]; 2];
    assert_eq!(fixed(&module, &args, "ABCD").violations, []);
    let spinning = fixed(&module, &args, "ABBBBB");
    assert_eq!(violations(&spinning), [3, 4, 5].map(|step| (step, Property::Termination)));
    assert_eq!(spinning.results, [None, None]);
    greedy(&module, &args, Semantics::Freezing, |outcome| {
        assert_eq!(outcome.values(), [Val::i32(7), Val::i32(7)]);
    });
    let stack = Run { schedule: Schedule::ReconvergenceStack, ..Run::default() };
    assert_eq!(run(&module, &args, stack).unwrap().values(), [Val::i32(7), Val::i32(7)]);
}

#[test]
fn fig_5_6_the_stack_executes_a_block_twice() {
    let module = parse(
        "func @f(i1 %p) -> i32 {
A:
  br i1 %p, label %C, label %B
B:
  br label %C
C:
  %n = popcount i32 (i1 1)
  br i1 %p, label %D, label %E
E:
  br label %D
D:
  ret i32 %n
}
",
    );
    let function = &module.functions[0];
    let args = bools(&[1, 0]);
    greedy(&module, &args, Semantics::Freezing, |outcome| {
        assert_eq!(letters(function, outcome), "ABCED");
        assert_eq!(outcome.values(), [Val::i32(2), Val::i32(2)]);
    });
    // Threads part in A and meet in its post-dominator: here C, so the stack does as well.
    let stack = Run { schedule: Schedule::ReconvergenceStack, ..Run::default() };
    assert_eq!(run(&module, &args, stack.clone()).unwrap().values(), [Val::i32(2), Val::i32(2)]);
    // With a way around C, the post-dominator is D and C runs once for each side.
    let module = parse(
        "func @f(i32 %s) -> i32 {
A:
  switch i32 %s, label %D [1: label %C, 2: label %B]
B:
  br label %C
C:
  %n = popcount i32 (i1 1)
  br label %D
D:
  %r = phi i32 [ 0, %A ], [ %n, %C ]
  ret i32 %r
}
",
    );
    let function = &module.functions[0];
    let args: Vec<Vec<Val>> = [0, 1, 2].map(|s| vec![Val::i32(s)]).to_vec();
    greedy(&module, &args, Semantics::Freezing, |outcome| {
        assert_eq!(letters(function, outcome), "ABCD");
        assert_eq!(outcome.values(), [0, 2, 2].map(Val::i32));
    });
    let outcome = run(&module, &args, stack).unwrap();
    assert_eq!(letters(function, &outcome), "ABCCD");
    assert_eq!(outcome.values(), [0, 1, 1].map(Val::i32));
}
