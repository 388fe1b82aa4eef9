//! Blocks and edges: all reachable, at most one edge between two blocks, one return.

use crate::decline::Declined;
use crate::edit;
use lw_graph::DepthFirst;
use lw_ir::constant::Constant;
use lw_ir::{Block, Function, InsertAt, InstData, Op, Type, Value};
use lw_sparse::Program;
use lw_sparse::function::node;
use rustc_hash::FxHashMap;

/// Removes blocks that control cannot reach.
pub(crate) fn remove_unreachable(function: &mut Function) {
    let dfs = DepthFirst::compute(&function.graph());
    let (reached, gone): (Vec<Block>, Vec<Block>) =
        function.blocks().iter().partition(|&&b| dfs.is_reachable(node(b)));
    for &b in &reached {
        for phi in function.phis(b).collect::<Vec<_>>() {
            let unreachable = |from: &&Block| !dfs.is_reachable(node(**from));
            let from: Vec<Block> =
                function[phi].targets.iter().filter(unreachable).copied().collect();
            edit::remove_all_incoming(function, phi, &from);
        }
    }
    function.erase_blocks(&gone);
}

/// Lets all returns go to one block. Where control cannot come, it goes there too.
pub(super) fn one_return(function: &mut Function) -> Result<(), Declined> {
    let ends: Vec<Block> =
        function.blocks().iter().copied().filter(|&b| function.successors(b).is_empty()).collect();
    let op = |function: &Function, b: Block| function.terminator(b).map(|t| function[t].op.clone());
    let returns = ends.iter().filter(|&&b| op(function, b) == Some(Op::Ret)).count();
    if returns == 0 {
        let help = "only what ends can be vectorized";
        return Err(Declined::region("the function never returns", help));
    }
    if ends.len() == 1 {
        return Ok(());
    }
    let ret = function.signature.ret;
    let end = function.add_named_block("return");
    let mut values: Vec<(Value, Block)> = Vec::new();
    for &b in &ends {
        let terminator = function.terminator(b).expect("blocks end in terminators");
        let value = match function[terminator].args.first() {
            Some(&value) if function[terminator].op == Op::Ret => Some(value),
            _ if ret != Type::Void => Some(function.constant(Constant::poison(ret))),
            _ => None,
        };
        edit::jump_instead(function, terminator, end);
        values.extend(value.map(|value| (value, b)));
    }
    let mut data = InstData::new(Op::Ret, Type::Void, &[]);
    if ret != Type::Void {
        let (args, blocks): (Vec<Value>, Vec<Block>) = values.into_iter().unzip();
        let phi = InstData::new(Op::Phi, ret, &args).with_targets(&blocks);
        let phi = function.insert(InsertAt::End(end), phi);
        data = InstData::new(Op::Ret, Type::Void, &[function.result(phi)]);
    }
    function.insert(InsertAt::End(end), data);
    Ok(())
}

/// Puts blocks on edges of which there are several between the same blocks.
pub(super) fn no_parallel_edges(function: &mut Function) {
    for b in function.blocks().to_vec() {
        let targets = function.successors(b).to_vec();
        if targets.len() == 2 && targets[0] == targets[1] {
            fold(function, b, targets[0]);
            continue;
        }
        let mut first: FxHashMap<Block, usize> = FxHashMap::default();
        for (i, &target) in targets.iter().enumerate() {
            first.entry(target).or_insert(i);
        }
        for (i, target) in targets.iter().enumerate().rev() {
            if first[target] < i {
                function.split_edge(b, i);
            }
        }
    }
}

/// A branch whose targets are the same is none.
fn fold(function: &mut Function, b: Block, to: Block) {
    let terminator = function.terminator(b).expect("a block with successors has a terminator");
    edit::jump_instead(function, terminator, to);
    for phi in function.phis(to).collect::<Vec<_>>() {
        edit::remove_incoming(function, phi, b);
    }
}
