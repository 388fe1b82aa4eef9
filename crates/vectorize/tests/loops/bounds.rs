//! Bounds that are read anew for each test.

use crate::{check, declined, declined_with};

/// A loop whose bound lies in memory.
fn at_top(before_the_test: &str) -> String {
    format!(
        "func @f(ptr %a, i64 %n) -> i32 {{
         entry:
           %m = alloca i64, i32 1, align 8
           store i64 %n, ptr %m, align 8
           br label %loop
         loop:
           %i = phi i64 [ 0, %entry ], [ %next, %body ]
           %s = phi i32 [ 3, %entry ], [ %t, %body ]
           {before_the_test}
           %bound = load i64, ptr %m, align 8
           %more = icmp slt i64 %i, %bound
           br i1 %more, label %body, label %end
         body:
           %p = getelementptr float, ptr %a, i64 %i
           %x = load float, ptr %p, align 4
           %k = fptosi float %x to i32
           store float 7.0, ptr %p, align 4
           %t = add i32 %s, %k
           %next = add i64 %i, 1
           br label %loop
         end:
           ret i32 %s
         }}"
    )
}

/// The same, tested at the bottom, behind a test of something.
fn at_bottom(tested: &str) -> String {
    format!(
        "func @f(ptr %a, i64 %n) -> i32 {{
         entry:
           %m = alloca i64, i32 1, align 8
           store i64 %n, ptr %m, align 8
           %first = load i64, ptr %m, align 8
           %some = icmp slt i64 0, {tested}
           br i1 %some, label %loop, label %none
         loop:
           %i = phi i64 [ 0, %entry ], [ %next, %loop ]
           %s = phi i32 [ 3, %entry ], [ %t, %loop ]
           %p = getelementptr float, ptr %a, i64 %i
           %x = load float, ptr %p, align 4
           %k = fptosi float %x to i32
           store float 7.0, ptr %p, align 4
           %t = add i32 %s, %k
           %next = add i64 %i, 1
           %bound = load i64, ptr %m, align 8
           %more = icmp slt i64 %next, %bound
           br i1 %more, label %loop, label %end
         end:
           ret i32 %t
         none:
           ret i32 3
         }}"
    )
}

#[test]
fn iterations_do_not_write_what_the_next_test_reads() {
    check(&at_top(""));
    check(&at_bottom("%first"));
    let why = "the number of iterations is not known";
    for text in [at_top(""), at_bottom("%first")] {
        let doubted = declined_with(&text, |_, options| options.parallel = false);
        assert!(doubted.contains(why), "{doubted}");
    }
}

/// An iteration may write what its own test reads.
#[test]
fn what_a_test_reads_may_be_written_before_it() {
    let why = "the number of iterations is not known";
    assert!(declined(&at_top("store i64 %n, ptr %m, align 8")).contains(why));
    assert!(declined(&at_bottom("%n")).contains(why));
}
