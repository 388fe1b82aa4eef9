//! 001 §3.5 and §3.6: lock step and divergent loops.

use crate::common::*;
use lw_ir::interp::{ErrorKind, Run, Schedule, Semantics, Val};

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
