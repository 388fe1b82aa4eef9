//! 000: Figs 1, 3 and 5. 001: Figs 6.4 and 7.9 show the same phenomena.

use crate::{basic, figure};
use lw_divergence::{Cause, Stride};

const FIG_1A: &str = "func @f(i1 %c, i32 %z) -> i32 {
A:
  br label %S
S:
  br i1 %c, label %B, label %C
B:
  br label %D
C:
  br label %E
D:
  br label %P
E:
  br label %P
P:
  %x = phi i32 [ 1, %D ], [ 2, %E ]
  %sum = add i32 %x, %z
  ret i32 %sum
}";

#[test]
fn figure_1a_of_000_x_depends_on_c() {
    let uniform = basic(FIG_1A, "uu");
    assert!(uniform.uniform("x") && uniform.uniform("sum"));
    let varying = basic(FIG_1A, "vu");
    assert!(!varying.uniform("x") && varying.uniform("z"));
    let (block, branch) = (varying.block("P"), varying.block("S"));
    let chain = varying.divergence.explain(varying.value("sum"));
    let causes: Vec<Cause> = chain.iter().map(|link| link.cause).collect();
    let x = varying.value("x");
    assert_eq!(causes, [Cause::Operand(x), Cause::Join { block, branch }, Cause::Source]);
}

const FIG_1B: &str = "func @f(i32 %n) -> i32 {
A:
  br label %B
B:
  %x0 = phi i32 [ 0, %A ], [ %x, %S ]
  br label %C
C:
  %x = add i32 %x0, 1
  br label %S
S:
  %c = icmp slt i32 %x, %n
  br i1 %c, label %B, label %P
P:
  ret i32 %x
}";

#[test]
fn figure_1b_of_000_x_is_uniform_in_the_loop_and_behind_it_if_n_is() {
    let uniform = basic(FIG_1B, "u");
    assert!(uniform.uniform("x") && uniform.uniform_at_end("x", "P"));
    let varying = basic(FIG_1B, "v");
    assert!(varying.uniform("x0") && varying.uniform("x"));
    assert!(varying.divergent("S") && !varying.uniform_at_end("x", "P"));
    let headers: Vec<_> = varying.divergence.divergent_loops().map(|(header, _)| header).collect();
    assert_eq!(headers, [varying.block("B")]);
}

const FIG_1C: &str = "func @f(i1 %c1, i1 %c2, i1 %c3) -> i32 {
A:
  br label %H
H:
  %i = phi i32 [ 0, %A ], [ %next, %L ]
  %next = add i32 %i, 1
  br i1 %c1, label %S, label %X
S:
  br i1 %c2, label %T, label %Y
T:
  br i1 %c3, label %L, label %Z
L:
  br label %H
X:
  br label %P
Y:
  br label %P
Z:
  br label %P
P:
  %x = phi i32 [ 1, %X ], [ 2, %Y ], [ 3, %Z ]
  ret i32 %x
}";

#[test]
fn figure_1c_of_000_all_three_conditions_count() {
    assert!(basic(FIG_1C, "uuu").uniform("x"));
    for params in ["vuu", "uvu", "uuv"] {
        assert!(!basic(FIG_1C, params).uniform("x"), "{params}");
    }
}

#[test]
fn figure_3a_of_000_a_constant_is_uniform() {
    let f = basic("func @f(i32 %u) -> i32 {\nA:\n  %z = add i32 %u, 1\n  ret i32 %z\n}", "u");
    assert!(f.uniform("z"));
}

#[test]
fn figure_3b_of_000_a_constant_condition_does_not_diverge() {
    let f = basic(
        "func @f() -> i32 {
A:
  br i1 true, label %B, label %C
B:
  br label %C
C:
  %x = phi i32 [ 1, %B ], [ 2, %A ]
  ret i32 %x
}",
        "",
    );
    assert!(f.uniform("x") && !f.divergent("A"));
}

const FIG_3C: &str = "func @f(i32 %v, i32 %u) -> i32 {
A:
  %c = icmp eq i32 %v, %u
  br i1 %c, label %B, label %C
B:
  %x = add i32 %v, 1
  br label %D
C:
  br label %D
D:
  %y = add i32 %v, 1
  ret i32 %y
}";

#[test]
fn figure_3c_of_000_equality_with_a_uniform_value_makes_uniform() {
    let f = basic(FIG_3C, "vu");
    assert!(f.divergent("A") && f.uniform("x") && !f.uniform("y"));
    assert!(!basic(FIG_3C, "vv").uniform("x"));
    let aligned = figure(FIG_3C, &[Stride::varying_aligned(1), Stride::uniform_aligned(8)], None);
    assert_eq!(aligned.shape("x"), "(0,1)");
}

/// x at J is γ(p, γ(q, γ(s, 0, 1), ⊥), 0).
const FIG_5A: &str = "func @f(i1 %p, i1 %q, i1 %s) -> i32 {
A:
  br i1 %p, label %D, label %B
B:
  br label %J
D:
  br i1 %q, label %S, label %X
S:
  br i1 %s, label %E, label %G
E:
  br label %J
G:
  br label %J
J:
  %x = phi i32 [ 0, %B ], [ 0, %E ], [ 1, %G ]
  ret i32 %x
X:
  ret i32 9
}";

#[test]
fn figure_5a_of_000_x_depends_on_p_and_not_on_q() {
    assert!(basic(FIG_5A, "uuu").uniform("x"));
    assert!(basic(FIG_5A, "uvu").uniform("x"));
    assert!(!basic(FIG_5A, "vuu").uniform("x"));
    assert!(!basic(FIG_5A, "uuv").uniform("x"));
}

const FIG_5B: &str = "func @f(i1 %p, i1 %q) -> i32 {
P:
  br i1 %p, label %A, label %B
A:
  br i1 %q, label %D, label %E
B:
  br label %D
D:
  %x = phi i32 [ 1, %A ], [ 2, %B ]
  br label %F
E:
  br label %F
F:
  %y = phi i32 [ 3, %E ], [ %x, %D ]
  ret i32 %y
}";

#[test]
fn figure_5b_of_000_joins_before_the_post_dominator() {
    let p = basic(FIG_5B, "vu");
    assert!(!p.uniform("x") && !p.uniform("y"));
    let q = basic(FIG_5B, "uv");
    assert!(q.uniform("x") && !q.uniform("y"));
}

const FIG_5C: &str = "func @f(i32 %s, i1 %q) -> i32 {
S:
  switch i32 %s, label %A [1: label %B, 2: label %C]
A:
  br label %J
B:
  br label %J
C:
  br i1 %q, label %K, label %L
J:
  %x = phi i32 [ 1, %A ], [ 2, %B ]
  br label %K
K:
  %y = phi i32 [ %x, %J ], [ 3, %C ]
  ret i32 %y
L:
  ret i32 0
}";

#[test]
fn figure_5c_of_000_branches_with_more_than_two_successors() {
    let s = basic(FIG_5C, "vu");
    assert!(!s.uniform("x") && !s.uniform("y"));
    let q = basic(FIG_5C, "uv");
    assert!(q.uniform("x") && q.uniform("y"));
}

/// Also 001 Fig. 7.9a.
const FIG_5D: &str = "func @f(i1 %h, i1 %b, i1 %c) -> i32 {
A:
  br label %H
H:
  %i = phi i32 [ 0, %A ], [ %next, %Q ]
  %next = add i32 %i, 1
  br i1 %h, label %D, label %B
B:
  br i1 %b, label %C, label %Q
C:
  br i1 %c, label %E, label %Q
Q:
  br label %H
D:
  ret i32 %i
E:
  ret i32 %i
}";

#[test]
fn figure_5d_of_000_each_exit_has_its_own_reasons() {
    let exits = |params: &str| {
        let f = basic(FIG_5D, params);
        (f.uniform_at_end("i", "D"), f.uniform_at_end("i", "E"))
    };
    assert_eq!(exits("uuu"), (true, true));
    assert_eq!(exits("vuu"), (false, true));
    assert_eq!(exits("uvu"), (true, false));
    assert_eq!(exits("uuv"), (true, false));
}

/// Behind the first loop %x is varying; leaving the second in different iterations does not make it what it was.
#[test]
fn a_value_does_not_recover_behind_another_loop() {
    let f = basic(
        "func @f(i64 %t) -> i32 {
A:
  br label %H
H:
  %x = phi i32 [ 0, %A ], [ 1, %C ]
  %more = icmp slt i32 %x, 1
  br i1 %more, label %I, label %E
I:
  %y = phi i32 [ 0, %H ], [ 1, %C ]
  %stay = icmp ult i32 %y, 1
  br i1 %stay, label %B, label %E
B:
  br i1 %stay, label %C, label %L
C:
  %c = icmp eq i64 %t, 0
  br i1 %c, label %I, label %H
E:
  br label %L
L:
  %again = icmp sge i64 %t, 0
  br i1 %again, label %P, label %L
P:
  %z = phi i32 [ %x, %L ]
  ret i32 %z
}",
        "v",
    );
    assert!(f.uniform("x") && !f.uniform("z"));
}

/// Each thread leaves the loop when the counter, which is uniform in the loop, is its own number.
#[test]
fn an_equality_with_a_counter_does_not_outlive_its_iteration() {
    let f = basic(
        "func @f(i32 %v) -> i32 {
A:
  br label %L
L:
  %i = phi i32 [ 0, %A ], [ %next, %L ]
  %next = add i32 %i, 1
  %here = icmp eq i32 %i, %v
  br i1 %here, label %P, label %L
P:
  %x = add i32 %v, 1
  ret i32 %x
}",
        "v",
    );
    assert!(f.uniform("i") && !f.uniform("x"));
}
