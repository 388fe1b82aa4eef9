//! Random programs against the oracle; `cargo xtask fuzz divergence` runs many more.

use lw_divergence::oracle::gpu;
use lw_divergence::oracle::programs::{Verdict, check, program};
use lw_divergence::oracle::sketches;

#[test]
fn claims_hold() {
    let (mut checked, mut run) = (0, 0);
    for seed in 0..2000 {
        let program = program(seed);
        match check(&program) {
            Verdict::Holds(seen) => {
                checked += seen;
                run += 1;
            }
            Verdict::Nothing(_) => {}
            Verdict::Wrong(wrong) => panic!("seed {seed}: {wrong}\n{}", program.module),
        }
    }
    assert!(run > 1000 && checked > 100_000, "{run} programs, {checked} claims");
}

#[test]
fn claims_about_kernels_hold() {
    let (mut checked, mut run) = (0, 0);
    for seed in 0..1500 {
        let kernel = gpu::kernel(seed);
        match gpu::check(&kernel) {
            Verdict::Holds(seen) => {
                checked += seen;
                run += 1;
            }
            Verdict::Nothing(_) => {}
            Verdict::Wrong(wrong) => panic!("seed {seed}: {wrong}\n{}", kernel.program.module),
        }
    }
    assert!(run > 800 && checked > 50_000, "{run} kernels, {checked} claims");
}

#[test]
fn claims_about_sketches_hold() {
    let mut run = 0;
    for seed in (0..9600).filter(|&seed| sketches::is_sketch(seed)) {
        let program = sketches::sketch(seed);
        match check(&program) {
            Verdict::Holds(_) => run += 1,
            Verdict::Nothing(_) => {}
            Verdict::Wrong(wrong) => panic!("seed {seed}: {wrong}\n{}", program.module),
        }
    }
    assert!(run > 1100, "{run} sketches");
}
