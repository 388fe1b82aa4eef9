//! Taint: which calls of sinks may get what a source yields, and on which way.

use super::Facts;
use crate::failure::Failure;
use crate::subject::Subject;
use crate::units::Unit;
use lw_ir::Op;
use lw_report::{Fact, Level, Report, Step};
use lw_sparse::analyses::{Taint, Tainted};
use lw_sparse::meaning::{Expr, Meaning};
use lw_sparse::{
    Def, Options, Pos, Solution, Ssify, Strategy, Var, Version, View, function, solve_on,
};
use std::collections::{HashMap, VecDeque};

/// Functions by name.
#[derive(clap::Args)]
pub(super) struct Names {
    /// A function that yields input; may be given several times
    #[arg(long = "source", value_name = "NAME", help_heading = "Taint")]
    sources: Vec<String>,
    /// A function that must not get input; may be given several times
    #[arg(long = "sink", value_name = "NAME", help_heading = "Taint")]
    sinks: Vec<String>,
    /// A function that makes input harmless; may be given several times
    #[arg(long = "sanitizer", value_name = "NAME", help_heading = "Taint")]
    sanitizers: Vec<String>,
    /// A function that yields true only if its argument is harmless; may be given several times
    #[arg(long = "validator", value_name = "NAME", help_heading = "Taint")]
    validators: Vec<String>,
}

impl Names {
    pub(super) fn is_empty(&self) -> bool {
        [&self.sources, &self.sinks, &self.sanitizers, &self.validators]
            .iter()
            .all(|l| l.is_empty())
    }

    pub(super) fn check(&self) -> Result<Taint, Failure> {
        if self.sources.is_empty() || self.sinks.is_empty() {
            return Err(Failure::cannot(
                "--analysis taint wants the names of functions: at least one --source and one --sink",
            ));
        }
        let plain =
            |list: &[String]| list.iter().map(|n| n.trim_start_matches('@').into()).collect();
        Ok(Taint {
            sources: plain(&self.sources),
            sinks: plain(&self.sinks),
            sanitizers: plain(&self.sanitizers),
            validators: plain(&self.validators),
        })
    }

    /// Says which names are called nowhere: a typing error would look like a clean program.
    pub(super) fn note_unknown(&self, taint: &Taint, units: &[Unit], report: &mut Report) {
        let lists = [&taint.sources, &taint.sinks, &taint.sanitizers, &taint.validators];
        for name in lists.into_iter().flatten() {
            if !units.iter().any(|unit| calls(unit, name)) {
                report.notes.push(format!("there is no call of {name} in what was analysed"));
            }
        }
    }
}

fn calls(unit: &Unit, name: &str) -> bool {
    let function = &unit.function;
    function.all_insts().any(|(_, inst)| {
        matches!(function[inst].op, Op::Call(_) | Op::Invoke(_))
            && matches!(
                function.expr(function::instr(inst)),
                Expr::Call { callee: Some(callee), .. } if callee == name
            )
    })
}

pub(super) fn run(facts: &mut Facts<'_, '_>, taint: &Taint) {
    let subject = facts.subject;
    let (program, code) = (&subject.program, &subject.code);
    let view = Ssify::new(code.clone()).view(Strategy::ABCD);
    let solution = solve_on(program, &view, &mut taint.clone(), Options::default());
    let alarms = taint.alarms(program, &view, &solution);
    for version in view.versions() {
        let Def::Instr(pos) = view.def(version) else { continue };
        let var = view.var(version);
        if *solution.of(version) == Tainted::Tainted && (facts.all || subject.is_named(var)) {
            let (name, place) = (subject.var(var), subject.place(pos));
            facts.note(place, name, "is input".into(), "values that are input");
        }
    }
    for &block in code.block_index().order() {
        for pos in code.body(block) {
            let Expr::Call { callee: Some(callee), .. } = program.expr(code.instr(pos)) else {
                continue;
            };
            if !taint.sinks.iter().any(|sink| sink == callee) {
                continue;
            }
            let place = subject.place(pos);
            let mut tainted = alarms.iter().filter(|alarm| alarm.0 == pos).peekable();
            if tainted.peek().is_none() {
                let fact = Fact::new(Level::Proved, place, format!("{callee}(…)"), "gets no input");
                facts.add(fact.with("sink", callee), "get no input");
            }
            for &(_, var) in tainted {
                let path = path(subject, taint, &view, &solution, pos, var);
                let text = format!("may get input: {}", subject.var(var));
                let mut fact = Fact::new(Level::Open, place, format!("{callee}(…)"), text);
                fact.why = path;
                facts.add(fact.with("sink", callee), "may get input");
            }
        }
    }
}

/// A shortest way from a source to an argument.
fn path(
    subject: &Subject<'_>,
    taint: &Taint,
    view: &View,
    solution: &Solution<Tainted>,
    sink: Pos,
    var: Var,
) -> Vec<Step> {
    let is_tainted = |v: &Version| *solution.of(*v) == Tainted::Tainted;
    let Some(last) = view.uses(sink).find(|&(v, _)| v == var).and_then(|(_, v)| v) else {
        return Vec::new();
    };
    // From the sink backward; each version with the one it flows into.
    let mut next: HashMap<Version, Option<Version>> = HashMap::from([(last, None)]);
    let mut queue = VecDeque::from([last]);
    while let Some(version) = queue.pop_front() {
        let mut before: Vec<Version> = Vec::new();
        match view.def(version) {
            Def::Param => {}
            Def::Instr(pos) => {
                if let Expr::Call { callee: Some(name), .. } =
                    subject.program.expr(subject.code.instr(pos))
                    && taint.sources.iter().any(|source| source == name)
                {
                    return steps(subject, view, name, pos, version, &next);
                }
                before.extend(view.uses(pos).filter_map(|(_, v)| v));
            }
            Def::Phi(phi) => before.extend(view.phi_args(phi).flatten()),
            Def::Sigma(sigma, _) => before.push(view.sigmas()[sigma as usize].source),
            Def::Copy(copy) => before.push(view.copies()[copy as usize].source),
        }
        for from in before.into_iter().filter(is_tainted) {
            if let std::collections::hash_map::Entry::Vacant(entry) = next.entry(from) {
                entry.insert(Some(version));
                queue.push_back(from);
            }
        }
    }
    Vec::new()
}

fn steps(
    subject: &Subject<'_>,
    view: &View,
    source: &str,
    pos: Pos,
    first: Version,
    next: &HashMap<Version, Option<Version>>,
) -> Vec<Step> {
    let start = match view.var(first) {
        var if subject.is_named(var) => format!("{source} yields {}", subject.var(var)),
        _ => format!("{source} yields input"),
    };
    let mut steps = vec![Step { text: start, place: Some(subject.place(pos)) }];
    let mut at = next.get(&first).copied().flatten();
    while let Some(version) = at {
        if let Def::Instr(pos) = view.def(version) {
            let text = format!("flows into {}", subject.var(view.var(version)));
            let step = Step { text, place: Some(subject.place(pos)) };
            if steps.last() != Some(&step) {
                steps.push(step);
            }
        }
        at = next.get(&version).copied().flatten();
    }
    steps
}
