//! Loops with several entries get one: a block that all ways into them, and back, lead to, and that sends control on.
//!
//! ```text
//! a → h1, b → h2, x → h1, y → h2        a, b, x, y → each a block of its own → dispatch: φ (where to), φs of h1 and h2
//!                                       dispatch → h1 or h2
//! ```
//!
//! What dominated a use still does: whoever comes to h1 through the new block could come to it before without passing anything in the
//! loop that does not dominate it.

use crate::edit::{self, Shape};
use lw_ir::constant::Constant;
use lw_ir::{Block, Function, InsertAt, InstData, Op, Type, Value};
use lw_sparse::function::block;
use rustc_hash::FxHashMap;

/// Makes all loops reducible.
pub(super) fn make_reducible(function: &mut Function) {
    loop {
        let shape = Shape::of(function);
        let Some(l) = shape.loops.irreducible_loops().next() else { return };
        let entries: Vec<Block> = shape.loops.entries(l).into_iter().map(block).collect();
        one_entry(function, &entries);
    }
}

fn one_entry(function: &mut Function, entries: &[Block]) {
    // Each edge gets a block, so that what it brings along has a place.
    let mut edges: Vec<(Block, usize)> = Vec::new();
    for b in function.blocks().to_vec() {
        let targets = function.successors(b).to_vec();
        for (i, target) in targets.iter().enumerate() {
            if let Some(entry) = entries.iter().position(|e| e == target) {
                edges.push((function.split_edge(b, i), entry));
            }
        }
    }
    let dispatch = edit::block_beside(function, entries[0], "dispatch");
    let mut replaced: FxHashMap<Value, Value> = FxHashMap::default();
    let from: Vec<Block> = edges.iter().map(|&(b, _)| b).collect();
    for (number, &entry) in entries.iter().enumerate() {
        for phi in function.phis(entry).collect::<Vec<_>>() {
            // Nobody looks at it; but threads that come by different ways have different values then, and the analysis should know.
            let nothing = function.constant(Constant::zero(function[phi].ty));
            let values: Vec<Value> = edges
                .iter()
                .map(
                    |&(b, to)| {
                        if to == number { edit::incoming(function, phi, b) } else { nothing }
                    },
                )
                .collect();
            let data = InstData::new(Op::Phi, function[phi].ty, &values).with_targets(&from);
            let data = data.made_from(&function[phi]);
            let merged = function.insert(InsertAt::End(dispatch), data);
            replaced.insert(function.result(phi), function.result(merged));
            function.erase(phi);
        }
    }
    let number = |i: usize| Constant::int(Type::I32, i as i128);
    let values: Vec<Value> = edges.iter().map(|&(_, to)| function.constant(number(to))).collect();
    let data = InstData::new(Op::Phi, Type::I32, &values).with_targets(&from);
    let way = function.insert(InsertAt::End(dispatch), data);
    let way = function.result(way);
    for &b in &from {
        let jump = function.terminator(b).expect("it leads to an entry");
        function[jump].targets[0] = dispatch;
    }
    let cases: Vec<Value> = (1..entries.len()).map(|i| function.constant(number(i))).collect();
    let args: Vec<Value> = [way].into_iter().chain(cases).collect();
    let switch = InstData::new(Op::Switch, Type::Void, &args).with_targets(entries);
    function.insert(InsertAt::End(dispatch), switch);
    edit::replace_all(function, &replaced);
}
