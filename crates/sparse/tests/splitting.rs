//! The SSI property (003 Def. 6) of every strategy on random programs.

use lw_graph::generate::{self, Rng};
use lw_sparse::generate::{Options, registers};
use lw_sparse::{Code, Pruning, Ssify, Strategy, check};
use std::sync::Arc;

fn strategies(rng: &mut Rng) -> Vec<Strategy> {
    let mut all: Vec<Strategy> = Strategy::NAMED.iter().map(|&(_, s)| s).collect();
    all.extend(Strategy::single());
    all.push(Strategy::single().fold(Strategy::NONE, |a, b| a | b));
    for _ in 0..4 {
        all.push(Strategy::single().filter(|_| rng.one_in(3)).fold(Strategy::NONE, |a, b| a | b));
    }
    all
}

#[test]
fn every_strategy_yields_the_ssi_property_on_random_register_programs() {
    for seed in 0..400 {
        let mut rng = Rng::new(seed);
        let n = 1 + rng.below(12);
        let graph = if rng.one_in(2) {
            generate::random(&mut rng, n)
        } else {
            generate::random_reducible(&mut rng, n)
        };
        let program = registers(&mut rng, &graph, &Options::default());
        let code = Arc::new(Code::new(&program));
        for strategy in strategies(&mut rng) {
            for pruning in [Pruning::Early, Pruning::Late] {
                let view = Ssify::new(code.clone()).pruning(pruning).view(strategy);
                if let Err(violation) = check(&view, |_| strategy) {
                    panic!("seed {seed} {strategy} {pruning:?}: {violation}\n{program}\n{view}");
                }
            }
        }
    }
}
