//! One engine on one subject: how long, and whether the result is right.

use crate::datalog;
use crate::subject::Subject;
use lw_cfa::flow::cuda::{Gpu, Options, Stats};
use lw_cfa::flow::{Engine, solve};
use std::time::{Duration, Instant};

/// A measurement.
pub(crate) struct Run {
    pub(crate) subject: String,
    pub(crate) n: Option<usize>,
    pub(crate) lines: usize,
    pub(crate) facts: usize,
    pub(crate) engine: String,
    pub(crate) took: Duration,
    /// Whether it is the same (r, σ) as the others find.
    pub(crate) same: bool,
    /// What the GPU says of itself.
    pub(crate) gpu: Option<Stats>,
}

impl Run {
    fn new(subject: &Subject, engine: &str, took: Duration, same: bool) -> Run {
        Run {
            subject: subject.name.clone(),
            n: subject.n,
            lines: subject.lines,
            facts: subject.solution.facts(),
            engine: engine.into(),
            took,
            same,
            gpu: None,
        }
    }
}

pub(crate) fn name(engine: Engine) -> String {
    match engine {
        Engine::Matrix(threads) => format!("matrix-{threads}"),
        other => format!("{other:?}").to_lowercase(),
    }
}

/// What takes longer runs once.
const LONG: Duration = Duration::from_secs(4);

/// The fastest of some runs.
fn fastest<T>(
    repeat: u32,
    mut run: impl FnMut() -> Result<(Duration, T), String>,
) -> Result<(Duration, T), String> {
    let mut best = run()?;
    for _ in 1..repeat {
        if best.0 > LONG {
            break;
        }
        let again = run()?;
        if again.0 < best.0 {
            best = again;
        }
    }
    Ok(best)
}

pub(crate) fn cpu(subject: &Subject, engine: Engine, repeat: u32) -> Result<Run, String> {
    // The first run of `delta` is done.
    if engine == Engine::Delta && (repeat == 1 || subject.delta > LONG) {
        return Ok(Run::new(subject, &name(engine), subject.delta, true));
    }
    let (took, same) = fastest(repeat, || {
        let start = Instant::now();
        let solution = solve(&subject.program, engine);
        let took = start.elapsed();
        Ok((took, solution == subject.solution))
    })?;
    Ok(Run::new(subject, &name(engine), took, same))
}

pub(crate) fn ascent(subject: &Subject, repeat: u32) -> Result<Run, String> {
    let (took, same) =
        fastest(repeat, || datalog::time(&subject.program, subject.solution.facts()))?;
    Ok(Run::new(subject, "ascent", took, same))
}

/// From the program to the solution, transfers included; the GPU is open already.
pub(crate) fn cuda(
    gpu: &mut Gpu,
    subject: &Subject,
    engine: &str,
    options: &Options,
    repeat: u32,
) -> Result<Run, String> {
    let (took, (same, stats)) = fastest(repeat, || {
        let start = Instant::now();
        let (solution, stats) =
            gpu.solve(&subject.program, options, &mut |_| {}).map_err(|error| error.to_string())?;
        let took = start.elapsed();
        Ok((took, (solution == subject.solution, stats)))
    })?;
    Ok(Run { gpu: Some(stats), ..Run::new(subject, engine, took, same) })
}
