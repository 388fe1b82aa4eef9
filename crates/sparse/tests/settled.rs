//! Accesses that come behind another access of the same pointer split nothing.

use lw_sparse::analyses::{NullPointers, Nullness};
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
