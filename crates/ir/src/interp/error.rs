//! Why a run ended without a result.

use crate::entities::{Block, Inst};
use crate::function::Function;
use std::fmt;

/// What went wrong, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunError {
    /// What went wrong.
    pub kind: ErrorKind,
    /// The function that was executing, as it is written: `@name`.
    pub function: String,
    /// The block that was executing.
    pub block: Option<Block>,
    /// The instruction that was executing.
    pub inst: Option<Inst>,
    /// The block and the instruction, to be read.
    pub place: String,
    /// The thread on which it happened.
    pub thread: Option<usize>,
}

/// What went wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// An active use depends on the ⊤ of passive execution (001, Def. 11 rule 3).
    PassiveUse(&'static str),
    /// `undef` or poison decided something.
    UndefinedUse(&'static str),
    /// Another undefined behaviour of the program.
    Undefined(String),
    /// An integer division by zero.
    DivisionByZero,
    /// The quotient of the smallest integer and −1.
    DivisionOverflow,
    /// An access outside the allocation its pointer came from.
    OutOfBounds {
        /// The address.
        addr: u64,
        /// How many bytes.
        size: u64,
        /// The allocation, in words.
        of: String,
    },
    /// An access through a pointer that points nowhere.
    NoAllocation(u64),
    /// An access to memory that was released.
    UseAfterFree(String),
    /// A write to a constant.
    ReadOnly(String),
    /// An access whose address is not aligned as promised.
    Misaligned {
        /// The address.
        addr: u64,
        /// The promised alignment.
        align: u64,
    },
    /// `unreachable` was reached.
    Unreachable,
    /// The program stopped itself: `abort`, `exit`, `llvm.trap`.
    Stopped(String),
    /// A function that is neither in the module nor in the table of host functions.
    UnknownFunction(String),
    /// The interpreter cannot execute this.
    Unsupported(String),
    /// The arguments of the run do not fit the function.
    BadArguments(String),
    /// More instructions than the limit.
    StepLimit(u64),
    /// More nested calls than the limit.
    DepthLimit(usize),
    /// More memory than the limit.
    MemoryLimit(u64),
    /// No block can be scheduled although threads have not ended.
    Stuck,
}

impl ErrorKind {
    /// Whether the program has undefined behaviour: any other execution of it is as good.
    pub fn is_undefined_behaviour(&self) -> bool {
        use ErrorKind::*;
        matches!(
            self,
            UndefinedUse(_)
                | Undefined(_)
                | DivisionByZero
                | DivisionOverflow
                | OutOfBounds { .. }
                | NoAllocation(_)
                | UseAfterFree(_)
                | ReadOnly(_)
                | Misaligned { .. }
                | Unreachable
        )
    }

    /// Whether a limit of the run was reached, so that nothing is known of the program.
    pub fn is_limit(&self) -> bool {
        use ErrorKind::*;
        matches!(self, StepLimit(_) | DepthLimit(_) | MemoryLimit(_))
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ErrorKind::PassiveUse(what) => write!(
                f,
                "{what} depends on ⊤, a value this thread assigned passively (001 Def. 11, rule 3); \
                 define it under a predicate that the use implies, or `total`"
            ),
            ErrorKind::UndefinedUse(what) => {
                write!(f, "{what} is undef or poison; freeze it or define it on every path")
            }
            ErrorKind::Undefined(what) => write!(f, "undefined behaviour: {what}"),
            ErrorKind::DivisionByZero => f.write_str("division by zero; guard the divisor"),
            ErrorKind::DivisionOverflow => f.write_str(
                "the quotient of the smallest integer and -1 does not fit; guard the division",
            ),
            ErrorKind::OutOfBounds { addr, size, of } => {
                write!(f, "access of {size} bytes at 0x{addr:x} is outside {of}; check the index")
            }
            ErrorKind::NoAllocation(0) => {
                f.write_str("access through the null pointer; test it before")
            }
            ErrorKind::NoAllocation(addr) => {
                write!(
                    f,
                    "no memory is allocated at 0x{addr:x}; check where the pointer comes from"
                )
            }
            ErrorKind::UseAfterFree(of) => write!(f, "access to {of}, which was released before"),
            ErrorKind::ReadOnly(of) => write!(f, "write to {of}, which is constant"),
            ErrorKind::Misaligned { addr, align } => {
                write!(
                    f,
                    "address 0x{addr:x} is not aligned to the promised {align} bytes; lower the alignment"
                )
            }
            ErrorKind::Unreachable => f.write_str("`unreachable` was reached"),
            ErrorKind::Stopped(how) => write!(f, "the program stopped: {how}"),
            ErrorKind::UnknownFunction(name) => {
                write!(
                    f,
                    "{name} has no body and is no host function; define it or add it with `Machine::host`"
                )
            }
            ErrorKind::Unsupported(what) => write!(f, "the interpreter does not execute {what}"),
            ErrorKind::BadArguments(what) => write!(f, "bad arguments: {what}"),
            ErrorKind::StepLimit(limit) => {
                write!(
                    f,
                    "not finished after {limit} instructions; raise `Run::step_limit` if that is expected"
                )
            }
            ErrorKind::DepthLimit(limit) => {
                write!(
                    f,
                    "more than {limit} nested calls; raise `Run::depth_limit` if that is expected"
                )
            }
            ErrorKind::MemoryLimit(limit) => {
                write!(
                    f,
                    "more than {limit} bytes of memory in use; raise `Memory::limit` if that is expected"
                )
            }
            ErrorKind::Stuck => f.write_str(
                "no block can be scheduled: threads ended a block without successors passively; \
                 leave blocks that return without a predicate",
            ),
        }
    }
}

impl RunError {
    /// An error that belongs to no instruction.
    pub fn at_function(kind: ErrorKind, function: String) -> RunError {
        RunError { kind, function, block: None, inst: None, place: String::new(), thread: None }
    }

    /// An error in a block, perhaps at an instruction and on a thread.
    pub(crate) fn at(
        kind: ErrorKind,
        function: &Function,
        block: Block,
        inst: Option<Inst>,
        thread: Option<usize>,
    ) -> RunError {
        let mut place = format!("block {}", function.display_block(block));
        if let Some(inst) = inst {
            place += &format!(", `{}`", function.display_inst(inst).trim());
        }
        let name = function.name.to_string();
        RunError { kind, function: name, block: Some(block), inst, place, thread }
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.function)?;
        if !self.place.is_empty() {
            write!(f, ", {}", self.place)?;
        }
        if let Some(thread) = self.thread {
            write!(f, ", thread {thread}")?;
        }
        write!(f, ": {}", self.kind)
    }
}

impl std::error::Error for RunError {}
