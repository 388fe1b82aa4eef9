//! Writes a view of an [`lw_ir::Function`] out as a function in which every version is a value.
//!
//! A φ becomes a φ. A σ result becomes a φ with one operand: in the target if no other edge enters it and it has no φs,
//! else in a new block on the edge. A copy becomes `select true, x, x` behind its instruction (before it, if it is the terminator). Values of types
//! that these cannot carry (tokens), and results on edges that cannot hold a block (of indirect branches, into landing
//! pads) keep the name they had before.

use crate::code::NONE;
use crate::function::{block, inst, value};
use crate::view::{Def, Version, View};
use lw_graph::Edge;
use lw_ir::constant::Constant;
use lw_ir::types::Type;
use lw_ir::{Block, Function, InsertAt, InstData, Op, Value};

/// Whether a block can be put on an edge.
fn can_split(function: &Function, from: Block, position: usize) -> bool {
    match function.terminator(from).map(|inst| &function[inst].op) {
        Some(Op::Br | Op::CondBr | Op::Switch) => true,
        Some(Op::Invoke(_)) => position == 0,
        _ => false,
    }
}

/// The function with the splits of the view in it, and the value of each version.
pub fn materialize(function: &Function, view: &View) -> (Function, Vec<Value>) {
    let mut out = function.clone();
    let truth = out.constant(Constant::bool(true));
    let code = &view.code;
    let graph = code.graph();
    let mut values: Vec<Value> = view.versions().map(|v| value(view.var(v))).collect();
    let carries = |version: Version| {
        !matches!(function.ty(value(view.var(version))), Type::Token | Type::Metadata | Type::Void)
    };

    // Blocks on edges that σs need.
    let mut end_of: Vec<Block> = graph.edges().map(|e| block(graph.source(e))).collect();
    let mut place: Vec<Option<Block>> = vec![None; graph.edge_count()];
    // By version: the one whose name it keeps.
    let mut same: Vec<Option<Version>> = vec![None; view.version_count()];
    for (i, _) in view.sigmas().iter().enumerate() {
        let edges = graph.successor_edges(view.sigmas()[i].block);
        for (result, edge) in view.sigma_results(i as u32).zip(edges) {
            let Some(result) = result.filter(|&r| carries(r)) else { continue };
            if place[edge.index()].is_some() {
                continue;
            }
            let target = graph.target(edge);
            let alone = graph.predecessor_edges(target).len() == 1;
            let inside = alone && code.phis(target).next().is_none();
            if !inside && !can_split(function, block(graph.source(edge)), graph.position(edge)) {
                same[result.index()] = Some(view.sigmas()[i].source);
                continue;
            }
            place[edge.index()] = Some(if inside {
                block(target)
            } else {
                let middle = out.split_edge(block(graph.source(edge)), graph.position(edge));
                end_of[edge.index()] = middle;
                middle
            });
        }
    }
    let first_source = |edge: Edge| block(graph.source(edge));

    // The new instructions, operands to follow.
    for version in view.versions().filter(|&v| carries(v) && same[v.index()].is_none()) {
        let ty = function.ty(value(view.var(version)));
        let old = value(view.var(version));
        let new = match view.def(version) {
            Def::Param | Def::Instr(_) => continue,
            Def::Phi(phi) => {
                let at = block(view.phis()[phi as usize].block);
                out.insert(InsertAt::Start(at), InstData::new(Op::Phi, ty, &[]))
            }
            Def::Sigma(_, edge) => {
                let at = place[edge.index()].expect("a σ result has a place");
                let from = first_source(edge);
                let data = InstData::new(Op::Phi, ty, &[old]).with_targets(&[from]);
                out.insert(InsertAt::Start(at), data)
            }
            Def::Copy(copy) => {
                let beside = inst(code.instr(view.copies()[copy as usize].pos));
                let data = InstData::new(Op::Select, ty, &[truth, old, old]);
                let last = out[beside].op.is_terminator();
                let at = if last { InsertAt::Before(beside) } else { InsertAt::After(beside) };
                out.insert(at, data)
            }
        };
        values[version.index()] = out.result(new);
    }
    for version in view.versions() {
        let mut source = version;
        while let Some(next) = same[source.index()] {
            source = next;
        }
        values[version.index()] = values[source.index()];
    }
    let of = |raw: u32, var: crate::program::Var| {
        if raw == NONE { value(var) } else { values[raw as usize] }
    };

    // The uses of the program.
    for &b in code.block_index().order() {
        for pos in code.positions(b) {
            let at = inst(code.instr(pos));
            // Of a φ: its entries by incoming block.
            let mut entries: Vec<(Block, usize)> = Vec::new();
            for i in code.uses.range(pos.index()) {
                let var = code.uses.items()[i];
                let new = of(view.use_version(i), var);
                if new == value(var) {
                    continue;
                }
                let data = &mut out[at];
                if code.use_edge[i] == NONE {
                    for arg in &mut data.args {
                        if *arg == value(var) {
                            *arg = new;
                        }
                    }
                    continue;
                }
                if entries.is_empty() {
                    entries.extend(data.targets.iter().copied().zip(0..));
                    entries.sort_unstable();
                }
                let from = end_of[code.use_edge[i] as usize];
                let first = entries.partition_point(|&(b, _)| b < from);
                for &(_, k) in entries[first..].iter().take_while(|&&(b, _)| b == from) {
                    if data.args[k] == value(var) {
                        data.args[k] = new;
                    }
                }
            }
        }
    }

    // The operands of the new instructions.
    for (i, phi) in view.phis().iter().enumerate() {
        if !carries(phi.result) {
            continue;
        }
        let args: Vec<Value> =
            view.phi_args(i as u32).map(|a| of(a.map_or(NONE, |v| v.0), phi.var)).collect();
        let at = out.def_inst(values[phi.result.index()]).expect("a φ is an instruction");
        for (value, &edge) in args.into_iter().zip(graph.predecessor_edges(phi.block)) {
            out[at].args.push(value);
            out[at].targets.push(end_of[edge.index()]);
        }
    }
    for (i, sigma) in view.sigmas().iter().enumerate() {
        let results = view.sigma_results(i as u32).flatten();
        for result in results.filter(|&r| carries(r) && same[r.index()].is_none()) {
            let at = out.def_inst(values[result.index()]).expect("a σ result is an instruction");
            out[at].args[0] = values[sigma.source.index()];
        }
    }
    for copy in view.copies().iter().filter(|c| carries(c.result)) {
        let at = out.def_inst(values[copy.result.index()]).expect("a copy is an instruction");
        let source = values[copy.source.index()];
        out[at].args[1] = source;
        out[at].args[2] = source;
    }
    (out, values)
}
