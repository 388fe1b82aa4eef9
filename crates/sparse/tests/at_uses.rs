//! The ranges at all uses together are those at each of them.

use lw_ir::generate::{Options as Programs, generate};
use lw_ir::{Function, Op};
use lw_sparse::analyses::Ranges;
use lw_sparse::generate::{Options as Small, function, random};
use lw_sparse::meaning::Meaning;
use lw_sparse::{Analysis, Code, Options, Pos, Ssify, View, function as names, solve_on};
use std::sync::Arc;

/// The integer operands that are no constants, where control can come.
fn uses(f: &Function, view: &View) -> Vec<(Pos, usize)> {
    let code = view.code();
    let all = code.order().iter().flat_map(|&block| code.positions(block));
    let operands = |pos: Pos| {
        let args = &f[names::inst(code.instr(pos))].args;
        let wanted = |&(_, &arg): &(usize, &_)| {
            f.as_constant(arg).is_none() && f.width(names::var(arg)).is_some()
        };
        let found: Vec<_> = args.iter().enumerate().filter(wanted).map(|(i, _)| (pos, i)).collect();
        found
    };
    all.flat_map(operands).collect()
}

fn check(f: &Function, view: &View, what: &str) -> usize {
    let ranges = solve_on(f, view, &mut Ranges, Options::WIDENING);
    let mut found = Vec::new();
    Ranges::at_uses(f, view, &ranges, |pos, index, range| {
        // Of parallel edges into a φ, any may be meant.
        let data = &f[names::inst(view.code().instr(pos))];
        let from = data.targets.get(index).filter(|_| data.op == Op::Phi);
        if from.is_none_or(|from| data.targets.iter().filter(|&b| b == from).count() == 1) {
            let alone = Ranges::at_use(f, view, &ranges, pos, index);
            assert_eq!(*range, alone, "{what}: operand {index} of {pos:?}\n{f}");
        }
        found.push((pos, index));
    });
    assert_eq!(found, uses(f, view), "{what}\n{f}");
    found.len()
}

/// With the tables of the integers, and with those of all variables.
fn both(f: &Function, what: &str) -> usize {
    let few = Ssify::new(Arc::new(Code::of(f, &Ranges))).view_for(f, &Ranges);
    let strategy = |var| Analysis::<Function>::strategy(&Ranges, f, var);
    let all = Ssify::new(Arc::new(Code::new(f))).view_each(strategy);
    check(f, &few, what) + check(f, &all, what)
}

#[test]
fn on_random_functions() {
    let mut checked = 0;
    for seed in 0..200u64 {
        let small = function(&random(seed, &Small { bits: 4, ..Default::default() }), 4);
        checked += both(&small, &format!("seed {seed}, few bits"));
        let program = generate(seed, &Programs::default());
        for f in program.module.functions.iter().filter(|f| f.entry().is_some()) {
            checked += both(f, &format!("seed {seed}"));
        }
    }
    assert!(checked > 10_000, "{checked} uses");
}
