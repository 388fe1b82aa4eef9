//! Activation: which blocks are executed by some of the threads only (001 §6.3, adep* and cdep*).
//!
//! A block has a varying *control mask* if a divergent branch decides, directly or through other branches, whether a thread comes
//! to it. All blocks of a loop that threads leave in different iterations have one, and those of a
//! desynchronized loop. A thread that never ends may keep blocks from being executed by all: if a branch leads to a
//! loop without exit, all it reaches has a varying control mask.

use crate::control::Control;
use lw_graph::{ControlDependence, Node, PostDominatorTree};

/// By block: the divergent branch because of which its control mask varies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Activation(Vec<Option<Node>>);

impl Activation {
    /// No branch is divergent.
    pub(crate) fn none(blocks: usize) -> Activation {
        Activation(vec![None; blocks])
    }

    /// What the divergent branches found so far mean for activation.
    pub fn compute(control: &Control) -> Activation {
        let graph = control.graph();
        let post_dominators = PostDominatorTree::compute(graph);
        let dependence = ControlDependence::compute(graph, &post_dominators);
        let mut causes: Vec<Option<Node>> = vec![None; graph.node_count()];
        let mut stack: Vec<Node> = Vec::new();
        let is_trap = |block: Node| !post_dominators.reaches_end(block);
        let trap = graph.nodes().any(is_trap);
        for &branch in control.branches() {
            let mut mark = |block: Node, causes: &mut Vec<Option<Node>>| {
                if causes[block.index()].is_none() {
                    causes[block.index()] = Some(branch);
                    stack.push(block);
                }
            };
            if trap {
                let reached = reached(control, branch);
                if reached.iter().any(|&block| is_trap(block)) {
                    reached.iter().for_each(|&block| mark(block, &mut causes));
                }
            }
            for block in dependence.dependents(branch) {
                mark(block, &mut causes);
            }
            while let Some(block) = stack.pop() {
                for dependent in dependence.dependents(block) {
                    if causes[dependent.index()].is_none() {
                        causes[dependent.index()] = Some(branch);
                        stack.push(dependent);
                    }
                }
            }
        }
        for block in graph.nodes() {
            let loops = control.loops();
            let around = std::iter::successors(loops.innermost(block), |&l| loops.parent(l));
            let left = around.clone().find_map(|l| control.divergent_loop(l));
            let cause = left.or_else(|| control.desynchronized(block));
            causes[block.index()] = causes[block.index()].or(cause);
        }
        Activation(causes)
    }

    /// The divergent branch because of which some threads execute this block and some do not.
    pub fn varies(&self, block: Node) -> Option<Node> {
        self.0[block.index()]
    }
}

fn reached(control: &Control, branch: Node) -> Vec<Node> {
    let graph = control.graph();
    let mut seen = vec![false; graph.node_count()];
    let mut stack = graph.successors(branch).to_vec();
    let mut all = Vec::new();
    while let Some(node) = stack.pop() {
        if !std::mem::replace(&mut seen[node.index()], true) {
            all.push(node);
            stack.extend(graph.successors(node));
        }
    }
    all
}
