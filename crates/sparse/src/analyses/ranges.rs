//! Integer ranges: between which bounds does a variable lie?
//!
//! Lattice: ⊤ (`None`, no value yet) above [`Interval`]s, larger ones lower. Branches refine: on an edge where `x < y` holds,
//! `x` stays below the greatest `y`. Chains are as long as the type has values, so beyond a few bits solve with
//! [`Options::WIDENING`](crate::Options::WIDENING). Su and Wagner 2004, Gawlitza et al. 2009, 003 Fig. 3.

use super::interval::Interval;
use crate::analysis::{Analysis, At, Cx};
use crate::code::Pos;
use crate::engine::Solution;
use crate::function::{arg, inst, node, var};
use crate::meaning::{Arg, Expr, Fact, Meaning};
use crate::program::Var;
use crate::registers::swap;
use crate::strategy::Strategy;
use crate::view::View;
use lw_graph::Edge;
use lw_ir::{Function, Op};

/// The analysis.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ranges;

type Range = Option<Interval>;

impl Ranges {
    fn arg<P: Meaning + ?Sized>(cx: &Cx<'_, P, Range>, arg: Arg, bits: u32) -> Range {
        match arg {
            Arg::Var(var) => *cx.of(var),
            Arg::Int(value) => Some(Interval::single(bits, value)),
            _ => Some(Interval::full(bits)),
        }
    }

    fn define<P: Meaning + ?Sized>(cx: &Cx<'_, P, Range>, expr: Expr<'_>, bits: u32) -> Range {
        match expr {
            Expr::Copy(arg) => Self::arg(cx, arg, bits),
            Expr::Binary { op, flags, bits, args: [a, b] } => {
                Self::arg(cx, a, bits)?.binary(op, flags, Self::arg(cx, b, bits)?)
            }
            Expr::Cast { op, flags, from, to, arg } => {
                Self::arg(cx, arg, from)?.cast(op, flags, to)
            }
            Expr::Compare { pred, bits: width, args: [a, b] } if width > 0 => {
                let truth = Self::arg(cx, a, width)?.compare(pred, Self::arg(cx, b, width)?)?;
                Interval::unsigned(bits, truth.ulo, truth.uhi)
            }
            Expr::Select { cond, args: [a, b] } => {
                let (cond, a) = (Self::arg(cx, cond, 1)?, Self::arg(cx, a, bits));
                match cond.as_single() {
                    Some(0) => Self::arg(cx, b, bits),
                    Some(_) => a,
                    None => meet(a, Self::arg(cx, b, bits)),
                }
            }
            _ => Some(Interval::full(bits)),
        }
    }
}

impl Ranges {
    /// The range of an operand where an instruction uses it; `None` if control does not come there.
    ///
    /// The operand is the `index`-th of the instruction in the function, and must be an integer.
    pub fn at_use(
        function: &Function,
        view: &View,
        solution: &Solution<Range>,
        pos: Pos,
        index: usize,
    ) -> Range {
        let code = view.code();
        let data = &function[inst(code.instr(pos))];
        let value = data.args[index];
        if let Arg::Int(constant) = arg(function, value) {
            return Some(Interval::single(function.width(var(value))?, constant));
        }
        if data.op == Op::Phi && index < data.targets.len() {
            let from = node(data.targets[index]);
            let mut edges = code.graph().predecessor_edges(code.block(pos)).iter();
            let edge = edges.find(|&&edge| code.graph().source(edge) == from).copied()?;
            *solution.of(view.phi_use(pos, var(value), edge)?)
        } else {
            *solution.of(view.used(pos, var(value))?)
        }
    }
}

fn meet(a: Range, b: Range) -> Range {
    match (a, b) {
        (None, other) | (other, None) => other,
        (Some(a), Some(b)) => Some(a.hull(b)),
    }
}

impl<P: Meaning + ?Sized> Analysis<P> for Ranges {
    type Domain = Range;
    const NAME: &'static str = "ranges";
    const CONDITIONAL: bool = true;

    fn strategy(&self, program: &P, var: Var) -> Strategy {
        if program.width(var).is_some() { Strategy::ABCD } else { Strategy::SSA }
    }

    fn top(&self) -> Range {
        None
    }

    fn meet(&self, into: &mut Range, with: &Range) {
        *into = meet(*into, *with);
    }

    fn entry(&self, program: &P, var: Var) -> Range {
        Some(program.width(var).map_or(Interval::anything(), Interval::full))
    }

    fn transfer(&self, cx: &Cx<'_, P, Range>, at: At, var: Var) -> Range {
        let Some(bits) = cx.program.width(var) else { return Some(Interval::anything()) };
        match at {
            At::Define(pos) => Self::define(cx, cx.program.expr(cx.code.instr(pos)), bits),
            At::Phi(pos, edge) => {
                let phi = cx.code.instr(pos);
                match cx.program.expr(phi) {
                    Expr::Phi => {
                        let from = cx.code.graph().source(edge);
                        Self::arg(cx, cx.program.phi_arg(phi, from), bits)
                    }
                    _ => Some(Interval::full(bits)),
                }
            }
            At::Pass(_) => *cx.of(var),
            At::Branch(edge) => {
                let mut range = *cx.of(var);
                let (block, position) =
                    (cx.code.graph().source(edge), cx.code.graph().position(edge));
                cx.program.facts(block, position, &mut |fact| {
                    let Fact::Compare(pred, width, [a, b]) = fact else { return };
                    let (pred, other) = match (a, b) {
                        (Arg::Var(x), other) if x == var => (pred, other),
                        (other, Arg::Var(x)) if x == var => (swap(pred), other),
                        _ => return,
                    };
                    if width == bits && other != Arg::Var(var) {
                        range = match (range, Self::arg(cx, other, bits)) {
                            (Some(range), Some(other)) => range.restrict(pred, other),
                            _ => None,
                        };
                    }
                });
                range
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
                    (Some(a), Some(b)) => a.restrict(pred, b).is_some(),
                    _ => false,
                };
            }
        });
        feasible
    }

    fn widen(&self, old: &Range, new: &Range) -> Range {
        match (old, new) {
            (Some(old), Some(new)) => Some(old.widen(*new)),
            _ => *new,
        }
    }

    fn narrow(&self, old: &Range, new: &Range) -> Range {
        match (old, new) {
            (Some(old), Some(new)) => Some(old.narrow(*new)),
            _ => *old,
        }
    }
}
