//! The columns of 001 Fig. 13.1.

use lw_vectorize::{Masks, Region, Shares, vectorize};

#[test]
fn columns() {
    let text = "func @f(ptr %p, i32 %n, i32 %v) -> i32 {
    entry:
      %shared = alloca i32, i32 1, align 4
      %own = alloca i32, i32 1, align 4
      store i32 %n, ptr %shared, align 4
      store i32 %v, ptr %own, align 4
      %always = load i32, ptr %p, align 4
      %u = icmp sgt i32 %n, 0
      br i1 %u, label %some, label %loops
    some:
      %sometimes = load i32, ptr %shared, align 4
      br label %loops
    loops:
      %i = phi i32 [ 0, %entry ], [ 0, %some ], [ %next, %again ]
      %next = add i32 %i, 1
      %done = icmp sge i32 %next, %n
      br i1 %done, label %end, label %again
    again:
      %part = icmp sge i32 %next, %v
      br i1 %part, label %end, label %loops
    end:
      %c = icmp sgt i32 %v, 3
      br i1 %c, label %few, label %out
    few:
      store i32 %v, ptr %p, align 4
      br label %out
    out:
      %r = load i32, ptr %own, align 4
      ret i32 %r
    }";
    let module = lw_ir::parse_module(text).unwrap();
    let f = &module.functions[0];
    let region = Region::new(4, module.layout.clone()).read_shapes(f, "u, u, v").unwrap();
    let census = vectorize(f, &region).unwrap().1.census;
    assert_eq!(census.branches, Shares { uniform: 2, varying: 2 });
    assert_eq!(census.loops, Shares { uniform: 0, varying: 1 });
    assert_eq!(census.exits, Shares { uniform: 1, varying: 1 });
    assert_eq!(census.loads, Masks { none: 2, uniform: 1, varying: 0 });
    assert_eq!(census.stores, Masks { none: 2, uniform: 0, varying: 1 });
    assert_eq!(census.objects, Shares { uniform: 1, varying: 1 });
    assert_eq!(
        census.columns().map(|(_, count)| count),
        [2, 2, 0, 1, 1, 1, 2, 1, 0, 2, 0, 1, 1, 1]
    );
}
