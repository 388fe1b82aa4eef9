//! Arguments and memory of random programs, and what a run of them shows.

use super::constants;
use super::palette::{MIXED_BYTES, OUT_BYTES, Palette};
use super::{Options, Rng};
use crate::interp::bytes::Sizes;
use crate::interp::memory::Image;
use crate::interp::{Machine, Outcome, Ptr, Run, RunError, Val};
use crate::layout::DataLayout;
use crate::module::Module;
use crate::types::{Type, Types};
use std::ops::Range;

/// What a parameter of the entry function is given.
#[derive(Clone, PartialEq, Debug)]
pub enum Param {
    /// The address of the private memory of all threads: thread *t* uses the *t*-th part.
    Memory,
    /// The address of the memory that threads share and only read.
    Table,
    /// The number of the thread.
    Thread,
    /// The same value on every thread.
    Uniform(Type, Val),
    /// A value for each thread.
    Varying(Type, Vec<Val>),
}

/// The arguments of all threads and the memory they find.
#[derive(Clone, PartialEq, Debug)]
pub struct Inputs {
    /// What each parameter is given.
    pub params: Vec<Param>,
    /// The private memory of all threads, one part after the other.
    pub memory: Vec<u8>,
    /// The size of each part.
    pub part: usize,
    /// The memory that threads share and only read.
    pub table: Vec<u8>,
    /// How many threads there are arguments for.
    pub threads: usize,
}

/// What a run shows.
#[derive(Clone, Debug)]
pub struct Observed {
    /// What each thread returned.
    pub results: Vec<Val>,
    /// The private memory of all threads; `None` where it is undefined.
    pub memory: Vec<Option<u8>>,
    /// The global variables that are not constant, one after the other.
    pub globals: Vec<Option<u8>>,
    /// Whether the program left something open, so that another run may differ.
    pub open: bool,
    /// The outcome itself.
    pub outcome: Outcome,
}

impl Inputs {
    pub(super) fn random(
        rng: &mut Rng,
        options: &Options,
        palette: &Palette,
        layout: &DataLayout,
    ) -> Inputs {
        let sizes = Sizes { types: &palette.types, layout };
        let threads = options.threads.max(1);
        let mut params = vec![Param::Memory, Param::Table, Param::Thread];
        for _ in 0..1 + rng.below(4) {
            let ty = palette.passed(rng, layout);
            let mut value = || constants::value(rng, &palette.types, ty);
            let first = value();
            let all: Vec<Val> = (0..threads).map(|_| value()).collect();
            params.push(if rng.one_in(3) {
                Param::Uniform(ty, first)
            } else {
                Param::Varying(ty, all)
            });
        }
        let mut memory = Image::default();
        let part = sizes.alloc_size(palette.own).unwrap_or(0) as usize;
        for _ in 0..threads {
            let start = memory.bytes.len();
            let mut cells = Vec::new();
            for &(ty, len) in &palette.fields {
                cells.push(Val::elems((0..len).map(|_| constants::value(rng, &palette.types, ty))));
            }
            for len in [MIXED_BYTES, OUT_BYTES] {
                cells.push(Val::elems((0..len).map(|_| Val::Int(rng.below(256) as u128))));
            }
            let encoded = sizes.encode(palette.own, &Val::elems(cells), &mut memory);
            debug_assert!(encoded.is_ok());
            memory.pad_to(start + part);
        }
        let (elem, len) = palette.table;
        let mut table = Image::default();
        for i in 0..len {
            let value = constants::value(rng, &palette.types, elem);
            let encoded = sizes.encode(elem, &value, &mut table);
            debug_assert!(encoded.is_ok());
            table.pad_to((sizes.alloc_size(elem).unwrap_or(0) * (i + 1)) as usize);
        }
        Inputs { params, memory: memory.bytes, part, table: table.bytes, threads }
    }

    /// The type of each parameter.
    pub fn types(&self) -> Vec<Type> {
        let ty = |param: &Param| match param {
            Param::Memory | Param::Table => Type::PTR,
            Param::Thread => Type::I64,
            Param::Uniform(ty, _) | Param::Varying(ty, _) => *ty,
        };
        self.params.iter().map(ty).collect()
    }

    /// The arguments of a thread, for memory that lies at these addresses.
    pub fn arguments(&self, thread: usize, memory: Ptr, table: Ptr) -> Vec<Val> {
        let one = |param: &Param| match param {
            Param::Memory => Val::Ptr(memory),
            Param::Table => Val::Ptr(table),
            Param::Thread => Val::i64(thread as i64),
            Param::Uniform(_, value) => value.clone(),
            Param::Varying(_, values) => values[thread % values.len()].clone(),
        };
        self.params.iter().map(one).collect()
    }

    /// The bytes of a value of a type.
    pub(super) fn encode(types: &Types, layout: &DataLayout, ty: Type, value: &Val) -> Vec<u8> {
        let mut image = Image::default();
        let encoded = Sizes { types, layout }.encode(ty, value, &mut image);
        debug_assert!(encoded.is_ok());
        image.bytes
    }

    /// A machine with the memory of these inputs, and where the private and the shared memory lie.
    ///
    /// # Errors
    /// If the memory does not fit.
    pub fn machine<'m>(&self, module: &'m Module) -> Result<(Machine<'m>, Ptr, Ptr), RunError> {
        let mut machine = Machine::new(module);
        let fail = |kind| RunError::at_function(kind, String::new());
        let memory = machine.alloc_buffer(&self.memory).map_err(fail)?;
        let table = machine.alloc_buffer(&self.table).map_err(fail)?;
        Ok((machine, memory, table))
    }

    /// Runs a function by these threads in lock step. What `run` says about the number of threads does not matter.
    ///
    /// # Errors
    /// As [`Machine::run`].
    pub fn run(
        &self,
        module: &Module,
        entry: &str,
        threads: Range<usize>,
        run: &Run,
    ) -> Result<Observed, RunError> {
        let (mut machine, memory, table) = self.machine(module)?;
        let args: Vec<Vec<Val>> =
            threads.clone().map(|t| self.arguments(t, memory, table)).collect();
        let run = Run { threads: threads.len(), ..run.clone() };
        let outcome = machine.run(entry, &args, &run)?;
        self.observe(&machine, module, memory, outcome)
    }

    /// Runs a function by these threads one after the other, on the same memory.
    ///
    /// # Errors
    /// As [`Machine::run`].
    pub fn run_apart(
        &self,
        module: &Module,
        entry: &str,
        threads: Range<usize>,
        run: &Run,
    ) -> Result<Observed, RunError> {
        let (mut machine, memory, table) = self.machine(module)?;
        let mut all: Option<Outcome> = None;
        let run = Run { threads: 1, ..run.clone() };
        for t in threads {
            let outcome = machine.run(entry, &[self.arguments(t, memory, table)], &run)?;
            match &mut all {
                None => all = Some(outcome),
                Some(all) => {
                    all.results.extend(outcome.results);
                    all.steps += outcome.steps;
                    all.nondeterminism_used |= outcome.nondeterminism_used;
                }
            }
        }
        let nothing = Outcome {
            results: Vec::new(),
            steps: 0,
            nondeterminism_used: false,
            trace: None,
            violations: Vec::new(),
        };
        self.observe(&machine, module, memory, all.unwrap_or(nothing))
    }

    fn observe(
        &self,
        machine: &Machine<'_>,
        module: &Module,
        memory: Ptr,
        outcome: Outcome,
    ) -> Result<Observed, RunError> {
        let fail = |kind| RunError::at_function(kind, String::new());
        let variables = module.globals.iter().filter(|global| !global.constant);
        let names = variables.filter_map(|global| global.name.as_str());
        Ok(Observed {
            results: outcome.results.iter().map(|r| r.clone().unwrap_or(Val::Passive)).collect(),
            memory: machine.read_bytes(memory, self.memory.len() as u64).map_err(fail)?,
            globals: names.flat_map(|name| machine.read_global(name).unwrap_or_default()).collect(),
            open: outcome.nondeterminism_used,
            outcome,
        })
    }
}
