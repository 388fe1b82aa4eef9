//! How the time of the analysis grows: a ladder of early exits, and nested loops that all diverge.
//!
//! `cargo run --release -p lw-divergence --example scaling`

use lw_divergence::{Basic, Options, Sources, analyze};
use std::fmt::Write;
use std::time::Instant;

/// `n` rungs; each leaves to the end with a value of its own.
fn ladder(n: usize) -> String {
    let mut text = String::from("func @f(i32 %v) -> i32 {\nentry:\n  br label %b0\n");
    let mut phi = String::new();
    for i in 0..n {
        let next = if i + 1 < n { format!("b{}", i + 1) } else { "last".into() };
        let _ = writeln!(
            text,
            "b{i}:\n  %x{i} = add i32 %v, {i}\n  %c{i} = icmp slt i32 %x{i}, 7\n  br i1 %c{i}, label %end, label %{next}"
        );
        let _ = write!(phi, "[ {i}, %b{i} ], ");
    }
    let _ = write!(
        text,
        "last:\n  br label %end\nend:\n  %r = phi i32 {phi}[ 0, %last ]\n  ret i32 %r\n}}\n"
    );
    text
}

/// `n` loops inside each other, each left when a varying number says so.
fn nest(n: usize) -> String {
    let mut text = String::from("func @f(i32 %v) -> i32 {\nentry:\n  br label %h0\n");
    for i in 0..n {
        let from = if i == 0 { "entry".into() } else { format!("h{}", i - 1) };
        let inner = if i + 1 < n { format!("h{}", i + 1) } else { format!("t{i}") };
        let _ = writeln!(
            text,
            "h{i}:\n  %i{i} = phi i32 [ 0, %{from} ], [ %n{i}, %t{i} ]\n  br label %{inner}"
        );
    }
    for i in (0..n).rev() {
        let out = if i == 0 { "end".into() } else { format!("t{}", i - 1) };
        let _ = writeln!(
            text,
            "t{i}:\n  %n{i} = add i32 %i{i}, 1\n  %c{i} = icmp slt i32 %n{i}, %v\n  br i1 %c{i}, label %h{i}, label %{out}"
        );
    }
    text + "end:\n  ret i32 %n0\n}\n"
}

fn main() {
    println!(
        "{:<8} {:>6} {:>12} {:>12} {:>10}",
        "family", "n", "instructions", "microseconds", "ns/inst"
    );
    for (family, make) in [("ladder", ladder as fn(usize) -> String), ("nest", nest)] {
        for n in [100, 300, 1000, 3000] {
            let f = lw_ir::parse_function(&make(n)).expect("the text is well-formed");
            let sources = Sources::params([Basic::Varying]);
            let mut best = f64::INFINITY;
            for _ in 0..5 {
                let start = Instant::now();
                let found = analyze(&f, &sources, &Options::default());
                best = best.min(start.elapsed().as_secs_f64());
                assert_eq!(found.divergent_branches().count(), n);
            }
            let count = f.inst_count();
            println!(
                "{family:<8} {n:>6} {count:>12} {:>12.0} {:>10.0}",
                best * 1e6,
                best * 1e9 / count as f64
            );
        }
    }
}
