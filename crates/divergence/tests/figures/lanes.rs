//! 001: Fig. 6.2, 6.9, and what operations across threads yield.

use crate::{basic, figure};
use lw_divergence::{Affine, Stride};

#[test]
fn figure_6_2b_a_value_is_uniform_for_those_that_define_it() {
    let f = basic(
        "func @f(i1 %p, i32 %x) -> i32 {
A:
  br i1 %p, label %B, label %C
B:
  %z = add i32 %x, 1
  br label %C
C:
  ret i32 0
}",
        "vu",
    );
    assert!(f.divergent("A") && f.uniform("z") && f.divergence.activation_varies(f.block("B")));
}

/// A branches to E or on; B and C come from a uniform branch and meet in D.
fn figure_6_9(shadow: &str) -> String {
    format!(
        "func @f(i1 %v, i1 %u) -> i32 {{
A:
  br i1 %v, label %S, label %E
S:
  br i1 %u, label %B, label %C
B:
  br label %D
C:
  br label %D
D:
  %y = phi i32 [ 0, %B ], [ 1, %C ]{shadow}
  br label %E
E:
  ret i32 0
}}"
    )
}

#[test]
fn figure_6_9a_passive_threads_see_the_shadow() {
    assert!(!basic(&figure_6_9(" shadow 2"), "vu").uniform("y"));
    assert!(basic(&figure_6_9(" shadow 2"), "uu").uniform("y"));
}

#[test]
fn figure_6_9b_without_a_shadow_only_active_threads_count() {
    assert!(basic(&figure_6_9(""), "vu").uniform("y"));
    assert!(!basic(&figure_6_9(""), "uv").uniform("y"));
}

#[test]
fn operations_across_threads() {
    let f = basic(
        "func @f(i1 %p, i32 %x, i32 %u) -> i32 {
A:
  %any = any i1 (i1 %p)
  %ballot = ballot i32 (i1 %p)
  %first = broadcast i32 (i32 %x)
  %sum = reduce_add i32 (i32 %x)
  %third = extract i32 (i32 %x, i32 2)
  %mine = shuffle i32 (i32 %u, i32 %x)
  %put = insert i32 (i32 %u, i32 1, i32 7)
  %lane = lane i32 ()
  %lanes = lanes i32 ()
  ret i32 %x
}",
        "vvu",
    );
    for name in ["any", "ballot", "first", "sum", "third", "lanes"] {
        assert!(f.uniform(name), "{name}");
    }
    for name in ["mine", "put", "lane"] {
        assert!(!f.uniform(name), "{name}");
    }
}

#[test]
fn a_total_instruction_speaks_for_all_threads() {
    let text = "func @f(i1 %p, i32 %u) -> i32 {
A:
  %e = add i32 %u, 1
  br i1 %p, label %B, label %C
B:
  %x = add i32 %u, 2
  %y = total add i32 %e, 1
  %z = total add i32 %x, 1
  br label %C
C:
  ret i32 %y
}";
    let f = basic(text, "vu");
    // x is the same for the threads in B, but others have none.
    assert!(f.uniform("x") && f.uniform("y") && !f.uniform("z"));
    assert!(basic(text, "uu").uniform("z"));
}

#[test]
fn freeze_forgets_numbers_and_poison_on_some_lanes_is_varying() {
    let text = "func @f(i8 %u) -> i8 {
A:
  %t = lane i8 ()
  %x = add nsw i8 %t, %u
  %d = sub i8 %x, %t
  %e = freeze i8 %d
  %g = freeze i8 %u
  ret i8 %e
}";
    let f = figure(text, &[Stride::uniform_aligned(1)], Some(4));
    assert!(f.uniform("d") && !f.uniform("e") && f.uniform("g"));
    let text = "func @f() -> i64 {
A:
  %x = zext nneg i1 true to i64
  %y = freeze i64 %x
  ret i64 %y
}";
    assert_eq!(figure::<Affine<2>>(text, &[], Some(4)).shape("y"), "?");
}
