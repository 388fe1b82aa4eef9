//! On random programs, SSA and not, the sparse solver yields what the dense one does, wherever a variable is live.

use lw_ir::generate::{Options as Programs, generate};
use lw_sparse::Code;
use lw_sparse::analyses::{Classes, DemandedBits};
use lw_sparse::generate::{Options, function, random};
use lw_sparse::oracle::reference::{compare, compare_all};

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

/// These have memory, loops whose φs read what the loop passes on, and branches to one block by several edges.
#[test]
fn backward_on_random_programs() {
    let mut compared = 0;
    for seed in 0..220u64 {
        let random = generate(seed, &Programs::default());
        let f = random.module.function(&random.entry).unwrap();
        let code = Code::new(f);
        if code.graph().nodes().any(|block| !code.is_reachable(block)) {
            continue;
        }
        compared += 1;
        for occurrences in [false, true] {
            compare(f, &Classes { occurrences })
                .unwrap_or_else(|e| panic!("seed {seed}: {e}\n{f}"));
        }
        compare(f, &DemandedBits).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{f}"));
    }
    assert!(compared > 100, "{compared} programs");
}
