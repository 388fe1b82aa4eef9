//! Definitions dominate uses, and predicates their blocks.

use super::Report;
use crate::cfg::Cfg;
use crate::entities::{Block, Inst, Value};
use crate::function::ValueDef;
use crate::inst::Op;
use cranelift_entity::SecondaryMap;
use lw_graph::DominatorTree;

pub(super) fn check(report: &mut Report<'_>) {
    let function = report.function;
    let Some(cfg) = Cfg::compute(function) else { return };
    let dominators = DominatorTree::compute(cfg.graph());
    let reachable = |block: Block| dominators.is_reachable(cfg.node(block));
    let dominates = |a: Block, b: Block| dominators.dominates(cfg.node(a), cfg.node(b));
    let mut order: SecondaryMap<Inst, u32> = SecondaryMap::new();
    for (number, (_, inst)) in function.all_insts().enumerate() {
        order[inst] = number as u32;
    }
    let definition = |value: Value| match function.def(value) {
        ValueDef::Inst(inst) => function.block_of(*inst).map(|block| (block, *inst)),
        _ => None,
    };
    for (block, inst) in function.all_insts() {
        if !reachable(block) {
            continue;
        }
        let data = &function[inst];
        for (index, &arg) in data.args.iter().enumerate() {
            let Some((home, def)) = definition(arg) else { continue };
            let fine = match (&data.op, data.targets.get(index)) {
                (Op::Phi, Some(&from)) => !reachable(from) || dominates(home, from),
                // The shadow of a φ is read where the φ stands, before it is assigned (001 §4.8).
                (Op::Phi, None) if home == block => {
                    function[def].op == Op::Phi || order[def] < order[inst]
                }
                _ if home == block => order[def] < order[inst],
                _ => dominates(home, block),
            };
            if !fine {
                let shown = function.display_value(arg);
                report.inst(block, inst, format!("{shown} does not dominate this use"));
            }
        }
    }
    for &block in function.blocks() {
        let Some(predicate) = function.predicate(block) else { continue };
        if function.ty(predicate) != crate::types::Type::I1 {
            report.block(block, "a predicate has type i1");
        }
        let Some((home, def)) = definition(predicate) else { continue };
        if home != block {
            if reachable(block) && !dominates(home, block) {
                report.block(
                    block,
                    "the definition of a predicate dominates the block (001 Def. 11.1)",
                );
            }
            continue;
        }
        let before = function.insts(block).iter().take_while(|&&inst| inst != def);
        let partial = before.copied().find(|&i| function[i].op != Op::Phi && !function[i].total);
        let own = function[def].op == Op::Phi || function[def].total;
        if partial.is_some() || !own {
            let message = "up to its own predicate, a block has only φs and total instructions (001 Def. 11.1)";
            report.block(block, message);
        }
    }
}
