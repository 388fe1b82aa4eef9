//! Pseudo-uses (property LINK of 003): what must be looked at again when a variable changes, beside the instructions that use it.

use crate::control::Control;
use crate::objects::Objects;
use lw_graph::{Graph, Node};
use lw_ir::{Block, Function, Inst, Op, Value};
use lw_sparse::function::{block, inst, var};
use lw_sparse::{Pos, Var, View};
use rustc_hash::FxHashMap;

/// What depends on a variable beside the instructions that use it.
#[derive(Default)]
pub(crate) struct Users {
    /// Blocks whose terminator decides by it.
    pub(crate) branches: FxHashMap<Var, Vec<Node>>,
    /// Blocks whose predicate it is.
    pub(crate) predicates: FxHashMap<Var, Vec<Node>>,
    /// Stores to tracked objects that read it.
    pub(crate) stores: FxHashMap<Var, Vec<Pos>>,
    /// Blocks whose φs read its definition, wherever a version of it is used.
    pub(crate) phis: FxHashMap<Var, Vec<Node>>,
    /// Entries of irreducible cycles with φs of the view for it. Each reads what arrives at the others.
    pub(crate) entries: FxHashMap<Var, Vec<Node>>,
    /// `total` instructions that read it.
    pub(crate) total: FxHashMap<Var, Vec<Pos>>,
    /// By block: instructions that depend on which threads execute it.
    pub(crate) activation: FxHashMap<Node, Vec<Pos>>,
    /// By variable: whether one of the tables of variables above has it.
    pub(crate) any: Vec<bool>,
    /// φs with so many operands that searching them would take long: what they read, by the block control comes from.
    pub(crate) wide_phis: FxHashMap<Inst, FxHashMap<Block, Value>>,
}

/// From how many operands on a φ is wide.
const WIDE: usize = 16;

impl Users {
    /// Finds them, and the blocks at whose end threads may part whatever they compute.
    pub(crate) fn find(
        function: &Function,
        view: &View,
        control: &Control,
        objects: &Objects,
    ) -> (Users, Vec<Node>) {
        let code = view.code();
        let mut users = Users::default();
        let variable = |value: Value| function.as_constant(value).is_none().then(|| var(value));
        let mut at_once = Vec::new();
        for &at in code.block_index().order() {
            for pos in code.positions(at) {
                let data = &function[inst(code.instr(pos))];
                match &data.op {
                    Op::Phi if data.args.len() >= WIDE => {
                        let operands = data.incoming().map(|(arg, from)| (from, arg)).collect();
                        users.wide_phis.insert(inst(code.instr(pos)), operands);
                    }
                    Op::CondBr | Op::Switch | Op::IndirectBr if is_branch(code.graph(), at) => {
                        let decides = variable(data.args[0]);
                        decides.into_iter().for_each(|v| {
                            users.branches.entry(v).or_default().push(at);
                        });
                    }
                    Op::Invoke(_) | Op::Opaque(_)
                        if data.op.is_terminator() && is_branch(code.graph(), at) =>
                    {
                        at_once.push(at);
                    }
                    Op::Store(_) if !objects.pointees(data.args[1]).is_empty() => {
                        for v in data.args.iter().filter_map(|&arg| variable(arg)) {
                            users.stores.entry(v).or_default().push(pos);
                        }
                    }
                    _ => {}
                }
                let shadow = data.shadow().is_some();
                if data.total || data.op == Op::Mask || shadow {
                    users.activation.entry(at).or_default().push(pos);
                }
                if data.total {
                    for v in data.args.iter().filter_map(|&arg| variable(arg)) {
                        users.total.entry(v).or_default().push(pos);
                        // It also looks at threads that did not execute the definition.
                        let defined = code.definition(v).map(|pos| code.block(pos));
                        if let Some(defined) = defined.filter(|&defined| defined != at) {
                            users.activation.entry(defined).or_default().push(pos);
                        }
                    }
                }
            }
            if let Some(predicate) = function.predicate(block(at)).and_then(variable) {
                users.predicates.entry(predicate).or_default().push(at);
            }
        }
        let several = |at: Node| control.entered_with(at).is_some();
        for phi in view.phis().iter().filter(|phi| several(phi.block)) {
            users.entries.entry(phi.var).or_default().push(phi.block);
        }
        users.any = vec![false; code.variable_count()];
        let nodes = users.branches.keys().chain(users.predicates.keys());
        let nodes = nodes.chain(users.entries.keys());
        for v in nodes.chain(users.stores.keys()).chain(users.total.keys()) {
            users.any[v.index()] = true;
        }
        (users, at_once)
    }
}

/// Whether control may leave a block to different blocks.
pub(crate) fn is_branch(graph: &Graph, at: Node) -> bool {
    graph.successors(at).windows(2).any(|pair| pair[0] != pair[1])
}
