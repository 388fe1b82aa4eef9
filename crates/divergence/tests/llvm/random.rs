//! Random kernels: the same verdicts as LLVM, value by value, as long as φs at exits of loops read what the loops define, and no
//! header of a loop branches inside of the loop.

use crate::{both, ordered};
use lw_divergence::targets::{Gpu, Target};
use lw_divergence::{Basic, Lattice, Stride, analyze};
use lw_graph::generate::Rng;
use lw_graph::{DominatorTree, Graph, LoopForest, Node};
use lw_llvm::Context;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A kernel with a random reducible control-flow graph. Each block merges a value of its predecessors, computes with it, uses
/// something that is defined further up, and branches by a thread number, an argument or what it computed. If `weak`, with
/// what LLVM is weak at.
fn kernel(rng: &mut Rng, weak: bool) -> Option<String> {
    let n = 3 + rng.below(9);
    let mut edges = Vec::new();
    for i in 0..n {
        let out = match rng.below(8) {
            0 => 0,
            1..4 => 1,
            4..7 => 2,
            _ => 3,
        };
        for _ in 0..if i == 0 { out.max(1) } else { out } {
            edges.push((Node::new(i), Node::new(1 + rng.below(n - 1))));
        }
    }
    let graph = Graph::from_edges(n, Node::new(0), edges);
    let loops = LoopForest::compute(&graph);
    let dominators = DominatorTree::compute(&graph);
    let reachable = graph.nodes().all(|b| dominators.is_reachable(b));
    if !loops.is_reducible() || !reachable {
        return None;
    }
    let branches_inside = loops.loops().any(|l| {
        let successors = graph.successors(loops.header(l)).iter();
        let mut inside: Vec<_> = successors.filter(|&&to| loops.contains(l, to)).collect();
        inside.dedup();
        inside.len() > 1
    });
    if !weak && branches_inside {
        return None;
    }
    let mut text = String::from(
        "target triple = \"nvptx64-nvidia-cuda\"\n\
         declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n\
         define ptx_kernel void @f(i32 %n, ptr addrspace(1) %p) {\n",
    );
    for block in graph.nodes() {
        let b = block.index();
        let _ = writeln!(text, "b{b}:");
        let mut merged = "%n".to_string();
        if b == 0 {
            text.push_str("  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n");
        } else {
            for name in ["x", "w"] {
                let mut operands = Vec::new();
                let one = rng.below(3) == 0;
                for from in graph.predecessors(block) {
                    let known = operands.iter().find(|&&(f, _)| f == from);
                    let leaves = loops.innermost(from).is_some_and(|l| !loops.contains(l, block));
                    let operand = match known {
                        Some((_, operand)) => String::clone(operand),
                        None if leaves && !weak => format!("%y{}", from.index()),
                        None if one => "%n".into(),
                        None => match rng.below(if weak { 6 } else { 5 }) {
                            0 => "undef".into(),
                            1 => "%n".into(),
                            5 => format!("{}", rng.below(3)),
                            _ => format!("%y{}", from.index()),
                        },
                    };
                    operands.push((from, operand));
                }
                let list: Vec<String> = operands
                    .iter()
                    .map(|(from, operand)| format!("[ {operand}, %b{} ]", from.index()))
                    .collect();
                let _ = writeln!(text, "  %{name}{b} = phi i32 {}", list.join(", "));
            }
            merged = format!("%x{b}");
        }
        let _ = writeln!(text, "  %y{b} = add i32 {merged}, 1");
        let above: Vec<Node> =
            graph.nodes().filter(|&a| a != block && dominators.dominates(a, block)).collect();
        if !above.is_empty() && rng.below(2) == 0 {
            let from = above[rng.below(above.len())].index();
            let _ = writeln!(text, "  %z{b} = add i32 %y{from}, 1");
            let _ = writeln!(text, "  store i32 %z{b}, ptr addrspace(1) %p");
        }
        let successors = graph.successors(block);
        let condition = match rng.below(4) {
            0 => "%tid".to_string(),
            1 => "%n".into(),
            _ => format!("%y{b}"),
        };
        match successors {
            [] => text.push_str("  ret void\n"),
            [one] => {
                let _ = writeln!(text, "  br label %b{}", one.index());
            }
            [first, rest @ ..] => {
                let _ = write!(text, "  switch i32 {condition}, label %b{} [", first.index());
                for (i, target) in rest.iter().enumerate() {
                    let _ = write!(text, " i32 {i}, label %b{}", target.index());
                }
                text.push_str(" ]\n");
            }
        }
    }
    Some(text + "}\n")
}

/// How many of some random kernels are printed the same, and how many verdicts differ either way.
fn compare(seed: u64, weak: bool) -> (usize, usize, usize) {
    let mut rng = Rng::new(seed);
    let (mut seen, mut same, mut ours_varies, mut theirs_varies) = (0, 0, 0, 0);
    while seen < 1500 {
        let Some(text) = kernel(&mut rng, weak) else { continue };
        seen += 1;
        for (theirs, ours) in both(text.as_bytes(), "random") {
            same += usize::from(ordered(&theirs) == ordered(&ours));
            let varying = |text: &str| -> BTreeSet<String> {
                let lines = text.lines().filter(|line| line.starts_with("  DIVERGENT: "));
                lines.map(String::from).collect()
            };
            let (theirs, ours) = (varying(&theirs), varying(&ours));
            ours_varies += ours.difference(&theirs).count();
            theirs_varies += theirs.difference(&ours).count();
        }
    }
    (same, ours_varies, theirs_varies)
}

#[test]
fn same_verdicts_on_random_kernels() {
    let (same, ours_varies, theirs_varies) = compare(22, false);
    // In a few nests of loops that share blocks at their ends LLVM takes more to be varying.
    assert!(same >= 1485, "only {same} of 1500 are the same");
    assert_eq!(ours_varies, 0);
    assert!(theirs_varies <= 60, "{theirs_varies} more are varying for LLVM");
}

#[test]
fn where_llvm_is_weak_it_says_less_is_varying() {
    let (same, ours_varies, theirs_varies) = compare(23, true);
    assert!(same >= 1460, "only {same} of 1500 are the same");
    assert!(ours_varies > 0, "LLVM is not wrong any more");
    assert!(theirs_varies <= 10, "{theirs_varies} more are varying for LLVM");
}

/// What was found in a kernel, by name: uniform values, and blocks at whose ends threads part.
fn verdicts<L: Lattice>(function: &lw_ir::Function) -> BTreeMap<String, bool> {
    let target = Target::new(Gpu::Nvptx).with_block([128, 1, 1]);
    let found = analyze(function, &target.sources::<L>(function), &target.options(None));
    let mut verdicts = BTreeMap::new();
    for &block in function.blocks() {
        verdicts.insert(function.display_block(block).to_string(), !found.is_divergent(block));
        for &inst in function.insts(block) {
            if let Some(result) = function[inst].result.expand() {
                let name = function.display_value(result).to_string();
                verdicts.insert(name, found.is_uniform(result));
            }
        }
    }
    verdicts
}

/// 000 §6: where a definition definitely reaches a use, it need not be closed by a φ at the exit of its loop.
#[test]
fn loop_closed_form_is_not_needed() {
    let mut rng = Rng::new(24);
    let (mut seen, mut closed, mut verdicts_seen, mut better) = (0, 0, 0, 0);
    while seen < 3000 {
        let Some(text) = kernel(&mut rng, true) else { continue };
        seen += 1;
        let context = Context::new();
        let mut module = context.parse_module(text.as_bytes(), "random").expect("it is correct");
        let mut import = || {
            let mut bridge = module.bridge().expect("it can be imported");
            let id = bridge.functions()[0];
            bridge.import(id).function
        };
        let open = import();
        module.run_passes("function(lcssa)", None).expect("the pass runs");
        let mut bridge = module.bridge().expect("it can be imported");
        let id = bridge.functions()[0];
        let shut = bridge.import(id).function;
        closed += usize::from(shut.inst_count() > open.inst_count());
        let pairs = [
            (verdicts::<Basic>(&open), verdicts::<Basic>(&shut)),
            (verdicts::<Stride>(&open), verdicts::<Stride>(&shut)),
        ];
        for (open, shut) in pairs {
            for (name, uniform) in open {
                verdicts_seen += 1;
                let closed = shut[&name];
                assert!(uniform || !closed, "{name}\n{text}");
                better += usize::from(uniform != closed);
            }
        }
    }
    assert!(closed > 200, "only {closed} kernels needed closing");
    // Where the exit of a loop is the header of another, the φ that closes the first is a value of the second: it looks as if it
    // could be different in each iteration of that.
    assert!(
        better * 200 < verdicts_seen,
        "{better} of {verdicts_seen} verdicts are better without"
    );
}

/// The same both ways where no exit of a loop is a header.
#[test]
fn with_exits_of_their_own_loop_closed_form_changes_nothing() {
    let mut rng = Rng::new(25);
    let (mut seen, mut closed) = (0, 0);
    while seen < 1000 {
        let Some(text) = kernel(&mut rng, true) else { continue };
        seen += 1;
        let context = Context::new();
        let mut module = context.parse_module(text.as_bytes(), "random").expect("it is correct");
        let mut import = |passes: &str| {
            module.run_passes(passes, None).expect("the passes run");
            let mut bridge = module.bridge().expect("it can be imported");
            let id = bridge.functions()[0];
            bridge.import(id).function
        };
        let open = import("function(loop-simplify)");
        let shut = import("function(lcssa)");
        closed += usize::from(shut.inst_count() > open.inst_count());
        let pairs = [
            (verdicts::<Basic>(&open), verdicts::<Basic>(&shut)),
            (verdicts::<Stride>(&open), verdicts::<Stride>(&shut)),
        ];
        for (open, shut) in pairs {
            for (name, uniform) in open {
                assert_eq!(uniform, shut[&name], "{name}\n{text}");
            }
        }
    }
    assert!(closed > 70, "only {closed} kernels needed closing");
}
