//! Null pointers: for each load and store whether its pointer can be null, and why.

use super::Facts;
use super::origin::{Origin, Source, Walk};
use crate::subject::Subject;
use lw_report::{Fact, Level, Step};
use lw_sparse::analyses::{NullPointers, Nullness};
use lw_sparse::meaning::{Arg, Expr, Meaning};
use lw_sparse::{Options, Solution, Ssify, View, solve_on};

pub(super) fn run(facts: &mut Facts<'_, '_>) {
    let subject = facts.subject;
    let (program, code) = (&subject.program, &subject.code);
    let strategy = |var| lw_sparse::Analysis::strategy(&NullPointers, program, var);
    let view = Ssify::new(code.clone()).view_each(strategy);
    let solution = solve_on(program, &view, &mut NullPointers, Options::default());
    for &block in code.block_index().order() {
        for pos in code.body(block) {
            let expr = program.expr(code.instr(pos));
            if !matches!(expr, Expr::Load { .. } | Expr::Store { .. }) {
                continue;
            }
            let (write, address, pointer) = subject.access(pos);
            let value = match pointer {
                Arg::Var(var) => {
                    let used = view.uses(pos).find(|&(v, _)| v == var);
                    used.and_then(|(_, v)| v).map_or(Nullness::Top, |v| *solution.of(v))
                }
                Arg::Null => Nullness::Null,
                Arg::Global(_) => Nullness::NonNull,
                _ => Nullness::Maybe,
            };
            let (level, text, label) = match value {
                Nullness::NonNull => (Level::Proved, "is not null", "proved not null"),
                Nullness::Maybe => (Level::Open, "may be null", "may be null"),
                Nullness::Null => (Level::Wrong, "is null", "null"),
                Nullness::Top => (Level::Proved, "is never followed", "never executed"),
            };
            let what = if write { "store" } else { "load" };
            let text = format!("({what}) the pointer {text}");
            let mut fact = Fact::new(level, subject.place(pos), subject.target(address), text)
                .with("access", what)
                .with("pointer", subject.value(address))
                .with("nullness", word(value));
            fact.why = why(subject, &view, &solution, pos, pointer, value);
            facts.add(fact, label);
        }
    }
}

fn word(value: Nullness) -> &'static str {
    match value {
        Nullness::Top => "unreached",
        Nullness::Null => "null",
        Nullness::NonNull => "nonnull",
        Nullness::Maybe => "maybe",
    }
}

fn why(
    subject: &Subject<'_>,
    view: &View,
    solution: &Solution<Nullness>,
    pos: lw_sparse::Pos,
    pointer: Arg,
    value: Nullness,
) -> Vec<Step> {
    if value == Nullness::Top {
        return Vec::new();
    }
    let safe = value == Nullness::NonNull;
    let matters = |source: Source| {
        let value = match source {
            Source::Version(version) => *solution.of(version),
            Source::Null => Nullness::Null,
            Source::Global(_) => Nullness::NonNull,
            Source::Other => Nullness::Maybe,
        };
        value != Nullness::Top && (value == Nullness::NonNull) == safe
    };
    let refines = |from, to| solution.of(from) != solution.of(to);
    let walk = Walk { subject, view, matters: &matters, refines: &refines };
    let origins = walk.origins(pos, pointer);
    let steps = origins.into_iter().map(|origin| step(subject, origin, safe));
    steps.collect()
}

/// A reason in words.
fn step(subject: &Subject<'_>, origin: Origin, safe: bool) -> Step {
    let result = |pos| subject.action(subject.inst(pos));
    let declared = if safe { "is declared not to be null" } else { "was not tested" };
    let (text, place) = match origin {
        Origin::Param(var) => {
            (format!("{} is a parameter and {declared}", subject.var(var)), Some(subject.start))
        }
        Origin::Alloc(pos) => (
            format!("{} is a local variable", subject.allocation(pos)),
            Some(subject.allocation_place(pos)),
        ),
        Origin::Global(global) => (format!("{} is a global", subject.global(global)), None),
        Origin::Null(pos) => ("null comes in here".into(), Some(subject.place(pos))),
        Origin::Load(pos) => (
            format!("{} is loaded from memory and {declared}", result(pos)),
            Some(subject.place(pos)),
        ),
        Origin::Call(pos) => {
            let verb = if safe { declared } else { "is not tested" };
            (format!("what {} returns {verb}", result(pos)), Some(subject.place(pos)))
        }
        Origin::Tested(edge) => {
            let from = subject.code.graph().source(edge);
            let what = if safe { "not null" } else { "null" };
            (format!("tested: {what} {}", subject.condition(edge)), Some(subject.fork_place(from)))
        }
        Origin::Used(pos) => {
            ("followed before, so it is not null behind that".into(), Some(subject.place(pos)))
        }
        Origin::Address(pos) | Origin::Meet(pos) | Origin::Other(pos) => {
            (format!("{} is not followed further", result(pos)), Some(subject.place(pos)))
        }
    };
    Step { text, place }
}
