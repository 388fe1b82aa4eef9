//! The interpreter: what programs of the lock-step IR mean.
//!
//! W threads execute one function in lock step. The state is σ = (M, Δ^W, ℓ_in^W, ℓ_next^W): shared [memory](Memory),
//! the variables of each thread, and its [control state](Control). A scheduler names the next block ℓ_sc, and *all* threads
//! execute it, actively or passively (001 ch. 4):
//!
//! ```text
//! cmask(t)   ℓ_next(t) = ℓ_sc, or ℓ_next(t) = ⊤ and ℓ_in(t) → ℓ_sc is an edge                  Def. 6
//! amask(t)   cmask(t) and the predicate of ℓ_sc is true on t                                   Def. 8
//!
//! [BLS-W-STEP]  φs as a parallel copy, then amask, then the instructions, then the terminator
//!   φ           cmask: the value for the edge from ℓ_in;   else: shadow operand, FR: kept, OBL: ⊤
//!   x = op      amask: evaluated;                          else: FR: kept, OBL: ⊤               [UPD-ENV]
//!   x = op total: evaluated on all threads                                                      [W-CMD-TOTAL]
//!   x = mask    amask, on all threads                                                           [W-CMD-MASK]
//!   terminator  amask: the target or □(result);            else: ⊤                              evalterm
//!
//! advance_pc    cmask: ℓ_in := ℓ_sc, ℓ_next := what the terminator said;  else unchanged        Fig. 4.4
//! ```
//!
//! FR is the *freezing* interpretation (what the source means), OBL the *oblivious* one (what SIMD registers do).
//! Memory is accessed in thread order, only by active threads; an `alloca` is private to its thread. Horizontal
//! operations see the threads that execute them actively. A call of another function is executed by the active threads.
//!
//! Undefined values are three: `undef`, poison, and the ⊤ of passive execution. Operations pass them on, unless the other
//! operands decide alone. Where one decides about an effect (a branch, an address, a stored or returned value, a divisor, an
//! argument of a host function) the run ends with an error: undefined behaviour for the first two, a program that is not
//! well-formed (001 Def. 11, rule 3) for the third.
//!
//! Which block comes next is the [`Schedule`]'s choice.

pub(crate) mod bytes;
mod call;
mod cfg;
mod code;
mod compute;
mod constants;
mod control;
mod env;
mod error;
mod eval_cast;
mod eval_float;
mod eval_int;
mod eval_mem;
mod eval_vector;
mod exec;
mod greedy;
mod horizontal;
mod host;
mod machine;
pub(crate) mod memory;
mod pure;
mod schedule;
mod soft;
mod stack;
mod step;
mod tags;
mod trace;
mod value;
mod wide;

pub use control::{Control, Next};
pub use error::{ErrorKind, RunError};
pub use host::{HostCall, HostFn};
pub use machine::{Machine, bytes_refined_by};
pub use memory::{AllocKind, Memory};
pub use schedule::{Property, Schedule, Violation};
pub use tags::Tag;
pub use trace::{Step, Trace};
pub use value::{Provenance, Ptr, Val};

pub(crate) use machine::Callee;
pub(crate) use value::canonical_nan;

/// What passive execution does to a variable (001 §4.5).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Semantics {
    /// It keeps its value.
    #[default]
    Freezing,
    /// It loses its value.
    Oblivious,
}

/// How a function is run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// The number W of threads.
    pub threads: usize,
    /// What passive execution does to variables.
    pub semantics: Semantics,
    /// How blocks are chosen.
    pub schedule: Schedule,
    /// How many instructions may be executed, each counted once for all threads.
    pub step_limit: u64,
    /// How many calls may be nested. Each takes up to 5 KiB of the stack of the host.
    pub depth_limit: usize,
    /// Whether a trace is recorded.
    pub trace: bool,
    /// Whether an active instruction whose result depends on ⊤ is an error already, before the result has an effect.
    /// That is rule 3 of 001 Def. 11 to the letter; φs only pass on the definition mask (Def. 10).
    pub strict_uses: bool,
}

impl Default for Run {
    fn default() -> Self {
        Run {
            threads: 1,
            semantics: Semantics::Freezing,
            schedule: Schedule::default(),
            step_limit: 10_000_000,
            depth_limit: 200,
            trace: false,
            strict_uses: false,
        }
    }
}

/// What a run yields beside its effect on the memory of the machine.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What each thread returned ([`Val::Unit`] from a `void` function); `None` if a fixed schedule ended before the
    /// thread did.
    pub results: Vec<Option<Val>>,
    /// How many instructions were executed, each counted once for all threads.
    pub steps: u64,
    /// Whether something was decided that the program leaves open: `freeze` of an undefined value, fast-math flags that
    /// allow other results, the bits of a NaN. Another correct execution may then differ.
    pub nondeterminism_used: bool,
    /// What was executed, if the run was to record it.
    pub trace: Option<Trace>,
    /// Where a fixed schedule is not greedy.
    pub violations: Vec<Violation>,
}

impl Outcome {
    /// The result of each thread.
    ///
    /// # Panics
    /// If a thread did not end.
    pub fn values(&self) -> Vec<Val> {
        self.results.iter().map(|r| r.clone().expect("the thread did not end")).collect()
    }
}
