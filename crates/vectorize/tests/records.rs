//! Fields of records that lie one behind the other: vectors and shuffles instead of gathers and scatters.

mod common;

use common::check_with;

/// A loop over records of `size` bytes, of which there are at most 64 floats; `%p` is the record of iteration `%i`.
fn over_records(size: u32, body: &str) -> String {
    format!(
        "func @f(ptr %a, i64 %n) -> i64 {{
         entry:
           %most = udiv i64 256, {size}
           %few = icmp ult i64 %n, %most
           %m = select i1 %few, i64 %n, i64 %most
           %some = icmp sgt i64 %m, 0
           br i1 %some, label %loop, label %end
         loop:
           %i = phi i64 [ 0, %entry ], [ %next, %latch ]
           %p = getelementptr [{size} x i8], ptr %a, i64 %i
           %y = getelementptr i8, ptr %p, i64 4
           %z = getelementptr i8, ptr %p, i64 8
           {body}
           br label %latch
         latch:
           %next = add nuw nsw i64 %i, 1
           %more = icmp slt i64 %next, %m
           br i1 %more, label %loop, label %end
         end:
           ret i64 %m
         }}"
    )
}

/// Compares; how many accesses of fields there are with 16 lanes, and how many gathers.
fn check(size: u32, body: &str) -> (usize, usize) {
    let all = check_with(&over_records(size, body), |_, _| {});
    let last = &all[all.len() - 2].widened;
    (last.interleaved, last.gathers)
}

#[test]
fn all_fields_are_read_and_written() {
    let body = "
        %vx = load float, ptr %p, align 4
        %vy = load float, ptr %y, align 4
        %vz = load float, ptr %z, align 4
        %sx = fadd float %vy, %vz
        %sy = fadd float %vx, %vz
        %sz = fsub float %vx, %vy
        store float %sx, ptr %p, align 4
        store float %sy, ptr %y, align 4
        store float %sz, ptr %z, align 4";
    assert_eq!(check(12, body), (6, 0));
}

#[test]
fn one_after_the_other() {
    let body = "
        %vx = load float, ptr %p, align 4
        %sx = fadd float %vx, 1.0
        store float %sx, ptr %p, align 4
        %vz = load float, ptr %z, align 4
        %sz = fadd float %vz, %vx
        store float %sz, ptr %z, align 4";
    assert_eq!(check(12, body), (4, 0));
    assert_eq!(check(16, body), (4, 0));
}

/// The gap between fields is not written, and nothing behind the last record is touched: memory ends there.
#[test]
fn some_fields_of_records_with_gaps() {
    for size in [8, 12, 16, 20, 24, 28, 32] {
        let read_last = "%v = load float, ptr %y, align 4\n store float %v, ptr %p, align 4";
        assert_eq!(check(size, read_last), (2, 0), "{size}");
        let one = "%v = load i32, ptr %y, align 4
                   %w = add i32 %v, 7
                   store i32 %w, ptr %y, align 4";
        assert_eq!(check(size, one), (2, 0), "{size}");
    }
    // Longer records are gathered.
    let one = "%v = load i32, ptr %y, align 4\n store i32 %v, ptr %p, align 4";
    assert_eq!(check(64, one), (0, 2));
}

#[test]
fn what_was_written_is_read() {
    let body = "
        %vx = load float, ptr %p, align 4
        store float %vx, ptr %y, align 4
        %vy = load float, ptr %y, align 4
        %vz = load float, ptr %z, align 4
        %s = fadd float %vy, %vz
        store float %s, ptr %y, align 4
        store float %vy, ptr %p, align 4";
    assert_eq!(check(12, body), (6, 0));
    // A store that waits for another one does not pass what reads it, though an earlier load may.
    let body = "
        store i32 5, ptr %z, align 4
        %vy = load i32, ptr %y, align 4
        store i32 %vy, ptr %p, align 4
        %vz = load i32, ptr %z, align 4
        store i32 %vz, ptr %y, align 4";
    assert_eq!(check(20, body), (5, 0));
    // Half of a field.
    let body = "
        store i16 77, ptr %p, align 2
        %vx = load i32, ptr %p, align 4
        store i32 %vx, ptr %y, align 4";
    check(8, body);
}

#[test]
fn under_a_condition() {
    let body = "
           %vx = load float, ptr %p, align 4
           %c = fcmp olt float %vx, 0.0
           br i1 %c, label %low, label %high
         low:
           %vy = load float, ptr %y, align 4
           %vz = load float, ptr %z, align 4
           %s = fadd float %vy, %vz
           store float %s, ptr %p, align 4
           store float %vx, ptr %z, align 4
           br label %high
         high:";
    assert_eq!(check(12, body), (5, 0));
}

#[test]
fn numbers_of_other_sizes() {
    let bytes = "
        %b = getelementptr i8, ptr %p, i64 1
        %c = getelementptr i8, ptr %p, i64 2
        %vb = load i8, ptr %b, align 1
        %vc = load i8, ptr %c, align 1
        store i8 %vc, ptr %p, align 1
        store i8 %vb, ptr %c, align 1";
    assert_eq!(check(3, bytes), (4, 0));
    let doubles = "
        %v = load double, ptr %z, align 8
        store double %v, ptr %p, align 8";
    assert_eq!(check(16, doubles), (2, 0));
    let short = "
        %v = load <2 x i32>, ptr %p, align 8
        %w = add <2 x i32> %v, %v
        store <2 x i32> %w, ptr %z, align 8";
    assert_eq!(check(16, short), (4, 0));
}

#[test]
fn numbers_of_elements() {
    let body = "
        %i2 = shl nuw nsw i64 %i, 1
        %i3 = or disjoint i64 %i2, 1
        %p2 = getelementptr float, ptr %a, i64 %i2
        %p3 = getelementptr float, ptr %a, i64 %i3
        %v2 = load float, ptr %p2, align 4
        %v3 = load float, ptr %p3, align 4
        store float %v3, ptr %p2, align 4
        store float %v2, ptr %p3, align 4";
    assert_eq!(check(8, body), (4, 0));
    let body = "
        %i2 = mul nuw nsw i64 %i, 3
        %i3 = add nuw nsw i64 %i2, 2
        %p2 = getelementptr float, ptr %a, i64 %i2
        %p3 = getelementptr float, ptr %a, i64 %i3
        %v2 = load float, ptr %p2, align 4
        %v3 = load float, ptr %p3, align 4
        store float %v3, ptr %p2, align 4
        store float %v2, ptr %p3, align 4";
    assert_eq!(check(12, body), (4, 0));
}

/// An address that is computed in another way may be the same: what is stored there is seen, and loads do not pass it.
#[test]
fn other_memory_may_be_the_same() {
    let body = "
        %j = shl i64 %i, 1
        %q = getelementptr float, ptr %a, i64 %j
        %vy = load float, ptr %y, align 4
        store float 7.0, ptr %q, align 4
        %vx = load float, ptr %p, align 4
        %s = fadd float %vy, %vx
        store float %s, ptr %y, align 4";
    assert_eq!(check(8, body), (4, 0));
}
