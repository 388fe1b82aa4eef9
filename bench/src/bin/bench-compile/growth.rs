//! How long the vectorizer takes for loops that grow, stage by stage.

use crate::shapes::{SHAPES, Shape};
use lw_bench::cpu_time;
use lw_ir::{Function, Module};
use lw_vectorize::loops::{LoopOptions, LoopPipeline, Remainder};
use lw_vectorize::{Boscc, Stage};
use serde_json::json;
use std::path::Path;
use std::time::Duration;

/// The parts of the work: the program of W threads is made, the stages, and the result is put in front of the scalar loop.
pub(crate) const PARTS: [&str; 8] = [
    "threads",
    "canonicalize",
    "divergent loops",
    "gadgets",
    "linearize",
    "interleave",
    "widen",
    "splice",
];

/// A loop of some size.
#[derive(Clone, Debug)]
pub(crate) struct Growth {
    pub(crate) shape: &'static str,
    /// About how many instructions were asked for.
    pub(crate) size: usize,
    /// Of the scalar function.
    pub(crate) instructions: usize,
    /// Of the function with the vector loop in it.
    pub(crate) vector: usize,
    /// By part.
    pub(crate) took: [Duration; PARTS.len()],
}

impl Growth {
    pub(crate) fn all(&self) -> Duration {
        self.took.iter().sum()
    }

    /// Microseconds for an instruction of the scalar function.
    pub(crate) fn micros(&self) -> f64 {
        self.all().as_secs_f64() * 1e6 / self.instructions as f64
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        let parts: serde_json::Map<String, serde_json::Value> = PARTS
            .iter()
            .zip(self.took)
            .map(|(part, took)| ((*part).into(), json!(took.as_nanos() as u64)))
            .collect();
        json!({
            "shape": self.shape, "instructions": self.instructions,
            "vector_instructions": self.vector, "took_ns": parts,
        })
    }
}

/// The options that the plug-in has for a marked loop on a machine with masks.
fn options(module: &Module) -> LoopOptions {
    let mut options = LoopOptions::new(16, module.layout.clone());
    options.reorder = true;
    options.remainder = Remainder::Masked;
    options.boscc = Boscc::Worthwhile;
    options
}

/// Vectorizes the loop of a function once.
fn run(module: &Module) -> Result<(Function, [Duration; PARTS.len()]), String> {
    let function = &module.functions[0];
    let options = options(module);
    let mut took = [Duration::ZERO; PARTS.len()];
    let mut clock = cpu_time();
    let mut lap = |part: usize| {
        let now = cpu_time();
        took[part] = now - std::mem::replace(&mut clock, now);
    };
    let mut it = LoopPipeline::new(function, function.blocks()[1], &options)
        .map_err(|declined| declined.to_string())?;
    lap(0);
    for (number, stage) in Stage::ALL.into_iter().enumerate() {
        it.pipeline.run(stage).map_err(|declined| declined.to_string())?;
        lap(number + 1);
    }
    let (vector, _) = it.finish();
    lap(PARTS.len() - 1);
    Ok((vector, took))
}

/// What is measured, and how.
pub(crate) struct Plan<'a> {
    /// The instructions of the largest loop of each shape.
    pub(crate) most: usize,
    /// How often each loop is vectorized; the fastest counts.
    pub(crate) repeat: u32,
    /// Only these shapes, or all.
    pub(crate) only: &'a [String],
    /// Larger loops of a shape are left out once one took longer.
    pub(crate) limit: Duration,
    /// Where to write the results.
    pub(crate) save: Option<&'a Path>,
}

/// One shape at one size. Runs that take long are not repeated often.
fn measure(shape: &Shape, size: usize, plan: &Plan<'_>) -> Result<Growth, String> {
    let wrong = |why: String| format!("{}: {why}", shape.name);
    let module = lw_ir::parse_module(&shape.function(size)).map_err(|e| wrong(e.to_string()))?;
    let mut best: Option<Growth> = None;
    let start = cpu_time();
    for _ in 0..plan.repeat.max(1) {
        let (vector, took) = run(&module).map_err(wrong)?;
        let instructions = module.functions[0].inst_count();
        let count = vector.inst_count();
        let growth = Growth { shape: shape.name, size, instructions, vector: count, took };
        if let (None, Some(folder)) = (&best, plan.save) {
            let path = folder.join(format!("{}-{size}.lw", shape.name.replace(' ', "-")));
            lw_bench::save(&path, &vector.to_string())?;
        }
        if best.as_ref().is_none_or(|best| growth.all() < best.all()) {
            best = Some(growth);
        }
        if cpu_time() - start > Duration::from_secs(8) {
            break;
        }
    }
    best.ok_or_else(|| "nothing was run".into())
}

/// All shapes, from about a hundred instructions on, doubling.
pub(crate) fn growth(plan: &Plan<'_>) -> Result<Vec<Growth>, String> {
    let mut rows = Vec::new();
    let wanted =
        |shape: &&Shape| plan.only.is_empty() || plan.only.iter().any(|name| name == shape.name);
    for shape in SHAPES.iter().filter(wanted) {
        eprintln!("{}: {} …", shape.name, shape.about);
        for size in sizes(plan.most) {
            let row = measure(shape, size, plan)?;
            let too_long = row.all() > plan.limit;
            rows.push(row);
            if too_long {
                eprintln!("{}: larger ones would take too long", shape.name);
                break;
            }
        }
    }
    Ok(rows)
}

/// Halved from the largest on, down to a hundred.
fn sizes(most: usize) -> Vec<usize> {
    let mut sizes: Vec<usize> = std::iter::successors(Some(most), |&size| Some(size / 2))
        .take_while(|&size| size >= 90)
        .collect();
    sizes.reverse();
    sizes
}

/// The power with which time grows over the last decade of sizes: the slope of a line through the logarithms.
pub(crate) fn power(rows: &[&Growth], part: Option<usize>) -> Option<f64> {
    let most = rows.iter().map(|row| row.instructions).max()?;
    let points: Vec<(f64, f64)> = rows
        .iter()
        .filter(|row| row.instructions * 11 >= most)
        .map(|row| {
            let took = part.map_or_else(|| row.all(), |part| row.took[part]);
            ((row.instructions as f64).ln(), took.as_secs_f64().max(1e-9).ln())
        })
        .collect();
    let n = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0 / n, y + p.1 / n));
    let across: f64 = points.iter().map(|p| (p.0 - x).powi(2)).sum();
    let along: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    (points.len() > 1).then(|| along / across)
}
