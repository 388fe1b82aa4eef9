//! The best so far and what belongs to it: in inner loops, and where it may only be computed if something better is found.

use crate::{check, check_reordered, declined};

/// A loop that carries the best so far and something else, tested at the top or at the bottom.
fn with_two(at_top: bool, body: &str) -> String {
    let (test, again, ends) = match at_top {
        true => ("br i1 %more, label %body, label %end", "br label %loop", "[ %s, %loop ]"),
        false => ("br label %body", "br i1 %again, label %loop, label %end", "[ %t, %latch ]"),
    };
    let belongs = ends.replace("%s", "%w").replace("%t", "%v");
    let none = if at_top { ("", "") } else { (", [ 1000, %entry ]", ", [ -1, %entry ]") };
    let enter = if at_top { "br label %loop" } else { "br i1 %some, label %loop, label %end" };
    format!(
        "func @f(ptr %a, i64 %n) -> i32 {{
         entry:
           %some = icmp sgt i64 %n, 0
           {enter}
         loop:
           %i = phi i64 [ 0, %entry ], [ %next, %latch ]
           %s = phi i32 [ 1000, %entry ], [ %t, %latch ]
           %w = phi i32 [ -1, %entry ], [ %v, %latch ]
           %more = icmp slt i64 %i, %n
           {test}
         body:
           %p = getelementptr float, ptr %a, i64 %i
           %x = load float, ptr %p, align 4
           %k = fptosi float %x to i32
           %at = trunc i64 %i to i32
           {body}
         latch:
           %next = add i64 %i, 1
           %again = icmp slt i64 %next, %n
           {again}
         end:
           %best = phi i32 {ends}{}
           %other = phi i32 {belongs}{}
           %both = mul i32 %other, 1001
           %result = add i32 %both, %best
           ret i32 %result
         }}",
        none.0, none.1
    )
}

fn check_both(body: &str) {
    check(&with_two(true, body));
    check(&with_two(false, body));
}

/// An inner loop of `%at & 3` and one more iterations, in which `%y` is compared with something.
fn inner(compared: &str, chosen: &str) -> String {
    format!(
        "%times = and i32 %at, 3
           br label %inner
         inner:
           %j = phi i32 [ 0, %body ], [ %j2, %inner ]
           %s1 = phi i32 [ %s, %body ], [ %t, %inner ]
           %w1 = phi i32 [ %w, %body ], [ %v, %inner ]
           %y = xor i32 %k, %j
           %less = icmp slt i32 %y, {compared}
           {chosen}
           %place = add i32 %at, %j
           %v = select i1 %less, i32 %place, i32 %w1
           %j2 = add i32 %j, 1
           %round = icmp ule i32 %j2, %times
           br i1 %round, label %inner, label %latch"
    )
}

#[test]
fn the_best_of_inner_loops() {
    check_both(&inner("%s1", "%t = select i1 %less, i32 %y, i32 %s1"));
    check_both(&inner("%s1", "%t = call i32 (i32, i32) @llvm.smin.i32(i32 %y, i32 %s1)"));
}

/// What is better than the best before an inner loop may be worse than what that loop has found.
#[test]
fn the_best_before_an_inner_loop_is_not_the_best() {
    let why = "compare each value once";
    for best in
        ["select i1 %less, i32 %y, i32 %s1", "call i32 (i32, i32) @llvm.smin.i32(i32 %y, i32 %s1)"]
    {
        let body = inner("%s", &format!("%t = {best}"));
        assert!(declined(&with_two(true, &body)).contains(why), "{body}");
        assert!(declined(&with_two(false, &body)).contains(why), "{body}");
    }
}

/// An inner loop that LLVM unrolled: one comparison after the other, and what is the same for all of them is set if any holds.
#[test]
fn the_best_of_several() {
    let several = "%y = xor i32 %k, 5
           %less1 = icmp slt i32 %k, %s
           %s1 = select i1 %less1, i32 %k, i32 %s
           %less2 = icmp slt i32 %y, %s1
           %t = select i1 %less2, i32 %y, i32 %s1";
    check_both(&format!(
        "{several}
           %w1 = select i1 %less1, i32 %at, i32 %w
           %v = select i1 %less2, i32 %k, i32 %w1
           br label %latch"
    ));
    check_both(&format!(
        "{several}
           %any = select i1 %less2, i1 true, i1 %less1
           %v = select i1 %any, i32 %at, i32 %w
           br label %latch"
    ));
    let only_one = format!(
        "{several}
           %v = select i1 %less2, i32 %at, i32 %w
           br label %latch"
    );
    assert!(declined(&with_two(true, &only_one)).contains("compare each value once"));
}

/// Only the first iteration divides by something, and only there is something to be read. All lanes find something better than what there was.
fn where_better(compute: &str) -> String {
    format!(
        "%less = icmp slt i32 %at, %s
           br i1 %less, label %take, label %join
         take:
           %first = icmp eq i64 %i, 0
           {compute}
           br label %join
         join:
           %t = phi i32 [ %at, %take ], [ %s, %body ]
           %v = phi i32 [ %found, %take ], [ %w, %body ]
           br label %latch"
    )
}

const DIVIDED: &str = "%one = zext i1 %first to i32
           %found = sdiv i32 100, %one";
const READ: &str = "%q = select i1 %first, ptr %a, ptr null
           %z = load float, ptr %q, align 4
           %found = fptosi float %z to i32";

#[test]
fn what_is_computed_where_something_better_is_found() {
    check_both(&where_better(DIVIDED));
    check_both(&where_better(READ));
    check_reordered(&with_two(true, &where_better(READ)));
}

/// What is read behind the loop must not have been written in it.
#[test]
fn what_is_read_before_it_is_written_is_not_read_behind_the_loop() {
    let body = where_better(READ)
        .replace("br label %latch", "store float 1.0, ptr %p, align 4\n br label %latch");
    assert!(
        declined(&with_two(true, &body)).contains("let the comparison decide about nothing else")
    );
}
