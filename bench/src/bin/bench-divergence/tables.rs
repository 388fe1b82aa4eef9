//! The tables, and the same as JSON.

use crate::Results;
use crate::precision::{ANALYSES, Suite};
use crate::times::Times;
use serde_json::json;
use std::time::Duration;

const WHAT: [&str; 3] = ["instructions", "branches", "loops"];

/// Prints all tables.
pub(crate) fn print(results: &Results, claims: bool) {
    let mut all = Suite { name: "all".into(), ..Suite::default() };
    results.suites.iter().for_each(|suite| all.add(suite));
    // As 000 Fig. 4: the total, what we find uniform, and how many more that is than strongpd finds.
    println!("basic lattice beside strongpd (000 Fig. 4)");
    println!("{:<22} {:^20} {:^20} {:^20}", "suite (kernels)", "instructions", "branches", "loops");
    println!("{:<22} {}", "", "  total    uni     Δ ".repeat(3));
    let strongpd = ANALYSES.iter().position(|name| *name == "strongpd").unwrap_or(0);
    for suite in results.suites.iter().chain([&all]) {
        print!("{:<22}", format!("{} ({})", suite.name, suite.kernels));
        for what in 0..3 {
            let (ours, theirs) = (suite.uniform[0][what], suite.uniform[strongpd][what]);
            let more = ours as i64 - theirs as i64;
            print!(" {:>6} {:>6} {:>+6}", suite.total[what], ours, more);
        }
        println!();
    }
    println!("\nfound uniform in {} kernels; in brackets: what basic does not claim", all.kernels);
    print!("{:<13} {:>8}", "", "total");
    ANALYSES.iter().for_each(|name| print!(" {name:>13}"));
    println!();
    for (what, name) in WHAT.iter().enumerate() {
        print!("{name:<13} {:>8}", all.total[what]);
        for i in 0..ANALYSES.len() {
            let beyond = match all.beyond[i][what] {
                0 => String::new(),
                n => format!(" ({n})"),
            };
            print!(" {:>13}", format!("{}{beyond}", all.uniform[i][what]));
        }
        println!();
    }
    for (name, refuted) in ANALYSES.iter().zip(all.refuted).filter(|(_, refuted)| *refuted > 0) {
        println!("{refuted} claims of {name} that basic does not make are refuted by executions");
    }
    if claims {
        all.claims.iter().for_each(|claim| println!("  {claim}"));
    }
    print_times(&results.times);
    println!(
        "\ngrowth: microseconds, ours (everything from the function on) and UniformityInfo alone"
    );
    println!(
        "{:<8} {:>6} {:>12} {:>10} {:>10} {:>7}",
        "family", "n", "instructions", "ours", "LLVM", "ratio"
    );
    for row in &results.growth {
        let t = &row.times;
        println!(
            "{:<8} {:>6} {:>12} {:>10.0} {:>10.0} {:>7.3}",
            row.family,
            row.n,
            t.instructions,
            t.ours.as_secs_f64() * 1e6,
            t.llvm.as_secs_f64() * 1e6,
            t.ratio()
        );
    }
}

fn print_times(times: &[Times]) {
    println!("\nnanoseconds per instruction, basic lattice with what LLVM knows");
    println!(
        "{:<18} {:>12} {:>8} {:>8} {:>7} {:>22} {:>8} {:>8}",
        "", "instructions", "ours", "LLVM", "ratio", "dominators and cycles", "engine", "import"
    );
    let line = |t: &Times| {
        let per = |time: Duration| time.as_nanos() as f64 / t.instructions.max(1) as f64;
        println!(
            "{:<18} {:>12} {:>8.1} {:>8.1} {:>7.2} {:>22.1} {:>8.1} {:>8.1}",
            t.name,
            t.instructions,
            per(t.ours),
            per(t.llvm),
            t.ratio(),
            per(t.dominators + t.cycles),
            per(t.engine),
            per(t.import)
        );
    };
    let mut all = Times { name: "all".into(), ..Times::default() };
    for t in times {
        line(t);
        all.add(t);
    }
    line(&all);
}

/// The same as JSON.
pub(crate) fn json(results: &Results) -> serde_json::Value {
    json!({
        "suites": results.suites.iter().map(Suite::json).collect::<Vec<_>>(),
        "times": results.times.iter().map(Times::json).collect::<Vec<_>>(),
        "growth": results.growth.iter().map(|row| {
            json!({"family": row.family, "n": row.n, "times": row.times.json()})
        }).collect::<Vec<_>>(),
    })
}
