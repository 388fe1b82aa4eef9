//! 001 ch. 10: the stride-alignment lattice.

use crate::{basic, figure};
use lw_divergence::{Lattice, Stride};

fn strided(stride: i64, align: u64) -> Stride {
    Stride::strided(32, stride, align, Some(4))
}

#[test]
fn figure_10_1_strided_accesses() {
    let f = figure(
        "func @foo(i32 %tid, ptr %A, ptr %B) -> void {
E:
  %i = mul i32 -2, %tid
  %from = getelementptr float, ptr %B, i32 %i
  %x = load float, ptr %from, align 4
  %to = getelementptr float, ptr %A, i32 %tid
  store float %x, ptr %to, align 4
  ret void
}",
        &[strided(1, 4), Stride::uniform_aligned(64), Stride::uniform_aligned(64)],
        Some(4),
    );
    assert_eq!(f.shape("i"), "~(-2,8)");
    // What may wrap must not be extended; where the source says nsw it does not wrap.
    assert_eq!((f.shape("from"), f.shape("to")), ("8".to_string(), "(4,16)".to_string()));
    let f = figure(
        "func @foo(i32 %tid, ptr %B) -> ptr {
E:
  %i = mul nsw i32 -2, %tid
  %from = getelementptr float, ptr %B, i32 %i
  ret ptr %from
}",
        &[strided(1, 4), Stride::uniform_aligned(64)],
        Some(4),
    );
    assert_eq!((f.shape("i"), f.shape("from")), ("(-2,8)".into(), "~(-8,32)".into()));
}

const FIG_10_2: &str = "func @foo(i32 %tid, i32 %k) -> i32 {
A:
  %c = icmp sge i32 %tid, %k
  %d = icmp sge i32 %k, %tid
  br i1 %c, label %B, label %C
B:
  br label %C
C:
  ret i32 0
}";

#[test]
fn figure_10_2_a_comparison_of_strided_values_is_uniform() {
    let f = figure(FIG_10_2, &[strided(1, 4), Stride::uniform_aligned(8)], Some(4));
    assert!(f.uniform("c") && !f.divergent("A"));
    // k ≥ tid is true on lane 0 alone where both are equal there.
    assert!(!f.uniform("d"));
    assert!(basic(FIG_10_2, "vu").divergent("A"));
}

#[test]
fn figure_10_3_varying_values_keep_their_alignment() {
    let f = figure(
        "func @foo(i32 %tid, ptr %Idx) -> i32 {
A:
  %p = getelementptr i32, ptr %Idx, i32 %tid
  %x = load i32, ptr %p, align 4
  %j = mul i32 4, %x
  ret i32 %j
}",
        &[strided(1, 4), Stride::uniform_aligned(64)],
        Some(4),
    );
    assert_eq!((f.shape("x"), f.shape("j")), ("1".into(), "4".into()));
}

#[test]
fn figure_10_4_what_shapes_stand_for() {
    let holds = |shape: &Stride, lanes: [u128; 4]| shape.holds(Some(32), &lanes.map(Some));
    // (s, a): the first lane is a multiple of a, the others follow at the distance s.
    let strided = strided(3, 4);
    assert!(holds(&strided, [8, 11, 14, 17]) && holds(&strided, [0, 3, 6, 9]));
    assert!(!holds(&strided, [6, 9, 12, 15]) && !holds(&strided, [8, 11, 14, 18]));
    // a: each lane is a multiple of its own.
    let varying = Stride::varying_aligned(4);
    assert!(holds(&varying, [8, 0, 4, 8]) && !holds(&varying, [8, 0, 5, 8]));
    // ⊥: no lanes at all.
    assert!(!holds(&Stride::bottom(), [0; 4]));
}

fn figure_10_5(body: &str) -> [String; 4] {
    let text = format!(
        "func @foo(i64 %i, ptr %A) -> ptr {{
E:
  {body}
  %p0 = getelementptr double, ptr %A, i64 %x
  %p1 = getelementptr double, ptr %A, i64 %j
  ret ptr %p1
}}"
    );
    let i = Stride::strided(64, 1, 8, Some(8));
    let f = figure(&text, &[i, Stride::uniform_aligned(8)], Some(8));
    ["x", "j", "p0", "p1"].map(|name| f.shape(name))
}

#[test]
fn figure_10_5_obscured_address_arithmetic() {
    let natural = figure_10_5("%x = mul i64 2, %i\n  %j = add i64 %x, 1");
    let obscured = figure_10_5("%x = shl i64 %i, 1\n  %j = or i64 %x, 1");
    assert_eq!(natural[0], "(2,16)");
    assert_eq!(obscured[0], "(2,16)");
    // The stride survives in all; only `or` is known not to wrap.
    assert_eq!((natural[1].as_str(), obscured[1].as_str()), ("~(2,1)", "(2,1)"));
    for shapes in [natural, obscured] {
        assert_eq!((shapes[2].as_str(), shapes[3].as_str()), ("~(16,8)", "~(16,8)"));
    }
}

#[test]
fn figure_10_6_the_order() {
    let mut shape = Stride::uniform_aligned(8);
    shape.join(&Stride::uniform_aligned(12));
    assert_eq!(shape.to_string(), "(0,4)");
    shape.join(&strided(6, 0));
    assert_eq!(shape.to_string(), "2");
    let mut zero = Stride::uniform_aligned(0);
    zero.join(&Stride::uniform_aligned(7));
    assert_eq!(zero.to_string(), "(0,7)");
}

const FIG_10_7: &str = "func @f(i64 %i, ptr %A, ptr %B) -> void {
E:
  %d = udiv i64 %i, 4
  %Bptr = getelementptr double, ptr %B, i64 %d
  %b = load double, ptr %Bptr, align 8
  %Aptr = getelementptr double, ptr %A, i64 %d
  store double %b, ptr %Aptr, align 8
  ret void
}";

#[test]
fn figure_10_7_a_division_is_uniform() {
    let pointer = Stride::uniform_aligned(32);
    let f = figure(FIG_10_7, &[Stride::strided(64, 1, 4, Some(4)), pointer, pointer], Some(4));
    for name in ["d", "Bptr", "b", "Aptr"] {
        assert!(f.uniform(name), "{name} is {}", f.shape(name));
    }
    let f = basic(FIG_10_7, "vuu");
    for name in ["d", "Bptr", "b", "Aptr"] {
        assert!(!f.uniform(name), "{name}");
    }
}

#[test]
fn figure_10_11_uniformity_of_a_comparison() {
    let f = figure(
        "func @f(i32 %k, i32 %l) -> i1 {
E:
  %tid = lane i32 ()
  %fl = mul i32 4, %l
  %left = add i32 %fl, %tid
  %right = mul i32 36, %k
  %b = icmp sge i32 %left, %right
  ret i1 %b
}",
        &[Stride::uniform(), Stride::uniform()],
        Some(4),
    );
    assert_eq!((f.shape("tid"), f.shape("left")), ("(1,0)".into(), "(1,4)".into()));
    assert!(f.uniform("b"));
}

/// Thread numbers of a launch whose blocks have a multiple of 32 threads in a row: warps are uniform in what is divided by 32.
#[test]
fn the_number_of_the_warp_is_uniform() {
    let f = figure(
        "func @f(i32 %tid) -> i32 {
E:
  %warp = lshr i32 %tid, 5
  %lane = and i32 %tid, 31
  %base = and i32 %tid, -32
  ret i32 %warp
}",
        &[Stride::strided(32, 1, 32, Some(32))],
        Some(32),
    );
    let shapes = ["warp", "lane", "base"].map(|name| f.shape(name));
    assert_eq!(shapes, ["(0,1)", "(1,0)", "(0,32)"]);
}
