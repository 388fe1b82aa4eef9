//! Loop-simplified form: a preheader, one latch, exits of its own.

use crate::decline::Declined;
use crate::edit::{self, Shape};
use lw_graph::Loop;
use lw_ir::{Block, Function, InsertAt, InstData, Op};
use lw_sparse::function::{block, node};
use rustc_hash::FxHashMap;

/// Brings all loops, each of which has one entry, into simplified form.
pub(super) fn simplify(function: &mut Function) -> Result<(), Declined> {
    let shape = Shape::of(function);
    for l in shape.loops.loops() {
        if shape.loops.exiting_edges(l).is_empty() {
            let header = block(shape.loops.header(l));
            let mut insts = function.insts(header).iter().rev();
            let origin = insts.find_map(|&inst| function[inst].origin.expand());
            let reason = format!("the loop at {} never ends", function.display_block(header));
            let declined = Declined::region(reason, "give it a way out");
            return Err(Declined { origin: origin.map(|o| o.as_u32()), ..declined });
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
        let values = edit::remove_all_incoming(function, phi, from);
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
    // By block: how many enter it, and its place among those that enter the same block.
    let mut entered: FxHashMap<Block, usize> = FxHashMap::default();
    let mut places: FxHashMap<Block, usize> = FxHashMap::default();
    for (place, &b) in function.blocks().iter().enumerate() {
        places.insert(b, place);
        for &to in function.successors(b) {
            *entered.entry(to).or_default() += 1;
        }
    }
    let mut inner_first: Vec<Loop> = loops.loops().collect();
    inner_first.sort_by_key(|&l| std::cmp::Reverse(loops.loop_depth(l)));
    let mut members: Vec<Vec<Block>> =
        loops.loops().map(|l| loops.blocks(l).iter().map(|&n| block(n)).collect()).collect();
    for l in inner_first {
        let inside = |b: Block| innermost[&b].is_some_and(|inner| loops.encloses(l, inner));
        let mut exits: Vec<(Block, Block)> = Vec::new();
        for &b in &members[l.index()] {
            let outside = function.successors(b).iter().filter(|&&to| !inside(to));
            exits.extend(outside.map(|&to| (to, b)));
        }
        exits.sort_by_key(|&(exit, from)| (exit, places[&from]));
        for own in exits.chunk_by(|a, b| a.0 == b.0) {
            let exit = own[0].0;
            if own.len() == entered[&exit] {
                continue;
            }
            let own: Vec<Block> = own.iter().map(|&(_, from)| from).collect();
            let middle = gather(function, &own, exit, "exit");
            let home = innermost[&exit];
            innermost.insert(middle, home);
            places.insert(middle, places.len());
            *entered.entry(exit).or_default() -= own.len() - 1;
            entered.insert(middle, own.len());
            let around = std::iter::successors(home, |&l| loops.parent(l));
            around.for_each(|l| members[l.index()].push(middle));
        }
    }
}
