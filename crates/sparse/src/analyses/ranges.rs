//! Integer ranges: which values can a variable have?
//!
//! Lattice: ⊤ (`None`, no value yet) above [`Intervals`], larger ones lower. Branches refine: on an edge where `x < y` holds,
//! `x` stays below the greatest `y`; also where `x` was not compared itself but something computed from it. Chains are as
//! long as the type has values, so beyond a few bits solve with [`Options::WIDENING`](crate::Options::WIDENING). Su and
//! Wagner 2004, Gawlitza et al. 2009, 003 Fig. 3.

use super::interval_calls::{call, preimage, promised};
use super::intervals::Intervals;
use crate::analysis::{Analysis, At, Cx};
use crate::code::Code;
use crate::meaning::{Arg, Expr, Fact, Meaning};
use crate::program::{Instr, Test, Var};
use crate::registers::swap;
use crate::strategy::Strategy;
use lw_graph::{Edge, Node};
use smallvec::SmallVec;
use std::borrow::Cow;

/// The analysis.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ranges;

pub(super) type Range = Option<Intervals>;

/// A [`Range`] that may be one that is kept.
pub(super) type Known<'a> = Option<Cow<'a, Intervals>>;

impl Ranges {
    #[inline]
    fn arg<'a, P: Meaning + ?Sized>(cx: &Cx<'a, P, Range>, arg: Arg, bits: u32) -> Known<'a> {
        match arg {
            Arg::Var(var) if cx.program.width(var).is_some() => {
                cx.of(var).as_ref().map(Cow::Borrowed)
            }
            Arg::Var(_) => Some(Cow::Owned(Intervals::anything())),
            Arg::Int(value) => Some(Cow::Owned(Intervals::single(bits, value))),
            _ => Some(Cow::Owned(Intervals::full(bits))),
        }
    }

    fn define<P: Meaning + ?Sized>(
        cx: &Cx<'_, P, Range>,
        at: crate::Pos,
        var: Var,
        bits: u32,
    ) -> Range {
        match cx.program.expr(cx.code.instr(at)) {
            Expr::Copy(arg) => Self::arg(cx, arg, bits).map(Cow::into_owned),
            Expr::Binary { op, flags, bits, args: [a, b] } => {
                Self::arg(cx, a, bits)?.binary(op, flags, &*Self::arg(cx, b, bits)?)
            }
            Expr::Cast { op, flags, from, to, arg } => {
                Self::arg(cx, arg, from)?.cast(op, flags, to)
            }
            Expr::Compare { pred, bits: width, args: [a, b] } if width > 0 => {
                let truth = Self::arg(cx, a, width)?.compare(pred, &*Self::arg(cx, b, width)?)?;
                Intervals::unsigned(bits, truth.bounds().0, truth.bounds().1)
            }
            Expr::Select { cond, args: [a, b] } => {
                let arm = |arm: Arg, other: Arg, truth: bool| {
                    let range = Self::arg(cx, arm, bits)?.into_owned();
                    match (arm, cond) {
                        // A condition may only speak of constants and of the operands of the `select`.
                        (Arg::Var(x), Arg::Var(cond)) => {
                            let of = |arg: Arg, bits: u32| match arg {
                                Arg::Var(_) if arg != other => {
                                    Some(Cow::Owned(Intervals::full(bits)))
                                }
                                arg => Self::arg(cx, arg, bits),
                            };
                            let given = Given::Condition(cond, truth);
                            known_if(cx.program, cx.code, (x, Some(range)), given, of)
                        }
                        _ => Some(range),
                    }
                };
                match Self::arg(cx, cond, 1)?.as_single() {
                    Some(0) => arm(b, a, false),
                    Some(_) => arm(a, b, true),
                    None => meet(arm(a, b, true), arm(b, a, false)),
                }
            }
            Expr::Call { callee, args, .. } => {
                if let Some(name) = callee.filter(|name| name.starts_with("llvm.")) {
                    let width = |i: usize| if i == 0 || !is_flag(name) { bits } else { 1 };
                    let ranges: Option<SmallVec<[Cow<'_, Intervals>; 2]>> =
                        args.iter().enumerate().map(|(i, &a)| Self::arg(cx, a, width(i))).collect();
                    let ranges = ranges?;
                    let fits = ranges.first().is_some_and(|first| first.bits == bits);
                    let list: SmallVec<[&Intervals; 2]> =
                        ranges.iter().map(|range| &**range).collect();
                    if fits && let Some(result) = call(name, &list) {
                        return result;
                    }
                }
                promised(bits, &cx.program.promised(var)).or_else(|| Some(Intervals::full(bits)))
            }
            _ => Some(Intervals::full(bits)),
        }
    }
}

/// What an instruction with one variable computes, given what is known of it.
fn again(expr: Expr<'_>, known: &Intervals) -> Range {
    let of = |arg: Arg, bits: u32| match arg {
        Arg::Var(_) => known.clone(),
        Arg::Int(value) => Intervals::single(bits, value),
        _ => Intervals::full(bits),
    };
    match expr {
        Expr::Binary { op, flags, bits, args: [a, b] } => {
            of(a, bits).binary(op, flags, &of(b, bits))
        }
        Expr::Cast { op, flags, from, to, arg } => of(arg, from).cast(op, flags, to),
        Expr::Compare { bits, .. } => Some(Intervals::full(bits)),
        _ => Some(known.clone()),
    }
}

/// What is taken for granted.
#[derive(Clone, Copy)]
pub(super) enum Given {
    /// A variable is true or false.
    Condition(Var, bool),
    /// Control leaves a block this way.
    Edge(Node, usize),
}

impl Given {
    fn facts<'p, P: Meaning + ?Sized>(self, program: &'p P, visit: &mut dyn FnMut(&Fact<'p>)) {
        match self {
            Given::Condition(cond, truth) => program.follows(cond, truth, &mut |fact| visit(&fact)),
            Given::Edge(block, way) => program.facts(block, way, &mut |fact| visit(&fact)),
        }
    }
}

impl Given {
    /// What follows for what the variables in the facts were computed from.
    fn through<P: Meaning + ?Sized>(self, program: &P, visit: &mut dyn FnMut(&Fact<'_>)) {
        self.facts(program, &mut |fact| program.through(fact, &mut |more| visit(&more)));
    }
}

/// What is left of a variable, also through what it was computed from.
pub(super) fn known_if<'a, P: Meaning + ?Sized>(
    program: &P,
    code: &Code,
    (var, range): (Var, Range),
    given: Given,
    of: impl Fn(Arg, u32) -> Known<'a>,
) -> Range {
    let mut range = range;
    given.facts(program, &mut |fact| range = refine(fact, var, range.take(), &of));
    given.through(program, &mut |fact| range = refine(fact, var, range.take(), &of));
    let by = code.definition(var).map(|pos| code.instr(pos));
    let Some((by, from)) = by.and_then(|by| Some((by, program.computed_from(by)?))) else {
        return range;
    };
    // An integer that is too wide to be followed has a value, of which nothing is known.
    let Some(width) = program.width(from) else { return range };
    let mut known = Some(Intervals::full(width));
    given.facts(program, &mut |fact| known = refine(fact, from, known.take(), &of));
    given.through(program, &mut |fact| known = refine(fact, from, known.take(), &of));
    match known {
        Some(known) if known.is_full() => range,
        known => range?.intersect(&again(program.expr(by), &known?)?),
    }
}

/// Whether the second operand of an intrinsic says what is poison.
fn is_flag(name: &str) -> bool {
    ["llvm.abs.", "llvm.ctlz.", "llvm.cttz."].iter().any(|flagged| name.starts_with(flagged))
}

/// What a fact leaves of the range of a variable, given those of others.
pub(super) fn refine<'a>(
    fact: &Fact<'_>,
    var: Var,
    range: Range,
    of: impl FnOnce(Arg, u32) -> Known<'a>,
) -> Range {
    match *fact {
        Fact::Compare(pred, bits, [a, b]) => {
            let (pred, other) = match (a, b) {
                (Arg::Var(x), other) if x == var => (pred, other),
                (other, Arg::Var(x)) if x == var => (swap(pred), other),
                _ => return range,
            };
            let range = range?;
            if bits != range.bits || other == Arg::Var(var) {
                return Some(range);
            }
            range.restrict(pred, &*of(other, bits)?)
        }
        Fact::Through(pred, bits, link, [Arg::Var(x), other])
            if x == var && other != Arg::Var(var) =>
        {
            let range = range?;
            let allowed = Intervals::full(bits).restrict(pred, &*of(other, bits)?)?;
            if allowed.is_full() {
                return Some(range);
            }
            range.intersect(&preimage(link, &allowed)?)
        }
        _ => range,
    }
}

fn meet(a: Range, b: Range) -> Range {
    match (a, b) {
        (None, other) | (other, None) => other,
        (Some(a), Some(b)) => Some(a.union(&b)),
    }
}

impl<P: Meaning + ?Sized> Analysis<P> for Ranges {
    type Domain = Range;
    const NAME: &'static str = "ranges";
    const CONDITIONAL: bool = true;

    fn follows(&self, program: &P, var: Var) -> bool {
        program.width(var).is_some()
    }

    fn strategy(&self, program: &P, var: Var) -> Strategy {
        if program.width(var).is_some() {
            Strategy::ABCD | Strategy::THROUGH_CONDS_DOWN
        } else {
            Strategy::SSA
        }
    }

    fn top(&self) -> Range {
        None
    }

    fn meet(&self, into: &mut Range, with: &Range) {
        match (&mut *into, with) {
            (_, None) => {}
            (None, _) => into.clone_from(with),
            (Some(old), Some(new)) => *old = old.union(new),
        }
    }

    fn entry(&self, program: &P, var: Var) -> Range {
        let Some(bits) = program.width(var) else { return Some(Intervals::anything()) };
        promised(bits, &program.promised(var)).or_else(|| Some(Intervals::full(bits)))
    }

    fn settled(&self, program: &P, instr: Instr, var: Var) -> Option<Range> {
        match program.width(var) {
            None => Some(Some(Intervals::anything())),
            Some(_) if program.computes(instr) => None,
            Some(bits) => {
                let promise = promised(bits, &program.promised(var));
                Some(Some(promise.unwrap_or_else(|| Intervals::full(bits))))
            }
        }
    }

    fn transfer(&self, cx: &Cx<'_, P, Range>, at: At, var: Var) -> Range {
        let Some(bits) = cx.program.width(var) else { return Some(Intervals::anything()) };
        match at {
            At::Define(pos) => Self::define(cx, pos, var, bits),
            At::Phi(pos, edge) => {
                let phi = cx.code.instr(pos);
                match cx.program.expr(phi) {
                    Expr::Phi => {
                        let from = cx.code.graph().source(edge);
                        Self::arg(cx, cx.program.phi_arg(phi, from), bits).map(Cow::into_owned)
                    }
                    _ => Some(Intervals::full(bits)),
                }
            }
            At::Pass(_) => cx.of(var).clone(),
            At::Branch(edge) => {
                let graph = cx.code.graph();
                let (block, position) = (graph.source(edge), graph.position(edge));
                let given = Given::Edge(block, position);
                let of = |arg, bits| Self::arg(cx, arg, bits);
                let test = cx.code.tests(block).iter().find(|test| test.0 == var)?.1;
                let mut range = cx.of(var).clone();
                if test != Test::Through {
                    given.facts(cx.program, &mut |fact| {
                        range = refine(fact, var, range.take(), of);
                    });
                    return range;
                }
                given.through(cx.program, &mut |fact| range = refine(fact, var, range.take(), of));
                // What was computed from something that the branch tests.
                match cx.code.definition(var).map(|pos| cx.code.instr(pos)) {
                    Some(by)
                        if let Some(from) = cx.program.computed_from(by)
                            && cx.code.tests(block).iter().any(|&(tested, _)| tested == from) =>
                    {
                        let mut known = cx.of(from).clone();
                        given.facts(cx.program, &mut |fact| {
                            known = refine(fact, from, known.take(), of);
                        });
                        range?.intersect(&again(cx.program.expr(by), &known?)?)
                    }
                    _ => range,
                }
            }
        }
    }

    fn feasible(&self, cx: &Cx<'_, P, Range>, edge: Edge) -> bool {
        let mut feasible = true;
        let (block, position) = (cx.code.graph().source(edge), cx.code.graph().position(edge));
        cx.program.facts(block, position, &mut |fact| {
            if let Fact::Compare(pred, bits, [a, b]) = fact
                && bits > 0
            {
                feasible &= match (Self::arg(cx, a, bits), Self::arg(cx, b, bits)) {
                    (Some(a), Some(b)) => a.can(pred, &b),
                    _ => false,
                };
            }
        });
        feasible
    }

    fn widen(&self, old: &Range, new: &Range) -> Range {
        match (old, new) {
            (Some(old), Some(new)) => Some(old.widen(new)),
            _ => new.clone(),
        }
    }

    /// From a solution every step down is a solution, and there are only so many rounds.
    fn narrow(&self, old: &Range, new: &Range) -> Range {
        match (old, new) {
            (Some(old_range), Some(new)) => old_range.intersect(new).or_else(|| old.clone()),
            _ => old.clone(),
        }
    }
}
