//! Figures of 001 that show a transformation.

use lw_graph::{BlockIndex, DominatorTree, Graph, LoopForest, Node};
use lw_ir::Op;
use lw_ir::interp::{Machine, Run, Semantics, Val};
use lw_ir::ops::Horizontal;
use lw_vectorize::linearize::linearize_graph;
use lw_vectorize::{Boscc, Pipeline, Region, Stage, vectorize};

fn pipeline(text: &str, shapes: &str, width: u32, last: Stage) -> (lw_ir::Module, Pipeline) {
    let module = lw_ir::parse_module(text).unwrap();
    let region = Region::new(width, module.layout.clone());
    let region = region.read_shapes(&module.functions[0], shapes).unwrap();
    let mut pipeline = Pipeline::new(&module.functions[0], &region).unwrap();
    for stage in Stage::ALL.into_iter().take_while(|&stage| stage <= last) {
        pipeline.run(stage).unwrap();
    }
    (module, pipeline)
}

fn linearized(successors: &[&[usize]], divergent: &[usize]) -> Vec<Vec<usize>> {
    let graph = Graph::from_successors(successors);
    let loops = LoopForest::compute(&graph);
    let index = BlockIndex::compute(&graph, &DominatorTree::compute(&graph), &loops);
    let lines = linearize_graph(&graph, &loops, &index, |b| divergent.contains(&b.index()));
    let targets = |b: Node| -> Vec<usize> {
        let mut all: Vec<usize> =
            graph.successor_edges(b).map(|e| lines.target[e.index()].index()).collect();
        all.dedup();
        all
    };
    graph.nodes().map(targets).collect()
}

/// The uniform branch of A stays, the divergent one of B goes: C and D follow one another.
#[test]
fn fig_8_1_partial_linearization_keeps_the_uniform_branch() {
    // A B C D E
    let after = linearized(&[&[1, 4], &[2, 3], &[4], &[4], &[]], &[1]);
    assert_eq!(after[0], [1, 4]);
    let (first, second) = (after[1][0], after[after[1][0]][0]);
    assert_eq!(after[1].len(), 1);
    assert_eq!([first.min(second), first.max(second)], [2, 3]);
    assert_eq!(after[second], [4]);
}

/// The walk-through, as far as its text tells: the branch of a stays; b is followed by d, d by e, which b deferred, and h, which d would have gone
/// to, comes behind e.
#[test]
fn fig_8_2_deferred_blocks_follow() {
    let [a, b, c, d, e, f, g, h, k] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
    let graph: [&[usize]; 9] = [&[b, c], &[d, e], &[f, g], &[h], &[f, h], &[k], &[k], &[k], &[]];
    let after = linearized(&graph, &[b, e]);
    assert_eq!(after[a], [b, c]);
    let mut way = vec![b];
    while let [next] = after[way[way.len() - 1]][..] {
        way.push(next);
    }
    assert!(after[k].is_empty());
    let place = |block: usize| way.iter().position(|&at| at == block).unwrap();
    assert!(place(d) < place(h) && place(e) < place(h) && place(e) < place(f), "{way:?}");
    assert_eq!(way[way.len() - 1], k);
    // What no divergent branch leads to is not on the way.
    assert!(!way.contains(&g) && !way.contains(&c));
    assert_eq!(after[c], [f, g]);
}

/// Loops: the back edge comes back after the DAG was linearized.
#[test]
fn fig_8_3_the_latch_keeps_its_back_edge() {
    // 0 → 1 (header) → 2 | 3 → 4 (latch) → 1 | 5
    let after = linearized(&[&[1], &[2, 3], &[4], &[4], &[1, 5], &[]], &[1]);
    assert_eq!(after[4], [1, 5]);
    assert_eq!(after[1].len(), 1);
}

/// The branch of b is kept although b itself is executed by some threads only.
#[test]
fn fig_8_5_uniform_branches_of_dominance_regions_are_kept() {
    // a (divergent) → b | e; b (uniform) → c | d; c, d → e
    let after = linearized(&[&[1, 4], &[2, 3], &[4], &[4], &[]], &[0]);
    assert_eq!(after[0], [1]);
    assert_eq!(after[1], [2, 3]);
}

/// An unstructured graph in which C is decided by a uniform branch: it is skipped when that branch says so.
#[test]
fn fig_8_7_uniform_control_dependence_is_kept() {
    // A (uniform) → B | C; B (divergent) → D | E; C → D; D → E
    let after = linearized(&[&[1, 2], &[3, 4], &[3], &[4], &[]], &[1]);
    assert_eq!(after[0], [1, 2]);
    assert!(!after[1].contains(&2));
}

const LOGSTAR: &str = "func @logstar(double %n) -> i32 {
A:
  br label %B
B:
  %x = phi double [ %n, %A ], [ %lx, %B ]
  %i = phi i32 [ 0, %A ], [ %i_cnt, %B ]
  %i_cnt = add i32 %i, 1
  %lx = call double (double) @log(double %x)
  %stay = fcmp ogt double %lx, 1.0
  br i1 %stay, label %B, label %C
C:
  %more = fcmp ogt double %n, 1.0
  %r = select i1 %more, i32 %i_cnt, i32 0
  ret i32 %r
}
declare @log : double (double)";

/// Figs 3.20 to 3.22: the loop of logstar, whose live-out would be lost, is right obliviously once it is transformed.
#[test]
fn fig_3_22_logstar_keeps_what_lives_out() {
    let args = [vec![Val::f64(88.38)], vec![Val::f64(1.5)]];
    let oblivious = Run { threads: 2, semantics: Semantics::Oblivious, ..Run::default() };
    let module = lw_ir::parse_module(LOGSTAR).unwrap();
    let wanted = Machine::new(&module).run("logstar", &args, &Run { threads: 2, ..Run::default() });
    assert_eq!(wanted.unwrap().values(), [Val::i32(3), Val::i32(1)]);
    assert!(Machine::new(&module).run("logstar", &args, &oblivious).is_err());

    let (mut module, pipeline) = pipeline(LOGSTAR, "v", 2, Stage::DivergentLoops);
    assert_eq!(pipeline.statistics.divergent_loops, 1);
    module.functions[0] = pipeline.function.clone();
    let seen = Machine::new(&module).run("logstar", &args, &oblivious).unwrap();
    assert_eq!(seen.values(), [Val::i32(3), Val::i32(1)]);
    // The count is the same for all threads that are still in the loop.
    let divergence = pipeline.analyze();
    let counts = pipeline.function.all_insts().filter(|&(_, inst)| {
        let data = &pipeline.function[inst];
        data.op == Op::Binary(lw_ir::ops::BinOp::Add) && divergence.is_uniform(data.result.unwrap())
    });
    assert_eq!(counts.count(), 1);
}

/// Fig. 9.2: the header tests whether a thread is live, and one more pair of φs tracks what lives out.
#[test]
fn fig_9_2_divergent_loop_transform() {
    let (_, pipeline) = pipeline(LOGSTAR, "v", 4, Stage::DivergentLoops);
    let f = &pipeline.function;
    let any = f.all_insts().filter(|&(_, i)| f[i].op == Op::Horizontal(Horizontal::Any)).count();
    let shadows = f.all_insts().filter(|&(_, i)| f[i].shadow().is_some()).count();
    assert_eq!((any, shadows), (1, 1));
    assert_eq!(pipeline.analyze().divergent_loops().count(), 0);
}

/// Fig. 9.3: two exits, one tracker for both, one exit mask.
#[test]
fn fig_9_3_several_exits() {
    let text = "func @two(i32 %v, i32 %u) -> i32 {
    E:
      br label %H
    H:
      %i = phi i32 [ 0, %E ], [ %n, %L2 ]
      %n = add i32 %i, 1
      br label %L1
    L1:
      %c1 = icmp sgt i32 %n, %v
      br i1 %c1, label %X1, label %L2
    L2:
      %m = mul i32 %n, %v
      %c2 = icmp sgt i32 %m, %u
      br i1 %c2, label %X2, label %H
    X1:
      %a = phi i32 [ %n, %L1 ]
      br label %R
    X2:
      %b = phi i32 [ %m, %L2 ]
      br label %R
    R:
      %r = phi i32 [ %a, %X1 ], [ %b, %X2 ]
      ret i32 %r
    }";
    let (mut module, pipeline) = pipeline(text, "v, u", 4, Stage::Linearize);
    assert_eq!(pipeline.statistics.several_exits, 1);
    let args: Vec<Vec<Val>> =
        [1, 3, -2, 7].iter().map(|&v| vec![Val::i32(v), Val::i32(20)]).collect();
    let run = Run { threads: 4, ..Run::default() };
    let wanted = Machine::new(&module).run("two", &args, &run).unwrap().values();
    module.functions[0] = pipeline.function.clone();
    let run = Run { semantics: Semantics::Oblivious, ..run };
    let seen = Machine::new(&module).run("two", &args, &run).unwrap();
    assert_eq!(seen.values(), wanted);
}

/// Figs 3.12 and 3.13: a load behind a divergent branch becomes a masked one, the φ a select.
#[test]
fn fig_3_13_if_conversion() {
    let text = "func @f(ptr %B, ptr %C, i64 %i) -> void {
    B0:
      %bit = and i64 %i, 1
      %p = icmp ne i64 %bit, 0
      %at = getelementptr double, ptr %B, i64 %i
      br i1 %p, label %C0, label %D
    C0:
      %x = load double, ptr %at, align 8
      br label %D
    D:
      %v = phi double [ 2.0, %B0 ], [ %x, %C0 ]
      %to = getelementptr double, ptr %C, i64 %i
      store double %v, ptr %to, align 8
      ret void
    }";
    let module = lw_ir::parse_module(text).unwrap();
    let region = Region::new(4, module.layout.clone());
    let region = region.read_shapes(&module.functions[0], "u, u, c").unwrap();
    let (vector, statistics) = vectorize(&module.functions[0], &region).unwrap();
    assert_eq!((statistics.widened.contiguous, statistics.widened.gathers), (2, 0));
    let text = vector.to_string();
    assert!(text.contains("@llvm.masked.load.v4f64.p0"), "{text}");
    assert!(text.contains("store <4 x double>"), "{text}");
    assert!(text.contains("select <4 x i1>"), "{text}");
}

/// Fig. 9.5: with a gadget, B is skipped if its mask is empty; the branch on `any` survives linearization.
#[test]
fn fig_9_5_boscc_gadget() {
    let text = "func @f(i32 %v) -> i32 {
    A:
      %c = icmp sgt i32 %v, 9
      br i1 %c, label %B, label %C
    B:
      %x = mul i32 %v, %v
      br label %C
    C:
      %r = phi i32 [ %v, %A ], [ %x, %B ]
      ret i32 %r
    }";
    let module = lw_ir::parse_module(text).unwrap();
    let mut region = Region::new(4, module.layout.clone());
    let kept = |region: &Region| vectorize(&module.functions[0], region).unwrap().1;
    assert_eq!(kept(&region).kept_branches, 0);
    region.boscc = Boscc::Always;
    assert_eq!((kept(&region).boscc, kept(&region).kept_branches), (1, 1));
}

/// A region that cannot be vectorized says what stands in the way.
#[test]
fn what_is_declined_has_a_reason() {
    let text = "func @f(i32 %n) -> i32 {
    A:
      %p = alloca i32, i32 %n, align 4
      ret i32 %n
    }";
    let module = lw_ir::parse_module(text).unwrap();
    let declined =
        vectorize(&module.functions[0], &Region::new(4, module.layout.clone())).unwrap_err();
    let wanted = "`%p = alloca i32, i32 %n, align 4`: stack memory of unknown size; use an array of fixed size";
    assert_eq!(declined.to_string(), wanted);
    assert!(vectorize(&module.functions[0], &Region::new(0, module.layout.clone())).is_err());
}

/// On lane 0 the promise of the `or` is broken and on lane 1 it is not, so the value of lane 1 does not follow from that of lane 0.
#[test]
fn a_stride_does_not_start_from_poison() {
    let text = "func @f(i32 %i) -> i32 {
    A:
      %x = add i32 %i, 1
      %y = or disjoint i32 %x, 1
      ret i32 %y
    }";
    let module = lw_ir::parse_module(text).unwrap();
    let region = Region::new(3, module.layout.clone());
    let region = region.read_shapes(&module.functions[0], "c -> v").unwrap();
    let (vector, _) = vectorize(&module.functions[0], &region).unwrap();
    let module = lw_ir::Module { functions: vec![vector], ..module };
    let outcome = Machine::new(&module).run("f", &[vec![Val::i32(0)]], &Run::default()).unwrap();
    assert_eq!(outcome.values()[0].element(1), &Val::i32(3));
}

/// Uniform as far as it is defined: on the lane that would be looked at it is poison, on the other it is zero.
#[test]
fn what_is_uniform_is_not_taken_from_a_poison_lane() {
    let text = "func @f(i1 %v, ptr %p) -> void {
    A:
      %x = or disjoint i1 true, %v
      %y = mul i1 false, %x
      store i1 %y, ptr %p, align 1
      ret void
    }";
    let module = lw_ir::parse_module(text).unwrap();
    let region = Region::new(2, module.layout.clone());
    let region = region.read_shapes(&module.functions[0], "v, u").unwrap();
    let (vector, _) = vectorize(&module.functions[0], &region).unwrap();
    let module = lw_ir::Module { functions: vec![vector], ..module };
    let mut machine = Machine::new(&module);
    let p = machine.alloc_buffer(&[7]).unwrap();
    let lanes = Val::elems([Val::bool(true), Val::bool(false)]);
    machine.run("f", &[vec![lanes, Val::Ptr(p)]], &Run::default()).unwrap();
    assert_eq!(machine.read_bytes(p, 1).unwrap(), [Some(0)]);
}
