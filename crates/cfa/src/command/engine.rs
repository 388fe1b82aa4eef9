//! The choice of an engine, and what it took.

use super::Failure;
use super::watch::Watch;
use crate::flow::cuda::{self, Gpu};
use crate::flow::{Engine, Program, Solution, solve};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// How constraints are solved.
#[derive(clap::Args)]
pub struct EngineArgs {
    /// How the constraints are solved; all but eigen yield the same
    #[arg(long, value_enum, default_value = "delta")]
    engine: EngineName,
    /// Threads for the engine matrix
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Streams for the engine cuda; with several, the kernels of different forms run at once
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=64))]
    streams: u16,
    /// Which GPU the engine cuda uses, counted from 0
    #[arg(long, default_value_t = 0, value_name = "NUMBER")]
    gpu: u16,
    /// How much of the GPU's memory the engine cuda uses at most; where it does not suffice, the store is cut into tiles
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..=1 << 30))]
    gpu_memory: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum EngineName {
    /// A worklist, the simplest
    Reference,
    /// Difference propagation, the fastest on most programs
    Delta,
    /// Rows of bits, round after round
    Matrix,
    /// The same on an NVIDIA GPU; exit code 3 if there is none
    Cuda,
    /// As if everything were reached
    Eigen,
}

/// An engine that can start.
pub struct Ready(Kind);

enum Kind {
    Cpu(&'static str, Engine),
    Cuda(Box<Gpu>, cuda::Options),
}

/// A solution, and what it took.
pub struct Solved {
    /// The solution.
    pub solution: Solution,
    /// What it took.
    pub took: Took,
}

/// What a solution took.
pub struct Took {
    /// From the constraints to the solution.
    pub solve: Duration,
    /// The name of the GPU, and what happened on it.
    pub gpu: Option<(String, cuda::Stats)>,
}

impl EngineArgs {
    /// What the engine is called.
    pub fn name(&self) -> &'static str {
        match self.engine {
            EngineName::Reference => "reference",
            EngineName::Delta => "delta",
            EngineName::Matrix => "matrix",
            EngineName::Cuda => "cuda",
            EngineName::Eigen => "eigen",
        }
    }

    /// Makes the engine ready; without a GPU there is none called `cuda`.
    pub fn open(&self) -> Result<Ready, Failure> {
        let engine = match self.engine {
            EngineName::Reference => Engine::Reference,
            EngineName::Delta => Engine::Delta,
            EngineName::Matrix => Engine::Matrix(self.threads.into()),
            EngineName::Eigen => Engine::Eigen,
            EngineName::Cuda => {
                let options = cuda::Options {
                    device: self.gpu.into(),
                    streams: self.streams.into(),
                    memory: self.gpu_memory.map(|mebibytes| mebibytes << 20),
                    ..cuda::Options::default()
                };
                let gpu = Gpu::open(&options).map_err(failure)?;
                return Ok(Ready(Kind::Cuda(Box::new(gpu), options)));
            }
        };
        Ok(Ready(Kind::Cpu(self.name(), engine)))
    }
}

impl Ready {
    /// Solves constraints. What takes long shows on standard error how far it is.
    pub fn solve(self, program: &Program) -> Result<Solved, Failure> {
        let start = Instant::now();
        let (solution, gpu) = match self.0 {
            Kind::Cpu(name, engine) => {
                let _watch = Watch::start(name);
                (solve(program, engine), None)
            }
            Kind::Cuda(mut gpu, options) => {
                let watch = Watch::start("cuda");
                let solved = gpu.solve(program, &options, &mut |progress| watch.set(*progress));
                let (solution, stats) = solved.map_err(failure)?;
                (solution, Some((gpu.name.clone(), stats)))
            }
        };
        Ok(Solved { solution, took: Took { solve: start.elapsed(), gpu } })
    }
}

fn failure(error: cuda::Error) -> Failure {
    match error {
        cuda::Error::NoKernels | cuda::Error::NoDriver | cuda::Error::NoDevice(_) => {
            Failure::Missing(error.to_string())
        }
        cuda::Error::Memory { .. } | cuda::Error::Driver(_) => Failure::Cannot(error.to_string()),
    }
}

impl Took {
    /// A line about the GPU, if there was one.
    pub fn text(&self) -> String {
        let Some((name, stats)) = &self.gpu else { return String::new() };
        format!(
            "{name}: {} rounds in {:.3} s, to the GPU {:.3} s, back {:.3} s; {} MiB, {} tiles, {} visits of them\n",
            stats.rounds,
            stats.solve.as_secs_f64(),
            stats.upload.as_secs_f64(),
            stats.download.as_secs_f64(),
            stats.bytes >> 20,
            stats.tiles,
            stats.visits
        )
    }

    /// The same for programs; `null` without a GPU.
    pub fn gpu_json(&self) -> Value {
        let Some((name, stats)) = &self.gpu else { return Value::Null };
        json!({
            "name": name,
            "rounds": stats.rounds,
            "tiles": stats.tiles,
            "visits": stats.visits,
            "bytes": stats.bytes,
            "upload_seconds": stats.upload.as_secs_f64(),
            "rounds_seconds": stats.solve.as_secs_f64(),
            "download_seconds": stats.download.as_secs_f64(),
        })
    }
}
