//! How the algorithms of this crate grow with the graph.
//!
//! `cargo run --release -p lw-graph --example graph_scaling -- [--json PATH] [--max BLOCKS]` times
//! each of them on families of graphs of 1,000 to 1,000,000 blocks and prints nanoseconds per
//! block, and the exponent with which time grows from the second size to the last (1 is linear;
//! memory that no longer fits the caches alone makes it a little more).

use lw_graph::generate::{self, Rng};
use lw_graph::{
    BlockIndex, DepthFirst, DisjointPaths, DominatorTree, FrontierScratch, Frontiers, Graph,
    HeadRewired, LoopForest, Node, PostDominatorTree, StrongPostDominators,
};
use std::fmt::Write;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// A family: its name, how to build it, and the branch to label from.
type Family = (&'static str, fn(usize) -> Graph, fn(&Graph) -> Node);

const FAMILIES: &[Family] = &[
    ("chain", generate::chain, first_branch),
    ("ladder of early exits", generate::ladder, first_branch),
    ("random reducible", |n| generate::random_reducible(&mut Rng::new(1), n), first_branch),
    ("loop nest", generate::nest, innermost_branch),
    ("loop nest, exits to the end", generate::nest_with_exits, innermost_branch),
    ("wide switch", generate::switch, first_branch),
    ("irreducible mesh", generate::mesh, first_branch),
];

fn first_branch(graph: &Graph) -> Node {
    graph.nodes().find(|&node| graph.successors(node).len() > 1).unwrap_or(graph.entry())
}

fn innermost_branch(graph: &Graph) -> Node {
    let loops = LoopForest::compute(graph);
    let branches = graph.nodes().filter(|&node| graph.successors(node).len() > 1);
    branches.max_by_key(|&node| loops.depth(node)).unwrap_or(graph.entry())
}

/// The least time of some runs; more runs for what is fast.
fn time<T>(mut run: impl FnMut() -> T) -> f64 {
    let mut best = Duration::MAX;
    let start = Instant::now();
    for _ in 0..20 {
        let begin = Instant::now();
        black_box(run());
        best = best.min(begin.elapsed());
        if start.elapsed() > Duration::from_millis(250) {
            break;
        }
    }
    best.as_secs_f64()
}

/// Times every algorithm on one graph. Those that do not apply are left out.
fn measure(graph: &Graph, branch: Node) -> Vec<(&'static str, f64)> {
    let mut times = vec![
        ("depth-first orders", time(|| DepthFirst::compute(graph))),
        ("dominators", time(|| DominatorTree::compute(graph))),
        ("post-dominators", time(|| PostDominatorTree::compute(graph))),
        ("strong post-dominators", time(|| StrongPostDominators::compute(graph))),
        ("loop forest", time(|| LoopForest::compute(graph))),
    ];

    let dominators = DominatorTree::compute(graph);
    times.push(("frontier tables", time(|| Frontiers::compute(graph, &dominators))));
    let frontiers = Frontiers::compute(graph, &dominators);
    let mut scratch = FrontierScratch::new();
    let tenth = || graph.nodes().step_by(10);
    times.push(("iterated frontier of n/10", time(|| frontiers.iterated(tenth(), &mut scratch))));

    let loops = LoopForest::compute(graph);
    times.push(("block index", time(|| BlockIndex::compute(graph, &dominators, &loops))));
    let index = BlockIndex::compute(graph, &dominators, &loops);
    if let Ok(rewired) = HeadRewired::compute(graph, &loops, &index) {
        times.push(("head-rewired graph", time(|| HeadRewired::compute(graph, &loops, &index))));
        let fake = HeadRewired::with_fake_back_edges(graph, &loops, &index);
        let mut paths = DisjointPaths::new();
        let mut label = |rewired: &HeadRewired| {
            paths.label(rewired, branch);
            time(|| paths.label(rewired, branch).joins().len())
        };
        times.push(("disjoint paths", label(&rewired)));
        if let Ok(fake) = fake {
            times.push(("disjoint paths, fake edges", label(&fake)));
        }
    }
    times
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (mut json, mut max) = (None, 1_000_000);
    while let Some(argument) = arguments.next() {
        match (argument.as_str(), arguments.next()) {
            ("--json", Some(path)) => json = Some(path),
            ("--max", Some(blocks)) if blocks.parse::<usize>().is_ok() => {
                max = blocks.parse().unwrap_or(max);
            }
            _ => {
                eprintln!("usage: graph_scaling [--json PATH] [--max BLOCKS]");
                std::process::exit(2);
            }
        }
    }
    let sizes: Vec<usize> =
        [1_000, 10_000, 100_000, 1_000_000].into_iter().filter(|&n| n <= max).collect();
    let mut results = String::new();
    for &(family, build, branch) in FAMILIES {
        // One row per algorithm: nanoseconds per block at each size.
        let mut rows: Vec<(&str, Vec<(usize, f64)>)> = Vec::new();
        for &size in &sizes {
            let graph = build(size);
            let blocks = graph.node_count();
            for (i, (name, seconds)) in measure(&graph, branch(&graph)).into_iter().enumerate() {
                if rows.len() <= i {
                    rows.push((name, Vec::new()));
                }
                rows[i].1.push((blocks, seconds));
            }
        }
        print!("{family:<28}");
        for size in &sizes {
            print!("{size:>10}");
        }
        println!("  ns per block; exponent");
        for (name, points) in &rows {
            print!("  {name:<26}");
            for &(blocks, seconds) in points {
                print!("{:>10.2}", seconds * 1e9 / blocks as f64);
            }
            println!("{:>10}", exponent(points).map_or(String::from("-"), |e| format!("{e:.2}")));
            write_json(&mut results, family, name, points);
        }
        println!();
    }
    if let Some(path) = json {
        let text = format!("{{\n  \"bench\": \"graph\",\n  \"results\": [\n{results}\n  ]\n}}\n");
        if let Err(error) = std::fs::write(&path, text) {
            eprintln!("cannot write {path}: {error}");
            std::process::exit(1);
        }
    }
}

/// How time grows between the second size and the last. None for what takes no time to speak of:
/// labelling from a branch that reaches a handful of blocks.
fn exponent(points: &[(usize, f64)]) -> Option<f64> {
    let (&(small, early), &(large, late)) = (points.get(1)?, points.last()?);
    if large <= small || late < 20e-6 {
        return None;
    }
    Some((late / early.max(1e-9)).ln() / (large as f64 / small as f64).ln())
}

fn write_json(text: &mut String, family: &str, algorithm: &str, points: &[(usize, f64)]) {
    if !text.is_empty() {
        text.push_str(",\n");
    }
    let list = |values: Vec<String>| values.join(", ");
    let blocks = list(points.iter().map(|(blocks, _)| blocks.to_string()).collect());
    let seconds = list(points.iter().map(|(_, seconds)| format!("{seconds:.9}")).collect());
    let exponent = exponent(points).map_or(String::from("null"), |e| format!("{e:.3}"));
    let _ = write!(
        text,
        "    {{\"family\": \"{family}\", \"algorithm\": \"{algorithm}\", \"blocks\": [{blocks}], \
         \"seconds\": [{seconds}], \"exponent\": {exponent}}}"
    );
}
