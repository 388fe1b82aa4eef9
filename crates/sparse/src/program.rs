//! The door: what a program must show so that its live ranges can be split.
//!
//! [`Program`] is all the rest of the crate knows of a client: blocks, and for each instruction what it defines, what
//! it uses, and which variables a branch tests. The program may be in SSA form ([`lw_ir::Function`]) or not
//! ([`Registers`](crate::registers::Registers)); it is never changed.

use lw_graph::{Graph, Node};
use std::fmt;

/// A variable of a program: an index into tables the program keeps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(u32);

impl Var {
    /// The variable with this index.
    #[inline]
    pub const fn new(index: usize) -> Var {
        Var(index as u32)
    }

    /// The index of this variable, below [`Program::variable_count`].
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for Var {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "x{}", self.0)
    }
}

/// An instruction by whatever number the program gives it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instr(u32);

impl Instr {
    /// The instruction with this number.
    #[inline]
    pub const fn new(index: usize) -> Instr {
        Instr(index as u32)
    }

    /// The number of this instruction.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for Instr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "i{}", self.0)
    }
}

/// One thing an instruction does to a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// Reads it.
    Use(Var),
    /// Reads it if control comes from this predecessor: an operand of a φ. It is read on the edge.
    UseFrom(Var, Node),
    /// Writes it.
    Def(Var),
}

impl Operand {
    /// The variable.
    #[inline]
    pub fn var(self) -> Var {
        let (Operand::Use(var) | Operand::UseFrom(var, _) | Operand::Def(var)) = self;
        var
    }
}

/// Who is told what instructions read and write, one operand after the other.
pub trait Reader {
    /// A variable is read; or, with false, something else has this number and is not. To drop that without a branch is faster
    /// than not to be told.
    fn uses(&mut self, var: Var, is_variable: bool);

    /// A φ reads a variable if control comes from this predecessor.
    fn uses_from(&mut self, var: Var, from: Node);

    /// A variable is written.
    fn defines(&mut self, var: Var);
}

/// What a branch learns about a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Test {
    /// Whether it equals something, or which case it is.
    Equality,
    /// Anything else.
    Other,
    /// Something about a value that was computed from it: `x + 1 < 10`.
    Through,
}

/// A program whose live ranges can be split.
///
/// # What must hold
/// * The entry has no predecessors. (A loop at the very start needs an empty block before it.)
/// * In a block, φs come first and the instruction that decides where control goes comes last. Only φs have
///   [`Operand::UseFrom`] operands, and they have no others that are read.
/// * Reads of an instruction happen before its writes. It writes a variable at most once.
/// * If [`is_ssa`](Program::is_ssa), each variable has one definition, and it dominates the uses.
/// * A variable that a branch [tests](Program::tests) has at the branch the value that was tested.
pub trait Program {
    /// The block graph. It is asked for once.
    fn graph(&self) -> Graph;

    /// The block graph, in the place of another.
    fn graph_again(&self, graph: &mut Graph) {
        *graph = self.graph();
    }

    /// One more than the largest index of a variable. Indices need not all be in use.
    fn variable_count(&self) -> usize;

    /// About how many instructions there are: a hint.
    fn size(&self) -> usize {
        0
    }

    /// Whether each variable has a single definition that dominates its uses.
    fn is_ssa(&self) -> bool {
        false
    }

    /// Calls `visit` with the variables that have a value on entry.
    fn parameters(&self, visit: impl FnMut(Var));

    /// The instructions of a block: φs first, terminator last.
    fn instructions(&self, block: Node) -> impl Iterator<Item = Instr> + '_;

    /// Whether the instruction is a φ.
    fn is_phi(&self, _instr: Instr) -> bool {
        false
    }

    /// Calls `visit` with what an instruction reads and writes.
    fn operands(&self, instr: Instr, visit: impl FnMut(Operand));

    /// Tells the same to a reader.
    #[inline]
    fn read(&self, instr: Instr, reader: &mut impl Reader) {
        self.operands(instr, |operand| match operand {
            Operand::Use(var) => reader.uses(var, true),
            Operand::UseFrom(var, from) => reader.uses_from(var, from),
            Operand::Def(var) => reader.defines(var),
        });
    }

    /// The only variable from which an instruction computes its result, if the rest is constant and what is known of the
    /// variable says something about the result. Only for programs in SSA form.
    fn computed_from(&self, _instr: Instr) -> Option<Var> {
        None
    }

    /// Calls `visit` with the variables about which the branch at the end of a block learns something. Of one that is named
    /// several times the first test counts. What was [computed](Program::computed_from) from them need not be named.
    fn tests(&self, block: Node, visit: impl FnMut(Var, Test));
}
