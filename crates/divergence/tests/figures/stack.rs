//! 001: Figs 6.11 and 6.12, stack objects.

use crate::basic;
use lw_divergence::ObjectCause;

#[test]
fn figure_6_11a_storing_different_values() {
    let f = basic(
        "func @f(i64 %tid) -> i64 {
E:
  %A = alloca i64, i32 1, align 8
  store i64 %tid, ptr %A, align 8
  %z = load i64, ptr %A, align 8
  ret i64 %z
}",
        "v",
    );
    assert!(!f.divergence.is_uniform_object(f.inst("A")) && !f.uniform("z"));
}

#[test]
fn figure_6_11b_storing_at_different_offsets() {
    let f = basic(
        "func @f(i64 %tid) -> i64 {
E:
  %B = alloca [64 x i64], i32 1, align 8
  %bp = getelementptr [64 x i64], ptr %B, i64 0, i64 %tid
  store i64 42, ptr %bp, align 8
  %bpp = getelementptr [64 x i64], ptr %B, i64 0, i64 3
  %z = load i64, ptr %bpp, align 8
  ret i64 %z
}",
        "v",
    );
    assert!(!f.divergence.is_uniform_object(f.inst("B")) && !f.uniform("z"));
    assert_eq!(f.why("z").len(), 3, "z ← the store through bp ← tid: {:?}", f.why("z"));
}

#[test]
fn figure_6_11c_uniform_values_at_uniform_offsets() {
    let f = basic(
        "func @f(i64 %i) -> i64 {
E:
  %C = alloca [64 x i64], i32 1, align 8
  %cp = getelementptr [64 x i64], ptr %C, i64 0, i64 %i
  %j = mul i64 2, %i
  store i64 %j, ptr %cp, align 8
  %cpp = getelementptr [64 x i64], ptr %C, i64 0, i64 7
  %z = load i64, ptr %cpp, align 8
  ret i64 %z
}",
        "u",
    );
    assert!(f.divergence.is_uniform_object(f.inst("C")) && f.uniform("z"));
    // The addresses themselves are each thread's own.
    assert!(!f.uniform("C") && !f.uniform("cp"));
}

fn figure_6_12(pointer: &str) -> String {
    format!(
        "func @f(i1 %v1, i1 %u1, float %v2, float %u2) -> float {{
A:
  %X = alloca [1024 x float], i32 1, align 4
  %Y = alloca [1024 x float], i32 1, align 4
  br i1 %v1, label %B, label %C
B:
  %xp = getelementptr [1024 x float], ptr %X, i64 0, i64 0
  store float %v2, ptr %xp, align 4
  br label %C
C:
  %Z = phi ptr [ %X, %A ], [ %Y, %B ]
  %q = getelementptr [1024 x float], ptr {pointer}, i64 0, i64 4
  br i1 %u1, label %D, label %E
D:
  store float %u2, ptr %q, align 4
  br label %E
E:
  %yp = getelementptr [1024 x float], ptr %Y, i64 0, i64 5
  %s = load float, ptr %yp, align 4
  ret float %s
}}"
    )
}

#[test]
fn figure_6_12_states_of_objects_join_like_values() {
    // A store through Y itself: X is varying because of B, Y is not.
    let f = basic(&figure_6_12("%Y"), "vuuu");
    assert!(!f.divergence.is_uniform_object(f.inst("X")));
    assert!(f.divergence.is_uniform_object(f.inst("Y")) && f.uniform("s"));
    // As in the figure the store goes through Z, which is X on some threads and Y on others.
    let f = basic(&figure_6_12("%Z"), "vuuu");
    assert!(!f.divergence.is_uniform_object(f.inst("Y")) && !f.uniform("s"));
    // If the first branch is uniform, so is everything.
    let f = basic(&figure_6_12("%Z"), "uuuu");
    assert!(f.uniform("s"));
}

#[test]
fn a_uniform_store_on_one_side_of_a_divergent_branch() {
    let f = basic(
        "func @f(i1 %v) -> i32 {
A:
  %X = alloca i32, i32 1, align 4
  store i32 1, ptr %X, align 4
  br i1 %v, label %B, label %C
B:
  store i32 2, ptr %X, align 4
  %in = load i32, ptr %X, align 4
  br label %C
C:
  %out = load i32, ptr %X, align 4
  ret i32 %out
}",
        "v",
    );
    let object =
        f.divergence.fact(f.value("X")).own.iter().next().expect("it stays in the function");
    let (block, branch) = (f.block("C"), f.block("A"));
    let cause = ObjectCause::Join {
        block: lw_sparse::function::node(block),
        branch: lw_sparse::function::node(branch),
    };
    assert_eq!(f.divergence.object_varies(object), Some(cause));
    assert!(!f.uniform("out"));
}

#[test]
fn an_object_that_gets_out_of_sight_is_not_trusted() {
    let f = basic(
        "declare @use : void (ptr)
func @f(i32 %u) -> i32 {
A:
  %X = alloca i32, i32 1, align 4
  store i32 %u, ptr %X, align 4
  call void (ptr) @use(ptr %X)
  %out = load i32, ptr %X, align 4
  ret i32 %out
}",
        "u",
    );
    assert!(!f.divergence.is_uniform_object(f.inst("X")) && !f.uniform("out"));
}

#[test]
fn the_same_private_address_is_another_place_for_each_thread() {
    let f = basic(
        "func @f(ptr %p, ptr addrspace(5) %q) -> i32 {
A:
  %x = load i32, ptr %p, align 4
  %y = load i32, ptr addrspace(5) %q, align 4
  ret i32 %y
}",
        "uu",
    );
    assert!(f.uniform("x") && !f.uniform("y"));
}
