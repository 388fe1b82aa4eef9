//! What the benchmark prints and writes.

use crate::Row;
use crate::precision::Precision;
use crate::times::{Growth, SIDES, STRATEGIES, Times, Versus, Whole, exponent};
use lw_sparse::all_cores;
use serde_json::json;
use std::time::Duration;

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn ratio(a: Duration, b: Duration) -> f64 {
    a.as_secs_f64() / b.as_secs_f64().max(1e-9)
}

/// Prints all tables.
pub(crate) fn print(rows: &[Row], examples: usize, timed: bool) {
    let mut all = Precision::default();
    println!("precision: our range beside LazyValueInfo's at each integer use");
    println!("{:<12} {:^41} | {:^52}", "", "all uses", "where LazyValueInfo knows something");
    println!(
        "{:<12} {:>9} {:>9} {:>9} {:>9} | {:>9} {:>9} {:>8} {:>8} {:>6} {:>8}",
        "",
        "uses",
        "equal",
        "tighter",
        "weaker",
        "uses",
        "equal",
        "tighter",
        "weaker",
        "incomp",
        "≥ LVI"
    );
    let line = |name: &str, p: &Precision| {
        println!(
            "{:<12} {:>9} {:>9} {:>9} {:>9} | {:>9} {:>9} {:>8} {:>8} {:>6} {:>7.2}%",
            name,
            p.all.all(),
            p.all.equal,
            p.all.tighter,
            p.all.weaker,
            p.known.all(),
            p.known.equal,
            p.known.tighter,
            p.known.weaker,
            p.known.incomparable,
            100.0 * p.known.never_weaker()
        );
    };
    for row in rows {
        line(&row.name, &row.precision);
        all.add(&row.precision);
        for (cause, list) in &row.precision.examples {
            all.examples.entry(cause.clone()).or_default().extend(list.iter().cloned());
        }
    }
    line("all", &all);
    for kinds in [&["weaker", "incomparable"][..], &["tighter"]] {
        println!("\n{}, by what defines the value and what the better range looks like", kinds[0]);
        for (cause, count) in all.causes(kinds).into_iter().take(30) {
            println!("{count:>9} {:<13} {:<16} {}", cause.0, cause.1, cause.2);
            for example in all.examples.get(cause).into_iter().flatten().take(examples) {
                println!("            {example}");
            }
        }
    }
    if timed {
        print_times(rows);
    }
}

fn print_times(rows: &[Row]) {
    let mut all = Times::default();
    println!("\ntime, milliseconds");
    println!(
        "{:<12} {:>8} {:>7} | {:>7} {:>8} {:>6} | {:>7} {:>8} {:>6} | {:>7} {:>8} {:>6}",
        "",
        "insts",
        "tables",
        "e-SSA",
        "PredInfo",
        "ratio",
        "SSI",
        "Singer",
        "ratio",
        "ranges",
        "LVI",
        "of LVI"
    );
    let line = |name: &str, t: &Times| {
        println!(
            "{:<12} {:>8} {:>7.1} | {:>7.1} {:>8.1} {:>6.2} | {:>7.1} {:>8.1} {:>6.2} | {:>7.1} {:>8.1} {:>6.2}",
            name,
            t.instructions,
            ms(t.tables),
            ms(t.strategy("abcd")),
            ms(t.predicate_info),
            ratio(t.predicate_info, t.strategy("abcd")),
            ms(t.strategy("ssi")),
            ms(t.singer),
            ratio(t.singer, t.strategy("ssi")),
            ms(t.ranges),
            ms(t.lazy),
            ratio(t.ranges, t.lazy),
        );
    };
    for row in rows {
        line(&row.name, &row.times);
        all.add(&row.times);
    }
    line("all", &all);
    print_whole(rows, &all);
    println!("\nSSI as published, where dead versions go at the end, milliseconds");
    println!("{:<12} {:>9} {:>9} {:>6}", "", "SSIfy", "Singer", "ratio");
    let line = |name: &str, [ssify, singer]: [Duration; 2]| {
        println!("{name:<12} {:>9.1} {:>9.1} {:>6.2}", ms(ssify), ms(singer), ratio(singer, ssify));
    };
    rows.iter().for_each(|row| line(&row.name, row.times.published));
    line("all", all.published);
    println!(
        "with tables: e-SSA {:.1} ms; PredicateInfo with its dominator tree {:.1} ms",
        ms(all.tables + all.strategy("abcd")),
        ms(all.predicate_info + all.dominators)
    );

    let of_opt = |time: Duration| match all.opt {
        Duration::ZERO => "?".into(),
        opt => format!("{:.2}", 100.0 * ratio(time, opt)),
    };
    println!(
        "\nsplitting by strategy (003 Figs 11–13): time, share of `opt -O1`, instructions added"
    );
    for (i, (name, strategy)) in STRATEGIES.iter().enumerate() {
        let (time, added) = all.strategies[i];
        println!(
            "{name:<14} {:>8.1} ms {:>6.1} % of SSI {:>6} % of opt -O1 {:>6.2} % more  {strategy}",
            ms(time),
            100.0 * ratio(time, all.strategy("ssi")),
            of_opt(time),
            100.0 * added as f64 / all.instructions as f64
        );
    }
    println!(
        "{:<14} {:>8.1} ms {:>6.1} % of SSI {:>6} % of opt -O1 {:>6.2} % more  (no φ)",
        "PredicateInfo",
        ms(all.predicate_info),
        100.0 * ratio(all.predicate_info, all.strategy("ssi")),
        of_opt(all.predicate_info),
        100.0 * all.copies as f64 / all.instructions as f64
    );
    print_growth(rows);
    print_exponents(rows);
    let versus = merged(rows);
    if versus.is_empty() {
        return;
    }
    println!(
        "\nsparse (splitting and chains included) beside dense, functions over 1,000 instructions"
    );
    for v in versus {
        println!(
            "{:<22} {:>4} functions {:>9.1} ms {:>10.1} ms dense {:>7.1} times (from {:.1} to {:.1})",
            v.name,
            v.functions,
            ms(v.sparse),
            ms(v.dense),
            v.ratio(),
            v.least,
            v.greatest
        );
    }
}

fn print_whole(rows: &[Row], all: &Times) {
    println!("\nranges of the whole module in one go, milliseconds (all cores: {})", all_cores());
    println!(
        "{:<12} {:>8} {:>8} {:>6} {:>9} {:>6}",
        "", "LVI", "one core", "of LVI", "all cores", "of LVI"
    );
    let line = |name: &str, w: &Whole| {
        println!(
            "{name:<12} {:>8.1} {:>8.1} {:>6.2} {:>9.1} {:>6.2}",
            ms(w.lazy),
            ms(w.one_core),
            ratio(w.one_core, w.lazy),
            ms(w.all_cores),
            ratio(w.all_cores, w.lazy)
        );
    };
    rows.iter().for_each(|row| line(&row.name, &row.times.whole));
    line("all", &all.whole);
}

/// Functions by size, each class with twice the instructions of the one before.
fn classes(rows: &[Row]) -> Vec<(u64, Vec<Growth>)> {
    let all: Vec<Growth> = rows.iter().flat_map(|row| row.growth.iter().copied()).collect();
    let mut classes = Vec::new();
    let mut from = 100;
    while all.iter().any(|g| g.instructions >= from) {
        let here = all.iter().filter(|g| (from..2 * from).contains(&g.instructions));
        classes.push((from, here.copied().collect()));
        from *= 2;
    }
    classes
}

fn print_growth(rows: &[Row]) {
    println!("\ngrowth: nanoseconds per instruction, by size of the function");
    println!(
        "{:>9} {:>9} {:>7} {:>7} {:>7} {:>14} {:>16} {:>17} {:>12}",
        "from",
        "functions",
        "e-SSA",
        "SSI",
        "Singer",
        "SSI, of result",
        "SSI, per operand",
        "and block live in",
        "Singer : SSI"
    );
    for (from, list) in classes(rows) {
        let sum = |f: &dyn Fn(&Growth) -> f64| list.iter().map(f).sum::<f64>();
        let per = |f: &dyn Fn(&Growth) -> Duration| {
            sum(&|g| f(g).as_secs_f64() * 1e9) / sum(&|g| g.instructions as f64).max(1.0)
        };
        println!(
            "{from:>9} {:>9} {:>7.1} {:>7.1} {:>7.1} {:>14.1} {:>16.1} {:>17.1} {:>12.2}",
            list.len(),
            per(&|g| g.abcd),
            per(&|g| g.ssi),
            per(&|g| g.singer),
            sum(&|g| g.ssi.as_secs_f64() * 1e9)
                / sum(&|g| (g.instructions + g.inserted) as f64).max(1.0),
            sum(&|g| g.ssi.as_secs_f64() * 1e9) / sum(&|g| g.operands as f64).max(1.0),
            sum(&|g| g.ssi.as_secs_f64() * 1e9) / sum(&|g| g.handled_and_live() as f64).max(1.0),
            sum(&|g| g.singer.as_secs_f64()) / sum(&|g| g.ssi.as_secs_f64()).max(1e-12),
        );
    }
}

/// With which power of the size times grow.
fn print_exponents(rows: &[Row]) {
    let all: Vec<Growth> = rows.iter().flat_map(|row| row.growth.iter().copied()).collect();
    println!("\ngrowth: the power of the size with which the time grows (1: linear)");
    type Size = fn(&Growth) -> u64;
    let sizes: [(&str, Size); 4] = [
        ("instructions", |g| g.instructions),
        ("instructions of the result", |g| g.instructions + g.inserted),
        ("operands before and after", Growth::handled),
        ("these, and blocks live in", Growth::handled_and_live),
    ];
    for (unit, size) in sizes {
        let powers = SIDES.map(|(name, time)| format!("{name} {:.2}", exponent(&all, size, time)));
        println!("{unit:<27} {}", powers.join("  "));
    }
}

fn merged(rows: &[Row]) -> Vec<Versus> {
    let mut all: Vec<Versus> = Vec::new();
    for row in rows {
        for v in &row.versus {
            match all.iter_mut().find(|known| known.name == v.name) {
                Some(known) => known.add(v),
                None => all.push(v.clone()),
            }
        }
    }
    all
}

/// Everything as JSON.
pub(crate) fn json(rows: &[Row]) -> serde_json::Value {
    let mut precision = Precision::default();
    let mut times = Times::default();
    for row in rows {
        precision.add(&row.precision);
        times.add(&row.times);
    }
    let modules: Vec<_> = rows
        .iter()
        .map(|row| {
            json!({
                "module": row.name,
                "precision": row.precision.json(),
                "times": times_json(&row.times),
            })
        })
        .collect();
    let versus: Vec<_> = merged(rows)
        .iter()
        .map(|v| {
            json!({
                "analysis": v.name, "functions": v.functions, "sparse_seconds": v.sparse.as_secs_f64(),
                "dense_seconds": v.dense.as_secs_f64(), "least_ratio": v.least, "greatest_ratio": v.greatest,
            })
        })
        .collect();
    let growth: Vec<_> = rows
        .iter()
        .flat_map(|row| &row.growth)
        .map(|g| {
            json!([
                g.instructions,
                g.inserted,
                g.read,
                g.operands,
                g.live,
                g.abcd.as_nanos() as u64,
                g.ssi.as_nanos() as u64,
                g.singer.as_nanos() as u64
            ])
        })
        .collect();
    json!({
        "precision": precision.json(),
        "times": times_json(&times),
        "sparse_and_dense": versus,
        "growth_columns": ["instructions", "inserted", "operands_before", "operands", "live", "essa_ns", "ssi_ns", "singer_ns"],
        "growth": growth,
        "modules": modules,
    })
}

fn times_json(t: &Times) -> serde_json::Value {
    let strategies: serde_json::Map<String, serde_json::Value> = STRATEGIES
        .iter()
        .zip(&t.strategies)
        .map(|((name, _), (time, added))| {
            (name.to_string(), json!({"seconds": time.as_secs_f64(), "inserted": added}))
        })
        .collect();
    json!({
        "instructions": t.instructions,
        "tables_seconds": t.tables.as_secs_f64(),
        "strategies": strategies,
        "singer_seconds": t.singer.as_secs_f64(),
        "published_ssify_seconds": t.published[0].as_secs_f64(),
        "published_singer_seconds": t.published[1].as_secs_f64(),
        "ranges_seconds": t.ranges.as_secs_f64(),
        "lazy_value_info_seconds": t.lazy.as_secs_f64(),
        "whole_ranges_one_core_seconds": t.whole.one_core.as_secs_f64(),
        "whole_ranges_all_cores_seconds": t.whole.all_cores.as_secs_f64(),
        "whole_lazy_value_info_seconds": t.whole.lazy.as_secs_f64(),
        "predicate_info_seconds": t.predicate_info.as_secs_f64(),
        "predicate_info_dominators_seconds": t.dominators.as_secs_f64(),
        "opt_O1_seconds": t.opt.as_secs_f64(),
    })
}
