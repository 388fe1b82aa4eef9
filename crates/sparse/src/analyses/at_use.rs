//! What is known of an operand where it is used: its version, and what the use itself tells.
//!
//! A value that is only used by one arm of a `select` matters only if the condition holds; so does one that is only used to
//! compute such a value.

use super::intervals::Intervals;
use super::ranges::{Given, Known, Range, Ranges, known_if};
use crate::code::{NONE, Pos};
use crate::engine::Solution;
use crate::function::{arg, inst, node, var};
use crate::meaning::{Arg, Meaning};
use crate::view::View;
use lw_ir::ops::BinOp;
use lw_ir::{Function, Op};
use std::borrow::Cow;

/// How many uses are followed.
const STEPS: usize = 3;

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
            return Some(Intervals::single(function.width(var(value))?, constant));
        }
        let used = var(value);
        let mut range = if matches!(data.op, Op::Phi) && index < data.targets.len() {
            let from = node(data.targets[index]);
            let mut edges = code.graph().predecessor_edges(code.block(pos)).iter();
            let edge = edges.find(|&&edge| code.graph().source(edge) == from).copied()?;
            return solution.of(view.phi_use(pos, used, edge)?).clone();
        } else {
            solution.of(view.used(pos, used)?).clone()
        };
        let (mut pos, mut index) = (pos, index);
        for _ in 0..STEPS {
            let user = &function[inst(code.instr(pos))];
            if matches!(user.op, Op::Select) && index > 0 && user.args[0] != value {
                if let Arg::Var(cond) = arg(function, user.args[0]) {
                    let given = Given::Condition(cond, index == 1);
                    range = known_if(function, code, (used, range), given, constant);
                }
            } else if matches!(user.op, Op::Phi) {
                let from = node(user.targets[index]);
                let mut edges = code.graph().predecessor_edges(code.block(pos)).iter();
                let edge = edges.find(|&&edge| code.graph().source(edge) == from).copied();
                if let Some(edge) = edge {
                    let graph = code.graph();
                    let given = Given::Edge(graph.source(edge), graph.position(edge));
                    range = known_if(function, code, (used, range), given, constant);
                }
                break;
            }
            if !may_be_skipped(&user.op) {
                break;
            }
            let Some(result) = user.result.expand() else { break };
            let next = match code.uses_of.row(var(result).index()) {
                [only] => *only as usize,
                _ => break,
            };
            pos = Pos(code.use_pos[next]);
            let user = &function[inst(code.instr(pos))];
            let Some(at) = user.args.iter().position(|&a| a == result) else { break };
            if user.args[at + 1..].contains(&result) {
                break;
            }
            index = at;
            debug_assert!(code.use_edge[next] == NONE || user.op == Op::Phi);
        }
        range
    }
}

/// Whether an instruction does nothing but compute, whatever its operands.
fn may_be_skipped(op: &Op) -> bool {
    match op {
        Op::Binary(op) => !matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem),
        Op::Cast(_) | Op::ICmp(_) | Op::Select | Op::Gep(_) => true,
        _ => false,
    }
}

/// What is known of an operand that is a constant.
fn constant(arg: Arg, bits: u32) -> Known<'static> {
    let known = match arg {
        Arg::Int(value) => Intervals::single(bits, value),
        _ => Intervals::full(bits),
    };
    Some(Cow::Owned(known))
}
