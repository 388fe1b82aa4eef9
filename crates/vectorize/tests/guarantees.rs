//! What partial linearization guarantees: uniform control dependence (001 Thm 4) and uniform branches (Thm 5) are kept.

use lw_graph::generate::{Rng, random_reducible};
use lw_graph::{
    BlockIndex, ControlDependence, DominatorTree, Edge, Graph, LoopForest, Node, PostDominatorTree,
};
use lw_ir::Block;
use lw_ir::interp::{Machine, Run, Trace, Val};
use lw_vectorize::linearize::linearize_graph;
use lw_vectorize::oracle::{executions, program, region};
use lw_vectorize::{Pipeline, Region, Stage, vectorize};
use std::collections::HashMap;

fn executed(trace: &Trace) -> HashMap<Block, usize> {
    let mut counts = HashMap::new();
    for step in trace.top() {
        if step.active.iter().any(|&active| active) {
            *counts.entry(step.block).or_insert(0) += 1;
        }
    }
    counts
}

/// A block without a predicate is executed exactly as often as before, and by all threads; one with a predicate never less often.
#[test]
fn blocks_without_a_predicate_execute_as_before() {
    let mut checked = 0;
    for seed in 0..400 {
        let mut program = program(4 * seed + 1);
        let region = region(&program, 4);
        let Some(function) = program.module.function(&program.entry).cloned() else { continue };
        let Ok(mut pipeline) = Pipeline::new(&function, &region) else { continue };
        let early = [Stage::Canonicalize, Stage::DivergentLoops, Stage::Gadgets];
        if early.into_iter().any(|stage| pipeline.run(stage).is_err()) {
            continue;
        }
        let run = Run { trace: true, step_limit: 100_000, ..Run::default() };
        let mut trace = |pipeline: &Pipeline| {
            for f in &mut program.module.functions {
                if f.name == function.name {
                    *f = pipeline.function.clone();
                }
            }
            let module = program.module.clone();
            executions::together(&program, &region, &module, &run).ok()?.outcome.trace
        };
        let Some(before) = trace(&pipeline) else { continue };
        pipeline.run(Stage::Linearize).unwrap();
        let Some(after) = trace(&pipeline) else { continue };
        let (before, seen) = (executed(&before), executed(&after));
        for step in after.top() {
            if pipeline.function.predicate(step.block).is_none() {
                let all = step.active.iter().all(|&active| active);
                assert!(
                    all,
                    "seed {seed}: {} is not executed by all\n{}",
                    step.block, pipeline.function
                );
            }
        }
        for &b in pipeline.function.blocks() {
            let Some(&times) = before.get(&b) else { continue };
            if pipeline.function.predicate(b).is_none() {
                assert_eq!(Some(&times), seen.get(&b), "seed {seed}, {b}\n{}", pipeline.function);
                checked += 1;
            }
        }
    }
    assert!(checked > 1000, "{checked} blocks checked");
}

/// The edges that 001 Thm 5 promises to keep, by its definition: dominated by some `d` whose region is compact, relative to
/// which the block is uniform.
fn promised(
    graph: &Graph,
    dominators: &DominatorTree,
    index: &BlockIndex,
    divergent: &[bool],
) -> Vec<Edge> {
    let mut kept = Vec::new();
    for d in graph.nodes().filter(|&d| dominators.is_reachable(d)) {
        if index.dominated_range(d).is_none() {
            continue;
        }
        // G^d: what d dominates, and where edges from there lead.
        let inside = |n: Node| dominators.dominates(d, n);
        let edges = graph.edges().filter(|&e| inside(graph.source(e)));
        let edges: Vec<(Node, Node)> = edges.map(|e| (graph.source(e), graph.target(e))).collect();
        let region = Graph::from_edges(graph.node_count(), d, edges);
        let post_dominators = PostDominatorTree::compute(&region);
        let dependence = ControlDependence::compute(&region, &post_dominators);
        // Uniform relative to d: no divergent branch decides, directly or through others.
        let mut uniform: Vec<bool> = vec![true; graph.node_count()];
        for &b in index.order() {
            let depends = dependence.edges(b);
            uniform[b.index()] = depends.iter().all(|&e| {
                let a = region.source(e);
                !divergent[a.index()] && uniform[a.index()]
            });
        }
        for e in graph.edges() {
            let (b, y) = (graph.source(e), graph.target(e));
            if inside(b) && inside(y) && y != d && uniform[b.index()] && !divergent[b.index()] {
                kept.push(e);
            }
        }
    }
    kept
}

fn is_acyclic(loops: &LoopForest) -> bool {
    loops.is_empty()
}

#[test]
fn uniform_branches_are_kept() {
    let mut rng = Rng::new(7);
    let (mut graphs, mut edges) = (0, 0);
    for _ in 0..60_000 {
        let n = 3 + rng.below(9);
        let graph = random_reducible(&mut rng, n);
        let loops = LoopForest::compute(&graph);
        if !is_acyclic(&loops) {
            continue;
        }
        let dominators = DominatorTree::compute(&graph);
        let index = BlockIndex::compute(&graph, &dominators, &loops);
        let divergent: Vec<bool> =
            graph.nodes().map(|b| graph.successors(b).len() > 1 && rng.one_in(2)).collect();
        let lines = linearize_graph(&graph, &loops, &index, |b| divergent[b.index()]);
        graphs += 1;
        for e in promised(&graph, &dominators, &index, &divergent) {
            edges += 1;
            let (b, y, now) = (graph.source(e), graph.target(e), lines.target[e.index()]);
            assert_eq!(now, y, "{b:?} → {y:?} of {graph:?}, divergent {divergent:?}");
        }
    }
    assert!(graphs > 500 && edges > 500, "{edges} edges of {graphs} graphs");
}

/// Every path of the graph is embedded in a path of the linearized one (Thm 3), and divergent branches have one target.
#[test]
fn all_successors_of_divergent_branches_follow() {
    let mut rng = Rng::new(11);
    for _ in 0..20_000 {
        let n = 3 + rng.below(9);
        let graph = random_reducible(&mut rng, n);
        let loops = LoopForest::compute(&graph);
        if !is_acyclic(&loops) {
            continue;
        }
        let dominators = DominatorTree::compute(&graph);
        let index = BlockIndex::compute(&graph, &dominators, &loops);
        let divergent: Vec<bool> =
            graph.nodes().map(|b| graph.successors(b).len() > 1 && rng.one_in(2)).collect();
        let lines = linearize_graph(&graph, &loops, &index, |b| divergent[b.index()]);
        let edges: Vec<(Node, Node)> =
            graph.edges().map(|e| (graph.source(e), lines.target[e.index()])).collect();
        let after = Graph::from_edges(graph.node_count(), graph.entry(), edges);
        let post_dominators = PostDominatorTree::compute(&after);
        for &b in index.order() {
            let targets: Vec<Node> =
                graph.successor_edges(b).map(|e| lines.target[e.index()]).collect();
            if divergent[b.index()] {
                assert!(targets.iter().all(|&t| t == targets[0]), "{b:?} of {graph:?}");
                for &s in graph.successors(b) {
                    assert!(post_dominators.post_dominates(s, b), "{s:?} after {b:?} of {graph:?}");
                }
            } else {
                for (&s, &t) in graph.successors(b).iter().zip(&targets) {
                    assert!(post_dominators.post_dominates(s, t), "{s:?} after {b:?} of {graph:?}");
                }
            }
        }
    }
}

/// A loop that no thread enters ends, though nobody read how often it is to run.
#[test]
fn a_loop_that_no_thread_enters_ends() {
    let text = "func @f(i32 %x, ptr %p) -> i32 {
    entry:
      %c = icmp sgt i32 %x, 100
      br i1 %c, label %pre, label %end
    pre:
      %n = load i32, ptr %p, align 4
      br label %loop
    loop:
      %i = phi i32 [ 0, %pre ], [ %j, %loop ]
      %j = add i32 %i, 1
      %stop = icmp eq i32 %j, %n
      br i1 %stop, label %out, label %loop
    out:
      %k = phi i32 [ %j, %loop ]
      br label %end
    end:
      %r = phi i32 [ %x, %entry ], [ %k, %out ]
      ret i32 %r
    }";
    let mut module = lw_ir::parse_module(text).unwrap();
    let region = Region::new(2, module.layout.clone());
    let region = region.read_shapes(&module.functions[0], "v, u").unwrap();
    let (vector, done) = vectorize(&module.functions[0], &region).unwrap();
    assert_eq!(done.guarded_loops, 1);
    module.functions[0] = vector;
    let mut machine = Machine::new(&module);
    let number = machine.alloc_buffer(&3i32.to_le_bytes()).unwrap();
    let args = [vec![Val::elems([Val::i32(7), Val::i32(8)]), Val::Ptr(number)]];
    let run = Run { step_limit: 1_000, ..Run::default() };
    let seen = machine.run("f", &args, &run).unwrap();
    assert_eq!(seen.values(), [Val::elems([Val::i32(7), Val::i32(8)])]);
}
