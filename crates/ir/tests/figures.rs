//! The executions printed in 001 (and 002), as tests named after their figures.
//!
//! The pictures are missing from the text; the graphs are rebuilt from captions, tables and the sentences around them.

use lw_ir::interp::{
    Control, ErrorKind, Machine, Next, Outcome, Property, Run, RunError, Schedule, Semantics,
    Trace, Val,
};
use lw_ir::{Block, Function, Module, Value, parse_module};

fn parse(text: &str) -> Module {
    parse_module(text).unwrap_or_else(|error| panic!("{error}"))
}

/// The block of this name.
fn block(function: &Function, name: &str) -> Block {
    let named = |b: &&Block| function.block_name(**b).and_then(|n| n.as_str()) == Some(name);
    *function.blocks().iter().find(named).unwrap_or_else(|| panic!("no block {name}"))
}

/// The blocks with these one-letter names.
fn blocks(function: &Function, names: &str) -> Vec<Block> {
    names.chars().map(|c| block(function, &c.to_string())).collect()
}

/// The variable of this name.
fn variable(function: &Function, name: &str) -> Value {
    (0..function.value_count())
        .map(|i| Value::from_u32(i as u32))
        .find(|&v| function.value_name(v).and_then(|n| n.as_str()) == Some(name))
        .unwrap_or_else(|| panic!("no variable {name}"))
}

fn run(module: &Module, args: &[Vec<Val>], run: Run) -> Result<Outcome, RunError> {
    let run = Run { threads: args.len(), trace: true, step_limit: 10_000, ..run };
    Machine::new(module).run_index(0, args, &run)
}

fn fixed(module: &Module, args: &[Vec<Val>], schedule: &str) -> Outcome {
    let schedule = Schedule::Fixed(blocks(&module.functions[0], schedule));
    run(module, args, Run { schedule, ..Run::default() }).unwrap_or_else(|error| panic!("{error}"))
}

/// Under many greedy schedules, each of which the checker must accept. `f` gets every outcome.
fn greedy(module: &Module, args: &[Vec<Val>], semantics: Semantics, f: impl Fn(&Outcome)) {
    for seed in 0..50 {
        let schedule = Schedule::Greedy { seed };
        let outcome = run(module, args, Run { schedule, semantics, ..Run::default() });
        let outcome = outcome.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        f(&outcome);
        let schedule = Schedule::Fixed(outcome.trace.as_ref().unwrap().schedule());
        let again = run(module, args, Run { schedule, semantics, ..Run::default() }).unwrap();
        assert_eq!(again.violations, [], "seed {seed}");
        assert_eq!(again.values(), outcome.values());
    }
}

fn bools(values: &[u8]) -> Vec<Vec<Val>> {
    values.iter().map(|&v| vec![Val::bool(v == 1)]).collect()
}

fn trace(outcome: &Outcome) -> &Trace {
    outcome.trace.as_ref().unwrap()
}

/// The schedule of a run in letters.
fn letters(function: &Function, outcome: &Outcome) -> String {
    let name = |b: Block| function.block_name(b).and_then(|n| n.as_str()).unwrap().to_string();
    trace(outcome).schedule().into_iter().map(name).collect()
}

/// ℓ_in or ℓ_next of each thread in letters: `⊥` no block yet, `⊤` any successor, `□` ended.
fn states(function: &Function, controls: &[Control], next: bool) -> String {
    let name = |b: Block| function.block_name(b).and_then(|n| n.as_str()).unwrap().to_string();
    let one = |control: &Control| match (next, &control.next, control.came_from) {
        (false, _, None) => "⊥".to_string(),
        (false, _, Some(b)) => name(b),
        (true, Next::Block(b), _) => name(*b),
        (true, Next::Any, _) => "⊤".into(),
        (true, Next::Done(_), _) => "□".into(),
    };
    controls.iter().map(one).collect()
}

fn digits(bits: &[bool]) -> String {
    bits.iter().map(|&b| if b { '1' } else { '0' }).collect()
}

// ---- 3.5 and 3.6: lock step, divergent loops ----

/// The square root of SLEEF with the guard of Fig. 3.19a; F is the tail of Fig. 3.17a.
const XSQRT: &str = "func @xsqrtf_u35(float %d0) -> float {
A:
  %neg = fcmp olt float %d0, 0.0
  %d = select i1 %neg, float 0x7fc00000, float %d0
  %scaleUp = fcmp olt float %d, 0x1a800000
  %scaleDown = fcmp ogt float %d, 0x5f800000
  %either = or i1 %scaleUp, %scaleDown
  %a = any i1 (i1 %either)
  br i1 %a, label %B, label %F
B:
  br i1 %scaleUp, label %C, label %D
C:
  %dUp = fmul float %d, 0x64800000
  br label %D
D:
  %d1 = phi float [ %d, %B ], [ %dUp, %C ]
  %q1 = phi float [ 1.0, %B ], [ 0x2d000000, %C ]
  br i1 %scaleDown, label %E, label %F
E:
  %dDown = fmul float %d1, 0x1f800000
  br label %F
F:
  %df = phi float [ %d, %A ], [ %d1, %D ], [ %dDown, %E ]
  %q = phi float [ 1.0, %A ], [ %q1, %D ], [ 4294967296.0, %E ]
  %tiny = fadd float %df, 0x00000001
  %raw = bitcast float %tiny to i32
  %y = lshr i32 %raw, 1
  %guess = sub i32 1597463174, %y
  %x0 = bitcast i32 %guess to float
  %h = fmul float 0.5, %df
  %s0 = fmul float %h, %x0
  %t0 = fmul float %s0, %x0
  %u0 = fsub float 1.5, %t0
  %x1 = fmul float %x0, %u0
  %s1 = fmul float %h, %x1
  %t1 = fmul float %s1, %x1
  %u1 = fsub float 1.5, %t1
  %x2 = fmul float %x1, %u1
  %s2 = fmul float %h, %x2
  %t2 = fmul float %s2, %x2
  %u2 = fsub float 1.5, %t2
  %x3 = fmul float %x2, %u2
  %xd = fmul float %x3, %df
  %r = fmul float %xd, %q
  ret float %r
}
";

#[test]
fn fig_3_19_any_in_scalar_code() {
    let module = parse(XSQRT);
    let function = &module.functions[0];
    let args = [vec![Val::f32(2.0)], vec![Val::f32(1.0e20)]];
    for semantics in [Semantics::Freezing, Semantics::Oblivious] {
        greedy(&module, &args, semantics, |outcome| {
            assert_eq!(letters(function, outcome), "ABDEF");
            let active: Vec<String> =
                trace(outcome).top().map(|step| digits(&step.active)).collect();
            assert_eq!(active, ["11", "11", "11", "01", "11"]);
            for (value, exact) in outcome.values().iter().zip([2f32.sqrt(), 1.0e10]) {
                let value = value.as_f32().unwrap();
                assert!((value / exact - 1.0).abs() < 1e-5, "{value} for {exact}");
            }
        });
    }
    // Nobody needs scaling: the guarded blocks are skipped.
    greedy(&module, &[vec![Val::f32(2.0)], vec![Val::f32(9.0)]], Semantics::Freezing, |outcome| {
        assert_eq!(letters(function, outcome), "AF");
    });
}

const LOGSTAR: &str = "declare @log : double (double)
func @logstar(double %n) -> i32 {
A:
  br label %B
B:
  %i0 = phi i32 [ 0, %A ], [ %i, %B ]
  %x0 = phi double [ %n, %A ], [ %x, %B ]
  %i = add i32 %i0, 1
  %x = call double (double) @log(double %x0)
  %again = fcmp ogt double %x, 1.0
  br i1 %again, label %B, label %C
C:
  %big = fcmp ogt double %n, 1.0
  %r = select i1 %big, i32 %i, i32 0
  ret i32 %r
}
";

fn logstar_args() -> [Vec<Val>; 2] {
    [vec![Val::f64(88.38)], vec![Val::f64(1.5)]]
}

#[test]
fn fig_3_20_logstar_in_lock_step() {
    let module = parse(LOGSTAR);
    let function = &module.functions[0];
    let (i, x) = (variable(function, "i"), variable(function, "x"));
    greedy(&module, &logstar_args(), Semantics::Freezing, |outcome| {
        assert_eq!(outcome.values(), [Val::i32(3), Val::i32(1)]);
        assert_eq!(letters(function, outcome), "ABBBC");
        let steps: Vec<_> = trace(outcome).top().collect();
        // The table of Fig. 3.20b: thread 1 keeps its values while thread 0 goes on.
        let counts: Vec<_> = steps[1..4].iter().map(|s| s.values_of(i).unwrap().to_vec()).collect();
        assert_eq!(counts, [[1, 1], [2, 1], [3, 1]].map(|row| row.map(Val::i32).to_vec()));
        let logs: Vec<f64> =
            steps[1..4].iter().map(|s| s.values_of(x).unwrap()[0].as_f64().unwrap()).collect();
        for (log, expected) in logs.iter().zip([4.48, 1.5, 0.41]) {
            assert!((log - expected).abs() < 0.01, "{log}");
        }
        assert_eq!(
            steps.iter().map(|s| digits(&s.active)).collect::<Vec<_>>(),
            ["11", "11", "10", "10", "11"]
        );
        // Tags: the iterations of the loop, and none outside.
        assert_eq!(
            steps.iter().map(|s| s.tags[0].to_string()).collect::<Vec<_>>(),
            ["⟨⟩", "⟨0⟩", "⟨1⟩", "⟨2⟩", "⟨⟩"]
        );
        assert_eq!(
            steps.iter().map(|s| s.tags[1].to_string()).collect::<Vec<_>>(),
            ["⟨⟩", "⟨0⟩", "⟨0⟩", "⟨0⟩", "⟨⟩"]
        );
    });
}

#[test]
fn fig_3_21_oblivious_logstar_is_wrong() {
    // What widening without care does: thread 1 has lost `i` when it gets to use it.
    let module = parse(LOGSTAR);
    for seed in 0..10 {
        let schedule = Schedule::Greedy { seed };
        let error = run(
            &module,
            &logstar_args(),
            Run { semantics: Semantics::Oblivious, schedule, ..Run::default() },
        );
        let error = error.unwrap_err();
        assert_eq!(error.kind, ErrorKind::PassiveUse("the returned value"));
        assert_eq!(error.thread, Some(1));
        assert!(
            error.to_string().contains("@logstar, block %C, `ret i32 %r`, thread 1"),
            "{error}"
        );
    }
    // With strict uses the instruction that reads it is named.
    let strict = Run { semantics: Semantics::Oblivious, strict_uses: true, ..Run::default() };
    let error = run(&module, &logstar_args(), strict).unwrap_err();
    assert!(error.place.contains("%r = select"), "{error}");
}

/// Fig. 3.22c: the loop is predicated and records the value with which each thread leaves.
const LOGSTAR_TRANSFORMED: &str = "declare @log : double (double)
func @logstar(double %n) -> i32 {
A:
  br label %B
B: when %live
  %live = phi i1 [ 1, %A ], [ %stay, %B ]
  %i0 = phi i32 [ 0, %A ], [ %i_cnt, %B ]
  %x0 = phi double [ %n, %A ], [ %x, %B ]
  %i_out = phi i32 [ undef, %A ], [ %i_upd, %B ]
  %i_cnt = add i32 %i0, 1
  %x = call double (double) @log(double %x0)
  %again = fcmp ogt double %x, 1.0
  %stay = total and i1 %live, %again
  %leave = total xor i1 %again, 1
  %exit_loop = total and i1 %live, %leave
  %i_upd = total select i1 %exit_loop, i32 %i_cnt, i32 %i_out
  %any = total any i1 (i1 %stay)
  br i1 %any, label %B, label %C
C:
  %big = fcmp ogt double %n, 1.0
  %r = select i1 %big, i32 %i_upd, i32 0
  ret i32 %r
}
";

#[test]
fn fig_3_22_transformed_loop_keeps_live_outs() {
    let module = parse(LOGSTAR_TRANSFORMED);
    let function = &module.functions[0];
    for semantics in [Semantics::Freezing, Semantics::Oblivious] {
        greedy(&module, &logstar_args(), semantics, |outcome| {
            assert_eq!(outcome.values(), [Val::i32(3), Val::i32(1)]);
            assert_eq!(letters(function, outcome), "ABBBC");
            let steps: Vec<_> = trace(outcome).top().collect();
            let row = |step: usize, name: &str| {
                steps[step].values_of(variable(function, name)).unwrap().to_vec()
            };
            // The table of Fig. 3.22d.
            for (step, live) in [(1, [1, 1]), (2, [1, 0]), (3, [1, 0])] {
                assert_eq!(row(step, "live"), live.map(|b| Val::bool(b == 1)));
            }
            assert_eq!(row(1, "i_upd"), [Val::Undef, Val::i32(1)]);
            assert_eq!(row(2, "i_upd"), [Val::Undef, Val::i32(1)]);
            assert_eq!(row(3, "i_upd"), [Val::i32(3), Val::i32(1)]);
            let x = row(3, "x")[1].clone();
            assert_eq!(x == Val::Passive, semantics == Semantics::Oblivious);
        });
    }
}

// ---- Chapter 4: the rules ----

#[test]
fn fig_4_5_control_mechanics() {
    let module = parse(
        "func @f(i1 %p) -> void {
A:
  br i1 %p, label %B, label %C
B:
  br label %E
C:
  br i1 %p, label %E, label %D
D:
  br label %E
E:
  ret void
}
",
    );
    let function = &module.functions[0];
    let outcome = fixed(&module, &bools(&[1, 0]), "ABCDE");
    assert_eq!(outcome.violations, []);
    let rows: Vec<_> = trace(&outcome)
        .top()
        .map(|s| {
            (
                states(function, &s.before, false),
                states(function, &s.before, true),
                digits(&s.cmask),
            )
        })
        .collect();
    let expected = [
        ("⊥⊥", "AA", "11"),
        ("AA", "BC", "10"),
        ("BA", "EC", "01"),
        ("BC", "ED", "01"),
        ("BD", "EE", "11"),
    ];
    assert_eq!(rows, expected.map(|(a, b, c)| (a.to_string(), b.to_string(), c.to_string())));
    let last = trace(&outcome).top().last().unwrap();
    assert_eq!(states(function, &last.after, true), "□□");
}

#[test]
fn fig_4_6_thread_activation() {
    let module = parse(
        "func @f(i1 %p) -> void {
A:
  %notp = xor i1 %p, 1
  br i1 %p, label %B, label %C
B:
  br label %C
C: when %notp
  br label %D
D:
  ret void
}
",
    );
    let outcome = fixed(&module, &bools(&[0, 1]), "ABCD");
    assert_eq!(outcome.violations, []);
    let masks: Vec<_> =
        trace(&outcome).top().map(|s| (digits(&s.cmask), digits(&s.active))).collect();
    let expected = [("11", "11"), ("01", "01"), ("11", "10"), ("11", "11")];
    assert_eq!(masks, expected.map(|(c, a)| (c.to_string(), a.to_string())));
}

#[test]
fn fig_4_11_shadow_phi() {
    let module = parse(
        "func @f(i1 %p) -> i32 {
A:
  br i1 %p, label %B, label %D
B: when 0
  br label %C
C:
  %x = phi i32 [ 1, %B ] shadow 2
  br label %D
D:
  ret i32 %x
}
",
    );
    for semantics in [Semantics::Freezing, Semantics::Oblivious] {
        greedy(&module, &bools(&[0, 1]), semantics, |outcome| {
            assert_eq!(outcome.values(), [Val::i32(2), Val::i32(1)]);
        });
    }
}

#[test]
fn fig_4_16a_use_under_another_predicate() {
    let module = parse(
        "declare @f : i32 (i32)
func @g(i1 %p) -> void {
A: when %p
  %notp = total xor i1 %p, 1
  %x = add i32 1, 2
  br label %B
B: when %notp
  %y = call i32 (i32) @abs(i32 %x)
  br label %C
C:
  ret void
}
declare @abs : i32 (i32)
",
    );
    let error = run(&module, &bools(&[1, 0]), Run::default()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::PassiveUse("an argument of a host function"));
    assert_eq!((error.thread, error.block), (Some(1), Some(block(&module.functions[0], "B"))));
}

#[test]
fn fig_4_16b_live_out_of_a_divergent_loop() {
    let module = parse(
        "func @f(i32 %n) -> i32 {
A:
  br label %B
B:
  %i = phi i32 [ 0, %A ], [ %x, %B ]
  %x = add i32 %i, 1
  %more = icmp slt i32 %x, %n
  br i1 %more, label %B, label %C
C:
  %lcssa = phi i32 [ %x, %B ]
  ret i32 %lcssa
}
",
    );
    let args = [vec![Val::i32(1)], vec![Val::i32(3)]];
    greedy(&module, &args, Semantics::Freezing, |outcome| {
        assert_eq!(outcome.values(), [Val::i32(1), Val::i32(3)]);
    });
    let error =
        run(&module, &args, Run { semantics: Semantics::Oblivious, ..Run::default() }).unwrap_err();
    assert_eq!((error.kind, error.thread), (ErrorKind::PassiveUse("the returned value"), Some(0)));
}

// ---- Chapter 5: schedules ----

const DIAMOND: &str = "func @f(i1 %p) -> i32 {
A:
  br i1 %p, label %B, label %C
B:
  br label %D
C:
  br label %D
D:
  %x = phi i32 [ 0, %B ], [ 1, %C ]
  ret i32 %x
}
";

fn violations(outcome: &Outcome) -> Vec<(usize, Property)> {
    outcome.violations.iter().map(|v| (v.step, v.property)).collect()
}

#[test]
fn fig_5_1_stalling() {
    let module = parse(DIAMOND);
    let args = bools(&[0, 0]);
    let stalled = fixed(&module, &args, "ABBBB");
    assert_eq!(stalled.results, [None, None]);
    assert_eq!(
        violations(&stalled),
        (1..5).map(|step| (step, Property::Progress)).collect::<Vec<_>>()
    );
    let finished = fixed(&module, &args, "ACD");
    assert_eq!(finished.violations, []);
    assert_eq!(finished.values(), [Val::i32(1), Val::i32(1)]);
}

#[test]
fn fig_5_2_spurious_divergence() {
    let module = parse(
        "func @f(i1 %p) -> i32 {
A: when %p
  br i1 1, label %B, label %C
B:
  br label %D
C:
  br label %D
D:
  %x = phi i32 [ 0, %B ], [ 1, %C ]
  ret i32 %x
}
",
    );
    let args = bools(&[1, 0]);
    // Thread 1 is led to C although the branch in A is uniform.
    let astray = fixed(&module, &args, "ACBD");
    assert_eq!(violations(&astray), [(1, Property::Progress)]);
    assert_eq!(astray.values(), [Val::i32(0), Val::i32(1)]);
    greedy(&module, &args, Semantics::Freezing, |outcome| {
        assert_eq!(letters(&module.functions[0], outcome), "ABD");
        assert_eq!(outcome.values(), [Val::i32(0), Val::i32(0)]);
    });
}

#[test]
fn fig_5_3a_any_depends_on_schedule() {
    let module = parse(
        "func @f(i1 %v) -> i32 {
A:
  br i1 %v, label %C, label %B
B:
  br label %D
C:
  br label %D
D:
  %q = any i1 (i1 %v)
  br i1 %q, label %E, label %F
E:
  br label %G
F:
  br label %G
G:
  %x = phi i32 [ 0, %E ], [ 1, %F ]
  ret i32 %x
}
",
    );
    let args = bools(&[0, 1]);
    assert_eq!(fixed(&module, &args, "ABCDEFG").values(), [Val::i32(0), Val::i32(0)]);
    let other = fixed(&module, &args, "ABDCDEFG");
    assert_eq!(other.values(), [Val::i32(1), Val::i32(0)]);
    assert!(violations(&other).contains(&(2, Property::Synchronization)));
    greedy(&module, &args, Semantics::Freezing, |outcome| {
        assert_eq!(outcome.values(), [Val::i32(0), Val::i32(0)]);
    });
}

#[test]
fn fig_5_3b_iterations_in_lock_step() {
    let module = parse(
        "func @f(i1 %v) -> i32 {
A:
  br label %H
H:
  %i = phi i32 [ 0, %A ], [ %next, %L ]
  br i1 %v, label %B, label %L
B:
  br label %L
L:
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, 3
  br i1 %more, label %H, label %X
X:
  ret i32 %next
}
",
    );
    let function = &module.functions[0];
    let i = variable(function, "i");
    let args = bools(&[1, 0]);
    // Thread 1 runs ahead: in the third H both threads are active and see different numbers.
    let apart = fixed(&module, &args, "AHLHBLH");
    assert_eq!(violations(&apart)[0], (2, Property::Synchronization));
    let last = trace(&apart).top().last().unwrap();
    assert_eq!(digits(&last.active), "11");
    assert_eq!(last.values_of(i).unwrap(), [Val::i32(1), Val::i32(2)]);
    assert_eq!((last.tags[0].to_string(), last.tags[1].to_string()), ("⟨1⟩".into(), "⟨2⟩".into()));
    greedy(&module, &args, Semantics::Freezing, |outcome| {
        for step in trace(outcome).top().filter(|step| step.active == [true, true]) {
            assert_eq!(step.tags[0], step.tags[1]);
            if let Some(values) = step.values_of(i) {
                assert_eq!(values[0], values[1]);
            }
        }
    });
}

#[test]
fn fig_5_4_not_a_barrier() {
    let module = parse(DIAMOND);
    let outcome = fixed(&module, &bools(&[1, 0]), "ABDCD");
    assert_eq!(violations(&outcome), [(2, Property::Synchronization)]);
    assert_eq!(outcome.values(), [Val::i32(0), Val::i32(1)]);
}

/// Fig. 5.5b: the loop in B, if-converted, with all threads off.
const IF_CONVERTED: &str = "func @f(i1 %p, i1 %q) -> i32 {
A:
  br label %B
B: when %p
  br i1 %q, label %B, label %C
C:
  br label %D
D:
  ret i32 7
}
";

#[test]
fn fig_5_5_termination() {
    let module = parse(IF_CONVERTED);
    let args = vec![vec![Val::bool(false), Val::bool(true)]; 2];
    assert_eq!(fixed(&module, &args, "ABCD").violations, []);
    let spinning = fixed(&module, &args, "ABBBBB");
    assert_eq!(violations(&spinning), [3, 4, 5].map(|step| (step, Property::Termination)));
    assert_eq!(spinning.results, [None, None]);
    greedy(&module, &args, Semantics::Freezing, |outcome| {
        assert_eq!(outcome.values(), [Val::i32(7), Val::i32(7)]);
    });
    let stack = Run { schedule: Schedule::ReconvergenceStack, ..Run::default() };
    assert_eq!(run(&module, &args, stack).unwrap().values(), [Val::i32(7), Val::i32(7)]);
}

#[test]
fn fig_5_6_the_stack_executes_a_block_twice() {
    let module = parse(
        "func @f(i1 %p) -> i32 {
A:
  br i1 %p, label %C, label %B
B:
  br label %C
C:
  %n = popcount i32 (i1 1)
  br i1 %p, label %D, label %E
E:
  br label %D
D:
  ret i32 %n
}
",
    );
    let function = &module.functions[0];
    let args = bools(&[1, 0]);
    greedy(&module, &args, Semantics::Freezing, |outcome| {
        assert_eq!(letters(function, outcome), "ABCED");
        assert_eq!(outcome.values(), [Val::i32(2), Val::i32(2)]);
    });
    // Threads part in A and meet in its post-dominator: here C, so the stack does as well.
    let stack = Run { schedule: Schedule::ReconvergenceStack, ..Run::default() };
    assert_eq!(run(&module, &args, stack.clone()).unwrap().values(), [Val::i32(2), Val::i32(2)]);
    // With a way around C, the post-dominator is D and C runs once for each side.
    let module = parse(
        "func @f(i32 %s) -> i32 {
A:
  switch i32 %s, label %D [1: label %C, 2: label %B]
B:
  br label %C
C:
  %n = popcount i32 (i1 1)
  br label %D
D:
  %r = phi i32 [ 0, %A ], [ %n, %C ]
  ret i32 %r
}
",
    );
    let function = &module.functions[0];
    let args: Vec<Vec<Val>> = [0, 1, 2].map(|s| vec![Val::i32(s)]).to_vec();
    greedy(&module, &args, Semantics::Freezing, |outcome| {
        assert_eq!(letters(function, outcome), "ABCD");
        assert_eq!(outcome.values(), [0, 2, 2].map(Val::i32));
    });
    let outcome = run(&module, &args, stack).unwrap();
    assert_eq!(letters(function, &outcome), "ABCCD");
    assert_eq!(outcome.values(), [0, 1, 1].map(Val::i32));
}

// ---- Chapter 7: control-induced divergence ----

#[test]
fn fig_7_1_sync_divergence() {
    let module = parse(DIAMOND);
    let function = &module.functions[0];
    let outcome = fixed(&module, &bools(&[1, 0]), "ABCD");
    assert_eq!(outcome.violations, []);
    let rows: Vec<_> = trace(&outcome)
        .top()
        .map(|s| (states(function, &s.before, false), states(function, &s.after, true)))
        .collect();
    let expected = [("⊥⊥", "BC"), ("AA", "DC"), ("BA", "DD"), ("BC", "□□")];
    assert_eq!(rows, expected.map(|(a, b)| (a.to_string(), b.to_string())));
    assert_eq!(outcome.values(), [Val::i32(0), Val::i32(1)]);
}

#[test]
fn fig_7_1_temporal_divergence() {
    let module = parse(
        "func @f(i32 %n) -> i32 {
A:
  br label %B
B:
  %x = phi i32 [ 0, %A ], [ %inc, %B ]
  %inc = add i32 %x, 1
  %more = icmp slt i32 %inc, %n
  br i1 %more, label %B, label %X
X:
  %lc = phi i32 [ %inc, %B ]
  ret i32 %lc
}
",
    );
    let function = &module.functions[0];
    let args = [vec![Val::i32(1)], vec![Val::i32(2)]];
    greedy(&module, &args, Semantics::Freezing, |outcome| {
        let rows: Vec<_> = trace(outcome)
            .top()
            .map(|s| (states(function, &s.before, false), states(function, &s.after, true)))
            .collect();
        let expected = [("⊥⊥", "BB"), ("AA", "XB"), ("BB", "XX"), ("BB", "□□")];
        assert_eq!(rows, expected.map(|(a, b)| (a.to_string(), b.to_string())));
        assert_eq!(outcome.values(), [Val::i32(1), Val::i32(2)]);
    });
}

#[test]
fn fig_7_3_threads_leave_a_loop_through_different_exits() {
    // A is divergent and the header; B, C, D, G are in the loop; E and F are its exits, X joins them.
    let module = parse(
        "func @f(i1 %p, i32 %leave) -> i32 {
P:
  br label %A
A:
  %i = phi i32 [ 0, %P ], [ %next, %G ]
  br i1 %p, label %B, label %D
B:
  br label %C
C:
  br label %D
D:
  %d = phi i32 [ 10, %A ], [ 20, %C ]
  %first = icmp eq i32 %i, %leave
  br i1 %first, label %E, label %G
G:
  %next = add i32 %i, 1
  %enough = icmp eq i32 %next, 2
  br i1 %enough, label %F, label %A
E:
  br label %X
F:
  br label %X
X:
  %x = phi i32 [ 1, %E ], [ 2, %F ]
  %r = add i32 %x, %d
  ret i32 %r
}
",
    );
    let function = &module.functions[0];
    let args = [vec![Val::bool(true), Val::i32(0)], vec![Val::bool(false), Val::i32(5)]];
    let concurrent = std::cell::Cell::new(false);
    greedy(&module, &args, Semantics::Freezing, |outcome| {
        let joins = |name: &str| {
            let steps = trace(outcome).top().filter(|s| s.block == block(function, name));
            steps
                .map(|s| (states(function, &s.before, false), digits(&s.active)))
                .collect::<Vec<_>>()
        };
        // The threads meet in D from C and A, and in X from E and F.
        assert_eq!(joins("D")[0], ("CA".to_string(), "11".to_string()));
        assert_eq!(joins("X"), [("EF".to_string(), "11".to_string())]);
        assert_eq!(outcome.values(), [Val::i32(21), Val::i32(12)]);
        // E and F can be next at the same time: E need not wait for a thread that is still in the loop.
        if trace(outcome).top().any(|s| states(function, &s.after, true) == "EF") {
            concurrent.set(true);
        }
    });
    assert!(concurrent.get());
}

// ---- 002 ----

#[test]
fn fig_8_of_002_sum_triangle_on_the_reconvergence_stack() {
    // Thread t visits t + 1 cells of its column and adds up the even ones; d counts them.
    let module = parse(
        "func @triangle(ptr %v, i32 %c, ptr %out) -> i32 {
l0:
  %tid = lane i32 ()
  %start = mul i32 %tid, %c
  %limit = add i32 %start, %tid
  br label %l5
l5:
  %d = phi i32 [ 0, %l0 ], [ %d2, %l12 ]
  %s = phi i32 [ 0, %l0 ], [ %s3, %l12 ]
  %i = phi i32 [ %start, %l0 ], [ %i2, %l12 ]
  %p0 = icmp sgt i32 %i, %limit
  br i1 %p0, label %l15, label %l7
l7:
  %at = getelementptr i32, ptr %v, i32 %i
  %x = load i32, ptr %at, align 4
  %odd = and i32 %x, 1
  %p1 = icmp ne i32 %odd, 0
  br i1 %p1, label %l12, label %l10
l10:
  %s2 = add i32 %s, %x
  br label %l12
l12:
  %s3 = phi i32 [ %s, %l7 ], [ %s2, %l10 ]
  %d2 = add i32 %d, 1
  %i2 = add i32 %i, 1
  br label %l5
l15:
  %together = popcount i32 (i1 1)
  %to = getelementptr i32, ptr %out, i32 %tid
  store i32 %s, ptr %to, align 4
  %r = mul i32 %d, 10
  %r2 = add i32 %r, %together
  ret i32 %r2
}
",
    );
    let mut machine = Machine::new(&module);
    let cells: Vec<u8> = (0..16i32).flat_map(i32::to_le_bytes).collect();
    let (v, out) = (machine.alloc_buffer(&cells).unwrap(), machine.alloc_undefined(16).unwrap());
    let args = vec![vec![Val::Ptr(v), Val::i32(4), Val::Ptr(out)]; 4];
    let run =
        Run { threads: 4, schedule: Schedule::ReconvergenceStack, trace: true, ..Run::default() };
    let outcome = machine.run("triangle", &args, &run).unwrap();
    // Thread t incremented d t + 1 times, and all four wrote their sum together.
    assert_eq!(outcome.values(), [14, 24, 34, 44].map(Val::i32));
    let sums: Vec<u8> = [0, 4, 8 + 10, 12 + 14i32].into_iter().flat_map(i32::to_le_bytes).collect();
    let sums: Vec<Option<u8>> = sums.into_iter().map(Some).collect();
    assert_eq!(machine.read_bytes(out, 16).unwrap(), sums);
}
