//! What φs yield: [DA-PHI-D], [DA-PHI-U] and their shadow twins (001 Figs 6.7 and 6.8), edge by edge.
//!
//! φs of the program and φs of the view (loop exits, ends of what equalities say) follow the same rules:
//!
//! 1. What arrives over a divergent exit and was defined in the loops that are left is taken from different iterations. If only
//!    the knowledge is from inside and the variable itself from outside, it is what it is where it was defined, as long
//!    as no loop around its definition was left before; or, if no edge says anything about it, what it was when the loop was entered.
//! 2. Where threads arrive over different edges, values that come over different edges are mixed, unless it is the same
//!    version everywhere. Edges into a loop and edges back to its header are never taken at the same time.
//! 3. A φ of the view merges versions of one variable, and a φ of the program may. As long as no loop around its definition was left, threads that
//!    arrive over different edges have the value of the same definition: it is what it is there.

use crate::analysis::{State, place};
use crate::fact::Fact;
use crate::lattice::Lattice;
use lw_graph::{Edge, Node};
use lw_ir::Value;
use lw_ir::constant::ConstantKind;
use lw_sparse::function::{block, inst, var};
use lw_sparse::{Def, Pos, Var, Version, View};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// What a φ reads on an edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Incoming {
    Version(Version),
    Constant(Value),
}

/// The operands of the φ that defines a version, on the edges that control can take.
pub(crate) fn incoming<L: Lattice>(
    state: &State<'_, L>,
    view: &View,
    def: Def,
) -> SmallVec<[(Edge, Incoming); 4]> {
    let code = view.code();
    let graph = code.graph();
    match def {
        Def::Phi(phi) => {
            let merged = view.phis()[phi as usize];
            // The entries of an irreducible cycle are one place: if there is a φ in one of them there is one in all.
            let alone = [merged.block];
            let places = state.control.entered_with(merged.block).unwrap_or(&alone);
            let same = places.iter().flat_map(|&at| view.phis_at(at).iter().copied());
            let same = same.filter(|&other| view.phis()[other as usize].var == merged.var);
            same.flat_map(|phi| {
                let edges = graph.predecessor_edges(view.phis()[phi as usize].block);
                view.phi_args(phi).zip(edges)
            })
            .filter_map(|(arg, &edge)| arg.map(|v| (edge, Incoming::Version(v))))
            .collect()
        }
        Def::Instr(pos) => {
            let this = inst(code.instr(pos));
            let edges = graph.predecessor_edges(code.block(pos)).iter();
            let edges = edges.filter(|&&edge| code.is_reachable(graph.source(edge)));
            // Searching what a φ with many operands reads would take long.
            let known: Option<FxHashMap<(Var, Edge), Version>> = state.is_wide(this).then(|| {
                let read = code.phi_uses(pos).zip(view.uses(pos));
                read.filter_map(|(at, (_, version))| Some((at, version?))).collect()
            });
            edges
                .filter_map(|&edge| {
                    let arg = state.phi_operand(this, block(graph.source(edge)))?;
                    if state.function.as_constant(arg).is_some() {
                        return Some((edge, Incoming::Constant(arg)));
                    }
                    let version = match &known {
                        Some(known) => known.get(&(var(arg), edge)).copied(),
                        None => view.phi_use(pos, var(arg), edge),
                    };
                    Some((edge, Incoming::Version(version?)))
                })
                .collect()
        }
        _ => SmallVec::new(),
    }
}

pub(crate) fn merge<L: Lattice>(
    state: &State<'_, L>,
    view: &View,
    result: Version,
    merged: Fact<L>,
) -> Fact<L> {
    let def = view.def(result);
    let (at, variable) = match def {
        Def::Phi(phi) => {
            let phi = view.phis()[phi as usize];
            (phi.block, Some(phi.var))
        }
        Def::Instr(pos) => (view.code().block(pos), None),
        _ => return merged,
    };
    if variable.is_none()
        && let Some(shape) = state.sources.values.get(&lw_sparse::function::value(view.var(result)))
    {
        return Fact::plain(shape.clone());
    }
    if let (None, Def::Instr(pos)) = (variable, def)
        && let Some(fact) = shadow(state, view, pos, &merged)
    {
        return fact;
    }
    let one_of_several = variable.is_some() && state.control.entered_with(at).is_some();
    if !state.touched[at.index()] && !one_of_several {
        return merged;
    }
    let mut operands = incoming(state, view, def);
    let mut fact = Fact::bottom();
    for &(edge, operand) in &operands {
        fact.join(&arriving(state, view, edge, operand));
    }
    if state.ignores_undefined {
        let all = operands.clone();
        operands.retain(|&mut (_, operand)| !is_undefined(state, operand));
        if operands.len() < all.len() && mixing_branch(state, &all).is_some() {
            fact.shape = fact.shape.with_gaps();
        }
    }
    if state.options.llvm.is_some() {
        // LLVM compares what arrives at a header over all edges, but for the φ itself.
        operands.retain(|&mut (_, operand)| operand != Incoming::Version(result));
    }
    if mixing_branch(state, &operands).is_some() {
        fact = match variable.or_else(|| common_variable(view, &operands)) {
            Some(v) if !left_loop(state, view, v, at) => state.own_fact(v),
            // Versions differ by the loops that were left, and what was left in different iterations arrives varying.
            Some(v) if !state.tested[v.index()] => fact,
            _ => fact.scatter(),
        };
    }
    if variable.is_none() && state.control.scrambled(at).is_some() {
        fact = fact.scatter();
    }
    fact
}

/// The variable of which all operands are versions.
fn common_variable(view: &View, operands: &[(Edge, Incoming)]) -> Option<Var> {
    let variable = |&(_, operand): &(Edge, Incoming)| match operand {
        Incoming::Version(version) => Some(view.var(version)),
        Incoming::Constant(_) => None,
    };
    let first = variable(operands.first()?)?;
    operands.iter().all(|operand| variable(operand) == Some(first)).then_some(first)
}

/// Whether an operand is `undef` or `poison`: a thread that brings it may have any value, so also that of the others.
fn is_undefined<L: Lattice>(state: &State<'_, L>, operand: Incoming) -> bool {
    let Incoming::Constant(constant) = operand else { return false };
    let kind = state.function.as_constant(constant).map(|constant| &constant.kind);
    matches!(kind, Some(ConstantKind::Undef | ConstantKind::Poison))
}

/// A branch because of which threads bring different operands over edges that they take at the same time.
pub(crate) fn mixing_branch<L: Lattice>(
    state: &State<'_, L>,
    operands: &[(Edge, Incoming)],
) -> Option<Node> {
    let whole = state.options.llvm.is_some();
    // Edges that threads take at the same time; all of them have the same branch.
    [false, true].into_iter().find_map(|back| {
        let of_class = |&&(edge, _): &&(Edge, Incoming)| state.control.is_back_edge(edge) == back;
        let mut class = operands.iter().filter(of_class);
        let &(edge, first) = class.next()?;
        let branch = state.control.join_over(edge)?;
        let differs = if whole {
            operands.iter().any(|&(_, operand)| operand != first)
        } else {
            class.any(|&(_, operand)| operand != first)
        };
        differs.then_some(branch)
    })
}

/// The fact about an operand after it has crossed an edge.
pub(crate) fn arriving<L: Lattice>(
    state: &State<'_, L>,
    view: &View,
    edge: Edge,
    operand: Incoming,
) -> Fact<L> {
    let version = match operand {
        Incoming::Constant(constant) => return state.constant(constant),
        Incoming::Version(version) => version,
    };
    let fact = &state.facts[version.index()];
    let Some((outermost, _)) = state.control.divergent_exit(edge) else { return fact.clone() };
    let loops = state.control.loops();
    if !loops.contains(outermost, place(view, version)) {
        return fact.clone();
    }
    let v = view.var(version);
    let from = state.control.graph().source(edge);
    let from_outside =
        state.own[v.index()].is_some_and(|own| !loops.contains(outermost, place(view, own)));
    match from_outside {
        true if !left_loop(state, view, v, from) => state.own_fact(v),
        // It was what it is when the loop was entered.
        true if !state.tested[v.index()] => fact.clone(),
        _ => fact.scatter(),
    }
}

/// Whether a loop around the definition of a variable does not contain the block.
fn left_loop<L: Lattice>(state: &State<'_, L>, view: &View, v: Var, at: Node) -> bool {
    let Some(own) = state.own[v.index()] else { return true };
    let innermost = state.control.loops().innermost(place(view, own));
    innermost.is_some_and(|l| !state.control.loops().contains(l, at))
}

/// A φ with a shadow, which has a value on all threads: [DA-SPHI-D] and [DA-SPHI-U].
fn shadow<L: Lattice>(
    state: &State<'_, L>,
    view: &View,
    pos: Pos,
    merged: &Fact<L>,
) -> Option<Fact<L>> {
    let code = view.code();
    let at = code.block(pos);
    let shadow = state.function[inst(code.instr(pos))].shadow()?;
    let mut all = merged.clone();
    all.join(&match state.function.as_constant(shadow) {
        Some(_) => state.constant(shadow),
        None => state.own_fact(var(shadow)),
    });
    let divergent =
        state.touched[at.index()] || state.activation_varies(at) || state.has_predicates;
    Some(if divergent { all.scatter() } else { merged.clone() })
}
