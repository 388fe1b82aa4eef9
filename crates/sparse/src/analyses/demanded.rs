//! Demanded bits: which bits of a variable can matter?
//!
//! Lattice: sets of bits as masks, larger ones lower; ⊤ is the empty set. Backward half of bit-width analysis (Stephenson et
//! al. 2000, Mahlke et al. 2001): a truncation needs only the low bits of its operand, a mask only those it keeps.

use super::arith::mask;
use crate::analysis::{Analysis, At, Cx, Direction};
use crate::meaning::{Arg, Expr, Meaning};
use crate::program::Var;
use crate::strategy::Strategy;
use lw_ir::Flags;
use lw_ir::ops::{BinOp, CastOp};

/// The analysis.
#[derive(Clone, Copy, Debug, Default)]
pub struct DemandedBits;

/// All bits up to the highest one set.
fn fill(x: u128) -> u128 {
    if x == 0 { 0 } else { u128::MAX >> x.leading_zeros() }
}

/// The bits of operand `var` that matter for these bits of the result.
fn demanded(expr: &Expr<'_>, var: Var, result: u128, all: u128) -> u128 {
    let me = Arg::Var(var);
    match expr {
        Expr::Copy(_) | Expr::Phi => result,
        Expr::Cast { op, flags, from, .. } => {
            if *flags != Flags::NONE {
                return all; // Whether the result is poison depends on all bits.
            }
            match op {
                CastOp::Trunc | CastOp::ZExt => result & mask(*from),
                CastOp::SExt => {
                    let sign = if result & !mask(*from) != 0 { 1 << (from - 1) } else { 0 };
                    result & mask(*from) | sign
                }
                _ => all,
            }
        }
        Expr::Binary { op, flags, bits, args } => {
            if *flags != Flags::NONE {
                return all;
            }
            // The other operand, if it is a constant and `var` is not both operands.
            let constant = match args {
                [x, Arg::Int(c)] if *x == me => Some(*c),
                _ => None,
            };
            match (op, constant) {
                (BinOp::And, Some(c)) => result & c,
                (BinOp::Or, Some(c)) => result & !c,
                (BinOp::And | BinOp::Or | BinOp::Xor, _) => result,
                (BinOp::Add | BinOp::Sub | BinOp::Mul, _) => fill(result) & all,
                (BinOp::Shl, Some(by)) if by < u128::from(*bits) => result >> by,
                (BinOp::LShr, Some(by)) if by < u128::from(*bits) => result << by & all,
                (BinOp::AShr, Some(by)) if by < u128::from(*bits) => {
                    let high = all & !(all >> by);
                    let sign = if result & high != 0 { 1 << (bits - 1) } else { 0 };
                    result << by & all | sign
                }
                _ => all,
            }
        }
        Expr::Select { cond, args } => {
            let value = if args.contains(&me) { result } else { 0 };
            value | if *cond == me { u128::from(result != 0) } else { 0 }
        }
        Expr::Compare { .. } => {
            if result & 1 != 0 {
                all
            } else {
                0
            }
        }
        _ => all,
    }
}

impl<P: Meaning + ?Sized> Analysis<P> for DemandedBits {
    /// A mask; all ones for what is not an integer.
    type Domain = u128;
    const NAME: &'static str = "demanded bits";
    const DIRECTION: Direction = Direction::Backward;

    fn follows(&self, program: &P, var: Var) -> bool {
        program.width(var).is_some()
    }

    fn strategy(&self, program: &P, var: Var) -> Strategy {
        if program.width(var).is_some() { Strategy::MAHLKE } else { Strategy::SSA }
    }

    fn top(&self) -> u128 {
        0
    }

    fn meet(&self, into: &mut u128, with: &u128) {
        *into |= with;
    }

    fn transfer(&self, cx: &Cx<'_, P, u128>, at: At, var: Var) -> u128 {
        let Some(all) = cx.program.width(var).map(mask) else { return u128::MAX };
        let through = *cx.through(at, var);
        let (At::Pass(pos) | At::Phi(pos, _)) = at else { return through };
        let instr = cx.code.instr(pos);
        match cx.code.defs(pos).first() {
            Some(&result) if through != all && cx.program.computes(instr) => {
                let expr = cx.program.expr(instr);
                // Calls and the like do something whatever becomes of their results.
                let effect = matches!(expr, Expr::Call { .. } | Expr::Method { .. } | Expr::Other);
                through | if effect { all } else { demanded(&expr, var, *cx.of(result), all) }
            }
            _ => all,
        }
    }
}
