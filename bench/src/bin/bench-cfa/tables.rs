//! What the benchmark prints and writes.

use crate::runs::Run;
use serde_json::{Value, json};
use std::time::Duration;

/// All that was measured.
#[derive(Default)]
pub(crate) struct Results {
    pub(crate) threads: usize,
    /// The GPU's name, if there is one, and how long it took to open it and to load the kernels.
    pub(crate) gpu: Option<String>,
    pub(crate) open: Duration,
    pub(crate) peer: Vec<Run>,
    pub(crate) growth: Vec<Run>,
    pub(crate) program: Vec<Run>,
    pub(crate) cuda: Vec<Run>,
    /// Bytes of rows that the GPU reads on the subject of `cuda`.
    pub(crate) traffic: u64,
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn find<'a>(runs: &'a [Run], engine: &str) -> Option<&'a Run> {
    runs.iter().find(|run| run.engine == engine)
}

/// How many times longer one engine takes than another.
fn ratio(runs: &[Run], slow: &str, fast: &str) -> Option<f64> {
    let (slow, fast) = (find(runs, slow)?, find(runs, fast)?);
    Some(slow.took.as_secs_f64() / fast.took.as_secs_f64().max(1e-9))
}

/// What is asked for, and what was measured.
fn aims(results: &Results) -> Vec<(String, f64, bool)> {
    let mut aims = Vec::new();
    let mut aim = |text: &str, measured: Option<f64>, least: f64| {
        aims.extend(measured.map(|value| (text.to_string(), value, value >= least)));
    };
    let many = format!("matrix-{}", results.threads);
    aim(
        "delta at least 100 times faster than Ascent",
        ratio(&results.peer, "ascent", "delta"),
        100.0,
    );
    aim(
        "matrix at least 2 times faster than Ascent",
        ratio(&results.peer, "ascent", "matrix-1"),
        2.0,
    );
    if results.threads > 1
        && let Some(n) = results.growth.iter().filter_map(|run| run.n).max()
    {
        let largest: Vec<&Run> = results.growth.iter().filter(|run| run.n == Some(n)).collect();
        let time = |engine: &str| {
            let run = largest.iter().find(|run| run.engine == engine)?;
            Some(run.took.as_secs_f64())
        };
        let speedup =
            time("matrix-1").zip(time(&many)).map(|(one, several)| one / several.max(1e-9));
        aim("matrix with several threads no slower than with one", speedup, 1.0);
    }
    let cuda = &results.cuda;
    aim(
        "cuda at least 20 times faster than matrix with one thread",
        ratio(cuda, "matrix-1", "cuda-4"),
        20.0,
    );
    aim("cuda at least 5 times faster than delta", ratio(cuda, "delta", "cuda-4"), 5.0);
    aim("several streams no slower than one", ratio(cuda, "cuda-1", "cuda-4"), 1.0);
    aims
}

/// Prints all tables.
pub(crate) fn print(results: &Results) {
    for (title, runs) in sections(results) {
        if runs.is_empty() {
            continue;
        }
        println!("\n{title}");
        println!("{:<12} {:>10} {:<16} {:>12}", "", "facts", "engine", "ms");
        for run in runs {
            let gpu = run.gpu.map_or(String::new(), |stats| {
                format!(
                    "  {} rounds {:.1} ms, to the GPU {:.1} ms, back {:.1} ms, {} MiB",
                    stats.rounds,
                    ms(stats.solve),
                    ms(stats.upload),
                    ms(stats.download),
                    stats.bytes >> 20
                )
            });
            println!(
                "{:<12} {:>10} {:<16} {:>12.2}{}{gpu}",
                run.subject,
                run.facts,
                run.engine,
                ms(run.took),
                if run.same { "" } else { "  DIFFERS" }
            );
        }
    }
    if let Some(name) = &results.gpu {
        println!("\n{name}: opened in {:.0} ms", ms(results.open));
    }
    if let Some(rate) = rate(results) {
        println!("rows read: {:.1} GB, {rate:.0} GB/s", results.traffic as f64 / 1e9);
    }
    println!();
    for (aim, measured, met) in aims(results) {
        println!("{aim}: {measured:.2} times, {}", if met { "met" } else { "missed" });
    }
}

/// Gigabytes of rows read in a second.
fn rate(results: &Results) -> Option<f64> {
    let stats = find(&results.cuda, "cuda-4")?.gpu?;
    (results.traffic > 0)
        .then(|| results.traffic as f64 / stats.solve.as_secs_f64().max(1e-9) / 1e9)
}

fn sections(results: &Results) -> [(&'static str, &[Run]); 4] {
    [
        ("beside Ascent", &results.peer),
        ("growth", &results.growth),
        ("a real program, and a random one", &results.program),
        ("on the GPU", &results.cuda),
    ]
}

/// Everything, for programs.
pub(crate) fn json(results: &Results) -> Value {
    let run = |run: &Run| {
        let gpu = run.gpu.map(|stats| {
            json!({
                "rounds": stats.rounds, "tiles": stats.tiles, "bytes": stats.bytes,
                "upload_ms": ms(stats.upload), "rounds_ms": ms(stats.solve), "download_ms": ms(stats.download),
            })
        });
        json!({
            "subject": run.subject, "n": run.n, "lines": run.lines, "facts": run.facts,
            "engine": run.engine, "ms": ms(run.took), "same": run.same, "gpu": gpu,
        })
    };
    let mut all = serde_json::Map::new();
    for (title, runs) in sections(results) {
        all.insert(title.into(), runs.iter().map(run).collect());
    }
    let aims = aims(results).into_iter();
    let aims = aims.map(|(aim, times, met)| json!({ "aim": aim, "times": times, "met": met }));
    all.insert("aims".into(), aims.collect());
    all.insert("gpu".into(), json!(results.gpu));
    all.insert("open_ms".into(), json!(ms(results.open)));
    all.insert("bytes_of_rows".into(), json!(results.traffic));
    all.insert("rows_gb_per_s".into(), json!(rate(results)));
    Value::Object(all)
}
