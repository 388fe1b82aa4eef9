//! 001 ch. 7: control-induced divergence; 002 §3.1: the reconvergence stack.

use crate::common::*;
use lw_ir::interp::{Machine, Run, Schedule, Semantics, Val};

#[test]
fn fig_7_1_sync_divergence() {
    let module = parse(DIAMOND);
    let function = &module.functions[0];
    let outcome = fixed(&module, &bools(&[1, 0]), "ABCD");
    assert_eq!(outcome.violations, []);
    let rows: Vec<_> = trace(&outcome)
        .top()
        .map(|s| (states(function, &s.before, false), states(function, &s.after, true)))
        .collect();
    let expected = [("⊥⊥", "BC"), ("AA", "DC"), ("BA", "DD"), ("BC", "□□")];
    assert_eq!(rows, expected.map(|(a, b)| (a.to_string(), b.to_string())));
    assert_eq!(outcome.values(), [Val::i32(0), Val::i32(1)]);
}

#[test]
fn fig_7_1_temporal_divergence() {
    let module = parse(
        "func @f(i32 %n) -> i32 {
A:
  br label %B
B:
  %x = phi i32 [ 0, %A ], [ %inc, %B ]
  %inc = add i32 %x, 1
  %more = icmp slt i32 %inc, %n
  br i1 %more, label %B, label %X
X:
  %lc = phi i32 [ %inc, %B ]
  ret i32 %lc
}
",
    );
    let function = &module.functions[0];
    let args = [vec![Val::i32(1)], vec![Val::i32(2)]];
    greedy(&module, &args, Semantics::Freezing, |outcome| {
        let rows: Vec<_> = trace(outcome)
            .top()
            .map(|s| (states(function, &s.before, false), states(function, &s.after, true)))
            .collect();
        let expected = [("⊥⊥", "BB"), ("AA", "XB"), ("BB", "XX"), ("BB", "□□")];
        assert_eq!(rows, expected.map(|(a, b)| (a.to_string(), b.to_string())));
        assert_eq!(outcome.values(), [Val::i32(1), Val::i32(2)]);
    });
}

#[test]
fn fig_7_3_threads_leave_a_loop_through_different_exits() {
    // A is divergent and the header; B, C, D, G are in the loop; E and F are its exits, X joins them.
    let module = parse(
        "func @f(i1 %p, i32 %leave) -> i32 {
P:
  br label %A
A:
  %i = phi i32 [ 0, %P ], [ %next, %G ]
  br i1 %p, label %B, label %D
B:
  br label %C
C:
  br label %D
D:
  %d = phi i32 [ 10, %A ], [ 20, %C ]
  %first = icmp eq i32 %i, %leave
  br i1 %first, label %E, label %G
G:
  %next = add i32 %i, 1
  %enough = icmp eq i32 %next, 2
  br i1 %enough, label %F, label %A
E:
  br label %X
F:
  br label %X
X:
  %x = phi i32 [ 1, %E ], [ 2, %F ]
  %r = add i32 %x, %d
  ret i32 %r
}
",
    );
    let function = &module.functions[0];
    let args = [vec![Val::bool(true), Val::i32(0)], vec![Val::bool(false), Val::i32(5)]];
    let concurrent = std::cell::Cell::new(false);
    greedy(&module, &args, Semantics::Freezing, |outcome| {
        let joins = |name: &str| {
            let steps = trace(outcome).top().filter(|s| s.block == block(function, name));
            steps
                .map(|s| (states(function, &s.before, false), digits(&s.active)))
                .collect::<Vec<_>>()
        };
        // The threads meet in D from C and A, and in X from E and F.
        assert_eq!(joins("D")[0], ("CA".to_string(), "11".to_string()));
        assert_eq!(joins("X"), [("EF".to_string(), "11".to_string())]);
        assert_eq!(outcome.values(), [Val::i32(21), Val::i32(12)]);
        // E and F can be next at the same time: E need not wait for a thread that is still in the loop.
        if trace(outcome).top().any(|s| states(function, &s.after, true) == "EF") {
            concurrent.set(true);
        }
    });
    assert!(concurrent.get());
}

#[test]
fn fig_8_of_002_sum_triangle_on_the_reconvergence_stack() {
    // Thread t visits t + 1 cells of its column and adds up the even ones; d counts them.
    let module = parse(
        "func @triangle(ptr %v, i32 %c, ptr %out) -> i32 {
l0:
  %tid = lane i32 ()
  %start = mul i32 %tid, %c
  %limit = add i32 %start, %tid
  br label %l5
l5:
  %d = phi i32 [ 0, %l0 ], [ %d2, %l12 ]
  %s = phi i32 [ 0, %l0 ], [ %s3, %l12 ]
  %i = phi i32 [ %start, %l0 ], [ %i2, %l12 ]
  %p0 = icmp sgt i32 %i, %limit
  br i1 %p0, label %l15, label %l7
l7:
  %at = getelementptr i32, ptr %v, i32 %i
  %x = load i32, ptr %at, align 4
  %odd = and i32 %x, 1
  %p1 = icmp ne i32 %odd, 0
  br i1 %p1, label %l12, label %l10
l10:
  %s2 = add i32 %s, %x
  br label %l12
l12:
  %s3 = phi i32 [ %s, %l7 ], [ %s2, %l10 ]
  %d2 = add i32 %d, 1
  %i2 = add i32 %i, 1
  br label %l5
l15:
  %together = popcount i32 (i1 1)
  %to = getelementptr i32, ptr %out, i32 %tid
  store i32 %s, ptr %to, align 4
  %r = mul i32 %d, 10
  %r2 = add i32 %r, %together
  ret i32 %r2
}
",
    );
    let mut machine = Machine::new(&module);
    let cells: Vec<u8> = (0..16i32).flat_map(i32::to_le_bytes).collect();
    let (v, out) = (machine.alloc_buffer(&cells).unwrap(), machine.alloc_undefined(16).unwrap());
    let args = vec![vec![Val::Ptr(v), Val::i32(4), Val::Ptr(out)]; 4];
    let run =
        Run { threads: 4, schedule: Schedule::ReconvergenceStack, trace: true, ..Run::default() };
    let outcome = machine.run("triangle", &args, &run).unwrap();
    // Thread t incremented d t + 1 times, and all four wrote their sum together.
    assert_eq!(outcome.values(), [14, 24, 34, 44].map(Val::i32));
    let sums: Vec<u8> = [0, 4, 8 + 10, 12 + 14i32].into_iter().flat_map(i32::to_le_bytes).collect();
    let sums: Vec<Option<u8>> = sums.into_iter().map(Some).collect();
    assert_eq!(machine.read_bytes(out, 16).unwrap(), sums);
}
