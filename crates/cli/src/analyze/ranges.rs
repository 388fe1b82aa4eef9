//! Ranges of integers, where they are computed and behind branches.

use super::Facts;
use lw_report::{Fact, Level};
use lw_sparse::analyses::{Intervals, Ranges};
use lw_sparse::{Def, Options, Ssify, solve_on};

pub(super) fn run(facts: &mut Facts<'_, '_>) {
    let subject = facts.subject;
    let (program, code) = (&subject.program, &subject.code);
    let strategy = |var| lw_sparse::Analysis::strategy(&Ranges, program, var);
    let view = Ssify::new(code.clone()).view_each(strategy);
    let solution = solve_on(program, &view, &mut Ranges, Options::WIDENING);
    for version in view.versions() {
        let var = view.var(version);
        let Some(range) = solution.of(version) else { continue };
        if range.bits <= 1 || range.is_full() {
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
                if solution.of(source).as_ref() == Some(range) || !solution.edge_reached(edge) {
                    continue;
                }
                let when = subject.condition(edge);
                (subject.fork_place(code.graph().source(edge)), format!(" {when}"))
            }
            Def::Phi(_) | Def::Copy(_) => continue,
        };
        let text = format!("in {}{when}", shown(range));
        let mut fact = Fact::new(Level::Fact, place, subject.var(var), text)
            .with("bits", range.bits)
            .with("signed", bounds(range.slo(), range.shi()))
            .with("unsigned", bounds(range.ulo(), range.uhi()));
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
pub(super) fn shown(range: &Intervals) -> String {
    fn listed<T: std::fmt::Display>(pieces: &[(T, T)]) -> String {
        let one = |(lo, hi): &(T, T)| format!("[{lo}, {hi}]");
        pieces.iter().map(one).collect::<Vec<_>>().join(" or ")
    }
    let (signed, unsigned) = (range.signed_intervals(), range.pieces());
    let width = range.shi().wrapping_sub(range.slo()) as u128;
    if signed.len() < unsigned.len()
        || signed.len() == unsigned.len() && width <= range.uhi() - range.ulo()
    {
        listed(&signed)
    } else {
        format!("{} unsigned", listed(unsigned))
    }
}
