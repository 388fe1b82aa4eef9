//! What is known of an operand where it is used: its version, and what the use itself tells.
//!
//! A value that is only used by one arm of a `select` matters only if the condition holds; so does one that is only used to
//! compute such a value.

use super::intervals::Intervals;
use super::ranges::{Given, Known, Range, Ranges, known_if};
use crate::code::{Code, NONE, Pos};
use crate::engine::Solution;
use crate::function::{arg, inst, node, var};
use crate::meaning::{Arg, Meaning};
use crate::program::Var;
use crate::view::{Version, View};
use lw_graph::Edge;
use lw_ir::ops::BinOp;
use lw_ir::{Function, InstData, Op};
use smallvec::SmallVec;
use std::borrow::Cow;

/// How many uses are followed.
const STEPS: usize = 3;

/// What holds where a result is used, if it is used at all.
type Conditions = SmallVec<[Given; STEPS]>;

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
        if let Some(at) = on_edge(code, data, code.uses.range(pos.index()).start, pos, index) {
            return solution.of(Version::from_table(view.use_version(at?))?).clone();
        }
        let range = solution.of(view.used(pos, used)?).clone();
        let own = own_condition(function, data, index);
        let user = only_use(function, code, data);
        let mut rest = Conditions::new();
        if let Some(user) = user {
            conditions(function, code, user, &mut rest);
        }
        refined(function, code, (used, range), own.as_slice().iter().chain(&rest))
    }

    /// Calls `visit` with the range of every integer operand that is no constant, where control can come: position,
    /// index and range, as [`at_use`](Ranges::at_use) has them. All of them take less time together.
    pub fn at_uses(
        function: &Function,
        view: &View,
        solution: &Solution<Range>,
        mut visit: impl FnMut(Pos, usize, &Range),
    ) {
        let code = view.code();
        let versions = view.use_versions();
        let mut rest = Conditions::new();
        for &block in code.order() {
            for pos in code.phis(block) {
                phi_uses(function, view, solution, pos, &mut visit);
            }
            let body = code.body_range(block);
            let rows = body.start as usize..body.end as usize;
            let instrs = code.instrs[rows.clone()].iter().zip(code.uses.ranges(rows));
            for (pos, (&instr, uses)) in body.map(Pos).zip(instrs) {
                if uses.is_empty() {
                    continue;
                }
                let data = &function[inst(instr)];
                rest.clear();
                if let Some(user) = only_use(function, code, data) {
                    conditions(function, code, user, &mut rest);
                }
                let informs = !rest.is_empty() || matches!(data.op, Op::Select);
                let table = code.uses.items()[uses.clone()].iter().zip(&versions[uses]);
                // The table has the operands in order. Those that are missing are constants, or not followed.
                let mut args = data.args.iter().enumerate();
                for (&used, &version) in table {
                    let Some((index, _)) = args.find(|arg| var(*arg.1) == used) else { break };
                    let range = match Version::from_table(version) {
                        Some(version) => solution.of(version),
                        None => &None,
                    };
                    if !is_integer(function, used, range) {
                        continue;
                    }
                    if !informs {
                        visit(pos, index, range);
                        continue;
                    }
                    let own = own_condition(function, data, index);
                    let given = own.as_slice().iter().chain(&rest);
                    visit(pos, index, &refined(function, code, (used, range.clone()), given));
                }
            }
        }
    }
}

/// Whether a variable is an integer, given what is known of it.
#[inline]
fn is_integer(function: &Function, var: Var, range: &Range) -> bool {
    match range {
        Some(range) => range.bits > 0,
        None => function.width(var).is_some(),
    }
}

/// Calls `visit` with the range of every integer that a φ reads and that is no constant, on its edge.
fn phi_uses(
    function: &Function,
    view: &View,
    solution: &Solution<Range>,
    pos: Pos,
    visit: &mut impl FnMut(Pos, usize, &Range),
) {
    let code = view.code();
    let table = code.uses.range(pos.index());
    let data = &function[inst(code.instr(pos))];
    let mut next = table.start;
    for (index, &value) in data.args.iter().enumerate() {
        let used = var(value);
        if function.is_constant(value) || function.width(used).is_none() {
            continue;
        }
        let at = match on_edge(code, data, next, pos, index) {
            Some(at) => at,
            None => (next..table.end).find(|&at| code.uses.items()[at] == used),
        };
        // The table has the operands in order, perhaps with others between them.
        next = at.map_or(next, |at| at + 1);
        match at.and_then(|at| Version::from_table(view.use_version(at))) {
            Some(version) => visit(pos, index, solution.of(version)),
            None => visit(pos, index, &None),
        }
    }
}

/// Outer `None`: the operand is not used on an edge. Inner: its place in the table of uses, if control can take the edge;
/// that is likely to be the `first` one.
fn on_edge(
    code: &Code,
    data: &InstData,
    first: usize,
    pos: Pos,
    index: usize,
) -> Option<Option<usize>> {
    if !matches!(data.op, Op::Phi) {
        return None;
    }
    let (from, used) = (node(*data.targets.get(index)?), var(data.args[index]));
    let here = |at: &usize| {
        let edge = code.use_edge[*at];
        code.uses.items()[*at] == used
            && edge != NONE
            && code.graph().source(Edge::new(edge as usize)) == from
    };
    let table = code.uses.range(pos.index());
    Some((first..table.end).find(here).or_else(|| (table.start..first).find(here)))
}

/// What an instruction itself says of an operand: an arm of a `select` matters if the condition picks it.
#[inline]
fn own_condition(function: &Function, data: &InstData, index: usize) -> Option<Given> {
    if !matches!(data.op, Op::Select) || index == 0 {
        return None;
    }
    match arg(function, data.args[0]) {
        Arg::Var(cond) => Some(Given::Condition(cond, index == 1)),
        _ => None,
    }
}

/// Adds what holds where the result of an instruction is used, by the only one that uses it.
#[inline]
fn conditions<'f>(
    function: &'f Function,
    code: &Code,
    (mut user, mut at): (&'f InstData, usize),
    all: &mut Conditions,
) {
    for left in (1..STEPS).rev() {
        let edge = code.use_edge[at];
        if edge != NONE {
            let (graph, edge) = (code.graph(), Edge::new(edge as usize));
            all.push(Given::Edge(graph.source(edge), graph.position(edge)));
            break;
        }
        if matches!(user.op, Op::Select) {
            let index = user.args.iter().position(|&a| var(a) == code.uses.items()[at]);
            all.extend(index.and_then(|index| own_condition(function, user, index)));
        }
        let next = if left > 1 { only_use(function, code, user) } else { None };
        let Some(next) = next else { break };
        (user, at) = next;
    }
}

/// The instruction that uses the result of another, with the place in the table of uses, if there is only this use and nothing
/// is done for other reasons.
#[inline]
fn only_use<'f>(
    function: &'f Function,
    code: &Code,
    data: &InstData,
) -> Option<(&'f InstData, usize)> {
    if !may_be_skipped(&data.op) {
        return None;
    }
    let [at] = *code.uses_of.row(var(data.result.expand()?).index()) else { return None };
    let pos = code.use_pos[at as usize];
    Some((&function[inst(code.instrs[pos as usize])], at as usize))
}

/// What is left of the range of a variable.
fn refined<'a>(
    function: &Function,
    code: &Code,
    (used, mut range): (Var, Range),
    given: impl Iterator<Item = &'a Given>,
) -> Range {
    for &given in given {
        // A condition says nothing of itself: it may be either.
        if !matches!(given, Given::Condition(cond, _) if cond == used) {
            range = known_if(function, code, (used, range), given, constant);
        }
    }
    range
}

/// Whether an instruction does nothing but compute, whatever its operands.
#[inline]
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
