//! Accesses that come behind another access of the same pointer split nothing, nor do uses before one that needs all bits.

use lw_sparse::analyses::{DemandedBits, NullPointers, Nullness};
use lw_sparse::function::var;
use lw_sparse::*;

const TEXT: &str = "func @f(ptr %p, ptr %q, i1 %c) -> i32 {
 entry:
   %a = load i32, ptr %p, align 4
   %x = load i32, ptr %p, align 4
   br i1 %c, label %then, label %join
 then:
   %b = load i32, ptr %p, align 4
   %d = load i32, ptr %q, align 4
   %e = load i32, ptr %q, align 4
   br label %join
 join:
   %g = load i32, ptr %p, align 4
   %h = load i32, ptr %q, align 4
   %i = load i32, ptr %q, align 4
   ret i32 %i
 }";

#[test]
fn only_the_first_access_on_each_way_splits() {
    let function = lw_ir::parse_function(TEXT).unwrap();
    let (view, solution) = solve(&function, &mut NullPointers, Options::default());
    let count = |index: usize, versions: usize| {
        let pointer = var(function.params()[index]);
        assert_eq!(view.versions_of(pointer).count(), versions, "parameter {index}");
    };
    // `p`: itself, and behind the first access.
    count(0, 2);
    // `q`: itself, behind the first access in `then`, merged at `join`, and behind the first access there.
    count(1, 4);
    // Every use of `p` but the first sees that it is not null.
    let p = var(function.params()[0]);
    let code = view.code();
    let uses = code.order().iter().flat_map(|&block| code.positions(block));
    let seen: Vec<Nullness> =
        uses.filter_map(|pos| view.used(pos, p)).map(|version| *solution.of(version)).collect();
    assert_eq!(seen[0], Nullness::Maybe);
    assert_eq!(seen[1..], [Nullness::NonNull; 3]);
}

/// `x` is used once. All bits of `y` are stored on both ways; those of `z` on one of them.
const BITS: &str = "func @g(ptr %p, i32 %x, i32 %y, i32 %z, i1 %c) -> i8 {
 entry:
   %a = trunc i32 %y to i8
   br i1 %c, label %then, label %else
 then:
   %b = trunc i32 %x to i8
   %d = trunc i32 %z to i8
   store i32 %y, ptr %p, align 4
   store i32 %z, ptr %p, align 4
   br label %join
 else:
   %e = trunc i32 %y to i16
   %f = trunc i32 %z to i16
   %g = and i16 %e, %f
   store i16 %g, ptr %p, align 2
   store i32 %y, ptr %p, align 4
   br label %join
 join:
   %h = phi i8 [ %b, %then ], [ %a, %else ]
   ret i8 %h
 }";

#[test]
fn nothing_is_split_where_one_use_or_all_bits_are_ahead() {
    let function = lw_ir::parse_function(BITS).unwrap();
    let (view, solution) = solve(&function, &mut DemandedBits, Options::default());
    let bits = |index: usize| -> Vec<u128> {
        let var = var(function.params()[index]);
        view.versions_of(var).map(|version| *solution.of(version)).collect()
    };
    assert_eq!(bits(1), [0xff]);
    assert_eq!(bits(2), [0xffff_ffff]);
    // Itself, and one version for each way.
    assert_eq!(bits(3)[0], 0xffff_ffff);
    assert_eq!(bits(3).len(), 3);
    assert!(bits(3).contains(&0xffff));
}

/// An object is not null before it is accessed either.
#[test]
fn accesses_of_an_object_split_nothing() {
    let function = lw_ir::parse_function(
        "func @h(i1 %c) -> i32 {
 entry:
   %p = alloca i32, i32 1, align 4
   store i32 1, ptr %p, align 4
   br i1 %c, label %then, label %join
 then:
   store i32 2, ptr %p, align 4
   br label %join
 join:
   %x = load i32, ptr %p, align 4
   ret i32 %x
 }",
    )
    .unwrap();
    let (view, solution) = solve(&function, &mut NullPointers, Options::default());
    let entry = function.entry().unwrap();
    let p = var(function.result(function.insts(entry)[0]));
    let known: Vec<Nullness> = view.versions_of(p).map(|version| *solution.of(version)).collect();
    assert_eq!(known, [Nullness::NonNull]);
}
