//! What follows from the number of the iteration.

use super::{at_bottom, at_top, check, declined};

const STORE: &str = "store i32 %d, ptr %p, align 4\n br label %latch";

/// In loops that are tested at the top and at the bottom; what the last iteration left, and what it found, is wanted behind them.
fn check_all(ty: &str, init: &str, body: &str) {
    check(&at_top(ty, init, body));
    for wanted in ["%s", "%t"] {
        let text = at_bottom(ty, init, body);
        check(&text.replace(&format!("ret {ty} %t"), &format!("ret {ty} {wanted}")));
    }
}

#[test]
fn what_comes_by_turns() {
    for (init, next) in [
        ("1", "%t = sub i32 0, %s"),
        ("7", "%t = sub i32 9, %s"),
        ("-3", "%t = mul i32 %s, -1"),
        ("12", "%t = xor i32 5, %s"),
    ] {
        check_all("i32", init, &format!("%d = mul i32 %s, %k\n {next}\n {STORE}"));
    }
    let scaled = "%y = fmul float %s, %x\n store float %y, ptr %p, align 4";
    for next in ["%t = fneg float %s", "%t = fmul float %s, -1.0"] {
        check_all("float", "0.5", &format!("{scaled}\n {next}\n br label %latch"));
    }
    let odd = "%d = select i1 %s, i32 %k, i32 -1\n %t = xor i1 %s, true";
    check_all("i1", "false", &format!("{odd}\n {STORE}"));
}

#[test]
fn bits_that_move() {
    for (ty, init, next) in [
        ("i32", "3", "shl i32 %s, 1"),
        ("i32", "-7", "lshr i32 %s, 3"),
        ("i32", "1", "shl i32 %s, 31"),
    ] {
        check_all(ty, init, &format!("%d = xor i32 %s, %k\n %t = {next}\n {STORE}"));
    }
    let byte = "%z = zext i8 %s to i32\n %d = xor i32 %z, %k\n %t = shl nuw i8 %s, 1";
    check_all("i8", "1", &format!("{byte}\n {STORE}").replace(" nuw", ""));
    // A sign that comes in.
    let down = format!("%d = xor i32 %s, %k\n %t = ashr i32 %s, 1\n {STORE}");
    assert!(declined(&at_top("i32", "-900", &down)).contains("the one before it"));
}

#[test]
fn places_in_a_ring() {
    for (init, step, mask) in [("0", 1, 7), ("5", 3, 7), ("900", 1, 3), ("-1", -1, 15)] {
        let next = format!("%far = add i32 %s, {step}\n %t = and i32 %far, {mask}");
        check_all("i32", init, &format!("%d = add i32 %s, %k\n {next}\n {STORE}"));
    }
    // What is no mask, and what is added otherwise.
    for next in [
        "%far = add i32 %s, 1\n %t = and i32 %far, 6",
        "%far = add i32 %s, %k\n %t = and i32 %far, 7",
    ] {
        let text = format!("%d = add i32 %s, %k\n {next}\n {STORE}");
        declined(&at_top("i32", "0", &text));
    }
}

/// `row += i`.
#[test]
fn what_grows_by_what_grows() {
    for next in ["add i64 %s, %i", "add i64 %i, %s", "sub i64 %s, %i"] {
        let body =
            format!("%low = trunc i64 %s to i32\n %d = add i32 %low, %k\n %t = {next}\n {STORE}");
        check_all("i64", "77", &body);
    }
    // By what the counter is at the end of the iteration.
    let text = at_bottom(
        "i64",
        "5",
        &format!("%low = trunc i64 %s to i32\n %d = add i32 %low, %k\n {STORE}"),
    );
    let text =
        text.replace("%next = add i64 %i, 1", "%next = add i64 %i, 1\n %t = add i64 %s, %next");
    check(&text);
}
