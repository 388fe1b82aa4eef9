//! How long our analysis takes beside LLVM's.

use crate::families::FAMILIES;
use lw_bench::Program;
use lw_divergence::llvm::{self, Gpu, Solver};
use lw_divergence::{Basic, Options, Sources, analyze};
use lw_ir::Function;
use lw_llvm::{Context, Module, OptLevel, TargetMachine};
use serde_json::json;
use std::hint::black_box;
use std::time::{Duration, Instant};

pub(crate) const TRIPLE: &str = "nvptx64-nvidia-cuda";

/// What was measured of a module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times {
    pub(crate) name: String,
    pub(crate) instructions: u64,
    /// Reading the functions from LLVM.
    pub(crate) import: Duration,
    /// Our analysis from the functions on, with all it needs: orders, graphs, loops. It starts where LLVM's does and knows no more.
    pub(crate) ours: Duration,
    /// The same verdicts on the sparse engine, as if more were to be known.
    pub(crate) engine: Duration,
    /// LLVM's analysis, given dominators and cycles.
    pub(crate) llvm: Duration,
    /// What LLVM's analysis is given.
    pub(crate) dominators: Duration,
    pub(crate) cycles: Duration,
}

impl Times {
    pub(crate) fn ratio(&self) -> f64 {
        self.ours.as_secs_f64() / self.llvm.as_secs_f64().max(1e-9)
    }

    pub(crate) fn add(&mut self, other: &Times) {
        self.instructions += other.instructions;
        self.import += other.import;
        self.ours += other.ours;
        self.engine += other.engine;
        self.llvm += other.llvm;
        self.dominators += other.dominators;
        self.cycles += other.cycles;
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        let ns = |time: Duration| time.as_nanos() as u64;
        json!({
            "name": self.name, "instructions": self.instructions, "import_ns": ns(self.import),
            "ours_ns": ns(self.ours), "engine_ns": ns(self.engine), "llvm_ns": ns(self.llvm),
            "llvm_dominators_ns": ns(self.dominators), "llvm_cycles_ns": ns(self.cycles),
        })
    }
}

pub(crate) fn machine() -> Result<TargetMachine, String> {
    TargetMachine::new(TRIPLE, "", "", OptLevel::Default).map_err(|e| e.to_string())
}

/// The functions of a module in the order in which LLVM has them, and how long it took to read them.
pub(crate) fn import(module: &mut Module<'_>) -> Result<(Vec<Function>, Duration), String> {
    let start = Instant::now();
    let mut bridge = module.bridge().map_err(|e| e.to_string())?;
    let ids = bridge.functions();
    let functions = ids.into_iter().map(|id| bridge.import(id).function).collect();
    Ok((functions, start.elapsed()))
}

fn shapes(function: &Function) -> (Sources<Basic>, Options) {
    (llvm::sources(function, Gpu::Nvptx), llvm::options(Gpu::Nvptx))
}

/// The least of some times.
fn least<T>(repeat: u32, mut run: impl FnMut() -> T) -> Duration {
    let mut best = Duration::MAX;
    for _ in 0..repeat.max(1) {
        let start = Instant::now();
        let result = black_box(run());
        best = best.min(start.elapsed());
        drop(result);
    }
    best
}

/// Measures one module on both sides, function by function, the fastest of some runs each.
pub(crate) fn measure(name: &str, module: &mut Module<'_>, repeat: u32) -> Result<Times, String> {
    let machine = machine()?;
    let (functions, import) = import(module)?;
    let mut times = Times { name: name.into(), import, ..Times::default() };
    let mut solver = Solver::new();
    for function in &functions {
        let (sources, options) = shapes(function);
        times.ours += least(repeat, || solver.solve(function, Gpu::Nvptx));
        times.engine += least(repeat, || analyze(function, &sources, &options));
    }
    for theirs in module.uniformity_times(&machine, repeat) {
        times.instructions += theirs.instructions;
        times.llvm += theirs.took;
        times.dominators += theirs.dominators;
        times.cycles += theirs.cycles;
    }
    Ok(times)
}

/// A program of the corpus, as if it were for NVPTX.
pub(crate) fn of_program(program: &Program, repeat: u32, check: bool) -> Result<Times, String> {
    let context = Context::new();
    let mut module = context.read_module(&program.path).map_err(|e| e.to_string())?;
    module.set_triple(TRIPLE);
    if check {
        let mut solver = Solver::new();
        import(&mut module)?.0.iter().try_for_each(|f| same_verdicts(&mut solver, f))?;
    }
    measure(&format!("{} {}", program.config, program.name), &mut module, repeat)
}

/// Whether both ways find the same in a function.
fn same_verdicts(solver: &mut Solver, function: &Function) -> Result<(), String> {
    let (sources, options) = shapes(function);
    let (short, long) = (solver.solve(function, Gpu::Nvptx), analyze(function, &sources, &options));
    for &block in function.blocks() {
        let values =
            function.insts(block).iter().filter_map(|&inst| function[inst].result.expand());
        let values = values.filter(|&v| short.is_uniform(v) != long.is_uniform(v));
        if short.is_divergent(block) != long.is_divergent(block) || values.count() > 0 {
            let name = function.name.as_str().unwrap_or_default();
            let block = function.display_block(block);
            return Err(format!("{name}: the verdicts on the block {block} differ"));
        }
    }
    Ok(())
}

/// A member of a family.
#[derive(Clone, Debug)]
pub(crate) struct Growth {
    pub(crate) family: &'static str,
    pub(crate) n: usize,
    pub(crate) times: Times,
}

/// All families, at these sizes.
pub(crate) fn growth(sizes: &[usize], repeat: u32) -> Result<Vec<Growth>, String> {
    let mut rows = Vec::new();
    for (family, make) in FAMILIES {
        for &n in sizes {
            let context = Context::new();
            let text = make(n);
            let mut module =
                context.parse_module(text.as_bytes(), family).map_err(|e| e.to_string())?;
            let times = measure(family, &mut module, repeat)?;
            rows.push(Growth { family, n, times });
        }
    }
    Ok(rows)
}
