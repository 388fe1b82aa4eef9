//! Blocks, terminators, φs and the number of operands.

use super::Report;
use crate::entities::{Block, Inst, Value};
use crate::function::{Function, ValueDef};
use crate::inst::Op;
use cranelift_entity::{EntityRef, SecondaryMap};

pub(super) fn check(report: &mut Report<'_>) {
    let function = report.function;
    let mut predecessors: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
    let mut known: SecondaryMap<Block, bool> = SecondaryMap::new();
    for &block in function.blocks() {
        known[block] = true;
        if function.insts(block).is_empty() {
            report.block(block, "a block ends in a terminator; this one is empty");
        }
    }
    for (block, inst) in function.all_insts() {
        check_inst(report, block, inst, &known);
    }
    if !report.errors.is_empty() {
        return;
    }
    for &block in function.blocks() {
        for &successor in function.successors(block) {
            predecessors[successor].push(block);
        }
    }
    if let Some(entry) = function.entry()
        && !predecessors[entry].is_empty()
    {
        report.block(entry, "the entry block has no predecessors");
    }
    for &block in function.blocks() {
        predecessors[block].sort();
        for phi in function.phis(block) {
            let mut incoming = function[phi].targets.to_vec();
            incoming.sort();
            if incoming != predecessors[block] {
                report.inst(block, phi, "a φ has one entry for each edge into its block");
            } else {
                same_value_on_parallel_edges(report, block, phi);
            }
        }
    }
}

/// Two edges from the same block bring the same value.
fn same_value_on_parallel_edges(report: &mut Report<'_>, block: Block, phi: Inst) {
    let mut seen: Vec<(Block, Value)> = Vec::new();
    for (value, from) in report.function[phi].incoming() {
        match seen.iter().find(|(block, _)| *block == from) {
            Some(&(_, other)) if other != value => {
                report.inst(block, phi, "parallel edges into a φ bring the same value");
                return;
            }
            Some(_) => {}
            // A long list is only searched where there are parallel edges, which come from switches.
            None => seen.push((from, value)),
        }
    }
}

fn check_inst(
    report: &mut Report<'_>,
    block: Block,
    inst: Inst,
    known: &SecondaryMap<Block, bool>,
) {
    let function = report.function;
    let data = &function[inst];
    let last = function.insts(block).last() == Some(&inst);
    if data.op.is_terminator() != last {
        let message = if last {
            "a block ends in a terminator"
        } else {
            "a terminator stands only at the end of a block"
        };
        report.inst(block, inst, message);
    }
    if data.op == Op::Phi && !is_leading(function, block, inst) {
        report.inst(block, inst, "φs stand before all other instructions");
    }
    if data.targets.iter().any(|&target| !known[target]) {
        report.add(
            Some(block),
            None,
            format!("`{}` mentions a block that is gone", data.op.mnemonic()),
        );
        return;
    }
    for &arg in &data.args {
        if arg.index() >= function.value_count() {
            report.add(
                Some(block),
                None,
                format!("`{}` has an operand that is not there", data.op.mnemonic()),
            );
            return;
        }
        let gone =
            matches!(function.def(arg), ValueDef::Inst(i) if function.block_of(*i).is_none());
        if gone {
            report.inst(block, inst, "an operand is the result of an erased instruction");
        }
    }
    if let Some(message) = wrong_counts(function, inst) {
        report.add(Some(block), None, format!("`{}`: {message}", data.op.mnemonic()));
    }
}

fn is_leading(function: &Function, block: Block, phi: Inst) -> bool {
    function.phis(block).any(|other| other == phi)
}

/// What is wrong with the number of operands and targets.
fn wrong_counts(function: &Function, inst: Inst) -> Option<String> {
    let data = &function[inst];
    let (args, targets) = (data.args.len(), data.targets.len());
    let fixed =
        |wanted: usize| (args != wanted).then(|| format!("takes {wanted} operands, has {args}"));
    let wrong_args = match &data.op {
        Op::FNeg | Op::Cast(_) | Op::Freeze | Op::ExtractValue(_) | Op::Alloca(_) | Op::Load(_) => {
            fixed(1)
        }
        Op::VaArg | Op::CondBr | Op::IndirectBr | Op::Resume => fixed(1),
        Op::Binary(_) | Op::ICmp(_) | Op::FCmp(_) | Op::ExtractElement | Op::ShuffleVector(_) => {
            fixed(2)
        }
        Op::InsertValue(_) | Op::Store(_) | Op::AtomicRmw(..) => fixed(2),
        Op::Select | Op::InsertElement | Op::CmpXchg(_) => fixed(3),
        Op::Fence(_) | Op::Br | Op::Unreachable | Op::Mask => fixed(0),
        Op::Horizontal(op) => fixed(op.arity()),
        Op::LandingPad(info) => fixed(info.filters.len()),
        Op::Switch => fixed(targets),
        Op::Phi => (args != targets && args != targets + 1)
            .then(|| "has one value for each edge and at most one shadow".to_string()),
        Op::Gep(_) => (args == 0).then(|| "needs a pointer".to_string()),
        Op::Ret => (args > 1).then(|| "returns at most one value".to_string()),
        Op::Call(info) | Op::Invoke(info) => (args < 1 + info.bundle_operands())
            .then(|| "needs a callee and the operands of its bundles".to_string()),
        Op::Opaque(_) => None,
    };
    let wanted_targets = match &data.op {
        Op::Br => Some(1),
        Op::CondBr | Op::Invoke(_) => Some(2),
        Op::Switch => (targets == 0).then_some(1),
        Op::IndirectBr | Op::Phi => None,
        Op::Opaque(info) if info.terminator => None,
        _ => Some(0),
    };
    wrong_args.or_else(|| {
        let wanted = wanted_targets.filter(|&wanted| wanted != targets)?;
        Some(format!("takes {wanted} targets, has {targets}"))
    })
}
