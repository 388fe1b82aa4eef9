//! Loops of each kind before and after strip mining, in the interpreter.

mod alone;
mod bounds;
mod choices;
#[path = "../common/mod.rs"]
mod common;
mod numbered;
mod places;
mod plain;
mod tables;
mod turns;

use common::{COUNTS, check_with, data, header, module, run};
use lw_ir::Function;
use lw_vectorize::loops::{LoopOptions, Remainder, vectorize_loop};

fn check(text: &str) {
    check_with(text, |_, _| {});
}

fn check_reordered(text: &str) {
    check_with(text, |_, options| options.reorder = true);
}

fn declined(text: &str) -> String {
    declined_with(text, |_, _| {})
}

/// Why the loop is declined with the options that a function sets.
fn declined_with(text: &str, set: impl Fn(&Function, &mut LoopOptions)) -> String {
    let module = module(text);
    let f = module.function("f").expect("it is there");
    let mut options = LoopOptions::new(4, module.layout.clone());
    set(f, &mut options);
    vectorize_loop(f, header(f), &options).expect_err("it is declined").to_string()
}

/// A loop that is tested at the top, with one recurrence `%s` that becomes `%t`.
fn at_top(ty: &str, init: &str, body: &str) -> String {
    format!(
        "func @f(ptr %a, i64 %n) -> {ty} {{
         entry:
           br label %loop
         loop:
           %i = phi i64 [ 0, %entry ], [ %next, %latch ]
           %s = phi {ty} [ {init}, %entry ], [ %t, %latch ]
           %more = icmp slt i64 %i, %n
           br i1 %more, label %body, label %end
         body:
           %p = getelementptr float, ptr %a, i64 %i
           %x = load float, ptr %p, align 4
           %k = fptosi float %x to i32
           {body}
         latch:
           %next = add i64 %i, 1
           br label %loop
         end:
           ret {ty} %s
         }}"
    )
}

/// The same, tested at the bottom.
fn at_bottom(ty: &str, init: &str, body: &str) -> String {
    format!(
        "func @f(ptr %a, i64 %n) -> {ty} {{
         entry:
           %some = icmp sgt i64 %n, 0
           br i1 %some, label %pre, label %none
         pre:
           br label %loop
         loop:
           %i = phi i64 [ 0, %pre ], [ %next, %latch ]
           %s = phi {ty} [ {init}, %pre ], [ %t, %latch ]
           %p = getelementptr float, ptr %a, i64 %i
           %x = load float, ptr %p, align 4
           %k = fptosi float %x to i32
           br label %body
         body:
           {body}
         latch:
           %next = add i64 %i, 1
           %stop = icmp eq i64 %next, %n
           br i1 %stop, label %end, label %loop
         end:
           ret {ty} %t
         none:
           ret {ty} {init}
         }}"
    )
}

fn check_both(ty: &str, init: &str, body: &str) {
    check(&at_top(ty, init, body));
    check(&at_bottom(ty, init, body));
}

#[test]
fn sums_and_products() {
    for op in ["add nsw", "mul", "and", "or", "xor", "sub nsw"] {
        check_both("i32", "5", &format!("%t = {op} i32 %s, %k\n br label %latch"));
    }
    check_both("i32", "5", "%b = and i32 %k, 1\n %t = shl nsw i32 %s, %b\n br label %latch");
}

#[test]
fn floats_stay_in_order() {
    check_both("float", "0x3DCCCCCD", "%t = fadd float %s, %x\n br label %latch");
    check_both(
        "float",
        "1.5",
        "%y = fmul float %x, 0x3F8CCCCD\n %t = fsub float %s, %y\n br label %latch",
    );
}

#[test]
fn several_floats_stay_in_order() {
    let body = "%y = fmul float %x, 0x3F8CCCCD
           %u = fadd float %s, %x
           %c = fcmp ogt float %x, 0.0
           br i1 %c, label %yes, label %no
         yes:
           %v = fadd float %u, %y
           br label %join
         no:
           %w = fsub float %s, %y
           br label %join
         join:
           %m = phi float [ %v, %yes ], [ %w, %no ]
           %t = fadd float %m, 0x3DCCCCCD
           br label %latch";
    check_both("float", "0x3DCCCCCD", body);
}

#[test]
fn floats_may_be_reordered() {
    // Small whole numbers: the order does not matter, and it shows whether everything is added once.
    let body = "%t = fadd float %s, %x\n br label %latch";
    check_reordered(&at_top("float", "3.0", body));
    check_reordered(&at_bottom("float", "3.0", body));
}

#[test]
fn conditional_sums() {
    let body = "%c = fcmp ogt float %x, 0.0
           br i1 %c, label %yes, label %latch.from
         yes:
           %u = OP %s, OPERAND
           br label %latch.from
         latch.from:
           %t = phi TYPE [ %s, %body ], [ %u, %yes ]
           br label %latch";
    let of = |ty: &str, op: &str, operand: &str| {
        body.replace("OPERAND", operand).replace("OP", &format!("{op} {ty}")).replace("TYPE", ty)
    };
    check_both("i32", "7", &of("i32", "add", "%k"));
    check_both("float", "0x3DCCCCCD", &of("float", "fadd", "%x"));
    check_both("float", "0x3F8CCCCD", &of("float", "fmul", "%x"));
}

#[test]
fn sums_in_inner_loops() {
    let body = "br label %inner
         inner:
           %j = phi i32 [ 0, %body ], [ %j1, %inner ]
           %u = phi i32 [ %s, %body ], [ %v, %inner ]
           %v = add i32 %u, %k
           %j1 = add i32 %j, 1
           %m = and i32 %k, 3
           %again = icmp slt i32 %j1, %m
           br i1 %again, label %inner, label %out
         out:
           %t = phi i32 [ %v, %inner ]
           br label %latch";
    check_both("i32", "1", body);
}

#[test]
fn minima_and_maxima() {
    for name in ["smin", "smax", "umin", "umax"] {
        let body =
            format!("%t = call i32 (i32, i32) @llvm.{name}.i32(i32 %s, i32 %k)\n br label %latch");
        check_both("i32", "3", &body);
    }
    for pred in ["olt", "ogt", "ole", "oge"] {
        let body = format!(
            "%c = fcmp {pred} float %x, %s\n %t = select i1 %c, float %x, float %s\n br label %latch"
        );
        check_both("float", "2.5", &body);
    }
    let body = "%c = icmp sgt i32 %s, %k
           br i1 %c, label %yes, label %latch.from
         yes:
           br label %latch.from
         latch.from:
           %t = phi i32 [ %s, %body ], [ %k, %yes ]
           br label %latch";
    check_both("i32", "100", body);
}

/// Which of +0 and −0 came first matters only if the order does; then lanes remember when they were set.
#[test]
fn lanes_remember_when_only_if_it_matters() {
    let body =
        "%c = fcmp olt float %x, %s\n %t = select i1 %c, float %x, float %s\n br label %latch";
    let text = at_top("float", "2.5", body);
    check_reordered(&text);
    let scalar = module(&text);
    for (reorder, remembers) in [(false, true), (true, false)] {
        let mut options = LoopOptions::new(4, scalar.layout.clone());
        options.reorder = reorder;
        let f = scalar.function("f").expect("it is there");
        let (vector, _) = vectorize_loop(f, header(f), &options).unwrap();
        assert_eq!(vector.to_string().contains("phi <4 x i64>"), remembers, "{vector}");
    }
}

#[test]
fn where_the_minimum_is() {
    for (pred, select) in [("olt", "%c"), ("ole", "%c"), ("ogt", "%c"), ("olt", "%both")] {
        let text = format!(
            "func @f(ptr %a, i64 %n) -> i64 {{
             entry:
               br label %loop
             loop:
               %i = phi i64 [ 0, %entry ], [ %next, %body ]
               %best = phi float [ 1.5, %entry ], [ %best1, %body ]
               %at = phi i64 [ -1, %entry ], [ %at1, %body ]
               %more = icmp slt i64 %i, %n
               br i1 %more, label %body, label %end
             body:
               %p = getelementptr float, ptr %a, i64 %i
               %x = load float, ptr %p, align 4
               %c = fcmp {pred} float %x, %best
               %odd = trunc i64 %i to i1
               %both = and i1 %odd, %c
               %best1 = select i1 {select}, float %x, float %best
               %at1 = select i1 {select}, i64 %i, i64 %at
               %next = add i64 %i, 1
               br label %loop
             end:
               %b = fptosi float %best to i64
               %b8 = shl i64 %b, 8
               %r = add i64 %b8, %at
               ret i64 %r
             }}"
        );
        check(&text);
    }
}

/// If the place is a counter, it says which of two was first.
#[test]
fn where_the_minimum_is_by_a_counter() {
    for (pred, start, step, remembers) in [
        ("olt", "0", "add nsw i64 %i, 1", false),
        ("ogt", "0", "add nuw i64 %i, 1", false),
        ("ogt", "60", "add nsw i64 %i, -1", false),
        ("olt", "0", "add i64 %i, 1", true),
        ("ole", "0", "add nsw i64 %i, 1", true),
    ] {
        let text = format!(
            "func @f(ptr %a, i64 %n) -> i32 {{
             entry:
               br label %loop
             loop:
               %k = phi i64 [ 0, %entry ], [ %k1, %body ]
               %i = phi i64 [ {start}, %entry ], [ %next, %body ]
               %best = phi float [ 9.5, %entry ], [ %best1, %body ]
               %at = phi i32 [ 77, %entry ], [ %at1, %body ]
               %more = icmp slt i64 %k, %n
               br i1 %more, label %body, label %end
             body:
               %p = getelementptr float, ptr %a, i64 %i
               %x = load float, ptr %p, align 4
               %c = fcmp {pred} float %x, %best
               %i32 = trunc nuw nsw i64 %i to i32
               %best1 = select i1 %c, float %x, float %best
               %at1 = select i1 %c, i32 %i32, i32 %at
               %next = {step}
               %k1 = add i64 %k, 1
               br label %loop
             end:
               ret i32 %at
             }}"
        );
        check(&text);
        let scalar = module(&text);
        let f = scalar.function("f").expect("it is there");
        let options = LoopOptions::new(4, scalar.layout.clone());
        let (vector, _) = vectorize_loop(f, header(f), &options).unwrap();
        assert_eq!(vector.to_string().contains("phi <4 x i64>"), remembers, "{step}: {vector}");
    }
}

#[test]
fn a_minimum_as_an_intrinsic_with_its_place() {
    check(
        "func @f(ptr %a, i64 %n) -> i64 {
         entry:
           br label %loop
         loop:
           %i = phi i64 [ 0, %entry ], [ %next, %body ]
           %best = phi i32 [ 100, %entry ], [ %best1, %body ]
           %at = phi i64 [ -1, %entry ], [ %at1, %body ]
           %more = icmp slt i64 %i, %n
           br i1 %more, label %body, label %end
         body:
           %p = getelementptr i32, ptr %a, i64 %i
           %x = load i32, ptr %p, align 4
           %c = icmp slt i32 %x, %best
           %best1 = call i32 (i32, i32) @llvm.smin.i32(i32 %x, i32 %best)
           %at1 = select i1 %c, i64 %i, i64 %at
           %next = add i64 %i, 1
           br label %loop
         end:
           %b = sext i32 %best to i64
           %r = add i64 %b, %at
           ret i64 %r
         }",
    );
}

#[test]
fn the_last_value_that_was_set() {
    let body = "%c = icmp sgt i32 %k, 4\n %t = select i1 %c, i32 %k, i32 %s\n br label %latch";
    check_both("i32", "-7", body);
}

/// LLVM makes this of `a[i] + a[i + 1]` and the like.
#[test]
fn values_of_the_iteration_before() {
    // Loaded right before it is needed.
    let store = "store float %d, ptr %p, align 4\n br label %latch";
    check_both(
        "float",
        "2.5",
        &format!("%d = fsub float %x, %s\n %t = fadd float %x, 0.0\n {store}"),
    );
    // Computed behind what needs it, but it can be computed before.
    check_both(
        "i32",
        "9",
        "%d = xor i32 %s, 5\n store i32 %d, ptr %p, align 4\n %t = add i32 %k, 1\n br label %latch",
    );
    // Needed by some lanes only, and in an inner loop.
    check_both(
        "i32",
        "4",
        "%t = add i32 %k, 3
         %c = icmp sgt i32 %k, 0
         br i1 %c, label %inner, label %latch
         inner:
           %j = phi i32 [ 0, %body ], [ %j2, %inner ]
           %sum = phi i32 [ 0, %body ], [ %sum2, %inner ]
           %sum2 = add i32 %sum, %s
           %j2 = add i32 %j, 1
           %again = icmp slt i32 %j2, %k
           br i1 %again, label %inner, label %write
         write:
           store i32 %sum2, ptr %p, align 4
           br label %latch",
    );
    // The number of the iteration before, and what does not change.
    check_both(
        "i64",
        "-1",
        "%d = trunc i64 %s to i32\n %t = add i64 %i, 0\n store i32 %d, ptr %p, align 4\n br label %latch",
    );
}

/// `a[i - 1] + a[i] + a[i + 1]`: one φ hands it on to the other.
#[test]
fn values_of_the_iterations_before() {
    for (order, value) in
        [("%a0 %a1", "%y"), ("%a1 %a0", "%y"), ("%a0 %a1", "%i"), ("%a0 %a1", "%n")]
    {
        let phi = |name: &str| match name {
            "%a0" => "%a0 = phi i64 [ 77, %entry ], [ %a1, %loop ]\n".to_string(),
            _ => format!("%a1 = phi i64 [ 33, %entry ], [ {value}, %loop ]\n"),
        };
        let phis: String = order.split(' ').map(phi).collect();
        check(&format!(
            "func @f(ptr %a, i64 %n) -> i64 {{
             entry:
               %some = icmp sgt i64 %n, 0
               br i1 %some, label %loop, label %none
             loop:
               %i = phi i64 [ 0, %entry ], [ %next, %loop ]
               {phis}
               %p = getelementptr i32, ptr %a, i64 %i
               %both = add i64 %a0, %a1
               %x = load i32, ptr %p, align 4
               %y = sext i32 %x to i64
               %all = add i64 %both, %y
               %low = trunc i64 %all to i32
               store i32 %low, ptr %p, align 4
               %next = add i64 %i, 1
               %stop = icmp eq i64 %next, %n
               br i1 %stop, label %end, label %loop
             end:
               ret i64 %all
             none:
               ret i64 0
             }}"
        ));
    }
}

/// Both are wanted behind a loop that is tested at its top, in whatever order they stand there.
#[test]
fn values_of_the_last_iterations() {
    for order in [["%a0", "%a1"], ["%a1", "%a0"]] {
        let phi = |name: &str| match name {
            "%a0" => "%a0 = phi i64 [ 77, %entry ], [ %a1, %body ]\n",
            _ => "%a1 = phi i64 [ 33, %entry ], [ %y, %body ]\n",
        };
        let phis = order.map(phi).concat();
        for wanted in ["%a0", "%a1"] {
            check(&format!(
                "func @f(ptr %a, i64 %n) -> i64 {{
                 entry:
                   br label %loop
                 loop:
                   {phis}
                   %i = phi i64 [ 0, %entry ], [ %next, %body ]
                   %more = icmp slt i64 %i, %n
                   br i1 %more, label %body, label %end
                 body:
                   %p = getelementptr i32, ptr %a, i64 %i
                   %both = add i64 %a0, %a1
                   %x = load i32, ptr %p, align 4
                   %y = sext i32 %x to i64
                   %all = add i64 %both, %y
                   %low = trunc i64 %all to i32
                   store i32 %low, ptr %p, align 4
                   %next = add i64 %i, 1
                   br label %loop
                 end:
                   ret i64 {wanted}
                 }}"
            ));
        }
    }
}

/// A condition that is asked for as long as it is `%s`, or as long as it is not; and what is done while it is asked for.
fn asked(first: &str, then: &str, otherwise: &str, work: &str) -> String {
    format!(
        "br i1 {first}, label %{then}, label %{otherwise}
         ask:
           {work}
           %found = icmp slt i32 %asked, 6
           br label %known
         known:
           %t = phi i1 [ STAYS, %body ], [ %found, %ask ]
           br label %latch"
    )
}

#[test]
fn conditions_that_decide_whether_they_are_asked_again() {
    let compute = "%asked = mul i32 %k, 3";
    let read = "%other = load float, ptr %a, align 4\n %asked = fptosi float %other to i32";
    let all = |work: &str| asked("%s", "ask", "known", work).replace("STAYS", "false");
    let any = |work: &str| asked("%s", "known", "ask", work).replace("STAYS", "true");
    check_both("i1", "true", &all(compute));
    check_both("i1", "false", &any(compute));
    // What is asked for is only read by more lanes than ask in order if somebody allows it.
    for (init, body) in [("true", all(read)), ("false", any(read))] {
        check_reordered(&at_top("i1", init, &body));
        check_reordered(&at_bottom("i1", init, &body));
        assert!(declined(&at_top("i1", init, &body)).contains("the one before it"));
    }
    let chosen = "%c = icmp slt i32 %k, 6\n %t = select i1 %s, i1 %c, i1 false\n br label %latch";
    check_both("i1", "true", chosen);
    let number = "%yes = icmp ne i32 %s, 0
           br i1 %yes, label %ask, label %known
         ask:
           %found = icmp slt i32 %k, 6
           br label %known
         known:
           %both = phi i1 [ false, %body ], [ %found, %ask ]
           %t = zext i1 %both to i32
           br label %latch";
    check_both("i32", "1", number);
    let never = |body: &str, init: &str, ty: &str| {
        for text in [at_top(ty, init, body), at_bottom(ty, init, body)] {
            assert!(declined(&text).contains("the one before it"), "{}", declined(&text));
        }
    };
    // Not zero or one.
    never(number, "2", "i32");
    // Nothing stays.
    never(&all(compute).replace("[ false, %body ]", "[ true, %body ]"), "true", "i1");
    // Something else depends on it.
    let writes = "%asked = mul i32 %k, 3\n store i32 %asked, ptr %p, align 4";
    never(&all(writes), "true", "i1");
    let told = "%z = zext i1 %s to i32\n store i32 %z, ptr %p, align 4";
    never(&format!("{told}\n {}", all(compute)), "true", "i1");
}

/// Tests of what is computed from the counter.
#[test]
fn what_the_counter_leads_to() {
    let body = "%t = add i32 %s, %k\n br label %latch";
    for test in [
        "%left = sub i64 %n, %i\n %more = icmp sgt i64 %left, 0",
        "%left = sub i64 %n, %i\n %more = icmp sgt i64 %left, 3",
        "%twice = shl i64 %i, 1\n %more = icmp slt i64 %twice, %n",
        "%left = sub i64 %n, %i\n %more = icmp slt i64 %i, %left",
        "%far = mul i64 3, %i\n %more = icmp slt i64 %far, %n",
        "%back = xor i64 %i, -1\n %left = add i64 %back, %n\n %more = icmp sge i64 %left, 0",
        "%low = trunc i64 %i to i32\n %few = trunc i64 %n to i32\n %more = icmp slt i32 %low, %few",
    ] {
        let text = at_top("i32", "5", body);
        check(&text.replace("%more = icmp slt i64 %i, %n", test));
    }
    let narrow = at_top("i32", "5", body)
        .replace("%s = phi", "%j = phi i32 [ 0, %entry ], [ %j2, %latch ]\n %s = phi")
        .replace("%next =", "%j2 = add nsw i32 %j, 1\n %next =");
    let wide = "%wide = sext i32 %j to i64\n %more = icmp slt i64 %wide, %n";
    check(&narrow.replace("%more = icmp slt i64 %i, %n", wide));
}

#[test]
fn steps_of_all_kinds() {
    for (init, step, test) in [
        ("3", "add i64 %i, 3", "icmp slt i64 %i, %n"),
        ("3", "add i64 %i, 3", "icmp sle i64 %i, %n"),
        ("40", "add i64 %i, -2", "icmp sgt i64 %i, %n"),
        ("40", "sub i64 %i, 5", "icmp sge i64 %i, %n"),
        ("0", "add i64 %i, 1", "icmp ugt i64 %n, %i"),
    ] {
        check(&format!(
            "func @f(ptr %a, i64 %n) -> i64 {{
             entry:
               br label %loop
             loop:
               %i = phi i64 [ {init}, %entry ], [ %next, %body ]
               %j = phi i32 [ 100, %entry ], [ %j1, %body ]
               %p = phi ptr [ %a, %entry ], [ %p1, %body ]
               %s = phi i64 [ 0, %entry ], [ %t, %body ]
               %more = {test}
               br i1 %more, label %body, label %end
             body:
               %m = and i64 %i, 63
               %q = getelementptr float, ptr %a, i64 %m
               %x = load float, ptr %q, align 4
               %k = fptosi float %x to i64
               %w = sext i32 %j to i64
               %u = mul i64 %k, %w
               %t = add i64 %s, %u
               %j1 = add i32 %j, -7
               %p1 = getelementptr i16, ptr %p, i64 3
               %next = {step}
               br label %loop
             end:
               %pi = ptrtoint ptr %p to i64
               %ai = ptrtoint ptr %a to i64
               %d = sub i64 %pi, %ai
               %r = add i64 %s, %d
               ret i64 %r
             }}"
        ));
    }
}

/// How far a step goes, and which way, is only known when the program runs.
#[test]
fn steps_that_the_program_computes() {
    for (ty, init, step, next, test) in [
        ("i64", "1", "and i64 %n, 3", "add i64 %i, %by", "icmp slt i64 %i, %n"),
        ("i64", "0", "and i64 %n, 2", "add i64 %i, %by", "icmp sle i64 %i, %n"),
        ("i64", "60", "and i64 %n, 3", "sub i64 %i, %by", "icmp sgt i64 %i, %n"),
        ("i64", "60", "and i64 %n, 7", "sub i64 %i, %by", "icmp sge i64 %i, 4"),
        // Some of these go the long way round.
        ("i8", "3", "add i8 %m, -8", "add i8 %i, %by", "icmp slt i8 %i, %m"),
        ("i8", "3", "add i8 %m, -8", "sub i8 %i, %by", "icmp ugt i8 %i, %m"),
        ("i8", "0", "or i8 %m, -15", "add i8 %i, %by", "icmp ne i8 %i, 64"),
    ] {
        let wide = if ty == "i64" { "add i64 %i, 0" } else { "zext i8 %i to i64" };
        check(&format!(
            "func @f(ptr %a, i64 %n) -> {ty} {{
             entry:
               %m = trunc i64 %n to i8
               %some = {step}
               %by = or {ty} %some, 1
               br label %loop
             loop:
               %i = phi {ty} [ {init}, %entry ], [ %next, %body ]
               %more = {test}
               br i1 %more, label %body, label %end
             body:
               %w = {wide}
               %at = and i64 %w, 31
               %p = getelementptr i32, ptr %a, i64 %at
               %x = load i32, ptr %p, align 4
               %low = trunc i64 %w to i32
               %q = getelementptr i32, ptr %p, i64 32
               store i32 %low, ptr %q, align 4
               %next = {next}
               br label %loop
             end:
               ret {ty} %i
             }}"
        ));
    }
}

#[test]
fn a_counter_that_several_ways_count() {
    check(
        "func @f(ptr %a, i64 %n) -> i64 {
         entry:
           %some = icmp sgt i64 %n, 0
           br i1 %some, label %loop, label %end
         loop:
           %i = phi i64 [ 0, %entry ], [ %next, %latch ]
           %p = getelementptr float, ptr %a, i64 %i
           %x = load float, ptr %p, align 4
           %c = fcmp olt float %x, 0.0
           br i1 %c, label %low, label %high
         low:
           %i1 = add nsw i64 %i, 1
           br label %latch
         high:
           %i2 = add nuw nsw i64 %i, 1
           %y = fadd float %x, 1.0
           store float %y, ptr %p, align 4
           br label %latch
         latch:
           %next = phi i64 [ %i1, %low ], [ %i2, %high ]
           %more = icmp slt i64 %next, %n
           br i1 %more, label %loop, label %end
         end:
           ret i64 %n
         }",
    );
}

#[test]
fn what_the_last_iteration_computed() {
    check(
        "func @f(ptr %a, i64 %n) -> i32 {
         entry:
           %some = icmp sgt i64 %n, 0
           br i1 %some, label %loop, label %none
         loop:
           %i = phi i64 [ 0, %entry ], [ %next, %loop ]
           %p = getelementptr float, ptr %a, i64 %i
           %x = load float, ptr %p, align 4
           %k = fptosi float %x to i32
           %y = mul i32 %k, 3
           %next = add i64 %i, 1
           %stop = icmp eq i64 %next, %n
           br i1 %stop, label %end, label %loop
         end:
           %last = trunc i64 %next to i32
           %r = add i32 %y, %last
           ret i32 %r
         none:
           ret i32 0
         }",
    );
}

/// What is not set on all ways is undefined in each iteration, if iterations hand on nothing.
#[test]
fn what_is_undefined_at_first() {
    let some = "%on = icmp sgt i32 %k, 3
           %u = select i1 %on, i32 %k, i32 %s
           %used = and i32 %u, 0
           %t = add i32 %used, %k
           %v = select i1 %on, i32 %u, i32 %t
           br label %latch";
    let text = at_top("i32", "undef", &some.replace("%t", "%w").replace("%v", "%t"));
    assert!(declined(&text).contains("the one before it"));
    check_with(&text, |_, options| options.apart = true);
}

/// What is summed up begins anew now and then: lanes do not know when.
#[test]
fn sums_that_are_set_anew() {
    let why = "do not set anew";
    for (ty, init, op) in [("i32", "0", "add"), ("i32", "-1", "and"), ("float", "0.0", "fadd")] {
        let by = if ty == "float" { "%x" } else { "%k" };
        let selected = format!(
            "%on = icmp sgt i32 %k, 3
             %u = {op} {ty} %s, {by}
             %t = select i1 %on, {ty} %u, {ty} {init}
             br label %latch"
        );
        let merged = format!(
            "%on = icmp sgt i32 %k, 3
             %u = {op} {ty} %s, {by}
             br i1 %on, label %go, label %anew
           go:
             br label %anew
           anew:
             %t = phi {ty} [ %u, %go ], [ {by}, %body ]
             br label %latch"
        );
        for text in [selected, merged] {
            assert!(declined(&at_top(ty, init, &text)).contains(why), "{text}");
            assert!(declined(&at_bottom(ty, init, &text)).contains(why), "{text}");
        }
    }
}

/// In iterations that are not asked any more, the answer may be poison.
#[test]
fn answers_that_nobody_looks_at() {
    let answer = "%j = trunc i64 %i to i32
           %q = mul i32 %j, %k
           %far = mul nsw i32 %q, 1073741824
           %found = icmp sgt i32 %far, 5";
    check_both(
        "i1",
        "true",
        &format!("{answer}\n %t = select i1 %s, i1 %found, i1 false\n br label %latch"),
    );
    let branch = format!(
        "br i1 %s, label %ask, label %known
         ask:
           {answer}
           MORE
         known:
           %t = phi i1 [ false, %body ], OTHERS
           br label %latch"
    );
    let once = branch.replace("MORE", "br label %known").replace("OTHERS", "[ %found, %ask ]");
    check_both("i1", "true", &once);
    let twice = branch
        .replace(
            "MORE",
            "br i1 %found, label %more, label %known
         more:
           %second = icmp slt i32 %k, 6
           br label %known",
        )
        .replace("OTHERS", "[ false, %ask ], [ %second, %more ]");
    // A branch on poison is worse than poison.
    assert!(declined(&at_top("i1", "true", &twice)).contains("allow it"));
}

#[test]
fn what_there_was_before_the_last_iteration() {
    let chosen = "%c = icmp slt i32 %k, %s\n %t = select i1 %c, i32 %k, i32 %s\n br label %latch";
    let asked = "%c = icmp slt i32 %k, 6\n %t = select i1 %s, i1 %c, i1 false\n br label %latch";
    for (ty, init, body) in [
        ("i32", "5", "%t = add i32 %s, %k\n br label %latch"),
        ("float", "0.5", "%t = fadd float %s, %x\n br label %latch"),
        ("i32", "900", chosen),
        ("i32", "4", "%t = mul i32 %k, 3\n br label %latch"),
        ("i1", "true", asked),
    ] {
        let text =
            at_bottom(ty, init, body).replace(&format!("ret {ty} %t"), &format!("ret {ty} %s"));
        check(&text);
    }
    // What does not change, and is used for nothing else.
    let text =
        at_bottom("i64", "-1", "br label %latch").replace("[ %t, %latch ]", "[ %often, %latch ]");
    let text =
        text.replace("pre:", "pre:\n %often = mul i64 %n, 3").replace("ret i64 %t", "ret i64 %s");
    check(&text);
}

/// Iterations that depend on each other are done one by one unless the test in front of the loop says that they do not.
#[test]
fn only_if_a_test_holds() {
    let text = "func @f(ptr %a, i64 %n) -> void {
         entry:
           %apart = icmp eq i64 %n, 33
           br label %loop
         loop:
           %i = phi i64 [ 0, %entry ], [ %next, %body ]
           %more = icmp slt i64 %i, %n
           br i1 %more, label %body, label %end
         body:
           %p = getelementptr i32, ptr %a, i64 %i
           %x = load i32, ptr %p, align 4
           %y = add i32 %x, 1
           %next = add i64 %i, 1
           %q = getelementptr i32, ptr %a, i64 %next
           store i32 %y, ptr %q, align 4
           br label %loop
         end:
           ret void
         }";
    let scalar = module(text);
    let f = scalar.function("f").expect("it is there");
    let test = f.insts(f.blocks()[0])[0];
    for remainder in [Remainder::Scalar, Remainder::Masked] {
        let mut options = LoopOptions::new(4, scalar.layout.clone());
        (options.remainder, options.only_if) = (remainder, Some(f.result(test)));
        let (vector, _) = vectorize_loop(f, header(f), &options).expect("it is vectorized");
        let mut module = scalar.clone();
        module.functions = vec![vector];
        for n in COUNTS {
            let same = run(&scalar, &data(), n) == run(&module, &data(), n);
            assert_eq!(same, n != 33, "{remainder:?}, n = {n}\n{module}");
        }
    }
}

#[test]
fn reasons() {
    let carried = at_top("i32", "0", "%u = shl i32 %s, 1\n %t = add i32 %u, %k\n br label %latch");
    assert!(declined(&carried).contains("the one before it"), "{}", declined(&carried));
    // Something may write what it is computed from before it can be computed.
    let late = "%d = xor i32 %s, 5\n store i32 %d, ptr %p, align 4\n %t = load i32, ptr %p, align 4\n br label %latch";
    // Nothing is read before what is acquired.
    let acquired = "%d = xor i32 %s, 5\n %z = load i32, ptr %p acquire, align 4\n %t = load i32, ptr %p, align 4\n store i32 %d, ptr %p, align 4\n br label %latch";
    for late in [late, acquired]
        .map(|body| [at_top("i32", "0", body), at_bottom("i32", "0", body)])
        .concat()
    {
        assert!(declined(&late).contains("the one before it"), "{}", declined(&late));
    }
    let two = at_top(
        "i32",
        "0",
        "%t = add i32 %s, %k\n %c = icmp eq i32 %k, 3\n br i1 %c, label %end2, label %latch\n end2:\n ret i32 9",
    );
    assert!(declined(&two).contains("several places"), "{}", declined(&two));
    let decides = at_top(
        "i32",
        "0",
        "%c = icmp slt i32 %k, %s\n %t = select i1 %c, i32 %k, i32 %s\n %z = zext i1 %c to i32\n store i32 %z, ptr %p, align 4\n br label %latch",
    );
    assert!(declined(&decides).contains("decide about nothing else"), "{}", declined(&decides));
}
