//! Where greedy schedules let threads of one iteration go at different times.

use lw_divergence::{Basic, Options, Sources, analyze, oracle};
use lw_ir::interp::{Machine, Run, Schedule, Trace, Val};
use lw_ir::{Function, Module, Value, parse_module};

fn value(function: &Function, name: &str) -> Value {
    let all = (0..function.value_count()).map(|i| Value::from_u32(i as u32));
    let named = |v: &Value| function.value_name(*v).and_then(|n| n.as_str()) == Some(name);
    all.into_iter().find(named).expect("a value of this name")
}

/// Whether a value differs between two threads that execute its definition in one step, at the same tag.
fn differs(trace: &Trace, of: Value) -> bool {
    trace.top().any(|step| {
        let Some(values) = step.values_of(of) else { return false };
        let together = |s: usize, t: usize| {
            step.active[s]
                && step.active[t]
                && step.tags[s] == step.tags[t]
                && values[s] != values[t]
        };
        (0..values.len()).any(|s| (0..s).any(|t| together(s, t)))
    })
}

fn run(module: &Module, args: &[Vec<Val>], seed: u64) -> Trace {
    let schedule = Schedule::Greedy { seed };
    let run = Run { threads: args.len(), trace: true, schedule, ..Run::default() };
    let outcome = Machine::new(module).run("f", args, &run).unwrap_or_else(|e| panic!("{e}"));
    outcome.trace.expect("a trace was asked for")
}

/// H → B → S → L or M, both latches. A thread may go through the next iterations alone while another is still on its way to the
/// other latch. They leave the loop together, in the same iteration, but have not executed it together.
#[test]
fn in_a_loop_with_two_latches_who_takes_part_depends_on_the_schedule() {
    let text = "func @f(i1 %p, i1 %q) -> i32 {
entry:
  br label %H
H:
  %i = phi i32 [ 0, %entry ], [ %j, %L ], [ %j, %M ]
  %a = any i1 (i1 %p)
  %j = add i32 %i, 1
  br label %B
B:
  %z = add i32 %j, 1
  %more = icmp slt i32 %j, 4
  br i1 %more, label %S, label %X
S:
  br i1 %q, label %L, label %M
L:
  br label %H
M:
  br label %H
X:
  %y = xor i1 %a, true
  ret i32 %i
}";
    let module = parse_module(text).unwrap();
    let f = &module.functions[0];
    let options = Options::default();
    let divergence = analyze(f, &Sources::params([Basic::Varying, Basic::Varying]), &options);
    // Counting is the same for all whenever they come by; asking the others is not.
    assert!(divergence.is_uniform(value(f, "i")) && divergence.is_uniform(value(f, "z")));
    assert!(!divergence.is_uniform(value(f, "a")));
    let args = [vec![Val::bool(true); 2], vec![Val::bool(false); 2]];
    let mut met_differently = false;
    for seed in 0..100 {
        let trace = run(&module, &args, seed);
        assert!(!differs(&trace, value(f, "z")));
        met_differently |= differs(&trace, value(f, "y"));
        oracle::check_run(f, &divergence, &options, &args, &trace).unwrap();
    }
    assert!(met_differently, "some schedule lets a thread ask alone");
}

/// A cycle with the entries P and Q. Threads enter it together, part in B and meet in Z in the same iteration. To the schedule Z is the
/// header of a loop inside, with two latches.
#[test]
fn in_a_cycle_with_two_entries_who_takes_part_depends_on_the_schedule() {
    let text = "@shared = global i8 0
func @f(i1 %b, i8 %c) -> i8 {
A:
  %high = icmp ult i8 %c, 20
  br i1 %high, label %P, label %Q
P:
  br label %Z
Z:
  %s = load i8, ptr @shared, align 1
  %n = add i8 %s, 1
  store i8 %n, ptr @shared, align 1
  %more = icmp ult i8 %s, %c
  br i1 %more, label %Q, label %X
Q:
  %t = phi i8 [ 0, %A ], [ %s, %Z ]
  %low = and i8 %t, 3
  %again = icmp eq i8 %low, 2
  br i1 %again, label %P, label %B
B:
  br i1 %b, label %L, label %M
L:
  br label %Z
M:
  br label %Z
X:
  %y = add i8 %s, 1
  ret i8 %y
}";
    let module = parse_module(text).unwrap();
    let f = &module.functions[0];
    let options = Options::default();
    let divergence = analyze(f, &Sources::params([Basic::Varying, Basic::Uniform]), &options);
    assert!(!divergence.is_uniform(value(f, "s")));
    let args = [true, false].map(|t| vec![Val::bool(t), Val::i8(5)]);
    let mut met_differently = false;
    for seed in 0..100 {
        let trace = run(&module, &args, seed);
        met_differently |= differs(&trace, value(f, "y"));
        oracle::check_run(f, &divergence, &options, &args, &trace).unwrap();
    }
    assert!(met_differently, "some schedule lets a thread count alone");
}
