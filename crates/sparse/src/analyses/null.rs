//! Null pointers: which references may be null where?
//!
//! Lattice: ⊤ (no value yet) above `Null` and `NonNull` above `Maybe`. What was dereferenced is not null afterwards, so uses
//! are sources (003 Fig. 4); comparisons with null refine on both edges. Nanda and Sinha 2009.

use crate::analysis::{Analysis, At, Cx};
use crate::meaning::{Arg, Expr, Fact, Meaning};
use crate::program::{Instr, Var};
use crate::strategy::Strategy;
use lw_ir::ops::IntPred;

/// What is known of a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Nullness {
    /// No value yet: not executed, or undefined.
    Top,
    /// Always null.
    Null,
    /// Never null.
    NonNull,
    /// Either.
    Maybe,
}

/// The analysis.
#[derive(Clone, Copy, Debug, Default)]
pub struct NullPointers;

impl NullPointers {
    fn arg<P: Meaning + ?Sized>(cx: &Cx<'_, P, Nullness>, arg: Arg) -> Nullness {
        match arg {
            Arg::Var(var) => *cx.of(var),
            Arg::Null => Nullness::Null,
            Arg::Global(_) => Nullness::NonNull,
            _ => Nullness::Maybe,
        }
    }
}

fn meet(a: Nullness, b: Nullness) -> Nullness {
    match (a, b) {
        (Nullness::Top, other) | (other, Nullness::Top) => other,
        (a, b) if a == b => a,
        _ => Nullness::Maybe,
    }
}

impl<P: Meaning + ?Sized> Analysis<P> for NullPointers {
    type Domain = Nullness;
    const NAME: &'static str = "null pointers";

    /// Of what is not null from the start, accesses say nothing.
    fn strategy(&self, program: &P, var: Var) -> Strategy {
        if !program.is_pointer(var) {
            Strategy::SSA
        } else if program.is_object(var) {
            Strategy::SSA | Strategy::CONDS_DOWN
        } else {
            Strategy::NULL_POINTERS | Strategy::CONDS_DOWN
        }
    }

    fn follows(&self, program: &P, var: Var) -> bool {
        program.is_pointer(var)
    }

    fn informs(&self, program: &P, instr: Instr, var: Var) -> bool {
        program.dereferenced(instr) == Some(Arg::Var(var)) || program.root(instr) == Some(var)
    }

    /// Behind the first access a pointer is not null, or control does not get there.
    fn settles(&self, program: &P, instr: Instr, var: Var) -> bool {
        self.informs(program, instr, var)
    }

    fn top(&self) -> Nullness {
        Nullness::Top
    }

    fn meet(&self, into: &mut Nullness, with: &Nullness) {
        *into = meet(*into, *with);
    }

    fn entry(&self, _: &P, _: Var) -> Nullness {
        Nullness::Maybe
    }

    fn settled(&self, program: &P, _: Instr, var: Var) -> Option<Nullness> {
        (!program.is_pointer(var)).then_some(Nullness::Maybe)
    }

    #[inline]
    fn passes_on(&self, program: &P, phi: Instr, var: Var) -> bool {
        program.is_pointer(var) && program.chooses(phi)
    }

    fn transfer(&self, cx: &Cx<'_, P, Nullness>, at: At, var: Var) -> Nullness {
        if !cx.program.is_pointer(var) {
            return Nullness::Maybe;
        }
        match at {
            At::Define(pos) => match cx.program.expr(cx.code.instr(pos)) {
                Expr::Copy(arg) => Self::arg(cx, arg),
                Expr::Alloc(_) => Nullness::NonNull,
                Expr::Select { args: [a, b], .. } => meet(Self::arg(cx, a), Self::arg(cx, b)),
                // An address in an object is not null; outside of it, it may be.
                Expr::Address { base, inbounds: true, .. } => match Self::arg(cx, base) {
                    Nullness::Null => Nullness::Maybe,
                    other => other,
                },
                _ => Nullness::Maybe,
            },
            At::Phi(pos, edge) => {
                let phi = cx.code.instr(pos);
                Self::arg(cx, cx.program.phi_arg(phi, cx.code.graph().source(edge)))
            }
            At::Pass(pos) => {
                let followed = self.informs(cx.program, cx.code.instr(pos), var);
                // Behind the use of a null pointer control does not get.
                match (*cx.of(var), followed) {
                    (Nullness::Top | Nullness::Null, true) => Nullness::Top,
                    (_, true) => Nullness::NonNull,
                    (value, false) => value,
                }
            }
            At::Branch(edge) => {
                let mut value = *cx.of(var);
                let (block, position) =
                    (cx.code.graph().source(edge), cx.code.graph().position(edge));
                cx.program.facts(block, position, &mut |fact| {
                    let Fact::Compare(pred, _, args) = fact else { return };
                    let known = match (pred, args) {
                        (_, [Arg::Var(x), Arg::Null] | [Arg::Null, Arg::Var(x)]) if x == var => {
                            pred
                        }
                        _ => return,
                    };
                    value = match (known, value) {
                        (IntPred::Eq, Nullness::NonNull) | (IntPred::Ne, Nullness::Null) => {
                            Nullness::Top // Never taken.
                        }
                        (IntPred::Eq, Nullness::Maybe) => Nullness::Null,
                        (IntPred::Ne, Nullness::Maybe) => Nullness::NonNull,
                        (_, value) => value,
                    };
                });
                value
            }
        }
    }
}
