//! 000 §6 beside the analysis: a value is uniform where it is read if and only if Def. 6.6 says so.

use crate::functions::function;
use lw_divergence::definite::{DefiniteDefinitions, uniform_at};
use lw_divergence::{Basic, Options, Sources, analyze};
use lw_graph::generate::{self, Rng};
use lw_graph::{DepthFirst, DominatorTree, Graph, LoopForest, Node};
use lw_ir::parse_module;
use lw_sparse::Program;

/// Def. 6.2 on paths: on all walks of some length that end in a block, the last definition comes after each block of its set or is it.
#[test]
fn definitions_that_reach_definitely_dominate_and_nothing_comes_between() {
    let mut rng = Rng::new(41);
    for round in 0..300 {
        let graph = generate::random(&mut rng, 3 + round % 6);
        let count = 1 + rng.below(2);
        let defined: Vec<Node> =
            (0..count).map(|_| Node::new(rng.below(graph.node_count()))).collect();
        let definitions = DefiniteDefinitions::compute(&graph, &defined);
        let dominators = DominatorTree::compute(&graph);
        for p in graph.nodes().filter(|&p| dominators.is_reachable(p)) {
            for q in graph.nodes() {
                let unchanged = definitions.since(p).contains(&q);
                assert_eq!(unchanged, q == p || is_unchanged(&graph, &defined, q, p), "{graph:?}");
            }
        }
    }
}

/// Whether every path from the entry to `p` passes `q`, and behind its last visit no definition.
fn is_unchanged(graph: &Graph, defined: &[Node], q: Node, p: Node) -> bool {
    // Walks, with whether q was passed and nothing defined since. A definition in q itself is at its beginning.
    let mut seen = vec![[false; 2]; graph.node_count()];
    let mut stack = vec![(graph.entry(), graph.entry() == q)];
    while let Some((n, since)) = stack.pop() {
        if !std::mem::replace(&mut seen[n.index()][usize::from(since)], true) {
            for &next in graph.successors(n) {
                stack.push((next, next == q || since && !defined.contains(&next)));
            }
        }
    }
    !seen[p.index()][0]
}

/// Yields how many values are read behind a loop in which they are defined, and how many of those reads are uniform.
fn compare(graph: &Graph, rng: &mut Rng) -> (usize, usize) {
    let all = DepthFirst::compute(graph);
    if !LoopForest::compute(graph).is_reducible() || graph.nodes().any(|n| !all.is_reachable(n)) {
        return (0, 0);
    }
    let text = function(graph);
    let module = parse_module(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let f = &module.functions[0];
    let varying: Vec<bool> = graph.nodes().map(|_| rng.one_in(3)).collect();
    let shape = |&v: &bool| if v { Basic::Varying } else { Basic::Uniform };
    let sources = Sources::params(varying.iter().map(shape));
    // Def. 6.6 knows nothing of what branches test for.
    let options = Options { equalities: false, ..Options::default() };
    let found = analyze(f, &sources, &options);
    let loops = LoopForest::compute(&f.graph());
    let (mut leaving, mut uniform) = (0, 0);
    for (b, inst) in f.all_insts() {
        if f.phis(b).any(|phi| phi == inst) {
            continue;
        }
        for &arg in f[inst].args.iter().filter(|&&arg| f.as_constant(arg).is_none()) {
            let read = found.fact_at_use(f, inst, arg).expect("it is read");
            let ruled = uniform_at(f, &found, arg, b);
            let shown = f.display_inst(inst);
            assert_eq!(read.is_uniform(), ruled, "{arg} in {shown} {varying:?}\n{text}");
            let defined = f.def_inst(arg).and_then(|i| f.block_of(i));
            let left = defined.and_then(|d| loops.innermost(lw_sparse::function::node(d)));
            if left.is_some_and(|l| !loops.contains(l, lw_sparse::function::node(b))) {
                leaving += 1;
                uniform += usize::from(ruled);
            }
        }
    }
    (leaving, uniform)
}

#[test]
fn reads_are_uniform_where_def_6_6_says_so_on_small_graphs() {
    let mut rng = Rng::new(42);
    let (mut leaving, mut uniform) = (0, 0);
    for n in 1..=5 {
        generate::every_unordered_graph(n, |graph| {
            if n == 5 && !rng.one_in(6) {
                return;
            }
            let (more, same) = compare(graph, &mut rng);
            (leaving, uniform) = (leaving + more, uniform + same);
        });
    }
    assert!(uniform > 300 && leaving - uniform > 300, "{uniform} of {leaving}");
}

#[test]
fn reads_are_uniform_where_def_6_6_says_so_on_random_graphs() {
    let mut rng = Rng::new(43);
    let (mut leaving, mut uniform) = (0, 0);
    for round in 0..1500 {
        let graph = generate::random_reducible(&mut rng, 6 + round % 12);
        let (more, same) = compare(&graph, &mut rng);
        (leaving, uniform) = (leaving + more, uniform + same);
    }
    assert!(uniform > 300 && leaving - uniform > 300, "{uniform} of {leaving}");
}
