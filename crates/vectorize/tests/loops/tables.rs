//! Stack objects that each iteration has for itself, and what the last one left in them.

use crate::{check, declined};

#[test]
fn a_table_that_each_iteration_has_for_itself() {
    check(
        "func @f(ptr %a, i64 %n) -> i32 {
         entry:
           %own = alloca [4 x i32], i32 1, align 4
           br label %loop
         loop:
           %i = phi i64 [ 0, %entry ], [ %next, %body ]
           %s = phi i32 [ 0, %entry ], [ %t, %body ]
           %more = icmp slt i64 %i, %n
           br i1 %more, label %body, label %end
         body:
           %p = getelementptr float, ptr %a, i64 %i
           %x = load float, ptr %p, align 4
           %k = fptosi float %x to i32
           %b = and i32 %k, 3
           %c = xor i32 %b, 1
           %w0 = getelementptr i32, ptr %own, i32 %b
           %w1 = getelementptr i32, ptr %own, i32 %c
           store i32 %k, ptr %w0, align 4
           store i32 5, ptr %w1, align 4
           %l = load i32, ptr %w0, align 4
           %t = add i32 %s, %l
           store float 0.0, ptr %p, align 4
           %next = add i64 %i, 1
           br label %loop
         end:
           ret i32 %s
         }",
    );
}

/// A table that is allocated before the loop, with a fixed place in it; what becomes of it in an iteration, and behind the loop.
fn with_table(begin: &str, end: &str, behind: &str) -> String {
    format!(
        "func @f(ptr %a, i64 %n) -> i32 {{
         entry:
           %own = alloca [4 x i32], i64 1, align 4
           %second = getelementptr i32, ptr %own, i64 1
           %third = getelementptr i32, ptr %second, i64 1
           br label %loop
         loop:
           %i = phi i64 [ 0, %entry ], [ %next, %body ]
           %s = phi i32 [ 0, %entry ], [ %t, %body ]
           %more = icmp slt i64 %i, %n
           br i1 %more, label %body, label %end
         body:
           {begin}
           %p = getelementptr float, ptr %a, i64 %i
           %x = load float, ptr %p, align 4
           %k = fptosi float %x to i32
           %b = and i32 %k, 1
           %w = getelementptr i32, ptr %second, i32 %b
           store i32 7, ptr %second, align 4
           store i32 8, ptr %third, align 4
           store i32 %k, ptr %w, align 4
           %l = load i32, ptr %second, align 4
           %m = load i32, ptr %third, align 4
           %d = sub i32 %l, %m
           %t = xor i32 %s, %d
           {end}
           %next = add i64 %i, 1
           br label %loop
         end:
           {behind}
         }}"
    )
}

#[test]
fn addresses_that_are_computed_before_the_loop() {
    let begin = "call void (ptr) @llvm.lifetime.start.p0(ptr %own)";
    let end = "call void (ptr) @llvm.lifetime.end.p0(ptr %own)";
    check(&with_table(begin, end, "ret i32 %s"));
    check(&with_table(begin, "", "ret i32 %s"));
    // Another life of the same object.
    let again = "store i32 3, ptr %third, align 4
           %z = load i32, ptr %third, align 4
           %r = add i32 %s, %z
           ret i32 %r";
    check(&with_table(begin, end, &format!("{begin}\n {again}")));
    // An address that only those behind the loop compute, from what is known there: the loop does not.
    let elsewhere = "%at = and i32 %s, 3
           %place = getelementptr i32, ptr %own, i32 %at
           store i32 3, ptr %place, align 4
           %z = load i32, ptr %place, align 4
           %r = add i32 %s, %z
           ret i32 %r";
    check(&with_table(begin, end, &format!("{begin}\n {elsewhere}")));
}

/// The table of the last iteration is used behind the loop.
#[test]
fn what_the_last_iteration_left_in_its_table() {
    let begin = "call void (ptr) @llvm.lifetime.start.p0(ptr %own)";
    let sum = "%z = load i32, ptr %second, align 4
           %y = load i32, ptr %third, align 4
           %x2 = mul i32 %y, 100
           %w2 = add i32 %z, %x2
           %r = add i32 %s, %w2
           ret i32 %r";
    let behind = format!(
        "%none = icmp eq i64 %n, 0
           br i1 %none, label %nothing, label %something
         nothing:
           ret i32 %s
         something:
           {sum}"
    );
    check(&with_table(begin, "", &behind));
    // An iteration has the address of the object that the one before it had.
    let carried = with_table(begin, "", &behind)
        .replace("%s = phi", "%before = phi ptr [ %own, %entry ], [ %second, %body ]\n %s = phi")
        .replace(
            "%d = sub i32 %l, %m",
            "%d0 = load i32, ptr %before, align 4\n %d = sub i32 %d0, %m",
        );
    assert!(declined(&carried).contains("the one before"), "{}", declined(&carried));
}
