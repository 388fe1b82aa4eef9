//! What analyses claim, held against executions by the interpreter.

use lw_graph::generate::Rng;
use lw_ir::generate::{Options as Programs, Program, generate};
use lw_ir::interp::{Machine, Run, Val};
use lw_ir::{Function, Module};
use lw_sparse::generate::{Options, function, random};
use lw_sparse::materialize;
use lw_sparse::oracle::executions::{flip_undemanded, sound_all};

#[test]
fn on_random_functions_of_few_bits() {
    let mut checked = 0;
    let mut runs = 0;
    for seed in 0..400u64 {
        let options = Options { bits: 4, objects: false, ..Default::default() };
        let function = function(&random(seed, &options), 4);
        let module = Module { functions: vec![function], ..Module::default() };
        let function = &module.functions[0];
        for input in 0..3u64 {
            let mut rng = Rng::new(seed * 7 + input);
            let args = vec![(0..8).map(|_| Val::int(4, rng.below(16) as i128)).collect()];
            let run = Run { trace: true, step_limit: 3000, ..Run::default() };
            let Ok(outcome) = Machine::new(&module).run("f", &args, &run) else { continue };
            runs += 1;
            checked += sound_all(function, &outcome.trace.unwrap())
                .unwrap_or_else(|e| panic!("seed {seed} input {input}: {e}\n{function}"));
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
        checked += sound_all(function, &observed.outcome.trace.unwrap())
            .unwrap_or_else(|e| panic!("seed {seed}: {e}\n{function}"));
    }
    assert!(checked > 10_000, "{checked} values");
}

/// Runs a program with another body of its entry; nothing may change.
fn same(program: &Program, body: Function, what: &str) {
    let mut changed = program.clone();
    let at = changed.module.functions.iter().position(|f| f.name == body.name).unwrap();
    changed.module.functions[at] = body;
    let (a, b) = (program.run(1, &Run::default()), changed.run(1, &Run::default()));
    let seed = program.seed;
    match (a, b) {
        (Ok(a), Ok(b)) => {
            assert_eq!((a.results, a.memory), (b.results, b.memory), "seed {seed} {what}");
        }
        (a, b) => {
            let (a, b) = (a.map(|_| ()), b.map(|_| ()));
            assert_eq!(a.is_err(), b.is_err(), "seed {seed} {what}: {a:?} {b:?}");
        }
    }
}

#[test]
fn bits_that_are_not_demanded_do_not_matter() {
    let mut flips = 0;
    for seed in 0..300u64 {
        let program = generate(seed, &Programs::single_thread());
        let function = program.module.function(&program.entry).unwrap();
        for pick in 0..4 {
            let mut rng = Rng::new(seed * 4 + pick);
            let Some(flipped) = flip_undemanded(function, &mut rng) else { continue };
            lw_ir::verify(&flipped).unwrap_or_else(|e| panic!("seed {seed}: {e:?}\n{flipped}"));
            flips += 1;
            same(&program, flipped, &format!("flip {pick}"));
        }
    }
    assert!(flips > 300, "{flips} flips");
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
            same(&program, out, name);
        }
    }
}
