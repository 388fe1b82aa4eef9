//! 0-CFA on the GPU (004 §6): the operations partitioned by form, a kernel for each.
//!
//! A round has three steps. The kernels of the forms look at what is new to their operations and list what flows where (𝐚ᵢ =
//! 𝐯_f × 𝐕𝐚𝐫ᵢ); `flow` unites rows of bits (𝛔 + 𝐚ᵢ ⊗ 𝐯ᵢ); `commit` makes what was found the news of the next round and
//! activates the operations that read it. With several streams the kernels of the forms run at once.
//!
//! The kernels are in `kernels/`, written so that they compile for the CPU as well: no thread waits for another, so running them
//! one after the other in any order must give the same result, which is how they are tested without a GPU. On the
//! GPU many rounds are one graph, so that starting a kernel costs little.
//!
//! This is the only room of the crate with `unsafe` code: calls of the driver, and of the kernels on the CPU.
#![allow(unsafe_code)]

#[cfg(kernels)]
mod driver;
#[cfg(emulator)]
mod emulator;
mod machine;
mod rounds;
mod state;

use crate::flow::{Program, Solution};
use std::fmt;
use std::time::Duration;

/// How the GPU is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Which GPU.
    pub device: usize,
    /// How many streams run the kernels of the forms.
    pub streams: usize,
    /// One kernel for all forms instead of one for each: what the partitioning is there to avoid.
    pub unpartitioned: bool,
    /// How many threads share an operation at least.
    pub lanes: u32,
    /// How many rounds run before the host looks whether anything changes.
    pub batch: u32,
    /// Whether these rounds are launched as one graph.
    pub graph: bool,
    /// How many blocks of 256 threads each multiprocessor gets.
    pub blocks: u32,
    /// How many entries each of the eight lists of what flows holds.
    pub items: u32,
    /// How many bytes of the GPU's memory are used at most; as much as is free if `None`. Where this does not suffice the store is
    /// tiled.
    pub memory: Option<u64>,
    /// Whether the bytes of rows that are read are counted, which takes time.
    pub measure: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            device: 0,
            streams: 4,
            unpartitioned: false,
            lanes: 32,
            batch: 96,
            graph: true,
            blocks: 4,
            items: 1 << 18,
            memory: None,
            measure: false,
        }
    }
}

/// How far the solver is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The rounds so far.
    pub rounds: u64,
    /// The pairs of tiles visited so far.
    pub visits: u64,
    /// The expressions reached in this visit.
    pub reached: u32,
    /// All expressions.
    pub expressions: u32,
}

/// What it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Rounds.
    pub rounds: u64,
    /// Tiles that the columns of the store were split into.
    pub tiles: u32,
    /// Pairs of tiles that were visited.
    pub visits: u64,
    /// Bytes of memory on the GPU.
    pub bytes: u64,
    /// Bytes of rows read to unite them, if counted.
    pub traffic: u64,
    /// From the program to its arrays on the GPU.
    pub upload: Duration,
    /// All rounds.
    pub solve: Duration,
    /// From the rows on the GPU to the solution.
    pub download: Duration,
}

/// Why there is no solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The build had no clang 22.
    NoKernels,
    /// There is no CUDA driver.
    NoDriver,
    /// There is no such GPU.
    NoDevice(String),
    /// The memory does not suffice for a single tile.
    Memory {
        /// What the smallest tile takes.
        needed: u64,
        /// What there is.
        free: u64,
    },
    /// The driver reports an error.
    Driver(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NoKernels => write!(
                f,
                "this program was built without clang 22, so it has no code for the GPU; install clang-22 and build it again, or use another engine"
            ),
            Error::NoDriver => write!(
                f,
                "no CUDA driver (libcuda.so.1) was found; install NVIDIA's driver, or use another engine"
            ),
            Error::NoDevice(why) => write!(f, "no GPU: {why}; use another engine"),
            Error::Memory { needed, free } => write!(
                f,
                "the GPU has {} MiB free, but even the smallest part of this program takes {} MiB; use another engine",
                free >> 20,
                needed.div_ceil(1 << 20)
            ),
            Error::Driver(why) => write!(f, "CUDA: {why}"),
        }
    }
}

impl std::error::Error for Error {}

/// A GPU with the kernels loaded.
pub struct Gpu {
    #[cfg(kernels)]
    machine: driver::Driver,
    /// Its name.
    pub name: String,
}

impl Gpu {
    /// Opens a GPU. Without a driver or without kernels this is an error, not a panic.
    #[cfg(kernels)]
    pub fn open(options: &Options) -> Result<Gpu, Error> {
        let machine = driver::Driver::open(options.device)?;
        Ok(Gpu { name: machine.name()?, machine })
    }

    /// Opens a GPU: not without kernels.
    #[cfg(not(kernels))]
    pub fn open(_: &Options) -> Result<Gpu, Error> {
        Err(Error::NoKernels)
    }

    /// Solves a program; the same (r, σ) as the other engines.
    #[cfg(kernels)]
    pub fn solve(
        &mut self,
        program: &Program,
        options: &Options,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<(Solution, Stats), Error> {
        self.machine.configure(options)?;
        solve_on(&mut self.machine, program, options, progress)
    }

    /// Solves a program: not without kernels.
    #[cfg(not(kernels))]
    pub fn solve(
        &mut self,
        _: &Program,
        _: &Options,
        _: &mut dyn FnMut(&Progress),
    ) -> Result<(Solution, Stats), Error> {
        Err(Error::NoKernels)
    }
}

/// Solves a program on the GPU, showing nothing.
pub fn solve(program: &Program, options: &Options) -> Result<Solution, Error> {
    Ok(Gpu::open(options)?.solve(program, options, &mut |_| {})?.0)
}

/// Solves a program with the kernels compiled for the CPU. Threads run one after the other: 0, `step`, 2 `step` … modulo their
/// number, 256 times `blocks`.
#[cfg(emulator)]
pub fn emulate(
    program: &Program,
    options: &Options,
    step: u32,
) -> Result<(Solution, Stats), Error> {
    let threads = 256 * options.blocks.max(1);
    // Odd, and so coprime to the number of threads if that is a power of two.
    let mut emulator = emulator::Emulator::new(threads.next_power_of_two(), step | 1);
    solve_on(&mut emulator, program, options, &mut |_| {})
}

#[cfg(any(kernels, emulator))]
fn solve_on(
    machine: &mut impl machine::Machine,
    program: &Program,
    options: &Options,
    progress: &mut dyn FnMut(&Progress),
) -> Result<(Solution, Stats), Error> {
    let mut solver = rounds::Solver::new(machine, program, options)?;
    let solution = solver.solve(progress)?;
    Ok((solution, solver.stats))
}
