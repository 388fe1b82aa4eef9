//! What pointer parameters must support.

use super::Facts;
use lw_report::{Fact, Level};
use lw_sparse::analyses::{Classes, Need};
use lw_sparse::meaning::Meaning;
use lw_sparse::{Options, Ssify, Strategy, solve_on};

pub(super) fn run(facts: &mut Facts<'_, '_>) {
    let subject = facts.subject;
    let (program, code) = (&subject.program, &subject.code);
    let view = Ssify::new(code.clone()).view(Strategy::OCCURRENCE_TYPING);
    let mut analysis = Classes { occurrences: true };
    let solution = solve_on(program, &view, &mut analysis, Options::default());
    for (index, &var) in code.params().iter().enumerate() {
        if !program.is_pointer(var) {
            continue;
        }
        let needs = view.param(index).map(|version| solution.of(version));
        let always: &[Need] = needs.map_or(&[], |n| &n.always);
        let extra = |need: &&Need| !always.contains(need);
        let guarded: Vec<&Need> = needs.iter().flat_map(|n| &n.if_not_null).filter(extra).collect();
        let mut parts = Vec::new();
        if !always.is_empty() {
            parts.push(format!("needs {}", list(always.iter())));
        }
        if !guarded.is_empty() {
            parts.push(format!("needs {} if it is not null", list(guarded.iter().copied())));
        }
        let text = if parts.is_empty() {
            "needs nothing that is seen here".into()
        } else {
            parts.join("; ")
        };
        let fact = Fact::new(Level::Fact, subject.start, subject.var(var), text)
            .with("always", always.iter().map(json).collect::<Vec<_>>())
            .with("if_not_null", guarded.iter().map(|need| json(need)).collect::<Vec<_>>());
        facts.add(fact, "pointer parameters");
    }
}

fn json(need: &Need) -> serde_json::Value {
    match need {
        Need::Field { offset, bytes } => serde_json::json!({ "offset": offset, "bytes": bytes }),
        Need::Call => serde_json::json!("call"),
        Need::Method(name) => serde_json::json!({ "method": name }),
    }
}

fn list<'n>(needs: impl Iterator<Item = &'n Need>) -> String {
    let words = needs.map(|need| match need {
        Need::Field { offset, bytes: Some(bytes) } => format!("{bytes} bytes at offset {offset}"),
        Need::Field { offset, bytes: None } => format!("memory at offset {offset}"),
        Need::Call => "to be callable".into(),
        Need::Method(name) => format!("a method {name}"),
    });
    words.collect::<Vec<_>>().join(", ")
}
