//! Random graphs of blocks, reducible or not, with and without predicates, under all schedulers.

use lw_graph::Graph;
use lw_graph::generate::{Rng, random, random_reducible};
use lw_ir::inst::Access;
use lw_ir::interp::{ErrorKind, Machine, Outcome, Run, RunError, Schedule, Semantics, Val};
use lw_ir::ops::{BinOp, IntPred};
use lw_ir::types::{Signature, Types};
use lw_ir::{Block, Builder, Function, Module, Type, Value};

/// A function over a graph. Each thread has a private state that each block it executes mixes with the number of the
/// block, and that decides where it goes; when its fuel is spent it takes the last successor. With `predicates`, some blocks
/// are executed only by threads whose bit of `%mask` is set.
fn program(graph: &Graph, predicates: Option<&mut Rng>) -> Module {
    let params = [Type::I32, Type::I32].into();
    let signature = Signature { ret: Type::I32, params, varargs: false };
    let mut function = Function::new("f", signature, Types::default());
    let (input, mask) = (function.params()[0], function.params()[1]);
    let entry = function.add_named_block("start");
    let blocks: Vec<Block> =
        graph.nodes().map(|n| function.add_named_block(&format!("n{}", n.index()))).collect();
    let exit = function.add_named_block("exit");
    let mut b = Builder::new(&mut function);
    b.switch_to(entry);
    let (state, fuel) = (b.alloca(Type::I32, 4), b.alloca(Type::I32, 4));
    let access = Access::aligned(4);
    b.store(input, state, access);
    let full = b.int(Type::I32, 40);
    b.store(full, fuel, access);
    let bits: Vec<Value> = (0..4)
        .map(|i| {
            let bit = b.int(Type::I32, 1 << i);
            let and = b.binary(BinOp::And, mask, bit);
            let zero = b.int(Type::I32, 0);
            b.icmp(IntPred::Ne, and, zero)
        })
        .collect();
    b.br(blocks[graph.entry().index()]);
    for n in graph.nodes() {
        b.switch_to(blocks[n.index()]);
        let old = b.load(Type::I32, state, access);
        let factor = b.int(Type::I32, 1_664_525);
        let scaled = b.binary(BinOp::Mul, old, factor);
        let number = b.int(Type::I32, 1_013_904_223 + n.index() as i128);
        let new = b.binary(BinOp::Add, scaled, number);
        b.store(new, state, access);
        let left = b.load(Type::I32, fuel, access);
        let one = b.int(Type::I32, 1);
        let less = b.binary(BinOp::Sub, left, one);
        b.store(less, fuel, access);
        let successors = graph.successors(n);
        if successors.is_empty() {
            b.br(exit);
            continue;
        }
        let shift = b.int(Type::I32, 16);
        let high = b.binary(BinOp::LShr, new, shift);
        let count = b.int(Type::I32, successors.len() as i128);
        let pick = b.binary(BinOp::URem, high, count);
        let zero = b.int(Type::I32, 0);
        let spent = b.icmp(IntPred::Sle, less, zero);
        let last = b.int(Type::I32, successors.len() as i128 - 1);
        let pick = b.select(spent, last, pick);
        let cases: Vec<(Value, Block)> = successors[1..]
            .iter()
            .enumerate()
            .map(|(i, s)| (b.int(Type::I32, i as i128 + 1), blocks[s.index()]))
            .collect();
        b.switch(pick, blocks[successors[0].index()], &cases);
    }
    b.switch_to(exit);
    let result = b.load(Type::I32, state, access);
    b.ret(Some(result));
    if let Some(rng) = predicates {
        for n in graph.nodes().filter(|_| rng.one_in(3)).collect::<Vec<_>>() {
            function.set_predicate(blocks[n.index()], Some(bits[rng.below(4)]));
        }
    }
    Module { functions: vec![function], ..Module::default() }
}

fn args(rng: &mut Rng, threads: usize) -> Vec<Vec<Val>> {
    (0..threads)
        .map(|_| vec![Val::i32(rng.next_u64() as i32), Val::i32(rng.below(16) as i32)])
        .collect()
}

fn run(
    module: &Module,
    args: &[Vec<Val>],
    schedule: Schedule,
    trace: bool,
) -> Result<Outcome, RunError> {
    let run = Run { threads: args.len(), schedule, trace, step_limit: 20_000, ..Run::default() };
    Machine::new(module).run_index(0, args, &run)
}

fn graphs(seed: u64, count: usize) -> impl Iterator<Item = (Graph, Rng)> {
    let mut rng = Rng::new(seed);
    (0..count).map(move |i| {
        let n = 2 + rng.below(12);
        let graph = if i % 2 == 0 { random_reducible(&mut rng, n) } else { random(&mut rng, n) };
        (graph, Rng::new(rng.next_u64()))
    })
}

#[test]
fn every_schedule_computes_what_single_threads_do() {
    let mut compared = 0;
    for (graph, mut rng) in graphs(11, 300) {
        let module = program(&graph, None);
        let args = args(&mut rng, 6);
        let single =
            |list: &Vec<Val>| run(&module, std::slice::from_ref(list), Schedule::default(), false);
        let Ok(expected) = args.iter().map(single).collect::<Result<Vec<_>, _>>() else {
            // The last successors form a cycle: a single thread never ends either.
            let error = run(&module, &args, Schedule::default(), false).unwrap_err();
            assert!(error.kind.is_limit(), "{error}");
            continue;
        };
        let expected: Vec<Val> =
            expected.into_iter().flat_map(|outcome| outcome.values()).collect();
        compared += 1;
        for schedule in
            (0..4).map(|seed| Schedule::Greedy { seed }).chain([Schedule::ReconvergenceStack])
        {
            let greedy = matches!(schedule, Schedule::Greedy { .. });
            let outcome = run(&module, &args, schedule, true)
                .unwrap_or_else(|error| panic!("{error}\n{graph:?}"));
            assert_eq!(outcome.values(), expected, "{graph:?}");
            if greedy {
                // The checker agrees that the schedule is greedy.
                let again = Schedule::Fixed(outcome.trace.unwrap().schedule());
                let again = run(&module, &args, again, false).unwrap();
                assert_eq!(again.violations, [], "{graph:?}");
                assert_eq!(again.values(), expected);
            }
        }
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn tags_tell_instances_apart() {
    // 000 Lemma 3.4: no thread executes an instance twice.
    for (graph, mut rng) in graphs(12, 150) {
        let module = program(&graph, None);
        let args = args(&mut rng, 3);
        let Ok(outcome) = run(&module, &args, Schedule::Greedy { seed: 5 }, true) else { continue };
        let trace = outcome.trace.unwrap();
        for thread in 0..3 {
            let mut instances: Vec<_> = trace
                .top()
                .filter(|step| step.cmask[thread])
                .map(|step| (step.block, step.tags[thread].clone()))
                .collect();
            let count = instances.len();
            instances.sort();
            instances.dedup();
            assert_eq!(instances.len(), count, "{graph:?}");
        }
    }
}

#[test]
fn predicated_programs_end_under_greedy_schedules() {
    // If a terminating schedule exists, every greedy schedule terminates (001 §5.3): here every block reaches the exit,
    // and active threads head for it when their fuel is spent.
    let mut ended = 0;
    for (graph, mut rng) in graphs(13, 400) {
        let module = program(&graph, Some(&mut rng));
        let args = args(&mut rng, 5);
        for seed in 0..4 {
            match run(&module, &args, Schedule::Greedy { seed }, true) {
                Ok(outcome) => {
                    ended += 1;
                    let again = Schedule::Fixed(outcome.trace.unwrap().schedule());
                    let again = run(&module, &args, again, false).unwrap();
                    assert_eq!(again.violations, [], "{graph:?}");
                }
                // An active thread whose last successors form a cycle.
                Err(error) => {
                    assert!(matches!(error.kind, ErrorKind::StepLimit(_)), "{error}\n{graph:?}")
                }
            }
        }
    }
    assert!(ended > 400, "{ended}");
}

#[test]
fn the_same_seed_gives_the_same_schedule() {
    for (graph, mut rng) in graphs(14, 50) {
        let module = program(&graph, Some(&mut rng));
        let args = args(&mut rng, 4);
        let once = |seed| {
            run(&module, &args, Schedule::Greedy { seed }, true)
                .map(|o| o.trace.unwrap().schedule())
        };
        assert_eq!(once(3).ok(), once(3).ok());
    }
}

#[test]
fn oblivious_runs_refine_nothing_they_should_not() {
    // These programs keep their state in memory, so that both interpretations agree.
    for (graph, mut rng) in graphs(15, 100) {
        let module = program(&graph, None);
        let args = args(&mut rng, 4);
        let with = |semantics| {
            let run = Run { threads: 4, semantics, step_limit: 20_000, ..Run::default() };
            Machine::new(&module).run_index(0, &args, &run)
        };
        if let Ok(freezing) = with(Semantics::Freezing) {
            match with(Semantics::Oblivious) {
                Ok(oblivious) => assert_eq!(freezing.values(), oblivious.values()),
                // The pointers to the state are variables too, and a loop back to their block would lose them; the
                // entry is never executed again.
                Err(error) => panic!("{error}"),
            }
        }
    }
}
