//! What narrowing leaves is a solution, although a set of few intervals may be larger than another that is made from more.

use lw_sparse::analyses::Ranges;
use lw_sparse::engine::is_post_fixpoint;
use lw_sparse::{Options, solve};

#[test]
fn few_intervals_are_not_always_smaller() {
    let text = "func @f(i1 %a, i1 %b, i1 %c) -> i8 {
 entry:
   br i1 %a, label %left, label %right
 left:
   br label %loop
 right:
   br label %loop
 halve:
   %half = lshr i16 %x, 1
   br label %loop
 again:
   br label %loop
 out:
   ret i8 0
 more:
   br i1 %c, label %out, label %again
 loop:
   %x = phi i16 [ -10, %left ], [ -11303, %right ], [ %half, %halve ], [ %minus, %again ]
   %minus = sext i1 true to i16
   br i1 %b, label %more, label %halve
 }";
    let function = lw_ir::parse_function(text).unwrap();
    let (view, solution) = solve(&function, &mut Ranges, Options::WIDENING);
    assert!(is_post_fixpoint(&function, &view, &mut Ranges, &solution), "{view}");
}
