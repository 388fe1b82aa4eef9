//! The place of the best so far, where the best is read again.

use crate::{check, declined, declined_with};

/// A loop that is tested at the top and chooses a place. If there is no iteration, there is nothing at the first place.
fn at_top(read: &str) -> String {
    format!(
        "func @f(ptr %a, i64 %n) -> i64 {{
         entry:
           %none = icmp slt i64 %n, 1
           %first = select i1 %none, i64 1000000, i64 0
           br label %loop
         loop:
           %i = phi i64 [ 0, %entry ], [ %next, %latch ]
           %best = phi i64 [ %first, %entry ], [ %then, %latch ]
           %more = icmp slt i64 %i, %n
           br i1 %more, label %body, label %end
         body:
           %p = getelementptr float, ptr %a, i64 %i
           %x = load float, ptr %p, align 4
           %q = getelementptr float, ptr %a, i64 %best
           {read}
         latch:
           %then = phi i64 [ %chosen, %join ]
           %next = add i64 %i, 1
           br label %loop
         end:
           ret i64 %best
         }}"
    )
}

/// What is compared, and behind it.
fn compared(behind: &str) -> String {
    format!(
        "%y = load float, ptr %q, align 4
         %less = fcmp olt float %x, %y
         %chosen = select i1 %less, i64 %i, i64 %best
         {behind}
         br label %join
       join:
         br label %latch"
    )
}

const WHY: &str = "an iteration needs what the one before it computed";

#[test]
fn what_is_at_the_best_place_is_remembered() {
    check(&at_top(&compared("")));
    // What is compared may be computed.
    check(&at_top(
        "%y = load float, ptr %q, align 4
         %v = fmul float %x, %x
         %w = fmul float %y, %y
         %less = fcmp oge float %v, %w
         br i1 %less, label %take, label %join
       take:
         br label %join
       join:
         %chosen = phi i64 [ %i, %take ], [ %best, %body ]
         br label %latch",
    ));
}

#[test]
fn what_is_written_is_not_remembered() {
    let before = format!("store float 1.0, ptr %p, align 4\n{}", compared(""));
    assert!(declined(&at_top(&before)).contains(WHY));
    let behind = at_top(&compared("store float 1.0, ptr %p, align 4"));
    let doubted = declined_with(&behind, |_, options| options.parallel = false);
    assert!(doubted.contains(WHY), "{doubted}");
}

/// What is compared in iterations in which `x` is greater than a number, and behind it.
fn compared_above(number: &str, behind: &str) -> String {
    format!(
        "%above = fcmp ogt float %x, {number}
         br i1 %above, label %read, label %join
       read:
         %y = load float, ptr %q, align 4
         %less = fcmp olt float %x, %y
         %taken = select i1 %less, i64 %i, i64 %best
         br label %join
       join:
         %chosen = phi i64 [ %taken, %read ], [ %best, %body ]
         {behind}
         br label %latch"
    )
}

/// What only some iterations read cannot be read before the first of them: each lane looks it up.
#[test]
fn what_the_first_iteration_may_not_read_is_looked_up() {
    check(&at_top(&compared_above("0.0", "")));
    // There is nothing at the first place, and nobody compares.
    let never = at_top(&compared_above("1000000.0", ""));
    check(&never.replace("i64 1000000, i64 0", "i64 1000000, i64 1000000"));
    let written = at_top(&compared_above("0.0", "store float 1.0, ptr %p, align 4"));
    assert!(declined(&written).contains(WHY));
}

/// There may be no place yet, and what is at the first that is taken may never be read.
#[test]
fn what_may_be_none_yet_is_looked_up() {
    let some = at_top(
        "%empty = icmp slt i64 %best, 0
         br i1 %empty, label %take, label %read
       read:
         %y = load float, ptr %q, align 4
         %less = fcmp nnan olt float %x, %y
         br i1 %less, label %take, label %join
       take:
         br label %join
       join:
         %chosen = phi i64 [ %i, %take ], [ %best, %read ]
         br label %latch",
    );
    let some = some.replace("i64 1000000, i64 0", "i64 -1, i64 -1");
    check(&some.replace("add i64 %i, 1", "add nuw nsw i64 %i, 1"));
    // What is not known to be a number would stay the best.
    assert!(declined(&some.replace("nnan ", "")).contains(WHY));
}

/// Another place is taken than the one of what was compared.
#[test]
fn what_was_not_compared_is_not_remembered() {
    let other = compared("").replace("i64 %i,", "i64 %n,");
    assert!(declined(&at_top(&other)).contains(WHY));
}
