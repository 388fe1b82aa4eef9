//! Random programs, for tests and fuzz targets: unstructured reducible control flow, loops with several exits and
//! latches, switches, memory, every kind of instruction. The same seed yields the same program.
//!
//! ```
//! use lw_ir::generate::{Options, generate};
//!
//! let program = generate(7, &Options::default());
//! assert!(program.module.functions.iter().all(|f| lw_ir::verify(f).is_ok()));
//! let outcome = program.run(2, &Default::default());
//! assert!(outcome.is_ok_and(|seen| seen.results.len() == 2));
//! ```
//!
//! Programs end: every loop counts. They are defined for the most part: indices are masked, divisors are not zero, what
//! decides about an effect is never poison by construction. [`Options::undefined`] says how often a promise (`nsw`,
//! `inbounds`, …) may be broken; values that depend on one are kept away from branches and addresses.
//!
//! | step | module |
//! | --- | --- |
//! | which types, and what memory holds | `palette` |
//! | blocks and edges | `skeleton` |
//! | φs, instructions, terminators | `body`, and one module for each family of instructions |
//! | arguments and memory of a run | [`Inputs`], [`pack`] |
//! | what a corpus covers | [`Coverage`] |
//! | a smaller program that fails alike | [`shrink`] |
//! | W threads against W runs | [`lockstep`] |
//! | damaged text | [`damage`] |

mod addresses;
mod arith;
mod blocks;
mod body;
mod calls;
mod constants;
mod coverage;
pub mod damage;
mod inputs;
mod intrinsics;
pub mod lockstep;
mod memory;
mod names;
pub mod pack;
mod palette;
mod parallel;
mod promises;
mod shrink;
mod skeleton;
mod stack;
mod vectors;

pub use coverage::Coverage;
pub use inputs::{Inputs, Observed, Param};
pub use lw_graph::generate::Rng;
pub use shrink::{ShrinkOptions, shrink};

use crate::interp::{Run, RunError};
use crate::layout::DataLayout;
use crate::module::Module;
use crate::types::FloatKind;
use body::Body;
use palette::Palette;

/// The data layout of x86-64 Linux, in which programs lie unless the options say otherwise.
pub const X86_64: &str =
    "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";

/// What random programs are made of. `true` allows; each program takes a random part of what is allowed, so that
/// features meet in small sets as well as all at once.
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    /// How the entry function is called; other globals begin with it.
    pub name: String,
    /// The data-layout string.
    pub layout: String,
    /// The largest number of blocks, without those that loops need to count.
    pub blocks: usize,
    /// The largest number of random instructions in a block.
    pub insts: usize,
    /// How deep loops may nest.
    pub depth: usize,
    /// For how many threads there are arguments and memory.
    pub threads: usize,
    /// Widths of integers beside 1, 8, 16, 32 and 64.
    pub wide_ints: Vec<u32>,
    /// The formats of floats.
    pub floats: Vec<FloatKind>,
    /// Vectors of numbers and pointers.
    pub vectors: bool,
    /// Structs and arrays as values.
    pub aggregates: bool,
    /// Loads, stores, stack memory, address computations.
    pub memory: bool,
    /// Structs on the stack that are accessed field by field, objects whose elements are accessed in part or askew, addresses
    /// that are kept in memory, or are those of one array or another.
    pub records: bool,
    /// Atomic and volatile accesses, fences.
    pub atomics: bool,
    /// Switches, also with parallel edges.
    pub switches: bool,
    /// Jumps to the addresses of blocks.
    pub indirect_branches: bool,
    /// Calls of other generated functions, also through pointers and by themselves.
    pub calls: bool,
    /// LLVM's intrinsics on integers, floats, vectors and memory; all are exact.
    pub intrinsics: bool,
    /// `sin`, `exp` and their like, which optimizers may replace by something a little different.
    pub libm: bool,
    /// How many of a hundred instructions may break a promise or use `undef`.
    pub undefined: usize,
    /// Fast-math flags that allow other numbers, so that results cannot be compared.
    pub loose_floats: bool,
    /// Predicates of blocks, `total` instructions, φs with a shadow, `mask`. LLVM has none of these.
    pub predicates: bool,
    /// Operations across threads. LLVM has none of these.
    pub horizontal: bool,
    /// Writes to globals, which all threads share.
    pub shared_writes: bool,
    /// One atomic update of a global in the entry block: W threads do it in the order in which W runs would.
    pub shared_atomic: bool,
    /// Blocks that nothing leads to.
    pub unreachable_blocks: bool,
    /// Loops with several entries.
    pub irreducible: bool,
}

impl Default for Options {
    /// What LLVM knows, for one thread or several that do not see each other.
    fn default() -> Self {
        Options {
            name: "f".into(),
            layout: X86_64.into(),
            blocks: 14,
            insts: 7,
            depth: 3,
            threads: 4,
            wide_ints: vec![2, 7, 13, 24, 33, 48, 65, 100, 128, 160],
            floats: vec![FloatKind::Float, FloatKind::Double, FloatKind::Half, FloatKind::X86Fp80],
            vectors: true,
            aggregates: true,
            memory: true,
            records: false,
            atomics: true,
            switches: true,
            indirect_branches: true,
            calls: true,
            intrinsics: true,
            libm: false,
            undefined: 8,
            loose_floats: false,
            predicates: false,
            horizontal: false,
            shared_writes: false,
            shared_atomic: false,
            unreachable_blocks: true,
            irreducible: false,
        }
    }
}

impl Options {
    /// For one thread and LLVM: also writes to globals.
    pub fn single_thread() -> Options {
        Options { shared_writes: true, ..Options::default() }
    }

    /// For W threads that do not see each other, with everything that is the IR's own.
    pub fn lockstep() -> Options {
        Options { predicates: true, shared_atomic: true, libm: true, ..Options::default() }
    }

    /// All there is, also what makes results depend on the schedule.
    pub fn everything() -> Options {
        Options {
            predicates: true,
            horizontal: true,
            shared_writes: true,
            libm: true,
            irreducible: true,
            floats: FloatKind::ALL[..6].to_vec(),
            wide_ints: vec![2, 7, 13, 24, 33, 48, 65, 100, 128, 129, 200],
            undefined: 12,
            loose_floats: true,
            ..Options::default()
        }
    }

    /// A random part of what is allowed, for one program.
    fn sample(&self, rng: &mut Rng) -> Options {
        let mut options = self.clone();
        let mut some = |feature: &mut bool, often: usize| *feature &= rng.below(often) > 0;
        some(&mut options.vectors, 2);
        some(&mut options.aggregates, 3);
        some(&mut options.memory, 8);
        some(&mut options.atomics, 3);
        some(&mut options.switches, 4);
        some(&mut options.indirect_branches, 2);
        some(&mut options.calls, 3);
        some(&mut options.intrinsics, 4);
        some(&mut options.libm, 3);
        some(&mut options.loose_floats, 3);
        some(&mut options.predicates, 3);
        some(&mut options.horizontal, 3);
        some(&mut options.shared_writes, 3);
        some(&mut options.shared_atomic, 3);
        some(&mut options.unreachable_blocks, 3);
        some(&mut options.irreducible, 2);
        options.blocks = 1 + rng.below(options.blocks.max(1));
        options.insts = 1 + rng.below(options.insts.max(1));
        if rng.one_in(3) {
            options.undefined = 0;
        }
        if rng.one_in(4) {
            options.floats.clear();
        }
        if rng.one_in(3) {
            options.wide_ints.clear();
        }
        options
    }
}

/// A random program with what it takes to run it.
#[derive(Clone, Debug)]
pub struct Program {
    /// The seed it was made from.
    pub seed: u64,
    /// The program.
    pub module: Module,
    /// The function that is run.
    pub entry: String,
    /// The arguments and the memory of its threads.
    pub inputs: Inputs,
    /// Whether it has no undefined behaviour, by construction.
    pub defined: bool,
}

impl Program {
    /// Runs the entry function by the first `threads` threads in lock step.
    ///
    /// # Errors
    /// As [`Machine::run`](crate::interp::Machine::run).
    pub fn run(&self, threads: usize, run: &Run) -> Result<Observed, RunError> {
        self.inputs.run(&self.module, &self.entry, 0..threads, run)
    }
}

/// The random program of a seed.
///
/// # Panics
/// If the layout of the options is none.
pub fn generate(seed: u64, options: &Options) -> Program {
    let mut rng = Rng::new(seed);
    let options = &options.sample(&mut rng);
    let layout = DataLayout::parse(&options.layout).expect("the options name a data layout");
    let palette = Palette::new(&mut rng, options, &layout);
    let mut module = Module { layout, types: palette.types.clone(), ..Module::default() };
    palette.add_globals(&mut rng, &mut module);
    let mut callees = Vec::new();
    if options.calls {
        for number in 0..rng.below(3) {
            let callee = {
                let layout = &module.layout;
                calls::Callee::random(&mut rng, options, &palette, layout, number, &callees)
            };
            let function =
                Body::helper(&mut rng, options, &palette, &module, &callees, &callee).build();
            module.functions.push(function);
            callees.push(callee);
        }
    }
    let inputs = Inputs::random(&mut rng, options, &palette, &module.layout);
    let body = Body::entry(&mut rng, options, &palette, &module, &callees, &inputs);
    let function = body.build();
    // The entry comes first or last, so that calls go both ways.
    let at = if rng.one_in(2) { 0 } else { module.functions.len() };
    module.functions.insert(at, function);
    let defined = options.undefined == 0;
    Program { seed, module, entry: options.name.clone(), inputs, defined }
}

/// The text of a module to compare with another: without the definitions of types, of which only those in use survive
/// reading, with the declarations in alphabetical order, and without the origins of instructions and the attributes of
/// intrinsics, which LLVM adds.
pub fn comparable(module: &Module) -> String {
    let mut module = module.clone();
    for function in &mut module.functions {
        let all: Vec<_> = function.all_insts().map(|(_, inst)| inst).collect();
        for inst in all {
            function[inst].origin = None.into();
            function[inst].derived = false;
        }
    }
    let text = module.to_string();
    let is_declaration = |line: &&str| line.starts_with("declare ");
    let mut declarations: Vec<&str> = text.lines().filter(is_declaration).collect();
    for line in &mut declarations {
        if line.starts_with("declare @llvm.") {
            *line = line.split(" attrs(").next().unwrap_or_default();
        }
    }
    declarations.sort();
    let rest = text.lines().filter(|l| !is_declaration(l) && !l.contains(" = type "));
    declarations.into_iter().chain(rest).fold(String::new(), |all, line| all + line + "\n")
}
