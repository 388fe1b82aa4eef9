//! Random programs against the oracle; `cargo xtask fuzz divergence` runs many more.

use lw_divergence::oracle::{Verdict, check_across_runs, check_program};
use lw_divergence::{Basic, Stride};
use lw_ir::generate::{Options, generate};

fn holds(verdict: Verdict, program: &lw_ir::generate::Program) -> usize {
    match verdict {
        Verdict::Holds(checked) => checked,
        Verdict::Nothing(_) => 0,
        Verdict::Wrong(wrong) => panic!("seed {}: {wrong}\n{}", program.seed, program.module),
    }
}

#[test]
fn claims_hold_in_lock_step() {
    let mut checked = 0;
    for seed in 0..1500 {
        let options = if seed % 2 == 0 { Options::everything() } else { Options::lockstep() };
        let program = generate(seed, &options);
        checked += holds(check_program::<Basic>(&program, 4, &[seed, seed + 1]), &program);
        checked += holds(check_program::<Stride>(&program, 3, &[seed]), &program);
    }
    assert!(checked > 10_000);
}

#[test]
fn uniform_values_are_the_same_in_all_runs() {
    let mut checked = 0;
    for seed in 0..600 {
        let program = generate(seed, &Options::default());
        checked += holds(check_across_runs(&program, seed), &program);
    }
    assert!(checked > 1_000);
}
