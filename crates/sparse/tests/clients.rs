//! Each analysis and each corner of the engine on a small program of its own.

use lw_ir::ops::IntPred;
use lw_sparse::analyses::*;
use lw_sparse::check::check;
use lw_sparse::dense::solve_dense;
use lw_sparse::dense_fast::solve_blocks;
use lw_sparse::function::var;
use lw_sparse::generate::random;
use lw_sparse::meaning::Arg;
use lw_sparse::registers::{RegOp, Registers};
use lw_sparse::*;
use std::sync::Arc;

fn view_of<P: Program>(program: &P, strategy: Strategy) -> View {
    Ssify::new(Arc::new(Code::new(program))).view(strategy)
}

/// `do { do { use x } while (…); x = g() } while (…); use x`: the use in the inner loop is never the last, since it may come
/// again, so from the fork behind `x = g()` one edge leads to a last use and the other to none.
#[test]
fn last_uses_alone_miss_a_meet_node() {
    let mut p = Registers::new(32);
    let x = p.register("x");
    let [start, inner, outer, end] = p.blocks();
    p.set(start, x, RegOp::Call("f".into()), &[]);
    p.jump(start, inner);
    p.push(inner, RegOp::Other, &[], &[Arg::Var(x)]);
    p.end(inner, RegOp::Choose, &[], &[inner, outer]);
    p.set(outer, x, RegOp::Call("g".into()), &[]);
    p.end(outer, RegOp::Choose, &[], &[inner, end]);
    p.exit(end, &[Arg::Var(x)]);
    let code = Arc::new(Code::new(&p));
    let complete = Ssify::new(code.clone()).view(Strategy::SSI);
    check(&complete, |_| Strategy::SSI).unwrap();
    let figure = Ssify::new(code).seeds(Seeds::Figure).view(Strategy::SSI);
    let violation = check(&figure, |_| Strategy::SSI).unwrap_err();
    assert_eq!(violation.rule, lw_sparse::check::Rule::SplitMeet);
    assert_eq!(violation.point, Point::End(outer));
}

#[test]
fn the_figure_alone_is_not_enough_on_random_programs() {
    let mut broken = 0;
    for seed in 0..300 {
        let program = random(seed, &Default::default());
        let code = Arc::new(Code::new(&program));
        let view = Ssify::new(code).seeds(Seeds::Figure).view(Strategy::SSI);
        broken += usize::from(check(&view, |_| Strategy::SSI).is_err());
    }
    assert!(broken > 0);
}

#[test]
fn early_pruning_never_inserts_more() {
    for seed in 0..200 {
        let program = random(seed, &Default::default());
        let code = Arc::new(Code::new(&program));
        for (name, strategy) in Strategy::NAMED {
            let early = Ssify::new(code.clone()).view(strategy);
            let late = Ssify::new(code.clone()).pruning(Pruning::Late).view(strategy);
            assert!(early.inserted() <= late.inserted(), "seed {seed} {name}\n{early}\n{late}");
        }
    }
}

#[test]
fn singer_builds_the_ssi_property_with_more_instructions() {
    let (mut ours, mut iterated) = (0, 0);
    for seed in 0..200 {
        let program = random(seed, &Default::default());
        let code = Arc::new(Code::new(&program));
        let view = singer(&mut Ssify::new(code.clone()));
        check(&view, |_| Strategy::SSI)
            .unwrap_or_else(|v| panic!("{seed}: {v}\n{program}\n{view}"));
        iterated += view.inserted();
        ours += Ssify::new(code).view(Strategy::SSI).inserted();
    }
    assert!(ours < iterated, "{ours} {iterated}");
}

#[test]
fn every_strategy_holds_on_random_functions_of_the_ir() {
    for seed in 0..60 {
        let options = lw_ir::generate::Options { blocks: 8, insts: 4, ..Default::default() };
        let program = lw_ir::generate::generate(seed, &options);
        for function in &program.module.functions {
            let code = Arc::new(Code::new(function));
            for (name, strategy) in Strategy::NAMED {
                let view = Ssify::new(code.clone()).view(strategy);
                check(&view, |_| strategy)
                    .unwrap_or_else(|v| panic!("seed {seed} {name}: {v}\n{function}\n{view}"));
            }
        }
    }
}

/// What is known of each integer at its definition.
fn definitions(
    function: &lw_ir::Function,
    view: &View,
    ranges: &Solution<Option<Intervals>>,
) -> Vec<Option<Option<Intervals>>> {
    let of = |v: usize| view.versions_of(Var::new(v)).next().map(|v| ranges.of(v).clone());
    (0..function.value_count()).map(of).collect()
}

#[test]
fn threads_and_variables_that_are_not_followed_change_nothing() {
    let options = lw_ir::generate::Options { blocks: 8, insts: 4, ..Default::default() };
    let programs = (0..60).map(|seed| lw_ir::generate::generate(seed, &options));
    let functions: Vec<_> = programs.flat_map(|p| p.module.functions).collect();
    let three = std::num::NonZeroUsize::new(3).unwrap();
    let threaded = solve_each(&functions, three, Options::WIDENING, |_| Ranges, definitions);
    for (function, threaded) in functions.iter().zip(threaded) {
        let code = Arc::new(Code::new(function));
        let view = Ssify::new(code).view_each(|var| Ranges.strategy(function, var));
        let ranges = solve_on(function, &view, &mut Ranges, Options::WIDENING);
        let all = definitions(function, &view, &ranges);
        for (v, (threaded, all)) in threaded.iter().zip(&all).enumerate() {
            if Ranges.follows(function, Var::new(v)) {
                assert_eq!(threaded, all, "value {v} of\n{function}");
            } else {
                assert_eq!(*threaded, None);
            }
        }
    }
}

#[test]
fn each_variable_may_have_its_own_strategy() {
    for seed in 0..100 {
        let program = random(seed, &Default::default());
        let code = Arc::new(Code::new(&program));
        let strategy = |var: Var| Strategy::NAMED[var.index() % Strategy::NAMED.len()].1;
        let view = Ssify::new(code).view_each(strategy);
        check(&view, strategy).unwrap();
    }
}

#[test]
fn the_fast_dense_solver_agrees_with_the_reference_at_block_starts() {
    fn agree<P, A>(seed: u64, program: &P, analysis: &A)
    where
        P: Program + std::fmt::Display,
        A: Analysis<P>,
    {
        let code = Code::new(program);
        let live = check::LivePoints::compute(&code);
        let reference = solve_dense(program, &code, analysis);
        let fast = solve_blocks(program, &code, analysis, Options::default());
        for &block in code.order() {
            let start = code.start(block);
            for v in (0..code.variable_count()).map(Var::new) {
                if !live.at(&code, v, start) || !reference.reached(&code, start) {
                    continue;
                }
                let found = fast.at_start(block, v).cloned().unwrap_or_else(|| analysis.top());
                let name = A::NAME;
                assert_eq!(
                    found,
                    *reference.at(v, start),
                    "{name} {seed} {v:?} {block}\n{program}"
                );
            }
        }
    }
    for seed in 0..150 {
        let program = random(seed, &Default::default());
        agree(seed, &program, &Ranges);
        for occurrences in [false, true] {
            agree(seed, &program, &Classes { occurrences });
        }
    }
    for seed in 0..60 {
        let random = lw_ir::generate::generate(seed, &Default::default());
        let f = random.module.function(&random.entry).unwrap();
        agree(seed, f, &DemandedBits);
        agree(seed, f, &Classes { occurrences: true });
    }
}

#[test]
fn loop_exits_close_loops() {
    let f = lw_ir::parse_function(
        "func @f(i32 %n) -> i32 {
         entry:
           br label %head
         head:
           %i = phi i32 [ 0, %entry ], [ %next, %head ]
           %next = add i32 %i, 1
           %c = icmp slt i32 %next, %n
           br i1 %c, label %head, label %exit
         exit:
           ret i32 %next
         }",
    )
    .unwrap();
    let view = view_of(&f, Strategy::DIVERGENCE);
    assert_eq!(view.phis().len(), 1, "{view}");
    assert_eq!(view.phis()[0].block, lw_sparse::function::node(f.blocks()[2]));
}

#[test]
fn ranges_of_a_counted_loop_come_back_by_narrowing() {
    let f = lw_ir::parse_function(
        "func @f() -> i32 {
         entry:
           br label %head
         head:
           %i = phi i32 [ 0, %entry ], [ %next, %body ]
           %c = icmp slt i32 %i, 100
           br i1 %c, label %body, label %exit
         body:
           %next = add i32 %i, 1
           br label %head
         exit:
           ret i32 %i
         }",
    )
    .unwrap();
    let (view, ranges) = solve(&f, &mut Ranges, Options::WIDENING);
    let i = var(f.result(f.insts(f.blocks()[1])[0]));
    let mut bounds: Vec<(i128, i128)> = view
        .versions_of(i)
        .map(|v| ranges.of(v).as_ref().map(|r| (r.slo(), r.shi())).unwrap())
        .collect();
    bounds.sort();
    assert_eq!(bounds, [(0, 99), (0, 100), (100, 100)], "{view}");
}

#[test]
fn bounds_of_an_array_are_proved_by_the_branch() {
    let f = lw_ir::parse_function(
        "func @f(i64 %i) -> i32 {
         entry:
           %a = alloca [10 x i32], i32 1, align 4
           %c = icmp ult i64 %i, 10
           br i1 %c, label %yes, label %no
         yes:
           %p = getelementptr inbounds [10 x i32], ptr %a, i64 0, i64 %i
           %x = load i32, ptr %p, align 4
           %q = getelementptr inbounds [10 x i32], ptr %a, i64 0, i64 10
           %y = load i32, ptr %q, align 4
           ret i32 %x
         no:
           %r = getelementptr inbounds [10 x i32], ptr %a, i64 0, i64 %i
           %z = load i32, ptr %r, align 4
           ret i32 %z
         }",
    )
    .unwrap();
    let view = view_of(&f, Strategy::ABCD);
    let ranges = solve_on(&f, &view, &mut Ranges, Options::WIDENING);
    let mut bounds = Bounds { view: &view, ranges: &ranges };
    let solution = solve_on(&f, &view, &mut bounds, Options::WIDENING);
    let verdicts: Vec<Verdict> = bounds.accesses(&f, &solution).iter().map(|a| a.verdict).collect();
    assert_eq!(verdicts.len(), 3);
    assert!(verdicts.contains(&Verdict::Inside) && verdicts.contains(&Verdict::Outside));
    assert!(verdicts.contains(&Verdict::Unknown));
}

#[test]
fn a_sum_computed_on_one_branch_is_partially_redundant_behind_it() {
    let f = lw_ir::parse_function(
        "func @f(i32 %a, i32 %b, i1 %c) -> i32 {
         entry:
           br i1 %c, label %then, label %join
         then:
           %x = add i32 %a, %b
           %y = add i32 %a, %b
           br label %join
         join:
           %z = add i32 %a, %b
           ret i32 %z
         }",
    )
    .unwrap();
    let found = Redundancy::all(&f);
    let fully: Vec<bool> = found.iter().map(|r| r.fully).collect();
    assert_eq!(fully, [true, false]);
    assert_eq!(found[0].insert, Some(vec![]));
    // On the edge from the entry to the join.
    assert_eq!(found[1].insert.as_ref().map(Vec::len), Some(1));
}

/// The sum would be added to a path that does not compute it.
#[test]
fn a_redundant_sum_that_cannot_be_inserted_safely() {
    let f = lw_ir::parse_function(
        "func @f(i32 %a, i32 %b, i1 %c, i1 %d) -> i32 {
         entry:
           br i1 %c, label %then, label %join
         then:
           %x = add i32 %a, %b
           br label %join
         join:
           br i1 %d, label %again, label %exit
         again:
           %z = add i32 %a, %b
           ret i32 %z
         exit:
           ret i32 0
         }",
    )
    .unwrap();
    let found = Redundancy::all(&f);
    assert_eq!(found.len(), 1);
    assert!(!found[0].fully && found[0].insert.is_none());
}

/// Backward, a φ that reads `x` on an edge also speaks for what is asked of `x` behind the join. Here that becomes known late:
/// through `w`, which goes around the loop.
#[test]
fn a_variable_that_a_phi_reads_and_that_lives_on_behind_it() {
    let f = lw_ir::parse_function(
        "func @f(i8 %x, i1 %c) -> i8 {
         entry:
           br label %head
         head:
           %v = phi i8 [ 0, %entry ], [ %w, %latch ]
           %y = phi i8 [ %x, %entry ], [ 0, %latch ]
           br i1 %c, label %latch, label %exit
         latch:
           %w = xor i8 %x, 1
           br label %head
         exit:
           %low = and i8 %y, 1
           %both = add i8 %v, %low
           ret i8 %both
         }",
    )
    .unwrap();
    lw_sparse::oracle::reference::compare(&f, &DemandedBits).unwrap();
    let (view, demanded) = solve(&f, &mut DemandedBits, Options::default());
    assert_eq!(*demanded.of(view.param(0).unwrap()), 0xff);
}

#[test]
fn classes_of_pointers_are_their_fields_and_guards() {
    let f = lw_ir::parse_function(
        "func @f(ptr %p) -> i32 {
         entry:
           %c = icmp eq ptr %p, null
           br i1 %c, label %null, label %some
         null:
           ret i32 0
         some:
           %q = getelementptr i8, ptr %p, i64 8
           %x = load i32, ptr %q, align 4
           ret i32 %x
         }",
    )
    .unwrap();
    let p = var(f.params()[0]);
    let field = vec![Need::Field { offset: 8, bytes: Some(4) }];
    let (view, needs) = solve(&f, &mut Classes::default(), Options::default());
    let first = view.param(0).unwrap();
    assert_eq!(needs.of(first).always, field);
    let (view, needs) = solve(&f, &mut Classes { occurrences: true }, Options::default());
    let first = view.param(0).unwrap();
    assert_eq!(view.var(first), p);
    assert_eq!((&needs.of(first).always, &needs.of(first).if_not_null), (&vec![], &field));
}

/// A pointer that walks over an array has the fields of one element, one that follows a list those of each node.
#[test]
fn classes_of_pointers_that_go_around_loops() {
    let needs = |step: &str| {
        let f = lw_ir::parse_function(&format!(
            "func @f(ptr %p, i32 %n) -> i32 {{
             entry:
               br label %head
             head:
               %q = phi ptr [ %p, %entry ], [ %next, %head ]
               %x = load i32, ptr %q, align 4
               {step}
               %c = icmp eq i32 %x, %n
               br i1 %c, label %head, label %end
             end:
               ret i32 0
             }}"
        ))
        .unwrap();
        let (view, needs) = solve(&f, &mut Classes::default(), Options::default());
        let next = view.versions().find(|&v| {
            f.value_name(lw_sparse::function::value(view.var(v)))
                .is_some_and(|n| n.as_str() == Some("next"))
        });
        (needs.of(view.param(0).unwrap()).always.clone(), needs.of(next.unwrap()).always.clone())
    };
    let word = Need::Field { offset: 0, bytes: Some(4) };
    let (array, next) = needs("%next = getelementptr i32, ptr %q, i64 1");
    assert_eq!((array, next), (vec![word.clone()], vec![]));
    let (list, next) = needs("%next = load ptr, ptr %q, align 8");
    let link = Need::Field { offset: 0, bytes: None };
    assert_eq!((&list, &next), (&vec![link.clone(), word.clone()], &vec![link, word]));
}

/// A cycle with two entries has no edge whose target dominates its source, but pointers walk in it as well.
#[test]
fn classes_of_pointers_that_walk_in_irreducible_cycles() {
    let f = lw_ir::parse_function(
        "func @f(ptr %p, i1 %c) -> i32 {
         entry:
           br i1 %c, label %a, label %b
         a:
           %q = phi ptr [ %p, %entry ], [ %next, %b ]
           %x = load i8, ptr %q, align 1
           br label %b
         b:
           %r = phi ptr [ %p, %entry ], [ %q, %a ]
           %next = getelementptr i8, ptr %r, i64 1
           br i1 %c, label %a, label %end
         end:
           ret i32 0
         }",
    )
    .unwrap();
    let (view, needs) = solve(&f, &mut Classes::default(), Options::default());
    assert!(needs.of(view.param(0).unwrap()).always.len() <= 2);
}

/// A φ is `true` once the branch that decides about it is: a dependence that is no operand, found during propagation.
#[derive(Clone, Default)]
struct Influence {
    joins: Vec<lw_graph::Node>,
}

impl Analysis<Registers> for Influence {
    type Domain = bool;
    const NAME: &'static str = "influence";
    fn strategy(&self, _: &Registers, _: Var) -> Strategy {
        Strategy::SSA
    }
    fn top(&self) -> bool {
        false
    }
    fn meet(&self, into: &mut bool, with: &bool) {
        *into |= with;
    }
    fn entry(&self, _: &Registers, _: Var) -> bool {
        true
    }
    fn transfer(&self, cx: &Cx<'_, Registers, bool>, at: At, var: Var) -> bool {
        match at {
            At::Define(pos) => cx.code.uses(pos).iter().any(|&v| *cx.of(v)),
            _ => *cx.of(var),
        }
    }
    fn join(&self, view: &View, result: Version, merged: bool) -> bool {
        let Def::Phi(phi) = view.def(result) else { return merged };
        merged || self.joins.contains(&view.phis()[phi as usize].block)
    }
    fn changed(&mut self, view: &View, version: Version, value: &bool, wake: &mut Wake) {
        let code = view.code();
        for &block in code.block_index().order() {
            if *value && view.tests(block).any(|(_, v)| v == Some(version)) {
                // In this program all branches meet again in the last block.
                let join = *code.block_index().order().last().unwrap();
                self.joins.push(join);
                wake.phis(join);
            }
        }
    }
}

#[test]
fn pseudo_uses_are_found_during_propagation() {
    let mut p = Registers::new(32);
    let [c, x] = ["c", "x"].map(|name| p.register(name));
    p.add_param(c);
    let [start, left, right, end] = p.blocks();
    p.branch(start, IntPred::Eq, [Arg::Var(c), Arg::Int(0)], left, right);
    p.set(left, x, RegOp::Copy, &[Arg::Int(1)]);
    p.jump(left, end);
    p.set(right, x, RegOp::Copy, &[Arg::Int(2)]);
    p.jump(right, end);
    p.exit(end, &[Arg::Var(x)]);
    let (view, influence) = solve(&p, &mut Influence::default(), Options::default());
    let phi = view.phis()[0].result;
    assert!(*influence.of(phi));
    assert!(view.versions_of(x).filter(|&v| v != phi).all(|v| !*influence.of(v)));
}

/// An integer too wide to be followed has a value all the same.
#[test]
fn ranges_of_what_comes_from_wide_integers() {
    for wide in [65, 100, 160] {
        let f = lw_ir::parse_function(&format!(
            "func @f(i1 %c) -> i16 {{
             entry:
               %w = sext i64 0 to i{wide}
               %n = trunc i{wide} %w to i16
               %x = select i1 %c, i16 1, i16 %n
               ret i16 %x
             }}"
        ))
        .unwrap();
        let (view, ranges) = solve(&f, &mut Ranges, Options::WIDENING);
        let x = var(f.result(f.insts(f.blocks()[0])[2]));
        let version = view.versions_of(x).next().unwrap();
        assert!(
            ranges.of(version).as_ref().unwrap().contains(0),
            "i{wide}: {:?}",
            ranges.of(version)
        );
    }
}
