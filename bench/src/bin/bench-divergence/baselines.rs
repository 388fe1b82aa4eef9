//! Other ways to find what a divergent branch does, for comparison: they share the verdicts on instructions that are no φs with
//! ours (basic lattice) and differ in which φs they take to be varying. Programs are in loop-closed form.
//!
//! - [`Kind::StrongPd`]: 000 §7.1, control dependence by strong post-dominance. A loop exit is divergent if it depends on a
//!   divergent branch, directly or through other branches; another join if one of its predecessors does.
//! - [`Kind::Gated`]: 002 §3.2. A φ is gated by the branches between the immediate dominator of its block and the
//!   block; a value that leaves a loop by the branches that leave it.
//! - [`Kind::Reconvergence`]: threads that part at a branch are apart until its immediate post-dominator. φs on the way and there
//!   are varying; if the branch is in a loop and the post-dominator is not, so is what leaves the loop.

use lw_divergence::{Basic, Cause, Divergence};
use lw_graph::{
    ControlDependence, DominatorTree, Graph, LoopForest, Node, PostDominatorTree,
    StrongControlDependence, StrongPostDominators,
};
use lw_ir::{Function, Inst, Op, Value};
use lw_sparse::function::{block, node};
use std::collections::HashSet;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    StrongPd,
    Gated,
    Reconvergence,
}

/// What a baseline says: values that vary, branches that diverge, loops that are left in different iterations.
#[derive(Clone, Debug, Default)]
pub(crate) struct Verdicts {
    pub(crate) varying: HashSet<Value>,
    pub(crate) branches: HashSet<Node>,
    pub(crate) loops: HashSet<Node>,
}

/// What follows from one divergent branch: blocks whose φs mix values, blocks at which loops are left in different iterations.
struct Joins {
    mixed: Vec<Node>,
    left: Vec<Node>,
}

struct Shape<'a> {
    function: &'a Function,
    graph: Graph,
    loops: LoopForest,
    dominators: DominatorTree,
    /// By block: whether it is the target of an edge that leaves a loop.
    is_exit: Vec<bool>,
}

/// Runs a baseline beside what we found.
pub(crate) fn run(function: &Function, ours: &Divergence<Basic>, kind: Kind) -> Verdicts {
    let code = ours.view().code();
    let (graph, loops) = (code.graph().clone(), code.loops().clone());
    let mut is_exit = vec![false; graph.node_count()];
    for edge in graph.edges() {
        let (from, to) = (graph.source(edge), graph.target(edge));
        is_exit[to.index()] |= loops.innermost(from).is_some_and(|l| !loops.contains(l, to));
    }
    let dominators = code.dominators().clone();
    let shape = Shape { function, graph, loops, dominators, is_exit };
    let joins = shape.joins(kind);
    let mut verdicts = Verdicts::default();
    verdicts.varying.extend(function.params().iter().filter(|&&param| !ours.is_uniform(param)));
    let mut mixed = vec![false; shape.graph.node_count()];
    let mut left = vec![false; shape.graph.node_count()];
    loop {
        let before = (verdicts.varying.len(), verdicts.branches.len());
        for &at in function.blocks() {
            if !code.is_reachable(node(at)) {
                continue;
            }
            for &inst in function.insts(at) {
                let varies = shape.varies(ours, &verdicts, inst, &mixed, &left);
                if let (true, Some(result)) = (varies, function[inst].result.expand()) {
                    verdicts.varying.insert(result);
                }
                let parts = function[inst].op.is_terminator()
                    && shape.graph.successors(node(at)).windows(2).any(|w| w[0] != w[1])
                    && function[inst].args.iter().any(|arg| verdicts.varying.contains(arg));
                if parts && verdicts.branches.insert(node(at)) {
                    let Joins { mixed: more, left: leaving } = joins(node(at));
                    more.iter().for_each(|b| mixed[b.index()] = true);
                    for exit in leaving {
                        left[exit.index()] = true;
                        shape.leave(exit, &mut verdicts);
                    }
                }
            }
        }
        if before == (verdicts.varying.len(), verdicts.branches.len()) {
            return verdicts;
        }
    }
}

impl Shape<'_> {
    fn varies(
        &self,
        ours: &Divergence<Basic>,
        verdicts: &Verdicts,
        inst: Inst,
        mixed: &[bool],
        left: &[bool],
    ) -> bool {
        let data = &self.function[inst];
        let operand = || data.args.iter().any(|arg| verdicts.varying.contains(arg));
        if data.op == Op::Phi {
            let at = self.function.block_of(inst).map(node);
            let defined = data.args.iter().filter(|&&arg| !is_undefined(self.function, arg));
            let differs = defined.clone().zip(defined.skip(1)).any(|(a, b)| a != b);
            let at = at.map_or(0, Node::index);
            return operand() || mixed[at] && differs || left[at] && self.reads_loop(inst);
        }
        let Some(result) = data.result.expand() else { return false };
        match ours.cause(result) {
            None | Some(Cause::Operand(_) | Cause::Join { .. } | Cause::LoopExit { .. }) => {
                operand() && !self.is_always_uniform(ours, inst)
            }
            Some(_) => true,
        }
    }

    /// Whether an instruction is uniform although an operand varies.
    fn is_always_uniform(&self, ours: &Divergence<Basic>, inst: Inst) -> bool {
        let data = &self.function[inst];
        let varying = data.args.iter().any(|&arg| !ours.is_uniform(arg));
        varying && data.result.expand().is_some_and(|result| ours.is_uniform(result))
    }

    /// Whether a φ reads something that a loop defines which does not contain it.
    fn reads_loop(&self, phi: Inst) -> bool {
        let Some(at) = self.function.block_of(phi).map(node) else { return false };
        self.function[phi].args.iter().any(|&arg| {
            let defined = self.function.def_inst(arg).and_then(|d| self.function.block_of(d));
            let innermost = defined.and_then(|b| self.loops.innermost(node(b)));
            innermost.is_some_and(|l| !self.loops.contains(l, at))
        })
    }

    /// The loops that are left at a block count as divergent.
    fn leave(&self, exit: Node, verdicts: &mut Verdicts) {
        for from in self.graph.predecessors(exit) {
            let around =
                std::iter::successors(self.loops.innermost(from), |&l| self.loops.parent(l));
            for l in around.take_while(|&l| !self.loops.contains(l, exit)) {
                verdicts.loops.insert(self.loops.header(l));
            }
        }
    }

    fn joins(&self, kind: Kind) -> Box<dyn Fn(Node) -> Joins + '_> {
        let joined = |node: &Node| self.graph.predecessor_edges(*node).len() > 1;
        match kind {
            Kind::StrongPd => {
                let strong = StrongPostDominators::compute(&self.graph);
                Box::new(move |branch| {
                    let dependence = StrongControlDependence::new(&self.graph, &strong);
                    let depends = self.closure(branch, |b| dependence.dependents(b));
                    let (exits, rest): (Vec<Node>, Vec<Node>) =
                        self.graph.nodes().partition(|b| self.is_exit[b.index()]);
                    let left: Vec<Node> =
                        exits.into_iter().filter(|b| depends[b.index()]).collect();
                    let one = |b: &Node| {
                        let mut from = self.graph.predecessors(*b);
                        joined(b) && from.any(|p| depends[p.index()] || p == branch)
                    };
                    let mixed = rest.into_iter().filter(one).chain(left.iter().copied()).collect();
                    Joins { mixed, left }
                })
            }
            Kind::Gated => {
                let post = PostDominatorTree::compute(&self.graph);
                Box::new(move |branch| {
                    let dependence = ControlDependence::compute(&self.graph, &post);
                    let depends = self.closure(branch, |b| dependence.dependents(b));
                    let gated = |b: &Node| {
                        let Some(top) = self.dominators.immediate(*b) else { return false };
                        let mut from = self.graph.predecessors(*b);
                        self.dominators.dominates(top, branch)
                            && !self.dominators.strictly_dominates(branch, top)
                            && joined(b)
                            && from.any(|p| depends[p.index()] || p == branch)
                    };
                    let mixed = self.graph.nodes().filter(gated).collect();
                    let leaves = |b: &&Node| {
                        self.loops.innermost(branch).is_some_and(|l| !self.loops.contains(l, **b))
                    };
                    let left = self.graph.successors(branch).iter().filter(leaves).copied();
                    Joins { mixed, left: left.collect() }
                })
            }
            Kind::Reconvergence => {
                let post = PostDominatorTree::compute(&self.graph);
                Box::new(move |branch| {
                    let end = post.immediate(branch);
                    let mut seen = vec![false; self.graph.node_count() + 1];
                    let mut stack = self.graph.successors(branch).to_vec();
                    while let Some(b) = stack.pop() {
                        if !std::mem::replace(&mut seen[b.index()], true) && Some(b) != end {
                            stack.extend(self.graph.successors(b));
                        }
                    }
                    let mixed = self.graph.nodes().filter(|b| seen[b.index()] && joined(b));
                    let left = |b: &Node| {
                        let mut from =
                            self.graph.predecessors(*b).filter(|p| seen[p.index()] || *p == branch);
                        self.is_exit[b.index()]
                            && seen[b.index()]
                            && from.any(|p| {
                                self.loops.innermost(p).is_some_and(|l| !self.loops.contains(l, *b))
                            })
                    };
                    let left = self.graph.nodes().filter(left).collect();
                    Joins { mixed: mixed.collect(), left }
                })
            }
        }
    }

    /// The blocks that depend on a branch, directly or through other branches.
    fn closure(&self, branch: Node, dependents: impl Fn(Node) -> Vec<Node>) -> Vec<bool> {
        let mut depends = vec![false; self.graph.node_count()];
        let mut stack = dependents(branch);
        while let Some(b) = stack.pop() {
            if !std::mem::replace(&mut depends[b.index()], true) {
                stack.extend(dependents(b));
            }
        }
        depends
    }
}

fn is_undefined(function: &Function, value: Value) -> bool {
    use lw_ir::constant::ConstantKind;
    let kind = function.as_constant(value).map(|constant| &constant.kind);
    matches!(kind, Some(ConstantKind::Undef | ConstantKind::Poison))
}

/// The block of a node, for messages.
pub(crate) fn name(function: &Function, at: Node) -> String {
    function.display_block(block(at)).to_string()
}
