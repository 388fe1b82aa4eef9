//! Sparse conditional constants: which variables always hold the same integer?
//!
//! Lattice: ⊤ (no value yet) above all integers above ⊥ (any value). Code behind branches that are never taken does not
//! count, and on an edge where `x == 5` was tested, `x` is 5. 003 Fig. 2; Wegman and Zadeck, *Constant Propagation with
//! Conditional Branches* (TOPLAS 1991).

use super::arith;
use crate::analysis::{Analysis, At, Cx};
use crate::meaning::{Arg, Expr, Fact, Meaning};
use crate::program::{Instr, Var};
use crate::strategy::Strategy;
use lw_graph::Edge;
use lw_ir::ops::IntPred;

/// What is known of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Constant {
    /// No value yet: not executed, or undefined.
    Top,
    /// Always this integer, zero-extended.
    Int(u128),
    /// Any value.
    Bottom,
}

impl Constant {
    fn zip(self, other: Constant, f: impl Fn(u128, u128) -> Option<u128>) -> Constant {
        match (self, other) {
            (Constant::Top, _) | (_, Constant::Top) => Constant::Top,
            (Constant::Int(a), Constant::Int(b)) => f(a, b).map_or(Constant::Bottom, Constant::Int),
            _ => Constant::Bottom,
        }
    }
}

/// The analysis.
#[derive(Clone, Copy, Debug, Default)]
pub struct Constants;

impl Constants {
    fn arg<P: Meaning + ?Sized>(cx: &Cx<'_, P, Constant>, arg: Arg) -> Constant {
        match arg {
            Arg::Var(var) => *cx.of(var),
            Arg::Int(value) => Constant::Int(value),
            _ => Constant::Bottom,
        }
    }

    fn define<P: Meaning + ?Sized>(cx: &Cx<'_, P, Constant>, expr: Expr<'_>) -> Constant {
        let of = |arg| Self::arg(cx, arg);
        match expr {
            Expr::Copy(arg) => of(arg),
            Expr::Binary { op, flags, bits, args: [a, b] } => {
                of(a).zip(of(b), |x, y| arith::binary(op, flags, bits, x, y))
            }
            Expr::Cast { op, flags, from, to, arg } => {
                of(arg).zip(Constant::Int(0), |x, _| arith::cast(op, flags, from, to, x))
            }
            Expr::Compare { pred, bits, args: [a, b] } if bits > 0 => {
                of(a).zip(of(b), |x, y| Some(arith::compare(pred, bits, x, y).into()))
            }
            Expr::Select { cond, args: [a, b] } => match of(cond) {
                Constant::Top => Constant::Top,
                Constant::Int(0) => of(b),
                Constant::Int(_) => of(a),
                Constant::Bottom => {
                    let mut both = of(a);
                    meet(&mut both, of(b));
                    both
                }
            },
            _ => Constant::Bottom,
        }
    }
}

fn meet(into: &mut Constant, with: Constant) {
    *into = match (*into, with) {
        (Constant::Top, other) | (other, Constant::Top) => other,
        (a, b) if a == b => a,
        _ => Constant::Bottom,
    };
}

impl<P: Meaning + ?Sized> Analysis<P> for Constants {
    type Domain = Constant;
    const NAME: &'static str = "constants";
    const CONDITIONAL: bool = true;
    const ONLY_TESTS: bool = true;

    fn strategy(&self, program: &P, var: Var) -> Strategy {
        if program.width(var).is_some() { Strategy::CCP } else { Strategy::SSA }
    }

    fn top(&self) -> Constant {
        Constant::Top
    }

    fn meet(&self, into: &mut Constant, with: &Constant) {
        meet(into, *with);
    }

    fn entry(&self, _: &P, _: Var) -> Constant {
        Constant::Bottom
    }

    fn settled(&self, program: &P, instr: Instr, var: Var) -> Option<Constant> {
        (program.width(var).is_none() || !program.computes(instr)).then_some(Constant::Bottom)
    }

    #[inline]
    fn passes_on(&self, program: &P, phi: Instr, var: Var) -> bool {
        program.width(var).is_some() && program.chooses(phi)
    }

    fn transfer(&self, cx: &Cx<'_, P, Constant>, at: At, var: Var) -> Constant {
        match at {
            At::Define(pos) => Self::define(cx, cx.program.expr(cx.code.instr(pos))),
            At::Phi(pos, edge) => {
                let phi = cx.code.instr(pos);
                match cx.program.expr(phi) {
                    Expr::Phi => {
                        Self::arg(cx, cx.program.phi_arg(phi, cx.code.graph().source(edge)))
                    }
                    _ => Constant::Bottom,
                }
            }
            At::Pass(_) => *cx.of(var),
            At::Branch(edge) => {
                let mut value = *cx.of(var);
                let (block, position) =
                    (cx.code.graph().source(edge), cx.code.graph().position(edge));
                cx.program.facts(block, position, &mut |fact| {
                    let Fact::Compare(IntPred::Eq, _, [a, b]) = fact else { return };
                    let other = match (a, b) {
                        (Arg::Var(x), other) if x == var => Self::arg(cx, other),
                        (other, Arg::Var(x)) if x == var => Self::arg(cx, other),
                        _ => return,
                    };
                    value = match (value, other) {
                        (value, Constant::Bottom) => value,
                        (Constant::Bottom, other) => other,
                        (value, other) if value == other => value,
                        _ => Constant::Top, // Never taken.
                    };
                });
                value
            }
        }
    }

    fn feasible(&self, cx: &Cx<'_, P, Constant>, edge: Edge) -> bool {
        let mut feasible = true;
        let (block, position) = (cx.code.graph().source(edge), cx.code.graph().position(edge));
        cx.program.facts(block, position, &mut |fact| {
            if let Fact::Compare(pred, bits, [a, b]) = fact
                && bits > 0
            {
                feasible &= match (Self::arg(cx, a), Self::arg(cx, b)) {
                    (Constant::Top, _) | (_, Constant::Top) => false,
                    (Constant::Int(x), Constant::Int(y)) => arith::compare(pred, bits, x, y),
                    _ => true,
                };
            }
        });
        feasible
    }
}
