//! Branches that skip code which no thread is active in (001 §9.2), put into the program before linearization, which keeps them.

use crate::edit::{self, Shape};
use crate::worth::Worth;
use lw_divergence::{Divergence, Stride};
use lw_ir::constant::Constant;
use lw_ir::ops::Horizontal;
use lw_ir::{Block, Function, InsertAt, InstData, Op, Type, Value};
use lw_sparse::function::{block, node};
use rustc_hash::FxHashMap;

/// Guards uniform loops that only some threads enter: the preheader goes to the loop if a thread is active there, else past it.
///
/// In the linearized program all of a block executes, also if its mask is empty. What a uniform exit of a loop decides by would
/// then be a value that no thread computed, and the loop might not end. For active threads nothing changes. How many loops
/// were guarded.
pub fn guard_loops(function: &mut Function, divergence: &Divergence<Stride>) -> usize {
    let shape = Shape::of(function);
    let loops = &shape.loops;
    let mut guarded = 0;
    for l in loops.loops() {
        let header = loops.header(l);
        if !divergence.activation_varies(block(header)) || is_masked(function, block(header)) {
            continue;
        }
        let entering = loops.entering_edges(l);
        let preheader = block(shape.graph.source(entering[0]));
        let exit = loops.exits(l)[0];
        let terminator = function.terminator(preheader).expect("a preheader has a terminator");
        let place = function[terminator].clone();
        function.erase(terminator);
        let on = function.constant(Constant::bool(true));
        let any = any(function, preheader, on, &place);
        let branch = edit::branch(function, preheader, any, [block(header), block(exit)]);
        function[branch] = function[branch].clone().made_from(&place);
        for phi in function.phis(block(exit)).collect::<Vec<_>>() {
            let poison = function.constant(Constant::poison(function[phi].ty));
            edit::add_incoming(function, phi, poison, preheader);
        }
        guarded += 1;
    }
    guarded
}

/// Whether a loop ends by itself when no thread is live: the divergent loop transform made it.
fn is_masked(function: &Function, header: Block) -> bool {
    function.phis(header).any(|phi| function[phi].shadow().is_some())
}

/// `any` of a value at the end of a block.
fn any(function: &mut Function, at: Block, of: Value, place: &InstData) -> Value {
    let data = InstData::new(Op::Horizontal(Horizontal::Any), Type::I1, &[of]).made_from(place);
    let inst = function.insert(InsertAt::End(at), data);
    function.result(inst)
}

/// Puts BOSCC gadgets (001 Fig. 9.5) at divergent branches where they are worth it: the branch is only reached if a thread takes the
/// edge that is skipped, else all go to the other target. How many.
///
/// A block qualifies that only this branch leads to, in the same loop.
pub(crate) fn insert_boscc(
    function: &mut Function,
    divergence: &Divergence<Stride>,
    worth: &Worth<'_>,
) -> usize {
    let shape = Shape::of(function);
    let mut splits: Vec<Split> = Vec::new();
    for &at in shape.index.order() {
        let from = block(at);
        let Some(terminator) = function.terminator(from) else { continue };
        if function[terminator].op != Op::CondBr || !divergence.is_divergent(from) {
            continue;
        }
        let targets = [function[terminator].targets[0], function[terminator].targets[1]];
        let condition = function[terminator].args[0];
        let inside = |b: Block| shape.loops.innermost(node(b)) == shape.loops.innermost(at);
        let own = |b: Block| shape.graph.predecessor_edges(node(b)).len() == 1;
        let back = shape.graph.successor_edges(at).any(|e| shape.loops.is_back_edge(e));
        let chosen = (0..2).find(|&i| {
            own(targets[i])
                && inside(targets[i])
                && inside(targets[1 - i])
                && !back
                && worth.skips(function, terminator, i, splits.len())
        });
        let Some(chosen) = chosen else { continue };
        let other = targets[1 - chosen];
        let split = function.split_off(terminator);
        splits.push(Split { from, split, other });
        let place = function[terminator].clone();
        let flag = match chosen {
            0 => condition,
            _ => {
                let on = function.constant(Constant::bool(true));
                let op = Op::Binary(lw_ir::ops::BinOp::Xor);
                let not = InstData::new(op, Type::I1, &[condition, on]).made_from(&place);
                let not = function.insert(InsertAt::End(from), not);
                function.result(not)
            }
        };
        let test = any(function, from, flag, &place);
        let branch = edit::branch(function, from, test, [split, other]);
        function[branch] = function[branch].clone().made_from(&place);
    }
    mend_phis(function, &splits);
    function.place_blocks(&splits.iter().map(|it| (it.from, it.split)).collect::<Vec<_>>());
    splits.len()
}

/// A block whose branch is now in another, that is skipped to a target of the branch.
struct Split {
    from: Block,
    split: Block,
    other: Block,
}

/// Edges of branches come from the blocks they were moved to, and who skips the branch brings what it would have brought. All φs at once:
/// where many blocks lead to one, its φs have as many entries.
fn mend_phis(function: &mut Function, splits: &[Split]) {
    let by_source: FxHashMap<Block, &Split> = splits.iter().map(|it| (it.from, it)).collect();
    for block in function.blocks().to_vec() {
        for phi in function.phis(block).collect::<Vec<_>>() {
            let data = &mut function[phi];
            let mut skipped: Vec<(Value, Block)> = Vec::new();
            for (target, &value) in data.targets.iter_mut().zip(&data.args) {
                let Some(it) = by_source.get(target) else { continue };
                if it.other == block {
                    skipped.push((value, it.from));
                }
                *target = it.split;
            }
            for (value, from) in skipped {
                edit::add_incoming(function, phi, value, from);
            }
        }
    }
}
