//! What the benchmark of the divergence analysis promises, on its kernels: the basic lattice finds at least what every baseline
//! finds, the others more.

use serde_json::Value;
use std::process::Command;

#[test]
fn ours_finds_at_least_what_others_do() {
    let json = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("divergence.json");
    let output = Command::new(env!("CARGO_BIN_EXE_bench-divergence"))
        .args(["--quick", "--json"])
        .arg(&json)
        .output()
        .expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(&json).expect("it wrote the results");
    let results: Value = serde_json::from_str(&text).expect("they are JSON");
    let suites = results["suites"].as_array().expect("a list");
    let number = |value: &Value| value.as_u64().expect("a number");
    assert!(suites.iter().map(|suite| number(&suite["kernels"])).sum::<u64>() >= 60);
    let mut sums = [[0; 3]; 3];
    for suite in suites {
        for (what, name) in ["instructions", "branches", "loops"].into_iter().enumerate() {
            let uniform = |analysis: &str| number(&suite["uniform"][analysis][name]);
            for baseline in ["strongpd", "gated", "pd", "llvm"] {
                // Claims that an execution refutes do not count; there are no others beyond ours.
                let beyond = number(&suite["beyond_basic"][baseline][name]);
                let refuted = if what == 0 { number(&suite["refuted"][baseline]) } else { 0 };
                assert_eq!(beyond, refuted, "{baseline}, {name}: {}", suite["claims"]);
                assert!(uniform("basic") >= uniform(baseline) - refuted);
            }
            for (i, lattice) in ["basic", "stride", "affine"].into_iter().enumerate() {
                sums[i][what] += uniform(lattice);
            }
        }
    }
    for what in 0..3 {
        assert!(sums[1][what] > sums[0][what] && sums[2][what] > sums[0][what], "{sums:?}");
    }
}
