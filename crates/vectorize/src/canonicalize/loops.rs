//! Loop-simplified form: a preheader, one latch, exits of its own.

use crate::decline::Declined;
use crate::edit::{self, Shape};
use lw_graph::Loop;
use lw_ir::{Block, Function, InsertAt, InstData, Op, Value};
use lw_sparse::function::{block, node};
use rustc_hash::FxHashMap;

/// Brings all loops, each of which has one entry, into simplified form.
pub(super) fn simplify(function: &mut Function) -> Result<(), Declined> {
    let shape = Shape::of(function);
    for l in shape.loops.loops() {
        if shape.loops.exiting_edges(l).is_empty() {
            let header = function.display_block(block(shape.loops.header(l)));
            let help = "give it a way out";
            return Err(Declined::region(format!("the loop at {header} never ends"), help));
        }
    }
    for l in shape.loops.loops() {
        let header = block(shape.loops.header(l));
        let sources = |edges: &[lw_graph::Edge]| -> Vec<Block> {
            edges.iter().map(|&e| block(shape.graph.source(e))).collect()
        };
        let outside = sources(&shape.loops.entering_edges(l));
        if outside.len() != 1 || function.successors(outside[0]).len() != 1 {
            gather(function, &outside, header, "preheader");
        }
        let latches = sources(shape.loops.back_edges(l));
        if latches.len() != 1 {
            gather(function, &latches, header, "latch");
        }
    }
    dedicate_exits(function);
    Ok(())
}

/// A new block through which control comes from these blocks to `to`.
pub(crate) fn gather(function: &mut Function, from: &[Block], to: Block, suffix: &str) -> Block {
    let middle = edit::block_beside(function, to, suffix);
    for phi in function.phis(to).collect::<Vec<_>>() {
        let values: Vec<Value> =
            from.iter().map(|&b| edit::remove_incoming(function, phi, b)).collect();
        let value = match values[..] {
            [first, ..] if values.iter().all(|&v| v == first) => first,
            _ => {
                let data = InstData::new(Op::Phi, function[phi].ty, &values).with_targets(from);
                let merged = function.insert(InsertAt::End(middle), data);
                function.result(merged)
            }
        };
        edit::add_incoming(function, phi, value, middle);
    }
    for &b in from {
        let terminator = function.terminator(b).expect("a block with successors has a terminator");
        for target in &mut function[terminator].targets {
            if *target == to {
                *target = middle;
            }
        }
    }
    edit::jump(function, middle, to);
    middle
}

/// Gives each exit of a loop that others enter too a block of its own, inner loops first.
fn dedicate_exits(function: &mut Function) {
    let shape = Shape::of(function);
    let loops = &shape.loops;
    let mut innermost: FxHashMap<Block, Option<Loop>> =
        function.blocks().iter().map(|&b| (b, loops.innermost(node(b)))).collect();
    let mut predecessors: FxHashMap<Block, Vec<Block>> = FxHashMap::default();
    for &b in function.blocks() {
        for &to in function.successors(b) {
            predecessors.entry(to).or_default().push(b);
        }
    }
    let mut inner_first: Vec<Loop> = loops.loops().collect();
    inner_first.sort_by_key(|&l| std::cmp::Reverse(loops.loop_depth(l)));
    let mut members: Vec<Vec<Block>> =
        loops.loops().map(|l| loops.blocks(l).iter().map(|&n| block(n)).collect()).collect();
    for l in inner_first {
        let inside = |innermost: &FxHashMap<Block, Option<Loop>>, b: Block| {
            innermost[&b].is_some_and(|inner| loops.encloses(l, inner))
        };
        let mut exits: Vec<Block> = members[l.index()]
            .iter()
            .flat_map(|&b| function.successors(b))
            .copied()
            .filter(|&to| !inside(&innermost, to))
            .collect();
        exits.sort();
        exits.dedup();
        for exit in exits {
            let (own, others): (Vec<Block>, Vec<Block>) =
                predecessors[&exit].iter().partition(|&&b| inside(&innermost, b));
            if others.is_empty() {
                continue;
            }
            let middle = gather(function, &own, exit, "exit");
            let home = innermost[&exit];
            innermost.insert(middle, home);
            predecessors.insert(exit, others.into_iter().chain([middle]).collect());
            predecessors.insert(middle, own);
            let around = std::iter::successors(home, |&l| loops.parent(l));
            around.for_each(|l| members[l.index()].push(middle));
        }
    }
}
