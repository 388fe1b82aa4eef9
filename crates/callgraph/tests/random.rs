//! Random programs: what they call is in the graph, and engines agree.

use lw_callgraph::{generate, oracle};

#[test]
fn what_runs_call_is_in_the_graph() {
    let mut seen = 0;
    for seed in 0..150 {
        let text = generate::program(seed);
        match oracle::sound(&text) {
            Ok(calls) => seen += calls,
            Err(why) => panic!("seed {seed}: {why}\n{text}"),
        }
    }
    assert!(seen > 500, "only {seen} calls through pointers were seen");
}
