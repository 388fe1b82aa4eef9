//! Stack objects whose states differ where nobody asks for them any more.

use crate::basic;

const MARKS: &str = "declare @llvm.lifetime.start.p0 : void (ptr)
declare @llvm.lifetime.end.p0 : void (ptr)
";

/// A search with a stack, which threads leave one by one (001 Fig. 13.2); `begin` stands where an iteration of the outer loop begins, `behind`
/// where the search is over.
fn search(begin: &str, behind: &str) -> String {
    format!(
        "{MARKS}func @f(i32 %v, i32 %n) -> i32 {{
entry:
  %X = alloca [64 x i32], i32 1, align 4
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i1, %found ]
  {begin}
  store i32 0, ptr %X, align 4
  br label %loop
loop:
  %top = phi i32 [ 1, %outer ], [ %more, %push ]
  %less = add i32 %top, -1
  %at = getelementptr i32, ptr %X, i32 %less
  %node = load i32, ptr %at, align 4
  %c = icmp eq i32 %node, %v
  br i1 %c, label %found, label %push
push:
  %next = add i32 %node, 1
  store i32 %next, ptr %at, align 4
  %far = icmp ult i32 %next, %n
  %more = select i1 %far, i32 %top, i32 0
  %goes = icmp ne i32 %more, 0
  br i1 %goes, label %loop, label %found
found:
  %last = phi i32 [ %node, %loop ], [ -1, %push ]
  {behind}
  %i1 = add i32 %i, 1
  %again = icmp ult i32 %i1, %n
  br i1 %again, label %outer, label %end
end:
  ret i32 %last
}}"
    )
}

const BEGIN: &str = "call void (ptr) @llvm.lifetime.start.p0(ptr %X)";
const END: &str = "call void (ptr) @llvm.lifetime.end.p0(ptr %X)";

#[test]
fn threads_that_left_a_loop_do_not_read_what_others_write() {
    for (begin, behind) in [(BEGIN, END), (BEGIN, ""), ("", END)] {
        let f = basic(&search(begin, behind), "vu");
        assert!(f.divergence.is_uniform_object(f.inst("X")) && f.uniform("node"), "{begin}");
        assert!(!f.uniform("last"));
    }
}

#[test]
fn threads_that_left_a_loop_may_read_what_they_left_behind() {
    let behind = "%z = load i32, ptr %X, align 4";
    let f = basic(&search(BEGIN, behind), "vu");
    assert!(!f.divergence.is_uniform_object(f.inst("X")) && !f.uniform("z"));
    // The next search reads what the one before left.
    let f = basic(&search("", ""), "vu");
    assert!(!f.divergence.is_uniform_object(f.inst("X")));
}

/// Two sides of a divergent branch, and what is before them.
fn sides(before: &str, left: &str, right: &str) -> String {
    format!(
        "{MARKS}func @f(i1 %v, i32 %u) -> i32 {{
entry:
  %X = alloca i32, i32 1, align 4
  {before}
  br i1 %v, label %A, label %B
A:
  {left}
  br label %end
B:
  {right}
  br label %end
end:
  ret i32 0
}}"
    )
}

#[test]
fn a_life_on_one_side_of_a_branch_is_that_of_the_threads_there() {
    let life =
        format!("{BEGIN}\n  store i32 %u, ptr %X, align 4\n  %a = load i32, ptr %X, align 4");
    let f = basic(&sides("", &life, ""), "vu");
    assert!(f.divergence.is_uniform_object(f.inst("X")) && f.uniform("a"));
}

#[test]
fn lanes_cannot_share_what_one_side_writes_and_the_other_reads() {
    // Which side comes first is not said: the one that writes would take the value from the other.
    let before = "store i32 1, ptr %X, align 4";
    let (write, read) = ("store i32 2, ptr %X, align 4", "%z = load i32, ptr %X, align 4");
    for text in [sides(before, write, read), sides(before, read, write)] {
        let f = basic(&text, "vu");
        assert!(!f.divergence.is_uniform_object(f.inst("X")));
    }
}

#[test]
fn lives_on_both_sides_of_a_branch_are_two() {
    let life = |name: &str| {
        format!(
            "{BEGIN}\n  store i32 %u, ptr %X, align 4\n  %{name} = load i32, ptr %X, align 4\n  {END}"
        )
    };
    let f = basic(&sides("", &life("a"), &life("b")), "vu");
    assert!(!f.divergence.is_uniform_object(f.inst("X")));
}
