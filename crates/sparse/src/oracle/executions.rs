//! What analyses claim, held against what the interpreter saw.

use crate::analyses::arith::mask;
use crate::analyses::{
    Constant, Constants, DemandedBits, Intervals, Known, KnownBits, NullPointers, Nullness, Ranges,
};
use crate::analysis::Analysis;
use crate::engine::{Options, Solution, is_post_fixpoint, solve};
use crate::function::{node, value, var};
use crate::view::{Version, View};
use lw_graph::generate::Rng;
use lw_graph::{Edge, Node};
use lw_ir::interp::{Trace, Val};
use lw_ir::ops::BinOp;
use lw_ir::types::Scalar;
use lw_ir::{Constant as IrConstant, Function, InsertAt, InstData, Op, Type};

/// Walks through a trace of one thread and shows every block, and every version with the value it has.
pub fn replay(
    function: &Function,
    view: &View,
    trace: &Trace,
    seen_block: &mut dyn FnMut(Node),
    check: &mut dyn FnMut(Version, &Val),
) {
    let code = view.code();
    let graph = code.graph();
    let mut now: Vec<Option<Val>> = vec![None; function.value_count()];
    let mut from = None;
    for step in trace.top() {
        let here = node(step.block);
        seen_block(here);
        let show = |now: &[Option<Val>], version: Version, check: &mut dyn FnMut(Version, &Val)| {
            if let Some(value) = &now[view.var(version).index()] {
                check(version, value);
            }
        };
        if let Some(from) = from {
            let edges: Vec<Edge> =
                graph.successor_edges(from).filter(|&e| graph.target(e) == here).collect();
            if let [edge] = edges[..] {
                for &sigma in view.sigmas_at(from) {
                    let mut results = view.sigma_results(sigma);
                    if let Some(result) = results.nth(graph.position(edge)).flatten() {
                        show(&now, result, check);
                    }
                }
            }
        }
        // The view's φs merge what was there before the φs of the program assign.
        for &phi in view.phis_at(here) {
            show(&now, view.phis()[phi as usize].result, check);
        }
        for (assigned, values) in &step.values {
            now[var(*assigned).index()] = Some(values[0].clone());
        }
        for pos in code.positions(here) {
            for (_, version) in view.defs(pos) {
                version.into_iter().for_each(|version| show(&now, version, check));
            }
            for &copy in view.copies_at(pos) {
                show(&now, view.copies()[copy as usize].result, check);
            }
        }
        from = Some(here);
    }
}

/// Holds one analysis against an execution by one thread; yields how many values were looked at.
///
/// # Errors
/// If a claim is wrong, or if what widening ended in is no post-fixpoint.
pub fn sound<A: Analysis<Function> + Clone>(
    function: &Function,
    trace: &Trace,
    analysis: &A,
    options: Options,
    holds: impl Fn(&A::Domain, &Val) -> bool,
) -> Result<usize, String> {
    let mut analysis = analysis.clone();
    let (view, solution): (View, Solution<A::Domain>) = solve(function, &mut analysis, options);
    if !is_post_fixpoint(function, &view, &mut analysis, &solution) {
        return Err(format!("{}: no post-fixpoint\n{view}", A::NAME));
    }
    let mut checked = 0;
    let mut wrong = Vec::new();
    let mut unreached = None;
    replay(
        function,
        &view,
        trace,
        &mut |block| {
            if !solution.block_reached(block) {
                unreached.get_or_insert(block);
            }
        },
        &mut |version, seen| {
            checked += 1;
            let claim = solution.of(version);
            if wrong.is_empty() && !seen.is_undefined() && !holds(claim, seen) {
                let of = value(view.var(version));
                wrong.push(format!("{version:?} of {of} is {seen:?}, claimed {claim:?}"));
            }
        },
    );
    match (unreached, wrong.first()) {
        (Some(block), _) => Err(format!("{}: {block} is reached\n{view}", A::NAME)),
        (_, Some(wrong)) => Err(format!("{}: {wrong}\n{view}", A::NAME)),
        _ => Ok(checked),
    }
}

/// Constants, ranges, known bits and null pointers against an execution; yields how many values were looked at.
///
/// # Errors
/// As [`sound`].
pub fn sound_all(function: &Function, trace: &Trace) -> Result<usize, String> {
    let constant = |claim: &Constant, value: &Val| match (claim, value) {
        (Constant::Int(c), Val::Int(v)) => c == v,
        (Constant::Top, _) => false,
        _ => true,
    };
    let range = |claim: &Option<Intervals>, value: &Val| match (claim, value) {
        (Some(range), Val::Int(v)) => range.contains(*v),
        (None, _) => false,
        _ => true,
    };
    let bits = |claim: &Option<Known>, value: &Val| match (claim, value) {
        (Some(known), Val::Int(v)) => known.contains(*v),
        (None, _) => false,
        _ => true,
    };
    let null = |claim: &Nullness, value: &Val| match (claim, value) {
        (Nullness::Null, Val::Ptr(p)) => p.addr == 0,
        (Nullness::NonNull, Val::Ptr(p)) => p.addr != 0,
        (Nullness::Top, Val::Ptr(_)) => false,
        _ => true,
    };
    let plain = Options::default();
    let soon = Options { widen_after: Some(1), narrow_rounds: 0 };
    let mut checked = sound(function, trace, &Constants, plain, constant)?;
    checked += sound(function, trace, &Ranges, Options::WIDENING, range)?;
    checked += sound(function, trace, &Ranges, soon, range)?;
    checked += sound(function, trace, &KnownBits, plain, bits)?;
    checked += sound(function, trace, &NullPointers, plain, null)?;
    Ok(checked)
}

/// The function with bits flipped that [`DemandedBits`] says do not matter, in all integers it computes; it must compute the
/// same. `None` if all bits matter.
pub fn flip_undemanded(function: &Function, rng: &mut Rng) -> Option<Function> {
    let (view, demanded) = solve(function, &mut DemandedBits, Options::default());
    let mut flipped = function.clone();
    let mut flips = 0;
    for (block, inst) in function.all_insts() {
        let Some(result) = function[inst].result.expand() else { continue };
        let Type::Scalar(Scalar::Int(bits)) = function.ty(result) else { continue };
        let pos = view.code().definition(var(result));
        let version = pos.and_then(|pos| view.defs(pos).next()).and_then(|(_, version)| version);
        let free = version.map_or(0, |version| !demanded.of(version) & mask(bits.min(128)));
        let random = u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64());
        let random = if rng.one_in(2) { u128::MAX } else { random };
        let mut behind = flipped.insts(block).iter().skip_while(|&&i| i != inst).skip(1);
        let before = behind.find(|&&i| flipped[i].op != Op::Phi).copied();
        let Some(before) = before.filter(|_| free & random != 0) else { continue };
        flips += 1;
        let ty = flipped.ty(result);
        let flip = flipped.constant(IrConstant::int(ty, (free & random) as i128));
        let data = InstData::new(Op::Binary(BinOp::Xor), ty, &[result, flip]);
        let xor = flipped.insert(InsertAt::Before(before), data);
        let other = flipped.result(xor);
        flipped.replace_uses(result, other);
        flipped[xor].args[0] = result;
    }
    (flips > 0).then_some(flipped)
}
