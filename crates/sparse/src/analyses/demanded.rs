//! Demanded bits: which bits of a variable can matter?
//!
//! Lattice: sets of bits as masks, larger ones lower; ⊤ is the empty set. Backward half of bit-width analysis (Stephenson et
//! al. 2000, Mahlke et al. 2001): a truncation needs only the low bits of its operand, a mask only those it keeps.

use super::arith::mask;
use crate::analysis::{Analysis, At, Cx, Direction};
use crate::meaning::{Arg, Expr, Meaning, Simple, Term};
use crate::program::{Instr, Var};
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

/// The bits of operand `var` of an operation that matter for these bits of the result; `constant` is the second operand if
/// `var` is the first and not both.
fn of_binary(op: BinOp, bits: u32, constant: Option<u128>, result: u128, all: u128) -> u128 {
    match (op, constant) {
        (BinOp::And, Some(c)) => result & c,
        (BinOp::Or, Some(c)) => result & !c,
        (BinOp::And | BinOp::Or | BinOp::Xor, _) => result,
        (BinOp::Add | BinOp::Sub | BinOp::Mul, _) => fill(result) & all,
        (BinOp::Shl, Some(by)) if by < u128::from(bits) => result >> by,
        (BinOp::LShr, Some(by)) if by < u128::from(bits) => result << by & all,
        (BinOp::AShr, Some(by)) if by < u128::from(bits) => {
            let high = all & !(all >> by);
            let sign = if result & high != 0 { 1 << (bits - 1) } else { 0 };
            result << by & all | sign
        }
        _ => all,
    }
}

/// The bits of the operand of a conversion from so many bits that matter for these bits of the result.
fn of_cast(op: CastOp, from: u32, result: u128, all: u128) -> u128 {
    match op {
        CastOp::Trunc | CastOp::ZExt => result & mask(from),
        CastOp::SExt => {
            let sign = if result & !mask(from) != 0 { 1 << (from - 1) } else { 0 };
            result & mask(from) | sign
        }
        _ => all,
    }
}

/// The bits of operand `var` of an instruction that matter for these bits of the result. If it promises something, whether the
/// result is poison depends on all bits.
fn demanded<P: Meaning + ?Sized>(
    program: &P,
    instr: Instr,
    var: Var,
    result: u128,
    all: u128,
) -> u128 {
    match program.simple(instr) {
        Simple::Binary(_, flags, ..) | Simple::Cast(_, flags, ..) if flags != Flags::NONE => all,
        Simple::Binary(op, _, bits, args) if bits <= 64 => {
            let constant = match args {
                [Term::Var(x), Term::Int(c)] if x == var => Some(c.into()),
                _ => None,
            };
            of_binary(op, bits, constant, result, all)
        }
        Simple::Cast(op, _, [from, _], _) => of_cast(op, from, result, all),
        Simple::Compare(..) => all * (result & 1),
        _ => demanded_by_other(&program.expr(instr), var, result, all),
    }
}

fn demanded_by_other(expr: &Expr<'_>, var: Var, result: u128, all: u128) -> u128 {
    let me = Arg::Var(var);
    match expr {
        Expr::Copy(_) | Expr::Phi => result,
        Expr::Binary { op, bits, args, .. } => {
            let constant = match args {
                [x, Arg::Int(c)] if *x == me => Some(*c),
                _ => None,
            };
            of_binary(*op, *bits, constant, result, all)
        }
        Expr::Select { cond, args } => {
            let value = if args.contains(&me) { result } else { 0 };
            value | if *cond == me { u128::from(result != 0) } else { 0 }
        }
        Expr::Compare { .. } => all * (result & 1),
        // Calls and the like do something whatever becomes of their results.
        _ => all,
    }
}

impl<P: Meaning + ?Sized> Analysis<P> for DemandedBits {
    /// A mask; all ones for what is not an integer.
    type Domain = u128;
    const NAME: &'static str = "demanded bits";
    const DIRECTION: Direction = Direction::Backward;
    const TESTS: bool = false;

    fn follows(&self, program: &P, var: Var) -> bool {
        program.width(var).is_some()
    }

    fn strategy(&self, program: &P, var: Var) -> Strategy {
        if program.width(var).is_some() { Strategy::MAHLKE } else { Strategy::SSA }
    }

    /// What is not computed, or promises something, needs all bits of its operands.
    fn settles(&self, program: &P, instr: Instr, _: Var) -> bool {
        !program.computes(instr)
            || match program.simple(instr) {
                Simple::Binary(_, flags, ..) | Simple::Cast(_, flags, ..) => flags != Flags::NONE,
                _ => false,
            }
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
                through | demanded(cx.program, instr, var, *cx.of(result), all)
            }
            _ => all,
        }
    }
}
