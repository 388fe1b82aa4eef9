//! 002: Figs 1, 2, 8 and 15. `c`, `m`, `v` and `n` are uniform; a `?` is what 002 writes as ⊥, an unknown number that is the same
//! for all threads.

use crate::{basic, figure};
use lw_divergence::{Affine, Basic, Lattice, Stride};

/// Fig. 1, left.
const AVG_SQUARE: &str = "func @avgSquare(ptr %m, ptr %v, i32 %c) -> void {
entry:
  %tid = lane i32 ()
  %inside = icmp slt i32 %tid, %c
  br i1 %inside, label %before, label %end
before:
  %cc = mul nsw i32 %c, %c
  %N = add nsw i32 %tid, %cc
  br label %head
head:
  %d = phi i32 [ 0, %before ], [ %d2, %body ]
  %sum = phi float [ 0.0, %before ], [ %sum2, %body ]
  %i = phi i32 [ %tid, %before ], [ %i2, %body ]
  %more = icmp slt i32 %i, %N
  br i1 %more, label %body, label %after
body:
  %at = getelementptr float, ptr %m, i32 %i
  %x = load float, ptr %at, align 4
  %sum2 = fadd float %sum, %x
  %d2 = add nsw i32 %d, 1
  %i2 = add nsw i32 %i, %c
  br label %head
after:
  %af = phi i32 [ %d, %head ]
  %count = sitofp i32 %af to float
  %avg = fdiv float %sum, %count
  %to = getelementptr float, ptr %v, i32 %tid
  store float %avg, ptr %to, align 4
  br label %end
end:
  ret void
}";

/// Fig. 1, right.
const SUM_TRIANGLE: &str = "func @sumTriangle(ptr %m, ptr %v, i32 %c) -> void {
entry:
  %tid = lane i32 ()
  %inside = icmp slt i32 %tid, %c
  br i1 %inside, label %before, label %end
before:
  %next = add nsw i32 %tid, 1
  %L = mul nsw i32 %next, %c
  br label %head
head:
  %d = phi i32 [ 0, %before ], [ %d2, %latch ]
  %sum = phi float [ 0.0, %before ], [ %sum3, %latch ]
  %i = phi i32 [ %tid, %before ], [ %i2, %latch ]
  %more = icmp slt i32 %i, %L
  br i1 %more, label %body, label %after
body:
  %rest = srem i32 %d, 2
  %odd = icmp ne i32 %rest, 0
  br i1 %odd, label %add, label %latch
add:
  %at = getelementptr float, ptr %m, i32 %i
  %x = load float, ptr %at, align 4
  %sum2 = fadd float %sum, %x
  br label %latch
latch:
  %sum3 = phi float [ %sum2, %add ], [ %sum, %body ]
  %d2 = add nsw i32 %d, 1
  %i2 = add nsw i32 %i, %c
  br label %head
after:
  %af = phi i32 [ %d, %head ]
  %last = add nsw i32 %af, -1
  %to = getelementptr float, ptr %v, i32 %last
  store float %sum, ptr %to, align 4
  br label %end
end:
  ret void
}";

#[test]
fn figures_1_and_2_of_002_average_of_columns() {
    let f = basic(AVG_SQUARE, "uuu");
    // Section 3.3: i and N are divergent, d is uniform in the loop and divergent behind it.
    assert!(!f.uniform("i") && !f.uniform("N") && f.uniform("d") && !f.uniform("af"));
    assert!(f.divergent("head"));
    // Section 3.4: with strides the loop is uniform, and with it d behind it.
    let f =
        figure(AVG_SQUARE, &[Stride::uniform(), Stride::uniform(), Stride::uniform()], Some(32));
    let strides = ["i", "N"].map(|name| f.divergence.shape(f.value(name)).stride());
    assert_eq!(strides, [Some(1), Some(1)]);
    assert!(f.uniform("more") && !f.divergent("head") && f.uniform("d") && f.uniform("af"));
    assert!(f.divergent("entry"));
}

/// The column "Sec. 3.4" of Fig. 2.
#[test]
fn figure_2_of_002_affine_shapes() {
    let f = figure(AVG_SQUARE, &[Affine::<2>::uniform(); 3], Some(32));
    let shapes = ["i", "N", "d", "af"].map(|name| f.shape(name));
    assert_eq!(shapes, ["x + ?", "x + ?", "?", "?"]);
    assert!(!f.divergent("head"));
    let f = figure(SUM_TRIANGLE, &[Affine::<2>::uniform(); 3], Some(32));
    let shapes = ["i", "L", "d", "af"].map(|name| f.shape(name));
    assert_eq!(shapes, ["x + ?", "?x + ?", "?", "v"]);
    assert!(f.divergent("head") && !f.divergent("body"));
}

const FIG_15: &str = "func @s(ptr %m, i32 %n) -> void {
entry:
  %tid = lane i32 ()
  %i0 = mul nsw i32 %n, %tid
  %next = add nsw i32 %tid, 1
  %k = mul nsw i32 %next, %n
  br label %head
head:
  %i1 = phi i32 [ %i0, %entry ], [ %i2, %body ]
  %more = icmp slt i32 %i1, %k
  br i1 %more, label %body, label %end
body:
  %at = getelementptr i32, ptr %m, i32 %i1
  store i32 1, ptr %at, align 4
  %i2 = add nsw i32 %i1, 1
  br label %head
end:
  ret void
}";

#[test]
fn figure_15_of_002_a_second_degree_finds_more() {
    let one = figure(FIG_15, &[Affine::<1>::uniform(); 2], Some(32));
    let two = figure(FIG_15, &[Affine::<2>::uniform(); 2], Some(32));
    let names = ["n", "i0", "i1", "i2", "k"];
    assert_eq!(names.map(|name| one.shape(name)), ["?", "v", "v", "v", "v"]);
    assert_eq!(names.map(|name| two.shape(name)), ["?", "?x", "?x + ?", "?x + ?", "?x + ?"]);
    assert_eq!(two.shape("at"), "~?x + ?");
}

#[test]
fn figures_1_and_2_of_002_sum_of_a_triangle() {
    for uniform_after in [
        {
            let f = figure(SUM_TRIANGLE, &[Basic::Uniform; 3], None);
            assert!(f.uniform("d") && f.uniform("odd") && !f.divergent("body"));
            assert!(!f.uniform("L") && f.divergent("head"));
            f.uniform("af")
        },
        {
            let f = figure(SUM_TRIANGLE, &[Stride::uniform(); 3], Some(32));
            assert!(f.uniform("d") && !f.divergent("body") && f.divergent("head"));
            f.uniform("af")
        },
    ] {
        assert!(!uniform_after);
    }
}

#[test]
fn figure_8_of_002_the_inner_branch_of_a_divergent_loop() {
    let f = basic(
        "func @triangle(ptr %v, i32 %c, ptr %out) -> i32 {
l0:
  %tid = lane i32 ()
  %start = mul i32 %tid, %c
  %limit = add i32 %start, %tid
  br label %l5
l5:
  %d = phi i32 [ 0, %l0 ], [ %d2, %l12 ]
  %i = phi i32 [ %start, %l0 ], [ %i2, %l12 ]
  %p0 = icmp sgt i32 %i, %limit
  br i1 %p0, label %l15, label %l7
l7:
  %odd = and i32 %d, 1
  %p1 = icmp ne i32 %odd, 0
  br i1 %p1, label %l12, label %l10
l10:
  br label %l12
l12:
  %d2 = add i32 %d, 1
  %i2 = add i32 %i, 1
  br label %l5
l15:
  ret i32 %d
}",
        "uuu",
    );
    // p1 cannot cause a divergence, although the loop is divergent; behind the loop d is.
    assert!(f.divergent("l5") && f.uniform("d") && f.uniform("p1") && !f.divergent("l7"));
    assert!(!f.uniform_at_end("d", "l15"));
}
