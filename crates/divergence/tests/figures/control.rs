//! 001: Figs 3.6, 6.4 and those of chapter 7.

use crate::basic;
use lw_divergence::Control;
use lw_graph::{BlockIndex, DominatorTree, Graph, LoopForest, Node};
use lw_ir::interp::{Machine, Run, Step, Val};
use lw_ir::parse_module;

#[test]
fn figure_3_6_the_branch_is_uniform_and_the_phi_is_not() {
    // for i in lanes: p = B[k] > 0; v = C[i]; if (p) x = v; else x = 0.
    let f = basic(
        "func @f(ptr %B, ptr %C, i64 %k, i64 %i) -> i32 {
A:
  %at = getelementptr i32, ptr %B, i64 %k
  %b = load i32, ptr %at, align 4
  %p = icmp sgt i32 %b, 0
  br i1 %p, label %D, label %E
D:
  %from = getelementptr i32, ptr %C, i64 %i
  %v = load i32, ptr %from, align 4
  br label %F
E:
  br label %F
F:
  %x = phi i32 [ %v, %D ], [ 0, %E ]
  ret i32 %x
}",
        "uuuv",
    );
    assert!(f.uniform("p") && !f.divergent("A") && !f.uniform("v") && !f.uniform("x"));
    assert_eq!(f.why("x").len(), 4, "x ← v ← the address ← i: {:?}", f.why("x"));
}

const FIG_7_1A: &str = "func @f(i1 %v) -> i32 {
A:
  br i1 %v, label %B, label %C
B:
  br label %D
C:
  br label %D
D:
  %x = phi i32 [ 0, %B ], [ 1, %C ]
  ret i32 %x
}";

#[test]
fn figure_6_4a_and_7_1a_sync_dependence() {
    let f = basic(FIG_7_1A, "v");
    assert!(!f.uniform("x"));
    assert_eq!(f.divergence.join(f.block("D")), Some(f.block("A")));
    let active = |name: &str| !f.divergence.activation_varies(f.block(name));
    assert!(active("A") && active("D") && !active("B") && !active("C"));
}

const FIG_7_1C: &str = "func @f(i32 %n) -> i32 {
A:
  br label %B
B:
  %x = phi i32 [ 0, %A ], [ %inc, %B ]
  %inc = add i32 %x, 1
  %more = icmp slt i32 %inc, %n
  br i1 %more, label %B, label %X
X:
  %lc = phi i32 [ %inc, %B ]
  ret i32 %lc
}";

#[test]
fn figure_6_4b_and_7_1c_temporal_dependence() {
    let f = basic(FIG_7_1C, "v");
    assert!(f.uniform("x") && f.uniform("inc") && !f.uniform("lc"));
    assert!(f.divergence.activation_varies(f.block("B")));
    assert!(!f.divergence.activation_varies(f.block("X")));
}

/// The blocks in the order of a lock-step execution by two threads, and what the last φ was for them.
fn executed(text: &str, args: [Val; 2]) -> (Vec<String>, Vec<Val>) {
    let module = parse_module(text).unwrap();
    let f = &module.functions[0];
    let args = args.map(|arg| vec![arg]);
    let run = Run { threads: 2, trace: true, ..Run::default() };
    let outcome = Machine::new(&module).run("f", &args, &run).unwrap();
    let trace = outcome.trace.unwrap();
    let name = |step: &Step| f.block_name(step.block).and_then(|n| n.as_str()).unwrap().to_string();
    let last = trace.top().last().unwrap().values[0].1.clone();
    (trace.top().map(name).collect(), last)
}

#[test]
fn figures_7_1b_and_7_1d_executions_in_which_threads_diverge() {
    let (blocks, x) = executed(FIG_7_1A, [Val::bool(true), Val::bool(false)]);
    assert!(blocks == ["A", "B", "C", "D"] || blocks == ["A", "C", "B", "D"], "{blocks:?}");
    assert_eq!(x, [Val::i32(0), Val::i32(1)]);
    let (blocks, lc) = executed(FIG_7_1C, [Val::i32(1), Val::i32(2)]);
    assert_eq!(blocks, ["A", "B", "B", "X"]);
    assert_eq!(lc, [Val::i32(1), Val::i32(2)]);
}

/// The joins of a branch in block 0 that divides, by block.
fn joins_of_the_entry(successors: &[&[usize]]) -> Vec<usize> {
    let graph = Graph::from_successors(successors);
    let loops = LoopForest::compute(&graph);
    let index = BlockIndex::compute(&graph, &DominatorTree::compute(&graph), &loops);
    let mut control = Control::new(&graph, &loops, &index);
    control.diverge(Node::new(0));
    let joins = graph.nodes().filter(|&block| control.join(block).is_some());
    joins.map(Node::index).collect()
}

#[test]
fn figure_7_4a_a_block_and_its_successor_are_next_at_once() {
    // A → x, z; x → z.
    assert_eq!(joins_of_the_entry(&[&[1, 2], &[2], &[]]), [2]);
}

#[test]
fn figure_7_4b_two_predecessors_are_next_at_once() {
    // A → x, y; x → z; y → z.
    assert_eq!(joins_of_the_entry(&[&[1, 2], &[3], &[3], &[]]), [3]);
}

#[test]
fn figure_7_4c_the_latch_and_an_exit_are_next_at_once() {
    // The branch in h leads to the latch and to the exit z: threads leave in different iterations.
    let f = basic(
        "func @f(i1 %v) -> i32 {
A:
  br label %h
h:
  %i = phi i32 [ 0, %A ], [ %j, %l ]
  %j = add i32 %i, 1
  br i1 %v, label %l, label %z
l:
  br label %h
z:
  %x = add i32 %j, 1
  ret i32 %x
}",
        "v",
    );
    assert!(f.uniform("i") && f.uniform("j") && !f.uniform("x"));
}

#[test]
fn figure_7_5_paths_that_are_almost_disjoint_end_in_blocks_that_are_next_at_once() {
    // A → a → b → z and A → c → z: b and c are ends of disjoint paths, so z is a join.
    assert_eq!(joins_of_the_entry(&[&[1, 3], &[2], &[4], &[4], &[]]), [4]);
    // Both paths pass c, so nothing is a join behind it.
    assert_eq!(joins_of_the_entry(&[&[1, 2], &[2], &[3, 4], &[5], &[5], &[]]), [2]);
}

#[test]
fn figure_6_4c_activation_dependence() {
    let text = "func @f(i1 %v, i1 %p) -> i32 {
E:
  br i1 %v, label %B, label %C
B: when %p
  %m = mask
  br label %C
C:
  ret i32 0
}";
    assert!(basic(text, "uu").uniform("m"));
    assert!(!basic(text, "vu").uniform("m"));
    assert!(!basic(text, "uv").uniform("m"));
}

fn control(successors: &[&[usize]]) -> Control {
    let graph = Graph::from_successors(successors);
    let loops = LoopForest::compute(&graph);
    let index = BlockIndex::compute(&graph, &DominatorTree::compute(&graph), &loops);
    Control::new(&graph, &loops, &index)
}

/// Joins, and divergent exits as (from, to), because of one branch.
fn effects(successors: &[&[usize]], branch: usize) -> (Vec<usize>, Vec<(usize, usize)>) {
    let mut control = control(successors);
    control.diverge(Node::new(branch));
    let graph = control.graph();
    let joins = graph.nodes().filter(|&n| control.join(n).is_some()).map(|n| n.index());
    let exits = graph.edges().filter(|&e| control.divergent_exit(e).is_some());
    let ends = exits.map(|e| (graph.source(e).index(), graph.target(e).index()));
    (joins.collect(), ends.collect())
}

#[test]
fn figure_7_2_sync_and_temporal_dependences_of_nested_loops() {
    // 0 → H = 1 (outer header) → G = 2 → 3, 4 → 5 (inner header, latch of itself) → 6 (outer latch) → 1, 7.
    let graph: [&[usize]; 8] = [&[1], &[2, 7], &[3, 4], &[5], &[5], &[5, 6], &[1], &[]];
    assert_eq!(effects(&graph, 2), (vec![5], vec![]));
    assert_eq!(effects(&graph, 1), (vec![], vec![(1, 7)]));
    assert_eq!(effects(&graph, 5), (vec![], vec![(5, 6)]));
}

#[test]
fn figure_7_3_exits_of_a_divergent_loop_join_behind_it() {
    // A = 0 (divergent, header) → B = 1, D = 3; B → C = 2 → D → E = 5, G = 4; G → F = 6, A; E, F → X = 7.
    let graph: [&[usize]; 8] = [&[1, 3], &[2], &[3], &[5, 4], &[6, 0], &[7], &[7], &[]];
    // Whether threads leave depends on D and G, so A alone joins in D only.
    assert_eq!(effects(&graph, 0), (vec![3], vec![]));
    assert_eq!(effects(&graph, 3), (vec![7], vec![(3, 5)]));
    assert_eq!(effects(&graph, 4), (vec![7], vec![(4, 6)]));
}

#[test]
fn figure_7_6_uniform_exits_of_a_divergent_loop_are_not_concurrent() {
    // 0 → 1 (header) → W = 7, 2; 2 → X = 8, 3; 3 (divergent) → Y = 9, 4; 4 → Z = 10, 1; W, X → 11.
    let graph: [&[usize]; 12] =
        [&[1], &[7, 2], &[8, 3], &[9, 4], &[10, 1], &[], &[], &[11], &[11], &[], &[], &[]];
    let (joins, exits) = effects(&graph, 3);
    assert_eq!(exits, [(3, 9)]);
    assert!(!joins.contains(&11));
}

#[test]
fn figure_7_7a_a_join_and_two_divergent_exits() {
    // The loop is 0 to 5; 7 is left to before the divergent block 2; 8 and 9 behind it.
    let graph: [&[usize]; 10] =
        [&[1], &[2, 7], &[3, 5], &[4, 8], &[5], &[0, 9], &[], &[], &[], &[]];
    assert_eq!(effects(&graph, 2), (vec![5], vec![(3, 8)]));
    // If 5 leaves divergently too, so does everything behind it.
    assert_eq!(effects(&graph, 5), (vec![], vec![(5, 9)]));
}

#[test]
fn figure_7_7b_two_uniform_exits_do_not_join() {
    // The inner loop is 1 to 4, with the divergent exit 8, which leaves the outer loop 0 to 7 too.
    let graph: [&[usize]; 9] = [&[1], &[2], &[8, 3], &[5, 4], &[6, 1], &[7], &[7], &[0], &[]];
    assert_eq!(effects(&graph, 2), (vec![], vec![(2, 8)]));
}
