//! Arrays that iterations update one after the other, in the interpreter.

use crate::common::check_with;
use crate::declined_with;
use lw_ir::{Function, Op, Value};
use lw_vectorize::Statistics;

/// The stack objects of a function.
fn arrays(f: &Function) -> Vec<Value> {
    let objects = f.all_insts().filter(|&(_, inst)| matches!(f[inst].op, Op::Alloca(_)));
    objects.map(|(_, inst)| f.result(inst)).collect()
}

/// An array `%sum` of eight numbers, zero at first, and what the loop does to it with `%x`, `%k` and `%at`, below eight; behind the
/// loop it is copied to the memory that the function was given.
fn with_array(ty: &str, zero: &str, body: &str) -> String {
    format!(
        "func @f(ptr %a, i64 %n) -> void {{
         entry:
           %sum = alloca [8 x {ty}], i64 1, align 16
           br label %clear
         clear:
           %z = phi i64 [ 0, %entry ], [ %z1, %clear ]
           %zp = getelementptr {ty}, ptr %sum, i64 %z
           store {ty} {zero}, ptr %zp, align 4
           %z1 = add i64 %z, 1
           %cleared = icmp eq i64 %z1, 8
           br i1 %cleared, label %pre, label %clear
         pre:
           br label %loop
         loop:
           %i = phi i64 [ 0, %pre ], [ %next, %latch ]
           %more = icmp slt i64 %i, %n
           br i1 %more, label %body, label %end
         body:
           %p = getelementptr float, ptr %a, i64 %i
           %x = load float, ptr %p, align 4
           %k = fptosi float %x to i32
           %k2 = mul i32 %k, %k
           %at32 = and i32 %k2, 7
           %at = zext i32 %at32 to i64
           %q = getelementptr {ty}, ptr %sum, i64 %at
           {body}
         latch:
           %next = add i64 %i, 1
           br label %loop
         end:
           br label %copy
         copy:
           %d = phi i64 [ 0, %end ], [ %d1, %copy ]
           %dp = getelementptr {ty}, ptr %sum, i64 %d
           %dv = load {ty}, ptr %dp, align 4
           %ap = getelementptr {ty}, ptr %a, i64 %d
           store {ty} %dv, ptr %ap, align 4
           %d1 = add i64 %d, 1
           %copied = icmp eq i64 %d1, 8
           br i1 %copied, label %return, label %copy
         return:
           ret void
         }}"
    )
}

fn check(text: &str) -> Vec<Statistics> {
    check_with(text, |f, options| (options.in_turn, options.reorder) = (arrays(f), true))
}

fn declined(text: &str) -> String {
    declined_with(text, |f, options| options.in_turn = arrays(f))
}

#[test]
fn elements_that_lanes_share() {
    for op in ["add nsw", "sub", "mul", "xor", "or", "shl"] {
        let body = format!(
            "%old = load i32, ptr %q, align 4
           %new = {op} i32 %old, %k2
           store i32 %new, ptr %q, align 4
           br label %latch"
        );
        check(&with_array("i32", "3", &body));
    }
    // In the order of iterations, so that not even floats differ.
    let body = "%old = load float, ptr %q, align 4
           %y = fmul float %x, 0x3DCCCCCD
           %new = fadd float %old, %y
           store float %new, ptr %q, align 4
           br label %latch";
    check(&with_array("float", "0x3F8CCCCD", body));
}

#[test]
fn several_updates_in_an_iteration() {
    // Reads come before writes.
    let body = "%other = xor i64 %at, 1
           %q2 = getelementptr i32, ptr %sum, i64 %other
           %old = load i32, ptr %q, align 4
           %old2 = load i32, ptr %q2, align 4
           %new = add i32 %old, %k
           %new2 = add i32 %old2, 1
           store i32 %new, ptr %q, align 4
           store float 1.0, ptr %p, align 4
           store i32 %new2, ptr %q2, align 4
           br label %latch";
    check(&with_array("i32", "0", body));
    // The second address depends on what was read.
    let body = "%old = load i32, ptr %q, align 4
           %low = and i32 %old, 7
           %far = zext i32 %low to i64
           %q2 = getelementptr i32, ptr %sum, i64 %far
           %old2 = load i32, ptr %q2, align 4
           %new2 = add i32 %old2, %k2
           store i32 %new2, ptr %q2, align 4
           br label %latch";
    check(&with_array("i32", "5", body));
}

#[test]
fn under_a_condition() {
    let body = "%c = icmp sgt i32 %k, 2
           br i1 %c, label %yes, label %latch
         yes:
           %old = load i32, ptr %q, align 4
           %new = add i32 %old, %k
           store i32 %new, ptr %q, align 4
           br label %latch";
    check(&with_array("i32", "0", body));
}

#[test]
fn conditions_on_elements() {
    let body = "%old = load i32, ptr %q, align 4
           %c = icmp sgt i32 %k, %old
           br i1 %c, label %yes, label %latch
         yes:
           store i32 %k, ptr %q, align 4
           br label %latch";
    check(&with_array("i32", "-9", body));
    // The condition does not hold.
    check(&with_array("i32", "-9", &body.replace("%yes, label %latch", "%latch, label %yes")));
    // Both ways lead to a value that is written.
    let body = "%old = load i32, ptr %q, align 4
           %c = icmp sgt i32 %k, %old
           br i1 %c, label %yes, label %no
         yes:
           %k3 = add i32 %k, 1
           br label %join
         no:
           br label %join
         join:
           %new = phi i32 [ %k3, %yes ], [ %old, %no ]
           store i32 %new, ptr %q, align 4
           br label %latch";
    check(&with_array("i32", "-9", body));
    // Something else is written where it holds, and the latch is reached in other ways too.
    let body = "%odd = icmp slt i32 %k, 0
           br i1 %odd, label %latch, label %even
         even:
           %old = load i32, ptr %q, align 4
           %c = icmp sgt i32 %k, %old
           br i1 %c, label %yes, label %latch
         yes:
           %at2 = xor i64 %at, 4
           %q2 = getelementptr i32, ptr %sum, i64 %at2
           %other = load i32, ptr %q2, align 4
           %more2 = add i32 %other, 10
           store i32 %k, ptr %q, align 4
           store i32 %more2, ptr %q2, align 4
           br label %latch";
    check(&with_array("i32", "-9", body));
}

/// `all[k] = all[k] && a[i] > 0`: other memory is only read if an element says so.
#[test]
fn reads_that_elements_decide_about() {
    let body = "%old = load i32, ptr %q, align 4
           %c = icmp eq i32 %old, 0
           br i1 %c, label %join, label %ask
         ask:
           %y = load float, ptr %p, align 4
           %e = fcmp ogt float %y, -3.0
           br label %join
         join:
           %both = phi i1 [ false, %body ], [ %e, %ask ]
           %new = zext i1 %both to i32
           MORE
           store i32 %new, ptr %q, align 4
           br label %latch";
    check(&with_array("i32", "1", &body.replace("MORE", "")));
    // What is read is written before the element is.
    let written =
        with_array("i32", "1", &body.replace("MORE", "store float -9.0, ptr %p, align 4"));
    assert!(declined(&written).contains("more with than to update"));
}

/// In an inner loop all lanes update the same element: what they add is added first.
#[test]
fn the_same_element_on_all_lanes() {
    let inner = |times: &str, op: &str| {
        format!(
            "br label %inner
         inner:
           %j = phi i64 [ 0, %body ], [ %j1, %inner ]
           %r = getelementptr i32, ptr %sum, i64 %j
           %old = load i32, ptr %r, align 4
           %new = {op} i32 %old, %k2
           store i32 %new, ptr %r, align 4
           %j1 = add i64 %j, 1
           %stop = icmp uge i64 %j1, {times}
           br i1 %stop, label %latch, label %inner"
        )
    };
    for op in ["add nsw", "sub nsw", "xor"] {
        for times in ["8", "%at"] {
            for statistics in check(&with_array("i32", "0", &inner(times, op))) {
                assert!(statistics.widened.reductions >= 1, "{statistics:?}");
            }
        }
    }
    // A shift is none of those.
    for statistics in check(&with_array("i32", "1", &inner("8", "shl"))) {
        assert_eq!(statistics.widened.reductions, 0, "{statistics:?}");
    }
    // Lanes begin at different elements.
    let apart = inner("8", "add").replace("[ 0, %body ]", "[ %at, %body ]");
    for statistics in check(&with_array("i32", "0", &apart)) {
        assert_eq!(statistics.widened.reductions, 0, "{statistics:?}");
    }
}

#[test]
fn reasons() {
    let why = "more with than to update";
    let kept = "%old = load i32, ptr %q, align 4
           %new = add i32 %old, %k
           store i32 %new, ptr %q, align 4
           store i32 %old, ptr %p, align 4
           br label %latch";
    assert!(declined(&with_array("i32", "0", kept)).contains(why));
    let stored = "store ptr %q, ptr %p, align 8\n br label %latch";
    assert!(declined(&with_array("i32", "0", stored)).contains(why));
    let mixed = "%c = icmp sgt i32 %k, 0
           %m = select i1 %c, ptr %q, ptr %p
           %old = load i32, ptr %m, align 4
           %new = add i32 %old, %k
           store i32 %new, ptr %m, align 4
           br label %latch";
    assert!(declined(&with_array("i32", "0", mixed)).contains(why));
    // What is written elsewhere depends on an element.
    let decides = "%old = load i32, ptr %q, align 4
           %c = icmp sgt i32 %k, %old
           br i1 %c, label %yes, label %latch
         yes:
           store i32 %k, ptr %q, align 4
           store i32 %k, ptr %p, align 4
           br label %latch";
    assert!(declined(&with_array("i32", "0", decides)).contains(why));
}
