//! Ranges of integers, where they are computed and behind branches.

use super::Facts;
use lw_report::{Fact, Level};
use lw_sparse::analyses::{Interval, Ranges};
use lw_sparse::{Def, Options, Ssify, solve_on};

pub(super) fn run(facts: &mut Facts<'_, '_>) {
    let subject = facts.subject;
    let (program, code) = (&subject.program, &subject.code);
    let strategy = |var| lw_sparse::Analysis::strategy(&Ranges, program, var);
    let view = Ssify::new(code.clone()).view_each(strategy);
    let solution = solve_on(program, &view, &mut Ranges, Options::WIDENING);
    for version in view.versions() {
        let var = view.var(version);
        let Some(range) = *solution.of(version) else { continue };
        if range.bits <= 1 || range == Interval::full(range.bits) {
            continue;
        }
        if !facts.all && !subject.is_named(var) {
            continue;
        }
        let (place, when) = match view.def(version) {
            Def::Param => (subject.start, String::new()),
            Def::Instr(pos) => (subject.place(pos), String::new()),
            Def::Sigma(sigma, edge) => {
                let source = view.sigmas()[sigma as usize].source;
                if *solution.of(source) == Some(range) || !solution.edge_reached(edge) {
                    continue;
                }
                let when = subject.condition(edge);
                (subject.fork_place(code.graph().source(edge)), format!(" {when}"))
            }
            Def::Phi(_) | Def::Copy(_) => continue,
        };
        let text = format!("in {}{when}", shown(&range));
        let mut fact = Fact::new(Level::Fact, place, subject.var(var), text)
            .with("bits", range.bits)
            .with("signed", bounds(range.slo, range.shi))
            .with("unsigned", bounds(range.ulo, range.uhi));
        let label = if when.is_empty() {
            "ranges of values"
        } else {
            fact = fact.with("branch", when.trim());
            "ranges behind branches"
        };
        facts.add(fact, label);
    }
}

fn bounds(lo: impl ToString, hi: impl ToString) -> Vec<String> {
    vec![lo.to_string(), hi.to_string()]
}

/// The tighter of both ways to read the bits; signed if that is as good.
pub(super) fn shown(range: &Interval) -> String {
    let signed = range.shi.wrapping_sub(range.slo) as u128;
    let unsigned = range.uhi - range.ulo;
    if signed <= unsigned {
        format!("[{}, {}]", range.slo, range.shi)
    } else {
        format!("[{}, {}] unsigned", range.ulo, range.uhi)
    }
}
