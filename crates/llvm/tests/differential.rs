//! Random programs in the interpreter, as machine code, and through LLVM's IR and back.

use lw_ir::generate::lockstep::Verdict;
use lw_ir::generate::{Coverage, Options, generate};
use lw_llvm::differential::{Differential, compare_texts};

#[test]
fn the_interpreter_agrees_with_machine_code() {
    let differential = Differential::new().unwrap();
    let mut coverage = Coverage::default();
    for seed in 0..300 {
        let program = generate(seed, &Options::single_thread());
        coverage.add_module(&program.module);
        if let Verdict::Different(why) = differential.compare(&program, &mut coverage) {
            panic!("seed {seed}: {why}\n{}", program.module);
        }
    }
    assert!(coverage.undefined_share() < 0.15, "{coverage}");
}

#[test]
fn random_programs_survive_the_way_to_llvm_and_back() {
    let options =
        Options { libm: true, undefined: 20, loose_floats: true, ..Options::single_thread() };
    for seed in 0..200 {
        let program = generate(seed, &options);
        if let Verdict::Different(why) = compare_texts(&program.module) {
            panic!("seed {seed}: {why}\n{}", program.module);
        }
    }
}
