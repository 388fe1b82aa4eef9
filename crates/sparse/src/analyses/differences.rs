//! Differences between variables: is `x ≤ y + c` wherever `x` has a value? ABCD, on demand (Bodik, Gupta, Sarkar 2000).
//!
//! On the ABCD view every version is bounded by those it is made from: `i ≤ n - 1` on the edge where `i < n` holds, `j ≤ i + 1`
//! behind `j = i + 1` if that does not wrap, a φ by the worst of its operands. [`Differences::at_most`] follows these
//! bounds backward from `x` until it meets `y`. Numbers are read as signed; where nothing symbolic is known the
//! [`Ranges`](super::Ranges) of both may decide.
//!
//! A bound relates values of one moment. `x` was bounded by the `y` of that moment, so `y` must not have been computed
//! again since: a φ is passed only if the definition of `y` dominates it from another block. Then no way around the loop
//! of the φ computes `y` again.

use super::arith::signed;
use super::intervals::Intervals;
use crate::code::Pos;
use crate::engine::Solution;
use crate::meaning::{Arg, Expr, Fact, Meaning};
use crate::program::Var;
use crate::registers::swap;
use crate::view::{Def, Version, View};
use lw_graph::{Edge, Node};
use lw_ir::Flags;
use lw_ir::ops::{BinOp, CastOp, IntPred};
use std::collections::HashMap;

/// How many versions one question may visit.
const EFFORT: u32 = 400;

/// Answers questions about differences. It needs the ranges of a program, solved on the view.
#[derive(Clone, Copy, Debug)]
pub struct Differences<'a, P: ?Sized> {
    /// The program.
    pub program: &'a P,
    /// The view: [`Strategy::ABCD`](crate::Strategy::ABCD) at least.
    pub view: &'a View,
    /// The ranges.
    pub ranges: &'a Solution<Option<Intervals>>,
}

/// `scale * version + offset`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Linear {
    /// The version.
    pub version: Version,
    /// The factor, which is positive.
    pub scale: i128,
    /// The constant.
    pub offset: i128,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Proof {
    No,
    /// If what is being proved further up holds: a cycle that only makes it easier.
    Cycle,
    Yes,
}

struct Question {
    /// What everything is compared with.
    base: Version,
    least: i128,
    effort: u32,
    /// Versions on the way here, with the slack they had.
    active: HashMap<Version, i128>,
    /// The least slack for which a version was proved.
    proved: HashMap<Version, i128>,
}

impl<P: Meaning + ?Sized> Differences<'_, P> {
    /// Whether `x ≤ y + c`, read as signed numbers, wherever `x` has a value and `y` the one it was computed with.
    pub fn at_most(&self, x: Version, y: Version, c: i128) -> bool {
        let least = self.bounds(y).map_or(i128::MIN / 4, |(least, _)| least);
        let mut question = Question {
            base: y,
            least,
            effort: EFFORT,
            active: HashMap::new(),
            proved: HashMap::new(),
        };
        self.prove(&mut question, x, c) == Proof::Yes
    }

    /// A version as a multiple of another plus a constant, as far back as that can be seen. Nothing wraps.
    pub fn linear(&self, version: Version) -> Linear {
        let mut linear = Linear { version, scale: 1, offset: 0 };
        for _ in 0..16 {
            let Some((source, scale, offset)) = self.step(linear.version) else { break };
            let moved = linear.scale.checked_mul(offset).and_then(|o| linear.offset.checked_add(o));
            let (Some(scale), Some(offset)) = (linear.scale.checked_mul(scale), moved) else {
                break;
            };
            linear = Linear { version: source, scale, offset };
        }
        linear
    }

    /// What a version is computed from by multiplying with a positive constant and adding one, without wrapping.
    fn step(&self, version: Version) -> Option<(Version, i128, i128)> {
        let pos = match self.view.def(version) {
            Def::Instr(pos) if !self.view.code().is_phi(pos) => pos,
            Def::Copy(copy) => return Some((self.view.copies()[copy as usize].source, 1, 0)),
            // Behind a σ, more is known than before it.
            _ => return None,
        };
        let (arg, scale, offset) = match self.program.expr(self.view.code().instr(pos)) {
            Expr::Copy(arg) => (arg, 1, 0),
            Expr::Cast { op, flags, from, to, arg } => {
                let same = self.keeps_value(pos, op, flags, from, to, arg);
                (same.then_some(arg)?, 1, 0)
            }
            Expr::Binary { op, flags, bits, args: [arg, Arg::Int(constant)] } => {
                let (scale, offset) = match op {
                    BinOp::Add => (1, signed(bits, constant)),
                    BinOp::Sub => (1, signed(bits, constant).checked_neg()?),
                    BinOp::Or if flags.contains(Flags::DISJOINT) => (1, signed(bits, constant)),
                    BinOp::Mul => (signed(bits, constant), 0),
                    BinOp::Shl if constant < u128::from(bits.min(64)) => (1 << constant, 0),
                    _ => return None,
                };
                let (least, greatest) = self.of_arg(pos, arg, bits)?;
                let no_wrap = flags.contains(Flags::NSW)
                    || op == BinOp::Or
                    || fits(bits, least.checked_mul(scale)?.checked_add(offset)?)
                        && fits(bits, greatest.checked_mul(scale)?.checked_add(offset)?);
                if scale <= 0 || !no_wrap {
                    return None;
                }
                (arg, scale, offset)
            }
            _ => return None,
        };
        Some((self.version(pos, arg)?, scale, offset))
    }

    fn keeps_value(
        &self,
        pos: Pos,
        op: CastOp,
        flags: Flags,
        from: u32,
        to: u32,
        arg: Arg,
    ) -> bool {
        let range = || self.of_arg(pos, arg, from);
        match op {
            CastOp::SExt => true,
            CastOp::ZExt => flags.contains(Flags::NNEG) || range().is_some_and(|(lo, _)| lo >= 0),
            CastOp::Trunc => {
                flags.contains(Flags::NSW)
                    || range().is_some_and(|(lo, hi)| fits(to, lo) && fits(to, hi))
            }
            _ => false,
        }
    }

    fn version(&self, pos: Pos, arg: Arg) -> Option<Version> {
        let Arg::Var(var) = arg else { return None };
        self.view.uses(pos).find(|&(v, _)| v == var)?.1
    }

    /// The signed bounds of an operand.
    fn of_arg(&self, pos: Pos, arg: Arg, bits: u32) -> Option<(i128, i128)> {
        match arg {
            Arg::Int(value) => Some((signed(bits, value), signed(bits, value))),
            _ => self.bounds(self.version(pos, arg)?),
        }
    }

    fn bounds(&self, version: Version) -> Option<(i128, i128)> {
        let range = self.ranges.of(version).as_ref()?;
        (range.bits > 0).then_some((range.slo(), range.shi()))
    }

    /// Whether `version ≤ base + c`.
    fn prove(&self, q: &mut Question, version: Version, c: i128) -> Proof {
        if self.is_base(q, version) && c >= 0 {
            return Proof::Yes;
        }
        if self.ranges.of(version).is_none() {
            return Proof::Yes; // It never has a value.
        }
        if self.bounds(version).is_some_and(|(_, greatest)| holds(greatest, q.least, c))
            || q.proved.get(&version).is_some_and(|&proved| proved <= c)
        {
            return Proof::Yes;
        }
        if let Some(&before) = q.active.get(&version) {
            return if c >= before { Proof::Cycle } else { Proof::No };
        }
        if q.effort == 0 {
            return Proof::No;
        }
        q.effort -= 1;
        q.active.insert(version, c);
        let proof = self.prove_by_definition(q, version, c);
        q.active.remove(&version);
        // A cycle that leads back to this version and no further is no assumption any more.
        let settled = proof == Proof::Yes || proof == Proof::Cycle && q.active.is_empty();
        if settled {
            q.proved.insert(version, c);
            return Proof::Yes;
        }
        proof
    }

    /// Whether a version is another name of the base. In an SSA program all versions of a variable have its value.
    fn is_base(&self, q: &Question, version: Version) -> bool {
        version == q.base || self.view.code().ssa && self.view.var(version) == self.view.var(q.base)
    }

    fn prove_by_definition(&self, q: &mut Question, version: Version, c: i128) -> Proof {
        let view = self.view;
        match view.def(version) {
            Def::Param => Proof::No,
            Def::Copy(copy) => self.prove(q, view.copies()[copy as usize].source, c),
            Def::Sigma(sigma, edge) => {
                let sigma = view.sigmas()[sigma as usize];
                let mut proof = self.prove_by_branch(q, sigma.var, edge, c);
                if proof != Proof::Yes {
                    proof = proof.max(self.prove(q, sigma.source, c));
                }
                proof
            }
            Def::Phi(phi) => {
                if !self.may_pass(q, view.phis()[phi as usize].block) {
                    return Proof::No;
                }
                let mut all = Proof::Yes;
                for arg in view.phi_args(phi).flatten() {
                    all = all.min(self.prove(q, arg, c));
                    if all == Proof::No {
                        break;
                    }
                }
                all
            }
            Def::Instr(pos) if view.code().is_phi(pos) => self.prove_phi(q, pos, c),
            Def::Instr(pos) => self.prove_instr(q, pos, c),
        }
    }

    /// Whether the base is not computed again on the way around a loop through this block.
    fn may_pass(&self, q: &Question, block: Node) -> bool {
        let code = self.view.code();
        let base = self.view.var(q.base);
        let defined = match self.view.def(q.base) {
            _ if code.ssa && code.param_of(base).is_some() => return true,
            Def::Param => return true,
            _ if code.ssa => code.definition(base).map(|pos| code.block(pos)),
            Def::Instr(pos) => Some(code.block(pos)),
            Def::Phi(phi) => Some(self.view.phis()[phi as usize].block),
            Def::Sigma(_, edge) => Some(code.graph().source(edge)),
            Def::Copy(copy) => Some(code.block(self.view.copies()[copy as usize].pos)),
        };
        defined.is_some_and(|at| at != block && code.dominators().dominates(at, block))
    }

    fn prove_phi(&self, q: &mut Question, pos: Pos, c: i128) -> Proof {
        let code = self.view.code();
        let (phi, block) = (code.instr(pos), code.block(pos));
        if !matches!(self.program.expr(phi), Expr::Phi) || !self.may_pass(q, block) {
            return Proof::No;
        }
        let Some(bits) = code.defs(pos).first().and_then(|&var| self.program.width(var)) else {
            return Proof::No;
        };
        let mut all = Proof::Yes;
        for &edge in code.graph().predecessor_edges(block) {
            let proof = match self.program.phi_arg(phi, code.graph().source(edge)) {
                Arg::Int(value) if holds(signed(bits, value), q.least, c) => Proof::Yes,
                Arg::Var(var) => match self.view.phi_use(pos, var, edge) {
                    Some(version) => self.prove(q, version, c),
                    None => Proof::Yes, // Control does not come this way.
                },
                _ => Proof::No,
            };
            all = all.min(proof);
            if all == Proof::No {
                break;
            }
        }
        all
    }

    /// By what holds on an edge about a variable.
    fn prove_by_branch(&self, q: &mut Question, var: Var, edge: Edge, c: i128) -> Proof {
        let graph = self.view.code().graph();
        let block = graph.source(edge);
        let mut proof = Proof::No;
        self.program.facts(block, graph.position(edge), &mut |fact| {
            let Fact::Compare(pred, bits, [a, b]) = fact else { return };
            let (pred, other) = match (a, b) {
                (Arg::Var(x), Arg::Var(other)) if x == var => (pred, other),
                (Arg::Var(other), Arg::Var(x)) if x == var => (swap(pred), other),
                _ => return,
            };
            let found = self.view.tests(block).find(|&(v, _)| v == other).and_then(|(_, v)| v);
            let Some(other) = found.filter(|_| bits > 0 && proof != Proof::Yes) else { return };
            let positive = || self.bounds(other).is_some_and(|(least, _)| least >= 0);
            let slack = match pred {
                IntPred::Slt => 1,
                IntPred::Sle | IntPred::Eq => 0,
                IntPred::Ult if positive() => 1,
                IntPred::Ule if positive() => 0,
                _ => return,
            };
            proof = proof.max(self.prove(q, other, c.saturating_add(slack)));
        });
        proof
    }

    fn prove_instr(&self, q: &mut Question, pos: Pos, c: i128) -> Proof {
        let not_negative =
            |arg: Arg, bits: u32| self.of_arg(pos, arg, bits).is_some_and(|(least, _)| least >= 0);
        let (arg, slack) = match self.program.expr(self.view.code().instr(pos)) {
            Expr::Copy(arg) => (arg, 0),
            Expr::Cast { op, flags, from, to, arg } => {
                if !self.keeps_value(pos, op, flags, from, to, arg) {
                    return Proof::No;
                }
                (arg, 0)
            }
            Expr::Binary { op, flags, bits, args: [a, b] } => match op {
                BinOp::Add | BinOp::Sub => {
                    return self.prove_sum(q, pos, (op, flags, bits), [a, b], c);
                }
                // What is left of a division is less than the divisor.
                BinOp::URem | BinOp::SRem
                    if self.of_arg(pos, b, bits).is_some_and(|(least, _)| least > 0) =>
                {
                    (b, 1)
                }
                // A number that is not negative becomes no larger.
                BinOp::LShr | BinOp::AShr | BinOp::UDiv | BinOp::SDiv
                    if not_negative(a, bits) && (op != BinOp::SDiv || not_negative(b, bits)) =>
                {
                    (a, 0)
                }
                BinOp::And if not_negative(a, bits) => (a, 0),
                BinOp::And if not_negative(b, bits) => (b, 0),
                _ => return Proof::No,
            },
            Expr::Select { args, .. } => {
                let mut all = Proof::Yes;
                for arg in args {
                    all = all.min(self.prove_arg(q, pos, arg, c));
                    if all == Proof::No {
                        break;
                    }
                }
                return all;
            }
            _ => return Proof::No,
        };
        self.prove_arg(q, pos, arg, c.saturating_add(slack))
    }

    fn prove_arg(&self, q: &mut Question, pos: Pos, arg: Arg, c: i128) -> Proof {
        self.version(pos, arg).map_or(Proof::No, |version| self.prove(q, version, c))
    }

    /// `a ± b` is at most `a` plus the greatest `±b`, if it does not wrap.
    fn prove_sum(
        &self,
        q: &mut Question,
        pos: Pos,
        (op, flags, bits): (BinOp, Flags, u32),
        [a, b]: [Arg; 2],
        c: i128,
    ) -> Proof {
        let (Some(x), Some(y)) = (self.of_arg(pos, a, bits), self.of_arg(pos, b, bits)) else {
            return Proof::No;
        };
        let negated = |(least, greatest): (i128, i128)| (-greatest, -least);
        let near =
            |(least, greatest): (i128, i128)| least > i128::MIN / 4 && greatest < i128::MAX / 4;
        if !near(x) || !near(y) {
            return Proof::No;
        }
        let y = if op == BinOp::Sub { negated(y) } else { y };
        let fit = fits(bits, x.0 + y.0) && fits(bits, x.1 + y.1);
        if !flags.contains(Flags::NSW) && !fit {
            return Proof::No;
        }
        let proof = self.prove_arg(q, pos, a, c.saturating_sub(y.1));
        if proof == Proof::Yes || op == BinOp::Sub {
            return proof;
        }
        proof.max(self.prove_arg(q, pos, b, c.saturating_sub(x.1)))
    }
}

/// Whether `greatest ≤ least + c`.
fn holds(greatest: i128, least: i128, c: i128) -> bool {
    least.checked_add(c).is_some_and(|bound| greatest <= bound)
}

fn fits(bits: u32, value: i128) -> bool {
    signed(bits, value as u128) == value
}
