//! What analyses claim, held against executions by the interpreter.

mod common;

use common::{random_registers, to_function};
use cranelift_entity::EntityRef;
use lw_graph::Edge;
use lw_ir::generate::{Options as Programs, generate};
use lw_ir::interp::{Machine, Run, Trace, Val};
use lw_ir::{Function, Module, Value};
use lw_sparse::analyses::*;
use lw_sparse::engine::is_post_fixpoint;
use lw_sparse::function::node;
use lw_sparse::{Analysis, Options, Solution, Version, View, materialize, solve};

/// Walks through a trace of one thread and shows every version with the value it has.
fn replay(
    function: &Function,
    view: &View,
    trace: &Trace,
    seen_block: &mut dyn FnMut(lw_graph::Node),
    check: &mut dyn FnMut(Version, &Val),
) {
    let code = view.code();
    let graph = code.graph();
    let mut now: Vec<Option<Val>> = vec![None; function.value_count()];
    let mut from = None;
    for step in trace.top() {
        let here = node(step.block);
        seen_block(here);
        let show = |now: &[Option<Val>], version: Version, check: &mut dyn FnMut(Version, &Val)| {
            if let Some(value) = &now[view.var(version).index()] {
                check(version, value);
            }
        };
        if let Some(from) = from {
            let edges: Vec<Edge> =
                graph.successor_edges(from).filter(|&e| graph.target(e) == here).collect();
            if let [edge] = edges[..] {
                for &sigma in view.sigmas_at(from) {
                    if let Some(result) =
                        view.sigma_results(sigma).nth(graph.position(edge)).flatten()
                    {
                        show(&now, result, check);
                    }
                }
            }
        }
        // The view's φs merge what was there before the φs of the program assign.
        for &phi in view.phis_at(here) {
            show(&now, view.phis()[phi as usize].result, check);
        }
        for (assigned, values) in &step.values {
            now[assigned.index()] = Some(values[0].clone());
        }
        for pos in code.positions(here) {
            for (_, version) in view.defs(pos) {
                show(&now, version.unwrap(), check);
            }
            for &copy in view.copies_at(pos) {
                show(&now, view.copies()[copy as usize].result, check);
            }
        }
        from = Some(here);
    }
}

fn sound<A: Analysis<Function> + Clone>(
    function: &Function,
    trace: &Trace,
    analysis: &A,
    options: Options,
    holds: impl Fn(&A::Domain, &Val) -> bool,
    what: &str,
) -> usize {
    let mut analysis = analysis.clone();
    let (view, solution): (View, Solution<A::Domain>) = solve(function, &mut analysis, options);
    if options.narrow_rounds == 0 || A::NAME == "ranges" {
        assert!(
            is_post_fixpoint(function, &view, &mut analysis, &solution),
            "{}: no post-fixpoint\n{what}\n{function}\n{view}",
            A::NAME
        );
    }
    let mut checked = 0;
    replay(
        function,
        &view,
        trace,
        &mut |block| {
            assert!(solution.block_reached(block), "{}: {block}\n{what}\n{function}", A::NAME)
        },
        &mut |version, value| {
            checked += 1;
            let claim = solution.of(version);
            assert!(
                value.is_undefined() || holds(claim, value),
                "{}: {version:?} of {:?} is {value:?}, claimed {claim:?}\n{what}\n{function}\n{view}",
                A::NAME,
                Value::new(view.var(version).index())
            );
        },
    );
    checked
}

fn all(function: &Function, trace: &Trace, what: &str) -> usize {
    let constant = |claim: &Constant, value: &Val| match (claim, value) {
        (Constant::Int(c), Val::Int(v)) => c == v,
        (Constant::Top, _) => false,
        _ => true,
    };
    let range = |claim: &Option<Interval>, value: &Val| match (claim, value) {
        (Some(range), Val::Int(v)) => range.contains(*v),
        (None, _) => false,
        _ => true,
    };
    let bits = |claim: &Option<Known>, value: &Val| match (claim, value) {
        (Some(known), Val::Int(v)) => known.contains(*v),
        (None, _) => false,
        _ => true,
    };
    let null = |claim: &Nullness, value: &Val| match (claim, value) {
        (Nullness::Null, Val::Ptr(p)) => p.addr == 0,
        (Nullness::NonNull, Val::Ptr(p)) => p.addr != 0,
        (Nullness::Top, Val::Ptr(_)) => false,
        _ => true,
    };
    let plain = Options::default();
    sound(function, trace, &Constants, plain, constant, what)
        + sound(function, trace, &Ranges, Options::WIDENING, range, what)
        + sound(
            function,
            trace,
            &Ranges,
            Options { widen_after: Some(1), narrow_rounds: 0 },
            range,
            what,
        )
        + sound(function, trace, &KnownBits, plain, bits, what)
        + sound(function, trace, &NullPointers, plain, null, what)
}

#[test]
fn on_random_functions_of_few_bits() {
    let mut checked = 0;
    let mut runs = 0;
    for seed in 0..400u64 {
        let options =
            lw_sparse::generate::Options { bits: 4, objects: false, ..Default::default() };
        let function = to_function(&random_registers(seed, &options), 4);
        let module = Module { functions: vec![function], ..Module::default() };
        let function = &module.functions[0];
        for input in 0..3u64 {
            let mut rng = lw_graph::generate::Rng::new(seed * 7 + input);
            let args = vec![(0..8).map(|_| Val::int(4, rng.below(16) as i128)).collect()];
            let run = Run { trace: true, step_limit: 3000, ..Run::default() };
            let Ok(outcome) = Machine::new(&module).run("f", &args, &run) else { continue };
            runs += 1;
            checked +=
                all(function, &outcome.trace.unwrap(), &format!("seed {seed} input {input}"));
        }
    }
    assert!(runs > 300 && checked > 10_000, "{runs} runs, {checked} values");
}

#[test]
fn on_random_programs() {
    let mut checked = 0;
    for seed in 0..300u64 {
        let program = generate(seed, &Programs::default());
        let run = Run { trace: true, ..Run::default() };
        let Ok(observed) = program.run(1, &run) else { continue };
        let function = program.module.function(&program.entry).unwrap();
        checked += all(function, &observed.outcome.trace.unwrap(), &format!("seed {seed}"));
    }
    assert!(checked > 10_000, "{checked} values");
}

#[test]
fn materialized_views_compute_the_same() {
    for seed in 0..200u64 {
        let program = generate(seed, &Programs::default());
        let function = program.module.function(&program.entry).unwrap();
        let code = std::sync::Arc::new(lw_sparse::Code::new(function));
        for (name, strategy) in lw_sparse::Strategy::NAMED {
            let view = lw_sparse::Ssify::new(code.clone()).view(strategy);
            let (out, _) = materialize(function, &view);
            lw_ir::verify(&out)
                .unwrap_or_else(|e| panic!("seed {seed} {name}: {e:?}\n{function}\n{view}\n{out}"));
            let mut changed = program.clone();
            let at = changed.module.functions.iter().position(|f| f.name == out.name).unwrap();
            changed.module.functions[at] = out;
            let (a, b) = (program.run(1, &Run::default()), changed.run(1, &Run::default()));
            match (a, b) {
                (Ok(a), Ok(b)) => {
                    assert_eq!((a.results, a.memory), (b.results, b.memory), "seed {seed} {name}");
                }
                (a, b) => {
                    let (a, b) = (a.map(|_| ()), b.map(|_| ()));
                    assert_eq!(a.is_err(), b.is_err(), "seed {seed} {name}: {a:?} {b:?}");
                }
            }
        }
    }
}
