//! On random programs, SSA and not, the sparse solver yields what the dense one does, wherever a variable is live.

use lw_ir::generate::{Options as Programs, generate};
use lw_sparse::generate::{Options, function, random};
use lw_sparse::oracle::reference::{compare_all, compare_on_memory};

#[test]
fn on_random_register_programs() {
    for seed in 0..300 {
        let program = random(seed, &Options::default());
        compare_all(&program).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{program}"));
    }
}

#[test]
fn on_random_ssa_functions_of_few_bits() {
    for seed in 0..300 {
        let options = Options { bits: 4, objects: false, ..Options::default() };
        let function = function(&random(seed, &options), 4);
        compare_all(&function).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{function}"));
    }
}

/// These have memory, loops whose φs read what the loop passes on, branches to one block by several edges, and code that
/// control cannot reach.
#[test]
fn on_random_programs_with_memory() {
    for seed in (0..120u64).chain([199, 359, 717]) {
        let random = generate(seed, &Programs::default());
        let f = random.module.function(&random.entry).unwrap();
        compare_on_memory(f).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{f}"));
    }
}
