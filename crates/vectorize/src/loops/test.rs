//! When a loop goes on: while one condition holds, or several (`i < n && p != end`).
//!
//! Conditions are joined by `and` and `select`, and those under which the loop is left by `or` and `select`. Each counts on its own;
//! the loop goes on as often as the one that ends first says.

use super::count::Condition;
use super::recurrences::Recurrences;
use super::shape::LoopShape;
use crate::decline::Declined;
use lw_ir::ops::{BinOp, IntPred};
use lw_ir::types::Type;
use lw_ir::{Builder, DataLayout, Function, Op, Value};

/// The test of a loop: it goes on while all of these hold.
#[derive(Clone, Debug)]
pub(super) struct Test {
    conditions: Vec<Condition>,
    /// Whether the count is exact: the loop does not wrap around.
    pub(super) exact: bool,
}

impl Test {
    pub(super) fn of(
        f: &Function,
        shape: &LoopShape,
        roles: &Recurrences,
        layout: &DataLayout,
    ) -> Result<Test, Declined> {
        let branch = f.terminator(shape.exiting).expect("it is left from here");
        let conditions: Option<Vec<Condition>> = shape
            .tested_values(f)
            .into_iter()
            .map(|(value, holds)| Condition::of(f, shape, roles, layout, value, holds))
            .collect();
        let conditions = conditions.ok_or_else(|| {
            let help = "count with an integer or a pointer by a step that does not change, up to a bound that does not";
            Declined::at(f, branch, "the number of iterations is not known before the loop", help)
        })?;
        let exact = conditions.iter().all(|condition| condition.exact);
        Ok(Test { conditions, exact })
    }

    /// How often the test says "go on" in a row, as an `i64`, from the values of the header φs in the first iteration.
    pub(super) fn count(&self, b: &mut Builder<'_>, inits: &[Value], layout: &DataLayout) -> Value {
        let mut counts = self.conditions.iter();
        let first = counts.next().expect("there is one").count(b, inits, layout);
        counts.fold(first, |least, condition| {
            // What is not asked, because another condition does not hold, may be nothing at all.
            let count = condition.count(b, inits, layout);
            let count = b.freeze(count);
            let less = b.icmp(IntPred::Ult, count, least);
            b.select(less, count, least)
        })
    }

    /// Whether the loop goes on after an iteration in which the header φs had these values.
    pub(super) fn goes_on(&self, b: &mut Builder<'_>, phis: &[Value]) -> Value {
        let mut conditions = self.conditions.iter();
        let first = conditions.next().expect("there is one").holds(b, phis);
        conditions.fold(first, |all, condition| {
            let holds = condition.holds(b, phis);
            let no = b.int(Type::int(1), 0);
            b.select(all, holds, no)
        })
    }
}

impl LoopShape {
    /// The values that all have to be true, or false as it says beside them, if the loop is to go on.
    pub(super) fn tested_values(&self, f: &Function) -> Vec<(Value, bool)> {
        let branch = f.terminator(self.exiting).expect("it is left from here");
        let holds = self.contains(f[branch].targets[0]);
        let mut all = vec![f[branch].args[0]];
        let mut at = 0;
        while let Some(&value) = all.get(at) {
            match joined(f, value, holds) {
                Some([first, second]) => {
                    all[at] = first;
                    all.insert(at + 1, second);
                }
                None => at += 1,
            }
        }
        all.into_iter().map(|value| (value, holds)).collect()
    }
}

/// The two values that are both true (`holds`) exactly if this one is, or both false if this one is.
fn joined(f: &Function, value: Value, holds: bool) -> Option<[Value; 2]> {
    let inst = f.def_inst(value)?;
    let is = |value: Value, truth: bool| {
        f.as_constant(value).and_then(|c| c.as_u128()) == Some(u128::from(truth))
    };
    match (&f[inst].op, &f[inst].args[..]) {
        (Op::Binary(BinOp::And), &[a, b]) if holds => Some([a, b]),
        (Op::Binary(BinOp::Or), &[a, b]) if !holds => Some([a, b]),
        (Op::Select, &[a, b, no]) if holds && is(no, false) => Some([a, b]),
        (Op::Select, &[a, yes, b]) if !holds && is(yes, true) => Some([a, b]),
        _ => None,
    }
}
