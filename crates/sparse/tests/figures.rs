//! The programs of 003 Figs 1 to 4 with their published solutions.

use lw_ir::ops::{BinOp, IntPred};
use lw_sparse::analyses::*;
use lw_sparse::meaning::Arg;
use lw_sparse::registers::{RegOp, Registers};
use lw_sparse::{Def, Options, Var, View, solve};

fn method(name: &str) -> RegOp {
    RegOp::Method(name.into())
}

fn call(name: &str) -> RegOp {
    RegOp::Call(name.into())
}

fn versions(view: &View, var: Var) -> Vec<lw_sparse::Version> {
    view.versions_of(var).collect()
}

/// Class inference: `v = OX(); if … { tmp = i + 1; v.m1(tmp) } else { v = OY(); v.m2() } v.m3()`.
#[test]
fn figure_1_class_inference() {
    let mut p = Registers::new(32);
    let [i, v, tmp] = ["i", "v", "tmp"].map(|name| p.register(name));
    p.add_param(i);
    let [l1, l3, l5, l7] = p.blocks();
    p.set(l1, v, call("OX"), &[]);
    p.branch(l1, IntPred::Ne, [Arg::Var(i), Arg::Int(0)], l3, l5);
    p.set(l3, tmp, RegOp::Binary(BinOp::Add), &[Arg::Var(i), Arg::Int(1)]);
    let m1 = p.push(l3, method("m1"), &[], &[Arg::Var(v), Arg::Var(tmp)]);
    p.jump(l3, l7);
    p.set(l5, v, call("OY"), &[]);
    let m2 = p.push(l5, method("m2"), &[], &[Arg::Var(v)]);
    p.jump(l5, l7);
    let m3 = p.push(l7, method("m3"), &[], &[Arg::Var(v)]);
    p.exit(l7, &[]);

    let (view, solution) = solve(&p, &mut Classes::default(), Options::default());
    // Six names: v1 = OX, v2 from σ, v3 beside m1, v4 = OY, v5 beside m2, v6 = φ.
    assert_eq!(versions(&view, v).len(), 6, "{view}");
    assert_eq!(view.sigmas().iter().filter(|s| s.var == v).count(), 1);
    assert_eq!(view.phis().iter().filter(|f| f.var == v).count(), 1);
    let code = view.code();
    let needs = |version| {
        let needs: &Needs = solution.of(version);
        let names = needs.always.iter().map(|n| match n {
            Need::Method(name) => name.clone(),
            other => format!("{other:?}"),
        });
        names.collect::<Vec<_>>().join(" ")
    };
    for version in versions(&view, v) {
        let expected = match view.def(version) {
            Def::Instr(pos) if code.block(pos) == l1 => "m1 m3",
            Def::Instr(_) => "m2 m3",
            Def::Sigma(..) => "m1 m3",
            Def::Copy(_) | Def::Phi(_) => "m3",
            Def::Param => unreachable!(),
        };
        assert_eq!(needs(version), expected, "{:?}", view.def(version));
    }
    let _ = (m1, m2, m3);
}

/// Constant propagation: `a = 1; b = 9; while (b > 0) { c = 4 * a; b = b - c }`.
#[test]
fn figure_2_constants() {
    let mut p = Registers::new(32);
    let [a, b, c] = ["a", "b", "c"].map(|name| p.register(name));
    let [start, head, body, end] = p.blocks();
    p.set(start, a, RegOp::Copy, &[Arg::Int(1)]);
    p.set(start, b, RegOp::Copy, &[Arg::Int(9)]);
    p.jump(start, head);
    p.branch(head, IntPred::Sgt, [Arg::Var(b), Arg::Int(0)], body, end);
    p.set(body, c, RegOp::Binary(BinOp::Mul), &[Arg::Int(4), Arg::Var(a)]);
    p.set(body, b, RegOp::Binary(BinOp::Sub), &[Arg::Var(b), Arg::Var(c)]);
    p.jump(body, head);
    p.exit(end, &[Arg::Var(b)]);

    let (view, solution) = solve(&p, &mut Constants, Options::default());
    assert_eq!((view.phis().len(), view.sigmas().len(), view.copies().len()), (1, 0, 0));
    let values =
        |var| versions(&view, var).into_iter().map(|v| *solution.of(v)).collect::<Vec<_>>();
    assert_eq!(values(a), [Constant::Int(1)]);
    assert_eq!(values(c), [Constant::Int(4)]);
    for version in versions(&view, b) {
        let expected = match view.def(version) {
            Def::Instr(pos) if view.code().block(pos) == start => Constant::Int(9),
            _ => Constant::Bottom,
        };
        assert_eq!(*solution.of(version), expected);
    }
}

/// Taint: input on one side, a constant on the other, then a test that sanitizes.
#[test]
fn figure_3_taint() {
    let mut p = Registers::new(32);
    let v = p.register("v");
    let [start, left, right, l5, l6, l7] = p.blocks();
    p.end(start, RegOp::Choose, &[], &[left, right]);
    p.set(left, v, call("input"), &[]);
    let echo = |p: &mut Registers, block| p.push(block, call("echo"), &[], &[Arg::Var(v)]);
    let l3 = echo(&mut p, left);
    p.jump(left, l5);
    p.set(right, v, RegOp::Copy, &[Arg::Int(7)]);
    echo(&mut p, right);
    p.jump(right, l5);
    p.end(l5, RegOp::IfCall("is_clean".into()), &[Arg::Var(v)], &[l6, l7]);
    echo(&mut p, l6);
    p.exit(l6, &[]);
    let bad = echo(&mut p, l7);
    p.exit(l7, &[]);

    let mut taint = Taint {
        sources: vec!["input".into()],
        sinks: vec!["echo".into()],
        sanitizers: vec![],
        validators: vec!["is_clean".into()],
    };
    let (view, solution) = solve(&p, &mut taint, Options::default());
    // Five names: v1 = input, v2 = constant, v3 = φ, v4 and v5 from σ.
    assert_eq!(versions(&view, v).len(), 5, "{view}");
    let alarms = taint.alarms(&p, &view, &solution);
    let found: Vec<_> = alarms.iter().map(|&(pos, _)| view.code().instr(pos)).collect();
    assert_eq!(found, [l3, bad]);
}

/// Null pointers: `v = foo(); if … { v.m(); v.m() } v.m()`.
#[test]
fn figure_4_null_pointers() {
    let mut p = Registers::new(32);
    let v = p.register("v");
    let [start, then, end] = p.blocks();
    p.set(start, v, call("foo"), &[]);
    p.end(start, RegOp::Choose, &[], &[then, end]);
    let l2 = p.push(then, method("m"), &[], &[Arg::Var(v)]);
    let l3 = p.push(then, method("m"), &[], &[Arg::Var(v)]);
    p.jump(then, end);
    let l4 = p.push(end, method("m"), &[], &[Arg::Var(v)]);
    p.exit(end, &[]);

    let (view, solution) = solve(&p, &mut NullPointers, Options::default());
    // Four names: v1 = foo(), v2 and v3 beside the first calls, v4 = φ(v3, v1).
    assert_eq!(versions(&view, v).len(), 4, "{view}");
    let code = view.code();
    let at = |instr| {
        let mut positions = code.graph().nodes().flat_map(|b| code.positions(b));
        let pos = positions.find(|&pos| code.instr(pos) == instr).unwrap();
        let (_, version) = view.uses(pos).next().unwrap();
        *solution.of(version.unwrap())
    };
    assert_eq!(at(l2), Nullness::Maybe);
    assert_eq!(at(l3), Nullness::NonNull);
    assert_eq!(at(l4), Nullness::Maybe);
}
