//! Integer ranges: which values can a variable have?
//!
//! Lattice: ⊤ (`None`, no value yet) above [`Intervals`], larger ones lower. Branches refine: on an edge where `x < y` holds,
//! `x` stays below the greatest `y`; also where `x` was not compared itself but something computed from it. Chains are as
//! long as the type has values, so beyond a few bits solve with [`Options::WIDENING`](crate::Options::WIDENING). Su and
//! Wagner 2004, Gawlitza et al. 2009, 003 Fig. 3.

use super::interval_calls::{call, preimage, promised};
use super::intervals::Intervals;
use crate::analysis::{Analysis, At, Cx, Out, Way};
use crate::code::Code;
use crate::meaning::{Arg, Compared, Expr, Fact, Meaning, Simple, Term};
use crate::program::{Instr, Test, Var};
use crate::registers::{negate, swap};
use crate::strategy::Strategy;
use lw_graph::{Edge, Node};
use lw_ir::ops::IntPred;
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

    /// The range of an operand, given that of a constant.
    #[inline]
    fn term<'a, P: Meaning + ?Sized>(
        cx: &Cx<'a, P, Range>,
        term: Term,
        constant: &'a Range,
    ) -> Option<&'a Intervals> {
        match term {
            Term::Var(var) => cx.of(var).as_ref(),
            _ => constant.as_ref(),
        }
    }

    #[inline]
    fn define<P: Meaning + ?Sized>(cx: &Cx<'_, P, Range>, at: crate::Pos, var: Var) -> Range {
        match cx.program.simple(cx.code.instr(at)) {
            Simple::Binary(op, flags, bits, [a, b]) => {
                let (x, y) = (constant(a, bits), constant(b, bits));
                Self::term(cx, a, &x)?.binary(op, flags, Self::term(cx, b, &y)?)
            }
            Simple::Cast(op, flags, [from, to], arg) => {
                Self::term(cx, arg, &constant(arg, from))?.cast(op, flags, to)
            }
            Simple::Compare(pred, width, [a, b]) => {
                let (x, y) = (constant(a, width), constant(b, width));
                let (yes, no) = Self::term(cx, a, &x)?.outcomes(pred, Self::term(cx, b, &y)?);
                // A register may be wider than the result.
                let bits = cx.program.width(var).unwrap_or(1);
                Intervals::unsigned(bits, u64::from(!no), u64::from(yes))
            }
            Simple::Other => match cx.program.width(var) {
                Some(bits) => Self::define_other(cx, at, var, bits),
                None => Some(Intervals::anything()),
            },
        }
    }

    fn define_other<P: Meaning + ?Sized>(
        cx: &Cx<'_, P, Range>,
        at: crate::Pos,
        var: Var,
        bits: u32,
    ) -> Range {
        match cx.program.expr(cx.code.instr(at)) {
            Expr::Copy(arg) => Self::arg(cx, arg, bits).map(Cow::into_owned),
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

impl Ranges {
    /// Whether a fact can hold.
    fn possible<P: Meaning + ?Sized>(cx: &Cx<'_, P, Range>, fact: &Fact<'_>) -> bool {
        match *fact {
            Fact::Compare(pred, bits, [a, b]) if bits > 0 => {
                let (a, b) = (a.into(), b.into());
                let (x, y) = (constant(a, bits), constant(b, bits));
                match (Self::term(cx, a, &x), Self::term(cx, b, &y)) {
                    (Some(a), Some(b)) => a.can(pred, b),
                    _ => false,
                }
            }
            _ => true,
        }
    }

    /// What is left of a variable behind a branch that tests something computed from it, or something from which it was
    /// computed. The facts are those of the edge; what they say of variables behind the tested ones counts too.
    fn tested_through<P: Meaning + ?Sized>(
        cx: &Cx<'_, P, Range>,
        block: Node,
        (var, mut range): (Var, Range),
        facts: &[Fact<'_>],
    ) -> Range {
        let of = |arg, bits| Self::arg(cx, arg, bits);
        for fact in facts {
            let mut refined = |more: Fact<'_>| range = refine(&more, var, range.take(), of);
            cx.program.through(fact, var, &mut refined);
        }
        match cx.code.definition(var).map(|pos| cx.code.instr(pos)) {
            Some(by)
                if let Some(from) = cx.program.computed_from(by)
                    && cx.code.tests(block).iter().any(|&(tested, _)| tested == from) =>
            {
                let known = cx.of(from).clone();
                let known = facts.iter().fold(known, |known, fact| refine(fact, from, known, of));
                range?.intersect(&again(cx.program.simple(by), &known?)?)
            }
            _ => range,
        }
    }
}

/// The range of an operand that is no variable.
#[inline]
fn constant(term: Term, bits: u32) -> Range {
    match term {
        Term::Var(_) => None,
        Term::Int(value) => Some(Intervals::single(bits, value.into())),
        Term::Other => Some(Intervals::full(bits)),
    }
}

/// What an instruction with one variable computes, given what is known of it.
fn again(by: Simple, known: &Intervals) -> Range {
    let of = |term: Term, bits: u32| match term {
        Term::Var(_) => Cow::Borrowed(known),
        Term::Int(value) => Cow::Owned(Intervals::single(bits, value.into())),
        Term::Other => Cow::Owned(Intervals::full(bits)),
    };
    match by {
        Simple::Binary(op, flags, bits, [a, b]) => of(a, bits).binary(op, flags, &of(b, bits)),
        Simple::Cast(op, flags, [from, to], arg) => of(arg, from).cast(op, flags, to),
        Simple::Compare(_, bits, _) => Some(Intervals::full(bits)),
        Simple::Other => Some(known.clone()),
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

/// What holds on an edge; listed when it is asked for.
struct Facts<'p> {
    given: Given,
    list: Option<SmallVec<[Fact<'p>; 4]>>,
}

impl<'p> Facts<'p> {
    fn new(given: Given) -> Facts<'p> {
        Facts { given, list: None }
    }

    fn list<P: Meaning + ?Sized>(&mut self, program: &'p P) -> &[Fact<'p>] {
        self.list.get_or_insert_with(|| {
            let mut list = SmallVec::new();
            self.given.facts(program, &mut |fact| list.push(*fact));
            list
        })
    }
}

/// What a condition can be: false, true.
#[inline]
fn outcomes(cond: &Range) -> [bool; 2] {
    match cond {
        Some(known) => {
            let (least, greatest) = known.bounds();
            [least == 0, greatest > 0]
        }
        None => [false; 2],
    }
}

/// A branch on one comparison, and what is known of it.
struct One<'a> {
    compared: &'a Compared,
    /// What the condition can be: false, true.
    can_be: [bool; 2],
}

impl<'a> One<'a> {
    fn new<P: Meaning + ?Sized>(
        cx: &Cx<'_, P, Range>,
        block: Node,
        compared: &'a Compared,
    ) -> One<'a> {
        let Compared { cond, pred, bits, args: [a, b] } = *compared;
        let mut can_be = outcomes(cx.of(cond));
        // A comparison in the same block has seen the same operands.
        let here = cx.code.definition(cond).is_some_and(|pos| cx.code.block(pos) == block);
        if bits > 0 && !here {
            let (x, y) = (constant(a, bits), constant(b, bits));
            match (Ranges::term(cx, a, &x), Ranges::term(cx, b, &y)) {
                (Some(a), Some(b)) => {
                    can_be[0] &= a.can(negate(pred), b);
                    can_be[1] &= a.can(pred, b);
                }
                _ => can_be = [false; 2],
            }
        }
        One { compared, can_be }
    }

    fn branch<P: Meaning + ?Sized>(
        &self,
        cx: &Cx<'_, P, Range>,
        block: Node,
        ways: &[Way<'_>],
        out: &mut Out<Range>,
    ) {
        for way in ways {
            let position = cx.code.graph().position(way.edge);
            let truth = position == 0;
            if !way.taken && !self.can_be[usize::from(truth)] {
                continue;
            }
            out.take(way.edge);
            for split in way.split {
                let range = cx.version(split.source);
                let value = if self.names(split.var) {
                    range.as_ref().and_then(|r| self.refine(cx, truth, split.var, r))
                } else {
                    let facts = self.facts(truth);
                    Ranges::tested_through(cx, block, (split.var, range.clone()), &facts)
                };
                out.give(split, value);
            }
        }
    }

    /// Whether a variable is the condition, or compared itself. Of others that are tested, something is known through these.
    #[inline]
    fn names(&self, var: Var) -> bool {
        self.compared.cond == var || self.compared.args.contains(&Term::Var(var))
    }

    /// The facts of an edge.
    fn facts(&self, truth: bool) -> [Fact<'static>; 2] {
        let Compared { cond, pred, bits, args } = *self.compared;
        let pred = if truth { pred } else { negate(pred) };
        let condition = [Arg::Var(cond), Arg::Int(truth.into())];
        [Fact::Compare(IntPred::Eq, 1, condition), Fact::Compare(pred, bits, args.map(Arg::from))]
    }

    fn refine<P: Meaning + ?Sized>(
        &self,
        cx: &Cx<'_, P, Range>,
        truth: bool,
        var: Var,
        range: &Intervals,
    ) -> Range {
        let Compared { cond, pred, bits, args: [a, b] } = *self.compared;
        let pred = if truth { pred } else { negate(pred) };
        let (pred, other) = match (a, b) {
            _ if cond == var => {
                return range.restrict(IntPred::Eq, &Intervals::single(1, truth.into()));
            }
            (a, b) if a == b => return Some(range.clone()),
            (Term::Var(x), other) if x == var => (pred, other),
            (other, Term::Var(x)) if x == var => (swap(pred), other),
            _ => return Some(range.clone()),
        };
        range.restrict(pred, Ranges::term(cx, other, &constant(other, bits))?)
    }
}

/// What a branch that is not on one comparison says on an edge.
fn branch_on_facts<P: Meaning + ?Sized>(
    cx: &Cx<'_, P, Range>,
    block: Node,
    way: &Way<'_>,
    out: &mut Out<Range>,
) {
    let mut known = Facts::new(Given::Edge(block, cx.code.graph().position(way.edge)));
    if !way.taken && !known.list(cx.program).iter().all(|fact| Ranges::possible(cx, fact)) {
        return;
    }
    out.take(way.edge);
    for split in way.split {
        let range = cx.version(split.source).clone();
        let value = match test_of(cx.code, block, split.var) {
            None => None,
            Some(Test::Through) => {
                Ranges::tested_through(cx, block, (split.var, range), known.list(cx.program))
            }
            Some(_) => {
                let of = |arg, bits| Ranges::arg(cx, arg, bits);
                let facts = known.list(cx.program).iter();
                facts.fold(range, |range, fact| refine(fact, split.var, range, of))
            }
        };
        out.give(split, value);
    }
}

/// How a branch tests a variable.
#[inline]
fn test_of(code: &Code, block: Node, var: Var) -> Option<Test> {
    code.tests(block).iter().find(|test| test.0 == var).map(|test| test.1)
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
    let mut known = Facts::new(given);
    let facts = known.list(program);
    let refine_by = |range: &mut Range, var: Var| {
        for fact in facts {
            *range = refine(fact, var, range.take(), &of);
        }
        for fact in facts {
            program.through(fact, var, &mut |more| {
                *range = refine(&more, var, range.take(), &of);
            });
        }
    };
    refine_by(&mut range, var);
    let by = code.definition(var).map(|pos| code.instr(pos));
    let Some((by, from)) = by.and_then(|by| Some((by, program.computed_from(by)?))) else {
        return range;
    };
    // An integer that is too wide to be followed has a value, of which nothing is known.
    let Some(width) = program.width(from) else { return range };
    let mut known = Some(Intervals::full(width));
    refine_by(&mut known, from);
    match known {
        Some(known) if known.is_full() => range,
        known => range?.intersect(&again(program.simple(by), &known?)?),
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
    const ONLY_TESTS: bool = true;

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

    #[inline]
    fn settled(&self, program: &P, instr: Instr, var: Var) -> Option<Range> {
        match program.width(var) {
            None => Some(Some(Intervals::anything())),
            Some(_) if program.computes(instr) => None,
            Some(bits) if !program.promises(instr) => Some(Some(Intervals::full(bits))),
            Some(bits) => {
                let promise = promised(bits, &program.promised(var));
                Some(Some(promise.unwrap_or_else(|| Intervals::full(bits))))
            }
        }
    }

    /// What was widened may still be narrowed.
    #[inline]
    fn is_least(&self, value: &Range) -> bool {
        value.as_ref().is_some_and(Intervals::is_full)
    }

    #[inline]
    fn passes_on(&self, program: &P, phi: Instr, var: Var) -> bool {
        program.width(var).is_some() && program.chooses(phi)
    }

    fn transfer(&self, cx: &Cx<'_, P, Range>, at: At, var: Var) -> Range {
        match (at, cx.program.width(var)) {
            (At::Define(pos), _) => Self::define(cx, pos, var),
            (_, None) => Some(Intervals::anything()),
            (At::Phi(pos, edge), Some(bits)) => {
                let phi = cx.code.instr(pos);
                match cx.program.phi_arg(phi, cx.code.graph().source(edge)) {
                    Arg::Var(var) => cx.of(var).clone(),
                    Arg::Int(value) => Some(Intervals::single(bits, value)),
                    _ => Some(Intervals::full(bits)),
                }
            }
            (At::Pass(_), _) => cx.of(var).clone(),
            (At::Branch(edge), _) => {
                let graph = cx.code.graph();
                let (block, position) = (graph.source(edge), graph.position(edge));
                let given = Given::Edge(block, position);
                let of = |arg, bits| Self::arg(cx, arg, bits);
                let test = test_of(cx.code, block, var)?;
                let range = cx.of(var).clone();
                let mut known = Facts::new(given);
                if test == Test::Through {
                    return Self::tested_through(cx, block, (var, range), known.list(cx.program));
                }
                let facts = known.list(cx.program).iter();
                facts.fold(range, |range, fact| refine(fact, var, range, of))
            }
        }
    }

    fn feasible(&self, cx: &Cx<'_, P, Range>, edge: Edge) -> bool {
        let mut feasible = true;
        let (block, position) = (cx.code.graph().source(edge), cx.code.graph().position(edge));
        cx.program.facts(block, position, &mut |fact| feasible &= Self::possible(cx, &fact));
        feasible
    }

    fn branch(&self, cx: &Cx<'_, P, Range>, ways: &[Way<'_>], out: &mut Out<Range>) {
        let Some(first) = ways.first() else { return };
        let block = cx.code.graph().source(first.edge);
        if ways.iter().all(|way| way.split.is_empty())
            && let Some(cond) = cx.program.compared_here(block)
        {
            let can_be = outcomes(cx.of(cond));
            for way in ways {
                let truth = cx.code.graph().position(way.edge) == 0;
                if way.taken || can_be[usize::from(truth)] {
                    out.take(way.edge);
                }
            }
            return;
        }
        match cx.program.compared(block) {
            Some(compared) => One::new(cx, block, &compared).branch(cx, block, ways, out),
            None => ways.iter().for_each(|way| branch_on_facts(cx, block, way, out)),
        }
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
