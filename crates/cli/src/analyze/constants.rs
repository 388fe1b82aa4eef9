//! Constants, branches that are decided, and code that is never reached.

use super::Facts;
use lw_llvm::Holds;
use lw_report::{Fact, Level, Place};
use lw_sparse::analyses::{Constant, Constants};
use lw_sparse::meaning::Meaning;
use lw_sparse::{Def, Options, Ssify, solve_on};

pub(super) fn run(facts: &mut Facts<'_, '_>) {
    let subject = facts.subject;
    let (program, code) = (&subject.program, &subject.code);
    let strategy = |var| lw_sparse::Analysis::strategy(&Constants, program, var);
    let view = Ssify::new(code.clone()).view_each(strategy);
    let solution = solve_on(program, &view, &mut Constants, Options::default());
    let graph = code.graph();

    for version in view.versions() {
        let var = view.var(version);
        let Constant::Int(value) = *solution.of(version) else { continue };
        if !facts.all && !subject.is_named(var) {
            continue;
        }
        let shown = integer(program.width(var), value);
        let (place, text) = match view.def(version) {
            Def::Instr(pos) => (subject.place(pos), format!("is always {shown}")),
            Def::Sigma(sigma, edge) => {
                let source = view.sigmas()[sigma as usize].source;
                if solution.of(source) == solution.of(version) || !solution.edge_reached(edge) {
                    continue;
                }
                let when = subject.condition(edge);
                (subject.fork_place(graph.source(edge)), format!("is {shown} {when}"))
            }
            _ => continue,
        };
        let fact = Fact::new(Level::Fact, place, subject.var(var), text).with("value", shown);
        facts.add(fact, "constants");
    }
    always_constant(facts);

    for &block in code.block_index().order() {
        if !solution.block_reached(block) {
            if let Some(place) = subject.block_place(block) {
                never(facts, place);
            }
            continue;
        }
        let edges: Vec<_> = graph.successor_edges(block).collect();
        let taken: Vec<_> = edges.iter().filter(|&&e| solution.edge_reached(e)).collect();
        let (&[&edge], true) = (&taken[..], edges.len() > 1) else { continue };
        let terminator = subject.function.terminator(lw_sparse::function::block(block));
        let Some(&condition) = terminator.and_then(|inst| subject.function[inst].args.first())
        else {
            continue;
        };
        let text = match subject.truth(edge) {
            Some((_, truth)) => format!("is always {truth}"),
            None => format!("always ends {}", subject.condition(edge)),
        };
        let place = subject.fork_place(block);
        let fact = Fact::new(Level::Fact, place, subject.value(condition), text);
        facts.add(fact.with("branch", subject.condition(edge)), "decided branches");
    }
    for block in graph.nodes().filter(|&b| !code.is_reachable(b)) {
        if let Some(place) = subject.block_place(block) {
            never(facts, place);
        }
    }
}

fn never(facts: &mut Facts<'_, '_>, place: Place) {
    let fact = Fact::new(Level::Fact, place, "this", "is never executed");
    facts.add(fact.with("reachable", false), "places that are never reached");
}

/// Variables of the source that hold one constant wherever they hold anything: the compiler left no value for them.
fn always_constant(facts: &mut Facts<'_, '_>) {
    let subject = facts.subject;
    let variables = &subject.unit.source.variables;
    for (index, variable) in variables.iter().enumerate() {
        let same = |v: &&lw_llvm::Variable| v.identity == variable.identity;
        let Holds::Constant(value) = variable.holds else { continue };
        let first = !variables[..index].iter().any(|v| same(&v));
        if first
            && variable.line > 0
            && variables.iter().filter(same).all(|v| v.holds == variable.holds)
        {
            let place = Place { line: variable.line, column: 0, ..subject.start };
            let fact = Fact::new(Level::Fact, place, &variable.name, format!("is always {value}"));
            facts.add(fact.with("value", value.to_string()), "constants");
        }
    }
}

/// An integer as the source would write it: signed, truth values by name.
pub(super) fn integer(bits: Option<u32>, value: u128) -> String {
    match bits {
        Some(1) => (value == 1).to_string(),
        Some(bits) if bits < 128 && value >> (bits - 1) & 1 == 1 => {
            (value as i128 - (1i128 << bits)).to_string()
        }
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::integer;

    #[test]
    fn integers_are_signed_and_truth_has_names() {
        assert_eq!(integer(Some(8), 0xff), "-1");
        assert_eq!(integer(Some(32), 7), "7");
        assert_eq!(integer(Some(1), 1), "true");
        assert_eq!(integer(Some(64), 1 << 63), i64::MIN.to_string());
    }
}
