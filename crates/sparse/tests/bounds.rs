//! Bounds by differences: what is proved, what must not be, and that proofs hold on executions.

use lw_graph::generate::Rng;
use lw_ir::interp::{Machine, Run, Val};
use lw_ir::{Function, Module, parse_function};
use lw_sparse::analyses::*;
use lw_sparse::{Code, Options, Ssify, Strategy, solve_on};
use std::sync::Arc;

fn accesses(function: &Function) -> Vec<Access> {
    let view = Ssify::new(Arc::new(Code::new(function))).view(Strategy::ABCD);
    let ranges = solve_on(function, &view, &mut Ranges, Options::WIDENING);
    let mut bounds = Bounds { view: &view, ranges: &ranges };
    let solution = solve_on(function, &view, &mut bounds, Options::WIDENING);
    bounds.accesses(function, &solution)
}

fn verdicts(text: &str) -> Vec<Verdict> {
    let text = format!(
        "declare @malloc : ptr (i64)\ndeclare @calloc : ptr (i64, i64)\ndeclare @number : i64 ()
         declare @index : i64 ()\n{text}"
    );
    let function = parse_function(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    accesses(&function).iter().map(|access| access.verdict).collect()
}

/// `a = size; for (i = 0; i PRED n; i++) a[i] = i`, with `n` an `i32`.
fn counted(size: &str, pred: &str) -> String {
    format!(
        "func @f(i32 %n) -> i32 {{
         entry:
           %m = sext i32 %n to i64
           {size}
           %a = call ptr (i64) @malloc(i64 %size)
           br label %head
         head:
           %i = phi i32 [ 0, %entry ], [ %next, %body ]
           %c = icmp {pred} i32 %i, %n
           br i1 %c, label %body, label %exit
         body:
           %j = sext i32 %i to i64
           %p = getelementptr inbounds i32, ptr %a, i64 %j
           store i32 %i, ptr %p, align 4
           %next = add nsw i32 %i, 1
           br label %head
         exit:
           ret i32 0
         }}"
    )
}

#[test]
fn a_counted_loop_over_as_many_elements_as_were_allocated() {
    assert_eq!(verdicts(&counted("%size = mul i64 %m, 4", "slt")), [Verdict::Inside]);
    assert_eq!(verdicts(&counted("%size = shl i64 %m, 2", "slt")), [Verdict::Inside]);
}

#[test]
fn one_element_more_than_was_allocated() {
    assert_eq!(verdicts(&counted("%size = mul i64 %m, 4", "sle")), [Verdict::Unknown]);
    let more = "%k = add nsw i64 %m, 1\n %size = mul nsw i64 %k, 4";
    assert_eq!(verdicts(&counted(more, "sle")), [Verdict::Inside]);
    let less = "%k = add nsw i64 %m, -1\n %size = mul nsw i64 %k, 4";
    assert_eq!(verdicts(&counted(less, "slt")), [Verdict::Unknown]);
}

#[test]
fn elements_that_are_smaller_than_what_is_stored() {
    assert_eq!(verdicts(&counted("%size = mul i64 %m, 2", "slt")), [Verdict::Unknown]);
}

#[test]
fn a_remainder_is_below_the_divisor() {
    let text = "func @f(i64 %hash, i64 %buckets) -> i32 {
         entry:
           %c = icmp sgt i64 %buckets, 0
           br i1 %c, label %some, label %none
         some:
           %a = call ptr (i64, i64) @calloc(i64 %buckets, i64 4)
           %i = urem i64 %hash, %buckets
           %p = getelementptr inbounds i32, ptr %a, i64 %i
           %x = load i32, ptr %p, align 4
           ret i32 %x
         none:
           ret i32 0
         }";
    assert_eq!(verdicts(text), [Verdict::Inside]);
}

/// The index was compared with the number of the iteration before.
#[test]
fn a_number_that_is_computed_again_proves_nothing_about_the_next_one() {
    let text = "func @f() -> i32 {
         entry:
           br label %head
         head:
           %i = phi i64 [ 0, %entry ], [ %j, %again ]
           %m = call i64 () @number()
           %n = and i64 %m, 255
           %pos = add nuw nsw i64 %n, 1
           %a = call ptr (i64, i64) @calloc(i64 %pos, i64 4)
           %p = getelementptr inbounds i32, ptr %a, i64 %i
           store i32 1, ptr %p, align 4
           %j = call i64 () @index()
           %c = icmp ult i64 %j, %pos
           br i1 %c, label %again, label %exit
         again:
           br label %head
         exit:
           ret i32 0
         }";
    assert_eq!(verdicts(text), [Verdict::Unknown]);
}

#[test]
fn an_index_that_fits_the_array_type_of_an_unknown_object() {
    let text = "func @f(ptr %s, i64 %i) -> i32 {
         entry:
           %c = icmp ult i64 %i, 10
           br i1 %c, label %yes, label %no
         yes:
           %p = getelementptr inbounds [10 x i32], ptr %s, i64 0, i64 %i
           %x = load i32, ptr %p, align 4
           ret i32 %x
         no:
           %q = getelementptr inbounds [10 x i32], ptr %s, i64 0, i64 %i
           %y = load i32, ptr %q, align 4
           ret i32 %y
         }";
    let function = parse_function(text).unwrap();
    let mut reasons: Vec<(Verdict, Reason)> =
        accesses(&function).iter().map(|a| (a.verdict, a.reason)).collect();
    reasons.sort_by_key(|(verdict, _)| *verdict as usize);
    assert_eq!(
        reasons,
        [
            (Verdict::Inside, Reason::ArrayType { count: 10 }),
            (Verdict::Unknown, Reason::UnknownObject)
        ]
    );
}

/// A program that allocates `n` elements, computes, compares, perhaps loops, and accesses one element.
fn random(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let mut names: Vec<String> = ["n", "i", "j"].map(String::from).to_vec();
    let mut text = String::from(
        "func @f(i32 %n, i32 %i, i32 %j) -> i32 {
         entry:
           %a = alloca i32, i32 %n, align 4
           br label %b0
         b0:\n",
    );
    let blocks = 2 + rng.below(4);
    let looping = rng.one_in(2);
    for block in 0..blocks {
        if block == 0 && looping {
            let start = ["0", "1", "%i"][rng.below(3)];
            text += &format!("  %k = phi i32 [ {start}, %entry ], [ %k1, %latch ]\n");
            names.push("k".into());
        }
        for _ in 0..rng.below(3) {
            let name = format!("x{}", names.len());
            let a = names[rng.below(names.len())].clone();
            let b = if rng.one_in(2) {
                format!("%{}", names[rng.below(names.len())])
            } else {
                (rng.below(5) as i32 - 2).to_string()
            };
            let op = ["add", "add nsw", "sub", "sub nsw", "and", "mul"][rng.below(6)];
            text += &format!("  %{name} = {op} i32 %{a}, {b}\n");
            names.push(name);
        }
        let (a, b) = (&names[rng.below(names.len())], &names[rng.below(names.len())]);
        let b = if rng.one_in(3) { "0".into() } else { format!("%{b}") };
        let pred = ["slt", "sle", "sgt", "sge", "ult", "ule", "eq", "ne"][rng.below(8)];
        let next = block + 1;
        let (yes, no) = if rng.one_in(4) { ("out", "") } else { ("", "out") };
        let at = |name: &str| if name.is_empty() { format!("b{next}") } else { name.to_string() };
        text += &format!("  %c{block} = icmp {pred} i32 %{a}, {b}\n");
        text += &format!("  br i1 %c{block}, label %{}, label %{}\nb{next}:\n", at(yes), at(no));
    }
    let index = &names[rng.below(names.len())];
    // Most programs check the index, some of them wrongly.
    if !rng.one_in(4) {
        let (least, limit) = (["0", "-1", "1"][rng.below(3)], &names[rng.below(names.len())]);
        let limit = if rng.one_in(2) { "n" } else { limit };
        let pred = ["slt", "slt", "sle", "ult"][rng.below(4)];
        text += &format!("  %low = icmp sge i32 %{index}, {least}\n");
        text += &format!("  %high = icmp {pred} i32 %{index}, %{limit}\n");
        text += "  %both = and i1 %low, %high\n  br i1 %both, label %access, label %out\naccess:\n";
    }
    let extend = ["sext", "zext"][rng.below(2)];
    text += &format!("  %wide = {extend} i32 %{index} to i64\n");
    text +=
        "  %p = getelementptr inbounds i32, ptr %a, i64 %wide\n  store i32 7, ptr %p, align 4\n";
    if looping {
        let step = ["1", "2", "-1"][rng.below(3)];
        text += &format!("  %k1 = add nsw i32 %k, {step}\n  br label %latch\nlatch:\n");
        text += "  %more = icmp slt i32 %k1, 12\n  br i1 %more, label %b0, label %out\n";
    } else {
        text += "  br label %out\n";
    }
    text + "out:\n  ret i32 0\n}"
}

#[test]
fn what_is_proved_inside_never_goes_out_of_bounds() {
    let (mut proved, mut refuted) = (0, 0);
    for seed in 0..3000 {
        let text = random(seed);
        let function = parse_function(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let [access] = accesses(&function)[..] else { panic!("one access\n{text}") };
        let inside = access.verdict == Verdict::Inside;
        proved += usize::from(matches!(access.reason, Reason::Difference { .. }));
        let module = Module { functions: vec![function], ..Module::default() };
        for input in 0..64i128 {
            let (n, i, j) = (input % 4, input / 4 % 4 - 1, input / 16 - 1);
            let args: Vec<_> = [n, i, j].map(|x| vec![Val::int(32, x)]).to_vec();
            let args = vec![args.into_iter().flatten().collect::<Vec<Val>>()];
            let run = Run { step_limit: 500, ..Run::default() };
            if let Err(error) = Machine::new(&module).run("f", &args, &run) {
                let error = error.to_string();
                if error.contains("limit") {
                    continue;
                }
                refuted += 1;
                assert!(!inside, "seed {seed}: f({n}, {i}, {j}): {error}\n{access:?}\n{text}");
            }
        }
    }
    assert!(proved > 40 && refuted > 1000, "{proved} proved, {refuted} refuted");
}
