//! What instructions compute, in a vocabulary that analyses share.
//!
//! [`Program`] says which variables an instruction touches; [`Meaning`] says what it does with them, as far as the
//! analyses of this crate care. An analysis written against it works on every kind of program. What has no word here is
//! [`Expr::Other`].

use crate::program::{Instr, Program, Var};
use lw_graph::Node;
use lw_ir::Flags;
use lw_ir::ops::{BinOp, CastOp, IntPred};
use smallvec::SmallVec;

/// An operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arg {
    /// A variable.
    Var(Var),
    /// An integer of at most 128 bits, zero-extended.
    Int(u128),
    /// The null pointer.
    Null,
    /// The address of a global variable or function, which is not null, by number.
    Global(u32),
    /// Any other constant, undefined ones included.
    Other,
}

/// The operands of a call.
pub type Args = SmallVec<[Arg; 4]>;

/// An operand of a [`Simple`] expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Term {
    /// A variable.
    Var(Var),
    /// An integer of at most 64 bits, zero-extended.
    Int(u64),
    /// Any other constant.
    Other,
}

impl From<Arg> for Term {
    #[inline]
    fn from(arg: Arg) -> Term {
        match arg {
            Arg::Var(var) => Term::Var(var),
            Arg::Int(value) => u64::try_from(value).map_or(Term::Other, Term::Int),
            _ => Term::Other,
        }
    }
}

impl From<Term> for Arg {
    #[inline]
    fn from(term: Term) -> Arg {
        match term {
            Term::Var(var) => Arg::Var(var),
            Term::Int(value) => Arg::Int(value.into()),
            Term::Other => Arg::Other,
        }
    }
}

/// What an instruction computes from integers, in few bytes: the part of [`Expr`] that is asked for most.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Simple {
    /// An operation on integers of so many bits.
    Binary(BinOp, Flags, u32, [Term; 2]),
    /// A conversion between integers, from so many bits to so many.
    Cast(CastOp, Flags, [u32; 2], Term),
    /// A comparison of integers of so many bits.
    Compare(IntPred, u32, [Term; 2]),
    /// Anything else.
    Other,
}

/// How large an object is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// So many bytes.
    Bytes(u64),
    /// At least a number of elements times their size in bytes, the number read as signed.
    Elements {
        /// How many.
        count: Arg,
        /// The width of that number.
        bits: u32,
        /// The size of one.
        size: u64,
    },
    /// That is not known.
    Unknown,
}

/// A step of an address computation into an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// Which element.
    pub index: Arg,
    /// The width of the index.
    pub bits: u32,
    /// How many elements the array type has.
    pub count: u64,
    /// The size of an element in bytes.
    pub size: u64,
}

/// What an instruction computes. Integers are scalars of at most 128 bits; operations on others are
/// [`Other`](Expr::Other).
#[derive(Clone, PartialEq, Debug)]
pub enum Expr<'p> {
    /// The operand itself.
    Copy(Arg),
    /// An operation on integers of `bits` bits.
    Binary {
        /// Which one; never a float operation.
        op: BinOp,
        /// What it promises.
        flags: Flags,
        /// The width.
        bits: u32,
        /// Both operands.
        args: [Arg; 2],
    },
    /// A conversion between integers.
    Cast {
        /// `Trunc`, `ZExt` or `SExt`.
        op: CastOp,
        /// What it promises.
        flags: Flags,
        /// The width before.
        from: u32,
        /// The width after.
        to: u32,
        /// The operand.
        arg: Arg,
    },
    /// A comparison of integers of `bits` bits, or of pointers (`bits` is 0).
    Compare {
        /// Which one.
        pred: IntPred,
        /// The width.
        bits: u32,
        /// Both operands.
        args: [Arg; 2],
    },
    /// The first of `args` where `cond`, else the second.
    Select {
        /// The condition.
        cond: Arg,
        /// Both values.
        args: [Arg; 2],
    },
    /// The value that [`Meaning::phi_arg`] names.
    Phi,
    /// A call.
    Call {
        /// The name of the callee, if it is known.
        callee: Option<&'p str>,
        /// What is called, if it is not.
        target: Option<Arg>,
        /// The arguments.
        args: Args,
    },
    /// A call of a method of an object, which must not be null.
    Method {
        /// The object.
        object: Arg,
        /// The name of the method.
        name: &'p str,
    },
    /// New memory, never null, of this size.
    Alloc(Extent),
    /// `base` plus `offset` plus the sum of `index * scale` over `indices` (signed, each index with its width).
    Address {
        /// A pointer.
        base: Arg,
        /// The constant part.
        offset: i128,
        /// The rest.
        indices: SmallVec<[(Arg, u32, i128); 2]>,
        /// Whether it is promised to stay in the object.
        inbounds: bool,
        /// The array type that the last step goes into, if it is one.
        array: Option<Step>,
    },
    /// Reads memory. Null must not be read.
    Load {
        /// Where.
        pointer: Arg,
        /// How many bytes.
        bytes: Option<u64>,
    },
    /// Writes memory. Null must not be written.
    Store {
        /// Where.
        pointer: Arg,
        /// What.
        value: Arg,
        /// How many bytes.
        bytes: Option<u64>,
    },
    /// Something else.
    Other,
}

/// How a value was computed from another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Link {
    /// This number was added.
    Plus(u128),
    /// It was subtracted from this number.
    From(u128),
    /// These bits were kept.
    Mask(u128),
    /// It was shifted right by so many bits, unsigned.
    Right(u32),
    /// It was converted from so many bits.
    Cast(CastOp, Flags, u32),
    /// Its bits that are set were counted.
    Ones,
    /// It is an upper bound of the result, unsigned: an operand of `and`, `urem`, `udiv`.
    Above,
    /// It is a lower bound of the result, unsigned: an operand of `or`.
    Below,
}

/// What holds on an edge.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Fact<'p> {
    /// A comparison of integers of so many bits, or of pointers (0 bits), holds.
    Compare(IntPred, u32, [Arg; 2]),
    /// A comparison holds of integers of so many bits, the first of which was computed from this variable.
    Through(IntPred, u32, Link, [Arg; 2]),
    /// A function with this name was called with this argument and yielded this truth value.
    Checked(&'p str, Arg, bool),
}

/// What a branch compares.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Compared {
    /// The condition.
    pub cond: Var,
    /// The comparison.
    pub pred: IntPred,
    /// The width of the operands; zero if they are pointers.
    pub bits: u32,
    /// The operands, if they are integers.
    pub args: [Term; 2],
}

/// A program whose instructions mean something.
pub trait Meaning: Program {
    /// The width of a variable that is a scalar integer of at most 128 bits.
    fn width(&self, var: Var) -> Option<u32>;

    /// Whether a variable holds a pointer. Programs without types say yes.
    fn is_pointer(&self, _var: Var) -> bool {
        true
    }

    /// Whether a variable only ever holds what [`Expr::Alloc`] yields.
    fn is_object(&self, _var: Var) -> bool {
        false
    }

    /// What an instruction computes.
    fn expr(&self, instr: Instr) -> Expr<'_>;

    /// What an instruction computes, in few bytes, if it is simple.
    fn simple(&self, instr: Instr) -> Simple {
        match self.expr(instr) {
            Expr::Binary { op, flags, bits, args } => {
                Simple::Binary(op, flags, bits, args.map(Term::from))
            }
            Expr::Cast { op, flags, from, to, arg } => {
                Simple::Cast(op, flags, [from, to], arg.into())
            }
            Expr::Compare { pred, bits, args } if bits > 0 => {
                Simple::Compare(pred, bits, args.map(Term::from))
            }
            _ => Simple::Other,
        }
    }

    /// The pointer that an instruction dereferences, so that it must not be null.
    fn dereferenced(&self, instr: Instr) -> Option<Arg> {
        match self.expr(instr) {
            Expr::Load { pointer, .. } | Expr::Store { pointer, .. } => Some(pointer),
            Expr::Method { object, .. } => Some(object),
            _ => None,
        }
    }

    /// Whether [`expr`](Meaning::expr) says how the integer that an instruction yields depends on its operands.
    fn computes(&self, _instr: Instr) -> bool {
        true
    }

    /// What a φ yields if control comes from `from`; [`Arg::Other`] if more than that decides it.
    fn phi_arg(&self, phi: Instr, from: Node) -> Arg;

    /// Whether nothing but where control comes from decides what a φ yields: [`phi_arg`](Meaning::phi_arg) is what it reads.
    fn chooses(&self, _phi: Instr) -> bool {
        false
    }

    /// Calls `visit` with what holds if control leaves `block` to its `position`-th successor. All of it holds, and every
    /// variable in it is among the [tests](Program::tests) of the block.
    fn facts<'p>(&'p self, block: Node, position: usize, visit: &mut dyn FnMut(Fact<'p>));

    /// If a block ends with a branch on a comparison of integers or pointers, and its [facts](Meaning::facts) are that the condition is
    /// true and the comparison holds on the first edge, and the opposite on the second: these.
    fn compared(&self, _block: Node) -> Option<Compared> {
        None
    }

    /// The condition of [`compared`](Meaning::compared), if the comparison stands in the same block: then it has seen what the branch
    /// sees, and tells all there is to tell about which way control goes.
    fn compared_here(&self, _block: Node) -> Option<Var> {
        None
    }

    /// Calls `visit` with what a fact says of a variable from which its operands were computed.
    fn through<'p>(&'p self, _fact: &Fact<'p>, _about: Var, _visit: &mut dyn FnMut(Fact<'p>)) {}

    /// Calls `visit` with what follows from a variable being true or false.
    fn follows<'p>(&'p self, _cond: Var, _truth: bool, _visit: &mut dyn FnMut(Fact<'p>)) {}

    /// The intervals `[lo, hi)` in which a parameter or the result of a call is promised to lie; none: everywhere.
    fn promised(&self, _var: Var) -> SmallVec<[(u128, u128); 1]> {
        SmallVec::new()
    }

    /// Whether something may be [promised](Meaning::promised) of what an instruction yields.
    fn promises(&self, _instr: Instr) -> bool {
        true
    }

    /// The pointer from which the address of a load or store is computed, if it must not be null either: `p` in `p->x`. It
    /// is among the [operands](Program::operands) of the instruction.
    fn root(&self, _access: Instr) -> Option<Var> {
        None
    }

    /// The size in bytes of a global, if it is known.
    fn global_size(&self, _global: u32) -> Option<u64> {
        None
    }
}
