//! Control divergence on every small graph: against the labelling it is made of, and against executions.

mod definite;
mod functions;
mod irreducible;

use functions::function;
use lw_divergence::control::Control;
use lw_divergence::{Basic, Options, Sources, analyze, oracle};
use lw_graph::generate::{self, Rng};
use lw_graph::{BlockIndex, DisjointPaths, DominatorTree, Graph, HeadRewired, LoopForest};
use lw_ir::interp::{Machine, Run, Schedule, Val};
use lw_ir::parse_module;

fn control(graph: &Graph) -> (Control, LoopForest, BlockIndex) {
    let loops = LoopForest::compute(graph);
    let index = BlockIndex::compute(graph, &DominatorTree::compute(graph), &loops);
    (Control::new(graph, &loops, &index), loops, index)
}

#[test]
fn joins_and_exits_are_those_of_the_labelling() {
    let mut paths = DisjointPaths::new();
    for n in 1..=5 {
        generate::every_unordered_graph(n, |graph| {
            let (fresh, loops, index) = control(graph);
            let Ok(rewired) = HeadRewired::compute(graph, &loops, &index) else { return };
            for branch in graph.nodes() {
                let mut control = fresh.clone();
                control.diverge(branch);
                assert_eq!(control.diverge(branch), None);
                let labelling = paths.label(&rewired, branch);
                for node in graph.nodes() {
                    let join = labelling.joins().contains(&node).then_some(branch);
                    assert_eq!(control.join(node), join, "{graph:?} {branch} {node}");
                }
                for edge in graph.edges() {
                    let same = rewired.representative(edge);
                    let exits = labelling.divergent_exits().iter();
                    let exit = exits.clone().find(|exit| exit.edge == same);
                    let expected = exit.map(|exit| (exit.outermost, branch));
                    assert_eq!(control.divergent_exit(edge), expected, "{graph:?} {branch}");
                }
            }
        });
    }
}

/// A thread that stays in a loop comes to the headers of all loops around it, so an edge that is left in different iterations of
/// a loop is left in different iterations of all loops around that, up to the last one it leaves.
#[test]
fn which_loops_an_edge_is_left_from_does_not_depend_on_the_branch() {
    let mut paths = DisjointPaths::new();
    let (mut exits, mut far) = (0, 0);
    let mut check = |graph: &Graph| {
        let (_, loops, index) = control(graph);
        let Ok(rewired) = HeadRewired::compute(graph, &loops, &index) else { return };
        for branch in graph.nodes() {
            for exit in paths.label(&rewired, branch).divergent_exits() {
                let (from, to) = (graph.source(exit.edge), graph.target(exit.edge));
                let around = std::iter::successors(loops.innermost(from), |&l| loops.parent(l));
                let left: Vec<_> = around.take_while(|&l| !loops.contains(l, to)).collect();
                assert_eq!(left.last(), Some(&exit.outermost), "{graph:?} {branch}");
                exits += 1;
                far += usize::from(left.len() > 1);
            }
        }
    };
    (1..=5).for_each(|n| generate::every_unordered_graph(n, &mut check));
    let mut rng = Rng::new(11);
    for _ in 0..20_000 {
        let n = 6 + rng.below(10);
        check(&generate::random_reducible(&mut rng, n));
    }
    assert!(far > 1000 && exits > far, "{far} of {exits} exits leave several loops");
}

/// Whether control can go from everywhere to an end.
fn ends(graph: &Graph) -> bool {
    let tree = lw_graph::PostDominatorTree::compute(graph);
    graph.nodes().all(|n| tree.reaches_end(n))
}

fn check_executions(graph: &Graph, rng: &mut Rng, runs: usize) -> usize {
    let all = lw_graph::DepthFirst::compute(graph);
    if !ends(graph) || graph.nodes().any(|n| !all.is_reachable(n)) {
        return 0;
    }
    let text = function(graph);
    let module = parse_module(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let f = &module.functions[0];
    let mut checked = 0;
    for round in 0..runs {
        let varying: Vec<bool> = graph.nodes().map(|_| rng.one_in(2)).collect();
        let shape = |&v: &bool| if v { Basic::Varying } else { Basic::Uniform };
        let sources = Sources::params(varying.iter().map(shape));
        let options = Options::default();
        let divergence = analyze(f, &sources, &options);
        for _ in 0..2 {
            let uniform: Vec<i64> = graph.nodes().map(|_| rng.below(1 << 40) as i64).collect();
            let args: Vec<Vec<Val>> = (0..3)
                .map(|_| {
                    let own =
                        |b: usize| if varying[b] { rng.below(1 << 40) as i64 } else { uniform[b] };
                    (0..uniform.len()).map(own).map(Val::i64).collect()
                })
                .collect();
            let schedule = Schedule::Greedy { seed: round as u64 };
            let run = Run { threads: 3, trace: true, step_limit: 800, schedule, ..Run::default() };
            let Ok(outcome) = Machine::new(&module).run("f", &args, &run) else { continue };
            let trace = outcome.trace.expect("a trace was asked for");
            match oracle::check_run(f, &divergence, &options, &args, &trace) {
                Ok(seen) => checked += seen,
                Err(wrong) => panic!("{wrong}\nvarying {varying:?}\n{text}"),
            }
        }
    }
    checked
}

#[test]
fn claims_hold_on_every_graph_up_to_five_blocks() {
    let mut rng = Rng::new(7);
    let mut checked = 0;
    for n in 1..=5 {
        let runs = if n < 5 { 3 } else { 1 };
        generate::every_unordered_graph(n, |graph| {
            checked += check_executions(graph, &mut rng, runs);
        });
    }
    assert!(checked > 100_000, "{checked}");
}

#[test]
fn claims_hold_on_random_graphs() {
    let mut rng = Rng::new(8);
    let mut checked = 0;
    for round in 0..1500 {
        let graph = match round % 2 {
            0 => generate::random(&mut rng, 5 + round % 6),
            _ => generate::random_reducible(&mut rng, 5 + round % 10),
        };
        checked += check_executions(&graph, &mut rng, 2);
    }
    assert!(checked > 10_000, "{checked}");
}
