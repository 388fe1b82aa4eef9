//! Many threads: equal to as many single runs, horizontal operations, predicates, uses of ⊤.

use lw_ir::interp::{ErrorKind, Machine, Run, Schedule, Semantics, Val};
use lw_ir::{Module, parse_module};

fn parse(text: &str) -> Module {
    parse_module(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn schedules() -> impl Iterator<Item = Schedule> {
    (0..10).map(|seed| Schedule::Greedy { seed }).chain([Schedule::ReconvergenceStack])
}

/// Programs without horizontal operations and shared writes: W threads do what W single runs do.
const PROGRAMS: [&str; 4] = [
    // Collatz: a divergent loop with a branch inside.
    "func @f(i32 %n) -> i32 {
entry:
  br label %head
head:
  %x = phi i32 [ %n, %entry ], [ %y, %latch ]
  %steps = phi i32 [ 0, %entry ], [ %more, %latch ]
  %done = icmp ule i32 %x, 1
  br i1 %done, label %exit, label %body
body:
  %odd = trunc i32 %x to i1
  br i1 %odd, label %up, label %down
up:
  %t = mul i32 %x, 3
  %u = add i32 %t, 1
  br label %latch
down:
  %h = lshr i32 %x, 1
  br label %latch
latch:
  %y = phi i32 [ %u, %up ], [ %h, %down ]
  %more = add i32 %steps, 1
  br label %head
exit:
  ret i32 %steps
}
",
    // A loop nest with two exits and a switch.
    "func @f(i32 %n) -> i32 {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i1, %next ]
  %s = phi i32 [ 0, %entry ], [ %s3, %next ]
  %oc = icmp ult i32 %i, 6
  br i1 %oc, label %inner, label %out
inner:
  %j = phi i32 [ 0, %outer ], [ %j1, %back ]
  %s1 = phi i32 [ %s, %outer ], [ %s2, %back ]
  %k = add i32 %i, %j
  %m = add i32 %k, %n
  %sel = urem i32 %m, 4
  switch i32 %sel, label %back [1: label %one, 2: label %two, 3: label %three]
one:
  br label %back
two:
  %big = icmp ugt i32 %s1, 50
  br i1 %big, label %early, label %back
three:
  br label %next
back:
  %d = phi i32 [ 1, %inner ], [ 5, %one ], [ 9, %two ]
  %s2 = add i32 %s1, %d
  %j1 = add i32 %j, 1
  %ic = icmp ult i32 %j1, %n
  br i1 %ic, label %inner, label %next
next:
  %s3 = phi i32 [ %s1, %three ], [ %s2, %back ]
  %i1 = add i32 %i, 1
  br label %outer
early:
  %r = add i32 %s1, 1000
  ret i32 %r
out:
  ret i32 %s
}
",
    // Private memory and an irreducible loop.
    "func @f(i32 %n) -> i32 {
entry:
  %p = alloca [8 x i32], i32 1, align 4
  store i32 %n, ptr %p, align 4
  %even = and i32 %n, 1
  %c = icmp eq i32 %even, 0
  br i1 %c, label %a, label %b
a:
  %x = load i32, ptr %p, align 4
  %x1 = add i32 %x, 3
  store i32 %x1, ptr %p, align 4
  %xc = icmp slt i32 %x1, 40
  br i1 %xc, label %b, label %end
b:
  %y = load i32, ptr %p, align 4
  %y1 = add i32 %y, 4
  store i32 %y1, ptr %p, align 4
  %yc = icmp slt i32 %y1, 50
  br i1 %yc, label %a, label %end
end:
  %z = load i32, ptr %p, align 4
  ret i32 %z
}
",
    // Calls under divergence.
    "func @f(i32 %n) -> i32 {
entry:
  %c = icmp ugt i32 %n, 5
  br i1 %c, label %deep, label %flat
deep:
  %m = sub i32 %n, 3
  %r = call i32 (i32) @f(i32 %m)
  %r2 = add i32 %r, 100
  br label %end
flat:
  %q = mul i32 %n, %n
  br label %end
end:
  %x = phi i32 [ %r2, %deep ], [ %q, %flat ]
  ret i32 %x
}
",
];

#[test]
fn w_threads_equal_w_single_runs() {
    for text in PROGRAMS {
        let module = parse(text);
        let inputs: Vec<Vec<Val>> = (0..16).map(|n| vec![Val::i32(n * 7 % 23)]).collect();
        let single = |args: &Vec<Val>| {
            let outcome =
                Machine::new(&module).run_index(0, std::slice::from_ref(args), &Run::default());
            outcome.unwrap_or_else(|error| panic!("{error}")).values()[0].clone()
        };
        let expected: Vec<Val> = inputs.iter().map(single).collect();
        for schedule in schedules() {
            let run = Run { threads: 16, schedule, ..Run::default() };
            let outcome = Machine::new(&module).run_index(0, &inputs, &run);
            assert_eq!(outcome.unwrap_or_else(|error| panic!("{error}")).values(), expected);
        }
    }
}

/// Runs `%r = <op>` by threads 0 to 3, of which 1 and 3 are active unless the operation is `total`.
fn horizontal(op: &str, ty: &str) -> Vec<Val> {
    let module = parse(&format!(
        "func @f(i32 %t, i1 %c, {ty} %default) -> {ty} {{
A:
  %odd = trunc i32 %t to i1
  %x = mul i32 %t, 10
  %y = add i32 %t, 100
  %one = add i32 0, 1
  %xf = uitofp i32 %t to float
  br label %B
B: when %odd
  %r = {op}
  br label %C
C:
  %res = select i1 %odd, {ty} %r, {ty} %default
  ret {ty} %res
}}
"
    ));
    let default = if ty == "float" { Val::f32(-1.0) } else { Val::i32(-1) };
    let default = if ty == "i1" { Val::bool(false) } else { default };
    let args: Vec<Vec<Val>> =
        (0..4).map(|t| vec![Val::i32(t), Val::bool(t == 0 || t == 3), default.clone()]).collect();
    let outcome = Machine::new(&module).run("f", &args, &Run { threads: 4, ..Run::default() });
    let values = outcome.unwrap_or_else(|error| panic!("{op}: {error}")).values();
    vec![values[1].clone(), values[3].clone()]
}

#[test]
fn horizontal_operations_see_the_active_threads() {
    let both = |x: i32| vec![Val::i32(x); 2];
    let flag = |x: bool| vec![Val::bool(x); 2];
    assert_eq!(horizontal("any i1 (i1 %c)", "i1"), flag(true));
    assert_eq!(horizontal("all i1 (i1 %c)", "i1"), flag(false));
    assert_eq!(horizontal("ballot i32 (i1 %c)", "i32"), both(0b1000));
    assert_eq!(horizontal("ballot i32 (i1 1)", "i32"), both(0b1010));
    assert_eq!(horizontal("total ballot i32 (i1 %c)", "i32"), both(0b1001));
    assert_eq!(horizontal("popcount i32 (i1 1)", "i32"), both(2));
    assert_eq!(horizontal("total popcount i32 (i1 1)", "i32"), both(4));
    assert_eq!(horizontal("lane i32 ()", "i32"), [1, 3].map(Val::i32));
    assert_eq!(horizontal("lanes i32 ()", "i32"), both(4));
    assert_eq!(horizontal("broadcast i32 (i32 %x)", "i32"), both(10));
    assert_eq!(horizontal("total broadcast i32 (i32 %x)", "i32"), both(0));
    assert_eq!(horizontal("extract i32 (i32 %x, i32 3)", "i32"), both(30));
    assert_eq!(horizontal("extract i32 (i32 %x, i32 2)", "i32"), vec![Val::Poison; 2]);
    assert_eq!(horizontal("insert i32 (i32 %x, i32 %one, i32 %y)", "i32"), [101, 30].map(Val::i32));
    assert_eq!(horizontal("total shuffle i32 (i32 %x, i32 %one)", "i32"), both(10));
    assert_eq!(horizontal("total compact i32 (i32 %x, i1 %c)", "i32"), [Val::i32(30), Val::Poison]);
    assert_eq!(horizontal("reduce_add i32 (i32 %x)", "i32"), both(40));
    assert_eq!(horizontal("total reduce_add i32 (i32 %x)", "i32"), both(60));
    assert_eq!(horizontal("reduce_smax i32 (i32 %x)", "i32"), both(30));
    assert_eq!(horizontal("reduce_fadd float (float %xf)", "float"), vec![Val::f32(4.0); 2]);
}

#[test]
fn reductions_may_yield_any_nan() {
    let module = parse(
        "declare @llvm.vector.reduce.fmin.v1f64 : double (<1 x double>)
func @f(ptr %p) -> void {
A:
  %a = reduce_fmax double (double 0xfff8000000000005)
  store double %a, ptr %p, align 8
  %b = call double (<1 x double>) @llvm.vector.reduce.fmin.v1f64(<1 x double> <double 0xfff8000000000005>)
  %q = getelementptr double, ptr %p, i64 1
  store double %b, ptr %q, align 8
  ret void
}
",
    );
    let mut machine = Machine::new(&module);
    let memory = machine.alloc_buffer(&[0; 16]).unwrap();
    machine.run("f", &[vec![Val::Ptr(memory)]], &Run::default()).unwrap();
    assert_eq!(machine.read_bytes(memory, 16).unwrap(), vec![None; 16]);
}

#[test]
fn mask_is_the_activation() {
    let module = parse(
        "func @f(i1 %p, i1 %q) -> i1 {
A:
  br i1 %p, label %B, label %C
B: when %q
  %m = mask
  br label %C
C:
  ret i1 %m
}
",
    );
    let args: Vec<Vec<Val>> = [(1, 1), (1, 0), (0, 1), (0, 0)]
        .map(|(p, q)| vec![Val::bool(p == 1), Val::bool(q == 1)])
        .to_vec();
    for semantics in [Semantics::Freezing, Semantics::Oblivious] {
        for schedule in schedules() {
            let run = Run { threads: 4, schedule, semantics, ..Run::default() };
            let outcome = Machine::new(&module).run("f", &args, &run).unwrap();
            assert_eq!(outcome.values(), [true, false, false, false].map(Val::bool));
        }
    }
}

#[test]
fn a_predicate_may_be_defined_by_its_own_block() {
    let module = parse(
        "func @f(i32 %x) -> i32 {
A:
  br label %B
B: when %p
  %p = total icmp ult i32 %x, 2
  %y = add i32 %x, 10
  br label %C
C:
  %r = select i1 %p, i32 %y, i32 %x
  ret i32 %r
}
",
    );
    let args: Vec<Vec<Val>> = (0..4).map(|x| vec![Val::i32(x)]).collect();
    for schedule in schedules() {
        let run = Run { threads: 4, schedule, semantics: Semantics::Oblivious, ..Run::default() };
        let outcome = Machine::new(&module).run("f", &args, &run).unwrap();
        assert_eq!(outcome.values(), [10, 11, 2, 3].map(Val::i32));
    }
}

/// Thread 1 assigns `%x` passively; `code` uses it actively.
fn rule_3(code: &str) -> Result<(), (ErrorKind, Option<usize>)> {
    let module = parse(&format!(
        "declare @llvm.smax.i32 : i32 (i32, i32)
declare @abs : i32 (i32)
func @f(i1 %p, ptr %m) -> i32 {{
A: when %p
  %x = add i32 1, 2
  %c = icmp eq i32 %x, 3
  br label %B
B:
{code}
}}
"
    ));
    let mut machine = Machine::new(&module);
    let m = machine.alloc_buffer(&[0; 64]).unwrap();
    let args = [true, false].map(|p| vec![Val::bool(p), Val::Ptr(m)]);
    match machine.run("f", &args, &Run { threads: 2, ..Run::default() }) {
        Ok(_) => Ok(()),
        Err(error) => Err((error.kind, error.thread)),
    }
}

#[test]
fn an_active_use_of_top_is_an_error() {
    let bad = |what: &'static str| Err((ErrorKind::PassiveUse(what), Some(1)));
    assert_eq!(rule_3("  ret i32 %x"), bad("the returned value"));
    assert_eq!(rule_3("  store i32 %x, ptr %m, align 4\n  ret i32 0"), bad("the stored value"));
    let address =
        "  %q = getelementptr i32, ptr %m, i32 %x\n  %y = load i32, ptr %q, align 4\n  ret i32 0";
    assert_eq!(rule_3(address), bad("the address of a memory access"));
    let branch = "  br i1 %c, label %C, label %C\nC:\n  ret i32 0";
    assert_eq!(rule_3(branch), bad("the condition of a branch"));
    let switch = "  switch i32 %x, label %C [1: label %C]\nC:\n  ret i32 0";
    assert_eq!(rule_3(switch), bad("the value of a switch"));
    assert_eq!(rule_3("  %y = udiv i32 7, %x\n  ret i32 0"), bad("the divisor"));
    let host = "  %y = call i32 (i32) @abs(i32 %x)\n  ret i32 0";
    assert_eq!(rule_3(host), bad("an argument of a host function"));
    let predicate = "  br label %C\nC: when %c\n  br label %D\nD:\n  ret i32 0";
    assert_eq!(rule_3(predicate), bad("the predicate of the block"));
    let through = "  %y = call i32 (i32, i32) @llvm.smax.i32(i32 %x, i32 1)\n  %z = mul i32 %y, 2\n  ret i32 %z";
    assert_eq!(rule_3(through), bad("the returned value"));
    // No dependence: the other operand or the condition decides.
    assert_eq!(rule_3("  %y = select i1 %p, i32 %x, i32 0\n  ret i32 %y"), Ok(()));
    assert_eq!(rule_3("  %y = mul i32 %x, 0\n  ret i32 %y"), Ok(()));
    assert_eq!(rule_3("  %y = add i32 %x, 1\n  ret i32 0"), Ok(()));
    assert_eq!(
        rule_3(
            "  br label %C\nC: when %p\n  store i32 %x, ptr %m, align 4\n  br label %D\nD:\n  ret i32 0"
        ),
        Ok(())
    );
}

#[test]
fn threads_that_return_passively_are_stuck() {
    let module = parse("func @f(i1 %p) -> void {\nA: when %p\n  ret void\n}\n");
    let args = [vec![Val::bool(true)], vec![Val::bool(false)]];
    for schedule in schedules() {
        let run = Run { threads: 2, schedule, ..Run::default() };
        assert_eq!(Machine::new(&module).run("f", &args, &run).unwrap_err().kind, ErrorKind::Stuck);
    }
}

#[test]
fn incremental_if_conversion_keeps_results() {
    // 001 Fig. 4.7: branches, then predicates, and at last one straight line.
    let programs = [
        "func @f(i1 %p, i1 %q) -> i32 {
A:
  br i1 %p, label %B, label %C
B:
  br label %E
C:
  br i1 %q, label %D, label %E
D:
  br label %E
E:
  %x = phi i32 [ 1, %B ], [ 2, %C ], [ 3, %D ]
  ret i32 %x
}
",
        "func @f(i1 %p, i1 %q) -> i32 {
A:
  br i1 %p, label %B, label %C
B:
  br label %E
C:
  br label %D
D: when %q
  br label %F
F:
  %y = select i1 %q, i32 3, i32 2
  br label %E
E:
  %x = phi i32 [ 1, %B ], [ %y, %F ]
  ret i32 %x
}
",
        "func @f(i1 %p, i1 %q) -> i32 {
A:
  %np = xor i1 %p, 1
  %npq = and i1 %np, %q
  br label %B
B: when %p
  br label %C
C: when %np
  br label %D
D: when %npq
  br label %E
E:
  %y = select i1 %q, i32 3, i32 2
  %x = select i1 %p, i32 1, i32 %y
  ret i32 %x
}
",
    ];
    let args: Vec<Vec<Val>> = [(1, 0), (1, 1), (0, 0), (0, 1)]
        .map(|(p, q)| vec![Val::bool(p == 1), Val::bool(q == 1)])
        .to_vec();
    for text in programs {
        let module = parse(text);
        for semantics in [Semantics::Freezing, Semantics::Oblivious] {
            for schedule in schedules() {
                let run = Run { threads: 4, schedule, semantics, ..Run::default() };
                let outcome = Machine::new(&module).run("f", &args, &run).unwrap();
                assert_eq!(outcome.values(), [1, 1, 2, 3].map(Val::i32));
            }
        }
    }
}
