//! Activation: which blocks are executed by some of the threads only (001 §6.3, adep* and cdep*).
//!
//! A block has a varying *control mask* if a divergent branch decides, directly or through other branches, whether a thread comes
//! to it. All blocks of a loop that threads leave in different iterations have one, and those of a
//! desynchronized loop. A thread that never ends may keep blocks from being executed by all: if a branch leads to a
//! loop without exit, all it reaches has a varying control mask.
//!
//! Branches are found to be divergent one after the other, and each block is found once: together they take almost linear time.

use crate::control::{Control, News};
use lw_graph::{Dependents, Graph, Loop, Node};

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
        let mut causes: Vec<Option<Node>> = vec![None; graph.node_count()];
        let mut decided = Decided::new(graph);
        for &branch in control.branches() {
            for block in decided.by(graph, branch) {
                causes[block.index()] = Some(branch);
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

/// The same while divergent branches are being found, without the causes.
#[derive(Debug)]
pub(crate) struct Growing {
    decided: Decided,
    varies: Vec<bool>,
    /// By loop: whether the masks of all its blocks vary.
    loops: Vec<bool>,
}

impl Growing {
    /// No branch is divergent yet.
    pub(crate) fn new(control: &Control) -> Growing {
        let graph = control.graph();
        Growing {
            decided: Decided::new(graph),
            varies: vec![false; graph.node_count()],
            loops: vec![false; control.loops().len()],
        }
    }

    /// Whether some threads execute this block and some do not.
    pub(crate) fn varies(&self, block: Node) -> bool {
        self.varies[block.index()]
    }

    /// Threads part at another branch, which is news: the blocks that only some of them execute because of that.
    pub(crate) fn diverge(&mut self, control: &Control, branch: Node, news: &News) -> Vec<Node> {
        let mut found = self.decided.by(control.graph(), branch);
        let loops = control.loops();
        let mut stack: Vec<Loop> = news.left.iter().chain(&news.desynchronized).copied().collect();
        while let Some(l) = stack.pop() {
            if !std::mem::replace(&mut self.loops[l.index()], true) {
                let own = loops.own_blocks(l).iter().copied();
                found.extend(own.filter(|&block| control.is_block(block)));
                stack.extend(loops.children(l));
            }
        }
        found.retain(|&block| !std::mem::replace(&mut self.varies[block.index()], true));
        found
    }
}

/// What branches decide about, each block once.
#[derive(Debug)]
struct Decided {
    dependents: Dependents,
    /// If there are loops without exit, by block: whether control may come to one from here.
    to_trap: Option<Vec<bool>>,
    /// By block: whether a branch from which control may come to such a loop leads here.
    reached: Vec<bool>,
}

impl Decided {
    fn new(graph: &Graph) -> Decided {
        let dependents = Dependents::new(graph);
        let is_trap = |&block: &Node| !dependents.post_dominators().reaches_end(block);
        let mut stack: Vec<Node> = graph.nodes().filter(is_trap).collect();
        let to_trap = (!stack.is_empty()).then(|| {
            let mut to_trap = vec![false; graph.node_count()];
            while let Some(block) = stack.pop() {
                if !std::mem::replace(&mut to_trap[block.index()], true) {
                    stack.extend(graph.predecessors(block));
                }
            }
            to_trap
        });
        Decided { dependents, to_trap, reached: vec![false; graph.node_count()] }
    }

    /// The blocks that this branch decides about, and none before.
    fn by(&mut self, graph: &Graph, branch: Node) -> Vec<Node> {
        let mut also = Vec::new();
        let leads =
            |to_trap: &Vec<bool>| graph.successors(branch).iter().any(|b| to_trap[b.index()]);
        if self.to_trap.as_ref().is_some_and(leads) {
            let mut stack = graph.successors(branch).to_vec();
            while let Some(block) = stack.pop() {
                if !std::mem::replace(&mut self.reached[block.index()], true) {
                    also.push(block);
                    stack.extend(graph.successors(block));
                }
            }
        }
        self.dependents.of(branch, &also)
    }
}
