//! Loops that LLVM's passes have not seen: they are made plain before it is asked what iterations hand on to each other.

use crate::common::{header, module};
use crate::{at_bottom, at_top, check, check_reordered, declined};
use lw_vectorize::loops::{LoopOptions, vectorize_loop};

fn check_both(ty: &str, init: &str, body: &str) {
    check(&at_top(ty, init, body));
    check(&at_bottom(ty, init, body));
}

/// The loop, vectorized.
fn vectorized(text: &str) -> String {
    let module = module(text);
    let f = module.function("f").expect("it is there");
    let options = LoopOptions::new(4, module.layout.clone());
    let (vector, _) = vectorize_loop(f, header(f), &options).expect("it is vectorized");
    vector.to_string()
}

#[test]
fn numbers_have_their_own_width() {
    for (extend, op) in [("sext", "add nsw"), ("zext", "mul"), ("sext", "xor"), ("zext", "sub")] {
        let body = format!(
            "%b = trunc i32 %k to i8
             %w = {extend} i8 %s to i32
             %x.wide = {extend} i8 %b to i32
             %u = {op} i32 %w, %x.wide
             %t = trunc i32 %u to i8
             br label %latch"
        );
        check_both("i8", "3", &body);
    }
    let sum = "%w = sext i16 %s to i32\n %u = add i32 %w, %k\n %t = trunc i32 %u to i16\n br label %latch";
    check_both("i16", "3", sum);
    assert!(vectorized(&at_top("i16", "3", sum)).contains("llvm.vector.reduce.add.v4i16"));
}

#[test]
fn the_least_of_narrow_numbers() {
    for (extend, pred) in [("sext", "slt"), ("zext", "slt"), ("zext", "sgt"), ("sext", "sge")] {
        let body = format!(
            "%b = trunc i32 %k to i8
             %w = {extend} i8 %s to i32
             %x.wide = {extend} i8 %b to i32
             %c = icmp {pred} i32 %x.wide, %w
             br i1 %c, label %new, label %old
           new:
             %y = {extend} i8 %b to i32
             br label %join
           old:
             %o = {extend} i8 %s to i32
             br label %join
           join:
             %u = phi i32 [ %y, %new ], [ %o, %old ]
             %t = trunc i32 %u to i8
             br label %latch"
        );
        check_both("i8", "9", &body);
    }
}

#[test]
fn truth_values_in_bytes() {
    for op in ["and", "or", "xor"] {
        let body = format!(
            "%c = icmp slt i32 %k, 6
             %b = trunc i8 %s to i1
             %w = zext i1 %b to i32
             %x.wide = zext i1 %c to i32
             %u = {op} i32 %w, %x.wide
             %v = icmp ne i32 %u, 0
             %t = zext i1 %v to i8
             br label %latch"
        );
        check_both("i8", "1", &body);
    }
    // A number that is no truth value has more than one bit.
    let more = "%w = zext i8 %s to i32\n %u = xor i32 %w, %k\n %v = icmp ne i32 %u, 0\n %t = zext i1 %v to i8\n br label %latch";
    assert!(declined(&at_top("i8", "1", more)).contains("the one before it"));
}

#[test]
fn signs_are_products() {
    let number = "%m = sub i32 0, %s\n %c = icmp slt i32 %k, 5\n %t = select i1 %c, i32 %m, i32 %s\n br label %latch";
    check_both("i32", "7", number);
    // That is exact, and needs nobody's permission.
    let float = "%m = fneg float %s\n %c = icmp slt i32 %k, 5\n %t = select i1 %c, float %m, float %s\n br label %latch";
    check_both("float", "1.5", float);
    let both = "%m = fneg float %s\n %c = icmp slt i32 %k, 5\n %u = select i1 %c, float %m, float %s\n %t = fmul float %u, %x\n br label %latch";
    check_both("float", "1.5", both);
    check_reordered(&at_top(
        "float",
        "1.0",
        &both.replace("fmul float %u, %x", "fmul float %u, 2.0"),
    ));
}

#[test]
fn what_is_read_twice_is_one_value() {
    let best = |between: &str| {
        format!(
            "%q = getelementptr float, ptr %a, i64 %i
             %first = load float, ptr %q, align 4
             %c = fcmp olt float %first, %s
             br i1 %c, label %new, label %join
           new:
             {between}
             %r = getelementptr float, ptr %a, i64 %i
             %second = load float, ptr %r, align 4
             br label %join
           join:
             %t = phi float [ %second, %new ], [ %s, %body ]
             br label %latch"
        )
    };
    check_both("float", "1.0e3", &best(""));
    // Unless it is written in between.
    let written = best("store float 2.0, ptr %q, align 4");
    let why = "compare each value once";
    assert!(declined(&at_top("float", "1.0e3", &written)).contains(why));
}
