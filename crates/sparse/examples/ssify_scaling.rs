//! How splitting and solving scale: `cargo run --release -p lw-sparse --example ssify_scaling`.
//!
//! First SSIfy against Singer's iteration, then sparse solving (splitting and chains included) against the dense solver. Two
//! families: register programs with mostly short live ranges, and SSA functions from the generator of `lw-ir`, whose values
//! live long, so that the static single information form itself grows faster than the program.

use lw_ir::Function;
use lw_ir::generate::{Options as Programs, generate};
use lw_sparse::analyses::{Constants, KnownBits, Ranges};
use lw_sparse::dense_fast::solve_blocks;
use lw_sparse::meaning::Meaning;
use lw_sparse::{
    Analysis, Chains, Code, Options, Program, Pruning, Ssify, Strategy, View, singer, solve_with,
};
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

/// A function of about so many instructions.
fn function(size: usize) -> Function {
    let options = Programs {
        blocks: size / 6,
        insts: 8,
        depth: 6,
        vectors: false,
        aggregates: false,
        indirect_branches: false,
        calls: false,
        ..Programs::default()
    };
    let candidates = (0..200).map(|seed| {
        let program = generate(seed, &options);
        program.module.function(&program.entry).expect("the entry exists").clone()
    });
    let mut best: Option<Function> = None;
    for f in candidates {
        let far = |f: &Function| f.inst_count().abs_diff(size);
        if best.as_ref().is_none_or(|b| far(&f) < far(b)) {
            best = Some(f);
        }
        if best.as_ref().is_some_and(|b| far(b) < size / 10) {
            break;
        }
    }
    best.expect("there are candidates")
}

fn ms(d: Duration) -> f64 {
    d.as_secs_f64() * 1e3
}

fn compare<P: Program, A: Analysis<P> + Clone>(f: &P, code: &Arc<Code>, analysis: &A) -> String {
    let options = Options { widen_after: Some(3), narrow_rounds: 0 };
    let (sparse, _) = time(5, || {
        let view = Ssify::new(code.clone()).view_for(f, analysis);
        let chains = Chains::new(&view);
        solve_with(f, &view, &chains, &mut analysis.clone(), options)
    });
    let (dense, _) = time(3, || solve_blocks(f, code, analysis, options));
    let ratio = dense.as_secs_f64() / sparse.as_secs_f64();
    format!("{:>8.3} {:>9.3} {ratio:>6.1}", ms(sparse), ms(dense))
}

fn split<P: Program>(programs: &[P]) {
    println!("splitting: milliseconds; Singer's iteration, pruned early and as published (late);");
    println!("inserted φ and σ; nanoseconds per instruction of the result");
    println!(
        "{:>7} {:>7} | {:>8} {:>9} {:>6} {:>9} {:>6} | {:>7} {:>8} | {:>5} | {:>7} {:>7} {:>7}",
        "blocks",
        "instrs",
        "ssi",
        "early",
        "ratio",
        "late",
        "ratio",
        "φσ",
        "singer",
        "ns/i",
        "e-ssa",
        "ccp",
        "tables"
    );
    for f in programs {
        let (tables, code) = time(3, || Arc::new(Code::new(f)));
        let (ssi, view) = time(5, || Ssify::new(code.clone()).view(Strategy::SSI));
        let (iterated, other) = time(3, || singer(&mut Ssify::new(code.clone())));
        let (late, _) = time(2, || singer(&mut Ssify::new(code.clone()).pruning(Pruning::Late)));
        let (essa, _) = time(5, || Ssify::new(code.clone()).view(Strategy::ABCD));
        let (ccp, _) = time(5, || Ssify::new(code.clone()).view(Strategy::CCP));
        let count = |v: &View| v.phis().len() + v.sigmas().len();
        println!(
            "{:>7} {:>7} | {:>8.3} {:>9.3} {:>6.2} {:>9.3} {:>6.2} | {:>7} {:>8} | {:>5.0} | {:>7.3} {:>7.3} {:>7.3}",
            code.graph().node_count(),
            code.len(),
            ms(ssi),
            ms(iterated),
            iterated.as_secs_f64() / ssi.as_secs_f64(),
            ms(late),
            late.as_secs_f64() / ssi.as_secs_f64(),
            count(&view),
            count(&other),
            ssi.as_secs_f64() * 1e9 / (code.len() + count(&view)) as f64,
            ms(essa),
            ms(ccp),
            ms(tables),
        );
    }
}

fn solve<P: Meaning>(programs: &[P]) {
    println!("\nsolving: milliseconds sparse, dense, ratio");
    println!("{:>7} | {:^25} | {:^25} | {:^25}", "instrs", "constants", "ranges", "known bits");
    for f in programs {
        let code = Arc::new(Code::new(f));
        let constants = compare(f, &code, &Constants);
        let ranges = compare(f, &code, &Ranges);
        let bits = compare(f, &code, &KnownBits);
        println!("{:>7} | {constants} | {ranges} | {bits}", code.len());
    }
}

fn main() {
    println!("# register programs, short live ranges");
    let options = lw_sparse::generate::Options { bits: 32, registers: 8, insts: 6, objects: true };
    let make = |count: &usize| {
        lw_sparse::generate::regions(&mut lw_graph::generate::Rng::new(1), *count, 16, &options)
    };
    let programs: Vec<_> = [8, 16, 32, 64, 128, 256, 512].iter().map(make).collect();
    split(&programs);
    solve(&programs[..5]);
    println!("\n# SSA functions, long live ranges");
    let functions: Vec<Function> =
        [500, 1000, 2000, 4000, 8000].iter().map(|&size| function(size)).collect();
    split(&functions);
    solve(&functions);
}
