//! What the figures share: parsing, running, and reading traces.

use lw_ir::interp::{
    Control, Machine, Next, Outcome, Run, RunError, Schedule, Semantics, Trace, Val,
};
use lw_ir::{Block, Function, Module, Value, parse_module};

pub(crate) fn parse(text: &str) -> Module {
    parse_module(text).unwrap_or_else(|error| panic!("{error}"))
}

/// The block of this name.
pub(crate) fn block(function: &Function, name: &str) -> Block {
    let named = |b: &&Block| function.block_name(**b).and_then(|n| n.as_str()) == Some(name);
    *function.blocks().iter().find(named).unwrap_or_else(|| panic!("no block {name}"))
}

/// The blocks with these one-letter names.
pub(crate) fn blocks(function: &Function, names: &str) -> Vec<Block> {
    names.chars().map(|c| block(function, &c.to_string())).collect()
}

/// The variable of this name.
pub(crate) fn variable(function: &Function, name: &str) -> Value {
    (0..function.value_count())
        .map(|i| Value::from_u32(i as u32))
        .find(|&v| function.value_name(v).and_then(|n| n.as_str()) == Some(name))
        .unwrap_or_else(|| panic!("no variable {name}"))
}

pub(crate) fn run(module: &Module, args: &[Vec<Val>], run: Run) -> Result<Outcome, RunError> {
    let run = Run { threads: args.len(), trace: true, step_limit: 10_000, ..run };
    Machine::new(module).run_index(0, args, &run)
}

pub(crate) fn fixed(module: &Module, args: &[Vec<Val>], schedule: &str) -> Outcome {
    let schedule = Schedule::Fixed(blocks(&module.functions[0], schedule));
    run(module, args, Run { schedule, ..Run::default() }).unwrap_or_else(|error| panic!("{error}"))
}

/// Under many greedy schedules, each of which the checker must accept. `f` gets every outcome.
pub(crate) fn greedy(
    module: &Module,
    args: &[Vec<Val>],
    semantics: Semantics,
    f: impl Fn(&Outcome),
) {
    for seed in 0..50 {
        let schedule = Schedule::Greedy { seed };
        let outcome = run(module, args, Run { schedule, semantics, ..Run::default() });
        let outcome = outcome.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        f(&outcome);
        let schedule = Schedule::Fixed(outcome.trace.as_ref().unwrap().schedule());
        let again = run(module, args, Run { schedule, semantics, ..Run::default() }).unwrap();
        assert_eq!(again.violations, [], "seed {seed}");
        assert_eq!(again.values(), outcome.values());
    }
}

pub(crate) fn bools(values: &[u8]) -> Vec<Vec<Val>> {
    values.iter().map(|&v| vec![Val::bool(v == 1)]).collect()
}

pub(crate) fn trace(outcome: &Outcome) -> &Trace {
    outcome.trace.as_ref().unwrap()
}

/// The schedule of a run in letters.
pub(crate) fn letters(function: &Function, outcome: &Outcome) -> String {
    let name = |b: Block| function.block_name(b).and_then(|n| n.as_str()).unwrap().to_string();
    trace(outcome).schedule().into_iter().map(name).collect()
}

/// ℓ_in or ℓ_next of each thread in letters: `⊥` no block yet, `⊤` any successor, `□` ended.
pub(crate) fn states(function: &Function, controls: &[Control], next: bool) -> String {
    let name = |b: Block| function.block_name(b).and_then(|n| n.as_str()).unwrap().to_string();
    let one = |control: &Control| match (next, &control.next, control.came_from) {
        (false, _, None) => "⊥".to_string(),
        (false, _, Some(b)) => name(b),
        (true, Next::Block(b), _) => name(*b),
        (true, Next::Any, _) => "⊤".into(),
        (true, Next::Done(_), _) => "□".into(),
    };
    controls.iter().map(one).collect()
}

pub(crate) fn digits(bits: &[bool]) -> String {
    bits.iter().map(|&b| if b { '1' } else { '0' }).collect()
}

/// A branch and its join.
pub(crate) const DIAMOND: &str = "func @f(i1 %p) -> i32 {
A:
  br i1 %p, label %B, label %C
B:
  br label %D
C:
  br label %D
D:
  %x = phi i32 [ 0, %B ], [ 1, %C ]
  ret i32 %x
}
";
