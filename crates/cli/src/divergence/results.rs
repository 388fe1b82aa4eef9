//! Findings as facts of a report.

use super::access::Pattern;
use super::plain_name;
use super::study::{Study, Tone};
use super::words::{Reason, Words};
use lw_report::{Fact, Level, Report, Rule, Severity};

/// The kinds of results that editors show.
pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "divergent-barrier",
        short: "A barrier under divergent control.",
        help: "Some threads of a block may not reach the barrier, and the others wait for ever. Move it to where all threads come.",
        severity: Severity::Error,
    },
    Rule {
        id: "divergent-branch",
        short: "A branch at which the threads of a warp part.",
        help: "Both sides are executed one after the other, each by some of the threads. The chain of causes says why.",
        severity: Severity::Warning,
    },
    Rule {
        id: "divergent-loop",
        short: "A loop that the threads of a warp leave in different iterations.",
        help: "All threads wait for the one that stays longest. The chain of causes says why.",
        severity: Severity::Warning,
    },
    Rule {
        id: "strided-access",
        short: "Neighbouring threads access places that are apart.",
        help: "Each access takes several memory transactions. Let neighbouring threads access neighbouring places.",
        severity: Severity::Note,
    },
    Rule {
        id: "gather-access",
        short: "Each thread accesses a place of its own.",
        help: "Each access may take a memory transaction for each thread.",
        severity: Severity::Note,
    },
];

/// Adds what was found to a report.
pub(super) fn add(report: &mut Report, studies: &[Study<'_>]) {
    for study in studies {
        let function = plain_name(study.subject.unit);
        let mut facts = Vec::new();
        forks(report, study, &mut facts);
        barriers(report, study, &mut facts);
        accesses(report, study, &mut facts);
        values(report, study, &mut facts);
        for mut fact in facts {
            fact.function.clone_from(&function);
            report.facts.push(fact);
        }
    }
}

fn explained(mut fact: Fact, why: &[Reason]) -> Fact {
    fact.why = why.iter().map(Reason::step).collect();
    fact
}

fn forks(report: &mut Report, study: &Study<'_>, facts: &mut Vec<Fact>) {
    for fork in &study.forks {
        let (kind, label, text) = if fork.is_loop {
            let text = "decides in which iteration each thread leaves the loop";
            ("divergent-loop", "divergent loops", text)
        } else {
            ("divergent-branch", "divergent branches", "sends threads different ways")
        };
        report.count(Level::Open, label);
        let fact = Fact::new(Level::Open, fork.place, fork.condition.clone(), text)
            .kind(kind)
            .with("depth", fork.depth);
        facts.push(explained(fact, &fork.why));
    }
    let count = |is_loop: bool| study.forks.iter().filter(|fork| fork.is_loop == is_loop).count();
    for _ in count(false)..study.branches {
        report.count(Level::Proved, "uniform branches");
    }
    for _ in count(true)..study.loops {
        report.count(Level::Proved, "uniform loops");
    }
}

fn barriers(report: &mut Report, study: &Study<'_>, facts: &mut Vec<Fact>) {
    let words = Words::new(&study.subject, false);
    for barrier in &study.barriers {
        let name = words.callee(barrier.inst);
        match &barrier.divergent {
            Some((place, why)) => {
                report.count(Level::Wrong, "barriers under divergent control");
                let text = "is not reached by all threads of a block";
                let fact =
                    Fact::new(Level::Wrong, barrier.place, name, text).kind("divergent-barrier");
                let fact = fact.because("threads of the block part here", Some(*place));
                let mut explained = explained(fact.clone(), why);
                explained.why.splice(0..0, fact.why);
                facts.push(explained);
            }
            None => {
                report.count(Level::Proved, "barriers that all threads reach");
                let text = "is reached by all threads of a block";
                facts.push(Fact::new(Level::Proved, barrier.place, name, text).kind("barrier"));
            }
        }
    }
}

fn accesses(report: &mut Report, study: &Study<'_>, facts: &mut Vec<Fact>) {
    for access in &study.accesses {
        let (level, kind, label) = match access.class.pattern {
            Pattern::Uniform => (Level::Proved, "uniform-access", "uniform accesses"),
            Pattern::Contiguous => (Level::Proved, "contiguous-access", "contiguous accesses"),
            Pattern::Strided(_) => (Level::Open, "strided-access", "strided accesses"),
            Pattern::Gather => (Level::Open, "gather-access", "gathers and scatters"),
        };
        report.count(level, label);
        let text = format!("({}) {}", access.what, access.class);
        let mut fact = Fact::new(level, access.place, access.target.clone(), text)
            .kind(kind)
            .with("access", access.what)
            .with("class", access.class.word())
            .with("bytes", access.bytes)
            .with("depth", access.depth);
        if let Pattern::Strided(stride) = access.class.pattern {
            fact = fact.with("stride", stride);
        }
        if access.class.in_rows {
            fact = fact.with("along", "x");
        }
        facts.push(if level == Level::Open { explained(fact, &access.why) } else { fact });
    }
}

/// Variables of the source, and values where there is no source.
fn values(report: &mut Report, study: &Study<'_>, facts: &mut Vec<Fact>) {
    let words = Words::new(&study.subject, false);
    for value in &study.values {
        let label = match value.tone {
            Tone::Uniform => "uniform values",
            Tone::Strided => "strided values",
            Tone::Varying => "varying values",
        };
        report.count(Level::Fact, label);
        if !study.subject.is_named(lw_sparse::function::var(value.value)) {
            continue;
        }
        let text = format!("is {}: {}", value.tone.class(), value.shape);
        let fact = Fact::new(Level::Fact, value.place, words.value(value.value), text)
            .kind("shape")
            .with("shape", value.shape.clone())
            .with("class", value.tone.class());
        facts.push(explained(fact, &value.why));
    }
}
