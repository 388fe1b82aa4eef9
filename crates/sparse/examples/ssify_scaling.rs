//! How splitting and solving scale: `cargo run --release -p lw-sparse --example ssify_scaling`.
//!
//! Random reducible register programs of growing size, converted by SSIfy and by Singer's iteration, then ranges solved
//! sparsely and densely.

use lw_graph::generate::{Rng, random_reducible};
use lw_sparse::analyses::{Constants, Ranges};
use lw_sparse::dense_fast::solve_blocks;
use lw_sparse::generate::{Options as Programs, registers};
use lw_sparse::{Chains, Code, Options, Pruning, Ssify, Strategy, View, singer, solve_with};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The fastest of a few runs.
fn time<T>(runs: usize, mut f: impl FnMut() -> T) -> (Duration, T) {
    let mut best: Option<(Duration, T)> = None;
    for _ in 0..runs {
        let start = Instant::now();
        let value = f();
        let took = start.elapsed();
        if best.as_ref().is_none_or(|(b, _)| took < *b) {
            best = Some((took, value));
        }
    }
    best.expect("at least one run")
}

fn main() {
    println!(
        "{:>7} {:>8} {:>6} | {:>9} {:>9} {:>9} {:>6} | {:>7} {:>7} | {:>9} {:>9} {:>9}",
        "blocks", "instrs", "vars", "ssify/ms", "singer/ms", "sing-late", "ratio", "φσ", "φσ sing",
        "essa/ms", "ccp/ms", "tables/ms"
    );
    for blocks in [250, 500, 1000, 2000, 4000, 8000] {
        let mut rng = Rng::new(1);
        let graph = random_reducible(&mut rng, blocks);
        let options = Programs {
            bits: 32,
            registers: blocks / 4 + 4,
            insts: 6,
            objects: false,
        };
        let program = registers(&mut rng, &graph, &options);
        let (tables, code) = time(3, || Arc::new(Code::new(&program)));
        let runs = if blocks > 2000 { 2 } else { 5 };
        let (ssi, view) = time(runs, || Ssify::new(code.clone()).view(Strategy::SSI));
        let (iterated, other) = time(runs, || singer(&mut Ssify::new(code.clone())));
        let late = (blocks <= 1000).then(|| {
            time(1, || singer(&mut Ssify::new(code.clone()).pruning(Pruning::Late))).0
        });
        let (essa, _) = time(runs, || Ssify::new(code.clone()).view(Strategy::ABCD));
        let (ccp, _) = time(runs, || Ssify::new(code.clone()).view(Strategy::CCP));
        let ms = |d: Duration| format!("{:.3}", d.as_secs_f64() * 1e3);
        let count = |v: &View| v.phis().len() + v.sigmas().len();
        println!(
            "{:>7} {:>8} {:>6} | {:>9} {:>9} {:>9} {:>6.2} | {:>7} {:>7} | {:>9} {:>9} {:>9}",
            blocks,
            code.len(),
            code.variable_count(),
            ms(ssi),
            ms(iterated),
            late.map_or("-".into(), ms),
            iterated.as_secs_f64() / ssi.as_secs_f64(),
            count(&view),
            count(&other),
            ms(essa),
            ms(ccp),
            ms(tables),
        );
    }
    println!();
    println!(
        "{:>7} {:>8} | {:>10} {:>10} {:>7} | {:>10} {:>10} {:>7}",
        "blocks", "instrs", "ranges/ms", "dense/ms", "ratio", "const/ms", "dense/ms", "ratio"
    );
    for blocks in [60, 125, 250, 500, 1000, 2000] {
        let mut rng = Rng::new(1);
        let graph = random_reducible(&mut rng, blocks);
        let options =
            Programs { bits: 32, registers: blocks / 4 + 4, insts: 6, objects: false };
        let program = registers(&mut rng, &graph, &options);
        let code = Arc::new(Code::new(&program));
        let sparse = |strategy: Strategy| {
            let view = Ssify::new(code.clone()).view(strategy);
            let chains = Chains::new(&view);
            (view, chains)
        };
        let (ranges, _) = time(3, || {
            let (view, chains) = sparse(Strategy::ABCD);
            solve_with(&program, &view, &chains, &mut Ranges, Options::WIDENING)
        });
        let dense = Options { widen_after: Some(3), narrow_rounds: 0 };
        let (dense_ranges, _) = time(2, || solve_blocks(&program, &code, &Ranges, dense));
        let (constants, _) = time(3, || {
            let (view, chains) = sparse(Strategy::CCP);
            solve_with(&program, &view, &chains, &mut Constants, Options::default())
        });
        let (dense_constants, _) =
            time(2, || solve_blocks(&program, &code, &Constants, Options::default()));
        let ms = |d: Duration| format!("{:.3}", d.as_secs_f64() * 1e3);
        println!(
            "{:>7} {:>8} | {:>10} {:>10} {:>7.2} | {:>10} {:>10} {:>7.2}",
            blocks,
            code.len(),
            ms(ranges),
            ms(dense_ranges),
            dense_ranges.as_secs_f64() / ranges.as_secs_f64(),
            ms(constants),
            ms(dense_constants),
            dense_constants.as_secs_f64() / constants.as_secs_f64(),
        );
    }
}
