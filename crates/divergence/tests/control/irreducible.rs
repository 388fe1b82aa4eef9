//! Cycles with several entries: the verdicts of a reducible copy.

use crate::functions::{Copy, function};
use lw_divergence::control::Control;
use lw_divergence::oracle::{programs, sketches};
use lw_divergence::{Basic, Divergence, Lattice, Options, Sources, analyze};
use lw_graph::generate::{self, Rng};
use lw_graph::{BlockIndex, DepthFirst, DominatorTree, Graph, LoopForest, Node};
use lw_ir::{Function, parse_module};

/// What was found is what was found in the copy.
fn compare<L: Lattice>(f: &Function, copy: &Copy, sources: &Sources<L>, options: &Options) {
    let own: Divergence<L> = analyze(f, sources, options);
    let copied: Divergence<L> = analyze(&copy.function, sources, options);
    let shown = || format!("{f}\n{}", copy.function);
    for &b in f.blocks() {
        assert_eq!(own.is_divergent(b), copied.is_divergent(b), "{b} {}", shown());
        let met = copy.dispatch.get(&b).copied().unwrap_or(b);
        assert_eq!(own.join(b).is_some(), copied.join(met).is_some(), "{b} {}", shown());
        for &inst in f.insts(b) {
            let what = || f.display_inst(inst).to_string();
            if let Some(result) = f[inst].result.expand() {
                let (a, b) = (own.fact(result), copied.fact(copy.value(result)));
                assert_eq!(a.to_string(), b.to_string(), "{} {}", what(), shown());
            }
            // Where it is read, too: behind a loop it may be another.
            if f.phis(b).any(|phi| phi == inst) {
                continue;
            }
            for &arg in f[inst].args.iter().filter(|&&arg| f.as_constant(arg).is_none()) {
                let a = own.fact_at_use(f, inst, arg);
                let b = copied.fact_at_use(&copy.function, inst, copy.value(arg));
                let uniform = |fact: Option<lw_divergence::Fact<L>>| fact.map(|f| f.is_uniform());
                assert_eq!(uniform(a), uniform(b), "in {} {}", what(), shown());
            }
        }
    }
    let mut left: Vec<_> = own.divergent_loops().map(|(header, _)| header).collect();
    left.sort();
    let loops = copied.control().loops();
    let mut left_by_copy: Vec<_> = copied.divergent_loops().map(|(header, _)| header).collect();
    let mut entries = copy.dispatch.iter().collect::<Vec<_>>();
    entries.sort();
    for header in &mut left_by_copy {
        let entry = entries.iter().filter(|(_, d)| *d == header);
        if let Some(first) = entry.map(|(entry, _)| **entry).find(|entry| left.contains(entry)) {
            *header = first;
        }
    }
    left_by_copy.sort();
    assert_eq!(left, left_by_copy, "{} {loops:?}", shown());
}

/// All verdicts about a function with this graph, if it has irreducible cycles. Some of the parameters are varying.
fn check(graph: &Graph, rng: &mut Rng) -> bool {
    let all = DepthFirst::compute(graph);
    if LoopForest::compute(graph).is_reducible() || graph.nodes().any(|n| !all.is_reachable(n)) {
        return false;
    }
    let text = function(graph);
    let module = parse_module(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let f = &module.functions[0];
    let copy = Copy::of(f);
    assert!(LoopForest::compute(&lw_sparse::Program::graph(&copy.function)).is_reducible());
    let varying: Vec<bool> = graph.nodes().map(|_| rng.one_in(3)).collect();
    let basic = varying.iter().map(|&v| if v { Basic::Varying } else { Basic::Uniform });
    compare(f, &copy, &Sources::params(basic), &Options::default());
    true
}

#[test]
fn verdicts_are_those_of_a_reducible_copy_on_all_graphs_up_to_five_blocks() {
    let mut rng = Rng::new(31);
    let mut seen = 0;
    for n in 1..=5 {
        generate::every_unordered_graph(n, |graph| seen += usize::from(check(graph, &mut rng)));
    }
    assert!(seen > 1000, "{seen}");
}

#[test]
fn verdicts_are_those_of_a_reducible_copy_on_random_graphs() {
    let mut rng = Rng::new(32);
    let mut seen = 0;
    for round in 0..8000 {
        let graph = generate::random(&mut rng, 5 + round % 12);
        seen += usize::from(check(&graph, &mut rng));
    }
    assert!(seen > 500, "{seen}");
}

/// Programs with stack objects and memory, in which threads do not see each other.
#[test]
fn verdicts_are_those_of_a_reducible_copy_on_random_programs() {
    let mut seen = 0;
    let plain = |&seed: &u64| seed % 8 == 7 && !sketches::is_sketch(seed);
    for seed in (0..12_000).filter(plain) {
        let program = programs::program(seed);
        let f = program.module.function(&program.entry).unwrap();
        let copy = Copy::of(f);
        // What is undefined in the copy, because another entry was taken, counts where something is frozen.
        let freezes = f.all_insts().any(|(_, inst)| f[inst].op == lw_ir::Op::Freeze);
        // And an undefined pointer is none into the thread's own object.
        let merges_pointers =
            copy.dispatch.keys().any(|&b| f.phis(b).any(|phi| f[phi].ty == lw_ir::Type::PTR));
        if copy.dispatch.is_empty() || freezes || merges_pointers {
            continue;
        }
        seen += 1;
        if let Err(errors) = lw_ir::verify(&copy.function) {
            panic!("{errors:?}\n{}", copy.function);
        }
        compare(f, &copy, &programs::sources::<Basic>(&program, 4), &Options::default());
    }
    assert!(seen > 50, "{seen}");
}

/// Both arms of a branch lead into a cycle: threads begin its iterations at different entries, and are together in none.
#[test]
fn threads_that_enter_at_different_entries_part() {
    // 0 → cycle {1, 2} → 3 → 4, 5 → 6.
    let graph = Graph::from_successors(&[
        vec![1, 2],
        vec![2],
        vec![1, 3],
        vec![4, 5],
        vec![6],
        vec![6],
        vec![],
    ]);
    let n = Node::new;
    let loops = LoopForest::compute(&graph);
    let index = BlockIndex::compute(&graph, &DominatorTree::compute(&graph), &loops);
    let mut control = Control::new(&graph, &loops, &index);
    control.diverge(n(3));
    assert_eq!((control.join(n(6)), control.join(n(1))), (Some(n(3)), None));
    assert_eq!(control.desynchronized(n(1)), None);
    control.diverge(n(0));
    let l = control.loops().innermost(n(1)).unwrap();
    assert_eq!(control.divergent_loop(l), Some(n(0)));
    assert_eq!((control.join(n(1)), control.join(n(2))), (Some(n(0)), Some(n(0))));
    assert_eq!(control.desynchronized(n(2)), Some(n(0)));
    // They leave over one edge and meet there: nothing mixes behind.
    assert_eq!((control.join(n(3)), control.join(n(6))), (None, Some(n(3))));
}
